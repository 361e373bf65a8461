"""The calendar of a publication: a square with its number for each day, month by month."""

from __future__ import annotations

from calendar import monthrange
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby

from hive_views.hive.partition_dates import months_of, state_by_day

PUBLISHED, READY, WAITING, MISSING = "published", "ready", "waiting", "missing"
DUE, LATE, SKIPPED = "due", "late", "skipped"
STATES = (LATE, WAITING, DUE, READY, PUBLISHED, SKIPPED, MISSING)
"""Of a day with several partitions the first of them is shown."""

MOST_MONTHS = 24
PITCH = 22
"""From one day to the next, and from one week to the next."""

_SIGNS = {
    LATE: "M{x} {y}h20v20h-20z",
    WAITING: "M{x} {y}h20v20h-20zm15 0h5v5z",
    DUE: "M{x}.5 {y}.5h19v19h-19z",
    READY: "M{x}.5 {y}.5h19v19h-19z",
    PUBLISHED: "M{x} {y}h20v20h-20z",
    SKIPPED: "M{x}.5 {y}.5m3 16l13-13",
    MISSING: "M{x} {y}m9 16h2v2h-2z",
}
SIGNS = {state: path.format(x=0, y=0) for state, path in _SIGNS.items()}
"""How a day of each state looks, for the line that explains them."""


@dataclass(frozen=True)
class Month:
    """One month.

    Attributes:
        name: as ``2026-08``.
        first_weekday: of its first day; Monday is 0.
        length: how many days it has.
        paths: by state, what draws its days, Monday first.
        late: its late days, whose numbers are drawn above what all others are drawn with.
    """

    name: str
    first_weekday: int
    length: int
    paths: Mapping[str, str]
    late: tuple[int, ...] = ()

    @property
    def numbers(self) -> Iterator[tuple[int, int, int]]:
        """Each day, and where its number is."""
        return ((number, *self.place(number)) for number in range(1, self.length + 1))

    def place(self, number: int) -> tuple[int, int]:
        """The middle of a day, a little below for the number of it."""
        week, weekday = divmod(self.first_weekday + number - 1, 7)
        return weekday * PITCH + 10, week * PITCH + 14

    @property
    def weeks(self) -> int:
        """How many there are, the first and the last in part."""
        return (self.first_weekday + self.length + 6) // 7


@dataclass(frozen=True)
class Calendar:
    """The last months of a publication.

    Attributes:
        months: the oldest first.
        left_out: how many earlier ones there are.
        days: by state, how many days of these months are in it.
        gaps: days of these months without a partition, as ``2026-08-03`` or ``2026-08-03..2026-08-05``.
    """

    months: tuple[Month, ...]
    left_out: int
    days: Mapping[str, int]
    gaps: tuple[str, ...]


def calendar_of(states: Mapping[str, str]) -> Calendar | None:
    """The calendar of partitions; None where they are none of days.

    Args:
        states: by name of partition, one of ``STATES``.
    """
    days = state_by_day(states, STATES)
    if not days:
        return None
    first, last = min(days), max(days)
    all_months = list(months_of(first, last))
    months = all_months[-MOST_MONTHS:]
    # A partition of the year 1 or 9999 is no reason to look at each day between.
    first = max(first, date(*months[0], 1))
    shown = [first + timedelta(number) for number in range((last - first).days + 1)]
    states_shown = {day: days.get(day, MISSING) for day in shown}
    counts = Counter(states_shown.values())
    return Calendar(
        tuple(_month(year, month, states_shown) for year, month in months),
        len(all_months) - len(months),
        {state: counts[state] for state in STATES if counts[state]},
        tuple(_runs([day for day, state in states_shown.items() if state == MISSING])),
    )


def _month(year: int, month: int, days: Mapping[date, str]) -> Month:
    paths: dict[str, list[str]] = defaultdict(list)
    first_weekday, length = monthrange(year, month)
    late = []
    for number in range(length):
        state = days.get(date(year, month, number + 1))
        if state:
            week, weekday = divmod(first_weekday + number, 7)
            paths[state].append(_SIGNS[state].format(x=weekday * PITCH, y=week * PITCH))
            late += [number + 1] if state == LATE else []
    drawn = {state: "".join(found) for state, found in paths.items()}
    return Month(f"{year:04}-{month:02}", first_weekday, length, drawn, tuple(late))


def _runs(days: list[date]) -> list[str]:
    """Days that follow one another, as from the first to the last."""
    runs = [[day for _, day in group] for _, group in groupby(enumerate(days), lambda one: one[1].toordinal() - one[0])]
    return [f"{run[0]}..{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs]
