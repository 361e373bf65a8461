"""Arrays, maps and structs as they are made of values."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from hive_views.translation.in_place import common_reasons as reasons
from hive_views.translation.in_place.kinds_of_nodes.branches_alike import of_one_type
from hive_views.translation.in_place.patching_rules import NodeRules, Patching
from hive_views.translation.translation_findings import Kind, Reason

DUPLICATE_KEYS = Reason(
    "duplicate-keys",
    Kind.DIFFERENT,
    "of a key that is there twice, or is NULL",
    (("Hive", "keeps the last value, and NULL as a key"), ("Spark", "fails")),
)


def _map(node: exp.VarMap, patching: Patching) -> tuple[Any, ...]:
    keys, values = (node.args[name].expressions for name in ("keys", "values"))
    if not keys:
        raise patching.refused(node, reasons.TYPE_NOT_KNOWN)
    of_one_type(node, keys, patching)
    of_one_type(node, values, patching)
    written = [one.name for one in keys if isinstance(one, exp.Literal)]
    if len(set(written)) < len(keys):
        patching.report(node, DUPLICATE_KEYS)
    return (*keys, *values)


def _struct(node: exp.Struct, patching: Patching) -> tuple[Any, ...]:
    name = str(patching.query.text)[node.meta.get("start", 0) : node.meta.get("end", -1) + 1].lower()
    if name != "named_struct":
        raise patching.refused(node, reasons.NOT_KNOWN.because("fields without names; use named_struct"))
    values = tuple(one.expression for one in node.expressions)
    if any(patching.kind(one) in ("char", "void", "") for one in values):
        raise patching.refused(node, reasons.NOT_OF_THESE_TYPES)
    return values


NODES: NodeRules = {exp.VarMap: _map, exp.Struct: _struct}
