"""A text as sqlglot's tokens and tree, or the reason why it cannot be a view."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from sqlglot import Dialect, ParseError, Token, TokenError, TokenType, exp

from hive_views.errors import SQLSyntaxError
from hive_views.sql.dialects import PARSED_DIALECTS, ROW_DIALECTS
from hive_views.sql.outline import Lexis
from hive_views.sql.parser.brackets import CLOSES, OPENS, closing, same_level
from hive_views.sql.parser.hive_tokens import in_known_words, with_lengths, with_signs
from hive_views.sql.parser.written_calls import with_marks, without_marks
from hive_views.sql.syntax_errors import SourceText, syntax_error

MAX_TEXT = 1_000_000
"""Characters of the longest text that is read."""

MAX_DEPTH = 200
"""Levels of brackets in the most nested text that is read."""

_STARTS = {TokenType.SELECT, TokenType.WITH, TokenType.FROM}
_VARIABLES = {TokenType.PARAMETER, TokenType.L_BRACE, TokenType.BLOCK_START}
_DIALECTS_WITHOUT_VARIABLES = {"hive", "spark", "trino"}
_TAKE_TRAILING_COMMAS = {"bigquery", "clickhouse", "duckdb", "snowflake"}
_AFTER_LISTS = {
    TokenType.R_PAREN,
    TokenType.FROM,
    TokenType.WHERE,
    TokenType.GROUP_BY,
    TokenType.HAVING,
    TokenType.ORDER_BY,
    TokenType.UNION,
}
_NUMBER_AND_WORD = re.compile(r"\d+(?:\.|[eE][+-])")
_NO_VARIABLES = "the SQL of a view cannot have variables, parameters or templates; write the value"
_NOT_A_VIEW: dict[type[Any], str] = {
    exp.Command: "only a query can be a view",
    exp.DDL: "only a query can be a view",
    exp.DML: "only a query can be a view",
    exp.QueryTransform: "SELECT TRANSFORM runs a script, which a view cannot do",
    exp.Into: "SELECT INTO writes a table; a view only reads",
    exp.Lock: "FOR UPDATE locks rows; a view only reads",
    exp.Placeholder: _NO_VARIABLES,
}
_SUSPECTS = (*_NOT_A_VIEW, exp.Select)


@dataclass(frozen=True)
class Tokens(SourceText):
    """The tokens of a text, including semicolons, with their offsets in it."""

    all: Sequence[Token]


@dataclass(frozen=True)
class Statement(SourceText):
    """One query: the text up to its last token, its tree, its tokens.

    Brackets around the whole query are left out; ``brackets`` are the offsets of the opening ones. ``body`` is the
    index of the first token after these brackets and the WITH clause, ``select`` that of the first branch's SELECT.
    """

    tree: exp.Query
    tokens: Sequence[Token]
    brackets: tuple[int, ...]
    body: int
    select: int


def read_statement(source: Tokens) -> Statement:
    """Parse a text; semicolons and comments after the query are left out.

    Raises:
        SQLSyntaxError: the text is not exactly one query that only reads.
    """
    tokens = _without_semicolons(source)
    _check_tokens(source, tokens)
    tree = _tree(source, _known(source, tokens))
    if not isinstance(tree, exp.Query):
        raise source.error("only a query can be a view.", tokens[0].start, expected="SELECT")
    for node in tree.walk():
        if isinstance(node, _SUSPECTS):
            _check_node(source, node)
    inside, brackets, body = _without_brackets(tokens)
    select = _find_select(source, inside, body)
    return Statement(source.text[: inside[-1].end + 1], source.dialect, tree, inside, brackets, body, select)


def tree_of_written_calls(source: Tokens, names: Collection[str], starts: Collection[int] = ()) -> exp.Expr:
    """The tree of a text that ``read_statement`` reads, in which some calls of functions are as they are written.

    They are ``exp.Anonymous``; in the other tree they are nodes that stand for several functions, whose arguments are
    not in the order of the text.

    Args:
        source: the tokens.
        names: those of functions whose calls are meant, in lower case.
        starts: where further such calls start.

    Raises:
        SQLSyntaxError: it cannot be read in this way.
    """
    tree = _tree(source, with_marks(_known(source, _without_semicolons(source)), names, starts))
    assert tree is not None
    return without_marks(tree)


def _without_semicolons(source: Tokens) -> list[Token]:
    tokens = [*source.all]
    while tokens and tokens[-1].token_type == TokenType.SEMICOLON:
        tokens.pop()
    return tokens


def _known(source: Tokens, tokens: list[Token]) -> list[Token]:
    """The tokens as sqlglot's parser knows them."""
    known = in_known_words(source.text, tokens) if source.dialect == "hive" else tokens
    return with_signs(with_lengths(known) if source.dialect in ROW_DIALECTS else known)


