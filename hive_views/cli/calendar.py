"""Days of a view as a calendar: one row for each month, one sign for each day, at most 80 columns wide.

What lives here: which day is in which state, and the drawing. What must not: finding out the states.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date

from rich.text import Text

from hive_views.hive.partition_names import parse_partition_name

_MOST_MONTHS = 24
_DATE = re.compile(r"(\d{4})(-?)(\d\d)\2(\d\d)", re.ASCII)
_PARTS_OF_A_DATE = ("year", "month", "day")
_MISSING = "missing"
_LABEL = "         "


@dataclass(frozen=True)
class Sign:
    """How a state looks; ``state`` is also what the line below the calendar says."""

    state: str
    sign: str
    style: str = ""


def calendar_of(states: Mapping[str, str], signs: Sequence[Sign]) -> list[Text]:
    """The lines of the calendar; [] where not exactly one column has dates, and there is no year, month and day either.

    A day with several partitions (of hours, of regions) shows the first of their states in the order of ``signs``. Days
    between the first and the last that have no partition are missing.

    Args:
        states: by name of partition, a state of ``signs``.
        signs: what goes first where the partitions of a day differ.
    """
    order = {one.state: place for place, one in enumerate(signs)}
    days: dict[date, int] = {}
    for day, state in _days(states):
        days[day] = min(order[state], days.get(day, len(signs)))
    if not days:
        return []
    drawn = dict(enumerate((*signs, Sign(_MISSING, ".", "dim"))))
    first, last = min(days), max(days)
    months = list(_months(first, last))
    lines = [Text(_LABEL + "".join(f"{number:<2}" if number % 2 else "  " for number in range(1, 32)).rstrip(), "dim")]
    used: dict[int, None] = {}
    for year, month in months[-_MOST_MONTHS:]:
        line = Text(f"{year:04}-{month:02}  ")
        for number in range(1, monthrange(year, month)[1] + 1):
            day = date(year, month, number)
            if first <= day <= last:
                place = days.get(day, len(signs))
                used[place] = None
                line.append(drawn[place].sign, drawn[place].style)
                line.append(" ")
            else:
                line.append("  ")
        line.rstrip()
        lines.append(line)
    lines.append(Text(_LABEL + "   ".join(f"{drawn[place].sign} {drawn[place].state}" for place in sorted(used))))
    if len(months) > _MOST_MONTHS:
        lines.append(Text(f"{_LABEL}{len(months) - _MOST_MONTHS} earlier months are left out", "dim"))
    return lines


def _days(states: Mapping[str, str]) -> Iterable[tuple[date, str]]:
    found = [(parse_partition_name(name), state) for name, state in states.items()]
    columns = list(found[0][0]) if found else []
    texts = [[values.get(column, "") for values, _ in found] for column in columns]
    if {*_PARTS_OF_A_DATE} <= {*columns}:
        parts = ([values.get(part, "").zfill(2) for part in _PARTS_OF_A_DATE] for values, _ in found)
        texts.append(list(map("-".join, parts)))
    dates = [[_date(text) for text in each] for each in texts]
    complete = [[day for day in each if day] for each in dates if all(each)]
    return zip(complete[0], (state for _, state in found), strict=True) if len(complete) == 1 else ()


def _date(text: str) -> date | None:
    found = _DATE.fullmatch(text)
    with suppress(ValueError):
        return date(int(found[1]), int(found[3]), int(found[4])) if found else None
    return None


def _months(first: date, last: date) -> Iterable[tuple[int, int]]:
    numbers = range(first.year * 12 + first.month - 1, last.year * 12 + last.month)
    return ((number // 12, number % 12 + 1) for number in numbers)
