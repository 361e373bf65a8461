"""AND, OR, NOT, and IS."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from hive_views.translation.folded_branches import CONTRADICTORY, is_contradictory
from hive_views.translation.reading_nodes import Call
from hive_views.translation.to_trino import shared_reasons as reasons
from hive_views.translation.to_trino.expressions.comparisons.compared_values import negated
from hive_views.translation.to_trino.terms import CallRules, Compiling, NodeRules, Term, operation


def _connected(node: exp.Connector, compiling: Compiling) -> Term:
    if compiling.source == "hive" and is_contradictory(node):
        raise compiling.refused(node, CONTRADICTORY)
    word = "AND" if isinstance(node, exp.And) else "OR"
    # A chain of a thousand is a thousand levels deep.
    operands = list(node.flatten(unnest=False))
    terms = [compiling.converted(one, "boolean") for one in operands]
    parts: list[str | Term] = []
    for term in terms:
        operand = term.sql if term.is_comparison else term
        parts += [word, operand] if parts else [operand]
    return operation("boolean", *parts)


def _not(node: exp.Not, compiling: Compiling) -> Term:
    found = negated(node.this.unnest(), compiling)
    return found or operation("boolean", "NOT", compiling.converted(node.this, "boolean"))


def _is(node: exp.Is, compiling: Compiling) -> Term:
    right: Any = node.expression
    is_not = isinstance(right, exp.Not)
    right = right.this if is_not else right
    if isinstance(right, exp.Null):
        return operation("boolean", compiling.term(node.this), "IS NOT NULL" if is_not else "IS NULL")
    if isinstance(right, exp.Boolean) and compiling.type_of(node.this) == "boolean":
        # Trino has no IS TRUE.
        word = "IS DISTINCT FROM" if is_not else "IS NOT DISTINCT FROM"
        return operation("boolean", compiling.term(node.this), word, "true" if right.this else "false")
    raise compiling.refused(node, reasons.NOT_KNOWN)


def _is_null(call: Call, compiling: Compiling) -> Term:
    if len(call.arguments) != 1:
        raise compiling.refused(call.node, reasons.NOT_KNOWN)
    word = "IS NULL" if call.name == "isnull" else "IS NOT NULL"
    return operation("boolean", compiling.term(call.arguments[0]), word)


NODES: NodeRules = {exp.And: _connected, exp.Or: _connected, exp.Not: _not, exp.Is: _is}
CALLS: CallRules = {"isnull": _is_null, "isnotnull": _is_null}
