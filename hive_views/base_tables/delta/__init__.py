"""Delta tables as base tables.

    table.py        the port
       ├── state.py           the live files of one version, by the library ``deltalake`` (object_store.py: its access)
       ├── log.py             what single commits did, from ``_delta_log/*.json``, which the library does not give
       └── reconciliation.py  what commits did to partitions
    schema_columns.py  all columns, from the newest schema
    keys.py         partition columns and values as Hive spells them

Read table.py first.
"""
