"""Whether we and Hive's parser read a text alike, apart from the differences that stay."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from hive_views.ddl.grammar.parse import parse_statement
from hive_views.ddl.grammar.statements import (
    AddDialect,
    AddTranslation,
    AlterViewAs,
    CreateView,
    DropDialect,
    KeepDialect,
    PublishView,
    ReplaceDialect,
    ReplaceTranslation,
    RollBackView,
    ShowCreateView,
    ViewStatement,
)
from hive_views.errors import SQLSyntaxError
from hive_views.sql.hive_grammar.lexer import token_at
from tests.support.java.hive_statements import HiveParser, NotAboutViews, RefusedByHive

OUR_PROBLEMS = (
    "cannot be combined",
    "cannot have a LOCATION",
    "Give each column one value",
    "at least one character",
    "remove FOR REPLICATION",
    "write the date or time itself",
    "found '_",
    "is written YYYY-MM-DD",
    "must be in",
    "out of range",
    "too large for the type of its suffix",
    "at most 38 digits",
    "four hex digits",
    "unpaired surrogate",
    "already includes its database",
    "write FORMATTED",
    "Only views can be described here",
    "DATABASE is a Hive keyword",
    "FUNCTION is a Hive keyword",
    "found 'MATERIALIZED'",
    "Only statements about views",
    "found 'TABLE', expected VIEW",
    "expected TABLE or VIEW",
    # A partition column or property without a value.
    "expected '='",
)
"""What our errors say where Hive's parser may take the text; STRICTER has an example and the reason for each."""

BEYOND_HIVE = (
    AddDialect,
    AddTranslation,
    DropDialect,
    KeepDialect,
    ReplaceDialect,
    ReplaceTranslation,
    RollBackView,
    PublishView,
    ShowCreateView,
)


def disagreement(hive: HiveParser, sql: str) -> str | None:
    """What each of us makes of the text, if it is not the same and no difference that stays."""
    if has_semicolon(sql) or not is_text(sql) or is_deep(sql):
        return None
    theirs, ours = their_reading(hive, sql), our_reading(sql)
    if isinstance(ours, str):
        # What is wrong inside of a query is another judge's matter (sql/query.py).
        inside_query = ours.startswith("Cannot use this hive SQL")
        alike = theirs == "refused" or inside_query or any(problem in ours for problem in OUR_PROBLEMS)
    elif theirs == "refused":
        query = ours.query if isinstance(ours, (CreateView, AlterViewAs)) else None
        alike = is_beyond_hive(ours) or (query is not None and bool(hive.complaint(f"CREATE VIEW v AS {query}")))
    else:
        alike = theirs == ours
    return None if alike else f"{sql!r}\nours:   {ours}\ntheirs: {theirs}"


def is_beyond_hive(statement: ViewStatement) -> bool:
    """Whether Hive has no such statement, or not with texts in several dialects and types of columns."""
    if isinstance(statement, CreateView):
        has_types = any(column.type for column in statement.columns or ())
        return has_types or bool(statement.others or statement.translated) or statement.query.dialect != "hive"
    return isinstance(statement, BEYOND_HIVE)


def as_hive_keeps(statement: ViewStatement) -> ViewStatement:
    """With its query as Hive keeps it: from its first word on, and without what the lexer removes around words."""
    if not isinstance(statement, (CreateView, AlterViewAs)):
        return statement
    query, kept, position = statement.query, "", 0
    while (token := token_at(query, position)).kind != "end":
        text = token.text
        if token.kind == "quoted":
            text = text[1:-1].replace("``", "`")
        elif text.startswith("/*+"):
            text = text.removeprefix("/*+").removesuffix("*/")
        kept += (query[position : token.start] if kept else "") + text
        position = token.end
    return replace(statement, query=kept + query[position:])


def is_text(sql: str) -> bool:
    """Half of a surrogate pair reaches no Java."""
    return not any("\ud800" <= character <= "\udfff" for character in sql)


def is_deep(sql: str) -> bool:
    """Hive's parser takes twice as long with each bracket inside another: some 20 of them are for ever."""
    depth = deepest = 0
    for character in sql:
        depth = max(0, depth + (character == "(") - (character == ")"))
        deepest = max(deepest, depth)
    return deepest > 8


def has_semicolon(sql: str) -> bool:
    """Hive's parser takes one statement without a semicolon; its command line splits them."""
    position = 0
    with suppress(SQLSyntaxError):
        while (token := token_at(sql, position)).kind != "end":
            if token.keyword == ";":
                return True
            position = token.end
    return False


def their_reading(hive: HiveParser, sql: str) -> ViewStatement | str:
    try:
        return hive.statement(sql)
    except RefusedByHive:
        return "refused"
    except NotAboutViews:
        return "not about views"


def our_reading(sql: str) -> ViewStatement | str:
    try:
        return as_hive_keeps(parse_statement(sql))
    except SQLSyntaxError as error:
        return str(error)
