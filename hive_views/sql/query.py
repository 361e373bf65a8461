"""The text of a query together with what is read of it, which is read once."""

from __future__ import annotations

from functools import cached_property

from hive_views.sql import parser
from hive_views.sql.dialects import PARSED_DIALECTS, Dialect, canonical_dialect
from hive_views.sql.outline import NamePart, ParsedQuery
from hive_views.sql.syntax_errors import syntax_error


class QueryText(str):
    """The text of a query in a dialect; its tokens, tree and outline are read once, when they are first asked for.

    It is a string, and is passed in place of the text. ``QueryText(query, dialect)`` returns a query that has that
    dialect already; other operations give plain strings, as does ``str(query)``, which is what is stored.

    Raises:
        InvalidInputError: the dialect is not a name.
    """

    dialect: Dialect

    def __new__(cls, text: str, dialect: str) -> QueryText:
        name = canonical_dialect(dialect)
        if isinstance(text, cls) and text.dialect == name:
            return text
        query = super().__new__(cls, text)
        query.dialect = name
        return query

    def __reduce__(self) -> tuple[type[QueryText], tuple[str, str]]:
        # A copy reads the text again: a tree is no part of what is copied or sent.
        return QueryText, (str(self), str(self.dialect))

    @property
    def is_parsed(self) -> bool:
        """Whether this library has a parser for the dialect."""
        return self.dialect in PARSED_DIALECTS

    @cached_property
    def tokens(self) -> parser.Tokens:
        """The tokens of the text, including semicolons.

        Raises:
            SQLSyntaxError: the text is too long, or a literal, name or comment in it is not closed.
        """
        return parser.tokenize(self, self.dialect)

    @cached_property
    def statement(self) -> parser.Statement:
        """Tokens and tree of the query.

        Raises:
            SQLSyntaxError: the text is not exactly one query that only reads.
        """
        return parser.read_statement(self.tokens)

    @cached_property
    def outline(self) -> ParsedQuery:
        """What the query says, as plain values.

        Raises:
            SQLSyntaxError: the text is not exactly one query, or its output columns cannot be told apart.
        """
        return parser.outline(self.statement)

    @cached_property
    def table_names(self) -> tuple[tuple[NamePart, ...], ...]:
        """The names of the tables, as written.

        Raises:
            SQLSyntaxError: as ``statement``.
        """
        return parser.tables(self.statement)

    def check(self) -> None:
        """Make sure that the text can be a view: exactly one query that only reads.

        Trailing semicolons and comments are allowed. Engines are stricter than this check, which knows no tables and no
        functions. In a dialect without a parser, any text that is not empty is accepted.

        Raises:
            SQLSyntaxError: it cannot; ``line`` and ``column`` (from 1) say where, if known, and ``expected`` says what
                should have been there.
        """
        if not self.strip():
            raise syntax_error(self, self.dialect, "it is empty; expected a SELECT.", expected="SELECT")
        if self.is_parsed:
            _ = self.statement

    @property
    def output_names(self) -> tuple[str | None, ...] | None:
        """The names of the output columns, None for a column without one; of set operations, those of the first branch.

        None where the text does not say: a star, a table-generating function without aliases, a dialect without a
        parser.

        Raises:
            SQLSyntaxError: the text is not exactly one query.
        """
        return parser.output_names(self.statement) if self.is_parsed else None
