"""Types of aggregates, and of functions over windows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from sqlglot import exp

from hive_views.analysis.query_analysis import DerivedType, beside, both
from hive_views.analysis.tree.typing.branches import only_in_spark
from hive_views.analysis.tree.typing.casts import NO_LENGTHS
from hive_views.analysis.tree.typing.context import Context, Rule, Rules
from hive_views.analysis.tree.typing.decimals import Sizes, averaged_in_hive, averaged_in_spark, spelled, summed
from hive_views.analysis.tree.typing.operands import STRINGS, WHOLE, Operand, operand
from hive_views.hive.types import HiveType

_ONE_OR_SEVERAL = "it is not known whether it is one number or several"
_NOT_SUMMED = "its argument is no number"
_AVERAGES = "Hive keeps the digits before the point of an average that has too many, Spark those after it"


def argument(function: Any, context: Context) -> Operand:
    """The first argument of an aggregate, without DISTINCT."""
    node = function.this if function.args.get("this") is not None else function.expressions[0]
    if isinstance(function, exp.Anonymous):
        node = function.expressions[0]
    return operand(node.expressions[0] if isinstance(node, exp.Distinct) else node, context)


def _each(
    one: Operand, in_hive: Callable[[HiveType], str | None], in_spark: Callable[[HiveType], str | None], why: str
) -> DerivedType:
    found = {in_hive(type_) if type_ else None for type_ in one.in_hive(by_digits=False, or_type=True)}
    hive = found.pop() if len(found) == 1 else None
    return beside(hive, in_spark(one.spark) if one.spark else None, one.derived.why or why)


def _number(whole: str, sizes: Callable[[Sizes], Sizes], type_: HiveType) -> str | None:
    """The type of a sum or average, where that of whole numbers is ``whole``."""
    if type_.name in WHOLE:
        return whole
    if type_.name == "decimal":
        return spelled(sizes((type_.sizes[0], type_.sizes[1])))
    return "double" if type_.name in ("float", "double", *STRINGS) else None


def _sum(function: Any, context: Context) -> DerivedType:
    rule = partial(_number, "bigint", summed)
    return _each(argument(function, context), rule, rule, _NOT_SUMMED)


def _average(function: Any, context: Context) -> DerivedType:
    in_hive, in_spark = (partial(_number, "double", sizes) for sizes in (averaged_in_hive, averaged_in_spark))
    one = argument(function, context)
    is_decimal = one.derived.certain is not None and one.is_decimal
    return _each(one, in_hive, in_spark, _AVERAGES if is_decimal else _NOT_SUMMED)


def _same(function: Any, context: Context) -> DerivedType:
    return _each(argument(function, context), str, str, NO_LENGTHS)


def _extreme(function: Any, context: Context) -> DerivedType:
    """MIN and MAX; with several arguments they are other functions of other engines."""
    return DerivedType(why="Hive has no such function") if function.expressions else _same(function, context)


def _collected(function: Any, context: Context) -> DerivedType:
    found = _same(function, context)
    hive, spark = (f"array<{type_}>" if type_ else None for type_ in (found.hive, found.spark))
    return beside(hive, spark, found.why or NO_LENGTHS)


def _array_agg(function: Any, context: Context) -> DerivedType:
    found, name = _collected(function, context), context.written_name(function)
    return found if name in ("collect_list", "collect_set") else only_in_spark(found, name)


def _double(_function: Any, _context: Context) -> DerivedType:
    return both("double")


def _percentile(function: Any, context: Context) -> DerivedType:
    is_array = _is_array(function.args["quantile"], context)
    return both({True: "array<double>", False: "double", None: None}[is_array], _ONE_OR_SEVERAL)


def _approximate_percentile(function: Any, context: Context) -> DerivedType:
    is_array = _is_array(function.args["quantile"], context)
    spark = argument(function, context).spark
    if is_array is None or spark is None:
        return DerivedType(why=_ONE_OR_SEVERAL)
    in_hive, in_spark = ("array<double>", f"array<{spark}>") if is_array else ("double", str(spark))
    return beside(in_hive, in_spark, "Hive returns a double, Spark the type of the values")


def _is_array(quantile: Any, context: Context) -> bool | None:
    """Whether a percentage is several; None where that is not known."""
    if isinstance(quantile.unnest(), (exp.Array, exp.Literal)):
        return isinstance(quantile.unnest(), exp.Array)
    type_ = context.of(quantile).certain
    return type_.startswith("array<") if type_ else None


def _within_group(node: exp.WithinGroup, context: Context) -> DerivedType:
    """``percentile_cont(0.5) WITHIN GROUP (ORDER BY n)``."""
    is_one = isinstance(node.this, (exp.PercentileCont, exp.PercentileDisc)) and isinstance(node.this.this, exp.Literal)
    ordered = node.expression.expressions[0].this
    is_number = (
        operand(ordered, context).derived.spark in {*WHOLE, "float", "double"} or operand(ordered, context).is_decimal
    )
    return both("double") if is_one and is_number else DerivedType(why=_ONE_OR_SEVERAL)


def _histogram(call: exp.Anonymous, context: Context) -> DerivedType:
    spark = argument(call, context).spark
    in_spark = f"array<struct<x:{spark},y:double>>" if spark else None
    return beside("array<struct<x:double,y:double>>", in_spark, "Hive returns doubles, Spark the type of the values")


def _regression(function: Any, context: Context) -> DerivedType:
    """Of decimals, regr_avgx and regr_avgy are averages."""
    parts = [context.of(part) for part in (function.this, function.expression)]
    types = [one for part in parts for one in (part.hive, part.spark)]
    is_plain = all(one in {*WHOLE, "float", "double"} for one in types)
    return both("double") if is_plain else DerivedType(why="its arguments are not all whole numbers or doubles")


def _window(window: exp.Window, context: Context) -> DerivedType:
    function: Any = window.this
    while isinstance(function, (exp.IgnoreNulls, exp.RespectNulls)):
        function = function.this
    found = context.of(function)
    if isinstance(function, (exp.FirstValue, exp.LastValue)):
        return _same(function, context)
    return found


def _inside(node: Any, context: Context) -> DerivedType:
    return context.of(node.this)


def _only_over_windows(function: Any, context: Context) -> DerivedType:
    return only_in_spark(_same(function, context), f"{context.written_name(function)} without OVER")


def _of_spark(type_: str | None, function: Any, context: Context) -> DerivedType:
    """An aggregate that Hive does not have: its result, or that of its argument."""
    found = DerivedType(spark=type_) if type_ else _same(function, context)
    return only_in_spark(found, context.written_name(function))


RULES: Rules = {
    exp.Count: lambda _function, _context: both("bigint"),
    exp.Sum: _sum,
    exp.Avg: _average,
    exp.Min: _extreme,
    exp.Max: _extreme,
    **dict.fromkeys(
        (
            *(exp.Stddev, exp.StddevPop, exp.StddevSamp, exp.Variance, exp.VariancePop),
            *(exp.Corr, exp.CovarPop, exp.CovarSamp, exp.PercentRank, exp.CumeDist),
        ),
        _double,
    ),
    **dict.fromkeys((exp.RowNumber, exp.Rank, exp.DenseRank, exp.Ntile), lambda _function, _context: both("int")),
    exp.ArrayAgg: _array_agg,
    exp.ArrayUniqueAgg: _collected,
    exp.Quantile: _percentile,
    exp.ApproxQuantile: _approximate_percentile,
    exp.RegrCount: lambda _function, _context: both("bigint"),
    **dict.fromkeys(
        (
            *(exp.RegrAvgx, exp.RegrAvgy, exp.RegrIntercept, exp.RegrR2, exp.RegrSlope),
            *(exp.RegrSxx, exp.RegrSxy, exp.RegrSyy),
        ),
        _regression,
    ),
    exp.Window: _window,
    exp.WithinGroup: _within_group,
    exp.Filter: _inside,
    exp.IgnoreNulls: _inside,
    exp.RespectNulls: _inside,
    exp.Lag: _same,
    exp.Lead: _same,
    exp.FirstValue: _only_over_windows,
    exp.LastValue: _only_over_windows,
    **dict.fromkeys(
        (
            *(exp.First, exp.Last, exp.AnyValue, exp.NthValue, exp.Mode, exp.ArgMax, exp.ArgMin),
            *(exp.BitwiseAndAgg, exp.BitwiseOrAgg, exp.BitwiseXorAgg),
        ),
        partial(_of_spark, None),
    ),
    **dict.fromkeys((exp.ApproxDistinct, exp.CountIf), partial(_of_spark, "bigint")),
    **dict.fromkeys((exp.LogicalAnd, exp.LogicalOr, exp.Any), partial(_of_spark, "boolean")),
    **dict.fromkeys((exp.Skewness, exp.Kurtosis, exp.Median), partial(_of_spark, "double")),
    exp.Grouping: lambda _function, _context: DerivedType(None, "tinyint", "releases of Hive differ on it"),
    exp.GroupingId: partial(_of_spark, "bigint"),
    exp.GroupConcat: partial(_of_spark, "string"),
}
NAMED: dict[str, Rule] = {
    "std": _double,
    "mean": lambda function, context: only_in_spark(_average(function, context), "mean"),
    "histogram_numeric": _histogram,
    **dict.fromkeys(("every", "some"), partial(_of_spark, "boolean")),
}
