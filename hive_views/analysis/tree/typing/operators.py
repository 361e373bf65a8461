"""Operators: arithmetic, bits, ``||``, conditions."""

from __future__ import annotations

from functools import partial
from typing import Any

from sqlglot import exp

from hive_views.analysis.query_analysis import DerivedType, beside, both
from hive_views.analysis.tree.typing.branches import only_in_spark
from hive_views.analysis.tree.typing.casts import NO_LENGTHS
from hive_views.analysis.tree.typing.context import Context, Rule, Rules
from hive_views.analysis.tree.typing.decimals import Sizes, computed, sizes_in_hive, sizes_in_spark, spelled, widened
from hive_views.analysis.tree.typing.operands import (
    STRINGS,
    WHOLE,
    Operand,
    folded,
    is_constant,
    operand,
    the_one,
    why_different,
    wider,
)
from hive_views.analysis.tree.typing.written_values import days_in_spark, number_of, type_of_number
from hive_views.hive.types import HiveType, parse_hive_type

_DIFFER = "Hive and Spark compute it in different types"
_LONGEST = {"char": 255, "varchar": 65535}
_TIMES = frozenset(("date", "timestamp", "interval_day_time", "interval_year_month"))
_CONDITIONS = (
    *(exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ, exp.NullSafeNEQ, exp.And, exp.Or, exp.Xor),
    *(exp.Not, exp.Is, exp.In, exp.Between, exp.Like, exp.ILike, exp.RegexpLike, exp.Exists, exp.EqualNull),
)


def _arithmetic(operator: str, node: Any, context: Context) -> DerivedType:
    left, right = (
        (operand(node.this, context), operand(node.expression, context))
        if isinstance(node, exp.Binary)
        else [operand(part, context) for part in node.expressions[:2]]
    )
    if _is_of_times(left) or _is_of_times(right):
        return _of_times(operator, left, right)
    among_decimals = left.is_decimal or right.is_decimal
    types = [one.in_hive(by_digits=among_decimals, or_type=False) for one in (left, right)]
    hive = the_one(folded(types, partial(_in_hive, operator)))
    if hive and hive.name == "decimal" and is_constant(node, context):
        hive = None
    spark = _in_spark(operator, left, right, is_ansi=context.dialect == "spark")
    why = why_different([left, right], _DIFFER)
    return beside(str(hive) if hive else None, spark, why)


def _is_of_times(one: Operand) -> bool:
    return any(type_ is not None and type_.name in _TIMES for type_ in (one.hive, one.spark))


def _in_hive(operator: str, left: HiveType, right: HiveType) -> HiveType | None:
    names = {left.name, right.name}
    if operator == "div":
        return HiveType("bigint") if names <= set(WHOLE) else None
    if not names <= {*WHOLE, "decimal", "float", "double", *STRINGS}:
        return None
    if names <= {*WHOLE, "decimal"} and "decimal" in names:
        sizes = sizes_in_hive(left), sizes_in_hive(right)
        return parse_hive_type(spelled(widened(*sizes) if operator == "pmod" else computed(operator, *sizes)))
    if operator == "/" or "double" in names or names & set(STRINGS):
        return HiveType("double")
    return HiveType("float") if "float" in names else wider(left, right)


def _in_spark(operator: str, left: Operand, right: Operand, *, is_ansi: bool) -> str | None:
    one, other = left.spark, right.spark
    if one is None or other is None:
        return None
    if "void" in (one.name, other.name):
        if one == other:
            return "double"
        one, other = (other, other) if one.name == "void" else (one, one)
    names = {one.name, other.name}
    if "string" in names:
        if not is_ansi:
            return (
                None if operator == "div" or not names <= {*WHOLE, "decimal", "float", "double", "string"} else "double"
            )
        (beside,) = names - {"string"} or {""}
        if beside in WHOLE:
            return "double" if operator == "/" else "bigint"
        return "double" if beside in ("decimal", "float", "double") and operator != "div" else None
    if not names <= {*WHOLE, "decimal", "float", "double"}:
        return None
    if names & {"float", "double"}:
        if operator == "div":
            return None
        if operator == "/" or "double" in names or "decimal" in names:
            return "double"
        if names == {"float"} or not is_ansi:
            return "float"
        return "double" if names & {"int", "bigint"} else None
    if operator == "div":
        return "bigint"
    if "decimal" in names:
        return spelled(computed(operator, _sizes_in_spark(left, one), _sizes_in_spark(right, other)))
    return "double" if operator == "/" else str(wider(one, other))


def _sizes_in_spark(one: Operand, type_: HiveType) -> Sizes:
    """Spark takes a whole number that is written there by its digits, except a tinyint."""
    by_digits = one.number is not None and one.number.is_whole and one.number.suffix != "Y"
    in_spark = one.number.in_spark if by_digits and one.number else None
    return sizes_in_spark(parse_hive_type(in_spark) if in_spark else type_)


def _of_times(operator: str, left: Operand, right: Operand) -> DerivedType:
    if operator not in ("+", "-"):
        return DerivedType(why=_DIFFER)
    one, other = (left, right) if operator == "-" or not _is_interval(left) else (right, left)
    hive = _time_in_hive(operator, one.hive, other.hive) if one.hive and other.hive else None
    spark = _time_in_spark(one.spark, other) if one.spark else None
    if hive and hive.startswith("interval"):
        return DerivedType(hive, None, "Hive and Spark have different types of intervals")
    if _is_interval(other) and hive:
        return beside(hive, spark, "a date and an interval of days are a timestamp in Hive, a date in Spark")
    return beside(hive, spark, one.derived.why or other.derived.why or _DIFFER)


