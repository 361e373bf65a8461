"""Types of the results of functions of values: strings, dates, numbers."""

from __future__ import annotations

from hive_views.analysis.tree.typing.context import Rule, Rules

RULES: Rules = {}
NAMED: dict[str, Rule] = {}
