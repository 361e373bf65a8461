"""An engine that answers as it is told to."""

from __future__ import annotations

from collections.abc import Sequence

from hive_views.engines.engine_protocol import EngineColumn, Rows, RowsWanted
from hive_views.sql.query import QueryText

COLUMNS = [("a", "int"), ("b", "double")]


class Told:
    """Answers every query so, and keeps what it was asked."""

    dialects: tuple[str, ...] = ()
    catalogs: tuple[str, ...] = ()
    reads_translated = False
    takes_with_in_subqueries = True

    def __init__(self, name: str, rows: Rows | Exception = (), columns: Sequence[tuple[str, str | None]] = COLUMNS):
        self.name, self.dialect = name, name.lower()
        self.found, self._rows = columns, rows
        self.asked: list[str] = []
        self.wanted: RowsWanted | None = None

    def version(self) -> str | None:
        return "7"

    def columns(self, query: QueryText) -> tuple[EngineColumn, ...]:
        self.asked.append(str(query))
        return tuple(EngineColumn(*one) for one in self.found)

    def rows(self, query: QueryText, wanted: RowsWanted) -> Rows:
        self.asked.append(str(query))
        self.wanted = wanted
        if isinstance(self._rows, Exception):
            raise self._rows
        return self._rows[: wanted.limit]
