"""Syntax of Hive that sqlglot's Hive parser does not know, replaced by tokens with the same meaning that it knows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sqlglot import Token, TokenType

from hive_views.sql.parser.brackets import closing, same_level

_UNIT_WORDS = ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND")
_UNITS = re.compile(rf"(?:{'|'.join(_UNIT_WORDS)})S?", re.IGNORECASE)
_CHARACTERS = re.compile(r"_[\w.:-]+\s+0x[0-9a-f]+", re.IGNORECASE)
_BYTES = re.compile(r"(\d+)[bkmg]", re.IGNORECASE)
_VALUES = {TokenType.STRING, TokenType.NUMBER}
_BEFORE_EXPRESSIONS = frozenset(
    [
        *("SELECT", "DISTINCT", "ALL", "WHERE", "ON", "HAVING", "AND", "OR", "NOT", "BETWEEN", "CASE", "WHEN", "THEN"),
        *("ELSE", "ORDER BY", "GROUP BY", "(", ",", "+", "-", "*", "/", "%", "=", "<", ">", "<=", ">=", "<>", "!="),
    ]
)
"""What precedes a bracket that does not enclose arguments."""

_KEEPING_LENGTHS = {TokenType.CHAR: TokenType.NCHAR, TokenType.VARCHAR: TokenType.NVARCHAR}
_TYPED = {"DATE", "TIMESTAMP", "TIMESTAMPLOCALTZ"}


def in_known_words(sql: str, tokens: Sequence[Token]) -> list[Token]:
    """The tokens of a Hive text as sqlglot's parser accepts them, each at the place of what it replaces."""
    text, found = sql.upper(), list(tokens)
    if "0X" in text:
        found = _characters(sql, tokens)
    # Each walks over all tokens, and few texts have one of the words.
    for words, replace in (
        (_UNIT_WORDS, _bare_intervals),
        (_UNIT_WORDS, _intervals),
        (("TABLESAMPLE",), _sampled_bytes),
        (("FIRST_VALUE", "LAST_VALUE"), _without_null_flags),
        (("CLUSTER",), _clustered_windows),
        (("TRUNC",), _truncated_numbers),
    ):
        if any(word in text for word in words):
            found = replace(found)
    return found


def with_signs(tokens: Sequence[Token]) -> list[Token]:
    """``+a`` as a call, ``positive(a)``: the parser drops the sign, so the column would be named ``a``."""
    found = list(tokens)
    for at in range(len(tokens) - 1, 0, -1):
        is_sign = tokens[at].token_type == TokenType.PLUS and (
            _word(tokens, at - 1) in _BEFORE_EXPRESSIONS or tokens[at - 1].token_type == TokenType.HINT
        )
        end = _end_of_column(tokens, at + 1) if is_sign else None
        if end is not None:
            sign, last = tokens[at], tokens[end]
            call = [_like(sign, TokenType.VAR, "positive"), _like(sign, TokenType.L_PAREN, "(")]
            found[at : end + 1] = [*call, *tokens[at + 1 : end + 1], _like(last, TokenType.R_PAREN, ")")]
    return found


def with_lengths(tokens: Sequence[Token]) -> list[Token]:
    """``CHAR(n)`` and ``VARCHAR(n)`` of casts as NCHAR and NVARCHAR, of which the parser keeps the lengths.

    It makes the others STRING.
    """
    found = list(tokens)
    for at in _types_of_casts(tokens):
        kind = _KEEPING_LENGTHS.get(tokens[at].token_type)
        if kind and at + 1 < len(tokens) and tokens[at + 1].token_type == TokenType.L_PAREN:
            found[at] = _like(tokens[at], kind, tokens[at].text)
    return found


def _types_of_casts(tokens: Sequence[Token]) -> Iterator[int]:
    """The places of the words of the types after AS and ``::``; Spark's ``char(65)`` elsewhere is a function."""
    for start, token in enumerate(tokens):
        at, depth = start + 1, 0
        while token.token_type in (TokenType.ALIAS, TokenType.DCOLON) and at < len(tokens):
            depth += tokens[at].text.count("<") - tokens[at].text.count(">")
            yield at
            at += 1
            if depth <= 0 and (at >= len(tokens) or tokens[at].token_type != TokenType.LT):
                break


def _end_of_column(tokens: Sequence[Token], at: int) -> int | None:
    """The last token of the column that starts there, in brackets or not; None if it is something else."""
    brackets = 0
    while at < len(tokens) and tokens[at].token_type == TokenType.L_PAREN:
        at, brackets = at + 1, brackets + 1
    while _is_name(tokens, at) and at + 2 < len(tokens) and tokens[at + 1].token_type == TokenType.DOT:
        at += 2
    closed = [token.token_type for token in tokens[at + 1 : at + 1 + brackets]]
    end = at + brackets
    if not _is_name(tokens, at) or closed != [TokenType.R_PAREN] * brackets:
        return None
    behind = tokens[end + 1].token_type if end + 1 < len(tokens) else None
    return None if behind in (TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.DOT) else end


