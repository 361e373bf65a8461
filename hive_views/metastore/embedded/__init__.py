"""A real Hive Metastore in a directory of the user's."""
