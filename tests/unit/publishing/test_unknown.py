"""What is unknown makes a partition wait, whether it is asked for or its negation."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hive_views.base_tables.memory import MemoryTableWithHistory
from hive_views.base_tables.port import Commit, PartitionListing, Snapshot, Statistics
from hive_views.readiness.observations import Details, LateChanges, Mark
from hive_views.readiness.rules import (
    Rule,
    column,
    committed_with,
    has_at_least,
    marked_done,
    negate,
    quiet_for,
    requires,
    values_of,
    watermark_passed,
)
from tests.support.tables.publishing_lake import CLICKS, DAY, FIRST, SECOND, Lake
from tests.support.tables.publishing_plans import DS, HR, NOW_MS, ONE, planned, table

HELD = negate(committed_with(CLICKS, {"hold": column("ds")}))
"""Not a day that a writer has put on hold."""


def test_a_commit_that_history_has_forgotten_keeps_a_day_waiting_that_it_must_not_have(lake: Lake) -> None:
    clicks = lake.history()
    clicks.append(("2026-08-20",), properties={"hold": "2026-08-20"})
    clicks.append(("2026-08-21",))
    assert lake.plan(DAY, HELD).ready.keys() == {SECOND}
    clicks.expire(keep=1)
    plan = lake.plan(DAY, HELD)
    assert plan.ready == {}
    assert "some of which may have expired" in plan.waiting[FIRST][0]


def test_a_table_without_any_commit_certainly_has_none_with_these_properties(lake: Lake) -> None:
    lake.history()
    assert lake.plan(HELD, candidates=[{"ds": "2026-08-20"}]).ready.keys() == {FIRST}


HOUR = table({("1", "0"): Statistics(files=1, records=1, bytes=1, modified_at_ms=NOW_MS - 1_000)})
UNKNOWN_HOUR = table({("1", "0"): Statistics(files=1)})
LATEST = Snapshot("7", "t", NOW_MS)
EMPTY_REGIONS = PartitionListing("web.regions", "hive", (HR,), [])
DAY_1 = {"ds": column("ds")}


@pytest.mark.parametrize(
    ("rule", "listings", "details"),
    [
        (marked_done(CLICKS, DAY_1, by="event"), [HOUR], Details(marked={(CLICKS, Mark("event")): frozenset()})),
        (has_at_least(CLICKS, DAY_1, records=5), [UNKNOWN_HOUR], Details()),
        (
            quiet_for(CLICKS, DAY_1, seconds=60),
            [replace(HOUR, snapshot=LATEST)],
            Details(changes={(CLICKS, NOW_MS - 60_000): LateChanges()}),
        ),
        (quiet_for(CLICKS, DAY_1, seconds=60), [UNKNOWN_HOUR], Details()),
        (requires(CLICKS, DAY_1, hr=values_of("web.regions", "hr")), [HOUR, EMPTY_REGIONS], Details()),
        (has_at_least(CLICKS, DAY_1, hr=values_of("web.regions", "hr"), records=1), [HOUR, EMPTY_REGIONS], Details()),
        (watermark_passed(CLICKS, column("ds")), [replace(HOUR, snapshot=LATEST)], Details()),
        (
            committed_with(CLICKS, {"day": column("ds")}),
            [replace(HOUR, snapshot=LATEST)],
            Details(commits={CLICKS: [Commit(LATEST, "WRITE", {})]}),
        ),
    ],
    ids=[
        "event",
        "records",
        "history too short",
        "no time",
        "no values",
        "no values to have data",
        "watermark",
        "commit",
    ],
)
def test_what_is_unknown_makes_a_day_wait_either_way(
    rule: Rule, listings: list[PartitionListing], details: Details
) -> None:
    for asked in (rule, negate(rule), negate(negate(rule))):
        plan = planned(asked, *listings, details=details, candidates=ONE)
        assert list(plan.waiting) == ["ds=1"]
        assert plan.waiting["ds=1"][0]


@pytest.mark.parametrize("by", ["success-file", "paimon"])
def test_marks_that_are_kept_are_certainly_not_there(by: str) -> None:
    rule = marked_done(CLICKS, DAY_1, by=by)
    mark = Mark(by, "_SUCCESS" if by == "success-file" else "")  # type: ignore[arg-type]  # one of its words
    details = Details(marked={(CLICKS, mark): frozenset()})
    assert planned(negate(rule), HOUR, details=details, candidates=ONE).ready


def test_an_amount_that_is_certainly_too_small_decides_beside_one_that_is_not_reported() -> None:
    rule = has_at_least(CLICKS, DAY_1, records=5, files=2)
    assert planned(negate(rule), UNKNOWN_HOUR, candidates=ONE).ready


def test_data_that_came_lately_are_certain_where_history_covers_all_of_the_time() -> None:
    clicks = MemoryTableWithHistory(CLICKS, (DS, HR), clock_ms=iter([1, NOW_MS - 1_000]).__next__)
    before, now = clicks.append(("9", "0")), clicks.append(("1", "0"))
    late = LateChanges(clicks.changes(before, now).partitions, is_all=True)
    details = Details(changes={(CLICKS, NOW_MS - 60_000): late})
    rule = negate(quiet_for(CLICKS, DAY_1, seconds=60))
    assert planned(rule, clicks.list_partitions(), details=details, candidates=ONE).ready


def test_a_known_empty_partition_that_an_emptied_table_does_not_expect_is_no_error() -> None:
    hole = [{"ds": "1", "hr": 0}]
    rule = requires(CLICKS, DAY_1, hr=values_of("web.regions", "hr"), known_empty=hole)
    assert list(planned(rule, HOUR, EMPTY_REGIONS, candidates=ONE).waiting) == ["ds=1"]
    assert planned(rule, HOUR, replace(EMPTY_REGIONS, values=[("1",)]), candidates=ONE).waiting
