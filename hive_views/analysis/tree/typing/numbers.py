"""Types of functions of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from sqlglot import exp

from hive_views.analysis.query_analysis import DerivedType
from hive_views.analysis.tree.typing.context import Context, Rule
from hive_views.analysis.tree.typing.results import arguments, computed, fixed, of_first
from hive_views.hive.types import HiveType

_MAX = 38
_WHOLE = ("tinyint", "smallint", "int", "bigint")
_NUMBERS = (*_WHOLE, "float", "double")
_TEXTS = ("string", "char", "varchar")


def _decimal(precision: int, scale: int) -> HiveType:
    return HiveType("decimal", (min(precision, _MAX), scale))


def _whole(given: Sequence[HiveType], *, keeps_whole_decimals: bool) -> HiveType | None:
    """What floor and ceil return."""
    type_ = given[0]
    if type_.name == "decimal":
        precision, scale = type_.sizes
        return type_ if keeps_whole_decimals and not scale else _decimal(precision - scale + 1, 0)
    return HiveType("bigint") if type_.name in (*_NUMBERS, *_TEXTS, "void") else None


def _to_whole(node: Any, context: Context) -> DerivedType:
    given = arguments(node)
    if len(given) > 1:
        return DerivedType(why="only Spark rounds to digits there")
    in_hive, in_spark = (partial(_whole, keeps_whole_decimals=keeps) for keeps in (False, True))
    return computed([context.of(given[0])], in_hive, in_spark)


def _absolute_in_hive(given: Sequence[HiveType]) -> HiveType | None:
    widened = {"tinyint": "int", "smallint": "int", "float": "double", "string": "double"}
    name = widened.get(given[0].name, given[0].name)
    return HiveType(name, given[0].sizes) if name in ("int", "bigint", "double", "decimal") else None


def _absolute_in_spark(given: Sequence[HiveType]) -> HiveType | None:
    if given[0].name in (*_TEXTS, "void"):
        return HiveType("double")
    return given[0] if given[0].name in (*_NUMBERS, "decimal") else None


def _sign_in_hive(given: Sequence[HiveType]) -> HiveType | None:
    if given[0].name in ("decimal", "void"):
        return HiveType("int")
    return HiveType("double") if given[0].name in (*_NUMBERS, *_TEXTS) else None


def _double(_given: Sequence[HiveType]) -> HiveType:
    return HiveType("double")


def _shifted(given: Sequence[HiveType]) -> HiveType | None:
    name = given[0].name
    return HiveType("bigint" if name == "bigint" else "int") if name in _WHOLE else None


def _round(node: Any, context: Context) -> DerivedType:
    digits = _digits(node)

    def rounded(given: Sequence[HiveType], of_decimal: Any) -> HiveType | None:
        if given[0].name in _NUMBERS:
            return given[0]
        if given[0].name in _TEXTS:
            return HiveType("double")
        is_known = given[0].name == "decimal" and digits is not None
        return of_decimal(*given[0].sizes, digits) if is_known else None

    return computed(
        [context.of(arguments(node)[0])],
        lambda given: rounded(given, _round_in_hive),
        lambda given: rounded(given, _round_in_spark),
    )


def _digits(node: Any) -> int | None:
    """The digits that remain behind the point, if they are written as a number."""
    given = node.args.get("decimals") if isinstance(node, exp.Round) else next(iter(node.expressions[1:]), None)
    if given is None:
        return 0
    sign, number = (-1, given.this) if isinstance(given, exp.Neg) else (1, given)
    is_number = isinstance(number, exp.Literal) and not number.is_string and number.name.isdigit()
    return sign * int(number.name) if is_number else None


def _round_in_hive(precision: int, scale: int, digits: int) -> HiveType:
    kept = max(digits, 0)
    return _decimal(precision - scale + (digits < scale) + kept, min(kept, _MAX))


def _round_in_spark(precision: int, scale: int, digits: int) -> HiveType:
    least = precision - scale + 1
    if digits < 0:
        return _decimal(max(least, 1 - digits), 0)
    return _decimal(least + min(scale, digits), min(scale, digits))


NAMED: dict[str, Rule] = {
    **fixed(
        {
            "int": "xpath_int",
            "bigint": "factorial xpath_long",
            "string": "bin",
            "double": """sqrt cbrt exp ln log log2 log10 pow power sin cos tan asin acos atan degrees radians pi e
                rand""",
        }
    ),
    **dict.fromkeys(("floor", "ceil", "ceiling"), _to_whole),
    **of_first(_absolute_in_hive, _absolute_in_spark, "abs"),
    **of_first(_sign_in_hive, _double, "sign"),
    **of_first(_shifted, _shifted, "shiftleft shiftright shiftrightunsigned"),
    "round": _round,
    "bround": _round,
}
