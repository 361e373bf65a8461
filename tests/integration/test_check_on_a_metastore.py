"""A check of views on a real metastore, with a real Spark where one is asked."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import AnalysisException

from hive_views import ViewCatalog
from hive_views.estate import check, fix
from hive_views.estate.each.outcomes import State
from hive_views.hive.row import POINTER, Column, Row
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.spark.analyser.query_schema import columns_of
from hive_views.spec.identifiers import TableIdentifier
from tests.support.views import foreign_writers

# PySpark leaves the socket of every collect() and first() to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")

COLUMNS = [("user_id", "bigint"), ("ds", "string")]


@pytest.fixture
def catalog(hms: HiveMetastore, tmp_path: Path) -> ViewCatalog:
    return ViewCatalog(hms, warehouse=f"file://{tmp_path}/views")


def create(catalog: ViewCatalog, name: str, text: str) -> Row:
    catalog.create_view(name, sql={"hive": text}, schema=COLUMNS, partitioned_on=["ds"])
    return catalog.metastore.load_row(TableIdentifier.of(name))


def test_what_others_did_to_rows_is_found_and_repaired(catalog: ViewCatalog, namespace: str) -> None:
    text = "SELECT 1L AS user_id, 'a' AS ds"
    rows = {name: create(catalog, f"{namespace}.{name}", text) for name in ("good", "located", "lost", "drifted")}
    catalog.metastore.swap_row(replace(rows["located"], location=f"{catalog.warehouse}/somewhere"), expected=None)
    pointless = {key: value for key, value in rows["lost"].parameters.items() if key != POINTER}
    catalog.metastore.swap_row(replace(rows["lost"], parameters=pointless), expected=None, parameter="uuid")
    drifted = foreign_writers.hive_create_or_replace(rows["drifted"], "SELECT 2L AS user_id, 'b' AS ds")
    catalog.metastore.swap_row(drifted, expected=None)

    report = check(catalog, f"{namespace}.*")
    found = {(one.view.partition(".")[2], one.code) for one in report.findings}
    assert found == {("located", "location-set"), ("lost", "lost-pointer"), ("drifted", "drifted")}

    outcomes = fix(catalog, report, "location-set", "lost-pointer")
    assert Counter(one.state for one in outcomes) == {State.DONE: 2}
    assert check(catalog, f"{namespace}.*").counts == {"drifted": 1}


@pytest.mark.spark
@pytest.mark.pinned
def test_spark_says_what_the_metastore_does_not(catalog: ViewCatalog, namespace: str, spark: Any) -> None:
    spark.sql(f"CREATE TABLE {namespace}.t (user_id int, ds string) STORED AS PARQUET")
    create(catalog, f"{namespace}.sum", f"SELECT try_add(user_id, 0) AS user_id, ds FROM {namespace}.t")
    report = check(catalog, f"{namespace}.sum")
    assert report.findings == ()
    assert [one.about for one in report.not_known] == ["types"]

    engine = partial(columns_of, spark)
    report = check(catalog, f"{namespace}.sum", columns_of=engine)
    assert (report.findings, report.not_known) == ((), ())
    spark.sql(f"DROP TABLE {namespace}.t")
    spark.sql(f"CREATE TABLE {namespace}.t (user_id decimal(30,0), ds string) STORED AS PARQUET")
    assert check(catalog, f"{namespace}.sum", columns_of=engine).counts == {"column-type-changed": 1}
    spark.sql(f"DROP TABLE {namespace}.t")
    spark.sql(f"CREATE TABLE {namespace}.t (member_id int, ds string) STORED AS PARQUET")
    assert check(catalog, f"{namespace}.sum", columns_of=engine).counts == {"column-gone": 1}


TEXTS = {
    "SELECT gone AS gone FROM {t}": False,
    "SELECT gone AS a, page AS gone FROM {t}": False,
    "SELECT page AS b, concat(b, 'x') AS a FROM {t}": True,
    "SELECT page AS a FROM {t} WHERE page IN (SELECT gone FROM {t})": False,
    "SELECT page AS a FROM {t} c WHERE EXISTS (SELECT 1 FROM {t} d WHERE d.page = c.ds AND ds = 'x')": True,
    "SELECT page AS a, (SELECT max(d.gone) FROM {t} d) AS b FROM {t}": False,
}


@pytest.mark.spark
@pytest.mark.pinned
def test_a_column_is_gone_where_spark_finds_none(catalog: ViewCatalog, namespace: str, spark: Any) -> None:
    spark.sql(f"CREATE TABLE {namespace}.t (page string, ds string) STORED AS PARQUET")
    for number, (text, is_there) in enumerate(TEXTS.items()):
        sql = text.format(t=f"{namespace}.t")
        row = Row(
            TableIdentifier(namespace, f"v{number}"),
            "VIRTUAL_VIEW",
            "ada",
            columns=(Column("a", "string"),),
            original_text=sql,
            expanded_text=sql,
            parameters={"spark.sql.create.version": "4.1.0"},
        )
        catalog.metastore.create_row(row)
        try:
            spark.sql(sql)
            found = True
        except AnalysisException:
            found = False
        of_check = not check(catalog, str(row.identifier)).of("column-gone")
        assert (text, found, of_check) == (text, is_there, is_there)


@pytest.mark.spark
@pytest.mark.pinned
def test_a_type_that_hive_does_not_have_leaves_the_other_columns_to_spark(
    catalog: ViewCatalog, namespace: str, spark: Any
) -> None:
    name = f"{namespace}.v"
    text = "SELECT 'a' AS a, named_struct('x', current_date() - date'2026-01-01') AS i"
    catalog.create_view(name, sql={"hive": text}, schema=[("a", "int"), ("i", "string")])
    report = check(catalog, name, columns_of=partial(columns_of, spark, any_type=True))
    assert [one.details["column"] for one in report.of("column-type-changed")] == ["a"]
