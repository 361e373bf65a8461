"""The metastore, which holds the rows, partitions and locks of views: four ports, and three kinds of metastore behind.

    open.py                 a URI becomes one of them
       ├── thrift/          a Hive Metastore 2.3 to 4.2, over the network
       ├── embedded/        the process of a real Hive 2.3.10 in a directory, reached through thrift/
       ├── zookeeper.py     where metastores are that have registered themselves, reached through thrift/
       └── memory.py        one in this process, which refuses what Hive refuses (memory_table.py, memory_locks.py)
    copy_on_read.py         a copy in memory of another one, for a dry run
    port.py                 the verbs of namespaces, rows, partitions and locks, and the values that they return

Read port.py first; the rest of the library knows nothing else of a metastore. The three pass one contract,
``tests/contract/metastore_contract.py``. Rules about views are in ``hive_views.views``, not here.
"""
