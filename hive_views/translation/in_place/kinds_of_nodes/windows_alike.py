"""Windows, and what may stand around an aggregate."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from hive_views.translation.in_place import common_reasons as reasons
from hive_views.translation.in_place.patching_rules import NodeRules, Patching
from hive_views.translation.translation_findings import Kind, Reason

FILTER = Reason("only-in-one-engine", Kind.UNSUPPORTED, "Hive has no FILTER; put a CASE into the aggregate")
NAMED_WINDOW = Reason("named-window", Kind.UNSUPPORTED, "it is not known whether both read named windows alike")
FRAME = Reason("window-frame", Kind.UNSUPPORTED, "it is not known whether both engines read this frame alike")
IGNORE_NULLS = Reason("only-in-one-engine", Kind.UNSUPPORTED, "not every Hive has IGNORE NULLS")
_RANKS = ("rank", "dense_rank", "row_number", "ntile", "percent_rank", "cume_dist", "lag", "lead")


def _window(node: exp.Window, patching: Patching) -> None:
    known = ("this", "partition_by", "order", "spec", "over")
    if any(value not in (None, False, []) and name not in known for name, value in node.args.items()):
        raise patching.refused(node, NAMED_WINDOW)
    if isinstance(node.this, (exp.IgnoreNulls, exp.RespectNulls)):
        raise patching.refused(node, IGNORE_NULLS)
    # The type of first_value is known of the window only.
    patching.settle(node.this)
    name = str(patching.query.text)[node.this.meta.get("start", 0) : node.this.meta.get("end", -1) + 1].lower()
    if name in _RANKS and node.args.get("order") is None and name != "row_number":
        raise patching.refused(node, reasons.NOT_KNOWN.because("there is no ORDER BY"))


def _frame(node: exp.WindowSpec, patching: Patching) -> tuple[Any, ...]:
    is_range = str(node.args.get("kind") or "").upper() != "ROWS"
    for side in ("start", "end"):
        bound = node.args.get(side)
        if bound is None or isinstance(bound, str):
            continue
        is_number = isinstance(bound, exp.Literal) and not bound.is_string and bound.name.isdigit()
        if is_range or not is_number:
            raise patching.refused(node.parent, FRAME)
    if node.args.get("exclude"):
        raise patching.refused(node.parent, FRAME)
    return ()


def _filter(node: exp.Filter, patching: Patching) -> None:
    raise patching.refused(node, FILTER)


NODES: NodeRules = {exp.Window: _window, exp.WindowSpec: _frame, exp.Filter: _filter}
