"""What is expected of a publication: which partitions there must be by now, and since when one is late."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from functools import lru_cache
from typing import Any

from cronsim import CronSim, CronSimError

from hive_views.errors import InvalidInputError
from hive_views.hive.durations import duration_text, read_duration
from hive_views.readiness.periods import zone_of

NAMED = {"hourly": "0 * * * *", "daily": "0 0 * * *", "weekly": "0 0 * * 1", "monthly": "0 0 1 * *"}
"""Schedules with a name, as cron expressions. A week begins on Monday, as in ISO 8601."""

PERIODS = {"hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month"}
"""How long a partition of each of these lasts."""

EXPECTATION_OPTIONS = ("expected", "late_after", "time_zone", "expected_columns", "known_empty")
"""What an expectation is written as in files of publications and on a command line."""

_MOST_PERIODS = 200_000

Values = tuple[str, ...]


@dataclass(frozen=True)
class Expectation:
    """The partitions that a publication must have declared by a certain time, whatever the base tables hold.

    A partition is due when the time that it names has passed: that of ``ds=2026-08-21`` at midnight after this day. It
    is late ``late_after`` later.

    Attributes:
        every: ``hourly``, ``daily``, ``weekly`` (a partition is named after its Monday), ``monthly``, a cron expression
            of five fields, or the values themselves. A partition of a cron expression lasts as long as the shortest
            part that is written of its time: an hour, a day, a month.
        late_after: ``6h``, ``90min``, ``2d``, or a timedelta.
        time_zone: in which days and hours are counted.
        columns: by partition column, how the time is written in it (a pattern such as ``yyyyMMdd``, ``HH``), or all
            values that are expected in it at each time. A column that is left out has the time as its type or name
            suggests: ``2026-08-21`` or, in a number, ``20260821``; columns named year, month, day, hour (or hr) these.
        known_empty: values of partition columns of partitions that will never come, such as holidays.

    Raises:
        InvalidInputError: an argument is not one of these.
    """

    every: str | Values
    late_after: timedelta = timedelta(0)
    time_zone: str = "UTC"
    columns: Mapping[str, str | Values] = field(default_factory=dict)
    known_empty: Sequence[Mapping[str, Values]] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "every", _every(self.every))
        object.__setattr__(self, "late_after", _duration(self.late_after))
        zone_of(self.time_zone)
        columns = {
            str(name).lower(): one if isinstance(one, str) else _values(f"columns, {name}", one)
            for name, one in _mapping("columns", self.columns).items()
        }
        object.__setattr__(self, "columns", columns)
        known_empty = tuple(
            {str(name).lower(): _values("known_empty", one) for name, one in _mapping("known_empty", hole).items()}
            for hole in _sequence("known_empty", self.known_empty)
        )
        object.__setattr__(self, "known_empty", known_empty)

    def __hash__(self) -> int:
        return hash((self.every, self.late_after, self.time_zone))

    def __str__(self) -> str:
        every = self.every if isinstance(self.every, str) else ", ".join(self.every)
        late = f", late after {duration_text(self.late_after)}" if self.late_after else ""
        return f"{every}{late}{'' if self.time_zone == 'UTC' else f' ({self.time_zone})'}"

    def starts(self, after: datetime, now: datetime) -> Sequence[datetime]:
        """When the periods begin that this schedule has from a time until now; none of an expectation of values.

        Raises:
            InvalidInputError: there are more than 200,000.
        """
        if not isinstance(self.every, str):
            return ()
        # Schedules know minutes: all publications of one minute have the same.
        starts = _starts(NAMED.get(self.every, self.every), after, now.replace(second=0, microsecond=0))
        if len(starts) > _MOST_PERIODS:
            raise InvalidInputError(
                f"Partitions are expected {self.every} since {after:%Y-%m-%d %H:%M}, which are more than "
                f"{_MOST_PERIODS:,}: give a later since."
            )
        return starts

    def document(self) -> dict[str, Any]:
        """The expectation as JSON holds it, without what is as by default."""
        written = {
            "every": self.every if isinstance(self.every, str) else list(self.every),
            "late-after-s": int(self.late_after.total_seconds()),
            "time-zone": "" if self.time_zone == "UTC" else self.time_zone,
            "columns": {name: one if isinstance(one, str) else list(one) for name, one in self.columns.items()},
            "known-empty": [{name: list(values) for name, values in hole.items()} for hole in self.known_empty],
        }
        return {key: value for key, value in written.items() if value}

    @classmethod
    def of_document(cls, document: Mapping[str, Any]) -> Expectation:
        """The expectation that ``document`` wrote; InvalidInputError, TypeError, KeyError: it did not write it."""
        return cls(
            document["every"],
            timedelta(seconds=document.get("late-after-s", 0)),
            document.get("time-zone", "UTC"),
            document.get("columns", {}),
            document.get("known-empty", ()),
        )


def expectation_of(
    expected: str | Sequence[object] | None,
    late_after: str | None,
    time_zone: str | None,
    expected_columns: Mapping[str, str | Sequence[object]],
    known_empty: Sequence[Mapping[str, object]],
) -> Expectation | None:
    """The expectation that a file or a command line has in ``EXPECTATION_OPTIONS``; None: nothing is expected.
    InvalidInputError as ``Expectation``.
    """
    if expected is None:
        return None
    return Expectation(expected, late_after or "0s", time_zone or "UTC", expected_columns, known_empty)  # type: ignore[arg-type]  # texts are read


@lru_cache(maxsize=64)
def _starts(expression: str, after: datetime, now: datetime) -> Sequence[datetime]:
    # Many publications have one schedule. What fires at the very first second counts as well.
    fires: Iterator[datetime] = CronSim(expression, after - timedelta(seconds=1))
    return tuple(itertools.islice(itertools.takewhile(lambda fire: fire <= now, fires), _MOST_PERIODS + 1))


def _every(every: object) -> str | Values:
    if not isinstance(every, str):
        return _values("expected", every)
    if every in NAMED:
        return every
    try:
        if len(every.split()) != 5:
            raise CronSimError("not five fields")
        next(CronSim(every, datetime(2026, 1, 1, tzinfo=timezone.utc)))
    except (CronSimError, StopIteration) as error:
        raise InvalidInputError(
            f"Cannot expect partitions {every!r}: give hourly, daily, weekly, monthly, a cron expression of five "
            f"fields such as '0 6 * * 1-5', or a list of values."
        ) from error
    return every


def _duration(duration: object) -> timedelta:
    found = read_duration(duration) if isinstance(duration, str) else duration
    if not isinstance(found, timedelta) or found < timedelta(0) or found > timedelta(days=3650):
        raise InvalidInputError(
            f"Cannot use late_after={duration!r}: give a number with a unit, such as '6h', '90min' or '2d'."
        )
    return found


def _mapping(name: str, given: object) -> Mapping[Any, Any]:
    if not isinstance(given, Mapping) or (name == "known_empty" and not given):
        raise InvalidInputError(f"Cannot use {name}={given!r}: give values by partition column.")
    return given


def _sequence(name: str, given: object) -> Sequence[Any]:
    if not isinstance(given, (list, tuple)):
        raise InvalidInputError(f"Cannot use {name}={given!r}: give a list.")
    return given


def _values(name: str, given: object) -> Values:
    values = given if isinstance(given, (list, tuple)) else (given,)
    if not values or not all(isinstance(one, (str, int)) or hasattr(one, "isoformat") for one in values):
        raise InvalidInputError(f"Cannot use {given!r} for {name}: give values, such as '2026-08-21' or 7.")
    return tuple(map(str, values))
