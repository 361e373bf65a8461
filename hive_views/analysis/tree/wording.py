"""Whether two texts in one dialect are the same query in other words: spaces, comments, case, quotes of names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest

from sqlglot import TokenType, exp

from hive_views.sql.parser.statement import Statement
from hive_views.sql.query import QueryText

IGNORE_CASE = frozenset(("athena", "databricks", "hive", "presto", "spark", "spark2", "trino"))
"""Dialects that find keywords, functions, and names with or without quotes, in any case."""

_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# Without quotes, these are functions.
_WITHOUT_BRACKETS = re.compile(r"(current|local|session|system|sys|utc)_?[a-z_]*|user|now", re.IGNORECASE)


def is_same_wording(one: QueryText, other: QueryText) -> bool:
    """Whether two queries in one dialect have the same tokens, apart from case and quotes of names.

    Between tokens are spaces and comments. The case of names has to be the same: the fields of a struct have it. In
    dialects where case or a comment may mean something, only equal texts are the same.

    Raises:
        SQLSyntaxError: a text is not one query.
    """
    if one.dialect != other.dialect or one.dialect not in IGNORE_CASE:
        return one.dialect == other.dialect and str(one) == str(other)
    found, wanted = one.statement, other.statement
    # A keyword may be a name, whose case the tree keeps.
    return [*_tokens(found)] == [*_tokens(wanted)] and [*_names(found)] == [*_names(wanted)]


def _tokens(statement: Statement) -> Iterator[tuple[str, str]]:
    """As written, since what sqlglot makes of the escapes in a literal is not what each engine does."""
    for token, following in zip_longest(statement.tokens, statement.tokens[1:]):
        written = statement.text[token.start : token.end + 1]
        name = written[1:-1] if token.token_type == TokenType.IDENTIFIER else written
        is_name = token.token_type in (TokenType.IDENTIFIER, TokenType.VAR) and _PLAIN_NAME.fullmatch(name)
        is_function = following is not None and following.token_type == TokenType.L_PAREN
        if is_name and not is_function and not _WITHOUT_BRACKETS.fullmatch(name):
            yield "name", name
        elif any(quote in written for quote in "'\"`"):
            yield "as written", written
        else:
            yield "word", " ".join(written.upper().split())


def _names(statement: Statement) -> Iterator[str]:
    return (str(name.this) for name in statement.tree.find_all(exp.Identifier))
