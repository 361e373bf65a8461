"""Views that name the columns behind a star: Hive and Spark give the names to the columns as in views of their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import hive_views.spark
from hive_views import TableIdentifier, ViewCatalog
from hive_views.metastore.memory import MemoryMetastore
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.sql.expand import expand
from hive_views.sql.query import QueryText
from hive_views.storage.metadata_files import MetadataStorage
from tests.support.java.hive_2 import Hive2
from tests.support.texts.star_queries import (
    READ,
    check_rows,
    create_tables,
    make_own_views,
    make_tables,
    readings,
    row_texts,
)

# PySpark leaves the socket of every collect() to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")


@pytest.fixture
def memory(tmp_path: Path, namespace: str) -> ViewCatalog:
    metastore = MemoryMetastore()
    metastore.create_namespace(namespace)
    catalog = ViewCatalog(metastore, MetadataStorage(), warehouse=str(tmp_path / "memory"))
    create_tables(catalog, namespace)
    return catalog


SORTED = {
    "SELECT cast(b AS int) FROM s ORDER BY b": "x",
    "SELECT cast(b AS int) FROM s UNION ALL SELECT a FROM s ORDER BY b": "x",
    "SELECT cast(b AS int), a FROM s SORT BY b, a": "x y",
    "SELECT b, a FROM s ORDER BY a": "a b",
    "SELECT -a AS a FROM s ORDER BY a": "x",
    "SELECT -a AS b, count(*) AS n FROM s GROUP BY a HAVING a > 0 ORDER BY b": "n b",
}
"""Queries that are sorted by what has one name in the table and another in the view, with the view's names."""


def _sorted_texts(namespace: str) -> Iterator[tuple[str, str]]:
    """By query, the statement that makes an engine's own view, and the text that a row gets."""
    for query, names in SORTED.items():
        text = expand(QueryText(query, "hive"), columns=names.split(), namespace=namespace, view_name="v")
        yield f"CREATE VIEW own ({', '.join(names.split())}) AS {query}", f"SELECT * FROM ({text}) v"


def _make_numbers(directory: Path) -> Iterator[str]:
    """As numbers and as texts they are sorted otherwise."""
    file = directory / "numbers.csv"
    file.write_text("3,9\n20,10\n1,50\n100,7\n-7,100\n")
    yield "CREATE TABLE s (a int, b string) ROW FORMAT DELIMITED FIELDS TERMINATED BY ',' STORED AS TEXTFILE"
    yield f"LOAD DATA LOCAL INPATH '{file}' INTO TABLE s"


@pytest.mark.peer("java")
def test_hive_2_reads_the_rows_of_its_own_view(
    hive_2: Hive2, memory: ViewCatalog, namespace: str, tmp_path: Path
) -> None:
    for statement in (f"CREATE DATABASE {namespace}", f"USE {namespace}", *make_tables(tmp_path)):
        hive_2.rows(statement)
    for statement in make_own_views():
        hive_2.rows(statement)
    check_rows(hive_2.rows(" UNION ALL ".join(readings(row_texts(memory, namespace)))))
    for statement in _make_numbers(tmp_path):
        hive_2.rows(statement)
    for statement, text in _sorted_texts(namespace):
        hive_2.rows(statement)
        assert hive_2.rows(text) == hive_2.rows("SELECT * FROM own"), text
        hive_2.rows("DROP VIEW own")


def test_spark_sorts_as_in_its_own_view(spark: Any, namespace: str, tmp_path: Path) -> None:
    session = spark.newSession()
    for statement in (f"USE {namespace}", *_make_numbers(tmp_path)):
        session.sql(statement)
    for statement, text in _sorted_texts(namespace):
        session.sql(statement)
        assert session.sql(text).collect() == session.sql("SELECT * FROM own").collect(), text
        session.sql("DROP VIEW own")


@pytest.mark.pinned
def test_spark_reads_the_rows_of_its_own_view_whichever_way_the_view_came(
    spark: Any, hms: HiveMetastore, memory: ViewCatalog, namespace: str, tmp_path: Path
) -> None:
    session, catalog = spark.newSession(), ViewCatalog(hms, warehouse=str(tmp_path / "views"))
    for statement in (f"USE {namespace}", *make_tables(tmp_path), *make_own_views()):
        session.sql(statement)
    texts = row_texts(memory, namespace)
    check_rows(session.sql(" UNION ALL ".join(readings(texts))).collect())
    for place, (query, names) in enumerate(READ):
        # The engine's columns, and the rows of a metastore that costs nothing.
        statement = f"CREATE VIEW w{place} ({', '.join(names)}) AS {query}"
        hive_views.spark.sql(session, memory, statement, dialect=("hive", "spark")[place % 3 // 2])
        assert _text(memory, namespace, f"w{place}").replace("`w", "`v") == texts[place]
    for place in range(0, len(READ), 5):
        catalog.adopt_view(f"{namespace}.own{place}")
        catalog.alter_view(f"{namespace}.own{place}", sql={"hive": READ[place][0]})
        assert _text(catalog, namespace, f"own{place}").replace("`own", "`v") == texts[place]


def _text(catalog: ViewCatalog, namespace: str, name: str) -> str:
    return catalog.metastore.load_row(TableIdentifier(namespace, name)).expanded_text or ""
