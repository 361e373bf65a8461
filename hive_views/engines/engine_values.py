"""Values as engines send them, each in the one form of its type, so that those of two engines can be compared.

===============  ======================================================
boolean, ints    ``bool``, ``int``
float, double    ``float``; of a float the nearest of 32 bits
decimal          ``Decimal``, without zeros at its end
string, varchar  ``str``
char             ``str`` without blanks at its end, which mean nothing
date             ``YYYY-MM-DD``
timestamp        ``YYYY-MM-DD hh:mm:ss.`` and nine digits
binary           ``bytes``
array, struct    ``tuple``
map              ``dict``
===============  ======================================================
"""

from __future__ import annotations

import base64
import json
import re
import struct
from collections.abc import Callable, Sequence
from decimal import Context, Decimal
from typing import Any

from hive_views.errors import InvalidSchemaError, UnsupportedFeatureError
from hive_views.hive.types import HiveType, parse_hive_type

Reader = Callable[[Any], Any]
"""From what an engine sends to a value in its one form."""

NESTED = frozenset(("array", "map", "struct"))
FRACTIONS = frozenset(("float", "double"))

_WIDE = Context(prec=100)
_TIMESTAMP = re.compile(r"(\S+)[ T](\d+:\d+:\d+)(?:\.(\d+))?")
_WHOLE = ("tinyint", "smallint", "int", "bigint")
# Engines write other keys as they have them in memory.
_KEYS = frozenset((*_WHOLE, "boolean", "string", "varchar", "char", "decimal", *FRACTIONS))


def type_of(column: str, type_: str) -> HiveType:
    """The type of a column whose values can be compared.

    Raises:
        UnsupportedFeatureError: values of this type cannot be, with the column.
    """
    try:
        found = parse_hive_type(type_)
    except InvalidSchemaError:
        found = HiveType(type_)
    for part in found.everything():
        if part.name not in _READERS and part.name not in NESTED:
            raise _not_comparable(column, type_)
        if part.name == "map" and part.parts[0].name not in _KEYS:
            raise _not_comparable(column, type_)
    return found


def reader_of(type_: HiveType) -> Reader:
    """What reads the values of a type: those of Trino's protocol, of Spark's JSON, or a text of Hive."""
    read = _nested_reader(type_) if type_.name in NESTED else _READERS[type_.name]
    return lambda value: None if value is None else read(value)


class _Member(tuple[str, Any]):
    """Of a JSON object."""

    __slots__ = ()


def read_json(text: str) -> Any:
    """A JSON document for readers: numbers as they are written, and objects with all their members in order."""
    return json.loads(text, parse_float=str, object_pairs_hook=lambda pairs: list(map(_Member, pairs)))


def order_of(types: Sequence[HiveType]) -> tuple[int, ...]:
    """The places, from 0, of the columns by which all engines order alike: fractions, with their last digits, last."""
    plain = (at for at, one in enumerate(types) if one.name not in NESTED)
    return tuple(sorted(plain, key=lambda at: types[at].name in FRACTIONS))


def float_32(value: Any) -> float:
    """The nearest number that a ``float`` holds."""
    try:
        return float(struct.unpack("f", struct.pack("f", float(value)))[0])
    except OverflowError:
        return float("inf") if float(value) > 0 else float("-inf")


def _not_comparable(column: str, type_: str) -> UnsupportedFeatureError:
    return UnsupportedFeatureError(
        f"Cannot compare rows: column {column} is of type {type_}, whose values engines do not return in a form that "
        f"can be compared. Verify a text without this column, or the columns only."
    )


def _boolean(value: Any) -> bool:
    return value if isinstance(value, bool) else {"true": True, "false": False}[str(value).lower()]


def _decimal(value: Any) -> Decimal:
    number = Decimal(str(value))
    return number.normalize(_WIDE) if number else Decimal(0)


def _timestamp(value: Any) -> str:
    found = _TIMESTAMP.fullmatch(str(value))
    return f"{found[1]} {found[2]}.{(found[3] or '').ljust(9, '0')}" if found else str(value)


_READERS: dict[str, Reader] = {
    **dict.fromkeys(_WHOLE, int),
    "boolean": _boolean,
    "float": float_32,
    "double": float,
    "decimal": _decimal,
    "string": str,
    "varchar": str,
    "char": lambda value: str(value).rstrip(" "),
    "date": str,
    "timestamp": _timestamp,
    "binary": lambda value: value if isinstance(value, bytes) else base64.b64decode(value),
}


def _nested_reader(type_: HiveType) -> Reader:
    parts = [reader_of(part) for part in type_.parts]
    if type_.name == "array":
        return lambda value: tuple(map(parts[0], value))
    if type_.name == "map":
        return lambda value: {parts[0](key): parts[1](one) for key, one in _pairs(value)}
    # Structs of JSON have names, which may be there twice.
    return lambda value: tuple(read(_part(one)) for read, one in zip(parts, value, strict=True))


def _pairs(value: Any) -> Any:
    return value.items() if isinstance(value, dict) else value


def _part(one: Any) -> Any:
    return one[1] if isinstance(one, _Member) else one
