"""Dates that are counted from others: days and months added, differences, first and last days of months."""

from __future__ import annotations

import datetime as dt
import re
from typing import Any

from sqlglot import exp

from hive_views.translation.reading_nodes import Call
from hive_views.translation.time_zones import CLOCK_CHANGE, DAY_OF_CHANGE
from hive_views.translation.to_trino import shared_reasons as reasons
from hive_views.translation.to_trino.expressions.dates.read_as_dates import (
    TextOfTime,
    as_date,
    as_timestamp,
    is_text,
    needed,
    needed_text,
    text_of,
)
from hive_views.translation.to_trino.terms import CallRules, Compiling, NodeRules, Term, cast
from hive_views.translation.translation_findings import Kind, Reason

FAR_DATE = Reason(
    "far-date",
    Kind.EDGE,
    "a number of days may lead to a date before the year 1 or after 9999, which engines know differently or not at all",
)
NOT_WRITTEN = Reason("not-written", Kind.UNSUPPORTED, "it is known only of a string that is written there")
UNIT = Reason(
    "unit-of-trunc",
    Kind.UNSUPPORTED,
    "the unit is not one that is known of both engines",
    (("Hive", "knows MONTH, MON, MM, YEAR, YYYY, YY, QUARTER and Q in capitals only; of others it makes NULL"),),
)
MONTHS_BETWEEN_TIMES = Reason(
    "months-between-times",
    Kind.UNSUPPORTED,
    "from the last days of a month, Spark and Trino count months, quarters and years differently",
)
DAY_OF_WEEK = Reason("day-of-week", Kind.UNSUPPORTED, "this is no day of the week, and the result NULL")

_WHOLE = ("tinyint", "smallint", "int")
_UNITS = {
    **dict.fromkeys(("YEAR", "YYYY", "YY"), "year"),
    **dict.fromkeys(("QUARTER", "Q"), "quarter"),
    **dict.fromkeys(("MONTH", "MON", "MM"), "month"),
}
_UNITS_IN_SPARK = {name: unit for name, unit in _UNITS.items() if name != "Q"} | {"WEEK": "week"}
_UNITS_OF_TIMES = {
    **_UNITS_IN_SPARK,
    **dict.fromkeys(("DAY", "DD"), "day"),
    **{unit.upper(): unit for unit in ("hour", "minute", "second", "millisecond")},
}
_UNITS_OF_CLOCKS = ("hour", "minute", "second")
_UNITS_OF_ONE_LENGTH = ("week", "day", *_UNITS_OF_CLOCKS)
_UNITS_OF_CALLS = ("year", "quarter", "month", *_UNITS_OF_ONE_LENGTH)
_DAYS = ("MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY")
_DAY_NUMBERS = {name[:size]: at for at, name in enumerate(_DAYS, 1) for size in (2, 3, len(name))}


def days_later(day: Term, count: Any, compiling: Compiling, *, before: bool = False) -> Term:
    """A date some days later, or before; a count that is not written may be any.

    Raises:
        RefusedError: the count is of a type that the source does not take.
    """
    number = _number(count, compiling)
    if isinstance(number, int):
        return Term(f"date_add('day', {-number if before else number}, {day.sql})", "date")
    if number.type == "int":
        compiling.report(count, FAR_DATE)
    # The least of a type has no positive one.
    days = f"-CAST({number.sql} AS bigint)" if before else number.sql
    return Term(f"date_add('day', {days}, {day.sql})", "date")


def _number(node: Any, compiling: Compiling) -> int | Term:
    """A whole number, as it is written where it is.

    Raises:
        RefusedError: it is of a type that the source does not take here.
    """
    is_minus = isinstance(node.unnest(), exp.Neg)
    written = node.unnest().this if is_minus else node.unnest()
    if isinstance(written, exp.Literal) and written.is_int and compiling.type_of(written) == "int":
        return -int(written.this) if is_minus else int(written.this)
    term = compiling.term(node)
    if term.type not in _WHOLE:
        raise compiling.refused(node, reasons.CONVERSION.because(f"{term.type} to int"))
    return term


