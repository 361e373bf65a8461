"""Everything that needs PySpark, which is imported here only, and only when something is called.

    sessions/               a local session, and one of our own beside a user's
    analyser/               what Spark knows of a query: columns, plans, inputs
    base_tables/            base tables listed by Spark
    publishing/             publish with a session at hand, or as a Spark job
    read_published.py       DataFrames of published partitions, and of older versions
    partition_analysis.py   row counts and aggregates of partitions, kept with them
    spark_sql.py            statements about views, and everything else by Spark

Spark Connect sessions support ``schema_of``, ``sql``, ``analyze``, ``read_published``, ``revalidate``,
``plan_republish``, ``spark_base_tables`` (of Hive tables it lists only partitions), and ``publish_all`` of publications
that are neither strict nor record their reads; the rest reads Spark's plans and refuses a Connect session with an error
that says so.
"""

from hive_views.spark.analyser.query_inputs import Inputs, InputTable, inputs_of
from hive_views.spark.analyser.query_schema import schema_of
from hive_views.spark.base_tables import ListedHiveTable, SparkHiveTable, SparkIcebergTable, spark_base_tables
from hive_views.spark.partition_analysis import PartitionAnalysis, analyze
from hive_views.spark.publishing.job import publish_all
from hive_views.spark.publishing.lineage_events import openlineage_events
from hive_views.spark.publishing.publish_with_spark import publish
from hive_views.spark.publishing.recording import PublishedPartition
from hive_views.spark.publishing.revalidate_with_spark import plan_republish, revalidate
from hive_views.spark.publishing.strict import check_strict
from hive_views.spark.read_published import read_published, read_version
from hive_views.spark.sessions.local_session import local_session
from hive_views.spark.spark_sql import sql

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
    "plan_republish",
    "publish",
    "publish_all",
    "read_published",
    "read_version",
    "revalidate",
    "schema_of",
    "spark_base_tables",
    "sql",
]
