"""Three weeks of forty publications against a plain model: what is due, late, published and changed is right each day.

Hours arrive late or never, days are rewritten and deleted, a writer dies for days, each day a run is killed somewhere,
and two publishers work on one view at once. Who is told of all this is down every third day.
"""

from __future__ import annotations

import itertools
import random
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta, timezone
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from hive_views.metastore.memory import MemoryMetastore
from hive_views.publishing.notify import notify_changed
from hive_views.publishing.notifying.events import Event
from hive_views.publishing.notifying.receivers import Delivery, Receiver
from hive_views.publishing.publish import publish
from hive_views.publishing.revalidation import revalidate
from hive_views.publishing.status import PublicationStatus, status
from hive_views.readiness.expectation import Expectation
from hive_views.readiness.rules import Rule, any_of, column, requires
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.engine import CommitSettings
from tests.stateful.publishing_drivers import Delta, Driver, Hive, HiveBySpark, Iceberg
from tests.support.failing.publishing_steps import Killed, Meeting, Steps
from tests.support.views.catalog_setup import create

FIRST_DAY, DAYS = date(2026, 8, 1), 21
HOURS = ("7", "8", "9")
HOLIDAY = "2026-08-15"
TABLES: tuple[tuple[str, Callable[[Path], Driver]], ...] = (
    ("web.hive", Hive),
    ("web.hive_by_spark", HiveBySpark),
    ("web.delta", Delta),
    ("web.more_delta", Delta),
    ("web.iceberg", Iceberg),
    ("web.more_hive", Hive),
)
OPS = Receiver("https://ops.example")
Hour = tuple[str, str]
BY_HOUR: Mapping[str, Any] = {
    "sql": {"hive": "SELECT clicks, ds, hr FROM web.clicks"},
    "schema": [("clicks", "bigint"), ("ds", "string"), ("hr", "int")],
    "partitioned_on": ["ds", "hr"],
}


@dataclass
class Table:
    """One base table, and what the model knows of it: by hour, the number of its last write."""

    name: str
    driver: Driver
    hours: dict[Hour, int] = field(default_factory=dict)
    coming: dict[Hour, datetime] = field(default_factory=dict)

    def arrive(self, now: datetime, numbers: Iterator[int]) -> None:
        here = sorted(hour for hour, at in self.coming.items() if at <= now)
        if here:
            self.driver.append(here, 1, {})
            self.hours |= {hour: next(numbers) for hour in here}
            self.coming = {hour: at for hour, at in self.coming.items() if hour not in here}


@dataclass
class Published:
    """One publication, and what the model knows of it: by partition, what it was published on."""

    view: str
    rule: Rule
    expectation: Expectation
    needs: Callable[[str], list[list[tuple[str, Hour]]]]
    by_hour: bool = False
    retract: bool = False
    reads: str | None = None
    inputs: dict[str, tuple[Any, ...]] = field(default_factory=dict)

    def partitions_of(self, day: str) -> list[str]:
        return [f"ds={day}/hr={hour}" for hour in range(24)] if self.by_hour else [f"ds={day}"]


