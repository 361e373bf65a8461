"""The rules of all families together."""

from __future__ import annotations

from hive_views.translation.to_trino.expressions import (
    aggregates,
    branches,
    casting,
    column_references,
    comparisons,
    dates,
    lambdas,
    literals,
    logic,
    nested,
    numbers,
    strings,
    subqueries,
    windows,
)
from hive_views.translation.to_trino.terms import CallRules, NodeRules

_FAMILIES = (
    *(literals, column_references, casting, logic, comparisons, branches, numbers, strings, dates, nested),
    *(aggregates, windows, subqueries, lambdas),
)
NODES: NodeRules = {kind: rule for family in _FAMILIES for kind, rule in family.NODES.items()}
"""The rule for each kind of node."""

CALLS: CallRules = {name: rule for family in _FAMILIES for name, rule in family.CALLS.items()}
"""The rule for each function."""
