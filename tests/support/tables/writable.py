"""Base tables as their writers see them, for every format; each has a module of its own that makes them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from hive_views.base_tables.port import (
    BaseTable,
    Changes,
    PartitionListing,
    PartitionValues,
    Snapshot,
    TableWithHistory,
)
from hive_views.hive.row import Column
from hive_views.storage.files import Files

DS, HR = Column("ds", "string"), Column("hr", "int")

A, B, C = ("2026-08-21", "7"), ("2026-08-21", "8"), ("2026-08-22", "7")


class WritableTable(ABC):
    """A table as its writer sees it, beside the reader under test."""

    @abstractmethod
    def open(self) -> BaseTable:
        """A new reader of the table."""

    @abstractmethod
    def add(self, *values: PartitionValues) -> None: ...

    @abstractmethod
    def drop(self, *values: PartitionValues) -> None: ...


class TableMaker(ABC):
    """Makes tables of one kind."""

    @abstractmethod
    def make(self, keys: Sequence[Column]) -> WritableTable: ...


class WritableTableWithHistory(WritableTable):
    """A table as its writer sees it. Values are in Hive's spelling (``typed_value`` makes Python's values of them)."""

    @abstractmethod
    def open(self, *, files: Files | None = None) -> TableWithHistory: ...

    @abstractmethod
    def append(self, *values: PartitionValues, rows: int = 1, properties: Mapping[str, str] | None = None) -> None:
        """In one commit, add one data file of ``rows`` rows, always the same ones, to each of these partitions."""

    @abstractmethod
    def overwrite(self, values: PartitionValues, rows: int = 1) -> None:
        """Replace all rows of a partition by what ``append`` would write."""

    @abstractmethod
    def compact(self, values: PartitionValues) -> None:
        """Rewrite the files of a partition into one with the same rows."""

    @abstractmethod
    def drop(self, *values: PartitionValues) -> None:
        """Delete all rows of these partitions."""

    @abstractmethod
    def expire(self, keep: int = 1) -> None:
        """Forget every state but the newest ones, as the housekeeping of the format does."""

    @abstractmethod
    def recreate(self) -> None:
        """Drop the table, and create it again with the same name, columns and place."""

    def add(self, *values: PartitionValues) -> None:
        self.append(*values)

    def list(self) -> PartitionListing:
        return self.open().list_partitions()

    def snapshot(self) -> Snapshot:
        """The newest one."""
        snapshot = self.list().snapshot
        assert snapshot is not None
        return snapshot


class HistoryMaker(TableMaker):
    @abstractmethod
    def make(self, keys: Sequence[Column]) -> WritableTableWithHistory: ...


Sizes = dict[PartitionValues, tuple[int | None, int | None]]
"""Files and records by partition."""


def sizes(listing: PartitionListing) -> Sizes:
    assert listing.statistics is not None
    assert len(listing.statistics) == len(listing.values) == len(set(listing.values))
    return {
        one: (statistics.files, statistics.records)
        for one, statistics in zip(listing.values, listing.statistics, strict=True)
    }


def grown(listing: PartitionListing, changes: Changes) -> Sizes:
    """What a listing becomes by changes; a partition without files is gone, that of a table without keys stays."""
    assert changes.unknown is None
    result = sizes(listing)
    for values, change in changes.partitions.items():
        files, records = result.get(values, (0, 0))
        is_known = records is not None and change.records is not None
        result[values] = ((files or 0) + change.files, (records or 0) + (change.records or 0) if is_known else None)
    return {values: size for values, size in result.items() if size[0] or not values}
