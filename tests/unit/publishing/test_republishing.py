"""What follows from base data that has changed: planned, carried out, and left alone where it must be."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from typing import Any

import pytest

from hive_views.base_tables.memory import MemoryTableWithHistory
from hive_views.errors import InvalidInputError
from hive_views.metastore.memory import MemoryMetastore
from hive_views.persisted import INPUTS, PUBLISHED_BY, PUBLISHED_RULE
from hive_views.publishing.ledger.recorded_rules import hash_of_rule
from hive_views.publishing.ledger.redeclared import RedeclaredPartitions
from hive_views.publishing.publish import publish
from hive_views.publishing.republish import apply_republish_plan, plan_republish
from hive_views.publishing.republish_plan import RepublishPlan, RepublishReport
from hive_views.publishing.revalidation import revalidate
from hive_views.readiness.rules import column, has_at_least, requires, when
from tests.support.tables.publishing_lake import CLICKS, DAY, DS, FIRST, SECOND, Fingerprinted, Lake, make_lake
from tests.support.views.catalog_setup import create

SUMMARY = "default.summary"
OF_DAILY = requires("default.daily", ds=column("ds"))


class Counting(MemoryMetastore):
    """One whose clock moves on at each change, and that notes what it is asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        super().__init__(clock=itertools.count(1_787_270_400).__next__, on_call=self.asked.append)


@pytest.fixture
def metastore() -> Counting:
    return Counting()


@pytest.fixture
def lake(metastore: Counting) -> Lake:
    return make_lake(metastore)


@pytest.fixture
def summary(lake: Lake, clicks: MemoryTableWithHistory) -> Lake:
    """A view that is published on the days of another one."""
    create(lake.catalog, SUMMARY, partitioned_on=["ds"])
    assert publish(lake.catalog, SUMMARY, OF_DAILY).added == (FIRST, SECOND)
    return lake


def planned(lake: Lake, *rules: Any, **options: Any) -> RepublishPlan:
    plan = plan_republish(lake.catalog, lake.view, *rules, base_tables=lake.tables, **options)
    assert RepublishPlan.from_json(plan.to_json()) == plan
    return plan


def republished(lake: Lake, *rules: Any, **options: Any) -> dict[str, RepublishReport]:
    return {one.view: one for one in apply_republish_plan(lake.catalog, planned(lake, *rules, **options))}


def states(lake: Lake, view: str = "default.daily") -> dict[str, str]:
    found = revalidate(lake.catalog, view, base_tables=lake.tables).partitions
    return {name: one.state for name, one in found.items()}


def parameters(lake: Lake, name: str, view: str = "default.daily") -> Mapping[str, str]:
    [(_, found)] = lake.catalog.partitions(view).load([name])
    return found.parameters


def test_a_changed_partition_is_marked_and_all_else_about_it_stays(lake: Lake, clicks: MemoryTableWithHistory) -> None:
    lake.catalog.partitions(lake.view).set_parameters([FIRST], {"theirs": "1"})
    before, other = parameters(lake, FIRST), parameters(lake, SECOND)
    snapshot = clicks.append(("2026-08-20",), records=7, files=2)
    plan = planned(lake)
    assert str(plan).splitlines() == [
        "default.daily: 1 to be republished, 0 left alone",
        "  mark       ds=2026-08-20: web.clicks: changed by commit 2: +7 rows, +2 files",
    ]
    [report] = apply_republish_plan(lake.catalog, plan)
    assert (report.marked, report.redeclared, report.completed, report.left) == ((FIRST,), (), (), {})
    after = dict(parameters(lake, FIRST))
    assert json.loads(after.pop(INPUTS))[CLICKS]["snapshot"] == snapshot.id
    changing = {INPUTS, "transient_lastDdlTime"}
    assert {key: text for key, text in after.items() if key not in changing} == {
        key: text for key, text in before.items() if key not in changing
    }
    assert parameters(lake, SECOND) == other
    assert states(lake) == {FIRST: "current", SECOND: "current"}
    assert planned(lake).views == ()


