"""Paimon tables as base tables.

    table.py             the port, and the marks of complete partitions
       ├── snapshots.py         snapshots and schemas, small JSON files
       ├── manifests.py         which data files a snapshot has, in Avro files
       └── statistics.py        what files come to, by partition
    schema_columns.py    all columns, from the newest schema
    keys.py              partition columns, and binary rows as values that Hive spells

Read table.py first. Nothing of pypaimon is used: it reads slowly, and wrongly where a partition is NULL.
"""
