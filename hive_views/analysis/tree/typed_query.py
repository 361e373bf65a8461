"""A query as a tree in which each part has a type: what a translation starts from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from sqlglot import exp

from hive_views.analysis.query_analysis import Clause, DerivedType, TableColumns
from hive_views.analysis.tree.from_clause import FromReader
from hive_views.analysis.tree.places import Place
from hive_views.analysis.tree.qualified_calls import with_qualified_names
from hive_views.analysis.tree.query_reader import QueryReader
from hive_views.analysis.tree.sources import Columns, Scope
from hive_views.analysis.tree.types_of_nodes import TypesOfNodes
from hive_views.analysis.tree.typing.operands import is_constant
from hive_views.analysis.tree.typing.typing_rules import BY_NAME, BY_NODE
from hive_views.analysis.tree.typing.written_values import Number, number_of
from hive_views.sql import parser
from hive_views.sql.query import QueryText


@dataclass(frozen=True)
class TypedQuery:
    """A query with what is known of its parts.

    Attributes:
        text: of the query.
        tree: calls of functions in it are as they are written (``exp.Anonymous``), unless their nodes stand for one
            function, and say all of the call; the name of one of a database is ``database.name``.
        columns: what the query returns.
    """

    text: QueryText
    tree: exp.Query
    columns: Columns
    _types: TypesOfNodes
    _reader: QueryReader

    def type_of(self, node: Any) -> DerivedType:
        """The type of an expression in the tree."""
        return self._types.of(node)

    def number_of(self, node: Any) -> Number | None:
        """The number that a node is, with its suffix and sign as they are written; None for other expressions."""
        return number_of(node, self._types)

    def is_constant(self, node: Any) -> bool:
        """Whether no column of a table, subquery, aggregate or window has a part in the value of an expression."""
        return is_constant(node, self._types)

    def is_alias(self, column: exp.Column) -> bool:
        """Whether a name means an output column of the SELECT in which it stands, not one of a source."""
        return self._types.is_alias(column)

    def scope_of(self, select: exp.Select) -> Scope:
        """What a SELECT in the tree may name: its sources, and those around it."""
        return self._reader.scopes[id(select)]

    def columns_of(self, query: exp.Query) -> Columns:
        """What a query in the tree returns."""
        return self._reader.outputs[id(query)]


def read_typed(
    query: QueryText,
    namespace: str,
    tables: TableColumns,
    functions: Mapping[str, str] = MappingProxyType({}),
) -> TypedQuery:
    """A query of Hive or Spark as a tree with types; of Trino, only those of columns are known.

    Args:
        query: the text.
        namespace: the namespace of one-part names.
        tables: the columns of tables and views that are known.
        functions: the types of the results of functions that are not the engine's, by their names in lower case.

    Raises:
        SQLSyntaxError: the text is not exactly one query, or names a column that no table has.
    """
    starts = {
        node.meta["start"]
        for node in query.statement.tree.find_all(exp.Func)
        if "start" in node.meta and type(node) not in BY_NODE and not isinstance(node, exp.UDTF)
    }
    names = BY_NAME | {name.rpartition(".")[2] for name in functions}
    tree: Any = with_qualified_names(parser.tree_of_written_calls(query.tokens, names, starts), query.dialect)
    types = TypesOfNodes(query, functions)
    reader = QueryReader(query, types, FromReader(namespace.lower(), None, tables, types))
    columns = reader.query(tree, {}, Place(Clause.SELECT))
    if reader.unknown:
        raise min(reader.unknown, key=lambda error: error.offset or 0)
    return TypedQuery(query, tree, columns, types, reader)
