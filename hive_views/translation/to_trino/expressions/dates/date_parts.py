"""Parts of dates and times: year, month, hour and the like; EXTRACT."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from hive_views.translation.reading_nodes import Call
from hive_views.translation.to_trino import shared_reasons as reasons
from hive_views.translation.to_trino.expressions.dates.counting import FAR_DATE, NOT_WRITTEN
from hive_views.translation.to_trino.expressions.dates.read_as_dates import (
    TextOfTime,
    as_date,
    as_timestamp,
    is_text,
    needed,
    needed_text,
    time_of_text,
)
from hive_views.translation.to_trino.terms import CallRule, CallRules, Compiling, NodeRules, Term
from hive_views.translation.translation_findings import Kind, Reason

TIME_OF_DATE = Reason(
    "time-of-date",
    Kind.UNSUPPORTED,
    "releases of Hive differ on the time of a date",
    (("Hive 2", "NULL"), ("Hive 4", "0")),
)
_OF_DATE = {
    "year": "year({})",
    "quarter": "quarter({})",
    "month": "month({})",
    "week": "week({})",
    "day": "day({})",
    # Trino counts from Monday, and Sunday is 7.
    "dayofweek": "day_of_week({}) % 7 + 1",
    "weekday": "day_of_week({}) - 1",
    "dayofyear": "day_of_year({})",
}
_OF_TIME = ("hour", "minute", "second")
_IN_EXTRACT = ("year", "quarter", "month", "week", "day", "dayofweek", *_OF_TIME)


def _part(part: str, value: Any, compiling: Compiling) -> Term:
    found = compiling.term(value)
    if part in _OF_TIME:
        is_day = found.type == "date" or (isinstance(found, TextOfTime) and found.time is None)
        if is_day and compiling.source == "hive":
            raise compiling.refused(value, TIME_OF_DATE)
        is_hive_text = compiling.source == "hive" and is_text(found.type) and not isinstance(found, TextOfTime)
        time = time_of_text(value, found, compiling) if is_hive_text else as_timestamp(value, compiling, found)
        return Term(f"CAST({part}({time.sql}) AS integer)", "int")
    # A timestamp has these parts too.
    term = found if found.type == "timestamp" else as_date(value, compiling, found)
    return Term(f"CAST({_OF_DATE[part].format(term.sql)} AS integer)", "int")


def _called(part: str) -> CallRule:
    def rule(call: Call, compiling: Compiling) -> Term:
        (value,) = needed(call, (1,), compiling)
        return _part(part, value, compiling)

    return rule


def _extract(node: exp.Extract, compiling: Compiling) -> Term:
    return _extracted(node, node.this.name.lower(), node.expression, compiling)


def _date_part(call: Call, compiling: Compiling) -> Term:
    part, value = needed(call, (2,), compiling)
    return _extracted(call.node, needed_text(part, NOT_WRITTEN, compiling).lower(), value, compiling)


def _extracted(node: Any, part: str, value: Any, compiling: Compiling) -> Term:
    part = {"dow": "dayofweek", "doy": "dayofyear"}.get(part, part) if compiling.source == "spark" else part
    if part not in _IN_EXTRACT and not (part == "dayofyear" and compiling.source == "spark"):
        raise compiling.refused(node, reasons.NOT_KNOWN)
    if part == "second" and compiling.source == "spark":
        time = as_timestamp(value, compiling)
        return Term(f"CAST(split_part(CAST({time.sql} AS varchar), ':', 3) AS decimal(8, 6))", "decimal(8,6)")
    return _part(part, value, compiling)


def _epoch_day(call: Call, compiling: Compiling) -> Term:
    (value,) = needed(call, (1,), compiling)
    return Term(f"CAST(date_diff('day', DATE '1970-01-01', {as_date(value, compiling).sql}) AS integer)", "int")


def _of_epoch_day(call: Call, compiling: Compiling) -> Term:
    (value,) = needed(call, (1,), compiling)
    days = compiling.converted(value, "int")
    if not days.sql.removeprefix("-").isdigit():
        compiling.report(call.node, FAR_DATE)
    return Term(f"date_add('day', {days.sql}, DATE '1970-01-01')", "date")


def _made_date(call: Call, compiling: Compiling) -> Term:
    year, month, day = (compiling.converted(one, "int") for one in needed(call, (3,), compiling))
    if not year.sql.isdigit():
        compiling.report(call.node, FAR_DATE)
    return Term(f"TRY_CAST(format('%04d-%02d-%02d', {year.sql}, {month.sql}, {day.sql}) AS date)", "date")


_NAMES: dict[str, str] = {
    **{name: name for name in (*_OF_DATE, *_OF_TIME) if name != "week"},
    "dayofmonth": "day",
    "weekofyear": "week",
}
NODES: NodeRules = {exp.Extract: _extract}
CALLS: CallRules = {
    **{name: _called(part) for name, part in _NAMES.items()},
    "date_from_unix_date": _of_epoch_day,
    "date_part": _date_part,
    "make_date": _made_date,
    "unix_date": _epoch_day,
}
