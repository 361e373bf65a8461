"""Types of arrays, maps and structs, of their parts, and of functions of them."""

from __future__ import annotations

from hive_views.analysis.tree.typing.context import Rule, Rules

RULES: Rules = {}
NAMED: dict[str, Rule] = {}
