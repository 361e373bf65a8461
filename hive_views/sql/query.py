"""The text of a query together with what is read of it, which is read once."""

from __future__ import annotations

from functools import cached_property

from hive_views.sql import parser
from hive_views.sql.dialects import PARSED_DIALECTS, Dialect, canonical_dialect, row_dialect
from hive_views.sql.outline import OutputType, ParsedQuery, TableColumns
from hive_views.sql.syntax_errors import syntax_error


class QueryText(str):
    """The text of a query in a dialect; tokens, tree and outline are kept from the first question about it on.

    It is passed in place of the text, as it is a string. ``QueryText(query, dialect)`` of one in that dialect is the
    same object; other operations give plain strings, ``str(query)`` too, which is what is stored.

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
        """Whether a parser here knows the dialect."""
        return self.dialect in PARSED_DIALECTS

    @cached_property
    def tokens(self) -> parser.Tokens:
        """The tokens of the text, semicolons and all.

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
            SQLSyntaxError: the text is not exactly one query, or its output columns cannot be separated.
        """
        return parser.outline(self.statement)

    def check(self) -> None:
        """Make sure that the text can be a view: exactly one query that only reads.

        A semicolon and comments behind it are tolerated. Engines are stricter than this check, which knows no table and
        no function. In a dialect that no parser here knows, any text is taken that is not empty.

        Raises:
            SQLSyntaxError: it is not; the fields ``line`` and ``column`` (from 1) say where, when known, and
                ``expected`` what should have been there.
        """
        if not self.strip():
            raise syntax_error(self, self.dialect, "it is empty; expected a SELECT.", expected="SELECT")
        if self.is_parsed:
            _ = self.statement

    @property
    def output_names(self) -> tuple[str | None, ...] | None:
        """The names of the output columns, None for a column without one; those of the first branch of set operations.

        None where the text does not say them: a star, a table generating function without aliases, or a dialect that no
        parser here knows.

        Raises:
            SQLSyntaxError: the text is not exactly one query.
        """
        return parser.output_names(self.statement) if self.is_parsed else None

    def output_types(self, namespace: str, tables: TableColumns) -> tuple[OutputType, ...]:
        """The output columns, given the columns of the tables that the query names.

        Certain are columns of these tables, casts, literals, conditions, and some functions, through aliases,
        subqueries, common table expressions, joins, and set operations whose branches have equal types. A star is
        expanded as Hive does: the tables in the order of the text, each with its columns in theirs. Not certain are
        arithmetic, because decimals are rounded differently, fields of structs, and what comes out of generating
        functions.

        Args:
            namespace: where names of one part are.
            tables: see TableColumns; a table that is left out has columns that nobody knows.

        Raises:
            SQLSyntaxError: the text is not one query, or names a column that none of its tables has.
            UnsupportedFeatureError: the dialect is neither ``hive`` nor ``spark``.
        """
        row_dialect(self.dialect)
        return parser.output_types(self.statement, namespace, tables)
