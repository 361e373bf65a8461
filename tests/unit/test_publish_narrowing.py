"""When a listing of a Hive table is narrowed to what few candidates need, and that the plan is then the same."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hive_views import ViewCatalog
from hive_views.base_tables.detect import open_base_table
from hive_views.base_tables.hive import HiveBaseTable
from hive_views.hive.row import Column, Partition
from hive_views.metastore.memory import MemoryMetastore
from hive_views.publishing.narrowing import prefixes_of
from hive_views.publishing.rules import Rule, any_of, column, committed_with, requires, values_of
from hive_views.publishing.run import plan_publish
from tests.contract.hive_setup import table_row

DS, HR = Column("ds", "string"), Column("hr", "string")
DAYS = [("2026-08-21",), ("2026-08-22",)]


def table(*keys: Column) -> HiveBaseTable:
    metastore = MemoryMetastore()
    row = table_row("default", keys, "memory://t")
    metastore.create_row(row)
    opened = open_base_table(metastore, str(row.identifier))
    assert isinstance(opened, HiveBaseTable)
    return opened


def narrowed(rule: Rule, base: Sequence[Column] = (DS, HR), keys: Sequence[Column] = (DS,), days: int = 2) -> object:
    candidates = [DAYS[number % 2] if number < 2 else (f"2026-09-{number}",) for number in range(days)]
    return prefixes_of(table(*base), "web.t", rule, keys, candidates)


@pytest.mark.parametrize(
    "rule",
    [
        requires("web.t", ds=column("ds")),
        requires("web.t", ds=column("ds"), hr=range(24)) & requires("web.other"),
        any_of(requires("web.t", ds=column("ds")), requires("web.t", ds=column("ds"), hr="00")),
        requires("web.t", ds=column("ds")) & requires("web.other", hr=values_of("web.third", "hr")),
    ],
)
def test_a_text_that_must_be_there_as_it_is_is_looked_for_by_the_server(rule: Rule) -> None:
    assert narrowed(rule) == [{"ds": "2026-08-21"}, {"ds": "2026-08-22"}]


@pytest.mark.parametrize(
    "rule",
    [
        requires("web.t"),
        requires("web.t", hr=column("ds")),
        requires("web.t", ds="2026-08-21"),
        requires("web.t", ds=column("ds").formatted("yyyyMMdd")),
        requires("web.t", ds=column("ds")) & requires("web.t", hr="00"),
        requires("web.t", ds=column("ds")) & requires("web.other", ds=values_of("web.t", "ds")),
        requires("web.t", ds=column("ds")) & committed_with("web.t", {"ds": column("ds")}),
    ],
)
def test_a_rule_that_asks_for_more_needs_all_partitions(rule: Rule) -> None:
    assert narrowed(rule) is None


@pytest.mark.parametrize(
    ("base", "keys"),
    [
        ((Column("ds", "date"),), (DS,)),
        ((DS,), (Column("ds", "date"),)),
        ((Column("ds", "int"),), (DS,)),
        ((), (DS,)),
        ((Column("ds", "char(12)"),), (DS,)),
        ((DS,), (Column("ds", "char(12)"),)),
    ],
)
def test_what_is_not_compared_as_text_needs_all_partitions(base: Sequence[Column], keys: Sequence[Column]) -> None:
    assert narrowed(requires("web.t", ds=column("ds")), base, keys) is None


@pytest.mark.parametrize(("days", "is_narrowed"), [(0, False), (24, True), (25, False)])
def test_more_calls_than_a_listing_of_all_is_worth_are_not_made(days: int, is_narrowed: bool) -> None:
    assert (narrowed(requires("web.t", ds=column("ds")), days=days) is not None) == is_narrowed


def test_a_plan_for_given_candidates_is_the_same_and_lists_only_what_they_need() -> None:
    asked: list[str] = []

    class Watched(MemoryMetastore):
        def partition_names(self, identifier, prefix=None):  # type: ignore[no-untyped-def]
            asked.append(f"{identifier.name} {dict(prefix or {})}")
            return super().partition_names(identifier, prefix)

    metastore = Watched()
    row = table_row("default", (DS, HR), "memory://t")
    metastore.create_row(row)
    hours = [(day, f"{hour:02d}") for day in ("2026-08-20", "2026-08-21", "2026-08-22") for hour in range(24)]
    added = [Partition(values, has_descriptor=True) for values in hours if values != ("2026-08-22", "07")]
    metastore.add_partitions(row.identifier, added, if_not_exists=False)
    with ViewCatalog(metastore, warehouse="memory://views") as catalog:
        text = {"hive": f"SELECT 1 AS one, ds FROM {row.identifier}"}
        catalog.create_view("default.v", sql=text, schema=[("one", "int"), ("ds", "string")], partitioned_on=["ds"])
        rule = requires(str(row.identifier), ds=column("ds"), hr=range(24))
        asked.clear()
        plan = plan_publish(catalog, "default.v", rule, candidates=[{"ds": "2026-08-21"}, {"ds": "2026-08-22"}])
    assert list(plan.ready) == ["ds=2026-08-21"]
    assert plan.waiting == {"ds=2026-08-22": (f"{row.identifier}: hr 7 of ds=2026-08-22 is missing",)}
    name = row.identifier.name
    assert asked == [f"{name} {{'ds': '2026-08-21'}}", f"{name} {{'ds': '2026-08-22'}}", "v {}"]
