"""What publishing should say of a base table's history, as plain values: the model beside real tables."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

Hour = tuple[str, str]
"""A partition of the base table: its day and its hour."""

DAYS = ("2026-08-20", "2026-08-21", "2026-08-22")
HOURS = ("7", "8")
"""The hours that a day must have at first; there may be others, and others may be asked for."""
HOLE = (DAYS[1], "8")
"""The hour that need not come where the rules know of the hole."""
LEAST_RECORDS = 6

_WORST = ("missing", "changed", "unknown", "rewritten", "current")


@dataclass(frozen=True)
class Commit:
    """What one commit of the table did; ids repeat, its ``number`` does not.

    ``says`` and ``holds`` are days that its writer wrote on it.
    """

    id: str
    number: int
    touched: frozenset[Hour]
    is_rewrite: bool
    says: str | None
    holds: str | None = None


@dataclass(frozen=True)
class Published:
    """What a published day depended on: the newest commit then by its number, and each hour with its last write.

    ``asked`` are the hours that it had to have then, ``line`` what its line of history was known by.
    """

    table: int
    line: int
    commit: int
    hours: Mapping[Hour, int]
    asked: tuple[str, ...]


@dataclass
class Model:
    """One table, and the days that a view over it shows.

    Args:
        rules: what is asked of a day beside its hours: ``hole``, ``records``, ``quiet``, ``commit``, ``mark``, and
            ``unheld``: no commit holds it. ``expected``: which hours those are says another table.
        has_history: the table lists its commits. One that does not is judged by when its hours were touched last.
        needs_its_own: what came after a commit is known only while that very commit is.
        line_is_of_oldest: a line of history is known by its oldest commit, and by what a run remembers once that is
            forgotten.
    """

    rules: frozenset[str]
    has_history: bool
    needs_its_own: bool
    line_is_of_oldest: bool
    rows: dict[Hour, list[int]] = field(default_factory=dict)
    touched_at: dict[Hour, int] = field(default_factory=dict)
    fresh: frozenset[Hour] = frozenset()
    marked: set[Hour] = field(default_factory=set)
    commits: list[Commit] = field(default_factory=list)
    forgotten: int = 0
    writes: int = 0
    table: int = 0
    published: dict[str, Published] = field(default_factory=dict)
    asked: tuple[str, ...] = HOURS
    recorded: tuple[str, ...] = HOURS
    given: int = 0
    remembered: tuple[int, int] | None = None

    # -- what happens to the table -----------------------------------------------------------------------------------

    def write(
        self,
        ids: Sequence[str],
        becomes: Mapping[Hour, list[int]],
        *,
        is_rewrite: bool = False,
        says: str | None = None,
        holds: str | None = None,
    ) -> None:
        """Commits with these ids have made this of these hours; of no rows at all an hour is gone."""
        self.writes += 1
        touched = frozenset(becomes)
        self.commits += [Commit(one, self._new_number(), touched, is_rewrite, says, holds) for one in ids]
        for hour, rows in becomes.items():
            self.touched_at[hour] = self.writes
            self.rows[hour] = rows
        self.rows = {hour: rows for hour, rows in self.rows.items() if rows}
        self.fresh = frozenset() if is_rewrite else frozenset(becomes)

    def expire(self, keep: int) -> None:
        self.forgotten = max(self.forgotten, len(self.commits) - keep)

    def copied(self) -> Callable[[], None]:
        """What puts the table as it is now in the place of what it will be."""
        copy = dict(self.rows), dict(self.touched_at), list(self.commits), self.forgotten, self.table

        def restore() -> None:
            rows, touched_at, commits, self.forgotten, self.table = copy
            self.rows, self.touched_at, self.commits = dict(rows), dict(touched_at), list(commits)

        return restore

    def _new_number(self) -> int:
        self.given += 1
        return self.given

    def recreate(self) -> None:
        self.table = self._new_number()
        self.rows, self.commits, self.forgotten = {}, [], 0

    # -- which days are ready ----------------------------------------------------------------------------------------

    def candidates(self) -> set[str]:
        return {day for day in DAYS if self.hours_read(day)}

    def ready(self) -> set[str]:
        return {day for day in DAYS if self.is_ready(day)}

    def is_ready(self, day: str) -> bool:
        there = self._all_of(day)
        asked = {
            "records": sum(len(self.rows[hour]) for hour in there) >= LEAST_RECORDS,
            "quiet": not self.fresh & there,
            "commit": any(commit.says == day for commit in self.commits[self.forgotten :]),
            "mark": there <= self.marked,
            # What is forgotten may have held it.
            "unheld": not self.forgotten and all(commit.holds != day for commit in self.commits),
        }
        return self._has_its_hours(day) and all(holds for name, holds in asked.items() if name in self.rules)

    def hours_read(self, day: str) -> set[Hour]:
        """The hours that a day depends on: all that it has, where a rule asks for no certain ones."""
        there = self._all_of(day)
        return there if self._asks_any_hour() else self._asked_of(day)

    def _asks_any_hour(self) -> bool:
        return bool(self.rules & {"records", "quiet", "mark"})

    def _asked_of(self, day: str) -> set[Hour]:
        return {hour for hour in self._all_of(day) if hour[1] in self.asked}

    def _all_of(self, day: str) -> set[Hour]:
        return {hour for hour in self.rows if hour[0] == day}

    def _has_its_hours(self, day: str) -> bool:
        holes = {HOLE} if "hole" in self.rules else set()
        return bool(self.asked) and {(day, hour) for hour in self.asked} - holes <= self._all_of(day)

    # -- what was published ------------------------------------------------------------------------------------------

    def publish(self, day: str) -> None:
        stood_on = {hour: self.touched_at[hour] for hour in self.hours_read(day)}
        newest = self.commits[-1].number if self.commits else 0
        self.published[day] = Published(self.table, self.line(), newest, stood_on, self.asked)

    def not_ready_any_more(self) -> set[str]:
        return set(self.published) - self.ready()

    def retracted(self) -> set[str]:
        """Days of which a rule fails for what they lost, if the table certainly is the one they were published on."""
        return {day for day in self.not_ready_any_more() if self._fails_for_loss(day) and self._is_the_same_table(day)}

    def _fails_for_loss(self, day: str) -> bool:
        if self.published[day].asked != self.asked:
            return False  # it was published by another rule, and nobody knows whether this one was met
        there = self._all_of(day)
        has_too_little = "records" in self.rules and sum(len(self.rows[hour]) for hour in there) < LEAST_RECORDS
        return (self._has_lost_asked(day) and not self._has_its_hours(day)) or (
            self._has_lost_any(day) and (not there or has_too_little)
        )

    def _has_lost(self, day: str) -> bool:
        return self._has_lost_asked(day) or self._has_lost_any(day)

    def _has_lost_asked(self, day: str) -> bool:
        """Of the hours that it had to have; not where others are asked for now."""
        published = self.published[day]
        then = {hour for hour in published.hours if hour[1] in published.asked}
        return published.asked == self.asked and _is_less(self._asked_of(day), then)

    def _has_lost_any(self, day: str) -> bool:
        return self._asks_any_hour() and _is_less(self._all_of(day), set(self.published[day].hours))

    def _is_the_same_table(self, day: str) -> bool:
        published = self.published[day]
        is_same_line = published.line == self.line() or self._reports_all_since(published.commit)
        return bool(self.rows) and published.table == self.table and is_same_line

    # -- what a run remembers ----------------------------------------------------------------------------------------

    def line(self) -> int:
        """What the line of history is known by."""
        if not self.line_is_of_oldest:
            return self.table
        known = [commit.number for commit in self.commits[self.forgotten :]]
        if self.remembered and self.remembered[1] in known:
            return self.remembered[0]
        return known[0] if known else self.table

    def remember(self) -> None:
        self.remembered = (self.line(), self.commits[-1].number) if self.commits else None
        self.recorded = self.asked

    def state_by_recorded_rules(self, day: str) -> str:
        """The state of a published day by the rule that the newest run has recorded, if it was published by that."""
        if "expected" in self.rules:
            return self.state_of(day)
        if self.published[day].asked != self.recorded:
            return "unknown"
        asked, self.asked = self.asked, self.recorded
        try:
            return self.state_of(day)
        finally:
            self.asked = asked

    def state_of(self, day: str) -> str:
        """The state of the base partitions of a published day."""
        states = [self._since_published(day)]
        if not self.is_ready(day):
            states.append("missing" if self._is_short(day) or self._has_lost(day) else "unknown")
        return min(states, key=_WORST.index)

    def _is_short(self, day: str) -> bool:
        """Without what is asked of it now, or with fewer hours than it depended on, whatever was asked then."""
        has_fewer = len(self.hours_read(day)) < len(self.published[day].hours)
        return has_fewer or (bool(self.asked) and not self._has_its_hours(day))

    def _since_published(self, day: str) -> str:
        published = self.published[day]
        if not self.has_history:
            now = {hour: self.touched_at[hour] for hour in self.hours_read(day)}
            if now != published.hours:
                return "changed"
            # Without history it is only known of what was asked then.
            return "current" if self.asked == published.asked else "unknown"
        later = self.commits_under(day)
        if later is None:
            return "unknown"
        if not later:
            return "current"
        return "rewritten" if all(commit.is_rewrite for commit in later) else "changed"

    def commits_under(self, day: str) -> list[Commit] | None:
        """Those that touched what a published day depends on since; None when that cannot be known any more."""
        published = self.published[day]
        if published.table != self.table or not self._reports_all_since(published.commit):
            return None
        later = self.commits[self._place_of(published.commit) + 1 :]
        return [commit for commit in later if self._is_under(day, commit.touched)]

    def _is_under(self, day: str, touched: Collection[Hour]) -> bool:
        return any(one == day and (self._asks_any_hour() or hour in self.asked) for one, hour in touched)

    def _place_of(self, number: int) -> int:
        """-1 of none, where a copy from before it was put in the place of the table."""
        return next((place for place, commit in enumerate(self.commits) if commit.number == number), -1)

    def _reports_all_since(self, number: int) -> bool:
        place = self._place_of(number)
        is_newest = place == len(self.commits) - 1
        return place >= 0 and (is_newest or place + (0 if self.needs_its_own else 1) >= self.forgotten)


def _is_less(now: Collection[Hour], then: Collection[Hour]) -> bool:
    """Fewer hours than before, or others in place of some; of more it is unknown."""
    return now != then and len(now) <= len(then)
