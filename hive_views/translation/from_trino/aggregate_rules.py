"""Aggregates, with DISTINCT, FILTER and OVER; functions over windows."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from hive_views.hive.types import parse_hive_type
from hive_views.translation.from_trino import trino_reasons as reasons
from hive_views.translation.from_trino.common_types import MOST_DIGITS
from hive_views.translation.from_trino.target_terms import WHOLE, CallRules, Compiling, NodeRules, Term, called, cast
from hive_views.translation.reading_nodes import Call
from hive_views.translation.to_trino.expressions.comparisons.compared_values import NAN
from hive_views.translation.to_trino.queries.equal_rows import NEGATIVE_ZERO

_KINDS: dict[type[exp.Expr], str] = {exp.Count: "count", exp.Sum: "sum", exp.Avg: "avg", exp.Min: "min", exp.Max: "max"}
_SORTED = (*WHOLE, "decimal", "double", "string", "varchar", "date", "timestamp", "boolean")
_RANKS = (exp.RowNumber, exp.Rank, exp.DenseRank)


def _aggregate(node: Any, compiling: Compiling, condition: str = "") -> Term:
    if any(value for name, value in node.args.items() if name not in ("this", "big_int")):
        raise compiling.refused(node, reasons.NOT_KNOWN)
    given, kind = node.this, _KINDS[type(node)]
    distinct = ""
    if isinstance(given, exp.Distinct):
        if len(given.expressions) != 1 or given.args.get("on"):
            raise compiling.refused(node, reasons.NOT_KNOWN)
        given, distinct = given.expressions[0], "DISTINCT "
    if isinstance(given, exp.Star) or given is None:
        if kind != "count" or distinct:
            raise compiling.refused(node, reasons.NOT_KNOWN)
        return called("count", "bigint", f"CASE WHEN {condition} THEN 1 END" if condition else "*")
    term = compiling.term(given)
    type_ = _result(kind, term, node, compiling)
    if distinct and term.name in ("float", "double"):
        compiling.report(node, NEGATIVE_ZERO)
    if kind == "sum" and term.name == "decimal":
        if compiling.target == "hive" and given.find(exp.Column) is None:
            raise compiling.refused(node, reasons.LOST_CAST)
        term = cast(term, type_)
    value = f"CASE WHEN {condition} THEN {term.sql} END" if condition else term.sql
    return called(kind, type_, f"{distinct}{value}")


def _result(kind: str, term: Term, node: Any, compiling: Compiling) -> str:
    if kind == "count":
        if term.name in ("void", "char") or parse_hive_type(term.type).parts:
            raise compiling.refused(node, reasons.TYPES.because(f"count of {term.type}"))
        return "bigint"
    if kind in ("min", "max"):
        if term.name not in _SORTED:
            raise compiling.refused(node, reasons.TYPES.because(f"{kind} of {term.type}"))
        if term.name == "double":
            compiling.report(node, NAN)
        return "string" if term.name == "varchar" else term.type
    if term.name == "float":
        raise compiling.refused(node, reasons.REAL)
    if term.name in WHOLE:
        if kind == "sum":
            compiling.report(node, reasons.OVERFLOW)
        return "bigint" if kind == "sum" else "double"
    if term.name == "decimal" and kind == "sum":
        return f"decimal({MOST_DIGITS},{parse_hive_type(term.type).sizes[1]})"
    if term.name == "decimal":
        raise compiling.refused(node, reasons.DECIMAL_QUOTIENT)
    if term.type != "double":
        raise compiling.refused(node, reasons.TYPES.because(f"{kind} of {term.type}"))
    return "double"


def _filtered(node: exp.Filter, compiling: Compiling) -> Term:
    if type(node.this) not in _KINDS:
        raise compiling.refused(node, reasons.NOT_KNOWN)
    condition = compiling.term(node.expression.this)
    if condition.type != "boolean":
        raise compiling.refused(node, reasons.TYPES.because(condition.type))
    return _aggregate(node.this, compiling, condition.sql)


def _counted(call: Call, compiling: Compiling) -> Term:
    condition = compiling.term(call.arguments[0]) if len(call.arguments) == 1 else None
    if condition is None or condition.type != "boolean" or call.is_distinct:
        raise compiling.refused(call.node, reasons.NOT_KNOWN)
    return called("count", "bigint", f"CASE WHEN {condition.sql} THEN 1 END")


def _window(node: exp.Window, compiling: Compiling) -> Term:
    """A function over a window without a frame; of aggregates, only over whole partitions."""
    known = ("this", "partition_by", "order", "over")
    order = node.args.get("order")
    is_rank = isinstance(node.this, _RANKS) and order is not None
    is_whole = type(node.this) in _KINDS and order is None and not isinstance(node.this.this, exp.Distinct)
    if any(value for name, value in node.args.items() if name not in known) or not (is_rank or is_whole):
        raise compiling.refused(node, reasons.NOT_KNOWN.because("this function over a window"))
    by = [compiling.term(one) for one in node.args.get("partition_by") or ()]
    keys = [_key(one, compiling) for one in (order.expressions if order is not None else ())]
    if any(one.name not in _SORTED or one.name == "double" for one in by):
        raise compiling.refused(node, reasons.TYPES.because("the type of what partitions"))
    inside = [f"PARTITION BY {', '.join(one.sql for one in by)}"] if by else []
    inside += [f"ORDER BY {', '.join(keys)}"] if keys else []
    if is_rank:
        name = {exp.RowNumber: "row_number", exp.Rank: "rank", exp.DenseRank: "dense_rank"}[type(node.this)]
        return cast(Term(f"{name}() OVER ({' '.join(inside)})", "int"), "bigint")
    term = compiling.term(node.this)
    return Term(f"{term.sql} OVER ({' '.join(inside)})", term.type)


def _key(key: Any, compiling: Compiling) -> str:
    term = compiling.term(key.this)
    others = [name for name in key.args if name not in ("this", "desc", "nulls_first") and key.args[name]]
    if others or term.name not in _SORTED or term.name == "double" or isinstance(key.this.unnest(), exp.Literal):
        raise compiling.refused(key, reasons.TYPES.because(f"{term.type} as a key"))
    direction = "DESC" if key.args.get("desc") else "ASC"
    return f"{term.sql} {direction} NULLS {'FIRST' if key.args.get('nulls_first') else 'LAST'}"


NODES: NodeRules = {**dict.fromkeys(_KINDS, _aggregate), exp.Filter: _filtered, exp.Window: _window}
CALLS: CallRules = {"count_if": _counted}
