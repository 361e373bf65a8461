"""A text as the tokens of Hive's lexer, and the cursor over them that all rules of its grammar share."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from hive_views.sql.hive_grammar.lexer import Token, token_at
from hive_views.sql.hive_grammar.reserved import RESERVED, RESERVED_LATER
from hive_views.sql.text_edits import Edit, edited

NO_NAMES = RESERVED | RESERVED_LATER
_KINDS_OF_JOINS = frozenset(("ANTI", "NATURAL", "SEMI"))
_CONTINUED_COMMENT = re.compile(r"--[^\r\n]*\\(?=\n)")
_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_]*")
PLAIN_NUMBER = frozenset("0123456789.eE+-")
"""Characters of a number without a suffix."""


def is_plain_name(name: str) -> bool:
    """Whether the name needs no backticks in Hive, nor in Spark."""
    return _PLAIN_NAME.fullmatch(name) is not None and name.upper() not in NO_NAMES | _KINDS_OF_JOINS


class NotHiveError(Exception):
    """The text is not in Hive's grammar; users get a SQLSyntaxError with the place instead."""

    def __init__(self, offset: int, problem: str, expected: str | None = None) -> None:
        super().__init__(problem)
        self.offset = offset
        self.problem = problem
        self.expected = expected


class Unread(NamedTuple):
    """What an engine, named by its dialect, cannot read, and its offset."""

    engine: str
    offset: int
    problem: str


@dataclass
class Edits:
    """What is inserted before and after parts of a text, and replaces others; inner parts are added before outer ones.

    ``unread`` is what a parser accepts, but an engine cannot read.
    """

    before: dict[int, str] = field(default_factory=dict)
    after: dict[int, str] = field(default_factory=dict)
    replaced: dict[tuple[int, int], str] = field(default_factory=dict)
    unread: list[Unread] = field(default_factory=list)

    def enclose(self, start: int, end: int, opening: str = "(", closing: str = ")") -> None:
        self.before[start] = opening + self.before.get(start, "")
        self.after[end] = self.after.get(end, "") + closing

    def replace(self, start: int, end: int, text: str) -> None:
        self.replaced[start, end] = text

    def unread_by_spark(self, start: int, what: str) -> None:
        self.unread.append(Unread("spark", start, f"Spark cannot read {what}, which only Hive has."))

    def unread_by_hive(self, start: int, problem: str) -> None:
        self.unread.append(Unread("hive", start, problem))

    def applied_to(self, sql: str) -> str:
        after = (Edit(at, at, text) for at, text in self.after.items())
        before = (Edit(at, at, text) for at, text in self.before.items())
        replaced = (Edit(start, end, text) for (start, end), text in self.replaced.items())
        return edited(sql, [*after, *before, *replaced])


