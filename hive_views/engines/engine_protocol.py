"""What an engine is asked: the columns of a query, which it analyzes and does not execute, and rows of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from hive_views.hive.types import HiveType
from hive_views.sql.query import QueryText


@dataclass(frozen=True)
class EngineColumn:
    """An output column of a query, as an engine finds it.

    Attributes:
        name: as the engine gives it.
        type: the Hive type, or, where Hive has none, the engine's; None where the engine says only a part of it.
    """

    name: str
    type: str | None


class QueryRefusedError(Exception):
    """An engine refuses a query. ``line`` and ``column``, from 1, say where; None where the engine does not say."""

    def __init__(self, message: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.line, self.column = line, column


@dataclass(frozen=True)
class RowsWanted:
    """Which rows of a query are wanted, and in which form.

    Attributes:
        names: those of its columns, as the engine gives them.
        types: of its columns.
        order: the places of the columns by which the rows are ordered, from 0; NULL comes first.
        limit: how many rows at most.
    """

    names: Sequence[str]
    types: Sequence[HiveType]
    order: Sequence[int]
    limit: int


Rows = tuple[tuple[Any, ...], ...]
"""Values in the form of ``engine_values``."""


class Engine(Protocol):
    """An engine in use.

    Attributes:
        name: as people call it.
        dialect: its own.
        dialects: those whose texts it reads.
        catalogs: what the metastore is called in names of three parts, in lower case.
        reads_translated: whether it reads texts of other dialects too, by a translation of its own.
        takes_with_in_subqueries: whether a subquery may have a WITH clause of its own, wherever it is.
    """

    name: str
    dialect: str
    dialects: tuple[str, ...]
    catalogs: tuple[str, ...]
    reads_translated: bool
    takes_with_in_subqueries: bool

    def version(self) -> str | None:
        """Its release; None where it does not say."""
        ...

    def columns(self, query: QueryText) -> tuple[EngineColumn, ...]:
        """The output columns of a query in which all names of tables are full.

        Raises:
            QueryRefusedError: the query is not valid.
            UnavailableError: the engine failed, or the user may not ask; the query may be valid.
        """
        ...

    def rows(self, query: QueryText, wanted: RowsWanted) -> Rows:
        """Rows of a query in its own dialect, in which all names of tables are full, and whose columns were asked for.

        Raises:
            QueryRefusedError: the query fails, such as for a value that cannot be converted.
            UnavailableError: the engine failed, or took too long.
            UnsupportedFeatureError: the engine does not return values of one of these types exactly.
        """
        ...
