"""array(), map(), struct() and named_struct() in Trino."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlglot import exp

from hive_views.hive.types import parse_hive_type
from hive_views.translation.to_trino import shared_reasons as reasons
from hive_views.translation.to_trino.expressions.branches import in_one_type
from hive_views.translation.to_trino.terms import CallRules, Compiling, NodeRules, Term, listed, trino_type
from hive_views.translation.translation_findings import Kind, Reason

KEYS_OF_MAP = Reason(
    "map-keys",
    Kind.STRICTER,
    "where two keys of a map are equal, or one is NULL",
    (("Hive", "takes the last value, and NULL as a key"), ("Trino", "fails")),
)


def _parts(nodes: Sequence[Any], type_: str, compiling: Compiling) -> str:
    return listed(in_one_type(nodes, type_, compiling))


def _array(node: exp.Array, compiling: Compiling) -> Term:
    type_ = compiling.type_of(node)
    return Term(f"ARRAY[{_parts(node.expressions, str(parse_hive_type(type_).parts[0]), compiling)}]", type_)


def _map(node: exp.VarMap, compiling: Compiling) -> Term:
    type_ = compiling.type_of(node)
    sides = [node.args[part].expressions for part in ("keys", "values")]
    parts = zip(sides, parse_hive_type(type_).parts, strict=True)
    keys, values = (_parts(nodes, str(part), compiling) for nodes, part in parts)
    if compiling.source == "hive" and not _are_different(sides[0]):
        compiling.report(node, KEYS_OF_MAP)
    return Term(f"map(ARRAY[{keys}], ARRAY[{values}])", type_)


def _are_different(keys: Sequence[Any]) -> bool:
    """Whether keys are literals of one kind, no two of which are equal."""
    plain = [key.unnest() for key in keys]
    are_texts = all(isinstance(key, exp.Literal) and key.is_string for key in plain)
    are_digits = all(isinstance(key, exp.Literal) and not key.is_string and key.name.isdigit() for key in plain)
    values = {int(key.name) if are_digits else key.name for key in plain}
    return (are_texts or are_digits) and len(values) == len(keys)


def _struct(node: exp.Struct, compiling: Compiling) -> Term:
    type_ = compiling.type_of(node)
    found = parse_hive_type(type_)
    if any(part.name == "void" for part in found.everything()):
        raise compiling.refused(node, reasons.UNKNOWN_TYPE)
    fields = listed(compiling.term(one.expression) for one in node.expressions)
    return Term(f"CAST(ROW({fields}) AS {trino_type(found)})", type_)


NODES: NodeRules = {exp.Array: _array, exp.VarMap: _map, exp.Struct: _struct}
CALLS: CallRules = {}
