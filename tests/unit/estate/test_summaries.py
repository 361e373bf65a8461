"""What there is: a line for each view, whatever it is, in few calls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from hive_views.errors import (
    CorruptMetadataError,
    InvalidInputError,
    NoSuchIcebergViewError,
    NoSuchNamespaceError,
    NoSuchViewError,
)
from hive_views.estate.describe import ViewSummary, describe_views, sorted_by, view_rows
from hive_views.estate.html_report.page import report
from hive_views.hive.row import DDL_TIME, POINTER
from hive_views.metastore.memory import MemoryMetastore
from hive_views.views.catalog import ViewCatalog
from tests.support.views.catalog_setup import plain_view_row, table_row
from tests.support.views.foreign_writers import spark_create_or_replace
from tests.support.views.quick_catalog import NAME, catalog_on

FIRST_MS = 1_785_585_600_000


@pytest.fixture
def calls() -> list[str]:
    return []


@pytest.fixture
def catalog(tmp_path: Path, calls: list[str]) -> ViewCatalog:
    """Views of ours in two namespaces, one of them partitioned; a plain view and a table; an empty namespace."""
    clock: Iterator[int] = count(FIRST_MS, 1_000)
    metastore = MemoryMetastore(on_call=calls.append)
    catalog = catalog_on(metastore, warehouse=str(tmp_path), clock_ms=lambda: next(clock), owner="ada")
    for namespace in ("web", "empty"):
        catalog.create_namespace(namespace)
    columns = [("a", "int"), ("ds", "string")]
    catalog.create_view(
        "sales.daily", sql={"hive": "SELECT a, ds FROM t"}, schema=columns, partitioned_on=["ds"], comment="By day"
    )
    catalog.create_view("web.clicks", sql={"spark": "SELECT 1 AS a", "trino": "SELECT 1 AS a"}, schema=[("a", "int")])
    catalog.partitions("sales.daily").add([{"ds": "2026-08-21"}, {"ds": "2026-08-22"}])
    metastore.create_row(plain_view_row("sales", "old"))
    metastore.create_row(table_row("sales", "table"))
    calls.clear()
    return catalog


def described(catalog: ViewCatalog, *patterns: str) -> dict[str, ViewSummary]:
    return {str(one.identifier): one for one in describe_views(catalog, *patterns)}


def test_a_view_is_described_by_its_file(catalog: ViewCatalog) -> None:
    view = catalog.load_view("sales.daily")
    assert described(catalog)["sales.daily"] == ViewSummary(
        identifier=view.identifier,
        kind="managed",
        columns=2,
        partitions=2,
        changed_ms=view.history[-1].timestamp_ms,
        engine=f"hive_views {view.current_version.summary['engine-version']}",
        owner="ada",
        dialects=("hive",),
        comment="By day",
        version_id=1,
    )


def test_a_plain_view_is_listed_as_what_it_is(catalog: ViewCatalog) -> None:
    row = spark_create_or_replace(plain_view_row("web", "by_spark"), "SELECT 1 AS a")
    catalog.metastore.create_row(replace(row, parameters={**row.parameters, "transient_lastDdlTime": "1785585600"}))
    found = described(catalog)
    assert list(found) == ["sales.daily", "sales.old", "web.by_spark", "web.clicks"], "no table"
    assert (found["sales.old"].kind, found["sales.old"].dialects, found["sales.old"].version_id) == (
        "plain",
        ("hive",),
        None,
    )
    by_spark = found["web.by_spark"]
    assert (by_spark.kind, by_spark.engine, by_spark.dialects) == ("plain", "Spark 4.1.4", ("spark",))
    assert by_spark.changed_ms == FIRST_MS


@pytest.mark.parametrize("said", ["x", "²", "9" * 5000, "-1", ""])
def test_a_time_of_a_row_that_is_none_ends_no_list_report_or_commit(said: str) -> None:
    metastore = MemoryMetastore()
    catalog = catalog_on(metastore)
    catalog.create_view("sales.daily", sql={"hive": "SELECT 1 AS id"}, schema=[("id", "int")])
    plain = plain_view_row("sales", "plain")
    metastore.create_row(replace(plain, parameters={**plain.parameters, DDL_TIME: said}))
    ours = metastore.load_row(NAME)
    metastore.swap_row(replace(ours, parameters={**ours.parameters, DDL_TIME: said}), expected=ours.parameters[POINTER])
    assert len(list(describe_views(catalog))) == 2
    assert "sales.plain" in report(catalog).html
    assert catalog.alter_view(NAME, set_properties={"a": "b"}).properties["a"] == "b"


def test_a_row_that_lost_its_pointer_is_neither(catalog: ViewCatalog) -> None:
    row = catalog.metastore.load_row(catalog.load_view("web.clicks").identifier)
    parameters = {key: value for key, value in row.parameters.items() if key != POINTER}
    catalog.metastore.swap_row(replace(row, parameters=parameters), expected=None)
    assert described(catalog, "web.*")["web.clicks"].kind == "lost"


def test_a_view_whose_file_is_gone_is_described_by_its_row_and_the_others_are_listed(catalog: ViewCatalog) -> None:
    catalog.storage.delete(catalog.load_view("sales.daily").metadata_location)
    found = described(catalog)
    assert list(found) == ["sales.daily", "sales.old", "web.clicks"]
    broken = found["sales.daily"]
    assert isinstance(broken.error, CorruptMetadataError)
    assert (broken.columns, broken.partitions, broken.version_id, broken.owner) == (2, 2, None, "ada")
    assert found["web.clicks"].error is None


def test_all_are_read_in_few_calls(catalog: ViewCatalog, calls: list[str]) -> None:
    for number in range(150):
        catalog.create_view(f"web.v{number}", sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")])
    calls.clear()
    assert len(describe_views(catalog)) == 153
    assert calls.count("load_rows") == 3
    assert calls.count("partition_names") == 1
    assert calls.count("load_row") == 0
    calls.clear()
    assert described(catalog, "sales.*")["sales.daily"].partitions == 2
    assert describe_views(catalog, "sales.*", count_partitions=False)[0].partitions is None
    assert calls.count("partition_names") == 1


def test_a_namespace_without_views_gives_none_and_one_that_is_missing_is_refused(catalog: ViewCatalog) -> None:
    assert describe_views(catalog, "empty.*") == ()
    with pytest.raises(NoSuchNamespaceError, match="Did you mean 'sales'"):
        describe_views(catalog, "slaes.*")
    with pytest.raises(NoSuchViewError, match=r"Did you mean 'sales\.daily'"):
        describe_views(catalog, "sales.dayly")
    with pytest.raises(NoSuchIcebergViewError, match="is a table"):
        describe_views(catalog, "sales.table")


def test_names_and_patterns_are_listed_once(catalog: ViewCatalog) -> None:
    assert list(described(catalog, "*.clicks", "sales.old", "web.*")) == ["sales.old", "web.clicks"]
    assert [str(row.identifier) for row in view_rows(catalog)] == ["sales.daily", "sales.old", "web.clicks"]


@pytest.mark.parametrize(
    ("key", "first"),
    [("name", "sales.daily"), ("partitions", "sales.daily"), ("changed", "sales.old"), ("kind", "sales.daily")],
)
def test_views_are_sorted_as_asked(catalog: ViewCatalog, key: str, first: str) -> None:
    summaries = sorted_by(describe_views(catalog), key)  # type: ignore[arg-type]
    assert str(summaries[0].identifier) == first
    assert sorted_by(summaries, key, reverse=True) == summaries[::-1]  # type: ignore[arg-type]


def test_what_cannot_be_sorted_by_is_refused(catalog: ViewCatalog) -> None:
    with pytest.raises(InvalidInputError, match="one of name"):
        sorted_by(describe_views(catalog), "size")  # type: ignore[arg-type]


def test_a_notebook_shows_a_table(catalog: ViewCatalog) -> None:
    shown = describe_views(catalog)._repr_html_()
    assert "3 views" in shown
    assert "sales.old" in shown
