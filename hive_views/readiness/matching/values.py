"""Whether values of two partition columns are the same, although the columns differ in type or spelling.

Two columns compare as numbers, as texts, as dates, as timestamps or as booleans. Beside a text column, the other's type
decides: ``'07'`` in a string column is the 7 of an int column, ``'2026-08-21'`` the date.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Hashable, Sequence
from datetime import datetime
from decimal import Decimal
from functools import cache

from hive_views.errors import InvalidInputError, InvalidPartitionError
from hive_views.hive.conversion import Value, convert
from hive_views.hive.partition_values import normalise_value
from hive_views.hive.row import Column
from hive_views.hive.types import HiveType, parse_hive_type

Reader = Callable[[str], Value | None]
"""From a value's text to what equals the other column's value; None where it is no value of the compared type."""

_TEXTS = frozenset(("string", "varchar", "char"))
_NUMBERS = frozenset(("tinyint", "smallint", "int", "bigint", "decimal", "float", "double"))
_COMPARED_WITH_THEMSELVES = frozenset(("date", "timestamp", "boolean"))


def reader(type_: str, other: str) -> Reader | None:
    """How values of a column of ``type_`` are read to be compared with those of ``other``; None: they cannot be.

    Raises:
        InvalidSchemaError: one is not a type of Hive.
    """
    own, others = parse_hive_type(type_), parse_hive_type(other)
    kinds = _kind(own), _kind(others)
    if None in kinds:
        return None
    if kinds[0] == kinds[1]:
        return _reader_of(own)
    if kinds[0] == "text":
        return lambda text: _read_exactly(text, others)
    return _reader_of(own) if kinds[1] == "text" else None


def is_text(type_: str) -> bool:
    return _kind(parse_hive_type(type_)) == "text"


def is_number(type_: str) -> bool:
    return _kind(parse_hive_type(type_)) == "number"


def whole_number(text: str) -> int | None:
    """The number that a text says, whatever its leading zeros."""
    value = convert(text, HiveType("bigint"))
    return value if isinstance(value, int) else None


def position_of(name: str, keys: Sequence[Column], asked_of: str) -> int:
    """Where the view has a partition column.

    Raises:
        InvalidInputError: it has none of the name.
    """
    for position, key in enumerate(keys):
        if key.name.lower() == name:
            return position
    raise InvalidInputError(
        f"column({name!r}), compared with {asked_of}, is not a partition column of the view; {what_it_has(name, keys)}",
        columns=[name],
    )


def what_it_has(name: str, columns: Sequence[Column]) -> str:
    """The end of an error about an unknown partition column: all that there are, and the nearest."""
    has = ", ".join(f"{column.name} ({column.type})" for column in columns) or "none"
    near = difflib.get_close_matches(name, [column.name.lower() for column in columns], n=1, cutoff=0.5)
    return f"it has {has}.{f' Did you mean {near[0]!r}?' if near else ''}"


def text_of(value: object, table: str, base: Column) -> str:
    """The text that a column of a table has for a value that a user gives.

    Raises:
        InvalidInputError: it is none of the column's type.
    """
    try:
        return normalise_value(value, base.type, key=base.name)
    except InvalidPartitionError as e:
        raise InvalidInputError(
            f"The requirement on {table} cannot be met. {e}", table=table, columns=[base.name]
        ) from e


def speller(key: Column) -> Callable[[Hashable], str | None]:
    """From a value to the text that the view's column has for it; None where it can have none."""

    def spell(value: Hashable) -> str | None:
        try:
            return normalise_value(value, key.type, key=key.name)
        except InvalidPartitionError:
            return None

    return cache(spell)


def _kind(type_: HiveType) -> str | None:
    if type_.name in _TEXTS:
        return "text"
    if type_.name in _NUMBERS:
        return "number"
    return type_.name if type_.name in _COMPARED_WITH_THEMSELVES else None


def _reader_of(type_: HiveType) -> Reader:
    if type_.name == "char":
        return lambda text: text.rstrip(" ")
    if type_.name in _TEXTS:
        return lambda text: text
    return lambda text: convert(text, type_)


def _read_exactly(text: str, type_: HiveType) -> Value | None:
    """The value that a text says; None where the conversion would round or cut, and so make different values equal."""
    value = convert(text, type_)
    if isinstance(value, Decimal):
        return value if value == Decimal(text.strip()) else None
    if type_.name == "date":
        timestamp = convert(text, HiveType("timestamp"))
        return value if isinstance(timestamp, datetime) and timestamp.time() == datetime.min.time() else None
    return value
