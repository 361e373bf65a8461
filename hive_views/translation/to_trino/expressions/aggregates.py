"""Aggregates, alone, with FILTER, and over windows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from sqlglot import exp

from hive_views.analysis.tree.typing.operands import WHOLE
from hive_views.hive.types import parse_hive_type
from hive_views.translation.reading_nodes import Call, read_call
from hive_views.translation.to_trino import shared_reasons as reasons
from hive_views.translation.to_trino.expressions.after_calls import PLAIN, AfterCall
from hive_views.translation.to_trino.expressions.sort_keys import direction
from hive_views.translation.to_trino.terms import (
    CallRule,
    CallRules,
    Compiling,
    NodeRules,
    Term,
    called,
    cast,
    operation,
)
from hive_views.translation.translation_findings import ELEMENT_ORDER, Kind, Reason

SUM_OVERFLOW = Reason(
    "sum-overflow",
    Kind.STRICTER,
    "Trino fails where a sum is no bigint; Hive, and Spark without ANSI mode, go on with the lowest number",
)
WIDE_DECIMALS = Reason(
    "wide-decimals",
    Kind.EDGE,
    "Trino fails where a sum, or what is made of it, has more than 38 digits",
    (("Hive", "loses digits, or answers NULL"), ("Spark", "answers NULL, or fails in ANSI mode")),
)
NAN = Reason(
    "nan",
    Kind.EDGE,
    "the maximum of values with NaN among them",
    (("Hive", "NaN up to release 3, and the largest number in release 4"), ("Trino", "the largest number")),
)
ONE_VALUE = Reason(
    "one-value",
    Kind.DIFFERENT,
    "the sample variance of one value",
    (("Hive", "0 in release 2, and NULL from release 3 on"), ("Trino", "NULL")),
)
APPROXIMATE = Reason(
    "approximate",
    Kind.DIFFERENT,
    "engines estimate in their own ways, so that results differ within the error that they allow",
)
NO_PERCENTILES = Reason("percentile", Kind.UNSUPPORTED, "Trino has no exact percentiles, and estimates in its own way")
FIRST_OF_ANY = reasons.NONDETERMINISTIC.because("the first row of a group is any of its rows")
DISTINCT_AFTER_CONVERSION = Reason(
    "distinct-strings", Kind.UNSUPPORTED, "it is not known whether strings or numbers are told apart by DISTINCT"
)
GROUPING_IN_HIVE = Reason(
    "grouping", Kind.UNSUPPORTED, "its type, and before release 2.3 its value, is not the same in all releases of Hive"
)

_FRACTIONS = ("float", "double")
_STRINGS = ("string", "char", "varchar")
_NOT_ORDERED = ("array", "map", "struct", "uniontype", "void")
_MAX_DIGITS = 38
_ROWS_DIGITS = 10
"""A sum has that many digits more than its values, in the types of Hive and Spark."""

_WITHOUT_PLACE: dict[type[exp.Expr], str] = {
    exp.First: "first",
    exp.FirstValue: "first_value",
    exp.Last: "last",
    exp.LastValue: "last_value",
}

AggregateRule = Callable[[Call, Compiling, AfterCall], Term]


def aggregated(call: Call, compiling: Compiling, after: AfterCall) -> Term | None:
    """An aggregate with what follows its call; None if the function is none."""
    rule = RULES.get(call.name)
    return rule(call, compiling, after) if rule else None


def read_aggregate(node: Any, compiling: Compiling) -> Call | None:
    """The call that a node is, also where sqlglot keeps no place for it."""
    match node:
        case exp.Corr():
            return Call(node, "corr", (node.this, node.expression))
        case exp.ArgMax() | exp.ArgMin():
            name = "max_by" if isinstance(node, exp.ArgMax) else "min_by"
            return None if node.args.get("count") else Call(node, name, (node.this, node.expression))
        case exp.FirstValue() | exp.LastValue() | exp.First() | exp.Last() if not isinstance(node.this, exp.Distinct):
            # With IGNORE NULLS, they have no place.
            return Call(node, _WITHOUT_PLACE[type(node)], (node.this,))
        case exp.GroupConcat():
            return Call(node, "listagg", (node.this,))
        case exp.Any() if not isinstance(node.this.unnest(), exp.Query):
            return Call(node, "any", (node.this,))
    return read_call(node, compiling.query.text)


def _name(term: Term) -> str:
    return parse_hive_type(term.type).name


def _only(call: Call, compiling: Compiling) -> Any:
    """The one argument of a call."""
    if len(call.arguments) != 1:
        raise compiling.refused(call.node, reasons.NOT_KNOWN)
    return call.arguments[0]


def _count(call: Call, compiling: Compiling, after: AfterCall) -> Term:
    if any(isinstance(one, exp.Star) for one in call.arguments) and len(call.arguments) == 1 and not call.is_distinct:
        return after.call("count", "bigint", "*")
    terms = [compiling.term(one) for one in call.arguments]
    if not terms:
        raise compiling.refused(call.node, reasons.NOT_KNOWN)
    if len(terms) == 1:
        return after.call("count", "bigint", terms[0], distinct=call.is_distinct)
    # Rows in which one of several values is NULL are not counted.
    parts: list[str | Term] = []
    for term in terms:
        parts += ["AND", term, "IS NOT NULL"] if parts else [term, "IS NOT NULL"]
    none_is_null = operation("boolean", *parts)
    if not call.is_distinct:
        return after.call("count_if", "bigint", none_is_null)
    after = after.where(none_is_null, compiling, call.node)
    return after.call("count", "bigint", f"({', '.join(term.sql for term in terms)})", distinct=True)


def _number(node: Any, compiling: Compiling) -> Term:
    """An argument that is added up: a whole number or decimal, or a double."""
    term = compiling.term(node)
    name = _name(term)
    if name in WHOLE or name in ("decimal", "double"):
        return term
    if name in _STRINGS:
        return compiling.converted(node, "double")
    if name == "float":
        return cast(term, "double")
    raise compiling.refused(node, reasons.CONVERSION.because(f"{term.type} to a number"))


def _added(call: Call, compiling: Compiling) -> Term:
    term = _number(_only(call, compiling), compiling)
    if call.is_distinct and term.type == "double" and compiling.type_of(call.arguments[0]) not in _FRACTIONS:
        raise compiling.refused(call.node, DISTINCT_AFTER_CONVERSION)
    return term


def _sum(call: Call, compiling: Compiling, after: AfterCall) -> Term:
    term, type_ = _added(call, compiling), compiling.type_of(call.node)
    if term.type == "bigint":
        compiling.report(call.node, SUM_OVERFLOW)
    found = after.call("sum", type_, term, distinct=call.is_distinct)
    if not type_.startswith("decimal"):
        return found
    precision, scale = parse_hive_type(term.type).sizes
    if precision + _ROWS_DIGITS > _MAX_DIGITS:
        compiling.report(call.node, WIDE_DECIMALS)
    # Trino's sum has 38 digits.
    return found if type_ == f"decimal({_MAX_DIGITS},{scale})" else cast(found, type_)


def _average(call: Call, compiling: Compiling, after: AfterCall) -> Term:
    term, type_ = _added(call, compiling), compiling.type_of(call.node)
    if not type_.startswith("decimal"):
        return after.call("avg", type_, term, distinct=call.is_distinct)
    # Trino's average has no digits more than the values.
    precision, scale = parse_hive_type(term.type).sizes
    digits = parse_hive_type(type_).sizes[1]
    if precision - scale + _ROWS_DIGITS + digits > _MAX_DIGITS:
        compiling.report(call.node, WIDE_DECIMALS)
    total = after.call("sum", type_, term, distinct=call.is_distinct)
    count = after.call("count", "bigint", term, distinct=call.is_distinct)
    return cast(operation(type_, cast(total, f"decimal({_MAX_DIGITS},{digits})"), "/", count), type_)


def _extreme(call: Call, compiling: Compiling, after: AfterCall) -> Term:
    node = _only(call, compiling)
    term, type_ = compiling.term(node), compiling.type_of(call.node)
    if _name(term) in _NOT_ORDERED:
        raise compiling.refused(call.node, reasons.NOT_KNOWN)
    if _name(term) in _STRINGS and term.type != type_:
        term = compiling.converted(node, type_)
    found = after.call(call.name, type_, term)
    if call.name == "min" or term.type not in _FRACTIONS or isinstance(node.unnest(), exp.Literal):
        return found
    if compiling.source == "hive":
        compiling.report(call.node, NAN)
        return found
    # To Spark, NaN is the largest number; Trino passes over it.
    has_nan = after.call("bool_or", "boolean", called("is_nan", "boolean", term))
    nan = Term("nan()", type_) if type_ == "double" else Term("CAST(nan() AS real)", type_)
    return called("if", type_, has_nan, nan, found)


def _doubles(call: Call, compiling: Compiling, count: int) -> list[Term]:
    if len(call.arguments) != count or call.is_distinct:
        raise compiling.refused(call.node, reasons.NOT_KNOWN)
    terms = [_number(one, compiling) for one in call.arguments]
    return [term if term.type == "double" else cast(term, "double") for term in terms]


def _spread(in_hive: str, in_spark: str, call: Call, compiling: Compiling, after: AfterCall) -> Term:
    name = in_hive if compiling.source == "hive" else in_spark
    if compiling.source == "hive" and name.endswith("_samp"):
        compiling.report(call.node, ONE_VALUE)
    return after.call(name, "double", *_doubles(call, compiling, 1))


def _of_two(call: Call, compiling: Compiling, after: AfterCall) -> Term:
    return after.call(call.name, "double", *_doubles(call, compiling, 2))


def _collected(call: Call, compiling: Compiling, after: AfterCall) -> Term:
    node = _only(call, compiling)
    term, type_ = compiling.term(node), compiling.type_of(call.node)
    element = str(parse_hive_type(type_).parts[0])
    if term.type != element:
        term = compiling.converted(node, element)
    is_set = call.name == "collect_set" or call.is_distinct
    compiling.report(call.node, ELEMENT_ORDER)
    if after.window:
        # Trino has no FILTER over windows.
        every = after.call("array_agg", type_, term)
        found = called("filter", type_, every, "e -> e IS NOT NULL")
        found = called("array_distinct", type_, found) if is_set else found
    else:
        is_value = operation("boolean", term, "IS NOT NULL")
        found = after.where(is_value, compiling, call.node).call("array_agg", type_, term, distinct=is_set)
    # Of no values, Trino makes NULL.
    return called("coalesce", type_, found, "ARRAY[]")


def _condition(name: str, call: Call, compiling: Compiling, after: AfterCall) -> Term:
    type_ = "bigint" if name == "count_if" else "boolean"
    if call.is_distinct and name == "count_if":
        raise compiling.refused(call.node, reasons.NOT_KNOWN)
    return after.call(name, type_, compiling.converted(_only(call, compiling), "boolean"))


def _bits(name: str, call: Call, compiling: Compiling, after: AfterCall) -> Term:
    term, type_ = compiling.term(_only(call, compiling)), compiling.type_of(call.node)
    if term.type not in WHOLE or call.is_distinct:
        raise compiling.refused(call.node, reasons.NOT_KNOWN)
    found = after.call(name, type_, term)
    return found if type_ == "bigint" else cast(found, type_)


def _by(call: Call, compiling: Compiling, after: AfterCall) -> Term:
    value, key = (compiling.term(one) for one in call.arguments)
    if _name(key) in (*_NOT_ORDERED, *_FRACTIONS, "char") or call.is_distinct:
        raise compiling.refused(call.node, reasons.NOT_KNOWN)
    type_ = compiling.type_of(call.node)
    if value.type != type_:
        value = compiling.converted(call.arguments[0], type_)
    return after.call(call.name, type_, value, key)


def _estimated(call: Call, compiling: Compiling, after: AfterCall) -> Term:
    term = compiling.term(_only(call, compiling))
    compiling.report(call.node, APPROXIMATE)
    return after.call("approx_distinct", "bigint", term)


def _grouping(call: Call, compiling: Compiling, after: AfterCall) -> Term:
    if compiling.source == "hive":
        raise compiling.refused(call.node, GROUPING_IN_HIVE)
    select = call.node.find_ancestor(exp.Select)
    keys: tuple[Any, ...] = call.arguments
    if not keys and select is not None and select.args.get("group"):
        group = select.args["group"]
        keys = tuple(one for part in group.expressions for one in (part.expressions or [part]))
    if not keys or not all(isinstance(one.unnest(), exp.Column) for one in keys) or after != PLAIN:
        raise compiling.refused(call.node, reasons.NOT_KNOWN)
    type_ = "tinyint" if call.name == "grouping" else "bigint"
    return cast(called("grouping", type_, *(compiling.term(one) for one in keys)), type_)


def _joined(call: Call, compiling: Compiling, after: AfterCall) -> Term:
    """``listagg(x, ',') WITHIN GROUP (ORDER BY y)``; Trino's own fails where the text is long."""
    order, separator = call.arguments[0], call.node.args.get("separator")
    if not isinstance(order, exp.Order):
        raise compiling.refused(call.node, reasons.NONDETERMINISTIC.because("write WITHIN GROUP (ORDER BY ...)"))
    if isinstance(order.this, exp.Distinct) or after.window or not _is_text(separator):
        raise compiling.refused(call.node, reasons.NOT_KNOWN)
    term = compiling.converted(order.this, "string")
    keys = [f"{compiling.term(one.this).sql} {direction(one, one.this, compiling, None)}" for one in order.expressions]
    after = after.where(operation("boolean", term, "IS NOT NULL"), compiling, call.node)
    every = after.call("array_agg", "array<string>", f"{term.sql} ORDER BY {', '.join(keys)}")
    between = "''" if separator is None else compiling.term(separator).sql
    return called("array_join", "string", every, between)


