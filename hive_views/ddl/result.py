"""What a statement did or found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hive_views.messages.html import html_table
from hive_views.messages.legible import legible

Row = tuple[str | None, ...]


@dataclass(frozen=True)
class StatementResult:
    """The result of one statement.

    Attributes:
        done: what was done, in a sentence.
        namespace: the current database afterwards, which USE changes.
        view: the name of the view that the statement was about, if any.
        changed: whether anything changed; False for a view that already had this definition.
        partitions: the names of the added or dropped partitions.
        columns: the names of the columns of ``rows``; () for statements without rows.
        rows: the result of SHOW, DESCRIBE and PUBLISH, as in Hive; None is NULL.
    """

    done: str
    namespace: str
    view: str | None = None
    changed: bool = False
    partitions: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()

    def _repr_html_(self) -> str:
        rows = self.rows or tuple((name,) for name in self.partitions)
        return html_table(self.done, self.columns or ("partition",), [[one or "" for one in row] for row in rows])

    def table(self) -> Any:
        """The rows as a ``rich.table.Table``, to print on a console."""
        from rich.table import Table  # noqa: PLC0415 - start-up time
        from rich.text import Text  # noqa: PLC0415 - likewise

        table = Table(box=None, pad_edge=False, header_style="bold")
        for column in self.columns:
            table.add_column(column, overflow="fold")
        for row in self.rows:
            # Text, because a console reads [brackets] in a string as markup.
            table.add_row(*(Text(legible(value or "")) for value in row))
        return table
