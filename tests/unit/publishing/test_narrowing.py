"""When a listing of a Hive table is narrowed to what a run looks at, and that the plan is then the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hive_views import ViewCatalog
from hive_views.base_tables.hive import HiveBaseTable
from hive_views.base_tables.opening import open_base_table
from hive_views.errors import InvalidPartitionError
from hive_views.hive.partition_names import DEFAULT_PARTITION
from hive_views.hive.row import Column, Partition
from hive_views.hive.value_range import ValueRange
from hive_views.metastore.memory import MemoryMetastore
from hive_views.publishing.listings import base_table_states
from hive_views.publishing.listings.narrowing import part_enough
from hive_views.publishing.plan import Plan
from hive_views.publishing.publish import plan_publish
from hive_views.publishing.scope import Scope
from hive_views.readiness.rules import Rule, any_of, column, committed_with, requires, values_of
from hive_views.views.partitions.view_partitions import Spec
from tests.support.tables.hive_setup import table_row

DS, HR = Column("ds", "string"), Column("hr", "string")
DAYS = [("2026-08-21",), ("2026-08-22",)]
WITH_DAY = requires("web.t", ds=column("ds"), hr=range(24))

ASKS_FOR_MORE = [
    requires("web.t"),
    requires("web.t", hr=column("ds")),
    requires("web.t", ds="2026-08-21"),
    requires("web.t", ds=column("ds").formatted("yyyyMMdd")),
    requires("web.t", ds=column("ds")) & requires("web.t", hr="00"),
    requires("web.t", ds=column("ds")) & requires("web.other", ds=values_of("web.t", "ds")),
    requires("web.t", ds=column("ds")) & committed_with("web.t", {"ds": column("ds")}),
]


def table(*keys: Column) -> HiveBaseTable:
    metastore = MemoryMetastore()
    row = table_row("default", keys, "memory://t")
    metastore.create_row(row)
    opened = open_base_table(metastore, str(row.identifier))
    assert isinstance(opened, HiveBaseTable)
    return opened


def narrowed(rule: Rule, base: Sequence[Column] = (DS, HR), keys: Sequence[Column] = (DS,), days: int = 2) -> object:
    candidates = [DAYS[number % 2] if number < 2 else (f"2026-09-{number}",) for number in range(days)]
    specs = [dict(zip([key.name for key in keys], one, strict=False)) for one in candidates]
    return part_enough(table(*base), "web.t", rule, keys, Scope.of(specs, None, None))


def within(
    since: Spec | None = None,
    until: Spec | None = None,
    rule: Rule = WITH_DAY,
    base: Sequence[Column] = (DS, HR),
    keys: Sequence[Column] = (DS,),
) -> object:
    return part_enough(table(*base), "web.t", rule, keys, Scope(None, since, until))


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


@pytest.mark.parametrize("rule", ASKS_FOR_MORE)
def test_a_rule_that_asks_for_more_needs_all_partitions(rule: Rule) -> None:
    assert narrowed(rule) is None
    assert within({"ds": "2026-08-21"}, rule=rule) is None


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
    assert within({"ds": "2026-08-21"}, rule=requires("web.t", ds=column("ds")), base=base, keys=keys) is None


@pytest.mark.parametrize(("days", "is_narrowed"), [(0, False), (24, True), (25, False)])
def test_more_calls_than_a_listing_of_all_is_worth_are_not_made(days: int, is_narrowed: bool) -> None:
    assert (narrowed(requires("web.t", ds=column("ds")), days=days) is not None) == is_narrowed


class Watched(MemoryMetastore):
    """Notes how it was asked for names of tables."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[object] = []

    def partition_names(self, identifier, prefix=None):  # type: ignore[no-untyped-def]
        self.asked.append(f"{identifier.name} {dict(prefix or {})}")
        return super().partition_names(identifier, prefix)

    def partition_names_within(self, identifier, keys, texts):  # type: ignore[no-untyped-def]
        self.asked.append(texts)
        return super().partition_names_within(identifier, keys, texts)


def test_a_plan_for_given_candidates_is_the_same_and_lists_only_what_they_need() -> None:
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
        metastore.asked.clear()
        plan = plan_publish(catalog, "default.v", rule, candidates=[{"ds": "2026-08-21"}, {"ds": "2026-08-22"}])
    assert list(plan.ready) == ["ds=2026-08-21"]
    assert plan.waiting == {"ds=2026-08-22": (f"{row.identifier}: hr 7 of ds=2026-08-22 is missing",)}
    name = row.identifier.name
    assert metastore.asked == [f"{name} {{'ds': '2026-08-21'}}", f"{name} {{'ds': '2026-08-22'}}", "v {}"]


