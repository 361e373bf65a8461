"""CASE: its branches, and what its conditions compare."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlglot import exp

from hive_views.translation.folded_branches import CASE_TYPES, FOLDED, is_compared_alike, may_be_folded
from hive_views.translation.in_place import common_reasons as reasons
from hive_views.translation.in_place.kinds_of_nodes.conditions_alike import compare
from hive_views.translation.in_place.patching_rules import NUMBERS, NodeRules, Patching, is_text
from hive_views.translation.translation_findings import Kind, Reason

OTHER_BRANCHES = Reason(
    "branches",
    Kind.UNSUPPORTED,
    "the branches are of types for which engines make different common types; cast them to one type",
)


def of_one_type(node: Any, branches: Sequence[Any], patching: Patching) -> None:
    """Refuse branches of which the engines would convert some in different ways."""
    kinds = {patching.kind(one) for one in branches} - {"void"}
    if "" in kinds or not kinds:
        raise patching.refused(node, reasons.TYPE_NOT_KNOWN)
    if "char" in kinds:
        raise patching.refused(node, reasons.PADDED)
    if len(kinds) == 1 or all(map(is_text, kinds)):
        return
    if kinds <= set(NUMBERS) and not ("float" in kinds and kinds - {"float", "double"}):
        return
    raise patching.refused(node, OTHER_BRANCHES)


def _case(node: exp.Case, patching: Patching) -> None:
    whens = node.args.get("ifs") or []
    branches = [one.args["true"] for one in whens]
    if node.args.get("default") is not None:
        branches.append(node.args["default"])
    for one in whens:
        if node.this is not None:
            compare(one, node.this, one.this, patching)
            if not is_compared_alike(patching.kind(node.this), patching.kind(one.this)):
                raise patching.refused(one, CASE_TYPES)
        elif patching.kind(one.this) != "boolean":
            raise patching.refused(one, reasons.NOT_OF_THESE_TYPES.because("the condition is no truth value"))
    of_one_type(node, branches, patching)
    if may_be_folded(node):
        raise patching.refused(node, FOLDED)


def _if(node: exp.If, patching: Patching) -> None:
    if isinstance(node.parent, exp.Case):
        return
    if patching.kind(node.this) != "boolean":
        raise patching.refused(node, reasons.NOT_OF_THESE_TYPES.because("the condition is no truth value"))
    branches = [node.args["true"]]
    if node.args.get("false") is not None:
        branches.append(node.args["false"])
    of_one_type(node, branches, patching)


NODES: NodeRules = {exp.Case: _case, exp.If: _if}
