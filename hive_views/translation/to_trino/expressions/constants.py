"""Constants in Trino: numbers, and texts in the type that they get, where every engine reads them alike."""

from __future__ import annotations

import datetime as dt
import re
from contextlib import suppress
from decimal import ROUND_HALF_UP, Decimal, localcontext

from hive_views.hive.types import HiveType
from hive_views.translation.to_trino.terms import Term, string, trino_type

_BITS = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}
_WHOLE = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)")
_DOUBLE = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,2})?")
_DAY = re.compile(r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})")
_TIME = re.compile(_DAY.pattern + r"(?: ([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:\.([0-9]{1,6}))?)?")
_GREGORIAN = dt.datetime(1582, 10, 15, tzinfo=dt.timezone.utc)


def of_text(text: str, type_: HiveType) -> Term | None:
    """A text as a constant of a type; None for one that is not of the plain form of that type."""
    name = type_.name
    if name in _BITS and _WHOLE.fullmatch(text):
        return whole(int(text), name)
    if name == "decimal" and _DECIMAL.fullmatch(text):
        return decimal(Decimal(text), type_)
    # Of '-0', Hive 4 makes 0.0.
    if name in ("double", "float") and _DOUBLE.fullmatch(text) and not (text[0] == "-" and float(text) == 0):
        return Term(f"{trino_type(type_).upper()} {string(text.removeprefix('+'))}", name)
    if name in ("date", "timestamp"):
        found = _TIME.fullmatch(text)
        return _time(found, name) if found else None
    return None


def whole(value: int, name: str) -> Term | None:
    """A whole number as a constant of a type; None for one that is too large for it."""
    bits = _BITS[name]
    if not -(2 ** (bits - 1)) <= value < 2 ** (bits - 1):
        return None
    # The least number of a type is no minus in front of a number of that type.
    if name == "int" and value != -(2**31):
        return Term(str(value), name, is_whole=value >= 0)
    return Term(f"{trino_type(name).upper()} '{value}'", name)


def of_number(value: Decimal, type_: HiveType) -> Term | None:
    """A number as a constant of a type; None for one that is too large for it, and for other types."""
    if type_.name in _BITS:
        return whole(int(value), type_.name)
    if type_.name == "decimal":
        return decimal(value, type_)
    if type_.name in ("double", "float"):
        return Term(f"{trino_type(type_).upper()} '{value:f}'", type_.name)
    is_whole = value == value.to_integral_value() and not value.as_tuple().exponent
    return Term(string(str(value)), "string") if type_.name == "string" and is_whole else None


def decimal(value: Decimal, type_: HiveType) -> Term | None:
    """A decimal, rounded to the digits of its type; None for one that is too large for it."""
    precision, scale = type_.sizes
    with localcontext() as context:
        context.prec = 100
        rounded = value.quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP)
    digits = f"{rounded:f}"
    # Trino counts the digits, without zeros in front of the point.
    counted = len(digits.lstrip("-").lstrip("0").replace(".", "")) or 1
    if counted > precision:
        return None
    if counted == precision:
        return Term(f"DECIMAL '{digits}'", str(type_))
    return Term(f"CAST({string(digits)} AS {trino_type(type_)})", str(type_))


def _time(found: re.Match[str], name: str) -> Term | None:
    year, month, day, hour, minute, second = (int(part or 0) for part in found.groups()[:6])
    with suppress(ValueError):
        # Calendars differ before that, and Hive 2 counts days of the older one.
        value = dt.datetime(year, month, day, hour, minute, second, tzinfo=dt.timezone.utc)
        if value < _GREGORIAN:
            return None
        if name == "date":
            return Term(f"DATE '{value:%Y-%m-%d}'", name)
        fraction = (found[7] or "").rstrip("0")
        return Term(f"TIMESTAMP '{value:%Y-%m-%d %H:%M:%S}.{fraction.ljust(3, '0')}'", name)
    return None
