"""Elements of arrays, values of maps, fields of structs; keys and values of maps."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from hive_views.hive.types import HiveType, parse_hive_type
from hive_views.translation.reading_nodes import Call
from hive_views.translation.to_trino import shared_reasons as reasons
from hive_views.translation.to_trino.expressions.nested.element_types import beside, check_comparable, sought
from hive_views.translation.to_trino.expressions.strings.literal_values import whole_number_of
from hive_views.translation.to_trino.terms import CallRules, Compiling, NodeRules, Term, called, quoted
from hive_views.translation.translation_findings import Kind, Reason

ORDER_OF_ENTRIES = Reason(
    "order-of-entries",
    Kind.EDGE,
    "the order of a map's entries is not always that in which they were written",
)


def _bracket(node: exp.Bracket, compiling: Compiling) -> Term:
    is_plain = len(node.expressions) == 1 and not node.args.get("offset")
    if not is_plain or isinstance(node.expressions[0], exp.Slice):
        raise compiling.refused(node, reasons.NOT_KNOWN)
    whole, index = compiling.term(node.this), node.expressions[0]
    type_ = parse_hive_type(whole.type)
    if type_.name == "array":
        return element_at(whole, type_.parts[0], index, compiling)
    if type_.name == "map":
        return called("element_at", str(type_.parts[1]), whole, key_of(index, type_.parts[0], compiling))
    raise compiling.refused(node, reasons.NOT_KNOWN)


def element_at(array: Term, type_: HiveType, index: Any, compiling: Compiling) -> Term:
    """An element by its place from 0 on; NULL where there is no such place.

    Raises:
        RefusedError: the place is of another type than it may have.
    """
    number = whole_number_of(index)
    if number is not None and number >= 0:
        return called("element_at", str(type_), array, str(number + 1))
    term = compiling.term(index)
    if term.type not in ("tinyint", "smallint", "int"):
        raise compiling.refused(index, reasons.CONVERSION.because(f"{term.type} as a place in an array"))
    # In Trino, places are from 1 on, and those below 0 from the end. The sum is no int for the largest of all.
    one = "BIGINT '1'" if term.type == "int" else "1"
    return Term(f"IF({term.operand} >= 0, element_at({array.sql}, {term.operand} + {one}))", str(type_))


def key_of(index: Any, type_: HiveType, compiling: Compiling) -> Term:
    """What is looked for among the keys of a map, which are of a type.

    Raises:
        RefusedError: it is not known how the source compares them.
    """
    check_comparable(type_, index, compiling)
    if type_.name == "string" and compiling.type_of(index) in ("tinyint", "smallint", "int", "bigint"):
        return compiling.converted(index, "string")
    if compiling.source == "spark" and not beside(parse_hive_type(compiling.type_of(index)), type_):
        # Spark converts to the type of the key.
        raise compiling.refused(index, reasons.CONVERSION.because(f"{compiling.type_of(index)} to {type_}"))
    return sought(index, type_, compiling)


def _dot(node: exp.Dot, compiling: Compiling) -> Term:
    if not isinstance(node.expression, exp.Identifier):
        raise compiling.refused(node, reasons.NOT_KNOWN)
    found = field_of(compiling.term(node.this), node.expression.name)
    if found is None:
        raise compiling.refused(node, reasons.NOT_KNOWN)
    return found


def field_of(whole: Term, name: str) -> Term | None:
    """A field of a struct, or the array of that field of all structs in an array; None where there is no such field."""
    type_ = parse_hive_type(whole.type)
    if type_.name == "array":
        inside = field_of(Term("e", str(type_.parts[0])), name) if type_.parts[0].name == "struct" else None
        return inside and called("transform", f"array<{inside.type}>", whole, f"e -> {inside.sql}")
    if type_.name != "struct":
        return None
    named = zip(type_.field_names, type_.parts, strict=True)
    found = [part for own, part in named if own.lower() == name.lower()]
    return Term(f"{whole.operand}.{quoted(name.lower())}", str(found[0])) if len(found) == 1 else None


def _side(call: Call, compiling: Compiling) -> Term:
    if len(call.arguments) != 1:
        raise compiling.refused(call.node, reasons.NOT_KNOWN)
    type_ = compiling.type_of(call.node)
    (node,) = call.arguments
    if not isinstance(node, exp.VarMap) and not _needs_no_order(call.node.parent):
        compiling.report(call.node, ORDER_OF_ENTRIES)
    found = called(call.name, type_, compiling.term(node))
    # Of NULL, Hive makes an empty array.
    if compiling.source == "hive" and not isinstance(node, exp.VarMap):
        return called("coalesce", type_, found, "ARRAY[]")
    return found


def _needs_no_order(around: Any) -> bool:
    """Whether what is done with an array does not depend on the order of its elements."""
    name = around.name.lower() if isinstance(around, exp.Anonymous) else ""
    return name in ("array_contains", "array_max", "array_min", "array_sort", "size", "sort_array")


NODES: NodeRules = {exp.Bracket: _bracket, exp.Dot: _dot}
CALLS: CallRules = {"map_keys": _side, "map_values": _side}
