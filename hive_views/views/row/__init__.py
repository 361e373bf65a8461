"""What a metastore row says.

A version (version.py) is projected to a row (projection.py); row_text.py reads the query of any row, written by this
library, Hive, Spark or Trino. drift.py compares a row with its file, plain_view.py reads plain views to be adopted.
"""
