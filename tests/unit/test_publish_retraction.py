"""Withdrawing published partitions whose ground is gone, and leaving alone what only looks so."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from hive_views.base_tables.memory import MemoryTableWithHistory
from hive_views.errors import Answer, CommitFailedError, MetastoreUnavailableError, StorageUnavailableError
from hive_views.hive.row import Partition
from hive_views.metastore.memory import MemoryMetastore
from hive_views.persisted import INPUTS
from hive_views.publishing.plan import Plan
from hive_views.publishing.publish import apply_plan
from hive_views.readiness.rules import column, has_at_least, quiet_for, requires, values_of, when
from hive_views.spec.identifiers import TableIdentifier
from tests.contract.hive_setup import table_row
from tests.unit.publishing_lake import CLICKS, DAY, DS, FIRST, HOURS, HR, SECOND, USERS, Fingerprinted, Lake, make_lake


@pytest.fixture
def lake() -> Lake:
    return make_lake()


@pytest.fixture
def clicks(lake: Lake) -> MemoryTableWithHistory:
    """Two days, published."""
    clicks = lake.history()
    clicks.append(("2026-08-20",), ("2026-08-21",))
    assert lake.publish(DAY).added == (FIRST, SECOND)
    return clicks


def test_what_has_lost_its_ground_is_withdrawn_only_when_asked_for(lake: Lake, clicks: MemoryTableWithHistory) -> None:
    clicks.delete(("2026-08-20",))
    assert lake.publish(DAY).retracted == ()
    assert lake.declared() == [FIRST, SECOND]
    report = lake.publish(DAY, retract=True)
    assert (report.retracted, report.already_published, report.kept) == ((FIRST,), (SECOND,), {})
    assert lake.declared() == [SECOND]
    assert lake.publish(DAY, retract=True).retracted == ()
    clicks.append(("2026-08-20",))
    assert lake.publish(DAY, retract=True).added == (FIRST,)


def test_a_day_that_lost_one_of_its_hours_is_withdrawn_and_waits(lake: Lake) -> None:
    clicks = lake.history(keys=(DS, HR))
    clicks.append(("2026-08-20", "00"), ("2026-08-20", "01"))
    lake.publish(HOURS)
    clicks.delete(("2026-08-20", "01"))
    report = lake.publish(HOURS, retract=True)
    assert (report.retracted, list(report.waiting), report.already_published) == ((FIRST,), [], ())
    assert list(lake.publish(HOURS).waiting) == [FIRST]


ANY_HOUR = HOURS & DAY
"""Two of the hours, and what else there is of the day."""
HOURS_00 = requires(CLICKS, ds=column("ds"), hr="00")


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
def test_a_day_with_another_hour_in_place_of_one_that_is_gone_is_withdrawn(lake: Lake, table: str) -> None:
    clicks = two_hours(lake, table)
    clicks.delete(("2026-08-20", "01"))
    clicks.append(("2026-08-20", "02"))
    assert lake.publish(ANY_HOUR, retract=True).retracted == (FIRST,)
    assert lake.declared() == [SECOND]


@pytest.mark.parametrize("table", ["delta", "hive"])
def test_a_day_with_more_hours_than_before_is_withdrawn_for_one_that_a_rule_names(lake: Lake, table: str) -> None:
    clicks = two_hours(lake, table)
    clicks.delete(("2026-08-20", "01"))
    clicks.append(("2026-08-20", "02"), ("2026-08-20", "03"))
    assert lake.publish(ANY_HOUR, retract=True).retracted == (FIRST,)


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


def test_where_it_was_not_recorded_what_was_asked_a_day_stays_and_that_is_said(lake: Lake) -> None:
    """As earlier versions published it, and where a view stands on very many tables."""
    clicks = two_hours(lake, "delta")
    told = json.loads(lake.inputs(FIRST))
    del told[CLICKS]["asked"]
    lake.catalog.partitions(lake.view).set_parameters([FIRST], {INPUTS: json.dumps(told)})
    clicks.delete(("2026-08-20", "01"), ("2026-08-21", "01"))
    report = lake.publish(ANY_HOUR, retract=True)
    assert (report.retracted, list(report.kept)) == ((SECOND,), [FIRST])
    assert "not recorded" in report.kept[FIRST]


def test_an_emptied_table_of_expected_values_withdraws_nothing(lake: Lake) -> None:
    clicks, regions = lake.history(keys=(DS, HR)), lake.history("web.regions", keys=(HR,))
    regions.append(("00",), ("01",))
    clicks.append(*[(day, hour) for day in ("2026-08-20", "2026-08-21") for hour in ("00", "01")])
    rule = requires(CLICKS, ds=column("ds"), hr=values_of("web.regions", "hr"))
    assert lake.publish(rule).added == (FIRST, SECOND)
    regions.delete(("00",), ("01",))
    clicks.delete(("2026-08-21", "00"))
    report = lake.publish(rule, retract=True)
    assert (report.retracted, set(report.kept)) == ((), {FIRST, SECOND})
    assert "another question" in report.kept[FIRST]
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
def test_where_another_question_is_asked_than_when_it_was_published_nothing_is_withdrawn(
    lake: Lake, was: list[str], is_now: list[str]
) -> None:
    clicks = lake.history(keys=(DS, HR))
    clicks.append(("2026-08-20", "00"), ("2026-08-20", "01"), ("2026-08-20", "05"))
    first, second = (requires(CLICKS, ds=column("ds"), hr=hours) for hours in (was, is_now))
    assert lake.publish(first).added == (FIRST,)
    clicks.delete(("2026-08-20", "01"), ("2026-08-20", "05"))
    report = lake.publish(second, retract=True)
    assert report.retracted == ()
    assert "another question" in report.kept[FIRST]


def test_a_rule_that_lost_what_it_does_not_need_while_another_fails_withdraws_nothing(lake: Lake) -> None:
    clicks, users = lake.history(keys=(DS, HR)), lake.history(USERS)
    clicks.append(("2026-08-20", "00"), ("2026-08-20", "01"))
    users.append(("2026-08-20",), ("2026-08-19",))
    rules = (DAY, has_at_least(USERS, ds=column("ds"), records=1))
    assert lake.publish(*rules).added == (FIRST,)
    clicks.delete(("2026-08-20", "01"))
    more = (DAY, has_at_least(USERS, ds=column("ds"), records=2))
    report = lake.publish(*more, retract=True)
    assert (report.retracted, list(report.kept)) == ((), [FIRST])


def test_more_data_asked_for_than_when_it_was_published_withdraw_nothing(lake: Lake) -> None:
    clicks = lake.history(keys=(DS, HR))
    clicks.append(("2026-08-20", "00"), ("2026-08-20", "01"))
    few, many = (has_at_least(CLICKS, ds=column("ds"), records=records) for records in (1, 1_000))
    assert lake.publish(few).added == (FIRST,)
    clicks.delete(("2026-08-20", "01"))
    report = lake.publish(many, retract=True)
    assert report.retracted == ()
    assert "another question" in report.kept[FIRST]


def test_late_data_beside_a_loss_that_does_not_matter_withdraw_nothing(lake: Lake) -> None:
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
    assert lake.publish(HOURS_00, forever, retract=True).retracted == (FIRST,)


@pytest.mark.parametrize(("otherwise", "withdrawn"), [("unmet table", (FIRST,)), ("function", ())])
def test_of_rules_of_which_one_will_do_the_others_must_have_failed_when_it_was_published(
    lake: Lake, otherwise: str, withdrawn: tuple[str, ...]
) -> None:
    """What a function said then is not recorded: the partition may stand on that."""
    clicks, users = lake.history(), lake.history(USERS)
    clicks.append(("2026-08-20",), ("2026-08-25",))
    users.append(("2026-08-25",))
    other = requires(USERS, ds=column("ds")) if otherwise == "unmet table" else when(lambda _: False)
    assert FIRST in lake.publish(DAY | other).added
    clicks.delete(("2026-08-20",))
    report = lake.publish(DAY | other, retract=True)
    assert report.retracted == withdrawn
    assert all("it is unknown" in reason for reason in report.kept.values())


def test_a_partition_that_a_later_rule_of_two_was_met_by_is_not_withdrawn_for_the_other(lake: Lake) -> None:
    """Clicks had one of two hours when it was published on users, and have none now that users must have more."""
    clicks, users = lake.history(keys=(DS, HR)), lake.history(USERS)
    clicks.append(("2026-08-20", "00"), ("2026-08-25", "00"))
    users.append(("2026-08-20",))
    assert lake.publish(HOURS | requires(USERS, ds=column("ds"))).added == (FIRST,)
    clicks.delete(("2026-08-20", "00"))
    more = HOURS | has_at_least(USERS, ds=column("ds"), records=5)
    report = lake.publish(more, retract=True)
    assert (report.retracted, list(report.kept)) == ((), [FIRST])


def test_the_hours_of_all_rules_on_a_table_count(lake: Lake) -> None:
    clicks = lake.history(keys=(DS, HR))
    clicks.append(("2026-08-20", "00"), ("2026-08-20", "01"))
    rules = [requires(CLICKS, ds=column("ds"), hr=hour) for hour in ("00", "01")]
    assert lake.publish(*rules).added == (FIRST,)
    clicks.delete(("2026-08-20", "01"))
    assert lake.publish(*rules, retract=True).retracted == (FIRST,)


def test_a_table_that_it_stands_on_as_a_whole_may_have_others_of_its_partitions(lake: Lake) -> None:
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


def test_bounds_limit_what_is_withdrawn(lake: Lake, clicks: MemoryTableWithHistory) -> None:
    clicks.append(("2026-08-22",))
    clicks.delete(("2026-08-20",), ("2026-08-21",))
    assert lake.publish(DAY, retract=True, since={"ds": "2026-08-21"}).retracted == (SECOND,)


def test_what_others_declared_is_never_withdrawn(lake: Lake, clicks: MemoryTableWithHistory) -> None:
    lake.catalog.partitions(lake.view).add([{"ds": "2026-08-25"}])
    report = lake.publish(DAY, retract=True)
    assert report.retracted == ()
    assert "somebody else" in report.kept["ds=2026-08-25"]
    assert "ds=2026-08-25" in lake.declared()


@pytest.mark.parametrize(
    ("happens", "reason"),
    [
        (lambda clicks: clicks.delete(("2026-08-20",), ("2026-08-21",)), "no partitions at all"),
        (lambda clicks: clicks.make_anew(), "no partitions at all"),
        (lambda clicks: (clicks.make_anew(), clicks.append(("2026-08-21",))), "made anew"),
    ],
    ids=["emptied", "made anew, not yet loaded", "made anew, partly loaded"],
)
def test_a_table_that_may_be_loaded_anew_takes_no_partition_with_it(
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
    assert "was a delta table, and is a hive table" in lake.publish(DAY, retract=True).kept[FIRST]


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


def test_a_table_that_cannot_be_read_withdraws_nothing(
    lake: Lake, clicks: MemoryTableWithHistory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> Any:
        raise StorageUnavailableError("The storage went away.")

    clicks.delete(("2026-08-20",))
    monkeypatch.setattr(clicks, "current_state", fail)
    monkeypatch.setattr(clicks, "list_partitions", fail)
    with pytest.raises(StorageUnavailableError):
        lake.publish(DAY, retract=True)
    assert lake.declared() == [FIRST, SECOND]


def test_an_old_plan_does_not_withdraw_what_was_published_again_since(
    lake: Lake, clicks: MemoryTableWithHistory
) -> None:
    clicks.delete(("2026-08-20",))
    plan = lake.plan(DAY, retract=True)
    lake.publish(DAY, retract=True)
    clicks.append(("2026-08-20",))
    lake.publish(DAY)
    assert apply_plan(lake.catalog, plan).retracted == ()
    assert lake.declared() == [FIRST, SECOND]


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


class Interrupted(MemoryMetastore):
    """A metastore before whose second batch something happens."""

    def __init__(self) -> None:
        super().__init__()
        self.happens: Any = None
        self.verb = ""

    def add_partitions(self, *arguments: Any, **options: Any) -> Any:
        return self._then("add", super().add_partitions(*arguments, **options))

    def drop_partitions(self, *arguments: Any, **options: Any) -> Any:
        return self._then("drop", super().drop_partitions(*arguments, **options))

    def _then(self, verb: str, answer: Any) -> Any:
        if verb == self.verb and self.happens:
            happens, self.happens = self.happens, None
            happens()
        return answer


MANY = [f"{number:04}" for number in range(1100)]


@pytest.fixture
def interrupted() -> Interrupted:
    return Interrupted()


@pytest.fixture
def many(interrupted: Interrupted) -> Lake:
    return make_lake(interrupted)


def test_a_zombie_adds_nothing_between_batches_once_a_later_run_has_begun(many: Lake, interrupted: Interrupted) -> None:
    clicks = many.history()
    clicks.append(*[(day,) for day in MANY])
    interrupted.verb = "add"
    interrupted.happens = lambda: many.publish(when(lambda _: True), candidates=[], app_id="nightly", run_version=8)
    with pytest.raises(CommitFailedError, match=r"Run 7 of nightly .*run 8 has begun") as refused:
        many.publish(DAY, app_id="nightly", run_version=7)
    assert len(refused.value.added) == 500
    assert len(many.declared()) == 500
    report = many.publish(DAY, app_id="nightly", run_version=9)
    assert (len(report.added), len(report.already_published)) == (600, 500)
    assert len(many.declared()) == 1100


def test_a_zombie_withdraws_nothing_between_batches_once_a_later_run_has_begun(
    many: Lake, interrupted: Interrupted
) -> None:
    clicks = many.history()
    clicks.append(*[(day,) for day in MANY])
    many.publish(DAY)
    clicks.delete(*[(day,) for day in MANY[1:]])
    interrupted.verb = "drop"
    interrupted.happens = lambda: many.publish(when(lambda _: True), candidates=[], app_id="nightly", run_version=8)
    with pytest.raises(CommitFailedError, match="run 8 has begun") as refused:
        many.publish(DAY, retract=True, app_id="nightly", run_version=7)
    assert (refused.value.added, len(refused.value.dropped)) == ([], 500)
    assert len(many.declared()) == 600


def test_a_metastore_that_is_lost_between_batches_of_withdrawing_is_completed_by_the_next_run(
    many: Lake, interrupted: Interrupted
) -> None:
    clicks = many.history()
    clicks.append(*[(day,) for day in MANY])
    many.publish(DAY)
    clicks.delete(*[(day,) for day in MANY[1:]])
    clicks.append(("2027",))

    def lose() -> None:
        raise MetastoreUnavailableError("The metastore went away.", answer=Answer.NOT_SENT)

    interrupted.verb, interrupted.happens = "drop", lose
    with pytest.raises(MetastoreUnavailableError) as failure:
        many.publish(DAY, retract=True)
    assert failure.value.added == ["ds=2027"]
    report = many.publish(DAY, retract=True)
    assert (report.added, report.already_published) == ((), ("ds=0000", "ds=2027"))
    assert many.declared() == ["ds=0000", "ds=2027"]


def test_what_changes_while_a_table_is_read_does_not_count(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    """The listing is pinned: the next run sees the rest."""
    clicks, users = lake.history(), lake.history(USERS)
    rules = (DAY, requires(USERS, ds=column("ds")))
    clicks.append(("2026-08-20",))
    users.append(("2026-08-20",), ("2026-08-21",))
    list_clicks = clicks.list_partitions

    def list_while_it_changes() -> Any:
        listing = list_clicks()
        clicks.append(("2026-08-20",), ("2026-08-21",))
        clicks.delete(("2026-08-20",))
        return replace(listing)

    monkeypatch.setattr(clicks, "list_partitions", list_while_it_changes)
    report = lake.publish(*rules)
    assert (report.added, list(report.waiting)) == ((FIRST,), [SECOND])
    monkeypatch.undo()
    assert lake.states(*rules) == {FIRST: "missing"}
    report = lake.publish(*rules, retract=True)
    assert (report.added, report.retracted) == ((SECOND,), (FIRST,))


def test_candidates_limit_what_is_withdrawn(lake: Lake, clicks: MemoryTableWithHistory) -> None:
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


def test_an_error_at_the_very_end_tells_what_was_added(
    lake: Lake, clicks: MemoryTableWithHistory, monkeypatch: pytest.MonkeyPatch
) -> None:
    clicks.append(("2026-08-22",))
    commit, calls = lake.catalog.commit_own_properties, []

    def fail_at_the_end(*arguments: Any) -> Any:
        calls.append(arguments)
        if len(calls) == 2:
            raise MetastoreUnavailableError("The metastore went away.")
        return commit(*arguments)

    monkeypatch.setattr(lake.catalog, "commit_own_properties", fail_at_the_end)
    with pytest.raises(MetastoreUnavailableError) as caught:
        lake.publish(DAY, app_id="nightly", run_version=1)
    assert caught.value.added == ["ds=2026-08-22"]


class TestHiveTables:
    """Tables without history, on a metastore that tells when each was created."""

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
        assert "was made anew" in report.kept[FIRST]

    def test_one_that_lost_a_partition_has_it_withdrawn(self, lake: Lake) -> None:
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
        assert "another table of the name" in lake.publish(DAY, retract=True).kept[FIRST]
