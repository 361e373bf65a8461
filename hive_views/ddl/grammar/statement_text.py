"""Statements as text: the inverse of parsing, for the statements that define a view."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hive_views.ddl.grammar.statements import AddDialect, CreateView, Name, OutputColumn
from hive_views.sql import parser
from hive_views.sql.dialects import written_dialect
from hive_views.sql.hive_grammar.lexer import extent_of_query
from hive_views.sql.query import QueryText
from hive_views.sql.quoting import quote_identifier, quote_literal


def script_text(statements: Iterable[CreateView | AddDialect]) -> str:
    """The statements as a script that ``parse_script`` reads back, each with a semicolon.

    Queries are kept byte for byte, without trailing semicolons and comments. The query of a CREATE VIEW is read back if
    the script is parsed with its dialect.

    Raises:
        SQLSyntaxError: a query has a literal, name or comment that is not closed.
    """
    # Comments after a query are left out, so that none swallows the semicolon.
    return "\n".join(f"{statement_text(statement)};" for statement in statements)


def statement_text(statement: CreateView | AddDialect) -> str:
    """The statement without a semicolon.

    Raises:
        SQLSyntaxError: the query has a literal, name or comment that is not closed.
    """
    if isinstance(statement, AddDialect):
        dialect = quote_identifier(written_dialect(statement.query.dialect))
        head = f"ALTER VIEW {_name(statement.name)} ADD DIALECT {dialect} AS"
    else:
        head = "\n".join([*_create_clauses(statement), "AS"])
    return f"{head}\n{_query(statement.query)}"


def _create_clauses(statement: CreateView) -> Iterator[str]:
    replace = "OR REPLACE " if statement.replace else ""
    if_not_exists = "IF NOT EXISTS " if statement.if_not_exists else ""
    columns = f" (\n{_lines(map(_column, statement.columns))})" if statement.columns else ""
    yield f"CREATE {replace}VIEW {if_not_exists}{_name(statement.name)}{columns}"
    if statement.comment is not None:
        yield f"COMMENT {quote_literal(statement.comment)}"
    if statement.partitioned_on:
        yield f"PARTITIONED ON ({', '.join(map(quote_identifier, statement.partitioned_on))})"
    if statement.properties:
        pairs = (f"{quote_literal(key)} = {quote_literal(value)}" for key, value in statement.properties)
        yield f"TBLPROPERTIES (\n{_lines(pairs)})"


def _column(column: OutputColumn) -> str:
    comment = f" COMMENT {quote_literal(column.comment)}" if column.comment is not None else ""
    return f"{quote_identifier(column.name)}{comment}"


def _lines(parts: Iterable[str]) -> str:
    return ",\n".join(f"  {part}" for part in parts)


def _name(name: Name) -> str:
    return ".".join(quote_identifier(part) for part in (name.namespace, name.name) if part is not None)


def _query(query: QueryText) -> str:
    start, end, _ = extent_of_query(query, 0, parser.lexis(query.dialect))
    return query[start:end]
