"""The entry: the type of an expression, by the rule for its kind of node."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from hive_views.analysis.query_analysis import DerivedType
from hive_views.analysis.tree.typing import (
    aggregates,
    branches,
    casts,
    functions,
    lambdas,
    nested,
    operators,
    written_values,
)
from hive_views.analysis.tree.typing.context import Context, Rule, Rules

_MODULES = (written_values, casts, operators, branches, aggregates, functions, nested, lambdas)
_RULES: Rules = {kind: rule for module in _MODULES for kind, rule in module.RULES.items()}
_NAMED: dict[str, Rule] = {name: rule for module in _MODULES for name, rule in getattr(module, "NAMED", {}).items()}

BY_NAME = frozenset(_NAMED)
"""The functions whose rules are found by their names as written, in lower case."""

BY_NODE = frozenset(_RULES) - frozenset(functions.RULES)
"""The nodes whose rules are found by their kinds."""


def type_of(expression: Any, context: Context) -> DerivedType:
    """The type of an expression other than a column or a subquery, which ``context.of`` knows."""
    if isinstance(expression, exp.Anonymous):
        rule = _NAMED.get(expression.name.lower())
    else:
        rule = _RULES.get(type(expression))
    if rule is None:
        return DerivedType(why=f"the result of {context.written_name(expression) or 'this expression'} is not known")
    return rule(expression, context)
