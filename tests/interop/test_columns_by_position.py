"""Views that name the columns behind a star: Hive and Spark give the names to the columns as in views of their own.

What lives here: both engines as judges, and the ways that go through Spark. What must not: the queries
(tests/star_queries.py), the other ways, which get the same texts (tests/unit/statements).
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

import hive_views.spark
from hive_views import TableIdentifier, ViewCatalog
from hive_views.metastore.memory import MemoryMetastore
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.storage.metadata_files import MetadataStorage
from tests.interop.hive_2 import hive_2
from tests.star_queries import CASES, check_rows, create_tables, make_own_views, make_tables, readings, row_texts

# PySpark leaves the socket of every collect() to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")


@pytest.fixture
def memory(tmp_path: Path, namespace: str) -> ViewCatalog:
    metastore = MemoryMetastore()
    metastore.create_namespace(namespace)
    catalog = ViewCatalog(metastore, MetadataStorage(), warehouse=str(tmp_path / "memory"))
    create_tables(catalog, namespace)
    return catalog


@pytest.mark.peer("java")
def test_hive_2_reads_the_rows_of_its_own_view(java: Path, memory: ViewCatalog, namespace: str, tmp_path: Path) -> None:
    try:
        with hive_2(java, tmp_path) as hive:
            for statement in (f"CREATE DATABASE {namespace}", f"USE {namespace}", *make_tables(tmp_path)):
                hive.rows(statement)
            for statement in make_own_views():
                hive.rows(statement)
            check_rows(hive.rows(" UNION ALL ".join(readings(row_texts(memory, namespace)))))
    except subprocess.SubprocessError as error:
        pytest.skip(f"Hive's jars cannot be fetched: {error}")


def test_spark_reads_the_rows_of_its_own_view_whichever_way_the_view_came(
    spark: Any, hms: HiveMetastore, memory: ViewCatalog, namespace: str, tmp_path: Path
) -> None:
    session, catalog = spark.newSession(), ViewCatalog(hms, warehouse=str(tmp_path / "views"))
    for statement in (f"USE {namespace}", *make_tables(tmp_path), *make_own_views()):
        session.sql(statement)
    texts = row_texts(memory, namespace)
    check_rows(session.sql(" UNION ALL ".join(readings(texts))).collect())
    for place, (query, names) in enumerate(CASES):
        # The engine's columns, and the rows of a metastore that costs nothing.
        statement = f"CREATE VIEW w{place} ({', '.join(names)}) AS {query}"
        hive_views.spark.sql(session, memory, statement, dialect=("hive", "spark")[place % 3 // 2])
        assert _text(memory, namespace, f"w{place}").replace("`w", "`v") == texts[place]
    for place in range(0, len(CASES), 5):
        catalog.adopt_view(f"{namespace}.own{place}")
        catalog.alter_view(f"{namespace}.own{place}", sql={"hive": CASES[place][0]})
        assert _text(catalog, namespace, f"own{place}").replace("`own", "`v") == texts[place]


def _text(catalog: ViewCatalog, namespace: str, name: str) -> str:
    return catalog.metastore.load_row(TableIdentifier(namespace, name)).expanded_text or ""
