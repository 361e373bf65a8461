"""What a SQL text says, in plain values, and the one door to the parser behind it.

What lives here: the values that the rest of the package works on, with offsets into the text. What must not: sqlglot,
which takes 100 to 200 ms to import and is therefore loaded by the first call that needs it (_statement.py).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from hive_views.errors import SQLSyntaxError

MAX_TEXT = 1_000_000
"""Characters of the longest text that is read."""

MAX_DEPTH = 200
"""Levels of brackets in the most nested text that is read."""


WRITTEN_NAME = re.compile(r"\w+|`(?:[^`]|``)+`")
"""How a name can stand in a Hive or Spark text; sqlglot takes more, strings and numbers among them."""


@dataclass(frozen=True)
class Lexis:
    """What tells literals and comments of a dialect from the rest: enough to find where a text in it ends.

    ``escapes``: a back-slash before a quote escapes it. ``raw_strings``: in ``r'...'`` it does not.
    """

    escapes: bool = False
    raw_strings: bool = False
    nested_comments: bool = False


@dataclass(frozen=True)
class NamePart:
    """One part of a dotted table name, and where it stands in the text (``end`` is exclusive)."""

    text: str
    start: int
    end: int


@dataclass(frozen=True)
class OutputItem:
    """One entry of a select list, and where it stands in the text (``end`` is exclusive).

    ``names`` has one entry for every column it yields, None for one without a name; it is empty where the text does
    not say what is yielded: a star, or a table generating function without aliases.
    """

    start: int
    end: int
    names: tuple[str | None, ...]
    aliased: bool = False
    generator: bool = False

    @property
    def is_star(self) -> bool:
        return not self.names and not self.generator


@dataclass(frozen=True)
class ParsedQuery:
    """One query, without the semicolons and comments behind it.

    ``text`` is cut before the brackets that close around the whole query, and ``brackets`` is where these open.
    ``body`` is where the query starts after them and its WITH clause; ``is_limited_bracket`` says that it is another
    query in brackets with no more than a sorting or limit behind.

    ``items`` is the select list of the first branch, ``other_widths`` the number of columns of each further branch of
    set operations (None where the text does not say). ``tables`` are the names of real tables in the order of the text,
    names of common table expressions left out; ``names`` are all names without back-quotes, whatever they name.

    ``mentioned`` are the names, in lower case, in clauses that see the output columns too: HAVING, QUALIFY and sorting;
    ``sorted_by_qualified`` are those that stand in a dotted name in ORDER, SORT, CLUSTER or DISTRIBUTE BY.
    """

    dialect: str
    text: str
    brackets: tuple[int, ...]
    body: int
    is_limited_bracket: bool
    items: tuple[OutputItem, ...]
    other_widths: tuple[int | None, ...]
    tables: tuple[tuple[NamePart, ...], ...]
    names: tuple[NamePart, ...]
    mentioned: frozenset[str]
    sorted_by_qualified: frozenset[str]


def is_known(dialect: str) -> bool:
    """Whether texts in this dialect (canonical name) can be read here."""
    from hive_views.sql import _statement  # noqa: PLC0415

    return dialect in _statement.DIALECTS


def lexis(dialect: str) -> Lexis:
    """The literals and comments of a dialect; of one that no parser here knows, those of the SQL standard."""
    from hive_views.sql import _statement  # noqa: PLC0415

    return _statement.lexis(dialect) if dialect in _statement.DIALECTS else Lexis()


def check(sql: str, dialect: str) -> None:
    """Make sure that a text of a known dialect is one query.

    Raises:
        SQLSyntaxError: it is not.
    """
    from hive_views.sql import _statement  # noqa: PLC0415

    _statement.read_statement(sql, dialect)


def tables(sql: str, dialect: str) -> tuple[tuple[NamePart, ...], ...]:
    """The names of real tables in a query of a known dialect, names of common table expressions left out.

    Raises:
        SQLSyntaxError: the text is not exactly one query.
    """
    from hive_views.sql import _outline  # noqa: PLC0415

    return _outline.tables(sql, dialect)


def parse(sql: str, dialect: str) -> ParsedQuery:
    """What a query of a known dialect says.

    Raises:
        SQLSyntaxError: the text is not exactly one query, or its output columns cannot be told apart.
    """
    from hive_views.sql import _outline  # noqa: PLC0415

    return _outline.parse(sql, dialect)


def unnamed_in_star(sql: str, dialect: str) -> str | None:
    """The text of a column that only a star names, if there is one; for a known dialect only.

    Raises:
        SQLSyntaxError: the text is not exactly one query.
    """
    from hive_views.sql import _stars  # noqa: PLC0415

    return _stars.unnamed_in_star(sql, dialect)


def output_names(sql: str, dialect: str) -> tuple[str | None, ...] | None:
    """The names of a query's output columns (None for one without), if its text says; for a known dialect only.

    Raises:
        SQLSyntaxError: the text is not exactly one query.
    """
    from hive_views.sql import _outline  # noqa: PLC0415

    return _outline.output_names(sql, dialect)


def string_literals(sql: str, dialect: str) -> tuple[tuple[int, int], ...]:
    """Start and (exclusive) end of every plain string literal, quotes included; for a known dialect only."""
    from hive_views.sql import _outline  # noqa: PLC0415

    return _outline.string_literals(sql, dialect)


def syntax_error(
    sql: str,
    dialect: str,
    problem: str,
    offset: int | None = None,
    *,
    expected: str | None = None,
    found: str | None = None,
    task: str | None = None,
) -> SQLSyntaxError:
    """The error for a problem at an offset; the message starts with line and column, both counted from 1."""
    line = column = None
    where = ""
    if offset is not None:
        line = sql.count("\n", 0, offset) + 1
        column = offset - sql.rfind("\n", 0, offset)
        where = f" at line {line}, column {column}"
    return SQLSyntaxError(
        f"Cannot {task or f'use this {dialect} text'}{where}: {problem}",
        line=line,
        column=column,
        found=found,
        expected=expected,
        dialect=dialect,
        problem=problem,
        offset=offset,
    )


def within(error: SQLSyntaxError, whole: str, start: int) -> SQLSyntaxError:
    """The error of a text that stands in another one from ``start`` on, with its place in that one."""
    return syntax_error(
        whole,
        error.dialect or "hive",
        error.problem,
        start + (error.offset or 0),
        expected=error.expected,
        found=error.found,
    )
