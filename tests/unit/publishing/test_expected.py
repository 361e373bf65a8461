"""Publications that expect partitions: what publish and status say when nothing arrives."""

from __future__ import annotations

import itertools
import logging
from collections import Counter
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from hive_views.metastore.memory import MemoryMetastore
from hive_views.publishing.batch.publications_file import read_publications
from hive_views.publishing.batch.publish_each import publish_each
from hive_views.publishing.ledger.recorded_rules import recorded_rules
from hive_views.publishing.publish import publish
from hive_views.publishing.status import PublicationStatus, status
from hive_views.readiness.expectation import Expectation
from hive_views.readiness.rules import column, requires, when
from hive_views.spec.identifiers import TableIdentifier
from tests.support.tables.hive_setup import table_row
from tests.support.tables.publishing_lake import CLICKS, DAY, DS, FIRST, SECOND, Lake, make_lake
from tests.support.views.catalog_setup import create

NOW = datetime(2026, 8, 23, 5, tzinfo=timezone.utc)
THIRD = "ds=2026-08-22"
DAILY = Expectation("daily", "6h")  # type: ignore[arg-type]  # a text is read
SINCE = {"ds": "2026-08-20"}


@pytest.fixture
def lake() -> Lake:
    ticks = itertools.count(int(NOW.timestamp() * 1000))
    lake = make_lake(clock_ms=ticks.__next__)
    lake.history().append(("2026-08-20",))
    return lake


def status_of(lake: Lake) -> PublicationStatus:
    [found] = status(lake.catalog, base_tables=lake.tables)
    return found


def test_a_day_for_which_nothing_arrived_waits_and_is_late(lake: Lake) -> None:
    report = lake.publish(DAY, since=SINCE, expected=DAILY)
    assert report.added == (FIRST,)
    assert set(report.waiting) == {SECOND, THIRD}
    assert report.waiting[SECOND] == ("web.clicks at snapshot 1: ds=2026-08-21 is missing",)
    assert report.late == {SECOND: int(datetime(2026, 8, 22, 6, tzinfo=timezone.utc).timestamp())}


def test_status_says_what_is_due_and_what_is_late_and_since_when(lake: Lake) -> None:
    lake.publish(DAY, since=SINCE, expected=DAILY)
    found = status_of(lake)
    assert (found.due, list(found.late), found.skipped) == ((THIRD,), [SECOND], ())
    assert list(found.waiting) == [SECOND, THIRD]
    assert found.last_published == FIRST
    assert found.last_published_at_ms is not None


def test_what_is_ready_and_not_published_is_late_as_well(lake: Lake) -> None:
    lake.publish(DAY, since=SINCE, expected=DAILY)
    lake.tables[CLICKS].append(("2026-08-21",))  # type: ignore[attr-defined]
    found = status_of(lake)
    assert (found.ready, list(found.late)) == ((SECOND,), [SECOND])
    assert lake.publish(DAY, since=SINCE, expected=DAILY).late == {}
    assert status_of(lake).late == {}


def test_a_holiday_is_skipped(lake: Lake) -> None:
    holiday = Expectation("daily", known_empty=[{"ds": ("2026-08-21",)}])
    report = lake.publish(DAY, since=SINCE, expected=holiday)
    assert (set(report.waiting), set(report.late)) == ({THIRD}, {THIRD})
    assert status_of(lake).skipped == (SECOND,)


def test_nothing_is_early_although_its_rule_holds(lake: Lake) -> None:
    """The rule holds for every day, and only those are declared whose time has passed."""
    assert lake.publish(when("builtins:bool"), since=SINCE, expected=DAILY).added == (FIRST, SECOND, THIRD)


def test_late_days_come_before_others_in_the_status(lake: Lake) -> None:
    lake.publish(DAY, until={"ds": "2026-08-19"}, publication="a")
    lake.publish(DAY, since=SINCE, expected=DAILY, publication="b")
    assert [one.publication for one in status(lake.catalog, base_tables=lake.tables)] == ["b", "a"]


def test_what_is_late_is_known_although_the_rules_are_not_recorded(lake: Lake) -> None:
    lake.publish(when(lambda partition: partition["ds"] == "2026-08-20"), since=SINCE, expected=DAILY)
    found = status_of(lake)
    assert found.error is not None
    assert list(found.late) == [SECOND]


@pytest.mark.parametrize("named", [{}, {"publication": "nightly"}])
def test_the_expectation_is_recorded_with_the_rules(lake: Lake, named: dict[str, Any]) -> None:
    lake.publish(DAY, since=SINCE, expected=DAILY, **named)
    [recorded] = recorded_rules(lake.catalog.load_view(lake.view).metadata.properties)
    assert recorded.expected == DAILY
    before = lake.catalog.load_view(lake.view).metadata_location
    lake.publish(DAY, since=SINCE, expected=DAILY, **named)
    assert lake.catalog.load_view(lake.view).metadata_location == before


