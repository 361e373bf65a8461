"""The state of the base tables of published partitions, from pins and fingerprints."""

from __future__ import annotations

import json

import pytest

from hive_views.publishing.ledger.inputs import read_inputs
from hive_views.readiness.rules import column, has_at_least, requires, when
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

# -- tables with history -----------------------------------------------------------------------------------------------


def test_a_partition_is_stored_with_the_snapshot_it_depends_on(lake: Lake) -> None:
    clicks = lake.history()
    snapshot = clicks.append(("2026-08-20",))
    lake.publish(DAY)
    document = json.loads(lake.inputs(FIRST))[CLICKS]
    assert (document["format"], document["partitions"]) == ("delta", 1)
    assert (document["snapshot"], document["table-id"]) == (snapshot.id, snapshot.table_id)


@pytest.mark.parametrize(
    ("verbs", "state", "commits"),
    [
        ((), "current", ()),
        (("compact",), "rewritten", ("2",)),
        (("append",), "changed", ("2",)),
        (("append", "compact", "overwrite"), "changed", ("2", "3", "4")),
        (("delete",), "missing", ("2",)),
        (("delete", "append"), "changed", ("2", "3")),
    ],
    ids=lambda one: "-".join(one) if isinstance(one, tuple) else one,
)
def test_what_happened_to_its_base_partitions_is_reported_with_the_commits(
    lake: Lake, verbs: tuple[str, ...], state: str, commits: tuple[str, ...]
) -> None:
    clicks = lake.history()
    clicks.append(("2026-08-20",), ("2026-08-21",), files=3)
    lake.publish(DAY)
    for verb in verbs:
        getattr(clicks, verb)(("2026-08-20",))
    partitions = lake.revalidate(DAY).partitions
    assert (partitions[FIRST].state, partitions[FIRST].commits.get(CLICKS, ())) == (state, commits)
    assert bool(partitions[FIRST].reasons) == (state != "current")
    assert (partitions[SECOND].state, partitions[SECOND].reasons) == ("current", ())


def test_reasons_are_for_people(lake: Lake) -> None:
    clicks = lake.history()
    clicks.append(("2026-08-20",), ("2026-08-21",))
    lake.publish(DAY)
    clicks.append(("2026-08-20",))
    clicks.delete(("2026-08-21",))
    report = lake.revalidate(DAY)
    assert report.partitions[FIRST].reasons == ("web.clicks: changed by commit 2: +1 rows, +1 files",)
    assert "ds=2026-08-21 is missing" in report.partitions[SECOND].reasons[0]
    assert report.in_state("missing", "changed") == (FIRST, SECOND)
    assert not report.all_unchanged


def test_an_hour_that_is_gone_is_missing_although_others_are_there(lake: Lake) -> None:
    clicks = lake.history(keys=(DS, HR))
    clicks.append(("2026-08-20", "00"), ("2026-08-20", "01"))
    lake.publish(HOURS)
    clicks.delete(("2026-08-20", "01"))
    assert lake.states(HOURS) == {FIRST: "missing"}


def test_an_hour_that_is_gone_is_a_change_where_any_hour_will_do(lake: Lake) -> None:
    clicks = lake.history(keys=(DS, HR))
    clicks.append(("2026-08-20", "00"), ("2026-08-20", "01"))
    lake.publish(DAY)
    clicks.delete(("2026-08-20", "01"))
    assert lake.states(DAY) == {FIRST: "changed"}


def test_an_hour_that_only_one_of_the_rules_depends_on_is_not_missing_for_the_others(lake: Lake) -> None:
    clicks = lake.history(keys=(DS, HR))
    clicks.append(("2026-08-20", "00"), ("2026-08-20", "01"), ("2026-08-20", "02"), records=2)
    rules = HOURS, has_at_least(CLICKS, ds=column("ds"), records=6)
    lake.publish(*rules)
    clicks.overwrite(("2026-08-20", "00"), records=1)
    assert lake.states(*rules) == {FIRST: "changed"}


def test_an_hour_that_nobody_asked_for_is_no_change(lake: Lake) -> None:
    clicks = lake.history(keys=(DS, HR))
    clicks.append(("2026-08-20", "00"), ("2026-08-20", "01"))
    lake.publish(HOURS)
    clicks.append(("2026-08-20", "02"), (None, "00"))
    assert lake.states(HOURS) == {FIRST: "current"}


def test_each_partition_is_compared_with_the_snapshot_it_was_published_at(lake: Lake) -> None:
    clicks = lake.history()
    clicks.append(("2026-08-20",))
    lake.publish(DAY)
    clicks.append(("2026-08-20",), ("2026-08-21",))
    lake.publish(DAY)
    assert lake.states(DAY) == {FIRST: "changed", SECOND: "current"}


