"""Data files of a Paimon table, counted by partition."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta, timezone

from hive_views.base_tables.paimon.keys import PartitionReader
from hive_views.base_tables.paimon.manifests import FileEntry
from hive_views.base_tables.paimon.snapshots import PaimonSchema, PaimonSnapshot
from hive_views.base_tables.port import PartitionChange, PartitionValues, Statistics

WESTERNMOST = timedelta(hours=-12)
_QUARTER_HOUR, _MINUTE = timedelta(minutes=15), timedelta(minutes=1)


def clocks_ahead(files: Iterable[FileEntry], committed_at_ms: int) -> timedelta | None:
    """How far the wall clocks of the writers are ahead of UTC, as a commit shows; None when it added no files.

    Files are created by a wall clock whose zone is written nowhere, but a commit follows its newest file at once. When
    that took longer, the answer is too far west: then files seem younger than they are, never older.
    """
    created = max((file.created_at for file in files if file.is_added and file.created_at), default=None)
    if created is None:
        return None
    # A minute, for clocks that differ.
    late = _datetime(committed_at_ms) - created + _MINUTE
    return -(late // _QUARTER_HOUR) * _QUARTER_HOUR


class PartitionSum:
    """Files of one partition, counted; below 0 where a commit deleted more than it added.

    Each row is counted once, however many files hold its columns (``splits_rows`` of the schema). How many rows are
    left of files that readers merge (``merges_files``) is known where nothing is left to merge: in each bucket one
    sorted run, which is a file of level 0 or all of another level.
    """

    __slots__ = (
        "_row_ids",
        "_runs",
        "_schema",
        "bytes",
        "created_at",
        "files",
        "has_additions",
        "records",
        "was_revealed",
    )

    def __init__(self, schema: PaimonSchema) -> None:
        self._schema = schema
        self._row_ids: list[tuple[int, int]] = []
        self._runs: dict[int, int | str] = {}
        self.files = 0
        self.bytes = 0
        self.records: int | None = 0
        self.created_at: datetime | None = None
        self.has_additions = False
        self.was_revealed = False

    def add(self, file: FileEntry) -> None:
        sign = 1 if file.is_added else -1
        self.has_additions |= file.is_added
        self.files += sign
        self.bytes += sign * file.bytes
        if self._schema.merges_files and not self._is_alone(file):
            self.records = None
        elif self._schema.splits_rows and file.first_row_id is not None:
            self._row_ids.append((file.first_row_id, file.records))
        elif self.records is not None:
            self.records += sign * file.records
        if file.is_added and file.created_at and (self.created_at is None or file.created_at > self.created_at):
            self.created_at = file.created_at

    def _is_alone(self, file: FileEntry) -> bool:
        """Whether no other file that was added has the keys of this one, and it says how many rows it deletes."""
        run = file.level or file.name
        return file.deletions is not None and self._runs.setdefault(file.bucket, run) == run

    def delete(self, records: int | None, sign: int = 1) -> None:
        """Leave out the rows in deletion vectors; None when it is unknown how many these are."""
        self.records = None if records is None or self.records is None else self.records - sign * records

    def reveal(self) -> None:
        """Say that a compaction took up rows which no reader saw before."""
        self.was_revealed = True

    def statistics(self, ahead: timedelta, committed_at_ms: int) -> Statistics:
        """Of a listing; no file is younger than the snapshot it is in."""
        modified_at_ms = None
        if self.created_at:
            modified_at_ms = min((self.created_at - ahead - _datetime(0)) // timedelta(milliseconds=1), committed_at_ms)
        records = None if self.records is None else self.records + _rows_in(self._row_ids)
        return Statistics(self.files, records, self.bytes, modified_at_ms)

    def change(self, snapshot: PaimonSnapshot) -> PartitionChange:
        rewrites_only = snapshot.is_rewrite and not self.was_revealed
        has_new_data = self.has_additions and not rewrites_only
        return PartitionChange(
            commits=(str(snapshot.id),),
            rewrites_only=rewrites_only,
            files=self.files,
            # Which of these rows other files hold already, or still hold, a commit does not say.
            records=None if self._row_ids or self._schema.merges_files else self.records,
            bytes=self.bytes,
            modified_at_ms=snapshot.committed_at_ms if has_new_data else None,
        )


class PartitionSums(dict[PartitionValues, PartitionSum]):
    """The sums by partition."""

    def __init__(self, partitions: PartitionReader, schema: PaimonSchema) -> None:
        super().__init__()
        self._partitions = partitions
        self._schema = schema
        self._by_row: dict[bytes, PartitionSum] = {}

    def of(self, row: bytes) -> PartitionSum:
        """The sum for the partition in a binary row; a new one at first."""
        found = self._by_row.get(row)
        if found is None:
            new = PartitionSum(self._schema)
            found = self._by_row[row] = self.setdefault(self._partitions.values(row), new)
        return found


def _rows_in(row_ids: Iterable[tuple[int, int]]) -> int:
    """How many rows these files hold, by their first row and number of rows.

    Files whose rows overlap hold columns of the same ones, and of those the longest has all: several files of BLOBs may
    belong to one of the other columns (``DataSplit.mergedRowCount``).
    """
    total, longest, end = 0, 0, -1
    for first, rows in sorted(row_ids):
        if first >= end:
            total += longest
            longest = 0
        longest = max(longest, rows)
        end = max(end, first + rows)
    return total + longest


def _datetime(milliseconds: int) -> datetime:
    return datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(milliseconds=milliseconds)