class Words:
    """A position in the tokens of a text."""

    def __init__(self, sql: str) -> None:
        self.edits = Edits()
        self._sql = sql
        self._tokens = _tokens(sql, self.edits)
        self._closing = _brackets(self._tokens)
        self._at = 0
        self.word = self._tokens[0].keyword
        """The keyword or sign here, in upper case; empty for names in backticks, literals and the end."""

    @property
    def kind(self) -> str:
        return self._tokens[self._at].kind

    @property
    def text(self) -> str:
        return self._tokens[self._at].text

    @property
    def start(self) -> int:
        return self._tokens[self._at].start

    @property
    def end_before(self) -> int:
        """Where the token before this one ends."""
        return self._tokens[self._at - 1].end

    def after(self, distance: int) -> Token:
        index = self._at + distance
        return self._tokens[index if index < len(self._tokens) else -1]

    def word_after(self, distance: int) -> str:
        return self.after(distance).keyword

    def word_after_bracket(self, distance: int) -> str:
        """The keyword after the bracket that closes the one at this distance; empty if none does."""
        closing = self._closing.get(self._at + distance)
        return "" if closing is None else self._tokens[closing + 1].keyword

    def words_inside(self, distance: int) -> set[str]:
        """The keywords inside the bracket at this distance, without those in nested brackets."""
        found, index = set(), self._at + distance + 1
        while index < self._closing.get(self._at + distance, index):
            found.add(self._tokens[index].keyword)
            index = self._closing.get(index, index) + 1
        return found

    def advance(self, count: int = 1) -> None:
        self._at = min(self._at + count, len(self._tokens) - 1)
        self.word = self._tokens[self._at].keyword

    def accept(self, word: str) -> bool:
        if self.word != word:
            return False
        self.advance()
        return True

    def accept_any(self, *words: str) -> None:
        if self.word in words:
            self.advance()

    def expect(self, *words: str) -> None:
        """One of these words."""
        if self.word not in words:
            raise self.unexpected(expected=words[0])
        self.advance()

    def separated(self, rule: Callable[[], object]) -> None:
        """What the rule reads, one or more times, separated by commas."""
        rule()
        while self.accept(","):
            rule()

    def drop_bracket(self, opened_at: int | None = None) -> None:
        """Remove the bracket before this token, or the one at the given offset."""
        at = self.end_before - 1 if opened_at is None else opened_at
        between = self._sql[at - 1 : at], self._sql[at + 1 : at + 2]
        self.edits.replace(at, at + 1, "" if any(one.isspace() or one in ("", ")", ",") for one in between) else " ")

    def is_name(self, distance: int = 0) -> bool:
        token = self.after(distance)
        return (token.kind == "quoted" and len(token.text) > 2) or (
            token.kind == "word" and token.keyword not in NO_NAMES
        )

    def name(self) -> None:
        if not self.is_name():
            raise self.unexpected(expected="a name")
        self.advance()

    def is_by(self, word: str) -> bool:
        return self.word == word and self.word_after(1) == "BY"

    def is_alias(self) -> bool:
        """Whether this is a name, and not the start of the next clause, whose keywords Hive also allows as names."""
        if self.word in ("SORT", "CLUSTER", "DISTRIBUTE") and self.word_after(1) == "BY":
            return False
        if self.word == "LIMIT" and self.after(1).kind == "number":
            return False
        return self.is_name()

    def is_value_in_brackets(self) -> bool:
        """Whether the bracket here encloses just a string or a number."""
        literal = self.after(1)
        is_plain = literal.kind == "string" or (literal.kind == "number" and PLAIN_NUMBER.issuperset(literal.text))
        return is_plain and self.word_after(2) == ")"

    def literal_number(self) -> None:
        if self.kind != "number" or not PLAIN_NUMBER.issuperset(self.text):
            raise self.unexpected(expected="a number")
        self.advance()

    def unexpected(self, hint: str = "", expected: str | None = None) -> NotHiveError:
        found = "it ends" if self.kind == "end" else f"found {self.text[:40]!r}"
        wanted = f", expected {expected!r}" if expected and not hint else ""
        return NotHiveError(
            self.start,
            f"{found}{wanted}, which the grammar of Hive 2.3 and 4.0 does not allow here"
            f"{'; ' + hint if hint else ''}. If only Spark reads the view, write the SQL in dialect spark.",
            expected,
        )


def _tokens(sql: str, edits: Edits) -> list[Token]:
    """The tokens; characters that are whitespace to all but Hive's lexer (no-break space, form feed) become spaces."""
    found: list[Token] = []
    position = 0
    while not found or found[-1].kind != "end":
        token = token_at(sql, position)
        for comment in _CONTINUED_COMMENT.finditer(sql, position, token.start + 1):
            # In Spark, a backslash at the end of a line continues a comment on the next.
            edits.enclose(comment.end(), comment.end(), " ", "")
        position = token.end
        if token.kind == "other":
            if token.text.isspace():
                edits.replace(token.start, token.end, " ")
                continue
            # Two signs that touch are one operator.
            last = found[-1] if found else token
            if token.text == "|" and last.text == "|" and last.end == token.start:
                found[-1] = Token("symbol", "||", last.start, token.end, "||")
                continue
            token = token._replace(keyword=token.text)
        found.append(token)
    return found


def _brackets(tokens: list[Token]) -> dict[int, int]:
    """The index of the bracket that closes each opening one."""
    pairs, open_ = {}, []
    for index, token in enumerate(tokens):
        if token.keyword == "(":
            open_.append(index)
        elif token.keyword == ")" and open_:
            pairs[open_.pop()] = index
    return pairs