def _is_text(node: Any) -> bool:
    return node is None or (isinstance(node, exp.Literal) and node.is_string)


def _refused(reason: Reason, call: Call, compiling: Compiling, _after: AfterCall) -> Term:
    raise compiling.refused(call.node, reason)


RULES: dict[str, AggregateRule] = {
    "count": _count,
    "sum": _sum,
    "avg": _average,
    "mean": _average,
    "min": _extreme,
    "max": _extreme,
    **dict.fromkeys(("stddev", "std"), partial(_spread, "stddev_pop", "stddev_samp")),
    "stddev_pop": partial(_spread, "stddev_pop", "stddev_pop"),
    "stddev_samp": partial(_spread, "stddev_samp", "stddev_samp"),
    "variance": partial(_spread, "var_pop", "var_samp"),
    "var_pop": partial(_spread, "var_pop", "var_pop"),
    "var_samp": partial(_spread, "var_samp", "var_samp"),
    **dict.fromkeys(("covar_pop", "covar_samp", "corr"), _of_two),
    **dict.fromkeys(("collect_list", "collect_set", "array_agg"), _collected),
    **dict.fromkeys(("bool_and", "every"), partial(_condition, "bool_and")),
    **dict.fromkeys(("bool_or", "some", "any"), partial(_condition, "bool_or")),
    "count_if": partial(_condition, "count_if"),
    "bit_and": partial(_bits, "bitwise_and_agg"),
    "bit_or": partial(_bits, "bitwise_or_agg"),
    "bit_xor": partial(_bits, "bitwise_xor_agg"),
    **dict.fromkeys(("max_by", "min_by"), _by),
    "listagg": _joined,
    "approx_count_distinct": _estimated,
    **dict.fromkeys(("grouping", "grouping_id"), _grouping),
    **dict.fromkeys(
        ("percentile", "percentile_approx", "approx_percentile", "median", "percentile_cont", "percentile_disc"),
        partial(_refused, NO_PERCENTILES),
    ),
    **dict.fromkeys(("first", "last", "any_value", "first_value", "last_value"), partial(_refused, FIRST_OF_ANY)),
}
"""By the name of a function in the source."""


