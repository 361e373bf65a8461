"""String literals and constants of Hive as Python values."""

from __future__ import annotations

import re
from datetime import date, datetime
from decimal import Decimal

from hive_views.ddl.grammar.statements import Constant

MAX_DIGITS = 38
"""Digits of Hive's decimal. Hive makes a double or NULL of longer numbers, which nobody who writes them out means."""

MAX_NUMBER = 1_000
"""Characters of the longest number that is read: a double may be written with more digits than it keeps."""

_QUOTED = re.compile(r"""'([^'\\]*(?:\\.[^'\\]*)*)'|"([^"\\]*(?:\\.[^"\\]*)*)\"""", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|([01][0-7]{2})|(.))", re.DOTALL)
_NAMED = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a", "%": "\\%", "_": "\\_"}

# Hive's analyser also accepts a lower-case D, because Java does, but no other lower-case suffix.
_NUMBER = re.compile(r"(\d+(?:\.\d*)?)([eE][+-]?\d{1,5})?(BD|[dDLSY])?", re.ASCII)
_BITS = {"Y": 8, "S": 16, "L": 64}
_DATE = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})", re.ASCII)
_TIMESTAMP = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2}) (\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{1,6})0{0,3})?", re.ASCII)


def unescaped(literal: str) -> str:
    r"""The text of a string literal, or of several adjacent ones, as Hive's unescapeSQLString gives it.

    ``\uXXXX`` is a UTF-16 unit, ``\001`` an octal character below 200, ``\%`` and ``\_`` keep their backslash, and one
    before another character means the character.

    Raises:
        ValueError: an escape that Hive reads as a wrong character: ``\u`` without four hex digits, or half of a
            surrogate pair. The message says which.
    """
    if literal[0] == literal[-1] and literal.count(literal[0]) == 2 and "\\" not in literal:
        return literal[1:-1]
    text = "".join(
        _ESCAPE.sub(_character, single if single is not None else double)
        for single, double in (match.groups() for match in _QUOTED.finditer(literal))
    )
    try:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError:
        raise ValueError("an unpaired surrogate is not a character") from None


def _character(escape: re.Match[str]) -> str:
    unit, octal, other = escape.groups()
    if unit is not None:
        return chr(int(unit, 16))
    if octal is not None:
        return chr(int(octal, 8))
    if other == "u":
        raise ValueError("\\u needs four hex digits")
    return _NAMED.get(other, other)


def number(text: str) -> Constant:
    """The value of a number as Hive types it: 10, 10L, 10S, 10Y int, 1.5 and 10BD Decimal, 1e3 and 1.5D float.

    Raises:
        ValueError: a byte length (10K), a hexadecimal number, one that its type does not hold, or a suffix in lower
            case.
    """
    parts = _NUMBER.fullmatch(text)
    if not parts or len(text) > MAX_NUMBER:
        raise ValueError(f"{text[:MAX_DIGITS]} is not a Hive constant")
    digits, exponent, suffix = (part or "" for part in parts.groups())
    if suffix in ("d", "D") or (exponent and not suffix):
        return float(digits + exponent)
    exact = Decimal(digits + exponent)
    if len(digits.replace(".", "")) > MAX_DIGITS or abs(exact.adjusted()) >= MAX_DIGITS:
        raise ValueError(f"a decimal has at most {MAX_DIGITS} digits")
    if suffix == "BD" or "." in digits:
        return exact
    bits = _BITS.get(suffix)
    if bits and exact >= 2 ** (bits - 1):
        raise ValueError(f"{text} is too large for the type of its suffix")
    return int(exact)


def date_of(text: str) -> date:
    """The value of ``DATE 'text'``, read as java.sql.Date.valueOf does.

    Raises:
        ValueError: not a day of the calendar as YYYY-MM-DD.
    """
    parts = _DATE.fullmatch(text)
    if not parts:
        raise ValueError("a date is written YYYY-MM-DD")
    return date(*(int(part) for part in parts.groups()))


def timestamp_of(text: str) -> datetime:
    """The value of ``TIMESTAMP 'text'``, read as java.sql.Timestamp.valueOf does, to microseconds.

    Raises:
        ValueError: not a time as YYYY-MM-DD hh:mm:ss[.ffffff].
    """
    parts = _TIMESTAMP.fullmatch(text)
    if not parts:
        raise ValueError("a timestamp is written YYYY-MM-DD hh:mm:ss[.ffffff]")
    year, month, day, hour, minute, second = (int(part) for part in parts.groups()[:6])
    microsecond = int((parts[7] or "").ljust(6, "0"))
    return datetime(year, month, day, hour, minute, second, microsecond)  # noqa: DTZ001 - Hive's timestamps have no zone
