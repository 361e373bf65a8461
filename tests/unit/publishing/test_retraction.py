"""What is retracted: published partitions that have lost base partitions which they need."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from hive_views.base_tables.memory import MemoryTableWithHistory
from hive_views.persisted import INPUTS
from hive_views.publishing.plan import Plan
from hive_views.publishing.publish import apply_plan
from hive_views.readiness.rules import column, requires
from tests.support.tables.publishing_lake import (
    CLICKS,
    DAY,
    DS,
    FIRST,
    HOURS,
    HR,
    SECOND,
    USERS,
    Fingerprinted,
    Lake,
)


def test_what_has_lost_its_base_partition_is_retracted_only_when_asked_for(
    lake: Lake, clicks: MemoryTableWithHistory
) -> None:
    clicks.delete(("2026-08-20",))
    assert lake.publish(DAY).retracted == ()
    assert lake.declared() == [FIRST, SECOND]
    report = lake.publish(DAY, retract=True)
    assert (report.retracted, report.already_published, report.kept) == ((FIRST,), (SECOND,), {})
    assert lake.declared() == [SECOND]
    assert lake.publish(DAY, retract=True).retracted == ()
    clicks.append(("2026-08-20",))
    assert lake.publish(DAY, retract=True).added == (FIRST,)


def test_a_day_that_lost_one_of_its_hours_is_retracted_and_waits(lake: Lake) -> None:
    clicks = lake.history(keys=(DS, HR))
    clicks.append(("2026-08-20", "00"), ("2026-08-20", "01"))
    lake.publish(HOURS)
    clicks.delete(("2026-08-20", "01"))
    report = lake.publish(HOURS, retract=True)
    assert (report.retracted, list(report.waiting), report.already_published) == ((FIRST,), [], ())
    assert list(lake.publish(HOURS).waiting) == [FIRST]


ANY_HOUR = HOURS & DAY
"""Two of the hours, and what else there is of the day."""


def two_hours(lake: Lake, table: str) -> Any:
    """A table with two days of two hours, with a history or without, on which they are published."""
    values = [(day, hour) for day in ("2026-08-20", "2026-08-21") for hour in ("00", "01")]
    if table == "hive":
        clicks: Any = Fingerprinted(CLICKS, (DS, HR), values)
        lake.tables[CLICKS] = clicks
        clicks.append, clicks.delete = clicks.add, clicks.drop
    else:
        clicks = lake.history(keys=(DS, HR))
        clicks.append(*values)
    assert lake.publish(ANY_HOUR, fingerprints=False).added == (FIRST, SECOND)
    return clicks


@pytest.mark.parametrize("table", ["delta", "hive"])
def test_a_day_with_another_hour_in_place_of_one_that_is_gone_is_retracted(lake: Lake, table: str) -> None:
    clicks = two_hours(lake, table)
    clicks.delete(("2026-08-20", "01"))
    clicks.append(("2026-08-20", "02"))
    assert lake.publish(ANY_HOUR, retract=True).retracted == (FIRST,)
    assert lake.declared() == [SECOND]


@pytest.mark.parametrize("table", ["delta", "hive"])
def test_a_day_with_more_hours_than_before_is_retracted_for_one_that_a_rule_names(lake: Lake, table: str) -> None:
    clicks = two_hours(lake, table)
    clicks.delete(("2026-08-20", "01"))
    clicks.append(("2026-08-20", "02"), ("2026-08-20", "03"))
    assert lake.publish(ANY_HOUR, retract=True).retracted == (FIRST,)


def test_where_it_was_not_recorded_what_was_asked_a_day_stays_and_that_is_said(lake: Lake) -> None:
    """As earlier versions published it, and where a view depends on very many tables."""
    clicks = two_hours(lake, "delta")
    recorded = json.loads(lake.inputs(FIRST))
    del recorded[CLICKS]["asked"]
    lake.catalog.partitions(lake.view).set_parameters([FIRST], {INPUTS: json.dumps(recorded)})
    clicks.delete(("2026-08-20", "01"), ("2026-08-21", "01"))
    report = lake.publish(ANY_HOUR, retract=True)
    assert (report.retracted, list(report.kept)) == ((SECOND,), [FIRST])
    assert "not recorded" in report.kept[FIRST]


def test_the_hours_of_all_rules_on_a_table_count(lake: Lake) -> None:
    clicks = lake.history(keys=(DS, HR))
    clicks.append(("2026-08-20", "00"), ("2026-08-20", "01"))
    rules = [requires(CLICKS, ds=column("ds"), hr=hour) for hour in ("00", "01")]
    assert lake.publish(*rules).added == (FIRST,)
    clicks.delete(("2026-08-20", "01"))
    assert lake.publish(*rules, retract=True).retracted == (FIRST,)


def test_a_plan_that_is_to_be_applied_records_the_names_too(lake: Lake) -> None:
    clicks = lake.history(keys=(DS, HR))
    clicks.append(("2026-08-20", "00"), ("2026-08-20", "01"))
    plan = lake.plan(ANY_HOUR, fingerprints=True)
    apply_plan(lake.catalog, Plan.from_json(plan.to_json()))
    clicks.delete(("2026-08-20", "01"))
    clicks.append(("2026-08-20", "02"))
    assert lake.publish(ANY_HOUR, retract=True).retracted == (FIRST,)
    older = json.loads(plan.to_json())
    del older["asked"]
    assert Plan.from_json(json.dumps(older)) == replace(plan, asked={}), "of an earlier version"


def test_a_dry_run_and_a_plan_show_it_and_write_nothing(lake: Lake, clicks: MemoryTableWithHistory) -> None:
    clicks.delete(("2026-08-20",))
    assert lake.publish(DAY, retract=True, dry_run=True).retracted == (FIRST,)
    plan = lake.plan(DAY, retract=True)
    assert plan.retract == (FIRST,)
    assert f"retract  {FIRST}" in str(plan)
    assert lake.declared() == [FIRST, SECOND]
    assert apply_plan(lake.catalog, Plan.from_json(plan.to_json())).retracted == (FIRST,)
    assert lake.declared() == [SECOND]


def test_bounds_limit_what_is_retracted(lake: Lake, clicks: MemoryTableWithHistory) -> None:
    clicks.append(("2026-08-22",))
    clicks.delete(("2026-08-20",), ("2026-08-21",))
    assert lake.publish(DAY, retract=True, since={"ds": "2026-08-21"}).retracted == (SECOND,)


def test_where_one_of_two_tables_will_do_its_partitions_may_go(lake: Lake) -> None:
    clicks, users = lake.history(), lake.history(USERS)
    rule = DAY | requires(USERS, ds=column("ds"))
    clicks.append(("2026-08-20",), ("2026-08-25",))
    users.append(("2026-08-20",))
    lake.publish(rule)
    clicks.delete(("2026-08-20",))
    assert lake.publish(rule, retract=True).retracted == ()
    users.append(("2026-08-25",))
    users.delete(("2026-08-20",))
    assert lake.publish(rule, retract=True).retracted == (FIRST,)


def test_candidates_limit_what_is_retracted(lake: Lake, clicks: MemoryTableWithHistory) -> None:
    """Two publications of one view may each look at partitions of their own."""
    clicks.append(("2026-08-22",))
    clicks.delete(("2026-08-20",), ("2026-08-21",))
    report = lake.publish(DAY, retract=True, candidates=[{"ds": "2026-08-21"}, {"ds": "2026-08-22"}])
    assert (report.retracted, report.added) == ((SECOND,), ("ds=2026-08-22",))
    assert lake.declared() == [FIRST, "ds=2026-08-22"]


def test_an_empty_table_that_must_not_have_a_partition_keeps_nothing(lake: Lake) -> None:
    clicks, holidays = lake.history(), lake.history("web.holidays")
    del holidays
    rule = DAY & ~requires("web.holidays", ds=column("ds"))
    clicks.append(("2026-08-20",), ("2026-08-21",))
    lake.publish(rule)
    clicks.delete(("2026-08-20",))
    assert lake.publish(rule, retract=True).retracted == (FIRST,)
