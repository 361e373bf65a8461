"""What stays published though its rules do not hold any more, and the reasons that are given."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from hive_views.base_tables.memory import MemoryTableWithHistory
from hive_views.hive.row import Partition
from hive_views.metastore.memory import MemoryMetastore
from hive_views.persisted import INPUTS
from hive_views.publishing.publish import apply_plan
from hive_views.readiness.rules import Rule, column, has_at_least, quiet_for, requires, values_of, when
from hive_views.spec.identifiers import TableIdentifier
from tests.support.tables.hive_setup import table_row
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
    make_lake,
)

HOURS_00 = requires(CLICKS, ds=column("ds"), hr="00")


def test_a_day_with_more_hours_than_before_stays_where_nobody_knows_whether_one_is_gone(lake: Lake) -> None:
    clicks = lake.history(keys=(DS, HR))
    clicks.append(("2026-08-20", "00"), ("2026-08-20", "01"), records=9)
    rule = has_at_least(CLICKS, ds=column("ds"), records=18)
    assert lake.publish(rule).added == (FIRST,)
    clicks.delete(("2026-08-20", "01"))
    clicks.append(("2026-08-20", "02"), ("2026-08-20", "03"))
    report = lake.publish(rule, retract=True)
    assert (report.retracted, list(report.kept)) == ((), [FIRST])
    clicks.delete(("2026-08-20", "03"))
    assert lake.publish(rule, retract=True).retracted == (FIRST,)


def test_an_emptied_table_of_expected_values_retracts_nothing(lake: Lake) -> None:
    clicks, regions = lake.history(keys=(DS, HR)), lake.history("web.regions", keys=(HR,))
    regions.append(("00",), ("01",))
    clicks.append(*[(day, hour) for day in ("2026-08-20", "2026-08-21") for hour in ("00", "01")])
    rule = requires(CLICKS, ds=column("ds"), hr=values_of("web.regions", "hr"))
    assert lake.publish(rule).added == (FIRST, SECOND)
    regions.delete(("00",), ("01",))
    clicks.delete(("2026-08-21", "00"))
    report = lake.publish(rule, retract=True)
    assert (report.retracted, set(report.kept)) == ((), {FIRST, SECOND})
    assert "required something else" in report.kept[FIRST]
    regions.append(("01",))
    regions.append(("00",))
    assert lake.publish(rule, retract=True).retracted == (SECOND,), "the same values are the same question"


@pytest.mark.parametrize(
    ("was", "is_now"),
    [
        (["00"], ["01", "02"]),
        (["00", "01"], ["00", "01", "02"]),
        (["00", "01"], ["x", "y"]),
    ],
    ids=["other hours", "more hours", "renamed"],
)
def test_where_another_question_is_asked_than_when_it_was_published_nothing_is_retracted(
    lake: Lake, was: list[str], is_now: list[str]
) -> None:
    clicks = lake.history(keys=(DS, HR))
    clicks.append(("2026-08-20", "00"), ("2026-08-20", "01"), ("2026-08-20", "05"))
    first, second = (requires(CLICKS, ds=column("ds"), hr=hours) for hours in (was, is_now))
    assert lake.publish(first).added == (FIRST,)
    clicks.delete(("2026-08-20", "01"), ("2026-08-20", "05"))
    report = lake.publish(second, retract=True)
    assert report.retracted == ()
    assert "required something else" in report.kept[FIRST]


def test_a_rule_that_lost_what_it_does_not_need_while_another_fails_retracts_nothing(lake: Lake) -> None:
    clicks, users = lake.history(keys=(DS, HR)), lake.history(USERS)
    clicks.append(("2026-08-20", "00"), ("2026-08-20", "01"))
    users.append(("2026-08-20",), ("2026-08-19",))
    rules = (DAY, has_at_least(USERS, ds=column("ds"), records=1))
    assert lake.publish(*rules).added == (FIRST,)
    clicks.delete(("2026-08-20", "01"))
    more = (DAY, has_at_least(USERS, ds=column("ds"), records=2))
    report = lake.publish(*more, retract=True)
    assert (report.retracted, list(report.kept)) == ((), [FIRST])


def test_more_data_asked_for_than_when_it_was_published_retract_nothing(lake: Lake) -> None:
    clicks = lake.history(keys=(DS, HR))
    clicks.append(("2026-08-20", "00"), ("2026-08-20", "01"))
    few, many = (has_at_least(CLICKS, ds=column("ds"), records=records) for records in (1, 1_000))
    assert lake.publish(few).added == (FIRST,)
    clicks.delete(("2026-08-20", "01"))
    report = lake.publish(many, retract=True)
    assert report.retracted == ()
    assert "required something else" in report.kept[FIRST]


def test_late_data_beside_a_loss_that_does_not_matter_retract_nothing(lake: Lake) -> None:
    clicks = lake.history(keys=(DS, HR))
    clicks.append(("2026-08-20", "00"), ("2026-08-20", "01"))
    quiet = quiet_for(CLICKS, ds=column("ds"), seconds=60)
    assert lake.publish(HOURS_00, quiet).added == (FIRST,)
    clicks.delete(("2026-08-20", "01"))
    forever = quiet_for(CLICKS, ds=column("ds"), seconds=10**11)
    report = lake.publish(HOURS_00, forever, retract=True)
    assert (report.retracted, list(report.kept)) == ((), [FIRST])
    clicks.delete(("2026-08-20", "00"))
    clicks.append(("2026-08-21", "00"))
    assert lake.publish(HOURS_00, quiet, retract=True).retracted == (FIRST,)


@pytest.mark.parametrize(("otherwise", "retracted"), [("unmet table", (FIRST,)), ("function", ())])
def test_of_rules_of_which_one_will_do_the_others_must_have_failed_when_it_was_published(
    lake: Lake, otherwise: str, retracted: tuple[str, ...]
) -> None:
    """What a function said then is not recorded: the partition may depend on that."""
    clicks, users = lake.history(), lake.history(USERS)
    clicks.append(("2026-08-20",), ("2026-08-25",))
    users.append(("2026-08-25",))
    other = requires(USERS, ds=column("ds")) if otherwise == "unmet table" else when(lambda _: False)
    assert FIRST in lake.publish(DAY | other).added
    clicks.delete(("2026-08-20",))
    report = lake.publish(DAY | other, retract=True)
    assert report.retracted == retracted
    assert all("it is unknown" in reason for reason in report.kept.values())


def test_a_partition_that_a_later_rule_of_two_was_met_by_is_not_retracted_for_the_other(lake: Lake) -> None:
    """Clicks had one of two hours when it was published on users, and have none now that users must have more."""
    clicks, users = lake.history(keys=(DS, HR)), lake.history(USERS)
    clicks.append(("2026-08-20", "00"), ("2026-08-25", "00"))
    users.append(("2026-08-20",))
    assert lake.publish(HOURS | requires(USERS, ds=column("ds"))).added == (FIRST,)
    clicks.delete(("2026-08-20", "00"))
    more = HOURS | has_at_least(USERS, ds=column("ds"), records=5)
    report = lake.publish(more, retract=True)
    assert (report.retracted, list(report.kept)) == ((), [FIRST])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (DAY | requires(USERS, ds=column("ds")), DAY),
        (DAY | requires(USERS, ds=column("ds")), ~DAY & requires(USERS, ds=column("ds"))),
        (DAY | requires(USERS, ds=column("ds")), DAY & requires(USERS, ds=column("ds"))),
    ],
    ids=["an alternative taken away", "a negation added", "both asked for"],
)
def test_a_rule_that_was_edited_withdraws_no_day_that_lost_nothing(lake: Lake, before: Rule, after: Rule) -> None:
    clicks, users = lake.history(), lake.history(USERS)
    clicks.append(("2026-08-21",))
    users.append(("2026-08-20",), ("2026-08-21",))
    assert lake.publish(before).added == (FIRST, SECOND)
    report = lake.publish(after, retract=True)
    assert report.retracted == ()
    assert ["earlier rule" in reason for reason in report.kept.values()] == [True]
    assert lake.publish(before, retract=True).retracted == ()


def test_an_edited_rule_that_was_met_all_the_same_retracts_what_it_has_lost(lake: Lake) -> None:
    clicks, users = lake.history(), lake.history(USERS)
    clicks.append(("2026-08-20",), ("2026-08-21",))
    users.append(("2026-08-20",), ("2026-08-21",))
    assert lake.publish(DAY & requires(USERS, ds=column("ds"))).added == (FIRST, SECOND)
    users.delete(("2026-08-21",))
    clicks.delete(("2026-08-20",))
    assert lake.publish(DAY, retract=True).retracted == (FIRST,)


@pytest.mark.parametrize("app_id", ["other", None])
def test_an_application_retracts_only_what_it_has_declared(lake: Lake, app_id: str | None) -> None:
    clicks = lake.history()
    clicks.append(("2026-08-20",), ("2026-08-21",))
    lake.publish(DAY, app_id="nightly", run_version=1)
    clicks.delete(("2026-08-20",))
    report = lake.publish(DAY, retract=True, app_id=app_id, run_version=app_id and 1)
    assert report.retracted == ()
    assert report.kept == {FIRST: "it was declared by another application: nightly"}
    plan = lake.plan(DAY, retract=True, app_id="nightly")
    assert plan.retract == (FIRST,)
    assert apply_plan(lake.catalog, plan, app_id=app_id, run_version=app_id and 2).retracted == ()
    assert apply_plan(lake.catalog, plan, app_id="nightly", run_version=2).retracted == (FIRST,)


def test_a_table_that_it_depends_on_as_a_whole_may_have_others_of_its_partitions(lake: Lake) -> None:
    """Of a table of the newest days, the oldest goes when one comes."""
    clicks, users = lake.history(), lake.history(USERS)
    clicks.append(("2026-08-20",))
    users.append(("2026-08-18",), ("2026-08-19",))
    rules = (DAY, requires(USERS))
    lake.publish(*rules)
    users.delete(("2026-08-18",))
    users.append(("2026-08-20",))
    assert lake.publish(*rules, when(lambda _: False), retract=True).retracted == ()


def test_other_base_partitions_because_others_are_asked_for_take_nothing_away(lake: Lake) -> None:
    clicks = lake.history(keys=(DS, HR))
    clicks.append(("2026-08-20", "00"), ("2026-08-20", "01"))
    first, second = (requires(CLICKS, ds=column("ds"), hr=[hour]) for hour in ("00", "01"))
    assert lake.publish(first).added == (FIRST,)
    assert lake.publish(second, when(lambda _: False), retract=True).retracted == ()
    clicks.delete(("2026-08-20", "00"))
    assert lake.publish(first, retract=True).retracted == (FIRST,)


def test_what_others_declared_is_never_retracted(lake: Lake, clicks: MemoryTableWithHistory) -> None:
    lake.catalog.partitions(lake.view).add([{"ds": "2026-08-25"}])
    report = lake.publish(DAY, retract=True)
    assert report.retracted == ()
    assert "another program" in report.kept["ds=2026-08-25"]
    assert "ds=2026-08-25" in lake.declared()


@pytest.mark.parametrize(
    ("happens", "reason"),
    [
        (lambda clicks: clicks.delete(("2026-08-20",), ("2026-08-21",)), "no partitions at all"),
        (lambda clicks: clicks.recreate(), "no partitions at all"),
        (lambda clicks: (clicks.recreate(), clicks.append(("2026-08-21",))), "recreated"),
    ],
    ids=["emptied", "recreated, not yet loaded", "recreated, partly loaded"],
)
def test_a_table_that_may_be_loaded_again_takes_no_partition_with_it(
    lake: Lake, clicks: MemoryTableWithHistory, happens: Any, reason: str
) -> None:
    happens(clicks)
    report = lake.publish(DAY, retract=True)
    assert report.retracted == ()
    assert reason in report.kept[FIRST]
    assert lake.declared() == [FIRST, SECOND]


def test_a_table_of_another_format_takes_no_partition_with_it(lake: Lake, clicks: MemoryTableWithHistory) -> None:
    del clicks
    lake.tables[CLICKS] = Fingerprinted(CLICKS, (DS,), [("2026-08-21",)])
    assert "was a delta table and is now a hive table" in lake.publish(DAY, retract=True).kept[FIRST]


def test_a_rule_that_says_something_else_today_is_no_reason(lake: Lake, clicks: MemoryTableWithHistory) -> None:
    clicks.append(("2026-08-20",))
    report = lake.publish(DAY & when(lambda _: False), retract=True)
    assert report.retracted == ()
    assert set(report.kept) == {FIRST, SECOND}
    assert "as many base partitions" in report.kept[FIRST]


def test_rules_about_a_table_it_was_not_published_on_are_no_reason(lake: Lake, clicks: MemoryTableWithHistory) -> None:
    del clicks
    lake.history(USERS).append(("2026-08-25",))
    report = lake.publish(DAY, requires(USERS, ds=column("ds")), retract=True)
    assert report.retracted == ()
    assert "other rules" in report.kept[FIRST]


class TestHiveTables:
    """Tables without history, on a metastore that records when each was created."""

    @pytest.fixture
    def now_s(self) -> list[float]:
        return [1_787_270_400.0]

    @pytest.fixture
    def lake(self, now_s: list[float]) -> Lake:
        metastore = MemoryMetastore(clock=lambda: now_s[0])
        metastore.create_namespace("web")
        return make_lake(metastore)

    def create(self, lake: Lake, *days: str) -> None:
        row = replace(table_row("web", (DS,), "memory://clicks"), identifier=TableIdentifier.of(CLICKS))
        lake.catalog.metastore.create_row(row)
        partitions = [Partition((day,), has_descriptor=True) for day in days]
        lake.catalog.metastore.add_partitions(TableIdentifier.of(CLICKS), partitions, if_not_exists=False)

    def test_one_that_was_dropped_and_created_again_takes_no_partition_with_it(
        self, lake: Lake, now_s: list[float]
    ) -> None:
        self.create(lake, "2026-08-20", "2026-08-21")
        lake.publish(DAY)
        lake.catalog.metastore.drop_row(TableIdentifier.of(CLICKS))
        now_s[0] += 60
        self.create(lake, "2026-08-21")
        report = lake.publish(DAY, retract=True)
        assert report.retracted == ()
        assert "was recreated" in report.kept[FIRST]

    def test_one_that_lost_a_partition_has_it_retracted(self, lake: Lake) -> None:
        self.create(lake, "2026-08-20", "2026-08-21")
        lake.publish(DAY)
        lake.catalog.metastore.drop_partitions(TableIdentifier.of(CLICKS), ["ds=2026-08-20"], if_exists=False)
        assert lake.publish(DAY, retract=True).retracted == (FIRST,)

    def test_one_whose_id_was_not_recorded_takes_no_partition_with_it(self, lake: Lake) -> None:
        self.create(lake, "2026-08-20", "2026-08-21")
        lake.publish(DAY)
        partitions = lake.catalog.partitions(lake.view)
        old = {"web.clicks": {"format": "hive", "partitions": 1, "listed-at-ms": 1}}
        partitions.set_parameters([FIRST], {INPUTS: json.dumps(old)})
        lake.catalog.metastore.drop_partitions(TableIdentifier.of(CLICKS), ["ds=2026-08-20"], if_exists=False)
        assert "another table with the same name" in lake.publish(DAY, retract=True).kept[FIRST]
