"""Where in a query an expression stands, and what it may name there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from hive_views.analysis.query_analysis import Clause, OutputColumn
from hive_views.analysis.tree.sources import Columns, Scope

Definitions = Mapping[str, "Columns | None"]
"""Columns of the common table expressions in scope, by name in lower case; None where they are not known."""


@dataclass(frozen=True)
class Place:
    """Where an expression stands.

    ``aliases`` are output columns by name in lower case; with ``aliases_first`` they hide columns of tables.
    """

    clause: Clause
    scope: Scope = field(default_factory=Scope)
    definitions: Definitions = field(default_factory=dict)
    aliases: Mapping[str, OutputColumn] = field(default_factory=dict)
    aliases_first: bool = False

    def column(self, parts: Sequence[str]) -> OutputColumn | None:
        """The column that a dotted name in lower case means here."""
        alias = self.aliases.get(parts[0]) if len(parts) == 1 else None
        if alias is not None and self.aliases_first:
            return alias
        return self.scope.column(parts) or alias


class Reads(Protocol):
    """What reads a query in parts, and records what they use."""

    def query(self, query: Any, definitions: Definitions, place: Place) -> Columns:
        """The output columns of a query; ``place`` is where it stands."""

    def read(self, part: Any, place: Place) -> list[OutputColumn]:
        """Record what an expression uses; the columns that its value is made of."""

    def use(self, columns: Iterable[OutputColumn], place: Place) -> None:
        """Record a use of columns that no name in the text stands for."""

    def shared(self, name: Any, place: Place) -> OutputColumn | None:
        """One side of a column that USING names."""
