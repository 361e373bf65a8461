"""A base table in memory, for tests of programs that publish.

What lives here: the in-memory twin of the port. What must not: leniency; it lists what a Hive table would.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence

from hive_views.base_tables.port import PartitionListing, PartitionValues
from hive_views.errors import InvalidInputError
from hive_views.hive.row import Column


class MemoryBaseTable:
    """A table whose partitions are what ``add`` and ``drop`` made of them; thread-safe.

    Args:
        name: as ``requires`` calls the table.
        keys: the partition columns with their Hive types; () for a table without partitions.
        values: the partitions it has at first, one text (or None for NULL) for each column.
    """

    format = "hive"

    def __init__(self, name: str, keys: Sequence[Column] = (), values: Iterable[Sequence[str | None]] = ()) -> None:
        self.name = name
        self._keys = tuple(keys)
        self._partitions: dict[PartitionValues, None] = {}
        self._guard = threading.Lock()
        self.add(*values)

    def add(self, *values: Sequence[str | None]) -> None:
        """Add partitions; those that are there already stay.

        Raises:
            InvalidInputError: not one value for each partition column.
        """
        added = [self._checked(one) for one in values]
        with self._guard:
            self._partitions |= dict.fromkeys(added)

    def drop(self, *values: Sequence[str | None]) -> None:
        """Drop partitions; those that are not there do not matter."""
        with self._guard:
            for one in values:
                self._partitions.pop(tuple(one), None)

    def list_partitions(self) -> PartitionListing:
        with self._guard:
            values = list(self._partitions) if self._keys else [()]
        return PartitionListing(self.name, self.format, self._keys, values)

    def _checked(self, values: Sequence[str | None]) -> PartitionValues:
        if not self._keys or len(values) != len(self._keys):
            raise InvalidInputError(
                f"Cannot add the partition {tuple(values)!r} to {self.name}: it has {len(self._keys)} partition "
                f"columns ({', '.join(key.name for key in self._keys)}). Give one value for each.",
                table=self.name,
            )
        return tuple(values)
