"""The calendar of a publication: a small square for each day, month by month."""

from __future__ import annotations

from calendar import monthrange
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby

from hive_views.hive.partition_dates import months_of, state_by_day

PUBLISHED, READY, WAITING, MISSING = "published", "ready", "waiting", "missing"
STATES = (WAITING, READY, PUBLISHED, MISSING)
"""Of a day with several partitions the first of them is shown."""

MOST_MONTHS = 24
_PITCH = 14
_SIGNS = {
    PUBLISHED: "M{x} {y}h11v11h-11z",
    READY: "M{x}.75 {y}.75h9.5v9.5h-9.5z",
    WAITING: "M{x} {y}h11l-11 11z",
    MISSING: "M{x}.5 {y}.5m3 3h4v4h-4z",
}
SIGNS = {state: path.format(x=0, y=0) for state, path in _SIGNS.items()}
"""How a day of each state looks, for the line that explains them."""


@dataclass(frozen=True)
class Month:
    """One month: its name, and by state the path that draws its days, Monday first."""

    name: str
    paths: Mapping[str, str]


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
    for number in range(length):
        state = days.get(date(year, month, number + 1))
        if state:
            week, weekday = divmod(first_weekday + number, 7)
            paths[state].append(_SIGNS[state].format(x=weekday * _PITCH, y=week * _PITCH))
    return Month(f"{year:04}-{month:02}", {state: "".join(found) for state, found in paths.items()})


def _runs(days: list[date]) -> list[str]:
    """Days that follow one another, as from the first to the last."""
    runs = [[day for _, day in group] for _, group in groupby(enumerate(days), lambda one: one[1].toordinal() - one[0])]
    return [f"{run[0]}..{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs]
