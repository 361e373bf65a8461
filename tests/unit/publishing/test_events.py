"""Events about partitions: what they say, who is told of them, and what the next run makes up for."""

from __future__ import annotations

import itertools
import json
import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from hive_views import Publication, notify_changed, notify_late, plan_publish, read_publications, status
from hive_views.base_tables.memory import MemoryTableWithHistory
from hive_views.errors import InvalidInputError
from hive_views.metastore.memory import MemoryMetastore
from hive_views.persisted import UNREPORTED_SUFFIX
from hive_views.publishing.notifying import telling
from hive_views.publishing.notifying.receivers import Delivery, Receiver
from hive_views.publishing.notifying.unreported import UnreportedNotes, UnreportedPartitions
from hive_views.publishing.publish import apply_plan, publish_request
from hive_views.publishing.republish import republish
from hive_views.readiness.expectation import Expectation
from hive_views.spark import publish_all
from hive_views.storage.ownership import incarnation_of, publishing_directory
from tests.support.failing.publishing_steps import Killed, Steps, watched
from tests.support.tables.publishing_lake import DAY, FIRST, SECOND, Lake, make_lake

A, B = Receiver("https://a/x"), Receiver("https://b/x")
Told = list[tuple[str, dict[str, Any]]]


class Down(set[str]):
    """The targets that take nothing."""


@pytest.fixture
def down() -> Down:
    return Down()


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch, down: Down) -> Told:
    """By target, what was delivered, without a connection."""
    found: Told = []

    def deliver(receiver: Receiver, events: Sequence[dict[str, Any]]) -> Delivery:
        if receiver.target in down and events:
            return Delivery(frozenset(), "it is down")
        found.extend((receiver.target, json.loads(json.dumps(one))) for one in events)
        return Delivery(frozenset(one["id"] for one in events))

    monkeypatch.setattr(Receiver, "deliver", deliver)
    monkeypatch.setattr(telling, "_told", {})
    return found


@pytest.fixture
def clicks(lake: Lake) -> MemoryTableWithHistory:
    clicks = lake.history()
    clicks.append(("2026-08-20",), ("2026-08-21",))
    return clicks


def said(told: Told, to: Receiver = A) -> list[tuple[str, str]]:
    return [(one["data"]["kind"], one["subject"]) for target, one in told if target == to.target]


def ids(told: Told) -> list[str]:
    return [one["id"] for _, one in told]


def notes(lake: Lake) -> list[str]:
    directory = publishing_directory(lake.catalog.load_view(lake.view).metadata)
    return [location for location in lake.catalog.storage.list_files(directory) if location.endswith(UNREPORTED_SUFFIX)]


DECLARED = [("declared", FIRST), ("declared", SECOND)]


