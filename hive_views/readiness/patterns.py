"""Dates and times as texts: Hive's patterns, as in ``yyyyMMdd`` and ``yyyy-MM-dd-HH``.

The letters are those of Hive's and Spark's ``date_format`` and of Paimon's ``partition.timestamp-formatter``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from functools import cached_property

from hive_views.errors import InvalidInputError

PARTS = ("year", "month", "day", "hour", "minute", "second")
"""The parts of a timestamp, from the longest to the shortest."""

TIME_OF_DAY = frozenset(("hour", "minute", "second"))

_LETTERS = {"y": "year", "u": "year", "M": "month", "d": "day", "H": "hour", "m": "minute", "s": "second"}
_TOKEN = re.compile(r"'((?:[^']|'')*)'|(([A-Za-z])\3*)|([^A-Za-z'])")
# A day exists in some year: 29 February does.
_LOWEST = {"year": 2000, "month": 1, "day": 1, "hour": 0, "minute": 0, "second": 0}


class Pattern:
    """How a column writes a timestamp, or some parts of it.

    ``yyyy`` is the year, ``MM``, ``dd``, ``HH``, ``mm``, ``ss`` are month, day, hour (00 to 23), minute and second with
    two digits, and with as few as needed where the letter stands alone. Other signs stand for themselves; letters that
    do are quoted (``yyyy-MM-dd'T'HH``).

    Raises:
        InvalidInputError: another letter, a year not of four digits, a part twice, or no part at all.
    """

    def __init__(self, text: str) -> None:
        if not isinstance(text, str):
            raise InvalidInputError(
                f"Cannot use a value of type {type(text).__name__} as a pattern: give a string, as in 'yyyyMMdd'."
            )
        self.text = text
        self._tokens = _tokens(text)
        given = [part for part, _ in self._tokens if part]
        if not given or len(set(given)) < len(given):
            raise _unreadable(text)
        self.parts = tuple(part for part in PARTS if part in given)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pattern) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"Pattern({self.text!r})"

    @cached_property
    def _expression(self) -> re.Pattern[str]:
        # An unpadded number has no leading zero: each timestamp has one text.
        return re.compile(
            "".join(
                f"(?P<{part}>{f'[0-9]{{{len(letters)}}}' if len(letters) > 1 else '0|[1-9][0-9]?'})"
                if part
                else re.escape(letters)
                for part, letters in self._tokens
            )
        )

    def read(self, text: str) -> dict[str, int] | None:
        """The parts that a text says; None where it is not written so, or no such day or time exists."""
        match = self._expression.fullmatch(text)
        parts = {part: int(number) for part, number in match.groupdict().items()} if match else {}
        return parts if exist(parts) else None

    def write(self, parts: Mapping[str, int]) -> str:
        """The text of a timestamp that has at least the pattern's parts."""
        return "".join(str(parts[part]).zfill(len(letters)) if part else letters for part, letters in self._tokens)


def exist(parts: Mapping[str, int]) -> bool:
    """Whether there are parts, and a timestamp that has them."""
    try:
        datetime(**{**_LOWEST, **parts})  # type: ignore[arg-type]  # noqa: DTZ001 - no zone in Hive
    except (ValueError, OverflowError):
        return False
    return bool(parts)


def _tokens(text: str) -> list[tuple[str | None, str]]:
    """Part and letters, or None and a literal."""
    tokens: list[tuple[str | None, str]] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if not match:
            raise _unreadable(text)
        quoted, letters, letter, sign = match.groups()
        if letters:
            if letter not in _LETTERS or len(letters) not in ((4,) if letter in "yu" else (1, 2)):
                raise _unreadable(text)
            tokens.append((_LETTERS[letter], letters))
        else:
            tokens.append((None, sign if quoted is None else quoted.replace("''", "'") or "'"))
        position = match.end()
    return tokens


def _unreadable(text: str) -> InvalidInputError:
    return InvalidInputError(
        f"Cannot use {text!r} as a pattern: it takes yyyy, MM, dd, HH, mm, ss (or M, d, H, m, s for numbers without "
        f"leading zero), each at most once, and other characters between them; literal letters are "
        f"quoted: yyyy-MM-dd'T'HH.",
    )
