"""Random histories of a base table of each format against a plain model: nothing is published early or forgotten,
nothing is retracted that has its base partitions, and revalidation reports what happened.
"""

from __future__ import annotations

import itertools
import tempfile
import uuid
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from hive_views.base_tables.memory import MemoryBaseTable
from hive_views.publishing.plan import Plan
from hive_views.publishing.publish import plan_publish, publish
from hive_views.publishing.republish import apply_republish_plan, plan_republish
from hive_views.publishing.revalidation import revalidate
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
)
from hive_views.storage.ownership import publishing_directory
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.engine import CommitSettings
from tests.stateful.publishing_drivers import (
    CLICKS,
    Delta,
    DriverMaker,
    Hive,
    HiveBySpark,
    Iceberg,
    Memory,
    Paimon,
)
from tests.stateful.publishing_model import DAYS, HOLE, HOURS, LEAST_RECORDS, Hour, Model
from tests.support.failing.publishing_steps import Meeting
from tests.support.files_in_memory import forget_files_in_memory
from tests.support.tables.writable import HR
from tests.support.views.catalog_setup import create

VIEW, EXPECTED = "default.daily", "web.hours"
QUIET_S = 3600
# Whole days often, or nothing would ever be published.
WHOLE_DAYS = [[(day, hour) for hour in hours] for day in DAYS for hours in (HOURS, (*HOURS, "9"))]
ANY_HOUR = st.tuples(st.sampled_from(DAYS), st.sampled_from([*HOURS, "9"]))
SOME_HOURS = st.one_of(st.sampled_from(WHOLE_DAYS), st.lists(ANY_HOUR, min_size=1, max_size=3, unique=True))
# Where each file has rows beside the first, deleting that one always leaves new files behind.
MOST_ROWS = 3
ROWS = st.integers(2, MOST_ROWS)


