"""What a query text says, as plain values that the parser creates."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hive_views.sql.syntax_errors import SourceText

WRITTEN_NAME = re.compile(r"\w+|`(?:[^`]|``)+`")
"""How a name can be written in a Hive or Spark text; sqlglot accepts more, including strings and numbers."""

AUTOMATIC_NAME = re.compile(r"_c\d+", re.IGNORECASE)
"""What Hive calls a column without a name."""


@dataclass(frozen=True)
class Lexis:
    """How literals and comments are written in a dialect: enough to find the end of a text in it.

    ``escapes``: a backslash before a quote escapes it. ``raw_strings``: in ``r'...'`` it does not.
    """

    escapes: bool = False
    raw_strings: bool = False
    nested_comments: bool = False


@dataclass(frozen=True)
class NamePart:
    """One part of a dotted table name, and its place in the text (``end`` is exclusive)."""

    text: str
    start: int
    end: int


@dataclass(frozen=True)
class TablePlace:
    """Where a query reads a table or view.

    Attributes:
        parts: of its name.
        has_alias: whether an alias follows.
        has_clause: whether something follows that cannot follow a subquery in its place: a sample, a version.
        columns: the names of columns in the query that have several parts, which may begin with that of this table.
    """

    parts: tuple[NamePart, ...]
    has_alias: bool
    has_clause: bool
    columns: tuple[tuple[NamePart, ...], ...] = ()


@dataclass(frozen=True)
class Definition:
    """What a WITH clause defines.

    Attributes:
        name: as written.
        query: start and (exclusive) end of its query, without the brackets around it.
        clause: start and end of the WITH clause, which may define more.
        places: where it is read.
    """

    name: str
    query: tuple[int, int]
    clause: tuple[int, int]
    places: tuple[TablePlace, ...]


@dataclass(frozen=True)
class OutputItem:
    """One entry of a select list, and its place in the text (``end`` is exclusive).

    ``names`` has one entry per column, None for one without a name. It is empty where the text does not say what the
    columns are: for a star, or a table-generating function without aliases.
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
class ParsedQuery(SourceText):
    """One query, without trailing semicolons and comments.

    ``text`` ends before the closing brackets around the whole query, and ``brackets`` are the offsets of the opening
    ones. ``body`` is where the query starts after these and its WITH clause; with ``is_limited_bracket``, that is
    another query in brackets, followed by at most a sort clause or LIMIT.

    ``items`` is the select list of the first branch, ``other_widths`` the number of columns of each further branch of
    set operations (None where the text does not say). ``tables`` are the names of tables in the order of the text,
    without common table expressions; ``names`` are all names without backticks, whatever they name.
    ``other_in_hive`` are those that Hive resolves to another WITH definition than the standard does, or to one instead
    of a table: in Hive, all definitions of a clause are in scope of each other.

    ``mentioned`` are the names, in lower case, in clauses that also see the output columns: HAVING, QUALIFY and sort
    clauses; ``sorted_by_qualified`` are those in dotted names in ORDER, SORT, CLUSTER or DISTRIBUTE BY.
    """

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


@dataclass(frozen=True)
class DatabaseNames:
    """Where a query names databases.

    Attributes:
        names: the places, in order.
        tables: the tables of the metastore that it reads, as (namespace, name) in lower case, in the order of the text.
        qualifiers: the first part, in lower case, of names with more parts than a table of the metastore has; a catalog
            that is the metastore does not count.
    """

    names: tuple[NamePart, ...]
    tables: tuple[tuple[str, str], ...]
    qualifiers: frozenset[str]


@dataclass(frozen=True)
class NamedItem:
    """One item of a select list.

    Attributes:
        names: the names of its columns, such as ``_c1`` for the second item if it has none; empty where the text does
            not say how many they are.
        preferred: used instead for its only column, unless an earlier column has that name.
        table: if given, ``preferred`` applies only where this is a table, not a view.
    """

    names: tuple[str, ...]
    preferred: str | None = None
    table: tuple[str, ...] | None = None
