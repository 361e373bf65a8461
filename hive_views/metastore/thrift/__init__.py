"""A Hive Metastore over Thrift."""