def _time_in_hive(operator: str, one: HiveType, other: HiveType) -> str | None:
    if other.name.startswith("interval"):
        if one.name == "date":
            return "date" if other.name == "interval_year_month" else "timestamp"
        return one.name if one.name == "timestamp" or one == other else None
    if one.name == "date" and other.name in ("tinyint", "smallint", "int"):
        return "date"
    is_difference = operator == "-" and {one.name, other.name} <= {"date", "timestamp"}
    return "interval_day_time" if is_difference else None


def _time_in_spark(one: HiveType, other: Operand) -> str | None:
    if not _is_interval(other):
        adds_days = other.spark is not None and other.spark.name in ("tinyint", "smallint", "int")
        return "date" if one.name == "date" and adds_days else None
    interval = other.node.unnest()
    if one.name == "date" and isinstance(interval, exp.Interval):
        return {True: "date", False: "timestamp", None: None}[days_in_spark(interval)]
    return "timestamp" if one.name == "timestamp" else None


def _is_interval(one: Operand) -> bool:
    return isinstance(one.node.unnest(), exp.Interval) or (
        one.hive is not None and one.hive.name.startswith("interval")
    )


def _negated(node: Any, context: Context) -> DerivedType:
    number = number_of(node, context) if isinstance(node, exp.Neg) else None
    return type_of_number(number) if number else _signed(operand(node.this, context), string_in_hive="double")


def _positive(call: exp.Anonymous, context: Context) -> DerivedType:
    return _signed(operand(call.expressions[0], context), string_in_hive="string")


def _signed(one: Operand, string_in_hive: str) -> DerivedType:
    if one.hive and one.hive.name in STRINGS:
        in_hive = string_in_hive if one.hive.name == "string" or string_in_hive == "double" else None
        return beside(in_hive, "double" if one.spark else None, _DIFFER)
    numbers = (*WHOLE, "decimal", "float", "double")
    hive, spark = (str(type_) if type_ and type_.name in numbers else None for type_ in (one.hive, one.spark))
    return beside(hive, spark, one.derived.why or _DIFFER)


def _bits(node: Any, context: Context) -> DerivedType:
    parts = [operand(node.this, context), *([operand(node.expression, context)] if "expression" in node.args else [])]
    types = [one.in_hive(by_digits=False, or_type=True) for one in parts]
    hive = the_one(folded(types, _wider_whole))
    spark = the_one(folded([frozenset((one.spark,)) for one in parts], _wider_whole))
    hive, spark = (one if one and one.name in WHOLE else None for one in (hive, spark))
    why = next((one.derived.why for one in parts if one.derived.why), _DIFFER)
    return beside(str(hive) if hive else None, str(spark) if spark else None, why)


def _wider_whole(left: HiveType, right: HiveType) -> HiveType | None:
    return wider(left, right) if {left.name, right.name} <= set(WHOLE) else None


def _concatenated(node: exp.DPipe, context: Context) -> DerivedType:
    parts = [operand(part, context) for part in (node.this, node.expression)]
    hive = the_one(folded([frozenset((one.hive,)) for one in parts], _joined_in_hive))
    spark = the_one(folded([frozenset((one.spark,)) for one in parts], _joined_in_spark))
    why = next((one.derived.why for one in parts if one.derived.why), NO_LENGTHS)
    return beside(str(hive) if hive else None, str(spark) if spark else None, why)


def _joined_in_hive(left: HiveType, right: HiveType) -> HiveType | None:
    if left.parts or right.parts or left.name == right.name == "binary":
        return None  # of two binary values, Hive 2 makes a binary one
    if not {left.name, right.name} <= {"char", "varchar"}:
        return HiveType("string")
    name = "char" if left.name == right.name == "char" else "varchar"
    length = left.sizes[0] + right.sizes[0]
    return HiveType(name, (length,)) if length <= _LONGEST[name] else None


def _joined_in_spark(left: HiveType, right: HiveType) -> HiveType | None:
    if left == right and left.name in ("binary", "array"):
        return left
    return None if left.parts or right.parts else HiveType("string")


def _condition(_node: Any, _context: Context) -> DerivedType:
    return both("boolean")


def _tried(operator: str, node: Any, context: Context) -> DerivedType:
    return only_in_spark(_arithmetic(operator, node, context), context.written_name(node))


def _shifted(node: Any, context: Context) -> DerivedType:
    """Of a tinyint or smallint, both make an int."""
    one = operand(node.this, context)
    return beside(_shifted_type(one.hive), _shifted_type(one.spark), one.derived.why or _DIFFER)


def _shifted_type(type_: HiveType | None) -> str | None:
    if type_ is None or type_.name not in WHOLE:
        return None
    return "bigint" if type_.name == "bigint" else "int"


RULES: Rules = {
    exp.Add: partial(_arithmetic, "+"),
    exp.Sub: partial(_arithmetic, "-"),
    exp.Mul: partial(_arithmetic, "*"),
    exp.Div: partial(_arithmetic, "/"),
    exp.Mod: partial(_arithmetic, "%"),
    exp.IntDiv: partial(_arithmetic, "div"),
    exp.Neg: _negated,
    exp.Negative: _negated,
    exp.BitwiseAnd: _bits,
    exp.BitwiseOr: _bits,
    exp.BitwiseXor: _bits,
    exp.BitwiseNot: _bits,
    exp.BitwiseLeftShift: _shifted,
    exp.BitwiseRightShift: _shifted,
    exp.DPipe: _concatenated,
    **dict.fromkeys(_CONDITIONS, _condition),
}
NAMED: dict[str, Rule] = {
    "pmod": partial(_arithmetic, "pmod"),
    "positive": _positive,
    **dict.fromkeys(("isnull", "isnotnull"), _condition),
}
