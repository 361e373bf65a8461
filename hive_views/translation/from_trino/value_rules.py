"""The rules for values: by the kind of a node, and by the name of a function of Trino."""

from __future__ import annotations

from hive_views.translation.from_trino import (
    aggregate_rules,
    branch_rules,
    cast_rules,
    constant_rules,
    day_rules,
    number_rules,
    operator_rules,
    part_rules,
    text_rules,
)
from hive_views.translation.from_trino.target_terms import CallRules, NodeRules

_FAMILIES = (
    *(aggregate_rules, branch_rules, cast_rules, constant_rules, day_rules, number_rules, operator_rules),
    *(part_rules, text_rules),
)
NODES: NodeRules = {kind: rule for family in _FAMILIES for kind, rule in family.NODES.items()}
CALLS: CallRules = {name: rule for family in _FAMILIES for name, rule in family.CALLS.items()}
