"""Statements as text, as a person would write them: the inverse of parsing, for the statements that define a view."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TypeAlias

from hive_views.ddl.grammar.reader import begins_text
from hive_views.ddl.grammar.statements import AddDialect, AddTranslation, CreateView, Name, OutputColumn, TranslatedText
from hive_views.errors import SQLSyntaxError, UnsupportedFeatureError
from hive_views.hive.types import HiveType, parse_hive_type
from hive_views.sql import parser
from hive_views.sql.dialects import written_dialect
from hive_views.sql.hive_grammar.lexer import Extent, extent_of_query
from hive_views.sql.hive_grammar.words import is_plain_name
from hive_views.sql.query import QueryText
from hive_views.sql.quoting import quote_identifier, quote_literal

WrittenStatement: TypeAlias = CreateView | AddDialect | AddTranslation


def script_text(statements: Iterable[WrittenStatement]) -> str:
    """The statements as a script that ``parse_script`` reads back, each with a semicolon.

    Where the texts of one statement could not be told apart again, ALTER VIEW ADD DIALECT gives all but the first.

    Raises:
        SQLSyntaxError: a text has a literal, name or comment that is not closed.
        UnsupportedFeatureError: nor could be told where the first one ends, which is in a dialect without a parser.
    """
    # Comments after a query are left out, so that none swallows the semicolon.
    return "\n".join(f"{text};" for statement in statements for text in _as_statements(statement))


def statement_text(statement: WrittenStatement) -> str:
    """The statement without a semicolon; ``parse_statement`` reads it back as the same value.

    Names have backticks only where they need them; each column and property has a line of its own. The first text
    follows AS if it is in the dialect ``hive``; the others follow DIALECT and its name, the translated ones last. Texts
    are kept byte for byte, without semicolons and comments behind them.

    Raises:
        SQLSyntaxError: a text has a literal, name or comment that is not closed.
        UnsupportedFeatureError: where one text ends and the next begins could not be told again.
    """
    if isinstance(statement, AddTranslation):
        return f"ALTER VIEW {written_name(statement.name)} ADD {_translated(statement.text)}"
    if isinstance(statement, AddDialect):
        added = _dialect(statement.query.dialect)
        return f"ALTER VIEW {written_name(statement.name)} ADD {added} AS\n{trimmed(statement.query)}"
    written = "\n".join(_create_clauses(statement))
    placed: list[tuple[QueryText, int, int]] = []
    for query in (statement.query, *statement.others):
        written += "\nAS\n" if not placed and query.dialect == "hive" else f"\n{_dialect(query.dialect)} AS\n"
        start = len(written)
        written += trimmed(query)
        placed.append((query, start, len(written)))
    stops = [end + 1 for _, _, end in placed[:-1]] + [len(written) + bool(statement.translated)]
    written += "".join(f"\n{_translated(one)}" for one in statement.translated)
    for (query, start, end), stop in zip(placed, stops, strict=True):
        if _extent_in(written, start, query.dialect) != (start, end, stop):
            raise UnsupportedFeatureError(
                f"The {query.dialect} SQL of {statement.name} cannot be written in one statement with SQL in other "
                f"dialects: a word DIALECT in it, or a bracket or quote that is not closed, hides where it ends. "
                f"Change this SQL, or write a statement ALTER VIEW ... ADD DIALECT."
            )
    return written


def written_name(name: Name | str) -> str:
    """The name, in backticks where Hive or Spark need them."""
    if isinstance(name, Name):
        return ".".join(written_name(part) for part in (name.namespace, name.name) if part is not None)
    return name if is_plain_name(name) and not name[0].isdigit() else quote_identifier(name)


def trimmed(query: QueryText) -> str:
    """The text as a statement gives it back: without spaces at its ends, and semicolons and comments behind it.

    Raises:
        SQLSyntaxError: it has a literal, name or comment that is not closed.
    """
    start, end, _ = extent_of_query(query, 0, parser.lexis(query.dialect))
    return query[start:end]


def _as_statements(statement: WrittenStatement) -> Iterator[str]:
    try:
        yield statement_text(statement)
    except UnsupportedFeatureError:
        if not isinstance(statement, CreateView) or not (statement.others or statement.translated):
            raise
        yield statement_text(replace(statement, others=(), translated=()))
        for other in statement.others:
            yield statement_text(AddDialect(statement.name, other))
        for translated in statement.translated:
            yield statement_text(AddTranslation(statement.name, translated))


def _create_clauses(statement: CreateView) -> Iterator[str]:
    replaces = "OR REPLACE " if statement.replace else ""
    if_not_exists = "IF NOT EXISTS " if statement.if_not_exists else ""
    columns = f" {_lines(map(_column, statement.columns))}" if statement.columns else ""
    yield f"CREATE {replaces}VIEW {if_not_exists}{written_name(statement.name)}{columns}"
    if statement.comment is not None:
        yield f"COMMENT {quote_literal(statement.comment)}"
    if statement.partitioned_on:
        yield f"PARTITIONED ON ({', '.join(map(written_name, statement.partitioned_on))})"
    if statement.properties:
        pairs = (f"{quote_literal(key)} = {quote_literal(value)}" for key, value in statement.properties)
        yield f"TBLPROPERTIES {_lines(pairs)}"


def _column(column: OutputColumn) -> str:
    type_ = f" {_type(parse_hive_type(column.type))}" if column.type is not None else ""
    comment = f" COMMENT {quote_literal(column.comment)}" if column.comment is not None else ""
    return f"{written_name(column.name)}{type_}{comment}"


def _type(type_: HiveType) -> str:
    if not type_.parts:
        return str(type_).upper()
    parts = [_type(part) for part in type_.parts]
    if type_.field_names:
        parts = [f"{written_name(name)}:{part}" for name, part in zip(type_.field_names, parts, strict=True)]
    return f"{type_.name.upper()}<{', '.join(parts)}>"


def _lines(parts: Iterable[str]) -> str:
    return "(\n" + ",\n".join(f"  {part}" for part in parts) + "\n)"


def _dialect(dialect: str) -> str:
    return f"DIALECT {_name_of_dialect(dialect)}"


def _name_of_dialect(dialect: str) -> str:
    name = written_dialect(dialect)
    is_plain = all(written_name(part) == part for part in name.split(":"))
    return name if is_plain else quote_identifier(name)


def _translated(text: TranslatedText) -> str:
    allow = f" ALLOW {', '.join(map(quote_literal, text.allow))}" if text.allow else ""
    return f"{_dialect(text.dialect)} TRANSLATED FROM {_name_of_dialect(text.source)}{allow}"


def _extent_in(written: str, start: int, dialect: str) -> Extent | None:
    try:
        return extent_of_query(written, start, parser.lexis(dialect), begins_text)
    except SQLSyntaxError:
        return None
