"""What Hive and its metastore mean by a view, as pure functions: rows, types, partition names and values."""
