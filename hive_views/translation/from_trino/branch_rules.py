"""CASE, IF, COALESCE, NULLIF, GREATEST and LEAST."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from hive_views.translation.folded_branches import FOLDED, may_be_folded
from hive_views.translation.from_trino import trino_reasons as reasons
from hive_views.translation.from_trino.cast_rules import common
from hive_views.translation.from_trino.operator_rules import comparable
from hive_views.translation.from_trino.target_terms import CallRules, Compiling, NodeRules, Term, operation

_NULL = exp.Null()


def _case(node: exp.Case, compiling: Compiling) -> Term:
    if may_be_folded(node) and compiling.target == "hive":
        raise compiling.refused(node, FOLDED)
    conditions = []
    ifs: Any = node.args["ifs"]
    for one in ifs:
        if node.this is None:
            condition = compiling.term(one.this)
        else:
            value, other = comparable([node.this, one.this], one, compiling)
            if value.sql == other.sql:
                raise compiling.refused(one, reasons.SAME_VALUE)
            condition = operation("boolean", value, "=", other)
        if condition.type != "boolean":
            raise compiling.refused(one, reasons.TYPES.because(f"a condition of the type {condition.type}"))
        conditions.append(condition)
    default = node.args.get("default")
    return _chosen(conditions, [one.args["true"] for one in ifs], default, node, compiling)


def _if(node: exp.If, compiling: Compiling) -> Term:
    condition = compiling.term(node.this)
    if condition.type != "boolean" or node.this.find(exp.Column) is None:
        raise compiling.refused(node, FOLDED)
    return _chosen([condition], [node.args["true"]], node.args.get("false"), node, compiling)


def _chosen(conditions: list[Term], values: list[Any], default: Any, node: Any, compiling: Compiling) -> Term:
    *found, last = common([*values, default if default is not None else _NULL], node, compiling)
    parts = [f"WHEN {condition.sql} THEN {one.sql}" for condition, one in zip(conditions, found, strict=True)]
    behind = f" ELSE {last.sql}" if default is not None else ""
    return Term(f"CASE {' '.join(parts)}{behind} END", last.type)


def _coalesce(node: Any, compiling: Compiling) -> Term:
    terms = common([node.this, *node.expressions], node, compiling)
    return Term(f"coalesce({', '.join(term.sql for term in terms)})", terms[0].type)


def _nullif(node: exp.Nullif, compiling: Compiling) -> Term:
    left, right = comparable([node.this, node.expression], node, compiling)
    value = compiling.term(node.this)
    return Term(f"CASE WHEN {left.operand} = {right.operand} THEN NULL ELSE {value.sql} END", value.type)


def _extreme(node: Any, compiling: Compiling) -> Term:
    """NULL where an argument is: Spark leaves it out."""
    terms = comparable([node.this, *node.expressions], node, compiling)
    if terms[0].name in ("float", "double", "boolean"):
        raise compiling.refused(node, reasons.TYPES.because(terms[0].type))
    name = "greatest" if isinstance(node, exp.Greatest) else "least"
    text = f"{name}({', '.join(term.sql for term in terms)})"
    if compiling.target == "spark":
        known = " AND ".join(f"{term.operand} IS NOT NULL" for term in terms)
        text = f"CASE WHEN {known} THEN {text} END"
    return Term(text, terms[0].type)


NODES: NodeRules = {
    exp.Case: _case,
    exp.If: _if,
    exp.Coalesce: _coalesce,
    exp.Nullif: _nullif,
    exp.Greatest: _extreme,
    exp.Least: _extreme,
}
CALLS: CallRules = {}
