"""What a rule for the type of an expression is given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from sqlglot import exp

from hive_views.analysis.query_analysis import DerivedType


class Context(Protocol):
    """The query around an expression."""

    dialect: str
    text: str

    def of(self, expression: Any) -> DerivedType:
        """The type of a part of the expression, such as an argument; computed once for each node."""

    def is_constant(self, column: exp.Column) -> bool:
        """Whether a column of a subquery in FROM is computed from no column of a table."""

    def written_name(self, function: exp.Expr) -> str:
        """The name of a function as written, in lower case: sqlglot has one node for several functions."""


Rule = Callable[[Any, Context], DerivedType]
Rules = Mapping[type[exp.Expr], Rule]
"""By the kind of a node. Calls of functions that sqlglot does not know are ``exp.Anonymous``: see NAMED in each module,
by name in lower case."""