def test_what_is_missing_or_breaks_its_rules_or_is_unknown_is_reported_and_left_alone(lake: Lake) -> None:
    clicks = lake.history()
    rule = has_at_least(CLICKS, ds=column("ds"), records=5)
    clicks.append(("2026-08-20",), ("2026-08-21",), ("2026-08-22",), records=5)
    lake.publish(rule)
    lake.catalog.partitions(lake.view).add([{"ds": "2026-08-23"}])
    before = {name: parameters(lake, name) for name in lake.declared()}
    clicks.overwrite(("2026-08-20",), records=4)
    clicks.delete(("2026-08-21",))
    report = republished(lake, redeclare=True)["default.daily"]
    assert (report.marked, report.redeclared) == ((), ())
    assert sorted(report.left) == [FIRST, SECOND, "ds=2026-08-23"]
    assert "4 records" in report.left[FIRST][0]
    assert {name: parameters(lake, name) for name in lake.declared()} == before


@pytest.mark.parametrize("redeclare", [False, True])
def test_what_changes_between_plan_and_writing_is_still_a_change(
    lake: Lake, clicks: MemoryTableWithHistory, redeclare: bool
) -> None:
    clicks.append(("2026-08-20",))
    plan = planned(lake, redeclare=redeclare)
    clicks.append(("2026-08-20",))
    [report] = apply_republish_plan(lake.catalog, plan)
    assert (*report.marked, *report.redeclared) == (FIRST,)
    found = lake.revalidate().partitions[FIRST]
    assert (found.state, found.commits) == ("changed", {CLICKS: ("3",)})


@pytest.mark.parametrize("redeclare", [False, True])
def test_what_was_published_again_or_retracted_since_the_plan_is_left_alone(
    lake: Lake, clicks: MemoryTableWithHistory, redeclare: bool
) -> None:
    clicks.append(("2026-08-20",), ("2026-08-21",))
    plan = planned(lake, redeclare=redeclare)
    partitions = lake.catalog.partitions(lake.view)
    partitions.drop([{"ds": "2026-08-20"}, {"ds": "2026-08-21"}])
    clicks.append(("2026-08-20",))
    lake.publish(DAY, candidates=[{"ds": "2026-08-20"}], app_id="other", run_version=1)
    there = parameters(lake, FIRST)
    [report] = apply_republish_plan(lake.catalog, plan)
    assert (report.marked, report.redeclared) == ((), ())
    assert set(report.left) == {FIRST, SECOND}
    assert "since the plan was made" in report.left[FIRST][0]
    assert (lake.declared(), parameters(lake, FIRST)) == ([FIRST], there)


def test_a_redeclared_partition_is_new_to_sensors_and_keeps_what_others_said_of_it(
    lake: Lake, clicks: MemoryTableWithHistory, metastore: Counting
) -> None:
    lake.catalog.partitions(lake.view).set_parameters([FIRST], {"theirs": "1"})
    clicks.append(("2026-08-20",))
    metastore.asked.clear()
    assert republished(lake, redeclare=True)["default.daily"].redeclared == (FIRST,)
    assert metastore.asked.count("drop_partitions") == metastore.asked.count("add_partitions") == 1
    assert "alter_partitions" not in metastore.asked
    after = parameters(lake, FIRST)
    assert (after["theirs"], after[PUBLISHED_BY]) == ("1", "hive_views")
    assert after[PUBLISHED_RULE] == hash_of_rule(str(DAY))
    assert states(lake) == {FIRST: "current", SECOND: "current"}
    view = lake.catalog.load_view(lake.view)
    assert RedeclaredPartitions(lake.catalog, view).read() == {}


def test_hive_partitions_are_marked_with_fingerprints_of_directories_too(lake: Lake) -> None:
    hive = Fingerprinted(CLICKS, (DS,), [("2026-08-20",), ("2026-08-21",)])
    lake.tables[CLICKS] = hive
    lake.publish(DAY)
    hive.write("2026-08-20", content=b"late", name="part-1.parquet")
    hive.load_again("2026-08-21")
    assert states(lake) == {FIRST: "changed", SECOND: "changed"}
    assert republished(lake)["default.daily"].marked == (FIRST, SECOND)
    assert states(lake) == {FIRST: "current", SECOND: "current"}


