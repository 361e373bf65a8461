"""Days of a view as a calendar: one row for each month, one sign for each day, at most 80 columns wide."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from rich.text import Text

from hive_views.hive.partition_dates import months_of, state_by_day

_MAX_MONTHS = 24
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
    days = state_by_day(states, [one.state for one in signs])
    if not days:
        return []
    first, last = min(days), max(days)
    months = list(months_of(first, last))
    lines = [Text(_LABEL + "".join(f"{number:<2}" if number % 2 else "  " for number in range(1, 32)).rstrip(), "dim")]
    # A caller may have a state of the same name, for partitions that are there.
    drawn: dict[str | None, Sign] = {**{one.state: one for one in signs}, None: Sign(_MISSING, ".", "dim")}
    used = set()
    for year, month in months[-_MAX_MONTHS:]:
        line = Text(f"{year:04}-{month:02}  ")
        for number in range(1, monthrange(year, month)[1] + 1):
            day = date(year, month, number)
            if first <= day <= last:
                sign = drawn[days.get(day)]
                used.add(sign)
                line.append(sign.sign, sign.style)
                line.append(" ")
            else:
                line.append("  ")
        line.rstrip()
        lines.append(line)
    lines.append(Text(_LABEL + "   ".join(f"{one.sign} {one.state}" for one in drawn.values() if one in used)))
    if len(months) > _MAX_MONTHS:
        lines.append(Text(f"{_LABEL}{len(months) - _MAX_MONTHS} earlier months are left out", "dim"))
    return lines