def tokenize(sql: str, dialect: str) -> Tokens:
    """Split a text into tokens.

    Raises:
        SQLSyntaxError: the text is too long, or a literal, name or comment in it is not closed.
    """
    if len(sql) > MAX_TEXT:
        raise syntax_error(sql, dialect, f"it has {len(sql):,} characters; the limit is {MAX_TEXT:,}.")
    try:
        return Tokens(sql, dialect, Dialect.get_or_raise(dialect).tokenize(sql))
    except TokenError as error:
        # What it was raised for names the missing quote, the line, and the offset of the one that is open; of a
        # comment, nothing. The compiled tokenizer sets no cause.
        quote = re.fullmatch(r"Missing (.+) from \d+:(\d+)", str(error.__context__))
        if quote:
            problem = f"the {quote[1]} that opens here is not closed."
            raise syntax_error(sql, dialect, problem, int(quote[2]), expected=quote[1]) from error
        raise syntax_error(sql, dialect, "a comment or hint in it is not closed.", expected="*/") from error


def lexis(dialect: str) -> Lexis:
    """The literals and comments of a dialect; of a dialect without a parser, those of the SQL standard."""
    if dialect not in PARSED_DIALECTS:
        return Lexis()
    rules = Dialect.get_or_raise(dialect).tokenizer_class
    # Oracle's q'[...]' is not r'...'; only a few dialects have raw strings, and Hive is not among them.
    raw_strings = any("r'" in opening for opening in rules.RAW_STRINGS)
    return Lexis("\\" in rules.STRING_ESCAPES, raw_strings, rules.NESTED_COMMENTS)


def _check_tokens(source: Tokens, tokens: Sequence[Token]) -> None:
    start = next((token for token in tokens if token.token_type != TokenType.L_PAREN), None)
    if start is None:
        raise source.error("it is empty; expected a SELECT.", expected="SELECT")
    # Hive's parser accepts a query that starts with FROM, but not in CREATE VIEW.
    if start.token_type not in _STARTS or (start.token_type == TokenType.FROM and source.dialect == "hive"):
        raise source.error(f"found {start.text!r}, expected SELECT.", start.start, expected="SELECT")
    if source.dialect not in _TAKE_TRAILING_COMMAS:
        for token, following in zip_longest(tokens, tokens[1:]):
            if token.token_type == TokenType.COMMA and (following is None or following.token_type in _AFTER_LISTS):
                raise source.error("nothing follows this comma.", token.start, expected="a column")
    depth = 0
    for token in tokens:
        if source.dialect in ROW_DIALECTS and token.token_type == TokenType.VAR and _NUMBER_AND_WORD.match(token.text):
            problem = (
                f"{token.text!r} is a number followed by a word; put a space between them, or write it in backticks if "
                f"it is a name."
            )
            raise source.error(problem, token.start)
        depth += (token.token_type in OPENS) - (token.token_type in CLOSES)
        if depth > MAX_DEPTH:
            raise source.error(f"it is nested deeper than {MAX_DEPTH} levels.", token.start)
        if token.token_type == TokenType.SEMICOLON:
            raise source.error("found ';', expected exactly one query.", token.start)
        if token.token_type in _VARIABLES and source.dialect in _DIALECTS_WITHOUT_VARIABLES:
            raise source.error(f"found {token.text!r}; {_NO_VARIABLES}.", token.start)
        if token.token_type == TokenType.PIPE_GT:
            raise source.error("found '|>', which only Spark 4 can read; write a SELECT.", token.start)