class Month:
    def __init__(self, directory: Path, seed: int) -> None:
        self.random = random.Random(seed)
        self.numbers = itertools.count(1)
        self.now = datetime.combine(FIRST_DAY, time(8), timezone.utc)
        self.tables = {name: Table(name, make(directory / str(at))) for at, (name, make) in enumerate(TABLES)}
        settings = CommitSettings(clock_ms=lambda: int(self.now.timestamp() * 1000))
        self.metastore = MemoryMetastore(clock=lambda: self.now.timestamp())  # noqa: PLW0108 - the time of then
        warehouse = f"memory://{uuid.uuid4().hex}"
        self.catalog = ViewCatalog(self.metastore, warehouse=warehouse, settings=settings)
        self.publications = {one.view: one for one in self._publications()}
        self.is_down = False
        self.told: dict[str, Event] = {}
        self.expected_to_be_told: set[tuple[str, str, str]] = set()
        for one in self.publications.values():
            create(self.catalog, one.view, **(BY_HOUR if one.by_hour else {"partitioned_on": ["ds"]}))

    def _publications(self) -> Iterator[Published]:
        day, hours = column("ds"), [int(hour) for hour in HOURS]
        for at, name in enumerate(self.tables):
            other = [*self.tables][at - 1]

            def whole(ds: str, *names: str) -> list[tuple[str, Hour]]:
                return [(one, (ds, hour)) for one in names for hour in HOURS]

            rule = requires(name, ds=day, hr=hours)
            utc, berlin = Expectation("daily"), Expectation("daily", timedelta(hours=6), "Europe/Berlin")
            new_york = Expectation("daily", timedelta(days=2), "America/New_York", {}, [{"ds": (HOLIDAY,)}])
            yield Published(f"default.utc_{at}", rule, utc, lambda ds, n=name: [whole(ds, n)])
            yield Published(f"default.berlin_{at}", rule, berlin, lambda ds, n=name: [whole(ds, n)], retract=True)
            yield Published(f"default.york_{at}", rule, new_york, lambda ds, n=name: [whole(ds, n)])
            joined, either = rule & requires(other, ds=day, hr=hours), any_of(rule, requires(other, ds=day, hr=hours))
            yield Published(f"default.join_{at}", joined, berlin, lambda ds, n=name, o=other: [whole(ds, n, o)])
            yield Published(f"default.any_{at}", either, utc, lambda ds, n=name, o=other: [whole(ds, n), whole(ds, o)])
            hourly = requires(name, ds=day, hr=column("hr"))
            of_hours = Expectation("daily", timedelta(hours=1), columns={"hr": HOURS})
            yield Published(f"default.hours_{at}", hourly, of_hours, lambda _: [], by_hour=True)
            if at < 4:
                above = f"default.utc_{at}"
                downstream = requires(above, ds=day)
                yield Published(f"default.z_above_{at}", downstream, utc, lambda _: [], reads=above)

    # -- what happens -------------------------------------------------------------------------------------------------

    def a_day_comes(self, number: int) -> str:
        """The data of a day, most of it soon after midnight, some late, some never; and old data that changes."""
        day = FIRST_DAY + timedelta(number)
        midnight = datetime.combine(day + timedelta(1), time(0), timezone.utc)
        for at, table in enumerate(self.tables.values()):
            is_dead = at == number % 9 or (at == 2 and 10 <= number < 13)
            for hour in HOURS:
                late = self.random.choice([0, 0, 0, 0, 0, 0, 1, 3]) if not is_dead else 4
                if self.random.random() > 0.04:
                    table.coming[day.isoformat(), hour] = midnight + timedelta(days=late, hours=1)
        self.now = midnight + timedelta(hours=8)
        for table in self.tables.values():
            table.arrive(self.now, self.numbers)
        self.old_data_changes()
        return day.isoformat()

    def old_data_changes(self) -> None:
        table = self.random.choice([*self.tables.values()])
        if not table.hours:
            return
        hour = self.random.choice(sorted(table.hours))
        if self.random.random() < 0.3 and len(table.hours) > len(HOURS):
            table.driver.drop(hour)
            del table.hours[hour]
        else:
            table.driver.overwrite(hour, rows=2)
            table.hours[hour] = next(self.numbers)

    # -- what we do ---------------------------------------------------------------------------------------------------

    def publish(self, one: Published, catalog: ViewCatalog | None = None) -> Any:
        return publish(
            catalog or self.catalog,
            one.view,
            one.rule,
            since={"ds": FIRST_DAY.isoformat()},
            expected=one.expectation,
            retract=one.retract,
            base_tables=self.readers(),
            notify=OPS,
        )

    def deliver(self, events: Sequence[Event]) -> Delivery:
        """What the receiver does; none of what it is told is early."""
        if self.is_down and events:
            return Delivery(frozenset(), "it is down")
        for event in events:
            about = event["data"]
            if about["kind"] == "declared" and event["id"] not in self.told:
                assert event["subject"] in self.catalog.partitions(about["view"]).names()
            self.told.setdefault(event["id"], event)
        return Delivery(frozenset(event["id"] for event in events))

    def readers(self) -> Mapping[str, Any]:
        return {name: table.driver.open() for name, table in self.tables.items()}

    def a_run_is_killed(self) -> None:
        one = self.random.choice([*self.publications.values()])
        steps = Steps()
        steps.last = self.random.randint(1, 24)
        with suppress(Killed):
            self.publish(one, self.watched(steps))

    def watched(self, steps: Steps) -> ViewCatalog:
        # A real metastore frees the lock of a dead process after a while; the one in memory waits for ever.
        settings = replace(self.catalog.settings, lock="never")
        return ViewCatalog(steps.watch(self.metastore), steps.watch(self.catalog.storage), settings=settings)

    def two_publishers_meet(self) -> None:
        one = self.random.choice([one for one in self.publications.values() if not one.reads])
        meeting = Meeting(self.random.randint(1, 12), lambda: self.publish(one))
        self.publish(one, self.watched(meeting))
        self.check_declared_at_most(one)

    def all_are_published(self) -> None:
        for one in self.publications.values():
            report = self.publish(one)
            self.model_publishes(one)
            assert sorted(self.catalog.partitions(one.view).names()) == sorted(one.inputs), one.view
            assert dict(report.late) == self.late(one), one.view
            self.expected_to_be_told |= {("late", one.view, name) for name in report.late}
            assert {*report.waiting, *report.retracted} >= self.late(one).keys(), one.view

    # -- what is right ------------------------------------------------------------------------------------------------

    def ready(self, one: Published) -> dict[str, tuple[Any, ...]]:
        """The partitions that may be there now, and what they depend on."""
        found: dict[str, tuple[Any, ...]] = {}
        if one.reads:
            return dict.fromkeys(self.publications[one.reads].inputs, ("view",))
        if one.by_hour:
            table = self.tables[_table_of(one)]
            return {f"ds={ds}/hr={hour}": (number,) for (ds, hour), number in table.hours.items()}
        for number in range(DAYS):
            ds = (FIRST_DAY + timedelta(number)).isoformat()
            for hours in one.needs(ds):
                numbers = [self.tables[table].hours.get(hour) for table, hour in hours]
                if all(numbers):
                    found[f"ds={ds}"] = (*found.get(f"ds={ds}", ()), *numbers)
        return found

    def model_publishes(self, one: Published) -> None:
        ready = self.ready(one)
        if one.retract:
            one.inputs = {name: inputs for name, inputs in one.inputs.items() if name in ready}
        one.inputs = ready | one.inputs

    def check_declared_at_most(self, one: Published) -> None:
        assert set(self.catalog.partitions(one.view).names()) <= {*one.inputs, *self.ready(one)}

    def expected(self, one: Published) -> Iterator[tuple[str, datetime]]:
        """Each partition that is expected in the month, and when its day is over."""
        zone = ZoneInfo(one.expectation.time_zone)
        for number in range(DAYS + 1):
            day = FIRST_DAY + timedelta(number)
            over = datetime.combine(day + timedelta(1), time(0), zone)
            is_known_empty = bool(one.expectation.known_empty) and day.isoformat() == HOLIDAY
            if over <= self.now and not is_known_empty:
                hours = HOURS if one.by_hour else ("",)
                yield from ((f"ds={day}" + (f"/hr={hour}" if hour else ""), over) for hour in hours)

    def late(self, one: Published) -> dict[str, int]:
        after = one.expectation.late_after
        return {
            name: int((over + after).timestamp())
            for name, over in self.expected(one)
            if over + after <= self.now and name not in one.inputs
        }

    def check_status(self) -> None:
        found: list[PublicationStatus] = status(self.catalog, base_tables=self.readers())
        assert {one.view for one in found} == self.publications.keys()
        for state in found:
            one = self.publications[state.view]
            late = self.late(one)
            due = {name for name, _ in self.expected(one)} - one.inputs.keys() - late.keys()
            assert (state.error, dict(state.late), set(state.due)) == (None, late, due), one.view
            assert set(state.published_names) == one.inputs.keys(), one.view
            assert {*state.ready, *state.waiting} >= {*late, *due}, one.view
            assert set(state.ready) == self.ready(one).keys() - one.inputs.keys(), one.view
            assert state.skipped == ((f"ds={HOLIDAY}",) if self.has_passed_the_holiday(one) else ()), one.view

    def has_passed_the_holiday(self, one: Published) -> bool:
        over = datetime.combine(
            date.fromisoformat(HOLIDAY) + timedelta(1), time(0), ZoneInfo(one.expectation.time_zone)
        )
        return bool(one.expectation.known_empty) and over <= self.now

    def check_changes(self, one: Published) -> None:
        ready = self.ready(one)
        states = {
            name: "current" if ready.get(name) == inputs else "changed" if name in ready else "missing"
            for name, inputs in one.inputs.items()
        }
        found = revalidate(self.catalog, one.view, base_tables=self.readers())
        assert {name: each.state for name, each in found.partitions.items()} == states, one.view
        notify_changed(self.catalog, found, OPS)
        self.expected_to_be_told |= {("changed", one.view, name) for name in found.in_state("changed", "missing")}

    def check_told(self) -> None:
        """Each event has arrived, and whoever follows them knows what is declared."""
        counts: Counter[tuple[str, str, str]] = Counter()
        for event in self.told.values():
            counts[event["data"]["kind"], event["data"]["view"], event["subject"]] += 1
        assert self.expected_to_be_told <= counts.keys()
        for one in self.publications.values():
            for name in {name for _, view, name in counts if view == one.view} | one.inputs.keys():
                declared, retracted = (counts[kind, one.view, name] for kind in ("declared", "retracted"))
                assert declared - retracted == (name in one.inputs), (one.view, name)
        assert sum(number for (kind, *_), number in counts.items() if kind == "retracted") > 0


def _table_of(one: Published) -> str:
    [requirement] = one.rule.requirements()
    return requirement.table  # type: ignore[attr-defined, no-any-return]


def test_each_day_of_three_weeks_is_as_the_model_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    month = Month(tmp_path, seed=20260801)
    monkeypatch.setattr(Receiver, "deliver", lambda _, events: month.deliver(events))
    monkeypatch.setattr("hive_views.publishing.notifying.telling._told", {})
    assert len(month.publications) == 40
    for number in range(DAYS):
        month.a_day_comes(number)
        month.is_down = number % 3 == 1
        month.a_run_is_killed()
        month.two_publishers_meet()
        month.all_are_published()
        if number % 3 == 2:
            month.check_status()
        for kind in ("utc", "york"):
            month.check_changes(month.publications[f"default.{kind}_{number % len(TABLES)}"])
    month.check_status()
    assert not month.is_down
    month.all_are_published()
    month.check_told()
