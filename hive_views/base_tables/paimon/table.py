"""Partitions of Paimon tables, read from their metadata: snapshots, and the manifests that these name.

A snapshot is a list of manifests from before (the base) and one of what its commit did (the delta). So a listing is all
files of base and delta, and what changed since is the deltas in between.

``partition.mark-done-action`` marks complete partitions: by ``.done`` partitions and events in the metastore, of a
table that has ``metastore.partitioned-table``, and by ``_SUCCESS`` in the directory of a partition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date, timedelta
from itertools import chain, groupby, pairwise, product, repeat
from typing import TypeVar

from hive_views.base_tables import markers
from hive_views.base_tables.paimon.keys import PartitionReader, hive_type_of
from hive_views.base_tables.paimon.manifests import DeletionVector, FileEntry, Manifests
from hive_views.base_tables.paimon.snapshots import PaimonSchema, PaimonSnapshot, SnapshotFiles
from hive_views.base_tables.paimon.statistics import WESTERNMOST, PartitionSums, clocks_ahead
from hive_views.base_tables.port import (
    Changes,
    Commit,
    MetastoreReader,
    PartitionChange,
    PartitionListing,
    PartitionValues,
    Snapshot,
    Statistics,
    TableState,
    TableWithHistory,
    TableWithMarkers,
)
from hive_views.errors import CorruptMetadataError, NoSuchTableError, UnsupportedFeatureError
from hive_views.hive.partition_names import partition_name
from hive_views.hive.row import Column
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.files import Files

_ATTEMPTS = 5
_SNAPSHOTS_FOR_THE_ZONE = 10
# The default of partition.default-name.
_NULL = "__DEFAULT_PARTITION__"
_Read = TypeVar("_Read")


class PaimonBaseTable(TableWithHistory, TableWithMarkers):
    """A Paimon table, append or primary-key.

    After a roll-back Paimon gives the ids of snapshots anew, so that only ``Snapshot.commit_id`` distinguishes two
    of one id. ``Snapshot.table_id`` is the time when the first schema was made, and stays when snapshots expire.

    How many records a partition of a primary-key table has is known where nothing is left to merge, since only
    reading shows how many keys its files have in common (``DataSplit.mergedRowCount``).

    Args:
        location: the directory that has ``snapshot``, ``schema`` and ``manifest``.
        metastore: where it is registered as ``identifier``; None for a table that is known by its location only.
    """

    format = "paimon"

    def __init__(
        self,
        name: str,
        location: str,
        files: Files,
        metastore: MetastoreReader | None = None,
        identifier: TableIdentifier | None = None,
    ) -> None:
        self.name = name
        self._location = location.rstrip("/")
        self._files = files
        self._registration = (metastore, identifier) if metastore and identifier else None
        self._snapshots = SnapshotFiles(files, self._location, name)
        self._manifests = Manifests(files, self._location, name)
        self._stamped: tuple[int, int | None] | None = None

    def current_state(self, known: TableState | None = None) -> TableState:  # noqa: ARG002 - it is found as quickly without
        """The newest state, from two listings and as many small files."""
        return self._until_it_holds(self._state)

    def stamp(self) -> str:
        """The number of the newest snapshot, and when it was written."""
        self._stamped = self._snapshots.stamp(self._stamped)
        return repr(self._stamped)

    def list_partitions(self) -> PartitionListing:
        """The partitions of the newest snapshot that have files."""
        return self._until_it_holds(self._listing)

    def changes(self, since: Snapshot, until: Snapshot) -> Changes:
        """What the snapshots after ``since`` up to and with ``until`` did; all of them must still be there."""
        if since.is_same_as(until):
            return Changes()
        try:
            schema = self._snapshots.newest_schema()
            line = self._line(since, until, schema)
            return line if isinstance(line, Changes) else self._changes(line, schema)
        except FileNotFoundError:
            return Changes(
                unknown=f"a snapshot of {self.name} between {since.id} and {until.id} has expired or was rolled back"
            )
        except (NoSuchTableError, UnsupportedFeatureError, CorruptMetadataError) as e:
            return Changes(unknown=str(e))

    def commits(self, until: Snapshot) -> Iterator[Commit]:
        """The commits up to ``until``; none when it has expired or been rolled back, and none behind a gap."""
        numbers = range(_number(until), 0, -1)
        with suppress(FileNotFoundError):
            schema = self._snapshots.newest_schema()
            for number, snapshot in zip(numbers, self._snapshots.read_all(numbers), strict=True):
                if str(number) == until.id and not snapshot.is_same_as(until, schema):
                    return
                yield snapshot.commit(schema)

    def done_events(self, values: Iterable[PartitionValues]) -> frozenset[PartitionValues]:
        return markers.done_events(*self._registered("events"), self._names(values))

    def done_files(self, values: Iterable[PartitionValues], name: str = "_SUCCESS") -> frozenset[PartitionValues]:
        directories = {
            one: [f"{self._location}/{partition}" for partition in several]
            for one, several in self._names(values).items()
        }
        return markers.done_files(self._files, directories, name)

    def done_partitions(self, values: Iterable[PartitionValues]) -> frozenset[PartitionValues]:
        return markers.done_partitions(*self._registered("partitions that end in .done"), self._names(values))

    def _registered(self, marks: str) -> tuple[MetastoreReader, TableIdentifier]:
        if self._registration is None:
            raise UnsupportedFeatureError(
                f"Cannot look for {marks} of {self.name}: the metastore has them. Name the table as namespace.name.",
                table=self.name,
            )
        return self._registration

    def _names(self, values: Iterable[PartitionValues]) -> dict[PartitionValues, list[str]]:
        keys = self.current_state().keys
        columns = [key.name for key in keys]
        return {
            one: [partition_name(columns, texts) for texts in product(*map(_spellings, keys, one))] for one in values
        }

    def _until_it_holds(self, read: Callable[[], _Read]) -> _Read:
        """Read the newest state, and the then newest one when a file of it expires meanwhile."""
        missing = None
        for _ in range(_ATTEMPTS):
            try:
                return read()
            except FileNotFoundError as e:  # noqa: PERF203 - to try again is the point
                missing = e
        raise CorruptMetadataError(
            f"Cannot read {self.name}: {_ATTEMPTS} attempts to read the newest snapshot failed over a missing file, "
            f"the last over {missing}. Snapshots must be kept for longer than it takes to read one "
            f"(snapshot.time-retained); or a file was deleted by hand.",
            location=str(missing),
        ) from missing

    def _state(self) -> TableState:
        snapshot = self._snapshots.newest()
        schema = self._schema(snapshot)
        return TableState(snapshot.port_snapshot(schema) if snapshot else None, self._keys(schema))

    def _schema(self, snapshot: PaimonSnapshot | None) -> PaimonSchema:
        """The newest schema, by which a snapshot is read, with the partition columns of the snapshot's own."""
        newest = self._snapshots.newest_schema()
        return self._with_columns_of(snapshot.schema_id, newest) if snapshot else newest

    def _with_columns_of(self, schema_id: int, newest: PaimonSchema) -> PaimonSchema:
        if schema_id == newest.id:
            return newest
        return replace(newest, partition_columns=self._snapshots.schema(schema_id).partition_columns)

    def _keys(self, schema: PaimonSchema) -> tuple[Column, ...]:
        return tuple(
            Column(name, hive_type_of(type_, column=name, table=self.name)) for name, type_ in schema.partition_columns
        )

    def _listing(self) -> PartitionListing:
        snapshot = self._snapshots.newest()
        schema = self._schema(snapshot)
        found = self._sums(snapshot, schema) if snapshot else {}
        if not schema.partition_columns:
            found = {(): found.get((), Statistics(0, 0, 0))}
        return PartitionListing(
            self.name,
            self.format,
            self._keys(schema),
            list(found),
            snapshot.port_snapshot(schema) if snapshot else None,
            list(found.values()),
        )

    def _sums(self, snapshot: PaimonSnapshot, schema: PaimonSchema) -> dict[PartitionValues, Statistics]:
        [newest_files] = self._manifests.changed_files([snapshot.delta_list])
        sums = PartitionSums(PartitionReader(schema.partition_columns, self.name), schema)
        [vectors] = self._deletion_vectors([snapshot])
        for file in self._manifests.live_files(snapshot.base_list, newest_files):
            if not schema.hides(file.bucket, file.level):
                sums.of(file.partition).add(file)
                if vector := vectors.get(file.name):
                    sums.of(file.partition).delete(vector.records)
        ahead = self._clocks_ahead(snapshot, newest_files)
        return {values: one.statistics(ahead, snapshot.committed_at_ms) for values, one in sums.items() if one.files}

    def _clocks_ahead(self, snapshot: PaimonSnapshot, files: Sequence[FileEntry]) -> timedelta:
        """How far the wall clocks of the writers are ahead of UTC, as the newest commit that added files shows."""
        for number in range(snapshot.id - 1, max(-1, snapshot.id - _SNAPSHOTS_FOR_THE_ZONE), -1):
            ahead = clocks_ahead(files, snapshot.committed_at_ms)
            if ahead is not None:
                return ahead
            try:
                snapshot = self._snapshots.read(number)
                [files] = self._manifests.changed_files([snapshot.delta_list])
            except FileNotFoundError:
                break
        return WESTERNMOST

    def _line(self, since: Snapshot, until: Snapshot, schema: PaimonSchema) -> list[PaimonSnapshot] | Changes:
        """The snapshots from ``since`` to ``until``, or why they are unknown.

        The newest is read when all others have been, so that a roll-back meanwhile takes at least that one away.
        """
        first, last = _number(since), _number(until)
        if first > last:
            return Changes(unknown=f"{self.name} was rolled back from snapshot {since.id} to {until.id}")
        line: list[PaimonSnapshot] = []
        read = chain(self._snapshots.read_all(range(first, last)), map(self._snapshots.read, [last]))
        for number in range(first, last + 1):
            try:
                line.append(next(read))
            except FileNotFoundError:
                return Changes(unknown=f"snapshot {number} of {self.name} has expired or was rolled back")
            for one in (since, until):
                if str(number) == one.id and not line[-1].is_same_as(one, schema):
                    return Changes(
                        unknown=f"snapshot {number} of {self.name} is now another one after a roll-back or a recreation"
                    )
        if unknown := [one for one in line if not one.has_known_kind]:
            return Changes(unknown=f"snapshot {unknown[0].id} of {self.name} is an unknown {unknown[0].kind}")
        return line

    def _changes(self, line: list[PaimonSnapshot], newest: PaimonSchema) -> Changes:
        schema, *others = (self._with_columns_of(number, newest) for number in {one.schema_id for one in line})
        if any(one != schema for one in others):
            return Changes(unknown=f"the partition columns of {self.name} were changed")
        return Changes.of_commits(self._changes_by_commit(line, schema))

    def _changes_by_commit(
        self, line: list[PaimonSnapshot], schema: PaimonSchema
    ) -> Iterator[Mapping[PartitionValues, PartitionChange]]:
        partitions = PartitionReader(schema.partition_columns, self.name)
        files = self._manifests.changed_files([one.delta_list for one in line[1:]])
        vectors = pairwise(self._deletion_vectors(line))
        for snapshot, changed_files, (was, now) in zip(line[1:], files, vectors, strict=True):
            sums = PartitionSums(partitions, schema)
            _add_changes(sums, changed_files, schema)
            _delete_rows(sums, changed_files, was, now)
            yield {values: one.change(snapshot) for values, one in sums.items()}

    def _deletion_vectors(self, line: Sequence[PaimonSnapshot]) -> Iterator[Mapping[str, DeletionVector]]:
        """Those of each snapshot by data file, read once where no commit changed them."""
        runs = [(name, len([*same])) for name, same in groupby(one.index_manifest for one in line)]
        read = self._manifests.deletion_vectors([name for name, _ in runs if name])
        return chain.from_iterable(repeat(next(read) if name else {}, length) for name, length in runs)


