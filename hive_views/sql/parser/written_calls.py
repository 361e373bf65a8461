"""Calls of functions as they are written: sqlglot has one node for several functions, and does not keep the order of
their arguments.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from sqlglot import Token, TokenType, exp

from hive_views.sql.parser.brackets import same_level

_MARK = "\u200b"
"""In front of its name, no function is one that sqlglot knows."""

_WORDS = frozenset(["FROM", "FOR", "IN", "PLACING", "TO", "USING"])
"""Words between arguments, which only the parser of that function reads."""


def with_marks(tokens: Sequence[Token], names: Collection[str], starts: Collection[int]) -> list[Token]:
    """The tokens, of which the parser makes ``exp.Anonymous`` of calls of the functions with these names, or there."""
    found = list(tokens)
    for at in range(len(tokens) - 1):
        token = tokens[at]
        is_call = tokens[at + 1].token_type == TokenType.L_PAREN and token.token_type != TokenType.STRING
        is_meant = token.text.lower() in names or token.start in starts
        if is_call and is_meant and not _has_words(tokens, at + 2) and not _is_type(tokens, at):
            kind = TokenType.VAR if token.token_type != TokenType.IDENTIFIER else token.token_type
            found[at] = Token(kind, _MARK + token.text, token.line, token.col, token.start, token.end)
    return found


def without_marks(tree: exp.Expr) -> exp.Expr:
    """The tree that was made of such tokens, with the names as written."""
    for node in tree.find_all(exp.Anonymous, exp.Identifier, exp.Var):
        name = node.this
        if isinstance(name, str) and name.startswith(_MARK):
            node.set("this", name.removeprefix(_MARK))
    return tree


def _is_type(tokens: Sequence[Token], at: int) -> bool:
    """Whether a word in front of a bracket is a type with its sizes, as ``decimal(5, 2)`` is."""
    sizes = [tokens[inside].token_type for inside in _inside(tokens, at + 2)]
    if not at or sizes not in ([TokenType.NUMBER], [TokenType.NUMBER, TokenType.COMMA, TokenType.NUMBER]):
        return False
    before = tokens[at - 1].token_type
    if before in (TokenType.ALIAS, TokenType.DCOLON, TokenType.COLON):
        return True
    behind = at + 3 + len(sizes)
    is_inside = behind < len(tokens) and tokens[behind].text[:1] in (">", ",")
    return is_inside and (before == TokenType.LT or (before == TokenType.COMMA and tokens[behind].text[:1] == ">"))


def _has_words(tokens: Sequence[Token], at: int) -> bool:
    return any(tokens[inside].text.upper() in _WORDS for inside in _inside(tokens, at))


def _inside(tokens: Sequence[Token], at: int) -> Iterator[int]:
    if at < len(tokens):
        yield from same_level(tokens, at)