def test_rows_that_are_the_same_have_no_consequences(lake: Lake, clicks: MemoryTableWithHistory) -> None:
    clicks.compact(("2026-08-20",))
    assert states(lake)[FIRST] == "rewritten"
    assert planned(lake).views == ()


def test_rules_that_are_given_are_recorded_and_those_without_text_are_not(
    lake: Lake, clicks: MemoryTableWithHistory
) -> None:
    clicks.append(("2026-08-20",))
    nameless = when(lambda _: True)
    assert "no string form" in planned(lake, DAY, nameless).views[0].left[FIRST][0]
    with pytest.raises(InvalidInputError, match="for one view only"):
        plan_republish(lake.catalog, [lake.view, "default.other"], DAY)


# -- views on views ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("redeclare", "verb"), [(False, "mark"), (True, "redeclare")])
def test_what_is_published_on_a_republished_partition_follows_it(
    summary: Lake, clicks: MemoryTableWithHistory, redeclare: bool, verb: str
) -> None:
    clicks.append(("2026-08-20",))
    plan = planned(summary, redeclare=redeclare)
    assert [(one.view, {name: of.action for name, of in one.partitions.items()}) for one in plan.views] == [
        ("default.daily", {FIRST: verb}),
        (SUMMARY, {FIRST: verb}),
    ]
    assert plan.views[1].partitions[FIRST].reasons[-1] == "default.daily: ds=2026-08-20 is republished before"
    assert [(*one.marked, *one.redeclared) for one in apply_republish_plan(summary.catalog, plan)] == [
        (FIRST,),
        (FIRST,),
    ]
    assert states(summary) == {FIRST: "current", SECOND: "current"}
    assert set(states(summary, SUMMARY).values()) == {"current by the metastore"}
    assert planned(summary).views == ()


def test_it_follows_later_if_the_run_has_ended_before_it(summary: Lake, clicks: MemoryTableWithHistory) -> None:
    clicks.append(("2026-08-20",))
    assert list(republished(summary, downstream=False)) == ["default.daily"]
    assert states(summary, SUMMARY)[FIRST] == "changed"
    assert republished(summary) == {SUMMARY: RepublishReport(SUMMARY, marked=(FIRST,))}
    assert planned(summary).views == ()


def test_it_is_left_alone_if_what_it_depends_on_was_or_changed_again(
    summary: Lake, clicks: MemoryTableWithHistory
) -> None:
    clicks.append(("2026-08-20",))
    plan = planned(summary)
    clicks.append(("2026-08-20",))
    [_] = apply_republish_plan(summary.catalog, planned(summary, downstream=False))
    before = parameters(summary, FIRST, SUMMARY)
    first, second = apply_republish_plan(summary.catalog, plan)
    assert (first.marked, second.marked) == ((), ())
    assert "was to be republished before it, and was left alone" in second.left[FIRST][0]
    assert parameters(summary, FIRST, SUMMARY) == before


def test_it_is_left_alone_if_other_partitions_below_it_changed_since(
    lake: Lake, clicks: MemoryTableWithHistory
) -> None:
    create(lake.catalog, SUMMARY, partitioned_on=["ds"])
    both = requires("default.daily", ds=["2026-08-20", "2026-08-21"])
    publish(lake.catalog, SUMMARY, both, candidates=[{"ds": "all"}])
    clicks.append(("2026-08-20",))
    plan = planned(lake)
    assert plan.views[1].partitions["ds=all"].upstream["default.daily"].others == (SECOND,)
    lake.catalog.partitions(lake.view).set_parameters([SECOND], {"theirs": "1"})
    _, left = apply_republish_plan(lake.catalog, plan)
    assert left.left == {"ds=all": ("other partitions of default.daily have changed since the plan was made",)}
    assert states(lake, SUMMARY) == {"ds=all": "changed"}


