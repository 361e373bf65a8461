"""size, array_contains, sort_array."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from hive_views.hive.types import HiveType, parse_hive_type
from hive_views.translation.reading_nodes import Call
from hive_views.translation.to_trino import shared_reasons as reasons
from hive_views.translation.to_trino.expressions.nested.element_types import check_comparable, check_sortable, sought
from hive_views.translation.to_trino.terms import CallRules, Compiling, NodeRules, Term, called
from hive_views.translation.translation_findings import Kind, Reason

SIZE_OF_NULL = Reason(
    "size-of-null",
    Kind.DIFFERENT,
    "the size of NULL",
    (("Spark", "-1"), ("Spark, ANSI", "NULL"), ("Trino", "NULL")),
)


def _size(call: Call, compiling: Compiling) -> Term:
    (node,) = given(call, 1, compiling)
    whole = compiling.term(node)
    if parse_hive_type(whole.type).name not in ("array", "map"):
        raise compiling.refused(call.node, reasons.CONVERSION.because(whole.type))
    size = called("cardinality", "bigint", whole)
    if not isinstance(node.unnest(), (exp.Array, exp.VarMap)):
        if compiling.source == "hive":
            size = called("coalesce", "bigint", size, "-1")
        else:
            compiling.report(call.node, SIZE_OF_NULL)
    return Term(f"CAST({size.sql} AS integer)", "int")


def _contains(call: Call, compiling: Compiling) -> Term:
    node, value = given(call, 2, compiling)
    array = compiling.term(node)
    element = _element(array, call.node, compiling)
    check_comparable(element, call.node, compiling)
    found = called("contains", "boolean", array, sought(value, element, compiling))
    # Trino and Spark answer NULL where an element is NULL, or all is.
    return called("coalesce", "boolean", found, "false") if compiling.source == "hive" else found


def _sort(call: Call, compiling: Compiling) -> Term:
    is_upwards = len(call.arguments) == 1 or call.arguments[1] == exp.true()
    if not is_upwards and (call.arguments[1] != exp.false() or compiling.source == "hive"):
        raise compiling.refused(call.node, reasons.NOT_KNOWN)
    node, *_ = given(call, len(call.arguments[:2]), compiling)
    array = compiling.term(node)
    element = _element(array, call.node, compiling)
    check_sortable(element, call.node, compiling)
    if has_no_nulls(node):
        upwards = called("array_sort", array.type, array)
        return upwards if is_upwards else called("reverse", array.type, upwards)
    nulls = called("filter", array.type, array, "e -> e IS NULL")
    others = called("filter", array.type, array, "e -> e IS NOT NULL")
    # Trino sorts NULL last.
    if is_upwards:
        return Term(f"{nulls.sql} || array_sort({others.sql})", array.type, is_whole=False)
    return Term(f"reverse(array_sort({others.sql})) || {nulls.sql}", array.type, is_whole=False)


def has_no_nulls(node: Any) -> bool:
    """Whether it is certain that no element of an array is NULL."""
    node = node.unnest()
    if isinstance(node, exp.Array):
        return all(isinstance(one, (exp.Literal, exp.Boolean)) for one in node.expressions)
    name = node.name.lower() if isinstance(node, exp.Anonymous) else ""
    return name in ("split", "map_keys", "collect_set", "collect_list") or isinstance(node, (exp.ArrayAgg,))


def _element(array: Term, node: Any, compiling: Compiling) -> HiveType:
    type_ = parse_hive_type(array.type)
    if type_.name != "array":
        raise compiling.refused(node, reasons.CONVERSION.because(array.type))
    return type_.parts[0]


def given(call: Call, count: int, compiling: Compiling) -> tuple[Any, ...]:
    """The arguments of a call.

    Raises:
        RefusedError: there are more or fewer of them.
    """
    if len(call.arguments) != count or call.is_distinct:
        raise compiling.refused(call.node, reasons.NOT_KNOWN)
    return call.arguments


NODES: NodeRules = {}
CALLS: CallRules = {"size": _size, "cardinality": _size, "array_contains": _contains, "sort_array": _sort}
