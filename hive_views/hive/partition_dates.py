"""Which day a partition is of, by the values in its name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date

from markupsafe import Markup

from hive_views.hive.partition_names import parse_partition_name
from hive_views.messages.html import Tone, calendar

_DATE = re.compile(r"(\d{4})(-?)(\d\d)\2(\d\d)", re.ASCII)
_PARTS_OF_A_DATE = ("year", "month", "day")


def state_by_day(states: Mapping[str, str], order: Sequence[str]) -> dict[date, str]:
    """The state of each day that has a partition; {} where not exactly one column has dates.

    Columns of a year, a month and a day are one of dates too. A day with several partitions (of hours, of regions) has
    the first of their states.

    Args:
        states: by name of partition, one of ``order``.
        order: what goes first where the partitions of a day differ.
    """
    place_of = {state: place for place, state in enumerate(order)}
    days: dict[date, int] = {}
    for day, state in _days(states):
        days[day] = min(place_of[state], days.get(day, len(order)))
    return {day: order[place] for day, place in days.items()}


def calendar_for_notebooks(states: Mapping[str, str], tones: Mapping[str, Tone]) -> Markup:
    """The partitions as a calendar; nothing where they are none of days.

    Args:
        states: by name of partition, one of ``tones``.
        tones: how each state looks; what goes first where the partitions of a day differ.
    """
    return calendar(state_by_day(states, [*tones]), tones)


def months_of(first: date, last: date) -> Iterator[tuple[int, int]]:
    """The year and month of each month from one day to another."""
    numbers = range(first.year * 12 + first.month - 1, last.year * 12 + last.month)
    return ((number // 12, number % 12 + 1) for number in numbers)


def _days(states: Mapping[str, str]) -> Iterator[tuple[date, str]]:
    found = [(parse_partition_name(name), state) for name, state in states.items()]
    columns = list(found[0][0]) if found else []
    texts = [[values.get(column, "") for values, _ in found] for column in columns]
    if {*_PARTS_OF_A_DATE} <= {*columns}:
        parts = ([values.get(part, "").zfill(2) for part in _PARTS_OF_A_DATE] for values, _ in found)
        texts.append(list(map("-".join, parts)))
    dates = [[_date(text) for text in each] for each in texts]
    complete = [[day for day in each if day] for each in dates if all(each)]
    return zip(complete[0] if len(complete) == 1 else (), (state for _, state in found), strict=False)


def _date(text: str) -> date | None:
    found = _DATE.fullmatch(text)
    with suppress(ValueError):
        return date(int(found[1]), int(found[3]), int(found[4])) if found else None
    return None
