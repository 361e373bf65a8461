"""Iceberg's Java code and a Spark that has it, in a Java of their own.

One Java serves all tests, driven over py4j without PySpark: a process can have one Spark of PySpark's, and that of the
other tests has no Iceberg.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from tests.support.java.connectors import ICEBERG_VERSION
from tests.support.java.other_java import other_java
from tests.support.java.small_queries import STAGE_BY_STAGE

# Spark reaches into these; started by its own scripts it would be given them.
_OPENED = ("lang", "lang.invoke", "lang.reflect", "io", "net", "nio", "util", "util.concurrent")

SWAP_ONLY = {"iceberg.engine.hive.lock-enabled": "false"}
"""The setting that makes Iceberg rely on the metastore's swap (HIVE-26882) instead of its locks."""
SWAP_ONCE = {**SWAP_ONLY, "hive.metastore.failure.retries": "0", "hive.metastore.client.socket.lifetime": "10ms"}
"""The same where answers are lost. By default Hive's client sends the swap again, and Iceberg takes the refusal of the
second for that of the first; without retries, a connection that broke is only replaced when it is old."""


def proves(operation: str, result: str) -> pytest.MarkDecorator:
    """The mark of a test that proves a line of the table of what engines do."""
    return pytest.mark.matrix(
        engine=f"Iceberg {ICEBERG_VERSION} on Spark 4.1.4", operation=operation, result=result, server="2.3.10 on Derby"
    )


class Iceberg:
    """Iceberg Java: its catalogs, and a Spark session with the catalogs ``ice`` (locks) and ``ice_swap`` (no locks)."""

    def __init__(self, jvm: Any, uri: str, warehouse: Path) -> None:
        self._jvm = jvm
        self._uri = uri
        self._warehouse = f"file:{warehouse}"

    @property
    def error(self) -> type[Exception]:
        """What is raised for every exception of Java's; its text has Java's."""
        from py4j.protocol import Py4JJavaError

        return Py4JJavaError

    def sql(self, statement: str) -> list[tuple[Any, ...]]:
        """Run a statement in Spark; the rows."""
        rows = self._spark.sql(statement).collectAsList()
        return [tuple(row.get(index) for index in range(row.size())) for row in rows]

    def json(self, query: str) -> list[str]:
        """Run a query in Spark; each row as JSON."""
        return list(self._spark.sql(query).toJSON().collectAsList())

    def add_catalog(self, name: str, *, kind: str = "SparkCatalog", **settings: str) -> None:
        """Give Spark's session one more catalog of Iceberg's, which reads its settings when it is first used."""
        catalog = f"spark.sql.catalog.{name}"
        configuration = self._spark.conf()
        configuration.set(catalog, f"org.apache.iceberg.spark.{kind}")
        for key, value in {"cache-enabled": "false", **settings}.items():
            configuration.set(f"{catalog}.{key}", value)

    def another_session(self) -> Iceberg:
        """The same Spark with another session, without the catalogs that were added to this one."""
        other = copy(self)
        other._spark = self._spark.newSession()
        return other

    def catalog(self, name: str = "ice", properties: Mapping[str, str] = MappingProxyType({}), **settings: str) -> Any:
        """A new ``org.apache.iceberg.hive.HiveCatalog``; ``settings`` are Hadoop's."""
        configuration = self._jvm.org.apache.hadoop.conf.Configuration()
        for key, value in settings.items():
            configuration.set(key, value)
        catalog = self._jvm.org.apache.iceberg.hive.HiveCatalog()
        catalog.setConf(configuration)
        catalog.initialize(name, {"uri": self._uri, "warehouse": self._warehouse, **properties})
        return catalog

    def rest_catalog(self, address: str, **properties: str) -> Any:
        """A new ``org.apache.iceberg.rest.RESTCatalog``, Iceberg's client of the server at an address."""
        catalog = self._jvm.org.apache.iceberg.rest.RESTCatalog()
        catalog.setConf(self._jvm.org.apache.hadoop.conf.Configuration())
        catalog.initialize("rest", {"uri": address, **properties})
        return catalog

    def metadata(self, name: Any) -> str:
        """A view's metadata as JSON, read from its file and written by Iceberg."""
        current = self.catalog().loadView(self.identifier(name)).operations().current()
        return str(self._jvm.org.apache.iceberg.view.ViewMetadataParser.toJson(current))

    def identifier(self, name: Any) -> Any:
        return self._jvm.org.apache.iceberg.catalog.TableIdentifier.parse(str(name))

    def namespace(self, name: str) -> Any:
        return self.identifier(f"{name}.x").namespace()

    def schema(self, columns: Sequence[tuple[str, str]]) -> Any:
        """A schema with field ids from 1, as programs write it."""
        types = self._jvm.org.apache.iceberg.types.Types
        fields = self._jvm.java.util.ArrayList()
        for number, (name, type_) in enumerate(columns, 1):
            fields.append(types.NestedField.optional(number, name, types.fromPrimitiveString(type_)))
        return self._jvm.org.apache.iceberg.Schema(fields)

    @cached_property
    def _spark(self) -> Any:
        builder = self._jvm.org.apache.spark.sql.SparkSession.builder().master("local[2]").appName("iceberg")
        for key, value in _spark_settings(self._uri, self._warehouse).items():
            builder.config(key, value)
        return builder.enableHiveSupport().getOrCreate()


def _spark_settings(uri: str, warehouse: str) -> Mapping[str, str]:
    settings = {
        "spark.hadoop.hive.metastore.uris": uri,
        "spark.sql.warehouse.dir": warehouse,
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        **STAGE_BY_STAGE,
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    }
    for name in ("ice", "ice_swap"):
        catalog = f"spark.sql.catalog.{name}"
        settings |= {
            catalog: "org.apache.iceberg.spark.SparkCatalog",
            f"{catalog}.type": "hive",
            f"{catalog}.uri": uri,
            f"{catalog}.cache-enabled": "false",
        }
    settings |= {f"spark.sql.catalog.ice_swap.hadoop.{key}": value for key, value in SWAP_ONLY.items()}
    return settings


@contextmanager
def started(java: Path, jars: Sequence[Path], uri: str, scratch: Path, *, spark_jars: bool = True) -> Iterator[Iceberg]:
    """Java with Iceberg's jars on the metastore at ``uri``; it ends with the block.

    Without Spark's, ``jars`` have a metastore's client and all that it needs: Spark's cannot ask Hive 4.
    """
    options = [f"--add-opens=java.base/java.{package}=ALL-UNNAMED" for package in _OPENED]
    options += ["--add-opens=java.base/sun.nio.ch=ALL-UNNAMED", "--add-opens=java.base/sun.util.calendar=ALL-UNNAMED"]
    options += ["-Xmx1g", f"-Djava.io.tmpdir={scratch}"]
    with (
        (scratch / "java.log").open("w") as log,
        other_java(java, options, jars, spark_jars=spark_jars, redirect_stdout=log, redirect_stderr=log) as jvm,
    ):
        yield Iceberg(jvm, uri, scratch / "warehouse")
