"""Values of any type as dates and timestamps, as functions of dates read them: Hive's read texts in their own way."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from hive_views.translation.reading_nodes import Call
from hive_views.translation.to_trino import shared_reasons as reasons
from hive_views.translation.to_trino.expressions.casting import converted_term
from hive_views.translation.to_trino.terms import Compiling, Term, cast, string
from hive_views.translation.translation_findings import Kind, Reason

IMPOSSIBLE_DATE = Reason(
    "impossible-date",
    Kind.EDGE,
    "of texts that are no date of the calendar, such as '2019-02-29' and '10:30', it makes NULL",
    (
        ("Hive 2", "counts on into the next month or day: 2019-03-01; NULL of a time without a day"),
        ("Hive 4", "NULL; the day of today of a time without one"),
        ("Trino", "NULL"),
    ),
)
TIME_IN_TEXT = Reason(
    "time-in-text",
    Kind.STRICTER,
    "it fails for texts that start as a date or a time does, and are not both, to the second and with a blank between:"
    " releases of Hive differ on them",
    (
        ("Hive 2", "finds no time in '2020-01-31T10:11:12', and the hour of '2020-01-31' is NULL"),
        ("Hive 4", "finds 10:11:12, and the hour is 0"),
        ("Trino", "fails"),
    ),
)
_STRINGS = ("string", "char", "varchar")
_DAY = re.compile(r"\s*(\d{4}-\d{1,2}-\d{1,2})(?!\d)")
_DAY_IN_TRINO = r"^\s*(\d{4}-\d{1,2}-\d{1,2})(?!\d)"
_TIME = r"\s*\d{4}-\d{1,2}-\d{1,2} \d{1,2}:\d{1,2}:\d{1,2}(\.\d{1,6})?\s*"
_TIME_OR_START = rf"^{_TIME}$|^\s*(\d{{4}}-0*[1-9]|\d{{1,2}}:)"
"""A time that all read alike; or else the start of a text that they do not, on which Trino fails."""


@dataclass(frozen=True, kw_only=True)
class TextOfTime(Term):
    """A text that is made of a date or a timestamp.

    Attributes:
        day: the date that it says.
        time: the timestamp; None where it says a date alone.
    """

    day: Term
    time: Term | None = None


def is_text(type_: str) -> bool:
    """Whether it is a type of texts."""
    return type_.partition("(")[0] in _STRINGS


def as_varchar(term: Term, node: Any, compiling: Compiling) -> Term:
    """A text for Trino's functions of texts, which take no char."""
    return converted_term(term, "string", node, compiling) if term.type.startswith("char") else term


def text_of(node: Any) -> str | None:
    """The value of a string literal; None for other expressions."""
    node = node.unnest()
    return str(node.this) if isinstance(node, exp.Literal) and node.is_string else None


def needed_text(node: Any, reason: Reason, compiling: Compiling) -> str:
    """The value of what must be a string literal.

    Raises:
        RefusedError: it is something else.
    """
    found = text_of(node)
    if found is None:
        raise compiling.refused(node, reason)
    return found


def needed(call: Call, counts: tuple[int, ...], compiling: Compiling) -> tuple[Any, ...]:
    """The arguments of a call, if there are as many as one of the counts.

    Raises:
        RefusedError: there are more or less.
    """
    if len(call.arguments) not in counts:
        raise compiling.refused(call.node, reasons.NOT_KNOWN)
    return call.arguments


def as_date(node: Any, compiling: Compiling, term: Term | None = None) -> Term:
    """The date of a date, a timestamp or a text; ``term`` is the node in Trino, if that is known already.

    Raises:
        RefusedError: of another type; or it cannot be translated.
    """
    written = text_of(node)
    if written is not None:
        day = _DAY.match(written) if compiling.source == "hive" else None
        if day and (found := _read(day[1])):
            return Term(f"DATE '{found.isoformat()}'", "date")
    term = term or compiling.term(node)
    if isinstance(term, TextOfTime):
        term = term.day
    if term.type in ("date", "void"):
        return term if term.type == "date" else cast(term, "date")
    if term.type == "timestamp":
        return cast(term, "date")
    if not is_text(term.type):
        raise compiling.refused(node, reasons.CONVERSION.because(f"{term.type} to date"))
    if compiling.source != "hive":
        return converted_term(term, "date", node, compiling)
    compiling.report(node, IMPOSSIBLE_DATE)
    # What follows the day, such as a time, counts for nothing.
    text = as_varchar(term, node, compiling)
    return Term(f"TRY_CAST(regexp_extract({text.sql}, {string(_DAY_IN_TRINO)}, 1) AS date)", "date")


def as_timestamp(node: Any, compiling: Compiling, term: Term | None = None) -> Term:
    """The timestamp of a timestamp, a date or a text; ``term`` as above.

    Raises:
        RefusedError: of another type; or it cannot be translated.
    """
    term = term or compiling.term(node)
    if isinstance(term, TextOfTime):
        term = term.time or term.day
    if term.type == "timestamp":
        return term
    if term.type not in ("date", "void") and not is_text(term.type):
        raise compiling.refused(node, reasons.CONVERSION.because(f"{term.type} to timestamp"))
    return converted_term(term, "timestamp", node, compiling)


def time_of_text(node: Any, term: Term, compiling: Compiling) -> Term:
    """The timestamp of a text of Hive that has to have a time of day.

    Raises:
        RefusedError: it is written there, and releases of Hive differ on it.
    """
    written = text_of(node)
    if written is not None:
        if not re.fullmatch(_TIME, written):
            raise compiling.refused(node, reasons.CONVERSION.because("text to timestamp"))
        return converted_term(term, "timestamp", node, compiling)
    compiling.report(node, TIME_IN_TEXT)
    text = as_varchar(term, node, compiling)
    return Term(f"CAST(regexp_extract({text.sql}, {string(_TIME_OR_START)}) AS timestamp(6))", "timestamp")


def _read(day: str) -> dt.date | None:
    try:
        return dt.date(*map(int, day.split("-")))
    except ValueError:
        return None
