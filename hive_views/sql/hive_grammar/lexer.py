"""The tokens of a statement, as Hive's lexer makes them (HiveLexer.g of 2.3.10).

sqlglot's tokens cannot be used here: SHOW swallows the rest of its statement, semicolons in strings included, as one
string; ``ADD FILE`` and ``ORDER BY`` are one token; ``10L`` is three with the same offset.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

from hive_views.errors import SQLSyntaxError
from hive_views.sql.outline import Lexis
from hive_views.sql.syntax_errors import statement_error

Kind: TypeAlias = Literal["word", "quoted", "string", "number", "symbol", "other", "end"]


class Token(NamedTuple):
    """One token; ``end`` is exclusive. ``keyword`` is a word in upper case, a symbol as written, else empty."""

    kind: Kind
    text: str
    start: int
    end: int
    keyword: str = ""


_BLANKS = r"(?:[ \t\r\n]+|--[^\r\n]*)*"
# Adjacent literals are one literal; a backslash escapes the next character.
_STRINGS = r"""(?:'[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*")"""
_TOKEN = re.compile(
    rf"""{_BLANKS}(?:
        (?P<number>\d+\.\d*(?:e[+-]?\d+)?(?:b?d)? | \d+e[+-]\d+(?:b?d)?
            | (?:\d+(?:e\d+)?(?:b?d)? | \d+[lsybkmg] | 0x[0-9a-f]+)(?![a-z0-9_]))
      | (?P<word>[a-z0-9][a-z0-9_]* | \$(?:key|value|elem)\$)
      | (?P<symbol><=>|==|<>|!=|<=|>=|[=<>!(),.;])
      | (?P<string>{_STRINGS}+)
      | (?P<quoted>`[^`]*(?:``[^`]*)*`)
      | (?P<comment>/\*(?!\+))
      | (?P<hint>/\*\+.*?\*/)
      | (?P<unclosed>['"`]|/\*)
      | (?P<end>\Z)
      | (?P<other>_[a-z0-9_.:-]+ | [^\x00-\x7f]+ | .)
    )""",
    # Only ASCII letters and digits are Hive's, and only these fold.
    re.VERBOSE | re.DOTALL | re.IGNORECASE | re.ASCII,
)
_COMMENT_END = re.compile(r"/\*|\*/")


def token_at(sql: str, position: int) -> Token:
    """The first token from this offset on; at the end of the text, always one of kind ``end``.

    Raises:
        SQLSyntaxError: a literal, name, comment or hint is not closed.
    """
    while True:
        match = _TOKEN.match(sql, position)
        assert match is not None  # "other" takes any character, "end" where there is none
        kind = match.lastgroup
        start, position = match.start(kind or 0), match.end()
        if kind == "comment":
            position = _after_comment(sql, position)
        elif kind in ("word", "symbol"):
            text = match[kind]
            return Token(kind, text, start, position, text.upper())  # type: ignore[arg-type] # narrowed above
        elif kind == "unclosed":
            raise _unclosed(sql, start, match[kind])
        else:
            kind = "other" if kind == "hint" else kind
            return Token(kind, sql[start:position], start, position)  # type: ignore[arg-type] # group names are kinds


class Extent(NamedTuple):
    """The place of a query, with the comments before it and without those after it; ``stop`` is its semicolon.

    ``start`` and ``end`` are equal if there is no query.
    """

    start: int
    end: int
    stop: int


_BRACKETS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
_PIECE_START = r"(?P<blank>\s+|--[^\r\n]*)|(?P<comment>/\*(?!\+))|(?P<semicolon>;)|(?P<hint>/\*\+.*?\*/)|"
_UNCLOSED = r"""(?P<unclosed>['"`]|/\*\+)"""
# Word by word: r'...' begins none inside of a word, and a text may end before one.
_TEXT = r"(?P<text>\w+|.)"
_STANDARD = re.compile(rf"""{_PIECE_START}(?P<quoted>'[^']*'|"[^"]*"|`[^`]*`)|{_UNCLOSED}|{_TEXT}""", re.DOTALL)
_ESCAPING = re.compile(rf"{_PIECE_START}(?P<quoted>{_STRINGS}|`[^`]*`)|{_UNCLOSED}|{_TEXT}", re.DOTALL)
_ESCAPING_BUT_RAW = re.compile(
    rf"""{_PIECE_START}(?P<quoted>[rR](?:'[^']*'|"[^"]*")|{_STRINGS}|`[^`]*`)|{_UNCLOSED}|{_TEXT}""", re.DOTALL
)


def extent_of_query(sql: str, position: int, lexis: Lexis, ends_at: Callable[[str, int], bool] | None = None) -> Extent:
    """The query that starts at this offset and ends at a semicolon outside literals and comments, or with the text.

    With ``ends_at``, it ends before a word DIALECT outside of brackets as well, if that says so of the offset.

    Raises:
        SQLSyntaxError: a literal, name or comment is not closed.
    """
    pieces = _STANDARD
    if lexis.escapes:
        pieces = _ESCAPING_BUT_RAW if lexis.raw_strings else _ESCAPING
    start = end = -1
    depth = 0
    while match := pieces.match(sql, position):
        kind = match.lastgroup
        if kind == "semicolon":
            break
        if kind == "unclosed":
            raise _unclosed(sql, position, match[0])
        if ends_at and kind == "text":
            depth = max(0, depth + _BRACKETS.get(match[0], 0))
            if not depth and match[0].upper() == "DIALECT" and ends_at(sql, position):
                break
        if start < 0 and not match[0].isspace():
            start = position
        position = match.end()
        if kind == "comment":
            position = _after_comment(sql, position, nested=lexis.nested_comments)
        elif kind != "blank":
            end = position
    return Extent(start, end, position) if end >= 0 else Extent(position, position, position)


def _after_comment(sql: str, inside: int, *, nested: bool = True) -> int:
    """The offset after the comment; in Hive and Spark, comments nest."""
    depth, position = 1, inside
    while depth:
        mark = _COMMENT_END.search(sql, position)
        if mark is None:
            raise _unclosed(sql, inside - 2, "/*")
        depth += (1 if nested else 0) if mark[0] == "/*" else -1
        position = mark.end()
    return position


def _unclosed(sql: str, start: int, opening: str) -> SQLSyntaxError:
    closing = "*/" if opening.startswith("/*") else opening
    return statement_error(sql, start, f"the {opening} that opens here is not closed.", found=opening, expected=closing)
