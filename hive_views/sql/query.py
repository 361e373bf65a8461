"""Whether a text is one query, and what its output columns are called and typed."""

from __future__ import annotations

from hive_views.sql import parser
from hive_views.sql.dialects import PARSED_DIALECTS, canonical_dialect, row_dialect
from hive_views.sql.outline import OutputType, TableColumns
from hive_views.sql.syntax_errors import syntax_error


def check_query(sql: str, dialect: str) -> None:
    """Make sure that the text can be a view: exactly one query that only reads.

    A semicolon and comments behind it are tolerated. Engines are stricter than this check, which knows no table and no
    function. In a dialect that no parser here knows, any text is taken that is not empty.

    Args:
        sql: the text.
        dialect: what it is written in, by any spelling of its name.

    Raises:
        SQLSyntaxError: it is not; the fields ``line`` and ``column`` (from 1) say where, when known, and ``expected``
            what should have been there.
        InvalidInputError: the dialect is not a name.
    """
    dialect = canonical_dialect(dialect)
    if not sql.strip():
        raise syntax_error(sql, dialect, "it is empty; expected a SELECT.", expected="SELECT")
    if dialect in PARSED_DIALECTS:
        parser.read_statement(sql, dialect)


def output_columns(sql: str, dialect: str) -> tuple[str | None, ...] | None:
    """The names of the query's output columns, None for a column without one.

    Set operations take their names from the first branch.

    Args:
        sql: one query.
        dialect: what it is written in, by any spelling of its name.

    Returns:
        None where the text does not say them: a star, a table generating function without aliases, or a dialect that no
        parser here knows.

    Raises:
        SQLSyntaxError: the text is not exactly one query.
        InvalidInputError: the dialect is not a name.
    """
    dialect = canonical_dialect(dialect)
    return parser.output_names(sql, dialect) if dialect in PARSED_DIALECTS else None


def output_types(sql: str, dialect: str, namespace: str, tables: TableColumns) -> tuple[OutputType, ...]:
    """The output columns of a query, given the columns of the tables that it names.

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
        SQLSyntaxError: the text is not one query, or names a column that none of its tables has.
        UnsupportedFeatureError: the dialect is neither ``hive`` nor ``spark``.
    """
    return parser.output_types(sql, row_dialect(dialect), namespace, tables)
