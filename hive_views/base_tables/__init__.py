"""Which partitions a base table holds, what is known of each, and what changed between two of its states.

    opening.py              a name or a location becomes a reader (formats.py: which format it is)
       ├── hive.py          Hive tables and views, from the metastore (markers.py: how writers mark partitions as done)
       ├── delta/           each from its metadata files alone, without Spark and without data files
       ├── iceberg/
       ├── paimon/
       └── memory.py        tables in this process, for tests
    port.py                 what a reader gives: listings, statistics, states, commits, changes

Read port.py first. The formats are independent of each other; a new one is a package beside them, which passes
``tests/contract/base_table_contract.py``, and with a history ``history_contract.py``. It is named in formats.py,
opening.py and ``estate/checks/misread_properties.py``. avro.py opens the Avro files of Iceberg and Paimon,
declared_columns.py reads the columns of tables, from their rows or their
own metadata.
"""