class Histories(RuleBasedStateMachine):
    """One table, and one view that shows a day once its hours are there, and what else is asked of them.

    An hour passes between any two writes, so that the newest write alone may be too young for ``quiet_for``.
    """

    make_driver: DriverMaker

    def __init__(self) -> None:
        super().__init__()
        self.directory = tempfile.TemporaryDirectory()

    def teardown(self) -> None:
        self.directory.cleanup()
        forget_files_in_memory()

    @initialize(data=st.data())
    def start_with_a_published_day(self, data: st.DataObject) -> None:
        uuids = map(uuid.UUID, map("{:032x}".format, itertools.count(1)))
        self.now_ms = 0
        self.has_old_times = False
        self.copies: list[tuple[Callable[[], None], Callable[[], None]]] = []
        self.last_append: tuple[list[Hour], Mapping[str, str]] | None = None
        self.driver = type(self).make_driver(Path(self.directory.name))
        self.model = Model(
            data.draw(st.sets(st.sampled_from(sorted(self.driver.can_be_asked))).map(frozenset), label="rules"),
            self.driver.has_history,
            self.driver.needs_its_own,
            self.driver.line_is_of_oldest,
        )
        self.model.write(self.driver.commits(), {})
        self.expected = MemoryBaseTable(EXPECTED, (HR,), [(hour,) for hour in HOURS])
        self.catalog = ViewCatalog(
            self.driver.metastore,
            warehouse=f"memory://{uuid.uuid4().hex}",
            settings=CommitSettings(clock_ms=lambda: self.now_ms, new_uuid=lambda: str(next(uuids))),
        )
        create(self.catalog, VIEW, partitioned_on=["ds"])
        self.asked = self.library_rules()
        first = data.draw(st.sampled_from(WHOLE_DAYS[:2]), label="first day")
        self.append(first, rows=2, files=2, is_said=True)
        self.mark(first)
        self.time_passes()
        self.publish(retract=False)
        assert set(self.model.published) == {DAYS[0]}

    def library_rules(self) -> list[Rule]:
        """What the model is asked, in the words of the library."""
        day = column("ds")
        hole = [{"ds": HOLE[0], "hr": int(HOLE[1])}] if "hole" in self.model.rules else []
        rules = {
            "records": lambda: has_at_least(CLICKS, ds=day, records=LEAST_RECORDS),
            "quiet": lambda: quiet_for(CLICKS, ds=day, seconds=QUIET_S),
            "commit": lambda: committed_with(CLICKS, {"day": day}),
            "unheld": lambda: negate(committed_with(CLICKS, {"held": day})),
            "mark": lambda: marked_done(CLICKS, ds=day, by=self.driver.marked_by),
        }
        asked: object = [int(hour) for hour in self.model.asked]
        if "expected" in self.model.rules:
            asked = values_of(EXPECTED, "hr")
        elif self.model.rules & {"hole"} and HOLE[1] not in self.model.asked:
            hole = []
        hours = requires(CLICKS, ds=day, hr=asked, known_empty=hole)
        return [hours, *(make() for name, make in rules.items() if name in self.model.rules)]

    # -- what happens to the table -----------------------------------------------------------------------------------

    def write(
        self,
        act: Callable[[], None],
        becomes: Mapping[Hour, list[int]],
        *,
        is_rewrite: bool = False,
        says: Mapping[str, str] | None = None,
    ) -> None:
        self.time_passes()
        self.last_append = None
        act()
        known = {commit.id for commit in self.model.commits}
        made = [one for one in self.driver.commits() if one not in known]
        if made or not self.driver.has_history:
            noted = says or {}
            is_rewrite = is_rewrite and self.driver.has_history
            self.model.write(made, becomes, is_rewrite=is_rewrite, says=noted.get("day"), holds=noted.get("held"))
        else:
            assert is_rewrite, "only a compaction may find nothing to do"

    @rule(hours=SOME_HOURS, rows=ROWS, files=st.integers(1, 2), is_said=st.booleans(), is_held=st.booleans())
    def append(self, hours: list[Hour], rows: int, files: int, is_said: bool, is_held: bool = False) -> None:
        says = {name: hours[0][0] for name, is_so in (("day", is_said), ("held", is_held)) if is_so}
        for _ in range(files):
            becomes = {hour: [*self.model.rows.get(hour, []), *range(rows)] for hour in hours}
            self.write(lambda: self.driver.append(hours, rows, says), becomes, says=says)
            self.last_append = hours, says

    @precondition(lambda self: self.model.rows)
    @rule(data=st.data(), rows=ROWS)
    def append_late(self, data: st.DataObject, rows: int) -> None:
        self.append([self.drawn(data)], rows, files=1, is_said=False)

    @rule(hour=ANY_HOUR, rows=ROWS)
    def overwrite(self, hour: Hour, rows: int) -> None:
        self.write(lambda: self.driver.overwrite(hour, rows), {hour: [*range(rows)]})

    @precondition(lambda self: self.model.rows)
    @rule(data=st.data())
    def drop(self, data: st.DataObject) -> None:
        hour = self.drawn(data)
        self.write(lambda: self.driver.drop(hour), {hour: []})

    @precondition(lambda self: self.driver.deletes_rows and any(0 in rows for rows in self.model.rows.values()))
    @rule(data=st.data())
    def delete_rows(self, data: st.DataObject) -> None:
        hour = data.draw(st.sampled_from(sorted(hour for hour, rows in self.model.rows.items() if 0 in rows)))
        left = [row for row in self.model.rows[hour] if row]
        self.write(lambda: self.driver.delete_first_rows(hour), {hour: left})

    @precondition(lambda self: self.of_several_files())
    @rule(data=st.data())
    def compact(self, data: st.DataObject) -> None:
        hour = data.draw(st.sampled_from(self.of_several_files()), label="hour")
        self.write(lambda: self.driver.compact(hour), {hour: self.model.rows[hour]}, is_rewrite=True)

    @precondition(lambda self: len(self.model.commits) - self.model.forgotten > 4 and not self.has_old_times)
    @rule(keep=st.integers(1, 4))
    def expire(self, keep: int) -> None:
        """Not with old times: whether a file with one was there already, only the state before shows."""
        self.time_passes()
        self.last_append = None
        self.driver.expire(keep)
        self.model.expire(keep)

    @precondition(lambda self: len(self.model.rows) >= 4)
    @rule()
    def recreate(self) -> None:
        self.time_passes()
        self.last_append = None
        self.driver.recreate()
        self.model.recreate()
        self.model.write(self.driver.commits(), {})
        if not self.driver.keeps_marks:
            self.model.marked.clear()

    @rule()
    def copy(self) -> None:
        restore, forget = self.driver.copied(), self.model.copied()
        if restore is not None:
            self.copies.append((restore, forget))

    @precondition(lambda self: self.copies)
    @rule(data=st.data())
    def restore_a_copy(self, data: st.DataObject) -> None:
        """The table is what it was, and its next commits have the ids of those that are lost."""
        self.time_passes()
        self.last_append = None
        for restore in data.draw(st.sampled_from(self.copies)):
            restore()

    @precondition(lambda self: self.driver.commits_again and self.last_append is not None)
    @rule()
    def commit_again(self) -> None:
        assert self.last_append is not None
        hours, says = self.last_append
        rows = {hour: self.model.rows[hour] for hour in hours}
        self.write(self.driver.try_again, rows, says=says)
        self.has_old_times = True

    @precondition(lambda self: not self.model.forgotten)
    @rule(minutes=st.sampled_from([0, 90]))
    def the_writers_clock_is_set(self, minutes: int) -> None:
        """Not with expired history, as above."""
        self.driver.behind_ms = minutes * 60_000
        self.has_old_times = True

    @precondition(lambda self: "mark" in self.model.rules)
    @rule(hours=SOME_HOURS)
    def mark(self, hours: list[Hour]) -> None:
        if "mark" in self.model.rules:
            for hour in hours:
                self.driver.mark(hour)
            self.model.marked |= set(hours)

    @precondition(lambda self: self.model.fresh and "quiet" in self.model.rules)
    @rule()
    def time_passes(self) -> None:
        self.now_ms = self.driver.timestamp_ms() + QUIET_S * 1000
        self.model.fresh = frozenset()

    def drawn(self, data: st.DataObject) -> Hour:
        return data.draw(st.sampled_from(sorted(self.model.rows)), label="hour")

    def of_several_files(self) -> list[Hour]:
        return sorted(hour for hour, rows in self.model.rows.items() if len(rows) > MOST_ROWS)

    # -- what is said of it ------------------------------------------------------------------------------------------

    @rule(hours=st.sampled_from([HOURS, HOURS[:1], (*HOURS, "9"), ()]))
    def ask_for_other_hours(self, hours: tuple[str, ...]) -> None:
        """The rule is rewritten, or the table is that says which hours to expect: that may be empty for a while."""
        if hours or "expected" in self.model.rules:
            self.model.asked = hours
            self.expected.drop(*[(hour,) for hour in (*HOURS, "9")])
            self.expected.add(*[(hour,) for hour in hours])
            self.asked = self.library_rules()

    @rule(retract=st.booleans(), other_retracts=st.booleans(), step=st.integers(1, 40))
    def publish_at_once(self, retract: bool, other_retracts: bool, step: int) -> None:
        """Another publisher runs as a whole before a step of the one."""
        added = self.model.ready() - set(self.model.published)
        retracted = self.model.retracted() if retract or other_retracts else set()

        def publish_too() -> None:
            publish(self.catalog, VIEW, *self.asked, retract=other_retracts, base_tables=self.base_tables())

        meeting = Meeting(step, publish_too)
        # The one in memory gives its lock to nobody else while a step of the one that holds it waits.
        settings = replace(self.catalog.settings, lock="never")
        beside = ViewCatalog(meeting.watch(self.driver.metastore), self.catalog.storage, settings=settings)
        publish(beside, VIEW, *self.asked, retract=retract, base_tables=self.base_tables())
        if not meeting.has_met:
            publish_too()
        self.follow(added, retracted)

    @rule(retract=st.booleans())
    def publish(self, retract: bool) -> None:
        added = self.model.ready() - set(self.model.published)
        retracted = self.model.retracted() if retract else set()
        report = publish(self.catalog, VIEW, *self.asked, retract=retract, base_tables=self.base_tables())
        assert days(report.added) == added
        assert days(report.retracted) == retracted
        self.follow(added, retracted)

    def follow(self, added: set[str], retracted: set[str]) -> None:
        for day in retracted:
            del self.model.published[day]
        for day in added:
            self.model.publish(day)
        self.model.remember()

    @rule(redeclare=st.booleans())
    def republish(self, redeclare: bool) -> None:
        """Published days that changed and are still ready follow; all others stay as they are."""
        model = self.model
        follow = {day for day in model.published if model.state_of(day) == "changed" and model.is_ready(day)}
        plan = plan_republish(self.catalog, VIEW, *self.asked, redeclare=redeclare, base_tables=self.base_tables())
        reports = apply_republish_plan(self.catalog, plan)
        done = [name for one in reports for name in (one.redeclared if redeclare else one.marked)]
        assert days(done) == follow
        for day in follow:
            model.publish(day)

    @rule()
    def ask_for_states_by_the_recorded_rules(self) -> None:
        reported = revalidate(self.catalog, VIEW, base_tables=self.base_tables()).partitions
        states = {name.removeprefix("ds="): one.state for name, one in reported.items()}
        assert states == {day: self.model.state_by_recorded_rules(day) for day in self.model.published}

    @rule()
    def forget_what_was_read(self) -> None:
        before, line = self.plan(), self.model.line()
        directory = publishing_directory(self.catalog.load_view(VIEW).metadata)
        for location in self.catalog.storage.list_files(directory):
            self.catalog.storage.delete(location)
        self.model.remembered = None
        assert self.plan() == before or self.model.line() != line

    @invariant()
    def what_is_declared_is_what_was_published(self) -> None:
        assert days(self.catalog.partitions(VIEW).names()) == set(self.model.published)

    @invariant()
    def a_plan_knows_which_days_are_ready_and_which_have_lost_their_base_partitions(self) -> None:
        plan, model = self.plan(), self.model
        retracted = model.retracted()
        assert days(plan.ready) == model.ready() - set(model.published)
        assert days(plan.waiting) == model.candidates() - model.ready() - set(model.published)
        assert days(plan.retract) == retracted
        assert days(plan.kept) == model.not_ready_any_more() - retracted

    @invariant()
    def the_state_of_each_published_day_is_reported(self) -> None:
        reported = revalidate(self.catalog, VIEW, *self.asked, base_tables=self.base_tables()).partitions
        states = {name.removeprefix("ds="): one.state for name, one in reported.items()}
        assert states == {day: self.model.state_of(day) for day in self.model.published}
        for name, one in reported.items():
            later = self.model.commits_under(name.removeprefix("ds=")) or []
            ids = {commit for commits in one.commits.values() for commit in commits}
            assert {commit.id for commit in later if one.state == "rewritten" or not commit.is_rewrite} <= ids
            assert ids <= {commit.id for commit in later}

    def plan(self) -> Plan:
        return plan_publish(self.catalog, VIEW, *self.asked, retract=True, base_tables=self.base_tables())

    def base_tables(self) -> dict[str, Any]:
        """As every run does it: nothing that was read by an earlier run is there."""
        return {CLICKS: self.driver.open(), EXPECTED: self.expected}


def days(names: Any) -> set[str]:
    return {name.removeprefix("ds=") for name in names}


def histories_of(driver: DriverMaker, share: float) -> Any:
    """The machine on tables of one format, with this share of the examples: real tables take their time."""
    machine = type(f"{driver.__name__}Histories", (Histories,), {"make_driver": staticmethod(driver)})
    profile = hypothesis_settings.default
    assert profile
    machine.TestCase.settings = hypothesis_settings(
        max_examples=round(profile.max_examples * share), stateful_step_count=max(40, profile.stateful_step_count)
    )
    return machine.TestCase


TestMemoryHistories = histories_of(Memory, 0.5)
TestHiveHistories = histories_of(Hive, 0.25)
TestHiveHistoriesBySpark = histories_of(HiveBySpark, 0.25)
TestDeltaHistories = histories_of(Delta, 0.075)
TestIcebergHistories = histories_of(Iceberg, 0.1)
TestPaimonHistories = pytest.mark.peer("pypaimon")(histories_of(Paimon, 0.05))
