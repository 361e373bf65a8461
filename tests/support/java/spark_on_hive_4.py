"""Spark's settings for a metastore of Hive 4, which the client that comes with it does not know how to ask."""

from __future__ import annotations

# For a run of some tests on another metastore than the embedded one, with Spark speaking to it as a Hive 4 does.
METASTORE_URI = "TESTS_METASTORE_URI"
HIVE_4_JARS = "TESTS_HIVE_4_JARS"


def with_hive_4(jars: str) -> dict[str, str]:
    """Spark's settings to use the client of Hive 4.0.1, whose jars are in this directory."""
    return {
        "spark.sql.hive.metastore.version": "4.0.1",
        "spark.sql.hive.metastore.jars": "path",
        "spark.sql.hive.metastore.jars.path": f"file://{jars}/*.jar",
    }
