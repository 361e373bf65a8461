"""How the partition columns of a view write the time that is expected, and which other values are expected in them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, timedelta

from hive_views.errors import InvalidInputError
from hive_views.hive.partition_values import normalise_partial_spec, normalise_value, typed_value
from hive_views.hive.row import Column
from hive_views.hive.types import parse_hive_type
from hive_views.readiness.expectation import PERIODS, Expectation, Values
from hive_views.readiness.matching.links import Candidate
from hive_views.readiness.matching.values import is_number
from hive_views.readiness.patterns import PARTS, Pattern

_BY_NAME = {"year": "yyyy", "month": "MM", "day": "dd", "hour": "HH", "hr": "HH", "minute": "mm"}
_BY_PERIOD = {"hour": "yyyy-MM-dd-HH", "day": "yyyy-MM-dd", "week": "yyyy-MM-dd", "month": "yyyy-MM"}
_BY_TYPE = {"date": "yyyy-MM-dd", "timestamp": "yyyy-MM-dd HH:mm:ss"}
_LONGEST = {"year": 1500, "month": 70, "week": 15, "day": 15, "hour": 15, "minute": 15}
_FIRST = {"year": 1, "month": 1, "day": 1, "hour": 0, "minute": 0, "second": 0}
_NUMBER = re.compile("[0-9]+", re.ASCII)


class ExpectedColumns:
    """What an expectation says of the partition columns of a view.

    Attributes:
        period: how long a partition lasts, as the name of a part of a timestamp, or week.

    Raises:
        InvalidInputError: it says nothing of a column whose values cannot be guessed, or names one that the view lacks.
        InvalidPartitionError: a value is none of its column.
    """

    def __init__(self, expectation: Expectation, keys: Sequence[Column]) -> None:
        self._keys = {key.name.lower(): key for key in keys}
        self._expectation = expectation
        for name in (*expectation.columns, *itertools.chain.from_iterable(expectation.known_empty)):
            if name not in self._keys:
                raise InvalidInputError(
                    f"The expectation names {name!r}, which is not a partition column of the view; those are "
                    f"{', '.join(self._keys)}.",
                    columns=[name],
                )
        written = {name: one for name, one in expectation.columns.items() if isinstance(one, str)}
        given = {name: one for name, one in expectation.columns.items() if not isinstance(one, str)}
        left = [name for name in self._keys if name not in expectation.columns]
        every = expectation.every
        if isinstance(every, str):
            self.period = PERIODS.get(every) or ("day" if _NUMBER.fullmatch(every.split()[1]) else "hour")
            self._patterns = {name: Pattern(text) for name, text in (written | self._guessed(left, written)).items()}
            self._check_parts(every)
        else:
            if len(left) != 1:
                raise self._unclear(left or self._keys)
            given |= {left[0]: every}
            self.period = "day"
            # Values that are no dates name no time.
            self._patterns = {left[0]: Pattern(self._whole(left[0], "day"))}
        self._values = {name: self._spelled(name, values) for name, values in given.items()}
        self._known_empty = [
            {name: frozenset(self._spelled(name, values)) for name, values in hole.items()}
            for hole in expectation.known_empty
        ]

    @property
    def longest(self) -> timedelta:
        """A time within which there is at least one whole period."""
        return timedelta(days=_LONGEST[self.period])

    def beginning(self, time: datetime) -> datetime:
        """When the period that a time is in begins, without a time zone."""
        longer = PARTS[: PARTS.index("day" if self.period == "week" else self.period) + 1]
        return datetime(**_FIRST | {part: getattr(time, part) for part in longer})  # noqa: DTZ001 - by the wall clock

    def write(self, start: datetime | None) -> list[Candidate]:
        """The partitions of one time, with all values that are expected in the other columns."""
        parts = {part: getattr(start, part) for part in PARTS} if start else {}
        options = [
            self._values.get(name) or self._spelled(name, (self._patterns[name].write(parts),)) for name in self._keys
        ]
        return list(itertools.product(*options))

    def read(self, candidate: Candidate) -> datetime | None:
        """When the time that a partition names begins; None: it names none."""
        return self._time(dict(zip(self._keys, candidate, strict=True)))

    def earliest(self, since: Mapping[str, object] | None, declared: Iterable[Candidate]) -> datetime | None:
        """The first time that is expected: that of the bound, or of the first partition; None: it is unknown."""
        bound = self._time(normalise_partial_spec(since or {}, list(self._keys.values())))
        return bound or min(filter(None, map(self.read, declared)), default=None)

    def is_known_empty(self, candidate: Candidate) -> bool:
        texts = dict(zip(self._keys, candidate, strict=True))
        return any(all(texts[name] in values for name, values in hole.items()) for hole in self._known_empty)

    def _guessed(self, names: Sequence[str], written: Mapping[str, str]) -> dict[str, str]:
        """How the columns that nothing is said of write the time, by their names and types."""
        if len(names) == 1 and not written:
            return {names[0]: self._whole(names[0], self.period)}
        parts = {name: _BY_NAME[name] for name in names if name in _BY_NAME}
        others = [name for name in names if name not in parts]
        if len(others) > 1:
            raise self._unclear(others)
        has_hour = any("HH" in text for text in (*parts.values(), *written.values()))
        return parts | {name: self._whole(name, "day" if has_hour else self.period) for name in others}

    def _whole(self, name: str, period: str) -> str:
        type_ = self._keys[name].type
        text = _BY_TYPE.get(parse_hive_type(type_).name, _BY_PERIOD[period])
        return text.replace("-", "") if is_number(type_) else text

    def _check_parts(self, every: str) -> None:
        shown = {part for pattern in self._patterns.values() for part in pattern.parts}
        shortest = "day" if self.period == "week" else self.period
        if every not in PERIODS and shown:
            shortest = self.period = max(shown - {"second"} or shown, key=PARTS.index)
        missing = [part for part in PARTS[: PARTS.index(shortest) + 1] if part not in shown]
        if missing:
            raise InvalidInputError(
                f"Partitions are expected {every}, and no partition column of the view ({', '.join(self._keys)}) has "
                f'the {missing[0]}: say how it is written, as in expected_columns = {{ ds = "yyyyMMdd" }}.',
                columns=list(self._keys),
            )

    def _unclear(self, names: Iterable[str]) -> InvalidInputError:
        return InvalidInputError(
            f"It is unknown what is expected in {' and '.join(names)}: give a pattern of the time, or all values, by "
            f'column, as in expected_columns = {{ ds = "yyyy-MM-dd", region = ["eu", "us"] }}.',
            columns=list(names),
        )

    def _spelled(self, name: str, values: Values) -> Values:
        key = self._keys[name]
        return tuple(normalise_value(one, key.type, key=key.name) for one in values)

    def _time(self, texts: Mapping[str, str]) -> datetime | None:
        parts = dict(_FIRST)
        for name, pattern in self._patterns.items():
            text = texts.get(name)
            read = None if text is None else _read(pattern, text, self._keys[name].type)
            if text is not None and read is None:
                return None
            parts |= read or {}
        # A bound may give less than all, but the year.
        with suppress(ValueError):
            return datetime(**parts) if parts["year"] > 1 else None  # type: ignore[arg-type]  # noqa: DTZ001
        return None


def _read(pattern: Pattern, text: str, type_: str) -> Mapping[str, int] | None:
    value = typed_value(text, type_) if parse_hive_type(type_).name in _BY_TYPE else None
    if isinstance(value, date):
        return {part: getattr(value, part, 0) for part in pattern.parts}
    # A number has lost its leading zeros.
    return pattern.read(text.zfill(len(pattern.text)) if is_number(type_) else text)
