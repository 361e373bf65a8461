"""Table-generating functions: the names of their columns where the text gives none."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from hive_views.sql.text_edits import Edit
from hive_views.translation.in_place import common_reasons as reasons
from hive_views.translation.in_place.patching_rules import NodeRules, Patching
from hive_views.translation.in_place.text_places import NoPlaceError
from hive_views.translation.translation_findings import Kind, Reason

LATERAL_FUNCTION = Reason("only-in-one-engine", Kind.UNSUPPORTED, "Hive has LATERAL VIEW only")

POSITIONS = {"hive": ("pos", "val"), "spark": ("pos", "col")}
"""What the columns of posexplode are called."""


def _lateral(node: exp.Lateral, patching: Patching) -> tuple[Any, ...]:
    known = ("this", "view", "outer", "alias")
    if any(value not in (None, False, []) and name not in known for name, value in node.args.items()):
        raise patching.refused(node, reasons.NOT_KNOWN)
    if not node.args.get("view") or isinstance(node.this, exp.Query):
        raise patching.refused(node, LATERAL_FUNCTION)
    alias = node.args.get("alias")
    if isinstance(node.this, exp.Posexplode) and not (alias is not None and alias.args.get("columns")):
        if alias is None or alias.this is None or "end" not in alias.this.meta:
            raise NoPlaceError
        end = alias.this.meta["end"] + 1
        patching.edit(Edit(end, end, f" AS {', '.join(POSITIONS[patching.source])}"))
    return (node.this,)


def name_positions(node: Any, patching: Patching) -> None:
    """``posexplode(x)`` in a select list."""
    if isinstance(node.parent, exp.Select):
        _, end = patching.places.of_call(node)
        patching.edit(Edit(end, end, f" AS ({', '.join(POSITIONS[patching.source])})"))


def _aliases(node: exp.Aliases, _patching: Patching) -> tuple[Any, ...]:
    return (node.this,)


NODES: NodeRules = {exp.Lateral: _lateral, exp.Aliases: _aliases}
