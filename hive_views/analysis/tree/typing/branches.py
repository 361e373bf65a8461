"""Where one of several values is taken: CASE and its like, GREATEST and LEAST, branches of set operations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from sqlglot import exp

from hive_views.analysis.query_analysis import DerivedType, beside
from hive_views.analysis.tree.typing.casts import NO_LENGTHS, in_spark, one_type
from hive_views.analysis.tree.typing.context import Context, Rule, Rules
from hive_views.analysis.tree.typing.decimals import Sizes, sizes_in_hive, sizes_in_spark, spelled, widened
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
from hive_views.hive.types import HiveType, parse_hive_type

_DIFFERENT = "its branches have different types, and Hive and Spark make different types of them"
_BY_DIGITS = "beside a decimal, Hive 4 takes a whole number by its digits, and Hive 2 and Spark as an int"
_NUMBERS = (*WHOLE, "decimal", "float", "double")
_ANSI_OF_STRINGS = {
    **dict.fromkeys(WHOLE, "bigint"),
    **dict.fromkeys(("decimal", "float", "double"), "double"),
    **{name: name for name in ("date", "timestamp", "boolean", "binary")},
}
"""What a string becomes beside another type in Spark's ANSI mode, in which it reads texts of its own dialect."""


_Combine = Callable[[HiveType, HiveType], "HiveType | None"]


def common_type(types: Sequence[DerivedType], dialect: str | None = None) -> DerivedType:
    """The type of a column of a set operation, given those of its branches in order.

    ``dialect``: that of the text, by which Spark reads it in ANSI mode or not; without it, what depends on that is
    not known.
    """
    first = types[0]
    if all(one.certain and one.certain == first.certain for one in types):
        return first
    found = _common_of(types, dialect, _in_set_operation)
    if found.spark == "string" and (first.spark or "").startswith(("char", "varchar")):
        # The column keeps what the first branch says of lengths.
        return beside(found.hive, first.spark, NO_LENGTHS)
    return found


def merged_type(left: DerivedType, right: DerivedType, dialect: str | None = None) -> DerivedType:
    """The type of a column that FULL JOIN ... USING makes of two, as COALESCE does."""
    return _common_of([left, right], dialect, _common_in_hive)


def _common_of(types: Sequence[DerivedType], dialect: str | None, in_hive: _Combine) -> DerivedType:
    hive = spark = None
    if all(one.hive for one in types):
        hive = the_one(folded([frozenset((_parsed(one.hive),)) for one in types], in_hive))
    if all(one.spark for one in types):
        parsed = [parse_hive_type(in_spark(one.spark) or "") for one in types]
        found = {_common_in_spark(parsed, is_ansi) for is_ansi in _modes(dialect)}
        spark = found.pop() if len(found) == 1 else None
    why = next((one.why for one in types if one.why), _DIFFERENT)
    return beside(str(hive) if hive else None, str(spark) if spark else None, why)


def _modes(dialect: str | None) -> tuple[bool, ...]:
    return (False, True) if dialect is None else (dialect == "spark",)


def of_branches(
    branches: Sequence[Operand], context: Context, *, int_by_digits: bool = False, strings: bool = True
) -> DerivedType:
    """The type of an expression that is one of several.

    Args:
        branches: without those that are not written.
        context: of the expression.
        int_by_digits: a whole number beside decimals has its own digits in some releases of Hive.
        strings: whether all become strings where one is.
    """
    among_decimals = int_by_digits and any(branch.is_decimal for branch in branches)
    types = [branch.in_hive(by_digits=among_decimals, or_type=True) for branch in branches]
    known = [branch.spark for branch in branches if branch.spark is not None]
    names = {one.name for one in known}
    are_mixed = not strings and "string" in names and not names <= {"string", "void"}
    hive = spark = None
    if not are_mixed:
        hive = the_one(folded(types, _common_in_hive))
        spark = _common_in_spark(known, context.dialect == "spark") if len(known) == len(branches) else None
    has_digits = among_decimals and any(branch.number and branch.number.is_whole for branch in branches)
    why = why_different(branches, _BY_DIGITS if has_digits else _DIFFERENT)
    if hive and spark and in_spark(str(hive)) == str(spark):
        why = NO_LENGTHS
    return beside(str(hive) if hive else None, str(spark) if spark else None, why)


def _common_in_hive(left: HiveType, right: HiveType) -> HiveType | None:
    found = _common(left, right, sizes_in_hive)
    if found:
        return found
    names = {left.name, right.name}
    if "float" in names and names <= set(_NUMBERS):
        return HiveType("float")
    if names == {"char", "varchar"} or ("string" in names and names <= {*_NUMBERS, *STRINGS, "date", "timestamp"}):
        return HiveType("string")
    return None


def _in_set_operation(left: HiveType, right: HiveType) -> HiveType | None:
    """Hive's set operations compare types otherwise than CASE does."""
    names = {left.name, right.name}
    if len(names) == 1 and names <= {"char", "varchar"}:
        return max(left, right, key=lambda one: one.sizes)
    if "decimal" in names and names & set(WHOLE):
        return left if left.name == "decimal" else right
    if "string" in names and not names <= set(STRINGS) | {"void"}:
        return None
    return _common_in_hive(left, right)