def test_the_worst_of_several_tables_counts_and_what_is_certain_goes_before_what_is_unknown(lake: Lake) -> None:
    clicks, users = lake.history(), lake.history(USERS)
    rules = (DAY, requires(USERS, ds=column("ds")))
    for table in (clicks, users):
        table.append(("2026-08-20",), ("2026-08-21",))
    lake.publish(*rules)
    clicks.append(("2026-08-20",))
    users.compact(("2026-08-20",), ("2026-08-21",))
    assert lake.states(*rules) == {FIRST: "changed", SECOND: "rewritten"}
    users.expire()
    assert lake.states(*rules) == {FIRST: "changed", SECOND: "unknown"}


def test_what_has_expired_or_was_recreated_is_unknown(lake: Lake) -> None:
    clicks = lake.history()
    clicks.append(("2026-08-20",))
    lake.publish(DAY)
    clicks.append(("2026-08-21",))
    clicks.expire()
    assert "expired" in lake.revalidate(DAY).partitions[FIRST].reasons[0]
    clicks.recreate()
    clicks.append(("2026-08-20",))
    assert "recreated" in lake.revalidate(DAY).partitions[FIRST].reasons[0]
    assert lake.states(DAY) == {FIRST: "unknown"}


def test_changes_of_a_table_are_read_once_for_each_pin(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    clicks = lake.history()
    for day in range(1, 5):
        clicks.append((f"2026-08-0{day}",), (f"2026-08-1{day}",))
        lake.publish(DAY)
    asked: list[tuple[str, str]] = []
    changes = clicks.changes
    monkeypatch.setattr(clicks, "changes", lambda *pair: asked.append((pair[0].id, pair[1].id)) or changes(*pair))
    assert set(lake.states(DAY).values()) == {"current"}
    assert asked == [("3", "4"), ("2", "3"), ("1", "2")]


# -- tables without history --------------------------------------------------------------------------------------------


@pytest.fixture
def hive(lake: Lake) -> Fingerprinted:
    table = Fingerprinted(CLICKS, (DS, HR), [("2026-08-20", "00"), ("2026-08-20", "01"), ("2026-08-21", "00")])
    lake.tables[CLICKS] = table
    return table


def test_fingerprints_are_asked_once_and_of_the_base_partitions_of_ready_partitions_only(
    lake: Lake, hive: Fingerprinted
) -> None:
    lake.publish(HOURS)
    assert hive.asked == [[("2026-08-20", "00"), ("2026-08-20", "01")]]
    recorded = read_inputs(lake.inputs(FIRST))
    assert recorded
    assert recorded[CLICKS].fingerprint
    assert recorded[CLICKS].partitions == 2
    hive.asked.clear()
    lake.publish(HOURS)
    assert hive.asked == []


def test_fingerprints_can_be_left_out_and_then_nothing_is_known(lake: Lake, hive: Fingerprinted) -> None:
    lake.publish(HOURS, fingerprints=False)
    assert hive.asked == []
    assert "fingerprint" not in lake.inputs(FIRST)
    assert lake.states(HOURS) == {FIRST: "unknown"}


def test_a_partition_whose_statistics_are_others_has_changed(lake: Lake, hive: Fingerprinted) -> None:
    lake.publish(DAY)
    assert lake.states(DAY) == {FIRST: "current", SECOND: "current"}
    hive.load_again("2026-08-20", "01")
    report = lake.revalidate(DAY)
    assert report.in_state("changed") == (FIRST,)
    assert report.partitions[FIRST].commits == {}
    assert "statistics or DDL time" in report.partitions[FIRST].reasons[0]


def test_base_partitions_that_came_or_went_are_a_change(lake: Lake, hive: Fingerprinted) -> None:
    lake.publish(DAY)
    hive.add(("2026-08-20", "02"))
    hive.drop(("2026-08-21", "00"))
    assert lake.states(DAY) == {FIRST: "changed", SECOND: "missing"}


# -- partitions of others, bounds --------------------------------------------------------------------------------------


def test_what_somebody_else_declared_is_unknown(lake: Lake) -> None:
    lake.history().append(("2026-08-20",))
    lake.catalog.partitions(lake.view).add([{"ds": "2026-08-20"}, {"ds": "2026-08-21"}])
    report = lake.revalidate(DAY)
    assert report.partitions[FIRST].state == "unknown"
    assert "another program" in report.partitions[FIRST].reasons[0]
    assert report.partitions[SECOND].state == "unknown"


def test_a_table_that_it_was_not_published_on_is_unknown(lake: Lake) -> None:
    lake.history().append(("2026-08-20",))
    lake.history(USERS).append(("2026-08-20",))
    lake.publish(DAY)
    rules = (DAY, requires(USERS, ds=column("ds")))
    assert lake.states(*rules) == {FIRST: "unknown"}


def test_bounds_limit_what_is_looked_at_and_nothing_is_written(lake: Lake) -> None:
    clicks = lake.history()
    clicks.append(("2026-08-20",), ("2026-08-21",), ("2026-08-22",))
    lake.publish(DAY)
    before = lake.catalog.load_view(lake.view).metadata_location, lake.inputs(FIRST)
    clicks.append(("2026-08-21",))
    found = lake.states(DAY, since={"ds": "2026-08-21"}, until={"ds": "2026-08-21"})
    assert found == {SECOND: "changed"}
    assert (lake.catalog.load_view(lake.view).metadata_location, lake.inputs(FIRST)) == before


def test_a_view_without_partitions_has_nothing_to_report(lake: Lake) -> None:
    lake.history().append(("2026-08-20",))
    report = lake.revalidate(DAY)
    assert report.partitions == {}
    assert report.all_unchanged
    with pytest.warns(DeprecationWarning, match="all_unchanged"):
        assert report.show_what_was_published


def test_a_rule_that_does_not_hold_any_more_takes_nothing_away(lake: Lake) -> None:
    """A quiet time, a mark and a function may say no though every base partition is there."""
    clicks = lake.history()
    clicks.append(("2026-08-20",), ("2026-08-21",))
    lake.publish(DAY)
    clicks.append(("2026-08-21",))
    report = lake.revalidate(DAY & when(lambda _: "it is being counted"))
    assert {name: one.state for name, one in report.partitions.items()} == {FIRST: "unknown", SECOND: "changed"}
    assert "it is being counted" in report.partitions[FIRST].reasons[0]
    assert report.partitions[SECOND].commits


def test_another_hour_in_place_of_one_that_is_gone_is_missing_all_the_same(lake: Lake) -> None:
    clicks = lake.history(keys=(DS, HR))
    clicks.append(("2026-08-20", "00"), ("2026-08-20", "01"))
    lake.publish(HOURS)
    clicks.delete(("2026-08-20", "01"))
    clicks.append(("2026-08-20", "02"))
    assert lake.states(HOURS) == {FIRST: "missing"}


def test_another_hour_in_place_of_one_that_is_gone_is_missing_whatever_rule_does_not_hold(lake: Lake) -> None:
    """As ``retract`` judges it."""
    clicks = lake.history(keys=(DS, HR))
    clicks.append(("2026-08-20", "00"), ("2026-08-20", "01"))
    lake.publish(DAY)
    clicks.delete(("2026-08-20", "01"))
    clicks.append(("2026-08-20", "02"))
    assert lake.states(DAY) == {FIRST: "changed"}
    assert lake.states(DAY & when(lambda _: False)) == {FIRST: "missing"}


def test_without_history_other_hours_in_the_same_number_are_a_change(lake: Lake) -> None:
    clicks = Fingerprinted(CLICKS, (DS, HR), [("2026-08-20", "00"), ("2026-08-20", "01")])
    lake.tables[CLICKS] = clicks
    lake.publish(DAY, fingerprints=False)
    assert lake.states(DAY) == {FIRST: "unknown"}
    clicks.drop(("2026-08-20", "01"))
    clicks.add(("2026-08-20", "02"))
    assert lake.states(DAY) == {FIRST: "changed"}
    assert "different partitions" in lake.revalidate(DAY).partitions[FIRST].reasons[0]


def test_without_history_what_other_rules_ask_than_those_of_the_publication_is_unknown(
    lake: Lake, hive: Fingerprinted
) -> None:
    one_hour = requires(CLICKS, ds=column("ds"), hr="01")
    lake.publish(one_hour)
    hive.drop(("2026-08-20", "00"))
    found = lake.revalidate(DAY).partitions[FIRST]
    assert (found.state, found.reasons) == (
        "unknown",
        (f"{CLICKS}: these rules require something that was not required when it was published",),
    )
    assert lake.states(one_hour)[FIRST] == "current"


def test_without_history_two_rules_on_two_hours_of_a_table_are_no_change(lake: Lake) -> None:
    lake.tables[CLICKS] = Fingerprinted(CLICKS, (DS, HR), [("2026-08-20", "00"), ("2026-08-20", "01")])
    rules = [requires(CLICKS, ds=column("ds"), hr=hour) for hour in ("00", "01")]
    lake.publish(*rules)
    assert lake.states(*rules) == {FIRST: "current"}
