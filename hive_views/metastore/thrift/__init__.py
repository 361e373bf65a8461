"""A Hive Metastore over Thrift, from the port's verbs down to the bytes.

    hms.py                  the verbs of the port, one call each
       ├── name_filters.py  names of partitions, filtered by the server as far as its filters can be trusted
       ├── lock.py          the table lock: waiting, heartbeats, release
       ├── structs.py       rows and partitions as Thrift structs and back
       └── connection.py    connections, their pool, and which calls are repeated
    failures.py             what an exception means, and what it proves about a write
    auth.py, wire.py        authentication and TLS; addresses, time-outs and the protocol
       └── sasl.py, gss.py  the negotiation, and Kerberos in it

Read hms.py, then failures.py. ``_bindings`` is generated from ``thrift_idl/`` and never edited.
"""
