"""The metastore: the port, its Thrift adapter, its in-memory twin, and a real embedded server."""
