"""The cursor over the tokens of statements, and what many statements contain: names, literals, lists, queries."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from hive_views.ddl.grammar.literals import date_of, number, timestamp_of, unescaped
from hive_views.ddl.grammar.statements import Constant, Name
from hive_views.errors import InvalidInputError, RuleSyntaxError, SQLSyntaxError
from hive_views.readiness.language import read_rule
from hive_views.readiness.rule_expressions import end_of_expression, without_comments
from hive_views.readiness.rules import Rule
from hive_views.sql import parser
from hive_views.sql.dialects import check_dialect
from hive_views.sql.hive_grammar.lexer import Token, extent_of_query, token_at
from hive_views.sql.hive_grammar.reserved import RESERVED
from hive_views.sql.query import QueryText
from hive_views.sql.syntax_errors import shown, statement_error, within

_Part = TypeVar("_Part")
_RULE_TOKEN = re.compile(r"\w+|\S")
_QUERY_STARTS = ("SELECT", "WITH", "VALUES", "FROM", "TABLE", "MAP", "REDUCE", "(", ";")
_OPERATORS = ("AT", "COLLATE", "ESCAPE", "ILIKE", "MOD", "XOR")
"""Words between two columns, of any dialect, that Hive does not reserve."""

_WORDS: dict[str, Constant] = {"TRUE": True, "FALSE": False, "NULL": None}


class Reader:
    """A text of statements, and the position of the next token."""

    def __init__(self, sql: str, dialect: str, position: int = 0) -> None:
        self.sql = sql
        self.dialect = dialect
        self.position = position  # the end of the last consumed token
        self._next: Token | None = None
        self._last: Token | None = None

    @property
    def token(self) -> Token:
        """The next token; read on demand, because the literals of a query may not be Hive's."""
        if self._next is None:
            self._next = token_at(self.sql, self.position)
        return self._next

    def take(self) -> Token:
        """The next token, which is consumed."""
        self._last = self.token
        self.position, self._next = self._last.end, None
        return self._last

    def after_next(self) -> Token:
        return token_at(self.sql, self.token.end)

    def at(self, *keywords: str) -> bool:
        return self.token.keyword in keywords

    def accept(self, first: str, *others: str) -> bool:
        """Whether the keyword comes next; if so, it is consumed, and the others must follow."""
        if self.token.keyword != first:
            return False
        self.take()
        self.expect(*others)
        return True

    def expect(self, *keywords: str) -> None:
        for keyword in keywords:
            if self.token.keyword != keyword:
                raise self.unexpected(keyword)
            self.take()

    def unexpected(self, *expected: str, hint: str | None = None, token: Token | None = None) -> SQLSyntaxError:
        """The error for the next token, or another one; ``hint`` is a sentence that says why, or what to write."""
        token = token or self.token
        over = token.kind == "end" or token.keyword == ";"
        found = "the end of the statement" if over else shown(token.text)
        listed = [one if one[0].isalpha() else f"'{one}'" for one in expected]
        wanted = " or ".join(filter(None, [", ".join(listed[:-1]), listed[-1]]))
        problem = f"found {found}, expected {wanted}."
        hint = hint or _hint_after(self._last, token)
        return statement_error(
            self.sql, token.start, f"{problem} {hint}" if hint else problem, found=token.text, expected=wanted
        )

    def at_end(self) -> bool:
        """Whether the text ends here."""
        return self.token.kind == "end"

    def end(self, *others: str, hint: str | None = None) -> None:
        """Make sure that the statement ends here; ``others`` would have been allowed as well."""
        if not self.at_end() and not self.at(";"):
            raise self.unexpected(*others, "the end of the statement", hint=hint)

    # Names

    def name(self, what: str = "a name") -> str:
        """A word that is not reserved, or any text in backticks."""
        token = self.token
        if token.kind == "quoted":
            text = token.text[1:-1].replace("``", "`")
            if not text:
                raise self.unexpected(what, hint="A name needs at least one character.")
        elif self.at_name():
            text = token.text
        else:
            raise self.unexpected(what, hint=_hint_for_name(token))
        self.take()
        return text

    def at_name(self) -> bool:
        return is_name(self.token)

    def qualified_name(self, what: str = "the name of a view") -> Name:
        first = self.name(what)
        if not self.accept("."):
            return Name(None, first)
        return Name(first, self.name(what))

    # Literals

    def string(self, what: str = "a string") -> str:
        """One string literal; where Hive joins several, ``constant`` reads them."""
        if self.token.kind != "string":
            raise self.unexpected(what, hint="Write it in quotes." if self.at_name() else None)
        text = self._resolved(unescaped, self.token, what)
        self.take()
        return text

    def constant(self) -> Constant:
        """A partition value; consecutive strings are joined."""
        token = self.token
        if token.kind == "string":
            texts = []
            while self.token.kind == "string":
                texts.append(self._resolved(unescaped, self.token, "a constant"))
                self.take()
            return "".join(texts)
        if token.kind == "number":
            value = self._resolved(number, token, "a constant")
            self.take()
            return value
        if token.keyword in _WORDS:
            self.take()
            return _WORDS[token.keyword]
        if token.keyword in ("DATE", "TIMESTAMP"):
            self.take()
            literal = self.token
            what = f"a {token.keyword.lower()} in quotes"
            self.string(what)
            # Hive resolves no escapes here.
            resolve = date_of if token.keyword == "DATE" else timestamp_of
            return self._resolved(lambda text: resolve(text[1:-1]), literal, what)
        raise self.unexpected("a constant", hint=_hint_for_constant(token))

    def _resolved(self, resolve: Callable[[str], _Part], token: Token, what: str) -> _Part:
        try:
            return resolve(token.text)
        except ValueError as error:
            raise self.unexpected(what, hint=f"{str(error)[:1].upper()}{str(error)[1:]}.", token=token) from None

    # Groups

    def list_of(self, part: Callable[[], _Part]) -> tuple[_Part, ...]:
        """One or more parts in parentheses, separated by commas."""
        self.expect("(")
        parts = [part()]
        while self.accept(","):
            parts.append(part())
        if not self.at(")"):
            raise self.unexpected(",", ")")
        self.take()
        return tuple(parts)

    def is_given(self, *words: str) -> bool:
        """Whether ``IF`` and these words (``EXISTS`` or ``NOT EXISTS``) come next; they are consumed."""
        if not self.at("IF"):
            return False
        self.take()
        for word in words:
            # Hive's lexer has one token for both.
            if not (self.at(word) or (word == "NOT" and self.at("!"))):
                raise self.unexpected(word)
            self.take()
        return True

    # Queries

    def query(self, dialect: str | None = None, *, before_dialect: bool = False) -> QueryText:
        """The rest of the statement, byte for byte: one query in this dialect, by default that of the text.

        With ``before_dialect``, it ends before ``DIALECT name AS`` and another query, and before ``DIALECT name
        TRANSLATED``, outside of literals, comments and brackets.
        """
        dialect = dialect or self.dialect
        ends_at = begins_text if before_dialect else None
        start, end, stop = extent_of_query(self.sql, self.position, parser.lexis(dialect), ends_at)
        # Hive allows a hint only after SELECT; sqlglot takes one elsewhere for a comment.
        if start == end or (dialect == "hive" and self.token.text.startswith("/*+")):
            raise self.unexpected("SELECT")
        self.position, self._next = end, token_at(self.sql, stop)
        query = QueryText(self.sql[start:end], dialect)
        try:
            query.check()
        except SQLSyntaxError as error:
            raise within(error, self.sql, start) from error
        return query

    # Rules

    def rule(self) -> Rule:
        """The rest of the statement, a Python expression, which a ``;`` in a string or in brackets does not end.

        The functions that ``when`` names are not imported: a script may come from anyone, and is only parsed here.
        """
        start = self.position
        stop = end_of_expression(self.sql, start)
        text = without_comments(self.sql[start:stop])
        try:
            rule = read_rule(text, imports=False)
        except RuleSyntaxError as error:
            offset = start + error.offset
            if not text.strip():
                offset = stop
            found = _RULE_TOKEN.match(self.sql, offset)
            raise statement_error(self.sql, offset, error.problem, found=found[0] if found else "") from error
        self.position, self._next = start + len(text.rstrip()), token_at(self.sql, stop)
        return rule

    def dialect_as_written(self) -> str:
        name = self.name("a dialect such as trino")
        if self.token.text == ":":
            self.take()
            name = f"{name}:{self.name('a dialect')}"
        return name

    def dialect_name(self) -> str:
        """A known dialect, or any name after ``other:``; backticks around it are allowed."""
        token = self.token
        name = self.dialect_as_written()
        try:
            return check_dialect(name)
        except InvalidInputError as error:
            raise self.unexpected("a dialect such as trino", token=token, hint=str(error)) from None


