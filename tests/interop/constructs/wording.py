"""Whether two texts of different dialects say one thing in the same words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from sqlglot import TokenType
from sqlglot.dialects.dialect import Dialect

Word = tuple[str, str]
_OPENING, _CLOSING = {"(", "["}, {")", "]"}


def outputs(text: str, dialect: str) -> list[list[Word]]:
    """The words of each output of the first SELECT of a query, without qualifiers, AS, and the kind of quotes."""
    words = _words(text, dialect)
    found: list[list[Word]] = []
    depth, is_inside = 0, False
    for kind, word in words:
        if kind == "" and depth == 0:
            if word == "select" and not found:
                is_inside = True
                found.append([])
                continue
            if is_inside and word in ("from", "union", "where", "order", "limit"):
                break
            if is_inside and word == ",":
                found.append([])
                continue
            if is_inside and word == "distinct" and found == [[]]:
                continue
        depth += (word in _OPENING) - (word in _CLOSING) if kind == "" else 0
        if is_inside:
            found[-1].append((kind, word))
    return found


def same_wording(written: Sequence[Word], made: Sequence[Word]) -> bool:
    """Whether an output is the same, which has an alias in ``made`` at least."""
    return list(written) == list(made) or list(written) == list(made)[:-1]


def _words(text: str, dialect: str) -> list[Word]:
    found: list[Word] = []
    tokens = [one for one in _tokenizer(dialect).tokenize(text) if one.token_type is not TokenType.ALIAS]
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        is_qualifier = following is not None and following.token_type is TokenType.DOT
        if is_qualifier or token.token_type is TokenType.DOT:
            continue
        is_text = token.token_type in (TokenType.STRING, TokenType.RAW_STRING, TokenType.HEX_STRING)
        found.append(("text", token.text) if is_text else ("", token.text.lower()))
    return found


@cache
def _tokenizer(dialect: str) -> Any:
    return Dialect.get_or_raise(dialect)
