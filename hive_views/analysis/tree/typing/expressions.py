"""The entry: the type of an expression, by the rule for its kind of node."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from hive_views.analysis.tree.typing import aggregates, functions, nested, operators
from hive_views.analysis.tree.typing.context import Context, Rules
from hive_views.analysis.values import DerivedType

_RULES: Rules = {**operators.RULES, **aggregates.RULES, **functions.RULES, **nested.RULES}
_NAMED = {**operators.NAMED, **aggregates.NAMED, **functions.NAMED, **nested.NAMED}


def type_of(expression: Any, context: Context) -> DerivedType:
    """The type of an expression other than a column or a subquery, which ``context.of`` knows."""
    if isinstance(expression, exp.Anonymous):
        rule = _NAMED.get(expression.name.lower())
    else:
        rule = _RULES.get(type(expression))
    if rule is None:
        return DerivedType(why=f"the result of {context.written_name(expression) or 'this expression'} is not known")
    return rule(expression, context)
