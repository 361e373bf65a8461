"""Iceberg tables as base tables.

    table.py             the port
       ├── table_metadata.py    the metadata file: snapshots and their ancestors (parsed by pyiceberg)
       ├── manifests.py         manifest lists and manifests: data and delete files (read by fastavro)
       └── tally.py             what files come to, by partition
    schema_columns.py    all columns, from the current schema
    keys.py              partition columns and values as Hive spells them

Read table.py first; its head says why two libraries read.
"""
