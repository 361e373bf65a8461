"""Texts of dates and times by patterns, and seconds since 1970, which are of a time zone."""

from __future__ import annotations

from typing import Any

from hive_views.analysis.tree.typing.operands import WHOLE
from hive_views.translation.reading_nodes import Call, read_call
from hive_views.translation.time_zones import SESSION_ZONE
from hive_views.translation.to_trino import shared_reasons as reasons
from hive_views.translation.to_trino.expressions.dates.counting import NOT_WRITTEN
from hive_views.translation.to_trino.expressions.dates.date_patterns import PATTERN, Pattern, read_pattern
from hive_views.translation.to_trino.expressions.dates.read_as_dates import (
    TextOfTime,
    as_date,
    as_timestamp,
    as_varchar,
    is_text,
    needed,
    needed_text,
    text_of,
    time_of_text,
)
from hive_views.translation.to_trino.terms import CallRules, Compiling, NodeRules, Term, called, cast, string
from hive_views.translation.translation_findings import Kind, Reason

FAR_TIME = Reason(
    "far-time",
    Kind.EDGE,
    "numbers of seconds before the year 1 or after 9999 are written differently, or make it fail",
)
TEXT_OF_OTHER_FORM = Reason(
    "text-of-other-form",
    Kind.EDGE,
    "of texts that have not exactly the form of the pattern, it makes NULL",
    (
        ("Hive 2", "reads as much as fits, and 2020-02-30 as 2020-03-01"),
        ("Hive 4", "NULL, and reads 2020-02-30 as 2020-02-29"),
        ("Trino", "NULL"),
    ),
)
OTHER_TIME = Reason(
    "other-time",
    Kind.STRICTER,
    "it fails for texts of a day and a time in another form than 'yyyy-MM-dd HH:mm:ss', or such a time that is none",
    (
        ("Hive 2", "reads 24:00:00 as midnight of the next day, and NULL for '2020-01-31T10:11:12'"),
        ("Hive 4", "NULL, and 10:11:12"),
        ("Trino", "fails"),
    ),
)
HALF_SECOND = Reason(
    "fraction-before-1970",
    Kind.EDGE,
    "parts of a second of before 1970 are rounded differently",
    (("Hive 2, Spark", "up"), ("Hive 4, Trino", "down")),
)
_DEFAULT = "yyyy-MM-dd HH:mm:ss"
_ZONED = "timestamp with time zone"
_DAY = r"^\s*\d{4}-\d{1,2}-\d{1,2}"
_HIVE_DEFAULT = rf"{_DAY} \d{{1,2}}:\d{{1,2}}:\d{{1,2}}(\.\d{{1,6}})?\s*$|{_DAY}[ T]\S"
"""A time that all read alike; or else the start of a text that they do not, on which Trino fails."""


def _date_format(call: Call, compiling: Compiling) -> Term:
    value, written = needed(call, (2,), compiling)
    pattern = read_pattern(needed_text(written, NOT_WRITTEN, compiling), written, compiling)
    found = compiling.term(value)
    # Hive's releases read the same day in a text, and other times.
    is_day = found.type == "date" or (compiling.source == "hive" and is_text(found.type))
    read = as_date if is_day and not pattern.has_times else as_timestamp
    return _written(read(value, compiling, found), pattern)


def _written(time: Term, pattern: Pattern) -> Term:
    """A time as a text; of a form that others read, it is a time for them."""
    text = f"format_datetime({time.sql}, {string(pattern.text)})"
    if pattern.text not in ("yyyy-MM-dd", _DEFAULT):
        return Term(text, "string")
    day = time if time.type == "date" else cast(time, "date")
    if pattern.text != _DEFAULT:
        return TextOfTime(text, "string", day=day)
    # The text has no parts of a second.
    whole = (
        cast(time, "timestamp")
        if time.type in ("date", _ZONED)
        else called("date_trunc", "timestamp", "'second'", time)
    )
    return TextOfTime(text, "string", day=day, time=whole)


def _from_unixtime(call: Call, compiling: Compiling) -> Term:
    given = needed(call, (1, 2), compiling)
    text = needed_text(given[1], NOT_WRITTEN, compiling) if len(given) == 2 else _DEFAULT
    pattern = read_pattern(text, given[-1], compiling)
    parsed = _parsed_seconds(given[0], pattern, compiling)
    if parsed is not None:
        return _written(parsed, pattern)
    seconds = compiling.term(given[0])
    if seconds.type not in WHOLE:
        raise compiling.refused(given[0], reasons.CONVERSION.because(f"{seconds.type} to bigint"))
    compiling.report(call.node, SESSION_ZONE)
    if seconds.type == "bigint":
        compiling.report(call.node, FAR_TIME)
    return _written(Term(f"from_unixtime({seconds.sql})", _ZONED), pattern)