def _is_name(tokens: Sequence[Token], at: int) -> bool:
    return at < len(tokens) and tokens[at].token_type in (TokenType.VAR, TokenType.IDENTIFIER)


def _like(token: Token, kind: TokenType, text: str, end: int | None = None) -> Token:
    return Token(kind, text, token.line, token.col, token.start, token.end if end is None else end)


def _word(tokens: Sequence[Token], at: int) -> str:
    """The word there, in upper case; empty for a quoted name or a literal."""
    inside = 0 <= at < len(tokens)
    quoted = inside and tokens[at].token_type in (TokenType.STRING, TokenType.IDENTIFIER)
    return tokens[at].text.upper() if inside and not quoted else ""


def _characters(sql: str, tokens: Sequence[Token]) -> list[Token]:
    """``_UTF-8 0x4142`` is a string."""
    found: list[Token] = []
    behind = 0
    for token in tokens:
        literal = _CHARACTERS.match(sql, token.start)
        if token.start >= behind:
            found.append(_like(token, TokenType.STRING, "", literal.end() - 1) if literal else token)
            behind = literal.end() if literal else behind
    return found


def _bare_intervals(tokens: list[Token]) -> list[Token]:
    """``(1) day`` is ``1 day``, unless the brackets are those of a function."""
    dropped: set[int] = set()
    for at in range(len(tokens) - 3):
        is_value = tokens[at + 1].token_type in _VALUES and tokens[at + 2].token_type == TokenType.R_PAREN
        is_interval = is_value and _UNITS.fullmatch(_word(tokens, at + 3)) is not None
        if is_interval and tokens[at].token_type == TokenType.L_PAREN and _word(tokens, at - 1) in _BEFORE_EXPRESSIONS:
            dropped |= {at, at + 2}
    return [token for at, token in enumerate(tokens) if at not in dropped]


def _intervals(tokens: list[Token]) -> list[Token]:
    """``1 day`` and ``'1' day to second`` are intervals without the word; to sqlglot, ``day`` would be an alias."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        is_value = tokens[at].token_type in _VALUES and _UNITS.fullmatch(_word(tokens, at + 1))
        if is_value and _word(tokens, at - 1) not in _TYPED:
            if _word(tokens, at - 1) != "INTERVAL":
                found.append(_like(tokens[at], TokenType.INTERVAL, "INTERVAL"))
            found += tokens[at : at + 2]
            at += 2
            at += 2 if _word(tokens, at) == "TO" and _UNITS.fullmatch(_word(tokens, at + 1)) else 0
        else:
            found.append(tokens[at])
            at += 1
    return found


def _sampled_bytes(tokens: list[Token]) -> list[Token]:
    """``TABLESAMPLE (1K)`` is a sample of rows to sqlglot."""
    found: list[Token] = []
    for at, token in enumerate(tokens):
        size = _BYTES.fullmatch(token.text) if _word(tokens, at - 2) == "TABLESAMPLE" else None
        if size is None:
            found.append(token)
        else:
            found += [_like(token, TokenType.NUMBER, size[1]), _like(token, TokenType.ROWS, "ROWS")]
    return found


def _without_null_flags(tokens: list[Token]) -> list[Token]:
    """``last_value(x, false)`` is ``last_value(x)``; of ``true``, the parser makes IGNORE NULLS."""
    dropped: set[int] = set()
    for _call, end in _calls(tokens, "FIRST_VALUE", "LAST_VALUE"):
        if _word(tokens, end - 1) == "FALSE" and tokens[end - 2].token_type == TokenType.COMMA:
            dropped |= {end - 1, end - 2}
    return [token for at, token in enumerate(tokens) if at not in dropped]


def _clustered_windows(tokens: list[Token]) -> list[Token]:
    """``OVER (CLUSTER BY x)`` partitions and sorts by x."""
    return [
        _like(token, TokenType.PARTITION_BY, "PARTITION BY")
        if token.token_type == TokenType.CLUSTER_BY and _word(tokens, at - 2) in ("OVER", "AS")
        else token
        for at, token in enumerate(tokens)
    ]


def _truncated_numbers(tokens: list[Token]) -> list[Token]:
    """``trunc(n)``, which sqlglot only knows with the unit of a date."""
    found = list(tokens)
    for call, end in _calls(tokens, "TRUNC"):
        if all(tokens[at].token_type != TokenType.COMMA for at in same_level(tokens, call + 2)) and end > call + 2:
            found[call] = _like(tokens[call], TokenType.VAR, "trunc_number")
    return found


def _calls(tokens: Sequence[Token], *names: str) -> Iterator[tuple[int, int]]:
    """The places of calls of these functions, and of the brackets that close their arguments."""
    for at in range(len(tokens) - 1):
        if _word(tokens, at) in names and tokens[at + 1].token_type == TokenType.L_PAREN:
            yield at, closing(tokens, at + 1)
