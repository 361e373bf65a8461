"""What publishing should say of a base table's history, as plain values: the model beside real tables.

What lives here: partitions as lists of rows, commits as what they touched, and what follows for each day of the view.
What must not: any code of hive_views; the model would share its mistakes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

Hour = tuple[str, str]
"""A partition of the base table: its day and its hour."""

DAYS = ("2026-08-20", "2026-08-21", "2026-08-22")
HOURS = ("7", "8")
"""The hours that a day must have; there may be others."""
HOLE = (DAYS[1], "8")
"""The hour that need not come where the rules know of the hole."""
LEAST_RECORDS = 6

_WORST = ("missing", "changed", "unknown", "rewritten", "current")


@dataclass(frozen=True)
class Commit:
    """What one commit of the table did; ``says`` is the day that its writer wrote on it."""

    id: str
    touched: frozenset[Hour]
    is_rewrite: bool
    says: str | None


@dataclass(frozen=True)
class Published:
    """What a published day stood on: the newest commit then, and each hour with the write that touched it last."""

    table: int
    commit: int
    hours: Mapping[Hour, int]


@dataclass
class Model:
    """One table, and the days that a view over it shows.

    Args:
        rules: what is asked of a day beside its hours: ``hole``, ``records``, ``quiet``, ``commit``, ``mark``.
        has_history: the table tells its commits. One that does not is told by when each of its hours was touched last.
        has_id: the table has an id for life. One without is known by its commits, as long as it tells them.
        needs_its_own: what came after a commit is told only while that very commit is.
    """

    rules: frozenset[str]
    has_history: bool
    has_id: bool
    needs_its_own: bool
    rows: dict[Hour, list[int]] = field(default_factory=dict)
    touched_at: dict[Hour, int] = field(default_factory=dict)
    fresh: frozenset[Hour] = frozenset()
    marked: set[Hour] = field(default_factory=set)
    commits: list[Commit] = field(default_factory=list)
    forgotten: int = 0
    writes: int = 0
    table: int = 0
    published: dict[str, Published] = field(default_factory=dict)

    # -- what happens to the table -----------------------------------------------------------------------------------

    def write(
        self,
        ids: Sequence[str],
        becomes: Mapping[Hour, list[int]],
        *,
        is_rewrite: bool = False,
        says: str | None = None,
    ) -> None:
        """Commits with these ids have made this of these hours; of no rows at all an hour is gone."""
        self.writes += 1
        self.commits += [Commit(one, frozenset(becomes), is_rewrite, says) for one in ids]
        for hour, rows in becomes.items():
            self.touched_at[hour] = self.writes
            self.rows[hour] = rows
        self.rows = {hour: rows for hour, rows in self.rows.items() if rows}
        self.fresh = frozenset() if is_rewrite else frozenset(becomes)

    def expire(self, keep: int) -> None:
        self.forgotten = max(self.forgotten, len(self.commits) - keep)

    def make_anew(self) -> None:
        self.table += 1
        self.rows, self.commits, self.forgotten = {}, [], 0

    # -- which days are ready ----------------------------------------------------------------------------------------

    def candidates(self) -> set[str]:
        return {day for day in DAYS if self.ground(day)}

    def ready(self) -> set[str]:
        return {day for day in DAYS if self.is_ready(day)}

    def is_ready(self, day: str) -> bool:
        there = self._all_of(day)
        asked = {
            "records": sum(len(self.rows[hour]) for hour in there) >= LEAST_RECORDS,
            "quiet": not self.fresh & there,
            "commit": any(commit.says == day for commit in self.commits[self.forgotten :]),
            "mark": there <= self.marked,
        }
        return self._has_its_hours(day) and all(holds for name, holds in asked.items() if name in self.rules)

    def ground(self, day: str) -> set[Hour]:
        """The hours that a day stands on: all that it has, where a rule asks for no certain ones."""
        there = self._all_of(day)
        return there if self.rules & {"records", "quiet", "mark"} else {hour for hour in there if hour[1] in HOURS}

    def _all_of(self, day: str) -> set[Hour]:
        return {hour for hour in self.rows if hour[0] == day}

    def _has_its_hours(self, day: str) -> bool:
        holes = {HOLE} if "hole" in self.rules else set()
        return {(day, hour) for hour in HOURS} - holes <= self._all_of(day)

    # -- what was published ------------------------------------------------------------------------------------------

    def publish(self, day: str) -> None:
        stood_on = {hour: self.touched_at[hour] for hour in self.ground(day)}
        self.published[day] = Published(self.table, len(self.commits) - 1, stood_on)

    def not_ready_any_more(self) -> set[str]:
        return set(self.published) - self.ready()

    def withdrawn(self) -> set[str]:
        """Days that lost what they stood on, if the table certainly is the one they were published on."""
        return {day for day in self.not_ready_any_more() if self._has_lost(day) and self._is_the_same_table(day)}

    def _has_lost(self, day: str) -> bool:
        """Fewer hours than before, or others in place of some; of more it cannot be told."""
        now, then = self.ground(day), set(self.published[day].hours)
        return now != then and len(now) <= len(then)

    def _is_the_same_table(self, day: str) -> bool:
        published = self.published[day]
        is_known = self.has_id or self._tells_all_since(published.commit)
        return bool(self.rows) and published.table == self.table and is_known

    def state_of(self, day: str) -> str:
        """What became of the ground of a published day."""
        states = [self._since_published(day)]
        if not self.is_ready(day):
            states.append("unknown" if self._has_its_hours(day) and not self._has_lost(day) else "missing")
        return min(states, key=_WORST.index)

    def _since_published(self, day: str) -> str:
        published = self.published[day]
        if not self.has_history:
            now = {hour: self.touched_at[hour] for hour in self.ground(day)}
            return "current" if now == published.hours else "changed"
        later = self.commits_under(day)
        if later is None:
            return "unknown"
        if not later:
            return "current"
        return "rewritten" if all(commit.is_rewrite for commit in later) else "changed"

    def commits_under(self, day: str) -> list[Commit] | None:
        """Those that touched what a published day stands on since; None when that cannot be known any more."""
        published = self.published[day]
        if published.table != self.table or not self._tells_all_since(published.commit):
            return None
        return [commit for commit in self.commits[published.commit + 1 :] if self._is_under(day, commit.touched)]

    def _is_under(self, day: str, touched: Collection[Hour]) -> bool:
        any_hour = self.rules & {"records", "quiet", "mark"}
        return any(one == day and (any_hour or hour in HOURS) for one, hour in touched)

    def _tells_all_since(self, commit: int) -> bool:
        is_newest = commit == len(self.commits) - 1
        return is_newest or commit + (0 if self.needs_its_own else 1) >= self.forgotten
