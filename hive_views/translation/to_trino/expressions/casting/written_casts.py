"""CAST, ``::``, try_cast and types as functions."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from hive_views.hive.types import parse_hive_type
from hive_views.translation.reading_nodes import Call
from hive_views.translation.to_trino import shared_reasons as reasons
from hive_views.translation.to_trino.expressions.casting.conversion_reasons import NESTED_CAST, TIME_LITERAL
from hive_views.translation.to_trino.expressions.casting.converting import converted_term
from hive_views.translation.to_trino.expressions.casting.how_converted import How
from hive_views.translation.to_trino.expressions.constants import of_text
from hive_views.translation.to_trino.expressions.literals import suffixed_number
from hive_views.translation.to_trino.terms import CallRules, Compiling, NodeRules, Term

_PARTS = ("this", "to", "safe")
_DIGITS_IN_HIVE = 3
_TYPES = (
    *("boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "decimal", "string", "date", "timestamp"),
    "binary",
)


def _cast(node: exp.Cast, compiling: Compiling) -> Term:
    number = suffixed_number(node, compiling)
    if number is not None:
        return number
    is_hive = compiling.source == "hive"
    if any(value for name, value in node.args.items() if name not in _PARTS or (name == "safe" and is_hive)):
        raise compiling.refused(node, reasons.NOT_KNOWN)
    found = _written_time(node, compiling)
    if found is not None:
        return found
    type_ = compiling.type_of(node)
    if is_hive and parse_hive_type(type_).parts:
        raise compiling.refused(node, NESTED_CAST)
    how = How.TRY if node.args.get("safe") else How.CAST
    return converted_term(compiling.term(node.this), type_, node, compiling, how)


def _written_time(node: exp.Cast, compiling: Compiling) -> Term | None:
    """``DATE '2020-01-31'`` and ``TIMESTAMP '...'``; None for casts that are written as such."""
    if isinstance(node, exp.TryCast) or not isinstance(node.this, exp.Literal):
        return None
    found = of_text(node.this.name, parse_hive_type(compiling.type_of(node)))
    # Hive 2 reads three digits of the fraction here, and all of them in a cast.
    is_cut = compiling.source == "hive" and len(node.this.name.partition(".")[2]) > _DIGITS_IN_HIVE
    if found is None or is_cut:
        raise compiling.refused(node, TIME_LITERAL)
    return found


def _called(call: Call, compiling: Compiling) -> Term:
    if len(call.arguments) != 1 or call.is_distinct:
        raise compiling.refused(call.node, reasons.NOT_KNOWN)
    argument: Any = call.arguments[0]
    return converted_term(compiling.term(argument), compiling.type_of(call.node), call.node, compiling, How.CAST)


NODES: NodeRules = {exp.Cast: _cast, exp.TryCast: _cast}
CALLS: CallRules = dict.fromkeys(_TYPES, _called)
