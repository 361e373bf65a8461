"""Plans: which candidates are looked at, what is left out, and how a plan is saved and printed."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive_views.base_tables.port import PartitionListing, Snapshot
from hive_views.errors import InvalidInputError, InvalidPartitionError
from hive_views.hive.row import Column
from hive_views.publishing.plan import Plan, TableFacts
from hive_views.readiness.rules import all_of, column, requires, when
from tests.support.tables import publishing_plans

DS, HR = Column("ds", "date"), Column("hr", "int")
ALWAYS = when(lambda _: True)
LISTED_AT_MS = publishing_plans.NOW_MS


def listing(
    table: str, keys: Sequence[Column], *values: tuple[str, ...], snapshot: str | None = None
) -> PartitionListing:
    return PartitionListing(table, "hive", tuple(keys), values, Snapshot(snapshot, "t") if snapshot else None)


# The views of this file have these keys, unless a test says others.
planned = partial(publishing_plans.planned, keys=(DS, HR))


HOURLY = requires("web.clicks", ds=column("ds"), hr=column("hr"))
CLICKS = listing(
    "web.clicks", (DS, HR), *[(f"2026-08-{day}", str(hour)) for day in ("09", "10", "11") for hour in (2, 10)]
)


def test_candidates_come_from_every_table_that_names_whole_partitions() -> None:
    users = requires("web.users", ds=column("ds"))
    other = requires("web.other", day=column("ds"), hour=column("hr"))
    plan = planned(
        all_of(HOURLY, users, other),
        listing("web.clicks", (DS, HR), ("2026-08-01", "1")),
        listing("web.users", (DS,), ("2026-08-01",), ("2026-08-03",)),
        listing("web.other", (Column("hour", "string"), Column("day", "string")), ("02", "2026-08-02")),
    )
    assert list(plan.waiting) == ["ds=2026-08-01/hr=1", "ds=2026-08-02/hr=2"]


def test_without_a_table_that_names_whole_partitions_the_candidates_must_be_given() -> None:
    days_only = requires("web.clicks", ds=column("ds"), hr=[1])
    with pytest.raises(InvalidInputError, match=r"\(ds, hr\).*Or give candidates="):
        planned(days_only, CLICKS)
    with pytest.raises(InvalidInputError, match=r"\(ds, hr\).*Or give candidates="):
        planned(ALWAYS)
    assert planned(ALWAYS, candidates=[{"ds": "2026-08-01", "hr": 0}]).ready == {"ds=2026-08-01/hr=0": {}}


def test_given_candidates_are_normalised_and_looked_at_once() -> None:
    plan = planned(ALWAYS, candidates=[{"ds": "2026-8-1", "hr": "07"}, {"HR": 7, "DS": "2026-08-01"}])
    assert list(plan.ready) == ["ds=2026-08-01/hr=7"]


@pytest.mark.parametrize("bad", [{"ds": "2026-08-01"}, {"ds": "2026-08-01", "hr": "x"}, {"ds": None, "hr": 1}])
def test_a_candidate_that_is_no_partition_of_the_view_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(InvalidPartitionError):
        planned(ALWAYS, candidates=[bad])


def test_no_candidates_make_an_empty_plan() -> None:
    plan = planned(ALWAYS, candidates=[])
    assert (plan.ready, plan.waiting, plan.already_published) == ({}, {}, ())


@pytest.mark.parametrize(
    ("bounds", "left"),
    [
        ({"since": {"ds": "2026-08-10"}}, ["10/2", "10/10", "11/2", "11/10"]),
        ({"until": {"ds": "2026-8-10"}}, ["09/2", "09/10", "10/2", "10/10"]),
        ({"since": {"ds": "2026-08-10"}, "until": {"ds": "2026-08-10"}}, ["10/2", "10/10"]),
        ({"since": {"ds": "2026-08-10", "hr": 10}}, ["10/10", "11/2", "11/10"]),
        ({"until": {"hr": "02"}}, ["09/2", "10/2", "11/2"]),
        ({"since": {}}, ["09/2", "09/10", "10/2", "10/10", "11/2", "11/10"]),
    ],
)
def test_bounds_compare_by_type_and_as_a_whole(bounds: dict[str, Any], left: list[str]) -> None:
    plan = planned(HOURLY, CLICKS, **bounds)
    assert list(plan.ready) == [f"ds=2026-08-{one.replace('/', '/hr=')}" for one in left]


def test_bounds_hold_for_given_candidates_too() -> None:
    candidates = [{"ds": "2026-08-01", "hr": 1}, {"ds": "2026-08-02", "hr": 1}]
    assert list(planned(ALWAYS, candidates=candidates, since={"ds": "2026-08-02"}).ready) == ["ds=2026-08-02/hr=1"]


@pytest.mark.parametrize("bound", [{"dss": "2026-08-10"}, {"ds": "yesterday"}, {"ds": None}])
def test_a_bound_that_is_no_value_of_the_view_is_refused(bound: dict[str, Any]) -> None:
    with pytest.raises(InvalidPartitionError):
        planned(HOURLY, CLICKS, since=bound)


def test_what_is_declared_already_is_not_judged_again() -> None:
    asked: list[Mapping[str, Any]] = []
    rule = all_of(HOURLY, when(lambda values: not asked.append(values)))
    names = [f"ds=2026-08-{day}/hr={hour}" for day in ("09", "10", "11") for hour in (2, 10)]
    plan = planned(rule, CLICKS, declared=[*names[1:], "ds=1999-01-01/hr=1"])
    assert list(plan.ready) == [names[0]]
    assert plan.already_published == tuple(names[1:]), "a declared partition that is no candidate is of no interest"
    assert len(asked) == 1


def test_names_are_escaped_as_the_metastore_escapes_them() -> None:
    key = Column("k", "string")
    table = listing("web.clicks", (key,), ("a/b=c%d",), ("Grün",))
    rule = requires("web.clicks", k=column("k"))
    assert list(planned(rule, table, keys=[key], declared=["k=Grün"]).ready) == ["k=a%2Fb%3Dc%25d"]


def test_a_plan_reports_what_each_partition_depends_on() -> None:
    rule = all_of(
        requires("web.clicks", ds=column("ds"), hr=[2, 10]),
        requires("web.users"),
        requires("web.users", region="eu"),
    )
    users = listing("web.users", (Column("region", "string"),), ("eu",), ("us",), snapshot="8812")
    plan = planned(rule, CLICKS, users, keys=[DS], candidates=[{"ds": "2026-08-10"}])
    assert plan.ready == {"ds=2026-08-10": {"web.clicks": 2, "web.users": 2}}
    assert plan.tables == {
        "web.clicks": TableFacts("hive", None, 6, LISTED_AT_MS),
        "web.users": TableFacts("hive", Snapshot("8812", "t"), 2, LISTED_AT_MS),
    }
    assert json.loads(plan.inputs_of("ds=2026-08-10")) == {
        "web.clicks": {"format": "hive", "partitions": 2, "listed-at-ms": LISTED_AT_MS},
        "web.users": {
            "format": "hive",
            "partitions": 2,
            "listed-at-ms": LISTED_AT_MS,
            "snapshot": "8812",
            "table-id": "t",
        },
    }


def test_inputs_fit_into_a_parameter_of_any_metastore() -> None:
    tables = [f"web.t_{number:03d}_{'x' * 40}" for number in range(80)]
    rule = all_of(*[requires(table) for table in tables])
    plan = planned(rule, *[listing(table, (), ()) for table in tables], keys=[DS], candidates=[{"ds": "2026-08-10"}])
    assert plan.inputs_of("ds=2026-08-10") == '{"tables":80,"partitions":80}'
    foreign = planned(
        requires("s3://lake/grün"),
        PartitionListing("s3://lake/grün", "x", (), [()]),
        candidates=[{"ds": "2026-08-10", "hr": 1}],
    )
    assert foreign.inputs_of("ds=2026-08-10/hr=1").isascii()


def test_a_plan_can_be_printed() -> None:
    keys = [DS]
    rule = requires("web.clicks", ds=column("ds"), hr=[2, 10])
    candidates = [{"ds": "2026-08-12"}, {"ds": "2026-08-11"}, {"ds": "2026-08-10"}]
    plan = planned(rule, CLICKS, keys=keys, candidates=candidates, declared=["ds=2026-08-10"])
    assert str(plan).splitlines() == [
        "sales.daily: 1 ready, 1 waiting, 1 already published",
        "  ready    ds=2026-08-11",
        "  waiting  ds=2026-08-12: web.clicks: all 2 hr of ds=2026-08-12 are missing",
    ]


NAMES = st.text(min_size=1, max_size=8)
SNAPSHOTS = st.builds(Snapshot, NAMES, NAMES, st.one_of(st.none(), st.integers()), st.one_of(st.none(), st.integers()))


@given(
    ready=st.dictionaries(NAMES, st.dictionaries(NAMES, st.integers(1, 10**9), max_size=3), max_size=4),
    waiting=st.dictionaries(NAMES, st.lists(NAMES, min_size=1, max_size=3).map(tuple), max_size=4),
    declared=st.lists(NAMES, max_size=4).map(tuple),
    facts=st.builds(TableFacts, NAMES, st.one_of(st.none(), SNAPSHOTS), st.integers(0), st.integers(0)),
)
def test_a_plan_survives_being_saved(ready: Any, waiting: Any, declared: Any, facts: TableFacts) -> None:
    plan = Plan("sales.daily", "b1b2", ready, waiting, declared, {"web.clicks": facts})
    assert Plan.from_json(plan.to_json()) == plan


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", ""),
        ("[]", ""),
        ('{"view": "a.b"}', "format_version"),
        ('{"view": "a.b","format_version":2}', "view_uuid"),
        (
            (
                '{"view":"a.b","view_uuid":"u","ready":{"ds=1":{"web.a":"x"}},"waiting":{},"already_published":[],'
                '"tables":{},"format_version":2}'
            ),
            "ready.ds=1.web.a",
        ),
        (
            (
                '{"view":"a.b","view_uuid":"u","ready":{},"waiting":{},"already_published":[],"tables":{},"readi":1,'
                '"format_version":2}'
            ),
            "readi",
        ),
    ],
)
def test_what_is_no_plan_is_refused_with_the_place(text: str, where: str) -> None:
    with pytest.raises(InvalidInputError, match=re.escape(f"Cannot read a plan: {where or 'the text'}: ")):
        Plan.from_json(text)


def test_a_plan_of_another_format_version_is_refused_whatever_its_fields_are() -> None:
    with pytest.raises(InvalidInputError, match=r"has the format version 3, and this hive_views reads 2\. Make a new"):
        Plan.from_json('{"format_version": 3, "views": ["a.b"]}')