def test_a_run_without_a_name_keeps_the_expectation_that_is_recorded(lake: Lake) -> None:
    lake.publish(DAY, since=SINCE, expected=DAILY)
    lake.publish(DAY, since={"ds": "2026-08-21"})
    assert list(status_of(lake).late) == [SECOND]


def test_what_is_expected_in_another_spelling_is_warned_of(lake: Lake, caplog: pytest.LogCaptureFixture) -> None:
    lake.publish(DAY, since=SINCE, expected=Expectation("daily", columns={"ds": "yyyyMMdd"}))
    assert "the expected partition ds='20260822' is compared as text, and no partition is spelled" in caplog.text


def test_what_is_not_due_yet_is_no_error(lake: Lake) -> None:
    report = lake.publish(when("builtins:bool"), since={"ds": "2026-12-24"}, expected=DAILY)
    assert (report.added, report.waiting) == ((), {})


def test_given_candidates_expect_nothing_else(lake: Lake) -> None:
    report = lake.publish(DAY, candidates=[{"ds": "2026-08-20"}], expected=DAILY)
    assert (report.added, report.waiting, report.late) == ((FIRST,), {}, {})


def test_a_file_says_what_is_expected(lake: Lake, tmp_path: Path) -> None:
    file = tmp_path / "publications.toml"
    file.write_text("""
[defaults]
late_after = "6h"
time_zone = "Europe/Berlin"

[[publication]]
view = "default.daily"
rules = ['requires("web.clicks", ds=column("ds"))']
since = "ds=2026-08-20"
expected = "daily"
expected_columns = { ds = "yyyy-MM-dd" }
known_empty = ["ds=2026-08-22"]

[[publication]]
view = "default.other"
rules = ['requires("web.clicks", ds=column("ds"))']
""")
    [one, other] = read_publications(file)
    assert str(one.expected) == "daily, late after 6h (Europe/Berlin)"
    assert other.expected is None
    [outcome] = publish_each(lake.catalog, [one])
    assert outcome.error_type == "NoSuchTableError"  # of the metastore, which has none of this lake's


@pytest.mark.parametrize(
    ("options", "warned"),
    [
        ({"since": {"ds": "20260820"}}, "since ds='20260820' is compared as text"),
        ({"until": {"ds": "20260822"}}, "until ds='20260822' is compared as text"),
        ({"candidates": [{"ds": "20260821"}]}, "partition 1 ds='20260821' is compared as text"),
        ({"candidates": [{"ds": "2026-08-21"}]}, None),
        ({"since": {"ds": "2026-08"}}, None),
    ],
)
def test_a_value_that_is_spelled_as_no_partition_is_warned_of(
    lake: Lake, caplog: pytest.LogCaptureFixture, options: dict[str, Any], warned: str | None
) -> None:
    lake.publish(DAY)
    with caplog.at_level(logging.WARNING):
        lake.publish(requires(CLICKS, ds=column("ds")), **options)
        published = caplog.text
        caplog.clear()
        lake.revalidate(**options)
    assert (warned in published and warned in caplog.text) if warned else not published + caplog.text


def test_the_status_of_many_publications_reads_a_table_once() -> None:
    metastore = MemoryMetastore()
    metastore.create_namespace("web")
    for name in ("clicks", "users"):
        row = table_row("web", (DS,), f"memory://{name}")
        metastore.create_row(replace(row, identifier=TableIdentifier("web", name)))
    lake = make_lake(metastore, clock_ms=lambda: int(NOW.timestamp() * 1000))
    history = lake.history("web.orders")
    history.append(("2026-08-20",))
    for number in range(6):
        create(lake.catalog, f"default.view_{number}", partitioned_on=["ds"])
        rule = requires(("web.clicks", "web.users", "web.orders")[number % 3], ds=column("ds"))
        publish(lake.catalog, f"default.view_{number}", rule, since=SINCE, expected=DAILY, base_tables=lake.tables)
    asked: Counter[str] = Counter()
    for verb in ("partition_names_within", "partition_names", "load_row"):
        _count(asked, metastore, verb)
    _count(asked, history, "current_state")
    found = status(lake.catalog, base_tables=lake.tables)
    assert [list(one.late) for one in found] == [[FIRST, SECOND], [FIRST, SECOND], [SECOND]] * 2
    # The rows of seven views and of two tables, which are listed once.
    assert (asked["load_row"], asked["partition_names_within"], asked["current_state"]) == (9, 2, 1)
    assert asked["partition_names"] == 6  # those of the views


def _count(asked: Counter[str], of: Any, verb: str) -> None:
    call = getattr(of, verb)

    def counted(*arguments: Any, **options: Any) -> Any:
        asked[verb] += 1
        return call(*arguments, **options)

    setattr(of, verb, counted)
