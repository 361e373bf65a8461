"""Types of aggregates, and of functions over windows."""

from __future__ import annotations

from hive_views.analysis.tree.typing.context import Rule, Rules

RULES: Rules = {}
NAMED: dict[str, Rule] = {}