def _add_changes(sums: PartitionSums, files: Iterable[FileEntry], schema: PaimonSchema) -> None:
    for file in files:
        if not schema.hides(file.bucket, file.level):
            sums.of(file.partition).add(file)
        elif not file.is_added:
            sums.of(file.partition).reveal()


def _delete_rows(
    sums: PartitionSums,
    files: Iterable[FileEntry],
    was: Mapping[str, DeletionVector],
    now: Mapping[str, DeletionVector],
) -> None:
    """Leave out the rows in the deletion vectors that a commit wrote; it may have done nothing else.

    A vector goes with its file, whether or not it is listed any longer: a compaction leaves it in the index.
    """
    gone = {file.name for file in files if not file.is_added} - {file.name for file in files if file.is_added}
    for name in gone & was.keys():
        sums.of(was[name].partition).delete(was[name].records, sign=-1)
    if now is not was:
        for name in now.keys() - gone:
            before = was.get(name)
            if now[name] != before:
                sums.of(now[name].partition).delete(now[name].records)
                if before:
                    sums.of(before.partition).delete(before.records, sign=-1)


def _spellings(key: Column, text: str | None) -> list[str]:
    if text is None:
        return [_NULL]
    # partition.legacy-name, true by default, writes a date as its days since 1970.
    days = [str((date.fromisoformat(text) - date(1970, 1, 1)).days)] if key.type == "date" else []
    return [text, *days]


def _number(snapshot: Snapshot) -> int:
    """Paimon's id of a snapshot; 0, which none has, for one of another format."""
    return int(snapshot.id) if snapshot.id.isascii() and snapshot.id.isdigit() else 0
