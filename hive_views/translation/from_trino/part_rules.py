"""Elements of arrays and maps."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from hive_views.hive.types import parse_hive_type
from hive_views.translation.from_trino import trino_reasons as reasons
from hive_views.translation.from_trino.constant_rules import written_number
from hive_views.translation.from_trino.target_terms import CallRules, Compiling, NodeRules, Term, called, cast
from hive_views.translation.from_trino.text_rules import arguments
from hive_views.translation.reading_nodes import Call


def _subscript(node: exp.Bracket, compiling: Compiling) -> Term:
    if len(node.expressions) != 1:
        raise compiling.refused(node, reasons.NOT_KNOWN)
    term, index = compiling.term(node.this), node.expressions[0]
    compiling.report(node, reasons.OUT_OF_BOUNDS)
    # The tree counts from 0 where the index is a number, also where it is a key.
    if term.name == "map" and compiling.term(index).type == "string":
        return _of_map(term, index, node, compiling)
    number = written_number(index)
    return _of_array(term, number, node, compiling)


def _element(call: Call, compiling: Compiling) -> Term:
    nested, index = arguments(call, 2, 2, compiling)
    term = compiling.term(nested)
    if term.name == "map":
        return _of_map(term, index, call.node, compiling)
    number = written_number(index)
    return _of_array(term, None if number is None else number - 1, call.node, compiling)


def _of_array(term: Term, at: int | None, node: Any, compiling: Compiling) -> Term:
    """The element at a place from 0."""
    if term.name != "array" or at is None or at < 0:
        raise compiling.refused(node, reasons.TYPES.because(f"an element of {term.type} at a place not written there"))
    type_ = _of_part(term, 0, node, compiling)
    return called("get", type_, term, str(at)) if compiling.target == "spark" else Term(f"{term.operand}[{at}]", type_)


def _of_map(term: Term, key: Any, node: Any, compiling: Compiling) -> Term:
    found, wanted = compiling.term(key), str(parse_hive_type(term.type).parts[0])
    if found.type != wanted or wanted not in ("string", "int", "bigint"):
        raise compiling.refused(node, reasons.TYPES.because(f"{term.type} by a key of {found.type}"))
    return Term(f"{term.operand}[{found.sql}]", _of_part(term, 1, node, compiling))


def _of_part(term: Term, at: int, node: Any, compiling: Compiling) -> str:
    type_ = str(parse_hive_type(term.type).parts[at])
    if type_.startswith("char"):
        raise compiling.refused(node, reasons.CHAR)
    return type_


def _cardinality(call: Call, compiling: Compiling) -> Term:
    (one,) = arguments(call, 1, 1, compiling)
    term = compiling.term(one)
    if term.name not in ("array", "map"):
        raise compiling.refused(call.node, reasons.TYPES.because(term.type))
    size = cast(called("size", "int", term), "bigint")
    return Term(f"CASE WHEN size({term.sql}) >= 0 THEN {size.sql} END", "bigint")


NODES: NodeRules = {exp.Bracket: _subscript}
CALLS: CallRules = {"element_at": _element, "cardinality": _cardinality}