def _date_add(call: Call, compiling: Compiling) -> Term:
    day, count = needed(call, (2,), compiling)
    return days_later(as_date(day, compiling), count, compiling)


def _date_sub(call: Call, compiling: Compiling) -> Term:
    day, count = needed(call, (2,), compiling)
    return days_later(as_date(day, compiling), count, compiling, before=True)


def _datediff(call: Call, compiling: Compiling) -> Term:
    if len(call.arguments) == 3:
        return _timestampdiff(call, compiling)
    later, earlier = (as_date(one, compiling) for one in needed(call, (2,), compiling))
    return Term(f"CAST(date_diff('day', {earlier.sql}, {later.sql}) AS integer)", "int")


def _dateadd(call: Call, compiling: Compiling) -> Term:
    if len(call.arguments) == 2:
        return _date_add(call, compiling)
    return _timestampadd(call, compiling)


def _timestampadd(call: Call, compiling: Compiling) -> Term:
    unit, count, time = needed(call, (3,), compiling)
    number, of_time = _number(count, compiling), _unit(unit, compiling)
    if isinstance(number, Term) and number.type != "tinyint":
        compiling.report(count, FAR_DATE)
    if of_time in _UNITS_OF_CLOCKS:
        compiling.report(call.node, CLOCK_CHANGE)
    counted = number.sql if isinstance(number, Term) else number
    return Term(f"date_add('{of_time}', {counted}, {as_timestamp(time, compiling).sql})", "timestamp")


def _timestampdiff(call: Call, compiling: Compiling) -> Term:
    word, earlier, later = needed(call, (3,), compiling)
    unit = _unit(word, compiling)
    if unit not in _UNITS_OF_ONE_LENGTH:
        raise compiling.refused(call.node, MONTHS_BETWEEN_TIMES)
    times = [as_timestamp(one, compiling).sql for one in (earlier, later)]
    return Term(f"date_diff('{unit}', {', '.join(times)})", "bigint")


def _unit(node: Any, compiling: Compiling) -> str:
    """The unit that is the first word of a call."""
    word = node.name.lower() if isinstance(node, (exp.Column, exp.Var)) else ""
    if word not in _UNITS_OF_CALLS or compiling.source == "hive":
        raise compiling.refused(node, UNIT)
    return word


def _add_months(call: Call, compiling: Compiling) -> Term:
    start, count = needed(call, (2,), compiling)
    number = _number(count, compiling)
    if isinstance(number, Term) and number.type != "tinyint":
        compiling.report(count, FAR_DATE)
    day = as_date(start, compiling)
    moved = f"date_add('month', {number.sql if isinstance(number, Term) else number}, {day.sql})"
    if compiling.source != "hive":
        return Term(moved, "date")
    written = re.fullmatch(r"DATE '([\d-]+)'", day.sql)
    if written and (dt.date.fromisoformat(written[1]) + dt.timedelta(1)).day > 1:
        return _as_in_hive(Term(moved, "date"), compiling)
    # From the last day of a month, Hive comes to the last day of another: the day before a month's first day.
    later = moved.replace(day.sql, f"date_add('day', 1, {day.sql})")
    return _as_in_hive(Term(f"greatest({moved}, date_add('day', -1, {later}))", "date"), compiling)


def _as_in_hive(day: Term, compiling: Compiling) -> Term:
    """A date, of which these functions make a text in Hive."""
    return TextOfTime(cast(day, "string").sql, "string", day=day) if compiling.source == "hive" else day


def _last_day(call: Call, compiling: Compiling) -> Term:
    (day,) = needed(call, (1,), compiling)
    return _as_in_hive(Term(f"last_day_of_month({as_date(day, compiling).sql})", "date"), compiling)