def _tree(source: Tokens, tokens: list[Token]) -> exp.Expr | None:
    try:
        return Dialect.get_or_raise(source.dialect).parser().parse(tokens, source.text)[0]
    except ParseError as error:
        raise _reworded(source, tokens, error) from error
    except RecursionError as error:
        raise source.error("it is nested too deeply to be parsed.") from error
    except Exception as error:
        # On odd input sqlglot fails with IndexError, AssertionError and others that are not its own.
        raise source.error(f"it cannot be parsed ({type(error).__name__}: {error}).") from error


def _reworded(source: Tokens, tokens: Sequence[Token], error: ParseError) -> SQLSyntaxError:
    fact = error.errors[0] if error.errors else {}
    place = (fact.get("line"), fact.get("col"))
    at = next((token for token in tokens if (token.line, token.col) == place), None)
    if at is None:
        return source.error("it is not a query.")
    found = source.text[at.start : at.end + 1]
    missing = re.fullmatch(r"Expecting (\S+)", str(fact.get("description")))
    if missing:
        return source.error(f"expected {missing[1]!r} near {found!r}.", at.start, expected=missing[1])
    if at is tokens[-1]:
        return source.error(f"{found!r} is not allowed here, or something is missing after it.", at.start)
    return source.error(f"{found!r} is not allowed here.", at.start)


def _check_node(source: Tokens, node: exp.Expr) -> None:
    for kind, problem in _NOT_A_VIEW.items():
        if isinstance(node, kind):
            raise source.error(f"{problem}.")
    if isinstance(node, exp.Select) and not node.expressions:
        raise source.error("a SELECT in it has no columns.", expected="a column")


def _without_brackets(tokens: Sequence[Token]) -> tuple[Sequence[Token], tuple[int, ...], int]:
    """The tokens without the closing brackets around the whole query; see Statement for the rest."""
    brackets: list[int] = []
    body, end, after_with = 0, len(tokens), False
    while True:
        kind = tokens[body].token_type
        if kind == TokenType.WITH and not after_with:
            body, after_with = _after_with(tokens, body), True
            continue
        # A second WITH clause needs the bracket between itself and the first.
        separates = after_with and tokens[body + 1].token_type == TokenType.WITH
        if kind != TokenType.L_PAREN or separates or closing(tokens, body) != end - 1:
            return tokens[:end], tuple(brackets), body
        brackets.append(tokens[body].start)
        body, end = body + 1, end - 1


def _find_select(source: Tokens, tokens: Sequence[Token], at: int) -> int:
    while at < len(tokens) and tokens[at].token_type in {TokenType.L_PAREN, TokenType.WITH}:
        at = at + 1 if tokens[at].token_type == TokenType.L_PAREN else _after_with(tokens, at)
    if at < len(tokens) and tokens[at].token_type == TokenType.FROM:
        at = next((index for index in same_level(tokens, at) if tokens[index].token_type == TokenType.SELECT), at)
    found = tokens[min(at, len(tokens) - 1)]
    if found.token_type != TokenType.SELECT:
        raise source.error(f"found {found.text!r}, expected SELECT.", found.start, expected="SELECT")
    return at


def _after_with(tokens: Sequence[Token], at: int) -> int:
    """Index of the first token after the WITH clause that starts there, whose last bracket no AS or comma follows."""
    ends = (index + 1 for index in same_level(tokens, at) if tokens[index].token_type == TokenType.R_PAREN)
    goes_on = {TokenType.ALIAS, TokenType.COMMA}
    return next((end for end in ends if end == len(tokens) or tokens[end].token_type not in goes_on), len(tokens))
