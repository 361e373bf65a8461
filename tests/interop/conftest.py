"""Outsiders as judges. How they are started is here."""

from __future__ import annotations

import re
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from hive_views import View, ViewCatalog
from hive_views.metastore.thrift.hms import HiveMetastore
from tests.interop.clicks import BASE_ROWS, COLUMNS, DAYS, Ask, by_day
from tests.support.java.connectors import ICEBERG, fetch_jars
from tests.support.java.hive_2 import Hive2
from tests.support.java.hive_2 import hive_2 as started_hive_2
from tests.support.java.hive_java import hive_java
from tests.support.java.iceberg_java import Iceberg, started


class HiveCompiler:
    """What Hive 2.3.10 does with a constant in ADD PARTITION: parse, convert to the key's type, spell."""

    def __init__(self, jvm: Any) -> None:
        self._api = jvm.org.apache.hadoop.hive
        self._lists = jvm.java.util.ArrayList
        self._conf = self._api.conf.HiveConf()
        utils = self._api.serde2.typeinfo.TypeInfoUtils
        self._inspector = lambda type_: utils.getStandardJavaObjectInspectorFromTypeInfo(
            utils.getTypeInfoFromTypeString(type_)
        )
        self._converters: dict[str, Any] = {}

    def stores(self, literal: str, type_: str) -> str | None:
        """The value that ``ADD PARTITION (k=literal)`` stores for a key of this type; None when it is refused."""
        from py4j.protocol import Py4JJavaError

        table = self._api.ql.metadata.Table("sales", "v")
        keys = self._lists()
        keys.append(self._api.metastore.api.FieldSchema("k", type_, None))
        table.setPartCols(keys)
        tree = self._api.ql.parse.ParseDriver().parse(f"ALTER VIEW v ADD PARTITION (k={literal})")
        spec_node = _find(tree, "TOK_PARTSPEC")
        spec = self._api.ql.parse.DDLSemanticAnalyzer.getPartSpec(spec_node)
        try:
            self._api.ql.parse.BaseSemanticAnalyzer.validatePartSpec(table, spec, spec_node, self._conf, True)
        except Py4JJavaError as e:
            if not re.search("cannot be converted|Cannot convert|unsupported conversion", str(e)):
                raise
            return None
        return str(spec["k"])

    def converts(self, text: str, type_: str) -> str | None:
        """A string as this type, by Hive's converter alone; for types that survive the way through Python."""
        if type_ not in self._converters:
            self._converters[type_] = self._api.serde2.objectinspector.ObjectInspectorConverters.getConverter(
                self._inspector("string"), self._inspector(type_)
            )
        converted = self._converters[type_].convert(text)
        return None if converted is None else str(converted if isinstance(converted, int) else converted.toString())


def _find(node: Any, text: str) -> Any:
    if node.getText() == text:
        return node
    found = (_find(node.getChild(i), text) for i in range(node.getChildCount()))
    return next((child for child in found if child is not None), None)


@pytest.fixture(scope="session")
def hive_jvm(java: Path) -> Iterator[Any]:
    """A Java machine with the classes of Hive 2.3.10, without a server or a Spark session."""
    with hive_java(java) as jvm:
        yield jvm


@pytest.fixture(scope="session")
def hive_2(java: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hive2]:
    """A whole Hive 2.3.10; the test skips where it cannot be had. Each test has tables of its own."""
    with ExitStack() as stack:
        try:
            hive = stack.enter_context(started_hive_2(java, tmp_path_factory.mktemp("hive-2")))
        except subprocess.SubprocessError as error:
            pytest.skip(f"Hive's jars cannot be fetched: {error}")
        yield hive


@pytest.fixture(scope="session")
def hive_compiler(hive_jvm: Any) -> HiveCompiler:
    """The judge of partition values."""
    return HiveCompiler(hive_jvm)


@pytest.fixture(scope="session")
def iceberg_jar(java: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Iceberg's runtime for Spark; the test skips where it cannot be had."""
    try:
        [jar] = fetch_jars(java, tmp_path_factory.mktemp("iceberg-jar"), ICEBERG)
    except subprocess.SubprocessError as error:
        pytest.skip(f"Iceberg's jar for Spark cannot be fetched: {error}")
    return jar


@pytest.fixture(scope="session")
def iceberg(
    java: Path, iceberg_jar: Path, metastore_uri: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Iceberg]:
    """Iceberg Java on the embedded metastore."""
    with started(java, [iceberg_jar], metastore_uri, tmp_path_factory.mktemp("iceberg")) as iceberg:
        yield iceberg


@pytest.fixture(scope="session")
def web(spark: Any) -> str:
    """A database with the base table ``clicks``, which no test changes."""
    name = f"web_{uuid.uuid4().hex[:12]}"
    spark.sql(f"CREATE DATABASE {name}")
    spark.sql(f"CREATE TABLE {name}.clicks (user_id BIGINT, page STRING) PARTITIONED BY (ds STRING) STORED AS PARQUET")
    spark.sql(f"INSERT INTO {name}.clicks VALUES {BASE_ROWS}")
    return name


@pytest.fixture
def ask(spark: Any) -> Iterator[Ask]:
    """Ask Spark. Its current database is ``default`` before and after each test."""

    def rows(statement: str) -> list[tuple[Any, ...]]:
        return by_day(tuple(row) for row in spark.sql(statement).collect())

    spark.catalog.setCurrentDatabase("default")
    yield rows
    spark.catalog.setCurrentDatabase("default")


@pytest.fixture
def catalog(hms: HiveMetastore, tmp_path: Path) -> ViewCatalog:
    """A catalog whose views are in the test's own directory."""
    return ViewCatalog(hms, warehouse=str(tmp_path / "views"))


@pytest.fixture
def select(web: str) -> str:
    """The text of the view, the same in all dialects."""
    return f"SELECT user_id, count(*) AS clicks, ds FROM {web}.clicks GROUP BY user_id, ds"


@pytest.fixture
def view(catalog: ViewCatalog, namespace: str, select: str) -> View:
    """A view on ``web.clicks`` with two partitions."""
    made = catalog.create_view(
        f"{namespace}.daily",
        sql={"hive": select, "trino": select},
        schema=COLUMNS,
        partitioned_on=["ds"],
        comment="by day",
    )
    catalog.partitions(made.identifier).add(DAYS)
    return made


@pytest.fixture
def spark_view(catalog: ViewCatalog, namespace: str, web: str, select: str) -> View:
    """The same with a text for Spark, in which Iceberg's Spark finds the tables: by names of three parts."""
    three_parts = select.replace(web, f"spark_catalog.{web}")
    made = catalog.create_view(
        f"{namespace}.shared",
        sql={"spark": three_parts, "hive": select, "trino": select},
        schema=COLUMNS,
        partitioned_on=["ds"],
        comment="by day",
    )
    catalog.partitions(made.identifier).add(DAYS)
    return made