@pytest.mark.parametrize(
    ("since", "until", "keys", "expected"),
    [
        ({"ds": "2026-08-21"}, None, [DS], ValueRange("2026-08-21", None)),
        (None, {"DS": "2026-08-22"}, [DS], ValueRange(None, "2026-08-22")),
        ({"hr": "7", "ds": "2026-08-21"}, {"ds": "2026-08-22"}, [DS, HR], ValueRange("2026-08-21", "2026-08-22")),
        ({"ds": "2026-08-21"}, {"hr": "7"}, [HR, DS], ValueRange("2026-08-21", None)),
        ({"ds": "2026-08-21", "hr": "7"}, None, [HR, DS], None),
        ({"hr": "7"}, None, [DS, HR], None),
        ({}, None, [DS], None),
        (None, None, [DS], None),
        ({"ds": "2026-08-21"}, None, [Column("ds", "varchar(12)")], None),
    ],
)
def test_the_first_column_that_a_bound_speaks_of_is_a_range_of_texts(
    since: Spec | None, until: Spec | None, keys: Sequence[Column], expected: ValueRange | None
) -> None:
    assert within(since, until, keys=keys) == expected


def test_a_table_that_two_columns_of_the_view_determine_has_no_range() -> None:
    either = requires("web.t", ds=column("ds")) | requires("web.t", ds=column("day"))
    assert within({"ds": "2026-08-21"}, rule=either, keys=[DS, Column("day", "string")]) is None


def test_a_bound_that_is_none_is_refused_as_ever() -> None:
    with pytest.raises(InvalidPartitionError, match="nope"):
        within({"nope": "2026-08-21"})


TEXTS = st.sampled_from(["2026-08-20", "2026-08-21", "2026-08-22", "2026_08_21", "2026-08-21 ", "", "a", "B", "é"])
HOURS = st.sampled_from(["0", "1", "00"])
BOUNDS = st.one_of(
    st.none(),
    st.fixed_dictionaries({"ds": TEXTS.filter(lambda text: text.strip(" ") == text != "")}, optional={"hr": HOURS}),
    st.fixed_dictionaries({"hr": HOURS}),
)


@settings(max_examples=50, deadline=None)
@given(
    partitions=st.lists(st.tuples(TEXTS, HOURS), max_size=12, unique=True),
    keys=st.sampled_from([["ds"], ["ds", "hr"], ["hr", "ds"]]),
    since=BOUNDS,
    until=BOUNDS,
    is_day_only=st.booleans(),
)
def test_a_plan_within_bounds_is_the_same_and_lists_only_the_range(
    partitions: list[tuple[str, str]], keys: list[str], since: Spec | None, until: Spec | None, is_day_only: bool
) -> None:
    metastore = Watched()
    row = table_row("default", (DS, HR), "memory://t")
    metastore.create_row(row)
    texts = [(day or DEFAULT_PARTITION, hour) for day, hour in partitions]
    metastore.add_partitions(
        row.identifier, [Partition(one, has_descriptor=True) for one in texts], if_not_exists=False
    )
    bounds = [{name: text for name, text in (bound or {}).items() if name in keys} for bound in (since, until)]
    hour = column("hr") if "hr" in keys else ["0", "1"]
    name = str(row.identifier)
    rule = (
        requires(name, ds=column("ds")) if is_day_only and keys == ["ds"] else requires(name, ds=column("ds"), hr=hour)
    )
    with ViewCatalog(metastore, warehouse="memory://views") as catalog:
        columns = [("one", "int"), *((key, "string") for key in keys)]
        text = {"hive": f"SELECT 1 AS one, {', '.join(keys)} FROM {name}"}
        catalog.create_view("default.v", sql=text, schema=columns, partitioned_on=keys)

        def planned(*, narrowed: bool) -> Plan:
            with pytest.MonkeyPatch.context() as patch:
                if not narrowed:
                    patch.setattr(base_table_states, "part_enough", lambda *_: None)
                plan = plan_publish(catalog, "default.v", rule, since=bounds[0], until=bounds[1])
            return replace(plan, tables={}, unnamed={})

        expected = planned(narrowed=False)
        metastore.asked.clear()
        assert planned(narrowed=True) == expected
        first = {next((key for key in keys if key in bound), None) for bound in bounds}
        assert any(isinstance(one, ValueRange) for one in metastore.asked) == ("ds" in first)
        metastore.asked.clear()
        plan_publish(catalog, "default.v", rule, since=bounds[0], until=bounds[1], retract=True)
        assert not any(isinstance(one, ValueRange) for one in metastore.asked), "to retract takes whole tables"
