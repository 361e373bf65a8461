"""Columns of tables as a flowchart of Mermaid, which GitHub, GitLab and others draw. https://mermaid.js.org/."""

from __future__ import annotations

import re

from hive_views.analysis.query_analysis import TableColumn, TableName

# Between the quotes of a label anything but these is text; Mermaid writes them as entities with a hash.
_SPECIAL = re.compile(r"[^\w .,:()*+/=-]")


class Diagram:
    """A flowchart from left to right, with a frame around the columns of each table."""

    def __init__(self) -> None:
        self._tables: dict[TableName, dict[TableColumn, None]] = {}
        self._arrows: dict[tuple[TableColumn, TableColumn], None] = {}
        self._dotted: dict[tuple[TableColumn, TableName, str], None] = {}

    def node(self, column: TableColumn) -> None:
        """A column."""
        self._tables.setdefault(column.table, {})[column] = None

    def arrow(self, start: TableColumn, end: TableColumn) -> None:
        """An arrow between two columns, which are drawn too."""
        self.node(start)
        self.node(end)
        self._arrows[start, end] = None

    def dotted(self, start: TableColumn, end: TableName, label: str) -> None:
        """A dotted arrow from a column to a table."""
        self.node(start)
        self._tables.setdefault(end, {})
        if start.table != end:
            self._dotted[start, end, label] = None

    def __str__(self) -> str:
        frames = {table: f"t{number}" for number, table in enumerate(self._tables)}
        columns = (column for ones in self._tables.values() for column in ones)
        nodes = {column: f"c{number}" for number, column in enumerate(columns)}
        lines = ["flowchart LR"]
        for table, ones in self._tables.items():
            if ones:
                lines.append(f'  subgraph {frames[table]}["{_label(".".join(table))}"]')
                lines += [f'    {nodes[column]}["{_label(column.name)}"]' for column in ones]
                lines.append("  end")
            else:
                lines.append(f'  {frames[table]}["{_label(".".join(table))}"]')
        lines += [f"  {nodes[start]} --> {nodes[end]}" for start, end in self._arrows]
        lines += [f'  {nodes[start]} -. "{_label(label)}" .-> {frames[end]}' for start, end, label in self._dotted]
        return "\n".join(lines) + "\n"


def _label(text: str) -> str:
    return _SPECIAL.sub(lambda found: f"#{ord(found[0])};", text)