def _common_in_spark(types: Sequence[HiveType], is_ansi: bool) -> HiveType | None:
    # With others, Spark looks at strings first.
    strings = [one for one in types if one.name == "string"]
    others = [one for one in types if one.name != "string"]
    if is_ansi and strings and len({one for one in others if one.name != "void"}) > 1:
        return None
    combine = partial(_pair_in_spark, is_ansi)
    return the_one(folded([frozenset((one,)) for one in (*strings, *others)], combine))


def _pair_in_spark(is_ansi: bool, left: HiveType, right: HiveType) -> HiveType | None:
    found = _common(left, right, sizes_in_spark)
    if found:
        return found
    names = {left.name, right.name}
    if "float" in names and "decimal" in names:
        return HiveType("double")
    if "float" in names and names & set(WHOLE):
        if is_ansi:
            return HiveType("double") if names & {"int", "bigint"} else None
        return HiveType("float")
    if "string" not in names or len(names) != 2:
        return None
    (other,) = names - {"string"}
    if is_ansi:
        return HiveType(_ANSI_OF_STRINGS[other]) if other in _ANSI_OF_STRINGS else None
    return HiveType("string") if other in (*_NUMBERS, "date", "timestamp") else None


def _common(left: HiveType, right: HiveType, sizes: Callable[[HiveType], Sizes]) -> HiveType | None:
    """What Hive and Spark find in the same way."""
    if left == right or right.name == "void":
        return left
    if left.name == "void":
        return right
    names = {left.name, right.name}
    if names <= set(WHOLE):
        return wider(left, right)
    if names <= {*WHOLE, "decimal"}:
        return parse_hive_type(spelled(widened(sizes(left), sizes(right))))
    if "double" in names and names <= set(_NUMBERS):
        return HiveType("double")
    return HiveType("timestamp") if names == {"date", "timestamp"} else None


def _parsed(type_: str | None) -> HiveType | None:
    return parse_hive_type(type_) if type_ else None


def _case(case: exp.Case, context: Context) -> DerivedType:
    results = [*(branch.args["true"] for branch in case.args["ifs"]), case.args.get("default")]
    found = _one_of(results, context)
    types = {context.of(result).hive for result in results if result is not None} - {"void"}
    if len(types) > 1 and _is_decided(case, context):
        return DerivedType(None, found.spark, "Hive 2 leaves out branches whose conditions are constant")
    return found


def _is_decided(case: exp.Case, context: Context) -> bool:
    """Whether a condition, or a part of one, is constant."""
    conditions = [branch.this for branch in case.args["ifs"]]
    if case.this is not None:
        return is_constant(case.this, context)
    parts = (part for condition in conditions for part in condition.walk())
    return any(isinstance(part, (exp.Predicate, exp.Boolean)) and is_constant(part, context) for part in parts)


def _if(node: exp.If, context: Context) -> DerivedType:
    return _one_of([node.args["true"], node.args.get("false")], context)


def _one_of(nodes: Sequence[Any], context: Context) -> DerivedType:
    branches = [operand(node, context) for node in nodes if node is not None]
    return of_branches(branches, context, int_by_digits=True)


def _coalesce(node: exp.Coalesce, context: Context) -> DerivedType:
    branches = [operand(part, context) for part in (node.this, *node.expressions)]
    name = context.written_name(node)
    found = of_branches(branches, context, int_by_digits=name != "nvl")
    return only_in_spark(found, name) if name == "ifnull" else found


def _greatest(node: exp.Func, context: Context) -> DerivedType:
    branches = [operand(part, context) for part in (node.this, *node.expressions)]
    return of_branches(branches, context, strings=False)


def _nullif(node: exp.Nullif, context: Context) -> DerivedType:
    first = operand(node.this, context)
    hive = the_one(first.in_hive(by_digits=False, or_type=True))
    return one_type(str(hive)) if hive and hive == first.spark else _first(first, hive)


def _first(first: Operand, hive: HiveType | None) -> DerivedType:
    why = first.derived.why or NO_LENGTHS
    return beside(str(hive) if hive else None, str(first.spark) if first.spark else None, why)


def _nvl2(node: exp.Nvl2, context: Context) -> DerivedType:
    return only_in_spark(_one_of([node.args["true"], node.args.get("false")], context), "nvl2")


def only_in_spark(found: DerivedType, name: str) -> DerivedType:
    """The result of a function that Hive does not have."""
    return DerivedType(None, found.spark, f"Hive has no {name}")


RULES: Rules = {
    exp.Case: _case,
    exp.If: _if,
    exp.Coalesce: _coalesce,
    exp.Greatest: _greatest,
    exp.Least: _greatest,
    exp.Nullif: _nullif,
    exp.Nvl2: _nvl2,
}
NAMED: dict[str, Rule] = {}
