"""Base tables listed by Spark: for tables that are too large to be listed here, or that only the session can reach.

opening.py chooses the reader: hive.py, with what the session knows of the metastore (session_metastore.py), or
iceberg.py. Delta is not here: Spark would open data files, where its own reader needs only the log.
"""

from hive_views.spark.base_tables.hive import ListedHiveTable, SparkHiveTable
from hive_views.spark.base_tables.iceberg import SparkIcebergTable
from hive_views.spark.base_tables.opening import spark_base_tables

__all__ = ["ListedHiveTable", "SparkHiveTable", "SparkIcebergTable", "spark_base_tables"]
