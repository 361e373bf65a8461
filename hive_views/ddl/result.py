"""What a statement did or found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hive_views.messages.legible import legible

Row = tuple[str | None, ...]


@dataclass(frozen=True)
class StatementResult:
    """The result of one statement.

    Attributes:
        done: what was done, in a sentence.
        namespace: the current database afterwards, which USE changes.
        view: the name of the view that the statement was about, if it was about one.
        changed: whether anything is different now; a view that had this definition already is not.
        partitions: the names of the partitions that were added or dropped.
        columns: the names of the columns of ``rows``; () for statements without rows.
        rows: what SHOW, DESCRIBE and PUBLISH answer, in Hive's shapes; None is NULL.
    """

    done: str
    namespace: str
    view: str | None = None
    changed: bool = False
    partitions: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()

    def table(self) -> Any:
        """The rows as a ``rich.table.Table``, to be printed on a console."""
        from rich.table import Table  # noqa: PLC0415 - start-up time
        from rich.text import Text  # noqa: PLC0415 - likewise

        table = Table(box=None, pad_edge=False, header_style="bold")
        for column in self.columns:
            table.add_column(column, overflow="fold")
        for row in self.rows:
            # Text, because a console takes a string's [brackets] for markup.
            table.add_row(*(Text(legible(value or "")) for value in row))
        return table
