"""Base tables in memory, for tests of programs that publish."""

from __future__ import annotations

import threading
import time
import uuid
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from hive_views.base_tables.port import (
    BaseTable,
    Changes,
    Commit,
    PartitionChange,
    PartitionListing,
    PartitionValues,
    Snapshot,
    Statistics,
    TableState,
    TableWithHistory,
)
from hive_views.errors import InvalidInputError
from hive_views.hive.row import Column


class MemoryBaseTable(BaseTable):
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
        self._id = str(uuid.uuid4())
        self._partitions: dict[PartitionValues, None] = {}
        self._guard = threading.Lock()
        self.add(*values)

    def add(self, *values: Sequence[str | None]) -> None:
        """Add partitions; those that are there already stay.

        Raises:
            InvalidInputError: not one value for each partition column.
        """
        added = [_checked(self.name, self._keys, one) for one in values]
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
        return PartitionListing(self.name, self.format, self._keys, values, table_id=self._id)


@dataclass(frozen=True)
class _State:
    """A commit, and the table after it; ``changed`` is what the commit did to each partition that it touched."""

    commit: Commit
    partitions: Mapping[PartitionValues, Statistics]
    changed: Mapping[PartitionValues, PartitionChange]


class MemoryTableWithHistory(TableWithHistory):
    """A table that is written commit by commit and remembers them, as Delta, Iceberg and Paimon do; thread-safe.

    Each verb of a writer is one commit over the partitions given to it, and returns the snapshot it made.

    Args:
        name: as ``requires`` calls the table.
        keys: the partition columns with their Hive types; () for a table without partitions, whose only one is ``()``.
        format: the format it passes for.
        clock_ms: when commits are made by their writer's clock, in milliseconds since 1970.
        storage_clock_ms: the same by that of the storage; what is later counts.
    """

    def __init__(
        self,
        name: str,
        keys: Sequence[Column] = (),
        *,
        format: str = "delta",  # noqa: A002 - the field's name
        clock_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
        storage_clock_ms: Callable[[], int] = lambda: 0,
    ) -> None:
        self.name = name
        self.format = format
        self._keys = tuple(keys)
        self._clock_ms = clock_ms
        self._storage_clock_ms = storage_clock_ms
        self._guard = threading.Lock()
        self._table_id = str(uuid.uuid4())
        self._commits = 0
        self._history: tuple[_State, ...] = ()

    def append(
        self,
        *values: Sequence[str | None],
        files: int = 1,
        records: int = 1,
        bytes: int = 1,  # noqa: A002 - the word of the statistics
        properties: Mapping[str, str] | None = None,
        watermark_ms: int | None = None,
    ) -> Snapshot:
        """Add so much data to each of the partitions.

        Raises:
            InvalidInputError: not one value for each partition column.
        """
        return self._commit(
            "append",
            values,
            lambda found, now: _plus(found, Statistics(files, records, bytes, now)),
            properties,
            watermark_ms,
        )

    def overwrite(
        self,
        *values: Sequence[str | None],
        files: int = 1,
        records: int = 1,
        bytes: int = 1,  # noqa: A002 - the word of the statistics
        properties: Mapping[str, str] | None = None,
        watermark_ms: int | None = None,
    ) -> Snapshot:
        """Put so much data in the place of all that each of the partitions has."""
        return self._commit(
            "overwrite", values, lambda _, now: Statistics(files, records, bytes, now), properties, watermark_ms
        )

    def compact(self, *values: Sequence[str | None]) -> Snapshot:
        """Rewrite the files of each of the partitions as one; missing ones do not matter."""
        return self._commit("compact", values, lambda found, _: found and replace(found, files=1), rewrites=True)

    def delete(self, *values: Sequence[str | None]) -> Snapshot:
        """Delete each of the partitions with all its data; missing ones do not matter."""
        return self._commit("delete", values, lambda *_: None)

    def expire(self, keep: int = 1) -> None:
        """Forget all commits but the last ``keep``; the partitions stay."""
        with self._guard:
            self._history = self._history[-keep:]

    def recreate(self) -> None:
        """Drop the table and recreate it, empty: ids start again, under another ``table_id``."""
        with self._guard:
            self._table_id, self._commits, self._history = str(uuid.uuid4()), 0, ()

    def make_anew(self) -> None:
        """The former name of ``recreate``, deprecated."""
        warnings.warn("make_anew is now called recreate.", DeprecationWarning, stacklevel=2)
        self.recreate()

    def copied(self) -> Callable[[], None]:
        """Copy the table; what is returned puts the copy in its place, so that ids are given to other commits again."""
        with self._guard:
            copy = self._table_id, self._commits, self._history

        def restore() -> None:
            with self._guard:
                self._table_id, self._commits, self._history = copy

        return restore

    def current_state(self, known: TableState | None = None) -> TableState:  # noqa: ARG002 - it is found as quickly without
        newest = self._history[-1:]
        return TableState(newest[0].commit.snapshot if newest else None, self._keys)

    def list_partitions(self) -> PartitionListing:
        newest = self._history[-1:]
        partitions = dict(newest[0].partitions) if newest else {}
        if not self._keys:
            partitions = {(): partitions.get((), Statistics(0, 0, 0))}
        snapshot = newest[0].commit.snapshot if newest else None
        return PartitionListing(
            self.name, self.format, self._keys, list(partitions), snapshot, list(partitions.values())
        )

    def changes(self, since: Snapshot, until: Snapshot) -> Changes:
        if since.is_same_as(until):
            return Changes()
        history = self._history
        if since.table_id != until.table_id:
            return Changes(unknown=f"{self.name} was recreated since snapshot {since.id}")
        at = [[state.commit.snapshot.is_same_as(one) for state in history] for one in (since, until)]
        missing = [one.id for one, found in zip((since, until), at, strict=True) if not any(found)]
        if missing:
            return Changes(unknown=f"snapshot {missing[0]} of {self.name} has expired")
        first, last = (found.index(True) for found in at)
        if first > last:
            return Changes(unknown=f"{self.name} was rolled back from snapshot {since.id} to {until.id}")
        return Changes.of_commits(state.changed for state in history[first + 1 : last + 1])

    def commits(self, until: Snapshot) -> Iterator[Commit]:
        made = [state.commit for state in self._history]
        last = next((at for at, commit in enumerate(made) if commit.snapshot.is_same_as(until)), -1)
        yield from reversed(made[: last + 1])

    def _commit(
        self,
        operation: str,
        values: Iterable[Sequence[str | None]],
        after: Callable[[Statistics | None, int], Statistics | None],
        properties: Mapping[str, str] | None = None,
        watermark_ms: int | None = None,
        *,
        rewrites: bool = False,
    ) -> Snapshot:
        """Commit what ``after`` makes of each partition, given its statistics (None: not there) and the time."""
        touched = [_checked(self.name, self._keys, one) for one in values]
        with self._guard:
            now = max(self._clock_ms(), self._storage_clock_ms())
            self._commits += 1
            snapshot = Snapshot(str(self._commits), self._table_id, now, watermark_ms, str(uuid.uuid4()))
            partitions = dict(self._history[-1].partitions) if self._history else {}
            changed = {}
            for one in touched:
                before = partitions.pop(one, None)
                made = after(before, now)
                if made is not None:
                    partitions[one] = made
                if made is not None or before is not None:
                    files, records, size = (new - old for new, old in zip(_sizes(made), _sizes(before), strict=True))
                    added_at = now if made is not None and not rewrites else None
                    changed[one] = PartitionChange((snapshot.id,), rewrites, files, records, size, added_at)
            commit = Commit(snapshot, operation, dict(properties or {}), is_first=self._commits == 1)
            self._history += (_State(commit, partitions, changed),)
            return snapshot


def _plus(found: Statistics | None, more: Statistics) -> Statistics:
    files, records, size = (before + new for before, new in zip(_sizes(found), _sizes(more), strict=True))
    return Statistics(files, records, size, more.modified_at_ms)


def _sizes(found: Statistics | None) -> tuple[int, int, int]:
    return (found.files or 0, found.records or 0, found.bytes or 0) if found else (0, 0, 0)


def _checked(table: str, keys: Sequence[Column], values: Sequence[str | None]) -> PartitionValues:
    if len(values) != len(keys):
        raise InvalidInputError(
            f"Cannot add the partition {tuple(values)!r} to {table}: it has {len(keys)} partition columns "
            f"({', '.join(key.name for key in keys)}). Give one value for each.",
            table=table,
        )
    return tuple(values)