def _next_day(call: Call, compiling: Compiling) -> Term:
    start, name = needed(call, (2,), compiling)
    number = _DAY_NUMBERS.get(needed_text(name, NOT_WRITTEN, compiling).upper())
    if number is None:
        raise compiling.refused(name, DAY_OF_WEEK)
    day = as_date(start, compiling)
    # The day of the week that begins with the Monday of a day that is so many days later.
    found = f"date_trunc('week', date_add('day', {8 - number}, {day.sql}))"
    found = f"date_add('day', {number - 1}, {found})" if number > 1 else found
    return _as_in_hive(Term(found, "date"), compiling)


def _trunc(call: Call, compiling: Compiling) -> Term:
    value, unit = needed(call, (2,), compiling)
    found = compiling.term(value)
    if not is_text(found.type) and found.type not in ("date", "timestamp"):
        raise compiling.refused(call.node, reasons.NO_RULE_FOR_FUNCTION.because("trunc of a number"))
    written = needed_text(unit, NOT_WRITTEN, compiling)
    known = _UNITS.get(written) if compiling.source == "hive" else _UNITS_IN_SPARK.get(written.upper())
    if known is None:
        raise compiling.refused(unit, UNIT)
    day = as_date(value, compiling, found)
    return _as_in_hive(Term(f"date_trunc('{known}', {day.sql})", "date"), compiling)


def _date_trunc(call: Call, compiling: Compiling) -> Term:
    unit, value = needed(call, (2,), compiling)
    known = _UNITS_OF_TIMES.get(needed_text(unit, NOT_WRITTEN, compiling).upper())
    if known is None:
        raise compiling.refused(unit, UNIT)
    return Term(f"date_trunc('{known}', {as_timestamp(value, compiling).sql})", "timestamp")


def _months_between(call: Call, compiling: Compiling) -> Term:
    given = needed(call, (2, 3), compiling)
    rounds = True
    if len(given) == 3:
        choice = compiling.term(given[2])
        if choice.sql not in ("true", "false"):
            raise compiling.refused(given[2], NOT_WRITTEN)
        rounds = choice.sql == "true"
    terms = [compiling.term(one) for one in given[:2]]
    are_dates = all(_is_day(node, one) for node, one in zip(given, terms, strict=False))
    read = as_date if are_dates else as_timestamp
    one, other = (read(node, compiling, term).sql for node, term in zip(given, terms, strict=False))
    months = f"(year({one}) - year({other})) * 12 + month({one}) - month({other})"
    are_last = f"{_is_last(one, are_dates)} AND {_is_last(other, are_dates)}"
    if are_dates:
        rest = f"IF({are_last}, 0, day({one}) - day({other})) / 31e0"
    else:
        if compiling.source == "spark":
            compiling.report(call.node, DAY_OF_CHANGE)
        seconds = f"{_seconds_of_month(one)} - {_seconds_of_month(other)}"
        rest = f"IF(day({one}) = day({other}) OR {are_last}, 0, {seconds}) / 2678400e0"
    found = Term(f"{months} + {rest}", "double", is_whole=False)
    return Term(f"round({found.sql}, 8)", "double") if rounds else found


def _is_day(node: Any, term: Term) -> bool:
    """Whether it has no time: as a date, or as a text."""
    is_text_of_day = isinstance(term, TextOfTime) and term.time is None
    return term.type == "date" or is_text_of_day or bool(re.fullmatch(r"\d{4}-\d{1,2}-\d{1,2}", text_of(node) or ""))


def _is_last(time: str, is_date: bool) -> str:
    return f"{time} = last_day_of_month({time})" if is_date else f"day({time}) = day(last_day_of_month({time}))"


def _seconds_of_month(time: str) -> str:
    return f"date_diff('second', date_trunc('month', {time}), {time})"


NODES: NodeRules = {}
CALLS: CallRules = {
    "add_months": _add_months,
    "date_add": _date_add,
    "date_sub": _date_sub,
    "date_trunc": _date_trunc,
    "date_diff": _datediff,
    "dateadd": _dateadd,
    "datediff": _datediff,
    "last_day": _last_day,
    "months_between": _months_between,
    "next_day": _next_day,
    "timestampadd": _timestampadd,
    "timestampdiff": _timestampdiff,
    "trunc": _trunc,
}