@pytest.mark.usefixtures("clicks")
class TestPublishing:
    def test_an_event_says_what_happened_to_which_partition(self, lake: Lake, told: Told) -> None:
        lake.publish(DAY, notify=A, app_id="nightly", run_version=3, publication="days")
        view = lake.catalog.load_view(lake.view)
        _, event = told[0]
        assert event == {
            "specversion": "1.0",
            "id": event["id"],
            "source": "hive-views:default.daily",
            "type": "hive_views.partition.declared.v1",
            "subject": FIRST,
            "time": event["time"],
            "datacontenttype": "application/json",
            "data": {
                "kind": "declared",
                "view": "default.daily",
                "partition": FIRST,
                "values": {"ds": "2026-08-20"},
                "publication": "days",
                "application": "nightly",
                "run_version": 3,
            },
        }
        assert event["time"].startswith("2026-08-21T00:00:0")
        assert event["time"].endswith("Z")
        assert view.uuid not in json.dumps(event)
        assert said(told) == DECLARED
        assert notes(lake) == []

    def test_what_is_declared_again_after_it_was_retracted_are_three_events(
        self, lake: Lake, clicks: MemoryTableWithHistory, told: Told
    ) -> None:
        lake.publish(DAY, notify=A)
        clicks.delete(("2026-08-20",))
        lake.publish(DAY, notify=A, retract=True)
        clicks.append(("2026-08-20",))
        lake.publish(DAY, notify=A, retract=True)
        lake.publish(DAY, notify=A, retract=True)
        assert said(told) == [*DECLARED, ("retracted", FIRST), ("declared", FIRST)]
        assert len(set(ids(told))) == 4

    def test_what_one_receiver_does_not_take_is_noted_for_it_alone(
        self, lake: Lake, told: Told, down: Down, caplog: pytest.LogCaptureFixture
    ) -> None:
        down.add(A.target)
        assert lake.publish(DAY, notify=[A, B]).added == (FIRST, SECOND)
        assert (said(told, A), said(told, B)) == ([], DECLARED)
        assert "2 of 2 events were not taken by https://a: it is down" in caplog.text
        lake.publish(DAY, notify=B)
        lake.publish(DAY)
        assert len(notes(lake)) == 1
        down.clear()
        lake.publish(DAY, notify=[A, B])
        lake.publish(DAY, notify=[A, B])
        assert (said(told, A), said(told, B)) == (DECLARED, DECLARED)
        assert set(ids(told[:2])) == set(ids(told[2:])), "an event has the same id for everybody"
        assert notes(lake) == []

    def test_what_was_retracted_and_not_told_is_told_before_it_is_declared_again(
        self, lake: Lake, clicks: MemoryTableWithHistory, told: Told, down: Down
    ) -> None:
        lake.publish(DAY, notify=A)
        down.add(A.target)
        clicks.delete(("2026-08-20",))
        lake.publish(DAY, notify=A, retract=True)
        clicks.append(("2026-08-20",))
        lake.publish(DAY, notify=A)
        down.clear()
        lake.publish(DAY, notify=A)
        assert said(told)[2:] == [("retracted", FIRST), ("declared", FIRST)]

    def test_a_run_that_is_skipped_tells_what_an_earlier_one_could_not(
        self, lake: Lake, told: Told, down: Down
    ) -> None:
        down.add(A.target)
        lake.publish(DAY, notify=A, app_id="nightly", run_version=1)
        down.clear()
        assert lake.publish(DAY, notify=A, app_id="nightly", run_version=1).skipped
        assert said(told) == DECLARED

    def test_a_callback_and_a_receiver_leave_each_other_their_notes(self, lake: Lake, told: Told, down: Down) -> None:
        unreported = UnreportedPartitions(lake.catalog, lake.catalog.load_view(lake.view), "hive_views")
        unreported.note([FIRST])
        down.add(A.target)
        lake.publish(DAY, notify=A)
        assert unreported.names() == [FIRST]
        unreported.forget([FIRST, SECOND])
        down.clear()
        lake.publish(DAY, notify=A)
        assert said(told) == DECLARED

    def test_what_somebody_else_declared_meanwhile_is_not_told(
        self, lake: Lake, told: Told, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write = UnreportedNotes.write

        def declared_by_another(self: UnreportedNotes, content: dict[str, Any]) -> str:
            lake.catalog.partitions(lake.view).add([{"ds": "2026-08-20"}], if_not_exists=True)
            return write(self, content)

        monkeypatch.setattr(UnreportedNotes, "write", declared_by_another)
        assert lake.publish(DAY, notify=A).added == (SECOND,)
        assert said(told) == [("declared", SECOND)]
        assert notes(lake) == []

    def test_a_dry_run_notes_and_tells_nothing(self, lake: Lake, told: Told, down: Down) -> None:
        down.add(A.target)
        lake.publish(DAY, notify=A, until={"ds": "2026-08-20"})
        noted = notes(lake)
        down.clear()
        lake.publish(DAY, notify=A, dry_run=True)
        assert (told, notes(lake)) == ([], noted)

    def test_a_plan_that_is_applied_is_told(self, lake: Lake, told: Told) -> None:
        plan = plan_publish(lake.catalog, lake.view, DAY, base_tables=lake.tables)
        apply_plan(lake.catalog, plan, notify=A)
        assert said(told) == DECLARED

    def test_what_a_dead_run_has_noted_and_not_done_is_forgotten_after_a_day(
        self, lake: Lake, told: Told, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lake.publish(DAY, until={"ds": "2026-08-20"})
        dead = telling.Telling(lake.catalog, lake.catalog.partitions(lake.view), [A], "days", "hive_views")
        dead.note(["ds=2026-08-29"], [FIRST])
        lake.publish(DAY, notify=A)
        assert len(notes(lake)) == 1, "it may be alive, and about to do it"
        monkeypatch.setattr(telling, "_LONGEST_RUN_MS", 0)
        lake.publish(DAY, notify=A)
        assert (said(told), notes(lake)) == ([("declared", SECOND)], [])

    @pytest.mark.parametrize(
        "content", [b"{", b'{"receiver": "KEY", "events": 7}', b'{"receiver": "KEY", "events": [{}]}']
    )
    def test_a_note_that_says_nothing_is_left_alone(self, lake: Lake, told: Told, content: bytes) -> None:
        view = lake.catalog.load_view(lake.view)
        location = f"{publishing_directory(view.metadata)}/{incarnation_of(view.metadata)}-0-0{UNREPORTED_SUFFIX}"
        lake.catalog.storage.write_bytes(location, content.replace(b"KEY", A.key.encode()))
        lake.publish(DAY, notify=A)
        assert said(told) == DECLARED
        assert notes(lake) == [location]

    def test_nothing_is_declared_where_it_cannot_be_noted(self, lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*_: object) -> str:
            raise telling.HiveViewsError("no room")

        monkeypatch.setattr(UnreportedNotes, "write", refuse)
        with pytest.raises(telling.HiveViewsError, match="no room"):
            lake.publish(DAY, notify=A)
        assert lake.declared() == []


class TestRedeclaring:
    def test_partitions_that_are_declared_again_are_told_of(
        self, lake: Lake, clicks: MemoryTableWithHistory, told: Told
    ) -> None:
        lake.publish(DAY, app_id="nightly", run_version=7, notify=A)
        clicks.append(("2026-08-20",))
        republish(lake.catalog, lake.view, base_tables=lake.tables, redeclare=True, notify=A)
        assert said(told)[2:] == [("declared", FIRST), ("retracted", FIRST)]
        assert len(set(ids(told))) == 4
        assert {one["data"]["application"] for _, one in told} == {"nightly"}

    def test_marked_ones_are_not(self, lake: Lake, clicks: MemoryTableWithHistory, told: Told) -> None:
        lake.publish(DAY)
        clicks.append(("2026-08-20",))
        republish(lake.catalog, lake.view, base_tables=lake.tables, notify=A)
        assert told == []

    def test_a_run_that_is_killed_is_told_of_by_the_one_that_completes_it(self, told: Told) -> None:
        """Before each of its calls: what has happened is told at least once, and nothing else is."""
        for last in itertools.count(1):
            told.clear()
            # Nothing is declared again within the second in which it was declared.
            lake = make_lake(MemoryMetastore(clock=itertools.count(1_787_270_400).__next__))
            clicks = lake.history()
            clicks.append(("2026-08-20",), ("2026-08-21",))
            lake.publish(DAY, notify=A)
            clicks.append(("2026-08-20",))
            options = {"base_tables": lake.tables, "redeclare": True, "notify": A}
            steps = Steps()
            steps.last = last
            with suppress(Killed):
                republish(watched(lake, steps), lake.view, **options)
                break
            republish(lake.catalog, lake.view, **options)
            assert set(lake.catalog.partitions(lake.view).names()) == {FIRST, SECOND}
            by_id = {one["id"]: (one["data"]["kind"], one["subject"]) for _, one in told}
            again = [("declared", FIRST), ("retracted", FIRST)]
            assert sorted(by_id.values()) == sorted([*DECLARED, *again]), last
        assert last > 10


class TestFound:
    def test_each_change_is_an_event_and_is_told_once_by_a_process(
        self, lake: Lake, clicks: MemoryTableWithHistory, told: Told
    ) -> None:
        lake.publish(DAY)
        for _ in range(2):
            clicks.append(("2026-08-20",))
            for _ in range(2):
                notify_changed(lake.catalog, lake.revalidate(DAY), A)
        assert said(told) == [("changed", FIRST)] * 2
        assert len(set(ids(told))) == 2
        data = told[1][1]["data"]
        assert (data["state"], data["commits"]) == ("changed", {"web.clicks": ["2", "3"]})
        assert data["reasons"] == ["web.clicks: changed by commits 2, 3: +2 rows, +2 files"]

    def test_a_change_that_is_not_taken_is_noted_once_and_told_by_the_next_run(
        self, lake: Lake, clicks: MemoryTableWithHistory, told: Told, down: Down
    ) -> None:
        lake.publish(DAY)
        clicks.delete(("2026-08-20",))
        down.add(A.target)
        for _ in range(2):
            notify_changed(lake.catalog, lake.revalidate(DAY), A)
        assert len(notes(lake)) == 1
        down.clear()
        lake.publish(DAY, notify=A)
        notify_changed(lake.catalog, lake.revalidate(DAY), A)
        assert said(told) == [("changed", FIRST)] * 2
        assert len(set(ids(told))) == 1, "a repeat has the same id"
        assert told[0][1]["data"]["state"] == "missing"

    def test_what_is_late_is_the_same_event_for_publish_and_status(self, told: Told, caplog: Any) -> None:
        now = datetime(2026, 8, 23, 5, tzinfo=timezone.utc)
        lake = make_lake(clock_ms=itertools.count(int(now.timestamp() * 1000)).__next__)
        lake.history().append(("2026-08-20",))
        expected = Expectation("daily", "6h")  # type: ignore[arg-type]  # a text is read
        lake.publish(DAY, since={"ds": "2026-08-20"}, expected=expected, notify=A)
        assert said(told) == [("declared", FIRST), ("late", SECOND)]
        notify_late(lake.catalog, status(lake.catalog, base_tables=lake.tables), [A, B])
        assert len(told) == 3, "this process has told A before"
        assert told[1][1] == told[2][1]
        since = datetime(2026, 8, 22, 6, tzinfo=timezone.utc)
        assert told[1][1]["time"] == "2026-08-22T06:00:00.000Z"
        assert told[1][1]["data"]["late_since_s"] == int(since.timestamp())
        assert told[1][1]["data"]["publication"] == "hive_views"
        assert told[1][1]["data"]["reasons"] == ["web.clicks at snapshot 1: ds=2026-08-21 is missing"]

    def test_a_view_that_is_gone_fails_nobody(self, lake: Lake, clicks: Any, caplog: pytest.LogCaptureFixture) -> None:
        lake.publish(DAY)
        report = lake.revalidate(DAY)
        lake.catalog.drop_view(lake.view)
        with caplog.at_level(logging.WARNING):
            notify_changed(lake.catalog, report, A)
        assert "nobody is told what has changed" in caplog.text


def test_a_file_of_publications_names_receivers(tmp_path: Path, told: Told, lake: Lake, clicks: Any) -> None:
    file = tmp_path / "publications.toml"
    file.write_text(
        f"""
        [defaults]
        notify = "{A.target}"
        [[publication]]
        view = "{lake.view}"
        rules = ['requires("web.clicks", ds=column("ds"))']
        notify = ["{A.target}", "{B.target}"]
        """
    )
    [publication] = read_publications(file)
    assert publication.notify == (A, B)
    with_token = publication.notifying("/c", "s3cr3t").notify
    assert [one.token for one in with_token] == ["s3cr3t"] * 3  # type: ignore[union-attr]
    assert "s3cr3t" not in repr(publication.notifying(None, "s3cr3t"))
    publish_request(lake.catalog, replace(publication.request(), base_tables=lake.tables))
    assert (said(told, A), said(told, B)) == (DECLARED, DECLARED)


def test_executors_write_to_no_file(lake: Lake) -> None:
    publication = Publication(lake.view, [DAY], notify=["https://ops.example", "/var/events.jsonl"])
    with pytest.raises(InvalidInputError, match=r"notifies file:///var/events.jsonl, which each executor"):
        publish_all(None, lake.catalog, [publication])
