"""Which partitions a base table holds: the port, and one module for each table format."""
