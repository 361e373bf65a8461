"""What a query text says, as plain values: the parser fills them, everybody else reads them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hive_views.errors import SQLSyntaxError
from hive_views.messages.remedy import Remedy
from hive_views.sql.syntax_errors import syntax_error

WRITTEN_NAME = re.compile(r"\w+|`(?:[^`]|``)+`")
"""How a name can stand in a Hive or Spark text; sqlglot takes more, strings and numbers among them."""

AUTOMATIC_NAME = re.compile(r"_c\d+", re.IGNORECASE)
"""What Hive calls a column without a name."""


@dataclass(frozen=True)
class Lexis:
    """How literals and comments of a dialect are written: enough to find where a text in it ends.

    ``escapes``: a backslash before a quote escapes it. ``raw_strings``: in ``r'...'`` it does not.
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
    names of common table expressions left out; ``names`` are all names without backticks, whatever they name.
    ``other_in_hive`` are those for which Hive takes another definition of a WITH clause than the one in sight, or than
    a table: to it, all definitions of a clause are in sight of each other.

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
    other_in_hive: tuple[NamePart, ...]
    mentioned: frozenset[str]
    sorted_by_qualified: frozenset[str]

    def error(
        self, problem: str, start: int, *, expected: str | None = None, remedy: Remedy | None = None
    ) -> SQLSyntaxError:
        """The error for a problem at an offset of the query."""
        return syntax_error(self.text, self.dialect, problem, start, expected=expected, remedy=remedy)


@dataclass(frozen=True)
class DatabaseNames:
    """Where a query names databases.

    Attributes:
        names: the places, in their order.
        tables: the tables that it reads there, as (namespace, name) in lower case, in the order of the text.
        qualifiers: of names with more parts than a table of the metastore has, the first one in lower case, without
            a catalog that is the metastore.
    """

    names: tuple[NamePart, ...]
    tables: tuple[tuple[str, str], ...]
    qualifiers: frozenset[str]


TableColumns = Mapping[tuple[str, str], Sequence[tuple[str, str]]]
"""Names and Hive types of the columns of tables, partition columns last, by (namespace, name) in lower case."""


@dataclass(frozen=True)
class OutputType:
    """One output column of a query.

    Attributes:
        text: the column as it is written, shortened; for messages.
        name: its name, None for an expression without an alias.
        type: its Hive type, None where that is not certain.
        is_one: False for a star or a table generating function that nobody can expand without an engine.
    """

    text: str
    name: str | None = None
    type: str | None = None
    is_one: bool = True


@dataclass(frozen=True)
class NamedItem:
    """One item of a select list.

    Attributes:
        names: of the columns that it yields, with ``_c1`` for the second item where nothing names it; empty where the
            text does not say how many they are.
        preferred: the name of its only column instead, if no column before has it.
        table: if given, ``preferred`` holds only where this is a table, and no view.
        differs: Hive's type of its column by that of Spark, without sizes, where these differ: of a conversion to a
            varchar Spark makes a string. None where nobody can tell: Hive leaves zeros behind the point of a literal
            out, and so counts the digits of a decimal otherwise.
    """

    names: tuple[str, ...]
    preferred: str | None = None
    table: tuple[str, ...] | None = None
    differs: Mapping[str, str | None] = field(default_factory=dict)
