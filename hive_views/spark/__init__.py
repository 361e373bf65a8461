"""Everything that needs PySpark: the schema of a query, statements in SQL beside Spark's own, and a local session.

What lives here: the only code that imports pyspark, and only when it is called. What must not: anything that works
without Spark.
"""

from hive_views.spark.schema import schema_of
from hive_views.spark.session import local_session
from hive_views.spark.statements import sql

__all__ = ["local_session", "schema_of", "sql"]
