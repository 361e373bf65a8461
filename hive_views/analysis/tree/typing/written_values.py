"""Literals: their types, and the digits of numbers, by which the engines choose the sizes of decimals."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from hive_views.analysis.query_analysis import DerivedType, both
from hive_views.analysis.tree.typing.context import Context, Rules
from hive_views.analysis.tree.typing.decimals import of_digits, spelled, without_zeros

_INT, _BIGINT = 2**31, 2**63
_SUFFIXED = {"Y": "tinyint", "S": "smallint", "L": "bigint", "D": "double", "F": "float"}
_SUFFIX = re.compile(r"[\d.](BD|[A-Z])\Z")
_DAYS_AND_TIMES = frozenset(("DAY", "HOUR", "MINUTE", "SECOND"))
_MONTHS = frozenset(("YEAR", "MONTH"))

HIVE_DROPS_ZEROS = "Hive drops the zeros at the end of a decimal, and Spark does not"
AS_WHOLE_NUMBER = "releases of Hive differ on a decimal without a fraction"


@dataclass(frozen=True)
class Number:
    """A literal number, without its sign: ``10``, ``1.50``, ``7Y``, ``10BD``."""

    digits: str
    suffix: str = ""
    is_negative: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether it has a type of whole numbers."""
        if self.suffix:
            return self.suffix in ("Y", "S", "L")
        return self.digits.isdigit() and int(self.digits) < _BIGINT

    @property
    def may_be_int(self) -> bool:
        """Whether Hive 2 reads it as an int within expressions, although it says that it is of another type."""
        return self.suffix in ("Y", "S") or (self.suffix == "L" and int(self.digits) < _INT)

    @property
    def is_decimal(self) -> bool:
        """Whether it is a decimal."""
        return self.suffix == "BD" or (not self.suffix and not self.is_whole and "e" not in self.digits.lower())

    @property
    def in_hive(self) -> str | None:
        """The decimal that Hive makes of it, by its digits without zeros at the end."""
        sizes = of_digits(without_zeros(self.digits))
        return spelled(sizes) if sizes else None

    @property
    def in_spark(self) -> str | None:
        """The decimal that Spark makes of it, by all its digits."""
        sizes = of_digits(self.digits)
        return spelled(sizes) if sizes else None


def number_of(node: Any, context: Context) -> Number | None:
    """The number, if a node is nothing but that; brackets around it count for nothing, nor does one sign."""
    node = node.unnest()
    if isinstance(node, exp.Neg):
        inside = number_of(node.this, context) if isinstance(node.this, (exp.Literal, exp.Cast)) else None
        return Number(inside.digits, inside.suffix, True) if inside else None
    if isinstance(node, exp.Literal):
        return None if node.is_string else Number(node.name)
    # The tree has 10L as CAST(10 AS BIGINT), and 10BD as CAST('10' AS DECIMAL(2, 0)), where '10' has no place.
    if not isinstance(node, exp.Cast) or not isinstance(node.this, exp.Literal):
        return None
    literal = node.this
    start, end = literal.meta.get("start"), literal.meta.get("end")
    if literal.is_string:
        is_big = start is None and node.to.this == exp.DType.DECIMAL
        return Number(literal.name, "BD") if is_big else None
    suffix = _SUFFIX.search(context.text[start : end + 1].upper()) if start is not None and end is not None else None
    return Number(literal.name, suffix[1]) if suffix else None


def type_of_number(number: Number) -> DerivedType:
    """The type of a number that stands alone."""
    if number.suffix in _SUFFIXED:
        return both(_SUFFIXED[number.suffix])
    if number.is_decimal:
        if number.is_negative and number.digits == str(_BIGINT):
            return DerivedType(why="Hive and Spark read the least bigint differently")
        # A whole number of this type is too large for a bigint, and read as it is.
        is_certain = "." in without_zeros(number.digits) or (not number.suffix and number.digits.isdigit())
        in_hive = number.in_hive if is_certain else None
        if in_hive == number.in_spark:
            return both(in_hive, "it has more digits than a decimal can have")
        return DerivedType(in_hive, number.in_spark, HIVE_DROPS_ZEROS if in_hive else AS_WHOLE_NUMBER)
    if not number.is_whole:
        return both("double")
    value = int(number.digits)
    if number.is_negative and value == _INT:
        return DerivedType("bigint", "int", "to Hive, this is minus a bigint")
    return both("int" if value < _INT else "bigint")


def _literal(literal: exp.Literal, context: Context) -> DerivedType:
    number = number_of(literal, context)
    return both("string") if number is None else type_of_number(number)


def _interval(interval: exp.Interval, _context: Context) -> DerivedType:
    return DerivedType(interval_in_hive(interval), None, "Hive and Spark have different types of intervals")


def interval_in_hive(interval: exp.Interval) -> str | None:
    """The type of an interval in Hive; None for units that it does not have."""
    unit: Any = interval.args.get("unit")
    first = unit.this if isinstance(unit, exp.IntervalSpan) else unit
    word = first.name.upper().removesuffix("S") if first is not None else ""
    if word in _MONTHS:
        return "interval_year_month"
    return "interval_day_time" if word in _DAYS_AND_TIMES else None


def days_in_spark(interval: exp.Interval) -> bool | None:
    """Whether a date plus an interval is a date in Spark; None where that is not known."""
    unit: Any = interval.args.get("unit")
    if isinstance(unit, exp.IntervalSpan):
        return True if interval_in_hive(interval) == "interval_year_month" else None
    # Of a Hive text, the tree has '1 2' DAY TO HOUR without its end.
    if unit is None or not re.fullmatch(r"[+-]?\d+(-\d+)?", interval.this.name):
        return None
    word = unit.name.upper().removesuffix("S")
    if word in {*_MONTHS, "DAY", "WEEK"}:
        return True
    return False if word in _DAYS_AND_TIMES else None


RULES: Rules = {
    exp.Literal: _literal,
    exp.Boolean: lambda _node, _context: both("boolean"),
    exp.Null: lambda _node, _context: both("void"),
    exp.Interval: _interval,
    exp.HexString: lambda _node, _context: DerivedType(None, "binary", "Hive has no binary literals"),
}
