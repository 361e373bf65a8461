"""Rules for nodes by their kinds.

clauses_alike.py      clauses of queries; null_order.py and sorting_keys.py: keys of ORDER BY
operators_alike.py    operators that compute; conditions_alike.py: those that compare
casts_alike.py        CAST; branches_alike.py: CASE; literals_alike.py: strings and numbers
nested_alike.py       maps and structs; windows_alike.py: OVER; generators_alike.py: LATERAL VIEW
same_types.py         whether a value has the same type in both engines
"""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from hive_views.translation.in_place.kinds_of_nodes import branches_alike as branches
from hive_views.translation.in_place.kinds_of_nodes import casts_alike as casts
from hive_views.translation.in_place.kinds_of_nodes import clauses_alike as clauses
from hive_views.translation.in_place.kinds_of_nodes import conditions_alike as conditions
from hive_views.translation.in_place.kinds_of_nodes import generators_alike as generators
from hive_views.translation.in_place.kinds_of_nodes import literals_alike as literals
from hive_views.translation.in_place.kinds_of_nodes import nested_alike as nested
from hive_views.translation.in_place.kinds_of_nodes import operators_alike as operators
from hive_views.translation.in_place.kinds_of_nodes import windows_alike as aggregates
from hive_views.translation.in_place.kinds_of_nodes.same_types import check_type as check_type
from hive_views.translation.in_place.patching_rules import NodeRules, Visit

_FAMILIES = (operators, conditions, casts, literals, branches, aggregates, generators, nested)

NODES: NodeRules = {**clauses.NODES, **{kind: rule for family in _FAMILIES for kind, rule in family.NODES.items()}}

VALUES = frozenset(kind for family in (operators, conditions, casts, branches, nested) for kind in family.NODES) | {
    exp.Window
}
"""The nodes whose types have to be the same in both engines."""


def rule_of(node: Any) -> Visit | None:
    """The rule for a node; None for calls of functions."""
    if isinstance(node, exp.Concat) and "start" not in node.meta:
        return literals.adjacent
    return NODES.get(type(node))
