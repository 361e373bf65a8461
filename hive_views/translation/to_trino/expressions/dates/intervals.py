"""Intervals beside + and -; and days that are added to a date as a number."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import Any

from sqlglot import exp

from hive_views.translation.time_zones import CLOCK_CHANGE
from hive_views.translation.to_trino import shared_reasons as reasons
from hive_views.translation.to_trino.expressions.dates.counting import FAR_DATE, days_later
from hive_views.translation.to_trino.terms import CallRules, Compiling, NodeRules, Term, cast, operation
from hive_views.translation.translation_findings import Kind, Reason

INTERVAL_VALUE = Reason(
    "interval-value",
    Kind.UNSUPPORTED,
    "an interval is known only beside + and - with a date or timestamp, since no column of Hive has such a type",
)
INTERVAL = Reason("interval", Kind.UNSUPPORTED, "it is not known what this interval is in Trino")

_MONTHS = {"YEAR": 12, "QUARTER": 3, "MONTH": 1}
_SECONDS = {"WEEK": 604_800, "DAY": 86_400, "HOUR": 3_600, "MINUTE": 60, "SECOND": 1}
_IN_SPARK_ONLY = ("QUARTER", "WEEK")
_UNITS = ("DAY", "HOUR", "MINUTE", "SECOND")
_SHORTEST_SPAN = 2
_WORDS = re.compile(r"([+-]?\d+(?:\.\d+)?)\s+([a-zA-Z]+)")


@dataclass(frozen=True)
class Amount:
    """How long an interval is that is written.

    Attributes:
        months: of years and months.
        seconds: of the other units; None where there is none of them.
        has_times: whether units are among them that are shorter than a day.
    """

    months: int | None = None
    seconds: Decimal | None = None
    has_times: bool = False

    def __neg__(self) -> Amount:
        months = None if self.months is None else -self.months
        return replace(self, months=months, seconds=None if self.seconds is None else -self.seconds)

    def __add__(self, other: Amount) -> Amount:
        has_times = self.has_times or other.has_times
        return Amount(_sum(self.months, other.months), _sum(self.seconds, other.seconds), has_times)


def _sum(one: Any, other: Any) -> Any:
    return other if one is None else one if other is None else one + other


def is_interval(node: Any) -> bool:
    """Whether an expression is of intervals alone."""
    node = node.unnest()
    if isinstance(node, exp.Neg):
        return is_interval(node.this)
    if isinstance(node, (exp.Add, exp.Sub)):
        return is_interval(node.this) and is_interval(node.expression)
    return isinstance(node, exp.Interval)


def _amount(node: Any, compiling: Compiling) -> Amount:
    """How long it is.

    Raises:
        RefusedError: it is not written, or in a form that is not known.
    """
    node = node.unnest()
    if isinstance(node, exp.Neg):
        return -_amount(node.this, compiling)
    if isinstance(node, (exp.Add, exp.Sub)):
        one, other = _amount(node.this, compiling), _amount(node.expression, compiling)
        return one + other if isinstance(node, exp.Add) else one + -other
    found = _written(node, compiling.source)
    # Trino's intervals have milliseconds.
    if found is None or (found.seconds is not None and found.seconds * 1000 % 1):
        raise compiling.refused(node, INTERVAL)
    return found


def _written(node: exp.Interval, source: str) -> Amount | None:
    value, unit = node.this, node.args.get("unit")
    is_minus = isinstance(value, exp.Neg)
    value = value.this if is_minus else value
    if not isinstance(value, exp.Literal):
        return None
    text = str(value.this).strip()
    end = unit.expression.name.upper() if isinstance(unit, exp.IntervalSpan) else ""
    start = unit.this if isinstance(unit, exp.IntervalSpan) else unit
    found = _of_words(text) if start is None else _of_unit(text, start.name.upper(), end, source)
    return -found if found and is_minus else found


def _of_words(text: str) -> Amount | None:
    """Of ``'1 year 2 months'``."""
    if not re.fullmatch(rf"{_WORDS.pattern}(?:\s+{_WORDS.pattern})*", text):
        return None
    total = Amount()
    for number, unit in _WORDS.findall(text):
        one = _of_unit(number, unit.upper(), "", "spark")
        if one is None:
            return None
        total += one
    return total


def _of_unit(text: str, unit: str, end: str, source: str) -> Amount | None:
    unit = unit.removesuffix("S")
    if source == "hive" and unit in _IN_SPARK_ONLY:
        return None
    if re.fullmatch(r"[+-]?\d+(?:\.\d+)?", text) and not end:
        return _of_number(text, unit)
    if unit == "YEAR" and (found := re.fullmatch(r"([+-]?)(\d+)-(\d+)", text)):
        months = 12 * int(found[2]) + int(found[3])
        return Amount(-months if found[1] == "-" else months)
    return _of_span(text, unit, end or "SECOND") if unit in _UNITS else None


def _of_number(text: str, unit: str) -> Amount | None:
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    if unit not in _SECONDS and unit not in _MONTHS:
        return None
    if number % 1 and unit != "SECOND":
        return None
    if unit in _MONTHS:
        return Amount(int(number) * _MONTHS[unit])
    return Amount(None, number * _SECONDS[unit], has_times=unit not in ("WEEK", "DAY"))


def _of_span(text: str, unit: str, end: str) -> Amount | None:
    """Of ``'1 2:3:4' DAY TO SECOND``; the tree of a Hive text has no end, and Hive knows no other one."""
    units = _UNITS[_UNITS.index(unit) : _UNITS.index(end) + 1] if end in _UNITS else ()
    numbers = [r"(\d+(?:\.\d+)?)" if each == "SECOND" else r"(\d+)" for each in units]
    separator = " " if unit == "DAY" else ":"
    found = re.fullmatch(rf"([+-]?){separator.join([*numbers[:1], ':'.join(numbers[1:])])}", text)
    if found is None or len(units) < _SHORTEST_SPAN:
        return None
    total = sum((Decimal(found[at]) * _SECONDS[each] for at, each in enumerate(units, 2)), Decimal(0))
    return Amount(None, -total if found[1] == "-" else total, has_times=True)


def _in_trino(amount: Amount) -> list[str]:
    """The intervals of Trino, of which one alone is of months or of seconds."""
    found = []
    if amount.months is not None:
        years, months = divmod(abs(amount.months), 12)
        sign = "-" if amount.months < 0 else ""
        found.append(
            f"INTERVAL '{sign}{years}' YEAR"
            if years and not months
            else f"INTERVAL '{sign}{12 * years + months}' MONTH"
        )
    if amount.seconds is not None:
        sign, seconds = ("-" if amount.seconds < 0 else ""), abs(amount.seconds)
        for unit in _UNITS:
            if seconds % _SECONDS[unit] == 0:
                found.append(f"INTERVAL '{sign}{seconds / _SECONDS[unit]:.0f}' {unit}")
                break
        else:
            found.append(f"INTERVAL '{sign}{seconds.normalize():f}' SECOND")
    return found


def _alone(node: Any, compiling: Compiling) -> Term:
    raise compiling.refused(node, INTERVAL_VALUE)


def added(node: Any, compiling: Compiling) -> Term:
    """The sum or difference (``exp.Add``, ``exp.Sub``) of a date or timestamp and an interval, or a number of days.

    Raises:
        RefusedError: it is something else, such as a difference of dates.
    """
    left, right = node.this, node.expression
    is_minus = isinstance(node, exp.Sub)
    if is_interval(left) and not is_minus:
        left, right = right, left
    if is_interval(left):
        raise compiling.refused(node, INTERVAL_VALUE)
    term = compiling.term(left)
    if is_interval(right):
        return _moved(term, right, is_minus, node, compiling)
    other = compiling.term(right)
    if term.type == "date" and other.type not in ("date", "timestamp"):
        return days_later(term, right, compiling, before=is_minus)
    if not is_minus and other.type == "date" and term.type not in ("date", "timestamp"):
        return days_later(other, left, compiling)
    raise compiling.refused(node, INTERVAL_VALUE)


def _moved(term: Term, interval: Any, is_minus: bool, node: Any, compiling: Compiling) -> Term:
    if term.type == "void" or term.type not in ("date", "timestamp"):
        raise compiling.refused(node, reasons.CONVERSION.because(f"{term.type} to timestamp"))
    counted = interval.unnest()
    if isinstance(counted, exp.Interval) and not isinstance(counted.this, (exp.Literal, exp.Neg)):
        return _moved_by(term, counted, is_minus, compiling)
    amount = _amount(interval, compiling)
    if _follows_clocks(term, amount, compiling):
        compiling.report(node, CLOCK_CHANGE)
    if term.type == "date" and _makes_timestamp(amount, compiling):
        term = cast(term, "timestamp")
    parts: list[str | Term] = [term]
    for one in _in_trino(amount):
        parts += ["-" if is_minus else "+", one]
    return operation(term.type, *parts)


def _follows_clocks(term: Term, amount: Amount, compiling: Compiling) -> bool:
    """Whether the result depends on when clocks change: in Hive, that of any timestamp."""
    if compiling.source == "hive":
        return term.type == "timestamp" or amount.seconds is not None
    return amount.seconds is not None and amount.seconds % _SECONDS["DAY"] != 0


def _makes_timestamp(amount: Amount, compiling: Compiling) -> bool:
    return amount.seconds is not None and (compiling.source == "hive" or amount.has_times)


def _moved_by(term: Term, interval: exp.Interval, is_minus: bool, compiling: Compiling) -> Term:
    """Moved by a number of units that is computed, which Hive knows."""
    unit = interval.args["unit"].name.upper().removesuffix("S")
    if unit not in (*_MONTHS, *_SECONDS) or compiling.source != "hive":
        raise compiling.refused(interval, INTERVAL)
    count = compiling.term(interval.this)
    if count.type not in ("tinyint", "smallint", "int"):
        raise compiling.refused(interval, INTERVAL)
    if count.type == "int":
        compiling.report(interval, FAR_DATE)
    if term.type == "date" and unit in _SECONDS:
        term = cast(term, "timestamp")
    if term.type == "timestamp":
        compiling.report(interval, CLOCK_CHANGE)
    number = f"-CAST({count.sql} AS bigint)" if is_minus else count.sql
    return Term(f"date_add('{unit.lower()}', {number}, {term.sql})", term.type)


NODES: NodeRules = {exp.Interval: _alone}
CALLS: CallRules = {}
