"""Spark's connectors for Iceberg and Delta, as a test session brings them: nothing is installed by hand."""

from __future__ import annotations

import fcntl
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hive_views.metastore.embedded.java import find_jars
from tests.support.containers.session import lock_directory

SPARK = "4.1"
"""The version of Spark that these connectors are for; they fail on later ones."""

ICEBERG_VERSION = "1.12.0"
DELTA_VERSION = "4.4.0"
ICEBERG = (("org.apache.iceberg", f"iceberg-spark-runtime-{SPARK}_2.13", ICEBERG_VERSION),)
DELTA = tuple(
    ("io.delta", name, DELTA_VERSION)
    for name in (
        f"delta-spark_{SPARK}_2.13",
        "delta-storage",
        "delta-kernel-api",
        "delta-kernel-defaults",
        "delta-kernel-unitycatalog",
    )
)
_SECONDS_TO_FETCH = 240
_MODULE = """\
    <dependency org="{0}" name="{1}" rev="{2}" transitive="false" conf="default->default">
      <artifact name="{1}" type="jar"{3}/>
    </dependency>
"""
_MODULES = """\
<ivy-module version="2.0" xmlns:m="http://ant.apache.org/ivy/extra">
  <info organisation="tests" module="connectors"/>
  <configurations><conf name="default"/></configurations>
  <dependencies>{}</dependencies>
</ivy-module>
"""


def fetch_jars(java: Path, scratch: Path, modules: Sequence[tuple[str, ...]]) -> list[Path]:
    """These modules without what they depend on, fetched by the Ivy among PySpark's jars and kept in the user's cache.

    Args:
        java: the program.
        scratch: a directory for files of Ivy's.
        modules: organisation, name and version of each, and the classifier where it has one (``tests``).

    Raises:
        subprocess.SubprocessError: one is not in the cache, and cannot be fetched.
    """
    wanted, found = scratch / "connectors.xml", scratch / "connectors.classpath"
    wanted.write_text(_MODULES.format("".join(map(_dependency, modules))))
    ivy = [java, "-cp", f"{find_jars()}/*", "org.apache.ivy.Main", "-warn", "-confs", "default"]
    # Ivy writes into its cache what it found, and reads it there.
    with (lock_directory() / "ivy").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run(
            [*ivy, "-ivy", wanted, "-cachepath", found],
            cwd=scratch,
            timeout=_SECONDS_TO_FETCH,
            capture_output=True,
            check=True,
        )
    return [Path(jar) for jar in found.read_text().strip().split(":")]


def _dependency(module: tuple[str, ...]) -> str:
    classifier = f' m:classifier="{module[3]}"' if len(module) > 3 else ""
    return _MODULE.format(*module[:3], classifier)


def session_with_connectors(spark: Any, uri: str) -> Any:
    """Another session of the same Spark, which has the jars, with Iceberg as its own catalog and Delta's tables.

    The session given stays as plain as it is: extensions and catalogs are the new one's.
    """
    from pyspark.sql import SparkSession

    jvm = spark._jvm
    jvm_session = jvm.org.apache.spark.sql.SparkSession
    builder = (
        jvm_session.builder()
        .withExtensions(jvm.io.delta.sql.DeltaSparkSessionExtension())
        .withExtensions(jvm.org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions())
    )
    for key, value in _settings(uri).items():
        builder.config(key, value)
    jvm_session.clearActiveSession()
    jvm_session.clearDefaultSession()
    try:
        session = builder.getOrCreate()
    finally:
        jvm_session.setDefaultSession(spark._jsparkSession)
        jvm_session.setActiveSession(spark._jsparkSession)
    return SparkSession(spark.sparkContext, session)


def _settings(uri: str) -> dict[str, str]:
    return {
        "spark.sql.catalogImplementation": "hive",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.session.timeZone": "UTC",
        "spark.databricks.delta.snapshotPartitions": "1",
        **iceberg_catalog("spark_catalog", "SparkSessionCatalog", uri),
        **iceberg_catalog("ice", "SparkCatalog", uri),
    }


def iceberg_catalog(name: str, kind: str, uri: str) -> dict[str, str]:
    """The settings of a catalog of Spark's that is Iceberg's on a metastore."""
    catalog = f"spark.sql.catalog.{name}"
    return {
        catalog: f"org.apache.iceberg.spark.{kind}",
        f"{catalog}.type": "hive",
        f"{catalog}.uri": uri,
        f"{catalog}.cache-enabled": "false",
        # The embedded metastore swaps; Iceberg's locks are of no use beside that.
        f"{catalog}.hadoop.iceberg.engine.hive.lock-enabled": "false",
    }
