"""Dates and times that columns have in parts: a day as year, month and day, an hour as ``2026-08-21-07``."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import cache

from hive_views.errors import InvalidInputError
from hive_views.hive.row import Column
from hive_views.hive.types import parse_hive_type
from hive_views.readiness.conditions import DATE, Timestamp, ViewColumn
from hive_views.readiness.matching.values import is_number, is_text, position_of, reader, speller, whole_number
from hive_views.readiness.patterns import PARTS, TIME_OF_DAY, Pattern, exist

Parts = Mapping[str, int]
_Candidate = tuple[str, ...]
_WIDTHS = {"year": 4}


class TimestampOfView:
    """What a partition of the view has of one timestamp; ``asked_of`` is the table and column that ask, for messages.

    Raises:
        InvalidInputError: one of the columns is not in the view, or has no date or time.
    """

    def __init__(self, asked_of: str, condition: Timestamp, keys: Sequence[Column]) -> None:
        self._keys = tuple(keys)
        self._read_column: Callable[[str], Parts | None] | None = None
        self._numbers: dict[str, tuple[int, ViewColumn]] = {}
        self.given: frozenset[str] = frozenset(condition.expected)
        self._positions: list[int] = []
        if condition.column:
            self._column, self._at = condition.column, position_of(condition.column.name, keys, asked_of)
            self._read_column, given = _reader_of_view(asked_of, self._column, keys[self._at])
            self.given |= given
            self._positions.append(self._at)
        for part, one in condition.parts:
            if isinstance(one, ViewColumn):
                at = position_of(one.name, keys, asked_of)
                _check_number(asked_of, part, one, keys[at])
                self._numbers[part] = at, one
                self.given |= {part}
                self._positions.append(at)
        self._given = frozenset(part for part, _ in condition.parts)
        # A day begins at midnight; a month is not its first day.
        if self.given & {"day", "hour", "minute"}:
            shortest = max(PARTS.index(part) for part in self.given)
            self._implied = frozenset(part for part in TIME_OF_DAY if PARTS.index(part) > shortest)
        else:
            self._implied = frozenset()
        self._parts = cache(self._read)

    def check_shown(self, asked_of: str, condition: Timestamp, shown: Sequence[str]) -> None:
        """Raise an InvalidInputError if the table's column shows parts that the view's columns lack, or lacks one of
        which all values are expected.
        """
        given = self.given if isinstance(condition.shown, str) else self.given | self._implied
        unknown = [part for part in shown if part not in given]
        if unknown:
            raise InvalidInputError(
                f"{self.columns()} of the view has no {unknown[0]}, which {asked_of} is asked for; add it with "
                f"timestamp(..., {unknown[0]}=...), or leave it out.",
            )
        unseen = [part for part in condition.expected if part not in shown]
        if unseen:
            raise InvalidInputError(
                f"Several values of {unseen[0]} are expected, and {asked_of} shows no {unseen[0]} "
                f"({', '.join(shown)}).",
            )

    def length(self) -> str:
        """The shortest part that the columns have: a date is a day long."""
        pattern = self._column.pattern if self._read_column else None
        if self._read_column and not pattern and parse_hive_type(self._keys[self._at].type).name != "timestamp":
            given = {*DATE, *self._numbers}
        else:
            given = set(self.given)
        return max(given, key=PARTS.index)

    def columns(self) -> str:
        return ", ".join(self._keys[position].name for position in self._positions)

    def parts(self, candidate: _Candidate) -> Parts | None:
        """The parts that a partition has; None where its values are no date or time."""
        return self._parts(tuple([candidate[position] for position in self._positions]))

    def values_of(self, parts: Sequence[str]) -> Callable[[_Candidate], Hashable | None]:
        """Readings of these parts."""

        def read(candidate: _Candidate) -> Hashable | None:
            found = self.parts(candidate)
            return None if found is None else tuple([found[part] for part in parts])

        return read

    def description(self, base: Column, condition: Timestamp) -> Callable[[_Candidate], str]:
        """A partition in the words of the table's column; in the view's, where several values are expected."""

        def described(candidate: _Candidate) -> str:
            parts = self.parts(candidate)
            if condition.expected or parts is None:
                return "/".join(f"{self._keys[at].name}={candidate[at]}" for at in self._positions)
            return f"{base.name}={_shown(parts, condition.shown)}"

        return described

    def proposals(
        self, given: Sequence[tuple[int, Sequence[str]]]
    ) -> Iterator[tuple[int, Callable[[tuple[Hashable, ...]], str | None]]]:
        """For columns of the view: their texts, from the parts that columns of a table have, ``given`` with their
        places in the key.
        """
        known = {part for _, parts in given for part in parts}
        if self._read_column:
            key, pattern = self._keys[self._at], self._column.pattern
            needed = set(Pattern(pattern).parts) if pattern else set(DATE)
            if parse_hive_type(key.type).name == "timestamp":
                # A column of times that only says its day would name midnight alone.
                needed |= {"hour"} - self._given
            # Where another column has the hour, this one has the day.
            timed = not pattern and parse_hive_type(key.type).name != "date" and not self._given & TIME_OF_DAY
            if needed <= known | self._implied:
                yield self._at, _proposal(given, _writer(key, pattern, timed=timed))
        for part, (position, column) in self._numbers.items():
            if part in known:
                yield position, _proposal(given, _number_writer(self._keys[position], part, column.pattern))

    def _read(self, texts: tuple[str, ...]) -> Parts | None:
        remaining = list(texts)
        parts: dict[str, int] = dict.fromkeys(self._implied, 0)
        if self._read_column:
            of_column = self._read_column(remaining.pop(0))
            if of_column is None:
                return None
            parts |= of_column
        for part, text in zip(self._numbers, remaining, strict=True):
            number = whole_number(text)
            if number is None:
                return None
            parts[part] = number
        return parts


def read_shown(
    asked_of: str, base: Column, condition: Timestamp
) -> tuple[tuple[str, ...], Callable[[str], Parts | None]]:
    """The parts of a timestamp that a column of a table has, and how they are read from its texts. InvalidInputError:
    the column's type has no such texts.
    """
    shown = condition.shown
    if isinstance(shown, Pattern) and (is_text(base.type) or is_number(base.type)):
        return shown.parts, shown.read
    if isinstance(shown, str) and (is_text(base.type) or is_number(base.type)):
        return (shown,), _number_reader(shown, base.type)
    type_ = "date" if shown == DATE else "timestamp" if is_text(base.type) else base.type
    read = reader(base.type, type_) if parse_hive_type(type_).name in ("date", "timestamp") else None
    if read is None or isinstance(shown, (str, Pattern)):
        what = (
            f"the {shown}" if isinstance(shown, str) else "a text" if isinstance(shown, Pattern) else "a date or time"
        )
        raise InvalidInputError(
            f"Cannot compare {asked_of} ({base.type}) with {what}: use column('...') alone for a column of dates or "
            f"times, formatted('yyyyMMdd') for one of strings or numbers, and .year, .month, .day, .hour for one of "
            f"numbers.",
            columns=[base.name],
        )
    return (DATE if shown == DATE else PARTS), lambda text: _parts_of(read(text))


def _reader_of_view(
    asked_of: str, column: ViewColumn, key: Column
) -> tuple[Callable[[str], Parts | None], frozenset[str]]:
    name = parse_hive_type(key.type).name
    if column.pattern and (is_text(key.type) or is_number(key.type)):
        pattern = Pattern(column.pattern)
        return pattern.read, frozenset(pattern.parts)
    read = reader(key.type, key.type if name in ("date", "timestamp") else "timestamp")
    if column.pattern or read is None:
        raise InvalidInputError(
            f"The view's {key.name} ({key.type}), asked of {asked_of}, cannot be read as a date or time: parsed(...) "
            f"is for columns of strings and numbers, and they need it (column({column.name!r}).parsed('yyyyMMdd')).",
            columns=[column.name],
        )
    return (lambda text: _parts_of(read(text))), frozenset(DATE if name == "date" else PARTS)


def _check_number(asked_of: str, part: str, column: ViewColumn, key: Column) -> None:
    if not is_text(key.type) and not is_number(key.type):
        raise InvalidInputError(
            f"The view's {key.name} ({key.type}), asked of {asked_of}, cannot be the {part} of a timestamp: it is not "
            f"a number.",
            columns=[column.name],
        )
    if column.pattern and Pattern(column.pattern).parts != (part,):
        raise InvalidInputError(
            f"The pattern {column.pattern!r} of column({column.name!r}) does not write the {part}, which {asked_of} "
            f"is asked for.",
            columns=[column.name],
        )


def _number_reader(part: str, type_: str) -> Callable[[str], Parts | None]:
    # A column of decimals may write a whole number with a fraction of zeros.
    read = reader(type_, "bigint")

    def parts(text: str) -> Parts | None:
        number = read(text) if read else None
        if not isinstance(number, (int, Decimal)) or number != int(number):
            return None
        return {part: int(number)} if exist({part: int(number)}) else None

    return parts


def _parts_of(value: object) -> Parts | None:
    if isinstance(value, datetime):
        return None if value.microsecond else {part: getattr(value, part) for part in PARTS}
    if isinstance(value, date):
        return {part: getattr(value, part, 0) for part in PARTS}
    return None


def _shown(parts: Parts, shown: str | tuple[str, ...] | Pattern | None) -> str:
    if isinstance(shown, Pattern):
        return shown.write(parts)
    if isinstance(shown, str):
        return str(parts[shown])
    return _iso(parts, timed=shown is None)


def _iso(parts: Parts, *, timed: bool) -> str:
    day = f"{parts['year']:04d}-{parts['month']:02d}-{parts['day']:02d}"
    time = tuple(parts.get(part, 0) for part in ("hour", "minute", "second"))
    return f"{day} {time[0]:02d}:{time[1]:02d}:{time[2]:02d}" if timed and any(time) else day


def _proposal(
    given: Sequence[tuple[int, Sequence[str]]], write: Callable[[Parts], str | None]
) -> Callable[[tuple[Hashable, ...]], str | None]:
    written = cache(lambda *items: write(dict(items)))

    def propose(key: tuple[Hashable, ...]) -> str | None:
        parts: dict[str, int] = {}
        for place, names in given:
            values = key[place]
            assert isinstance(values, tuple)
            parts.update(zip(names, values, strict=True))
        return written(*parts.items())

    return propose


def _writer(key: Column, pattern: str | None, *, timed: bool) -> Callable[[Parts], str | None]:
    spell = speller(key)

    def write(parts: Parts) -> str | None:
        if not exist(parts):
            return None
        full = dict.fromkeys(TIME_OF_DAY, 0) | dict(parts)
        return spell(Pattern(pattern).write(full) if pattern else _iso(full, timed=timed))

    return write


def _number_writer(key: Column, part: str, pattern: str | None) -> Callable[[Parts], str | None]:
    spell = speller(key)
    # A text column without a pattern has as many digits as dates have.
    width = _WIDTHS.get(part, 2) if is_text(key.type) else 1
    return lambda parts: spell(Pattern(pattern).write(parts) if pattern else str(parts[part]).zfill(width))
