"""Base tables as publishing sees them: names with partitions.

What lives here: the port and the listing it gives. What must not: a table format, a metastore, rules about readiness.

Every implementation passes ``tests/contract/base_table_contract.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from hive_views.hive.row import Column

PartitionValues = tuple[str | None, ...]
"""One text for each partition column, spelled as the table spells it; None is NULL."""


@dataclass(frozen=True)
class PartitionListing:
    """All partitions of one table, read at one moment.

    A table without partition columns is one partition without values: ``keys`` is ``()`` and ``values`` ``[()]``.
    ``snapshot`` is what was read, where the format has snapshots; Hive has none.
    """

    table: str
    format: str
    keys: tuple[Column, ...]
    values: Sequence[PartitionValues]
    snapshot: str | None = None


class BaseTable(Protocol):
    """A table or view that partitions of a view stand on."""

    @property
    def name(self) -> str:
        """As messages call it: ``namespace.name``."""
        ...

    @property
    def format(self) -> str:
        """``hive``, ``view``, ..."""
        ...

    def list_partitions(self) -> PartitionListing:
        """The partitions as they are now, without looking at their files or objects."""
        ...