def begins_text(sql: str, position: int) -> bool:
    """Whether ``DIALECT name TRANSLATED`` is at this place, or ``DIALECT name AS`` and a query.

    Behind ``other:name``, any text may follow.
    """
    reader = Reader(sql, "hive", position)
    try:
        reader.expect("DIALECT")
        name = reader.dialect_as_written()
        if reader.at("TRANSLATED"):
            return name.upper() not in _OPERATORS
        is_other = name.lower().startswith("other:")
        return reader.accept("AS") and (is_other or reader.at(*_QUERY_STARTS) or reader.at_end())
    except SQLSyntaxError:
        return False


def is_name(token: Token) -> bool:
    """Whether the token can be a name."""
    return token.kind == "quoted" or (token.kind == "word" and token.keyword not in RESERVED)


def _hint_after(last: Token | None, token: Token) -> str | None:
    """A hint about a token that is unexpected because of the one before it."""
    if last is None:
        return None
    if last.kind == token.kind == "string":
        return "Hive joins adjacent literals, as in 'a''b', but separate ones only in a partition value."
    if token.keyword == "." and is_name(last):
        return "The name of a view has at most two parts: database and name."
    return None


def _hint_for_name(token: Token) -> str | None:
    if token.kind == "word":
        return f"{token.keyword} is a Hive keyword: write `{token.text}` to use it as a name."
    if token.kind == "number" or (token.kind == "other" and (token.text[0] == "_" or not token.text.isascii())):
        return "Write this name in backticks."
    return "Quote names with backticks, not with ' or \"." if token.kind == "string" else None


def _hint_for_constant(token: Token) -> str | None:
    if token.text in ("-", "+"):
        return "Hive allows no sign in a partition value: write the number in quotes, as in '-1'."
    if token.keyword in ("CURRENT_DATE", "CURRENT_TIMESTAMP"):
        return "A partition value is a constant: write the date or time itself."
    return "Write text in quotes." if is_name(token) else None
