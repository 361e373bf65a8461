"""Views that name the columns behind a star: Hive and Spark give the names to the columns as in views of their own.

What lives here: both engines as judges, and the ways that go through Spark. What must not: the queries
(tests/star_queries.py), the other ways, which get the same texts (tests/unit/statements).
"""

from __future__ import annotations

import json
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
from tests.star_queries import CASES, QUERIES, TABLES, create_tables, row_texts

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
def test_hive_2_gives_the_names_to_the_columns_as_in_its_own_view(
    java: Path, memory: ViewCatalog, namespace: str, tmp_path: Path
) -> None:
    try:
        with hive_2(java, tmp_path) as hive:
            hive.rows(f"CREATE DATABASE {namespace}")
            hive.rows(f"USE {namespace}")
            for statement in TABLES:
                hive.rows(statement.format(""))
            for (query, names), text in zip(CASES, row_texts(memory, namespace), strict=True):
                hive.rows(f"CREATE OR REPLACE VIEW ours AS {text}")
                hive.rows(f"CREATE OR REPLACE VIEW own ({', '.join(names)}) AS {query}")
                assert hive.rows("DESCRIBE ours") == hive.rows("DESCRIBE own"), text
    except subprocess.SubprocessError as error:
        pytest.skip(f"Hive's jars cannot be fetched: {error}")


def test_spark_reads_the_rows_of_its_own_view_whichever_way_the_view_came(
    spark: Any, hms: HiveMetastore, memory: ViewCatalog, namespace: str, tmp_path: Path
) -> None:
    session, catalog = spark.newSession(), ViewCatalog(hms, warehouse=str(tmp_path / "views"))
    session.sql(f"USE {namespace}")
    for statement in TABLES:
        session.sql(statement.format(f"{namespace}."))
    session.sql("INSERT INTO t VALUES (1, 'one')")
    session.sql("INSERT INTO u VALUES (1, 1.5)")
    session.sql("INSERT INTO p VALUES (1, 'one')")
    texts: dict[str, str] = {}
    for place, (query, names) in enumerate(CASES):
        session.sql(f"CREATE VIEW own{place} ({', '.join(names)}) AS {query}")
        texts[f"{place} own"] = f"SELECT * FROM own{place}"
    texts |= {f"{place} stated": text for place, text in enumerate(row_texts(memory, namespace))}
    for place in (CASES.index(one) for one in CASES if one[0].count("*") == 1 or "UNION" in one[0]):
        query, names = CASES[place]
        dialect = ("hive", "spark")[place % 2]
        # The engine's columns, and the rows of a metastore that costs nothing.
        statement = f"CREATE OR REPLACE VIEW w{place} ({', '.join(names)}) AS {query}"
        hive_views.spark.sql(session, memory, statement, dialect=dialect)
        texts[f"{place} by Spark"] = _text(memory, namespace, f"w{place}")
    for place in range(0, len(CASES), 5):
        catalog.adopt_view(f"{namespace}.own{place}")
        catalog.alter_view(f"{namespace}.own{place}", sql={"hive": CASES[place][0]})
        texts[f"{place} adopted"] = _text(catalog, namespace, f"own{place}")
    each = [
        f"SELECT '{way}' AS way, (SELECT first(to_json(struct(*))) FROM ({text}) q) AS r" for way, text in texts.items()
    ]
    read = {way: json.loads(found) for way, found in session.sql(" UNION ALL ".join(each)).collect()}
    values = {"a": 1, "b": "one", "c": 1, "d": 1.5, "n": True}
    for way, row in read.items():
        query, names = CASES[int(way.split()[0])]
        wanted = dict(zip(names, (values[one] for one in QUERIES[query].split()), strict=True))
        assert row == wanted, (way, query, texts[way])


def _text(catalog: ViewCatalog, namespace: str, name: str) -> str:
    return catalog.metastore.load_row(TableIdentifier(namespace, name)).expanded_text or ""
