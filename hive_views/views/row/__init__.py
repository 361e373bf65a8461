"""What a metastore row says.

The row that a metadata file stands for (projection.py), the rows of Spark, Trino and plain views, and how a row and its
file differ (drift.py).
"""
