"""The types of the parts of a query, each derived once: what the rules of typing ask."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from sqlglot import exp

from hive_views.analysis.query_analysis import DerivedType, OutputColumn, beside
from hive_views.analysis.tree.sources import Columns
from hive_views.analysis.tree.typing.casts import NO_LENGTHS, in_spark, one_type
from hive_views.analysis.tree.typing.typing_rules import type_of
from hive_views.sql.dialects import ROW_DIALECTS
from hive_views.sql.query import QueryText


class TypesOfNodes:
    """The context of every expression of one query: see ``typing/context.py``.

    ``functions`` are the types of the results of functions that are not the engine's, by their names in lower case.
    """

    def __init__(self, query: QueryText, functions: Mapping[str, str] = MappingProxyType({})) -> None:
        self.dialect: str = query.dialect
        self.text: str = query
        self._found: dict[int, DerivedType] = {}
        self._constants: set[int] = set()
        self._aliases: set[int] = set()
        self._functions = functions
        self._is_typed = query.dialect in ROW_DIALECTS

    def resolve(self, node: exp.Column, column: OutputColumn, *, is_alias: bool) -> None:
        """Say which column a name means; ``is_alias``: an output column of the query in which it stands."""
        self._found[id(node)] = column.derived
        if is_alias:
            self._aliases.add(id(node))
        if column.is_constant:
            self._constants.add(id(node))

    def is_alias(self, column: exp.Column) -> bool:
        """Whether a name means an output column of the query in which it stands, not one of a source."""
        return id(column) in self._aliases

    def is_constant(self, column: exp.Column) -> bool:
        """See ``Context.is_constant``."""
        return id(column) in self._constants

    def remember(self, query: exp.Expr, columns: Columns) -> None:
        """Say what a subquery returns."""
        if len(columns) == 1:
            derived = columns[0].derived
            # A value, unlike a column, has no length in Spark.
            self._found[id(query)] = beside(derived.hive, in_spark(derived.spark), derived.why or NO_LENGTHS)

    def of(self, expression: Any) -> DerivedType:
        """The type of an expression whose columns are resolved."""
        node = expression.unnest()
        found = self._found.get(id(node))
        if found is None:
            found = self._derived(node)
            self._found[id(node)] = found
        return found

    def _derived(self, node: Any) -> DerivedType:
        if not self._is_typed:
            return DerivedType(why=f"types of {self.dialect} SQL are not derived")
        if isinstance(node, (exp.Column, exp.Query)):
            return DerivedType(why="its type is not known")
        if isinstance(node, exp.Anonymous) and node.name.lower() in self._functions:
            return one_type(self._functions[node.name.lower()])
        try:
            return type_of(node, self)
        except RecursionError:
            return DerivedType(why="it is nested too deeply")

    def written_name(self, function: exp.Expr) -> str:
        """See ``Context.written_name``."""
        start, end = function.meta.get("start"), function.meta.get("end")
        written = function.key if start is None or end is None else self.text[start : end + 1]
        return str(written).strip("`").lower()
