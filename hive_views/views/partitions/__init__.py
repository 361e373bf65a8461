"""Explicitly declared partitions: PARTITIONED ON, ADD PARTITION, DROP PARTITION.

view_partitions.py has the verbs, batches.py one batch at a time.
"""
