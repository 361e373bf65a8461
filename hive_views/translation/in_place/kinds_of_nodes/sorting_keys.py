"""What rows are sorted by: in Hive 2, output columns alone."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from hive_views.translation.engine_functions import functions_of
from hive_views.translation.in_place.patching_rules import Patching
from hive_views.translation.reading_nodes import read_call
from hive_views.translation.translation_findings import Kind, Reason

NO_OUTPUT = Reason(
    "sorted-by-no-output",
    Kind.UNSUPPORTED,
    "not every Hive sorts by what is no output column: add it to the select list, and name it here without its table",
    (("Hive 2", "refuses it"), ("Hive 4, Spark", "sort by it")),
)


def check_key(key: exp.Ordered, patching: Patching) -> None:
    """A key of ORDER BY or SORT BY of a SELECT."""
    select = key.parent.parent if key.parent is not None else None
    if patching.target != "hive" or not isinstance(select, exp.Select):
        return
    if any(one.is_star for one in select.expressions):
        return
    outputs = {one.alias_or_name.lower() for one in select.expressions}
    for node in key.walk(prune=lambda node: isinstance(node, exp.Query)):
        is_other_column = isinstance(node, exp.Column) and (bool(node.table) or node.name.lower() not in outputs)
        if is_other_column or _is_aggregate(node, patching):
            patching.report(node, NO_OUTPUT)


def _is_aggregate(node: Any, patching: Patching) -> bool:
    if isinstance(node.parent, exp.Window):
        return False
    call = read_call(node, str(patching.query.text))
    return call is not None and call.name in functions_of("hive-2.3").aggregates