def _alone(rule: AggregateRule) -> CallRule:
    return lambda call, compiling: rule(call, compiling, PLAIN)


def _with_syntax(node: Any, compiling: Compiling) -> Term:
    """Nodes that are no calls to ``read_call``."""
    return of_function(node, compiling, PLAIN)


def of_function(node: Any, compiling: Compiling, after: AfterCall) -> Term:
    """An aggregate's node, with what follows its call.

    Raises:
        RefusedError: it is none, or cannot be translated.
    """
    call = read_aggregate(node, compiling)
    found = aggregated(call, compiling, after) if call else None
    if found is None:
        name = f": {call.name}" if call else ""
        raise compiling.refused(node, reasons.NO_RULE_FOR_FUNCTION.because(name.strip(": ")))
    return found


def _filtered(node: exp.Filter, compiling: Compiling) -> Term:
    condition = compiling.converted(node.expression.this, "boolean")
    return of_function(node.this, compiling, PLAIN.where(condition, compiling, node))


def _ordered_nulls(node: Any, compiling: Compiling) -> Term:
    """``first(x) IGNORE NULLS``, which without OVER takes any row."""
    raise compiling.refused(node, FIRST_OF_ANY)


NODES: NodeRules = {
    exp.Corr: _with_syntax,
    exp.ArgMax: _with_syntax,
    exp.ArgMin: _with_syntax,
    exp.Any: _with_syntax,
    exp.GroupConcat: _with_syntax,
    exp.Filter: _filtered,
    exp.IgnoreNulls: _ordered_nulls,
    exp.RespectNulls: _ordered_nulls,
}
CALLS: CallRules = {name: _alone(rule) for name, rule in RULES.items()}
