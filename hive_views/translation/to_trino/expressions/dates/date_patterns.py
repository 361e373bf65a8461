"""Patterns of dates in Java's letters: those that ``format_datetime`` writes alike, and those for ``date_parse``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hive_views.translation.to_trino.terms import Compiling
from hive_views.translation.translation_findings import Kind, Reason

PATTERN = Reason(
    "date-pattern",
    Kind.UNSUPPORTED,
    "not all engines read this part of the pattern alike",
    (
        ("Hive 2", "follows SimpleDateFormat"),
        ("Hive 4 and Spark", "follow DateTimeFormatter"),
        ("Trino", "follows Joda"),
    ),
)

_ALIKE = frozenset(
    (
        *("y", "yy", "yyyy", "M", "MM", "MMM", "MMMM", "d", "dd", "D", "DDD", "E", "EE", "EEE", "EEEE", "a"),
        *("H", "HH", "h", "hh", "K", "KK", "k", "kk", "m", "mm", "s", "ss", "SSS"),
    )
)
"""Letters that all engines write alike; not S alone, which is milliseconds in Hive 2, and tenths in others."""

_DIGITS = {"yyyy": 4, "MM": 2, "dd": 2, "HH": 2, "mm": 2, "ss": 2, "SSS": 3}
"""Letters that all engines read alike, and how many digits they are."""

_IN_DATE_PARSE = {"yyyy": "%Y", "MM": "%m", "dd": "%d", "HH": "%H", "mm": "%i", "ss": "%s", "SSS": "%f"}

TIMES = frozenset(("H", "h", "K", "k", "m", "s", "S", "a"))
"""First letters of parts of the time of day."""

_DIGIT = "\0"
_PART = re.compile(r"'(?:[^']|'')*'|([A-Za-z])\1*|[^A-Za-z']", re.DOTALL)


@dataclass(frozen=True)
class Pattern:
    """A pattern.

    Attributes:
        text: of it, for Trino.
        letters: those of its fields, such as ``yyyy``.
        form: a regular expression for texts of exactly its digits; None where it is not of digits alone.
        to_parse: the pattern for ``date_parse``, which reads a time without a zone; '' likewise.
    """

    text: str
    letters: tuple[str, ...]
    form: str | None = None
    to_parse: str = ""

    @property
    def has_times(self) -> bool:
        """Whether it shows parts of the time of day."""
        return any(one[0] in TIMES for one in self.letters)


def read_pattern(text: str, node: Any, compiling: Compiling) -> Pattern:
    """A pattern that all engines write alike.

    Raises:
        RefusedError: they do not.
    """
    letters: list[str] = []
    shape = to_parse = ""
    for part in _parts(text):
        if part is None:
            raise compiling.refused(node, PATTERN.because(text))
        if part[0].isalpha():
            if part not in _ALIKE:
                raise compiling.refused(node, PATTERN.because(part))
            letters.append(part)
            shape += _DIGIT * _DIGITS.get(part, 0)
            to_parse += _IN_DATE_PARSE.get(part, "")
        else:
            plain = "'" if part == "''" else part[1:-1].replace("''", "'") if part[0] == "'" else part
            shape += plain
            to_parse += plain.replace("%", "%%")
    if not letters or not set(letters) <= set(_DIGITS):
        return Pattern(text, tuple(letters))
    return Pattern(text, tuple(letters), _form(shape), to_parse)


def _form(shape: str) -> str:
    found = (
        rf"\d{{{len(run[0])}}}" if run[1] else re.sub(r"[\\.*+?|()^$\[\]{}]", r"\\\g<0>", run[0])
        for run in re.finditer(rf"({_DIGIT})+|[^{_DIGIT}]+", shape)
    )
    return f"^{''.join(found)}$"


def _parts(text: str) -> Iterator[str | None]:
    """Fields, quoted texts and other characters; None for what is none of them, or has a meaning in one engine only."""
    at = 0
    while at < len(text):
        found = _PART.match(text, at)
        if found is None or found[0] in "[]{}#<>":
            yield None
            return
        yield found[0]
        at = found.end()
