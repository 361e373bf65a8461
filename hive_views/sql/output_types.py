"""The names and types of a query's output columns, as far as they are certain without an engine.

What lives here: the question and its answer. What must not: looking a table up, a guess: a type is told only where Hive
and Spark agree on it, whatever the data and the settings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hive_views.sql.dialects import row_dialect

TableColumns = Mapping[tuple[str, str], Sequence[tuple[str, str]]]
"""Names and Hive types of the columns of tables, partition columns last, by (namespace, name) in lower case."""


@dataclass(frozen=True)
class OutputType:
    """One output column of a query.

    Attributes:
        text: the column as it is written, shortened; for messages.
        name: its name, None for an expression without an alias.
        type: its Hive type, None where that is not certain.
        is_one: False for a star or a table generating function that nobody can expand without an engine.
    """

    text: str
    name: str | None = None
    type: str | None = None
    is_one: bool = True


def output_types(sql: str, dialect: str, namespace: str, tables: TableColumns) -> tuple[OutputType, ...]:
    """What the text says of its output columns, given the columns of the tables that it names.

    Certain are columns of these tables, casts, literals, conditions, and some functions, through aliases, subqueries,
    common table expressions, joins, and set operations whose branches have equal types. A star is expanded as Hive
    does: the tables in the order of the text, each with its columns in theirs. Not certain are arithmetic, because
    decimals are rounded differently, fields of structs, and what comes out of generating functions.

    Args:
        sql: one query.
        dialect: ``hive`` or ``spark``.
        namespace: where names of one part are.
        tables: see TableColumns; a table that is left out has columns that nobody knows.

    Raises:
        SQLSyntaxError: the text is not one query.
        UnsupportedFeatureError: the dialect is neither ``hive`` nor ``spark``.
    """
    from hive_views.sql import _output_types  # noqa: PLC0415

    return _output_types.output_types(sql, row_dialect(dialect), namespace, tables)