def test_views_that_are_published_on_each_other_are_refused(summary: Lake) -> None:
    publish(summary.catalog, "default.daily", requires(SUMMARY, ds=column("ds")), publication="back")
    with pytest.raises(InvalidInputError, match=r"the views default\.daily, default\.summary require each other"):
        planned(summary)


def test_a_view_that_is_another_one_now_is_refused(lake: Lake, clicks: MemoryTableWithHistory) -> None:
    clicks.append(("2026-08-20",))
    plan = planned(lake)
    lake.catalog.drop_view(lake.view)
    create(lake.catalog, lake.view, partitioned_on=["ds"])
    with pytest.raises(InvalidInputError, match="Make a new plan"):
        apply_republish_plan(lake.catalog, plan)


# -- interrupted runs, costs -------------------------------------------------------------------------------------------


def test_what_an_interrupted_run_has_retracted_is_declared_once_its_rules_hold(
    lake: Lake, clicks: MemoryTableWithHistory
) -> None:
    view = lake.catalog.load_view(lake.view)
    noted = RedeclaredPartitions(lake.catalog, view)
    noted.note({FIRST: parameters(lake, FIRST), SECOND: {**parameters(lake, SECOND), "theirs": "1"}})
    lake.catalog.partitions(lake.view).drop([{"ds": "2026-08-20"}, {"ds": "2026-08-21"}])
    clicks.delete(("2026-08-20",))
    # Whatever bounds the next run is given.
    report = republished(lake, since={"ds": "2027"})["default.daily"]
    assert (report.completed, set(report.left)) == ((SECOND,), {FIRST})
    assert report.left[FIRST][0] == "an interrupted run has retracted it"
    assert parameters(lake, SECOND)["theirs"] == "1"
    assert set(noted.read()) == {FIRST}, "it is not forgotten before it is declared"
    clicks.append(("2026-08-20",))
    assert republished(lake)["default.daily"].completed == (FIRST,)
    assert noted.read() == {}
    assert states(lake) == {FIRST: "current", SECOND: "current"}


def test_what_somebody_else_has_declared_meanwhile_stays(lake: Lake, clicks: MemoryTableWithHistory) -> None:
    noted = RedeclaredPartitions(lake.catalog, lake.catalog.load_view(lake.view))
    noted.note({FIRST: parameters(lake, FIRST)})
    lake.catalog.partitions(lake.view).drop([{"ds": "2026-08-20"}])
    plan = planned(lake)
    clicks.append(("2026-08-20",))
    lake.publish(DAY)
    there = parameters(lake, FIRST)
    [report] = apply_republish_plan(lake.catalog, plan)
    assert (report.completed, set(report.left)) == ((), {FIRST})
    assert parameters(lake, FIRST) == there
    assert noted.read() == {}


def test_a_thousand_partitions_take_a_few_calls(lake: Lake, metastore: Counting) -> None:
    clicks = lake.history()
    days = [(f"{day:04}",) for day in range(1000)]
    clicks.append(*days)
    lake.publish(DAY)
    clicks.append(*days)
    plan = planned(lake)
    metastore.asked.clear()
    [report] = apply_republish_plan(lake.catalog, plan)
    assert len(report.marked) == 1000
    asked = {verb: metastore.asked.count(verb) for verb in metastore.asked}
    assert asked["alter_partitions"] == 2
    assert sum(asked.values()) <= 16, asked
    clicks.append(*days)
    plan = planned(lake, redeclare=True)
    metastore.asked.clear()
    [report] = apply_republish_plan(lake.catalog, plan)
    assert len(report.redeclared) == 1000
    asked = {verb: metastore.asked.count(verb) for verb in metastore.asked}
    assert asked["drop_partitions"] == asked["add_partitions"] == 2
    assert sum(asked.values()) <= 24, asked
    assert RedeclaredPartitions(lake.catalog, lake.catalog.load_view(lake.view)).read() == {}
