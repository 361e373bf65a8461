"""Everything that needs PySpark: schema and inputs of a query, publishing and reading with a session, a local session.

What lives here: the only code that imports pyspark, and only when it is called. What must not: anything that works
without Spark.

With a Spark Connect session work ``schema_of``, ``sql``, ``analyze``, ``read_published``, ``spark_base_tables`` (of
Hive tables it lists partitions and tells nothing else), and ``publish_all`` but for publications that are strict or
record their reads; the rest reads Spark's plans and refuses it with an error that says so.
"""

from hive_views.spark.analysis import PartitionAnalysis, analyze
from hive_views.spark.base_tables import ListedHiveTable, SparkHiveTable, SparkIcebergTable, spark_base_tables
from hive_views.spark.job import publish_all
from hive_views.spark.lineage import openlineage_events
from hive_views.spark.local_session import local_session
from hive_views.spark.publish_with_spark import publish
from hive_views.spark.query_inputs import Inputs, InputTable, inputs_of
from hive_views.spark.query_schema import schema_of
from hive_views.spark.read_published import read_published, read_version
from hive_views.spark.recording import PublishedPartition
from hive_views.spark.spark_sql import sql
from hive_views.spark.strict import check_strict

__all__ = [
    "InputTable",
    "Inputs",
    "ListedHiveTable",
    "PartitionAnalysis",
    "PublishedPartition",
    "SparkHiveTable",
    "SparkIcebergTable",
    "analyze",
    "check_strict",
    "inputs_of",
    "local_session",
    "openlineage_events",
    "publish",
    "publish_all",
    "read_published",
    "read_version",
    "schema_of",
    "spark_base_tables",
    "sql",
]
