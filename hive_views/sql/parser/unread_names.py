"""Names of tables that sqlglot's tree does not have as such.

Trino and Spark take a table as the argument of a function, ``TABLE(db.t)``, and sqlglot reads a call of ``TABLE`` with
a column. Of Spark's ``(TABLE db.t)`` it makes an alias, and it does not know Spark's ``STREAM``. ``IDENTIFIER('db.t')``
(SPARK-41271) has a name that is computed.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import Token, TokenType

from hive_views.sql.parser.statement import Tokens

_OF_TRINO = ("trino", "presto", "athena")
_NAMES = (TokenType.VAR, TokenType.IDENTIFIER)
_START_QUERIES = (TokenType.SELECT, TokenType.WITH, TokenType.FROM, TokenType.VALUES, TokenType.TABLE)


def refuse_unread_names(tokens: Tokens) -> None:
    """Refuse a text that may name a table which ``tables`` does not find.

    Raises:
        SQLSyntaxError: it may name one.
    """
    for place, token in enumerate(tokens.all[:-1]):
        problem = _problem(tokens.all, place, tokens.dialect)
        if problem:
            raise tokens.error(problem, token.start)


def _problem(tokens: Sequence[Token], place: int, dialect: str) -> str | None:
    token, following = tokens[place], tokens[place + 1]
    before = tokens[place - 1].token_type if place else None
    if before == TokenType.DOT:
        return None
    is_called = following.token_type == TokenType.L_PAREN
    if token.token_type == TokenType.TABLE:
        # The tree has Trino's own without brackets; elsewhere it may be a column too.
        is_query = before == TokenType.L_PAREN and dialect not in _OF_TRINO and _is_word(following)
        if is_query or (is_called and _is_table_in_brackets(tokens, place + 2)):
            return "TABLE may be followed by the name of a table, which is not found there; write SELECT * FROM it."
    if token.token_type == TokenType.VAR and dialect not in _OF_TRINO:
        word = token.text.upper()
        if word == "IDENTIFIER" and is_called:
            return "IDENTIFIER may name a database; write the name itself."
        if word == "STREAM" and (is_called or following.token_type in _NAMES):
            return "STREAM may be followed by the name of a table, which is not found there; write the name alone."
    return None


def _is_word(token: Token) -> bool:
    """Whether it may be a name; some names are also keywords."""
    is_plain = token.text.isidentifier() and token.token_type not in (TokenType.STRING, TokenType.ALIAS)
    return token.token_type == TokenType.IDENTIFIER or is_plain


def _is_table_in_brackets(tokens: Sequence[Token], inside: int) -> bool:
    """Whether the brackets contain neither a query nor a function call."""
    kinds = [token.token_type for token in tokens[inside:]]
    if not kinds or kinds[0] in (*_START_QUERIES, TokenType.L_PAREN):
        return False
    end = 1
    while kinds[end : end + 1] == [TokenType.DOT]:
        end += 2
    return kinds[end : end + 1] != [TokenType.L_PAREN]