def _parsed_seconds(node: Any, shown: Pattern, compiling: Compiling) -> Term | None:
    """The time whose seconds are taken of a text, where these are made a text again; None where it is not so."""
    call = read_call(node.unnest(), compiling.query.text)
    if call is None or call.name not in ("unix_timestamp", "to_unix_timestamp") or not call.arguments:
        return None
    term = compiling.term(call.arguments[0])
    if "SSS" in shown.letters:
        return None
    if term.type == "date" and not shown.has_times:
        return term
    if term.type in ("date", "timestamp"):
        if term.type == "timestamp":
            compiling.report(call.node, HALF_SECOND)
        return as_timestamp(call.arguments[0], compiling, term)
    if len(call.arguments) == 1 or not is_text(term.type):
        return None
    text = as_varchar(term, call.arguments[0], compiling)
    return _parsed(text, _pattern_to_read(call.arguments[1], call.node, compiling))


def _unix_timestamp(call: Call, compiling: Compiling) -> Term:
    given = needed(call, (0, 1, 2), compiling)
    if not given:
        return Term("CAST(floor(to_unixtime(current_timestamp)) AS bigint)", "bigint")
    compiling.report(call.node, SESSION_ZONE)
    value = given[0]
    term = compiling.term(value)
    if term.type == "date":
        return _seconds(term, "")
    if term.type == "timestamp":
        if compiling.source == "hive":
            compiling.report(call.node, HALF_SECOND)
        # Spark drops the fraction, which is the next second before 1970.
        return _seconds(term, "floor" if compiling.source == "hive" else "truncate")
    if is_text(term.type):
        term = as_varchar(term, value, compiling)
    else:
        raise compiling.refused(value, reasons.CONVERSION.because(f"{term.type} to timestamp"))
    if len(given) == 1 and compiling.source == "hive":
        return _seconds(_read_by_default(term, value, compiling), "floor")
    pattern = _pattern_to_read(given[1] if len(given) == 2 else None, call.node, compiling)
    return _seconds(_parsed(term, pattern), "floor" if "SSS" in pattern.letters else "")


def _seconds(time: Term, whole: str) -> Term:
    seconds = f"to_unixtime(CAST({time.sql} AS {_ZONED}))"
    return Term(f"CAST({f'{whole}({seconds})' if whole else seconds} AS bigint)", "bigint")


def _read_by_default(term: Term, node: Any, compiling: Compiling) -> Term:
    if text_of(node) is not None:
        return time_of_text(node, term, compiling)
    compiling.report(node, OTHER_TIME)
    text = as_varchar(term, node, compiling)
    return Term(f"CAST(regexp_extract({text.sql}, {string(_HIVE_DEFAULT)}) AS timestamp(6))", "timestamp")


def _pattern_to_read(node: Any | None, call: Any, compiling: Compiling) -> Pattern:
    """A pattern by which all engines read texts of its form alike.

    Raises:
        RefusedError: there is none, or they do not.
    """
    pattern = read_pattern(_DEFAULT if node is None else needed_text(node, NOT_WRITTEN, compiling), node, compiling)
    # Of a text without them, Spark takes the first month or day.
    needed_letters = {"yyyy", "MM", "dd"} if compiling.source == "hive" or pattern.has_times else {"yyyy"}
    is_complete = needed_letters <= set(pattern.letters)
    if pattern.form is None or not is_complete or len(set(pattern.letters)) < len(pattern.letters):
        raise compiling.refused(node, PATTERN.because(pattern.text))
    if compiling.source == "hive":
        compiling.report(call, TEXT_OF_OTHER_FORM)
    return pattern


def _parsed(term: Term, pattern: Pattern) -> Term:
    """The time that a text says: NULL of a text of another form, or without such a date."""
    text = f"regexp_extract({term.sql}, {string(pattern.form or '')})"
    return Term(f"TRY(date_parse({text}, {string(pattern.to_parse)}))", "timestamp")


def _to_date(call: Call, compiling: Compiling) -> Term:
    given = needed(call, (1, 2), compiling)
    return as_date(given[0], compiling) if len(given) == 1 else _by_pattern(call, "date", compiling)


def _to_timestamp(call: Call, compiling: Compiling) -> Term:
    given = needed(call, (1, 2), compiling)
    return as_timestamp(given[0], compiling) if len(given) == 1 else _by_pattern(call, "timestamp", compiling)


def _by_pattern(call: Call, type_: str, compiling: Compiling) -> Term:
    value, written = call.arguments
    if compiling.source != "spark":
        raise compiling.refused(call.node, reasons.NO_RULE_FOR_FUNCTION.because(f"{call.name} with a pattern"))
    term = compiling.term(value)
    if not is_text(term.type):
        # Of a date or a timestamp, the pattern counts for nothing.
        return as_date(value, compiling, term) if type_ == "date" else as_timestamp(value, compiling, term)
    time = _parsed(as_varchar(term, value, compiling), _pattern_to_read(written, call.node, compiling))
    return cast(time, type_) if type_ == "date" else time


NODES: NodeRules = {}
CALLS: CallRules = {
    "date": _to_date,
    "date_format": _date_format,
    "from_unixtime": _from_unixtime,
    "to_date": _to_date,
    "to_timestamp": _to_timestamp,
    "to_unix_timestamp": _unix_timestamp,
    "unix_timestamp": _unix_timestamp,
}
