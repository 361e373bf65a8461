"""Brackets among sqlglot's tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot import Token, TokenType

OPENS = frozenset((TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE))
CLOSES = frozenset((TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE))


def same_level(tokens: Sequence[Token], start: int) -> Iterator[int]:
    """Indexes of the tokens from start on that no bracket opened since encloses, such brackets themselves included.

    They end before the bracket that closes the level.
    """
    depth = 0
    for index in range(start, len(tokens)):
        kind = tokens[index].token_type
        depth -= kind in CLOSES
        if depth < 0:
            return
        if depth == 0:
            yield index
        depth += kind in OPENS


def closing(tokens: Sequence[Token], opening: int) -> int:
    """Index of the bracket that closes the one at ``opening``."""
    return max(same_level(tokens, opening + 1), default=opening) + 1
