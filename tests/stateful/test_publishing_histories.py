"""Random histories of a base table against a plain model: nothing is published early or forgotten, nothing is withdrawn
that has its ground, and revalidation tells what happened.

The model keeps a set of hours and a list of what each commit touched, and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from hive_views.publishing.rules import column, requires
from tests.unit.publishing_lake import CLICKS, DS, HR, make_lake

Hour = tuple[str | None, str]

DAYS = ("2026-08-20", "2026-08-21")
HOURS = ("00", "01")
# Whole days often, or nothing would ever be published.
HOURS_OF_DAYS = st.one_of(
    st.sampled_from([[(day, hour) for hour in HOURS] for day in DAYS]),
    st.lists(st.tuples(st.sampled_from([*DAYS, None]), st.sampled_from([*HOURS, "02"])), max_size=3, unique=True),
)
RULE = requires(CLICKS, ds=column("ds"), hr=HOURS)


@dataclass
class Commit:
    """What one commit touched; ``table`` counts how often the table was made anew."""

    touched: set[Hour]
    is_rewrite: bool
    table: int


class Histories(RuleBasedStateMachine):
    """One table, one view that shows a day once both its hours are there."""

    @initialize()
    def start_with_a_published_day(self) -> None:
        self.lake = make_lake()
        self.clicks = self.lake.history(keys=(DS, HR))
        self.hours: set[Hour] = set()
        self.commits: list[Commit] = []
        self.table = 0
        self.oldest_known = 0
        self.published_at: dict[str, int] = {}
        self.append([(DAYS[0], hour) for hour in HOURS])
        self.publish(retract=False)

    def commit(self, touched: set[Hour], *, is_rewrite: bool = False) -> None:
        self.commits.append(Commit(touched, is_rewrite, self.table))

    @rule(hours=HOURS_OF_DAYS)
    def append(self, hours: list[Hour]) -> None:
        self.clicks.append(*hours)
        self.hours |= set(hours)
        self.commit(set(hours))

    @rule(hours=HOURS_OF_DAYS)
    def overwrite(self, hours: list[Hour]) -> None:
        self.clicks.overwrite(*hours)
        self.hours |= set(hours)
        self.commit(set(hours))

    @rule(hours=HOURS_OF_DAYS)
    def delete(self, hours: list[Hour]) -> None:
        self.clicks.delete(*hours)
        self.commit(set(hours) & self.hours)
        self.hours -= set(hours)

    @rule(hours=HOURS_OF_DAYS)
    def compact(self, hours: list[Hour]) -> None:
        self.clicks.compact(*hours)
        self.commit(set(hours) & self.hours, is_rewrite=True)

    @precondition(lambda self: self.commits)
    @rule(keep=st.integers(1, 4))
    def expire(self, keep: int) -> None:
        self.clicks.expire(keep)
        self.oldest_known = max(self.oldest_known, len(self.commits) - keep)

    @precondition(lambda self: self.published_at)
    @rule()
    def make_anew(self) -> None:
        self.clicks.make_anew()
        self.hours = set()
        self.table += 1

    @rule(retract=st.booleans())
    def publish(self, retract: bool) -> None:
        complete = {f"ds={day}" for day in DAYS if all((day, hour) in self.hours for hour in HOURS)}
        withdrawn = {name for name in set(self.published_at) - complete if retract and self.is_the_same_table(name)}
        report = self.lake.publish(RULE, retract=retract)
        assert set(report.added) == complete - set(self.published_at)
        assert set(report.retracted) == withdrawn
        for name in withdrawn:
            del self.published_at[name]
        for name in report.added:
            self.published_at[name] = len(self.commits) - 1
        assert self.lake.declared() == sorted(self.published_at)

    def is_the_same_table(self, name: str) -> bool:
        """Still the table that was published on, and with something in it."""
        return bool(self.hours) and self.commits[self.published_at[name]].table == self.table

    @rule()
    def revalidate(self) -> None:
        found = {name: one.state for name, one in self.lake.revalidate(RULE).partitions.items()}
        assert found == {name: self.state_of(name) for name in self.published_at}

    def state_of(self, name: str) -> str:
        ground: set[Any] = {(name.removeprefix("ds="), hour) for hour in HOURS}
        pin = self.published_at[name]
        has_commits = bool(self.commits) and self.commits[-1].table == self.table
        if not ground <= self.hours:
            return "missing"
        is_newest = pin == len(self.commits) - 1
        if not has_commits or self.commits[pin].table != self.table or (pin < self.oldest_known and not is_newest):
            return "unknown"
        later = [commit for commit in self.commits[pin + 1 :] if commit.touched & ground]
        if not later:
            return "current"
        return "rewritten" if all(commit.is_rewrite for commit in later) else "changed"


Histories.TestCase.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
TestHistories = Histories.TestCase
