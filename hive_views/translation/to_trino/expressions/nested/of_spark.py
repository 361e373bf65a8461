"""Functions of arrays and maps that Spark has, and not every release of Hive.

Not among them is array_intersect: its elements are in the order of the shorter array in Trino, and of the first one in
Spark.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hive_views.hive.types import HiveType, parse_hive_type
from hive_views.translation.reading_nodes import Call
from hive_views.translation.to_trino import shared_reasons as reasons
from hive_views.translation.to_trino.expressions.nested.element_types import check_comparable, check_sortable, sought
from hive_views.translation.to_trino.expressions.nested.parts_of_nested import ORDER_OF_ENTRIES, element_at, key_of
from hive_views.translation.to_trino.expressions.nested.searching import given, has_no_nulls
from hive_views.translation.to_trino.expressions.strings.literal_values import whole_number_of
from hive_views.translation.to_trino.terms import CallRule, CallRules, Compiling, NodeRules, Term, called, trino_type
from hive_views.translation.translation_findings import Kind, Reason

LONG_ARRAY = Reason("long-array", Kind.STRICTER, "Trino makes no array of more than 10,000 elements in this way")
_LONGEST = 10_000


def _array(node: Any, compiling: Compiling) -> tuple[Term, HiveType]:
    """An array, and the type of its elements."""
    term = compiling.term(node)
    type_ = parse_hive_type(term.type)
    if type_.name != "array":
        raise compiling.refused(node, reasons.CONVERSION.because(term.type))
    return term, type_.parts[0]


def _same(function: str, count: int) -> CallRule:
    """A function of arrays of one type of plain values, which Trino has too."""

    def rule(call: Call, compiling: Compiling) -> Term:
        arrays = [_array(node, compiling) for node in given(call, count, compiling)]
        if len({str(element) for _, element in arrays}) > 1:
            raise compiling.refused(call.node, reasons.CONVERSION.because("arrays of different types"))
        check_comparable(arrays[0][1], call.node, compiling)
        return called(function, compiling.type_of(call.node), *(term for term, _ in arrays))

    return rule


def _with_value(call: Call, compiling: Compiling) -> Term:
    """array_position and array_remove."""
    node, value = given(call, 2, compiling)
    array, element = _array(node, compiling)
    check_comparable(element, call.node, compiling)
    if compiling.type_of(value) not in (str(element), "string"):
        raise compiling.refused(value, reasons.CONVERSION.because(f"{compiling.type_of(value)} to {element}"))
    return called(call.name, compiling.type_of(call.node), array, sought(value, element, compiling))


def _added(call: Call, compiling: Compiling) -> Term:
    node, value = given(call, 2, compiling)
    array, added = compiling.term(node), f"ARRAY[{compiling.term(value).sql}]"
    parts = (array.operand, added) if call.name == "array_append" else (added, array.operand)
    return Term(" || ".join(parts), compiling.type_of(call.node), is_whole=False)


def _greatest(call: Call, compiling: Compiling) -> Term:
    (node,) = given(call, 1, compiling)
    array, element = _array(node, compiling)
    check_comparable(element, call.node, compiling)
    # Trino answers NULL where one is NULL.
    others = array if has_no_nulls(node) else called("filter", array.type, array, "e -> e IS NOT NULL")
    return called(call.name, str(element), others)


def _compact(call: Call, compiling: Compiling) -> Term:
    (node,) = given(call, 1, compiling)
    array, _ = _array(node, compiling)
    return called("filter", array.type, array, "e -> e IS NOT NULL")


def _sorted(call: Call, compiling: Compiling) -> Term:
    (node,) = given(call, 1, compiling)
    array, element = _array(node, compiling)
    check_sortable(element, call.node, compiling)
    return called("array_sort", array.type, array)


def _slice(call: Call, compiling: Compiling) -> Term:
    node, start, length = given(call, 3, compiling)
    first, count = whole_number_of(start), whole_number_of(length)
    if not first or count is None or count < 0:
        raise compiling.refused(call.node, reasons.NOT_KNOWN)
    array, _ = _array(node, compiling)
    return called("slice", array.type, array, str(first), str(count))


def _joined(call: Call, compiling: Compiling) -> Term:
    if len(call.arguments) not in (2, 3):
        raise compiling.refused(call.node, reasons.NOT_KNOWN)
    node, *texts = call.arguments
    array, element = _array(node, compiling)
    if element.name not in ("string", "varchar"):
        raise compiling.refused(node, reasons.CONVERSION.because(f"{element} to string"))
    return called("array_join", "string", array, *(compiling.converted(text, "string") for text in texts))


def _repeated(call: Call, compiling: Compiling) -> Term:
    value, times = given(call, 2, compiling)
    count = whole_number_of(times)
    if count is None or not 0 <= count <= _LONGEST:
        raise compiling.refused(call.node, reasons.NOT_KNOWN)
    return called("repeat", compiling.type_of(call.node), compiling.term(value), str(count))


def _flat(call: Call, compiling: Compiling) -> Term:
    (node,) = given(call, 1, compiling)
    array, element = _array(node, compiling)
    # Spark answers NULL where an array in it is NULL, and Trino goes on with the others.
    return Term(f"IF(none_match({array.sql}, e -> e IS NULL), flatten({array.sql}))", str(element))


def _sequence(call: Call, compiling: Compiling) -> Term:
    type_ = compiling.type_of(call.node)
    numbers = [whole_number_of(node) for node in call.arguments]
    if len(numbers) not in (2, 3):
        raise compiling.refused(call.node, reasons.NOT_KNOWN)
    first, last = numbers[:2]
    if first is None or last is None or abs(last - first) >= _LONGEST:
        compiling.report(call.node, LONG_ARRAY)
    found = called("sequence", type_, *(compiling.term(node) for node in call.arguments))
    return Term(f"CAST({found.sql} AS {trino_type(type_)})", type_)


def _part(call: Call, compiling: Compiling) -> Term:
    """element_at and try_element_at: places are from 1 on, and below 0 from the end, in both engines."""
    node, index = given(call, 2, compiling)
    whole = compiling.term(node)
    type_ = parse_hive_type(whole.type)
    if type_.name == "map":
        return called("element_at", str(type_.parts[1]), whole, key_of(index, type_.parts[0], compiling))
    if type_.name != "array" or not whole_number_of(index):
        raise compiling.refused(call.node, reasons.NOT_KNOWN)
    return called("element_at", str(type_.parts[0]), whole, str(whole_number_of(index)))


def _get(call: Call, compiling: Compiling) -> Term:
    node, index = given(call, 2, compiling)
    array, element = _array(node, compiling)
    return element_at(array, element, index, compiling)


def _map(call: Call, compiling: Compiling) -> Term:
    keys, values = given(call, 2, compiling)
    return called("map", compiling.type_of(call.node), _array(keys, compiling)[0], _array(values, compiling)[0])


def _maps(call: Call, compiling: Compiling) -> Term:
    if len(call.arguments) < 2:
        raise compiling.refused(call.node, reasons.NOT_KNOWN)
    return called("map_concat", compiling.type_of(call.node), *(compiling.term(node) for node in call.arguments))


def _entries(call: Call, compiling: Compiling) -> Term:
    (node,) = given(call, 1, compiling)
    type_ = compiling.type_of(call.node)
    compiling.report(call.node, ORDER_OF_ENTRIES)
    return Term(f"CAST(map_entries({compiling.term(node).sql}) AS {trino_type(type_)})", type_)


def _has_key(call: Call, compiling: Compiling) -> Term:
    node, key = given(call, 2, compiling)
    whole = compiling.term(node)
    type_ = parse_hive_type(whole.type)
    if type_.name != "map":
        raise compiling.refused(node, reasons.CONVERSION.because(whole.type))
    return called("contains", "boolean", f"map_keys({whole.sql})", key_of(key, type_.parts[0], compiling))


def _size(call: Call, compiling: Compiling) -> Term:
    (node,) = given(call, 1, compiling)
    return Term(f"CAST(cardinality({_array(node, compiling)[0].sql}) AS integer)", "int")


def _of_spark(rule: CallRule) -> CallRule:
    """A rule for a function that is another one, or none, in Hive."""

    def of(call: Call, compiling: Compiling) -> Term:
        if compiling.source != "spark":
            raise compiling.refused(call.node, reasons.NO_RULE_FOR_FUNCTION.because(call.name))
        return rule(call, compiling)

    return of


_RULES: dict[str, Callable[[Call, Compiling], Term]] = {
    **dict.fromkeys(("array_append", "array_prepend"), _added),
    **dict.fromkeys(("array_max", "array_min"), _greatest),
    **dict.fromkeys(("array_position", "array_remove"), _with_value),
    **dict.fromkeys(("element_at", "try_element_at"), _part),
    "array_compact": _compact,
    "array_distinct": _same("array_distinct", 1),
    "array_except": _same("array_except", 2),
    "array_join": _joined,
    "array_repeat": _repeated,
    "array_size": _size,
    "array_sort": _sorted,
    "array_union": _same("array_union", 2),
    "arrays_overlap": _same("arrays_overlap", 2),
    "flatten": _flat,
    "get": _get,
    "map_concat": _maps,
    "map_contains_key": _has_key,
    "map_entries": _entries,
    "map_from_arrays": _map,
    "sequence": _sequence,
    "slice": _slice,
}
NODES: NodeRules = {}
CALLS: CallRules = {name: _of_spark(rule) for name, rule in _RULES.items()}
