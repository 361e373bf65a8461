"""Iceberg tables as base tables: partitions, history and changes, read from metadata alone.

Everything read is of one metadata file, and of one snapshot in it: files of a snapshot never change.

Who reads what: pyiceberg parses the metadata file and knows schemas, partition specs and transforms, by its public API;
manifest lists and manifests are read by our own reader over fastavro (manifests.py). pyiceberg would read these too,
but takes three to six times as long, holds every record, and does not bound what a damaged or hostile file unpacks to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from hive_views.base_tables.iceberg.keys import PartitionKeys
from hive_views.base_tables.iceberg.manifests import ManifestEntries, ManifestReader, Status
from hive_views.base_tables.iceberg.table_metadata import TableMetadata, TableSnapshot, parse_metadata, read_metadata
from hive_views.base_tables.iceberg.tally import Growth, listed
from hive_views.base_tables.port import (
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
from hive_views.errors import CorruptMetadataError
from hive_views.storage.files import Files

_Entries = Iterable[ManifestEntries]
# How often a listing starts anew because its files were expired while it read them.
_ATTEMPTS = 3


class IcebergBaseTable(TableWithHistory):
    """An Iceberg table of format version 1, 2 or 3.

    Args:
        metadata_location: where the newest metadata file is; asked whenever the newest state is wanted. In the
            metastore that is the parameter ``metadata_location`` of the table's row, on storage what
            ``table_metadata.find_metadata_file`` finds.
        branch: a branch or tag to read in place of ``main``.
    """

    format = "iceberg"

    def __init__(
        self, name: str, metadata_location: Callable[[], str], files: Files, branch: str | None = None
    ) -> None:
        self.name = name
        self._metadata_location = metadata_location
        self._files = files
        self._branch = branch
        self._manifests = ManifestReader(files, name)
        self._known: tuple[bytes, TableMetadata] | None = None
        self._reported: Snapshot | None = None

    def current_state(self, known: TableState | None = None) -> TableState:
        """The newest snapshot, from one file. With ``known``, a line of history keeps its name when its first snapshots
        expire.
        """
        metadata = self._newest()
        head = metadata.head(self._branch, self.name)
        if known and known.snapshot:
            self._reported = known.snapshot
        return TableState(self._current(metadata, head), metadata.keys.columns)

    def stamp(self) -> str:
        """The name of the newest metadata file, which each commit changes: one call of the metastore."""
        return self._metadata_location()

    def list_partitions(self) -> PartitionListing:
        """The partitions of the newest snapshot, from the metadata file, one manifest list and its manifests."""
        for _ in range(_ATTEMPTS):
            metadata = self._newest()
            try:
                return self._listing(metadata)
            except FileNotFoundError as e:
                # Snapshots may expire while they are read; what is missing from the newest state is lost.
                missing = e
                if metadata.location == self._metadata_location():
                    break
        raise CorruptMetadataError(
            f"Cannot list the partitions of {self.name}: a manifest of its newest snapshot is missing ({missing}). "
            f"Restore the file, or roll the table back.",
            table=self.name,
        ) from missing

    def changes(self, since: Snapshot, until: Snapshot) -> Changes:
        """What the snapshots after ``since`` did, from the manifests alone that they added."""
        metadata = self._knowing(until)
        if problem := _unrelated(metadata, since, until):
            return Changes(unknown=problem)
        walked = []
        for snapshot in metadata.ancestors(int(until.id)):
            if str(snapshot.id) == since.id:
                break
            walked.append(snapshot)
            if str(snapshot.parent_id) == since.id:
                break
        else:
            return Changes(unknown=_not_reached(metadata, since, until, walked))
        walked.reverse()
        try:
            committed_at_ms = list(self._all_committed_at_ms(walked))
            growths = self._growths(walked, metadata.keys)
            return Changes.of_commits(
                {values: _change(snapshot, growth, at_ms) for values, growth in grown.items()}
                for (snapshot, grown), at_ms in zip(growths, committed_at_ms, strict=True)
            )
        except FileNotFoundError as e:
            return Changes(unknown=f"snapshots up to {until.id} have expired in the meantime ({e})")

    def commits(self, until: Snapshot) -> Iterator[Commit]:
        """The snapshots down from ``until``, from the metadata file and the times of manifest lists."""
        metadata = self._knowing(until)
        ancestors = list(metadata.ancestors(int(until.id)))
        committed_at_ms = self._all_committed_at_ms(ancestors, missing_ok=True)
        for snapshot, at_ms in zip(ancestors, committed_at_ms, strict=True):
            state = metadata.port_snapshot(snapshot, until.table_id, at_ms)
            yield Commit(state, snapshot.operation, snapshot.summary, is_first=snapshot.is_first)

    def _newest(self) -> TableMetadata:
        location = self._metadata_location()
        content = read_metadata(self._files, location, self.name)
        # Without a catalog, a table that is recreated in its old place begins with a file of the same name.
        if self._known is None or self._known[0] != content or self._known[1].location != location:
            self._known = content, parse_metadata(content, location, self.name)
        return self._known[1]

    def _knowing(self, snapshot: Snapshot) -> TableMetadata:
        """Metadata with this snapshot, or the newest; the last one that was read may have it."""
        if self._known and int(snapshot.id) in self._known[1].snapshots:
            return self._known[1]
        return self._newest()

    def _listing(self, metadata: TableMetadata) -> PartitionListing:
        keys, head = metadata.keys, metadata.head(self._branch, self.name)
        found: dict[PartitionValues, Statistics] = {}
        if head:
            *_, oldest = metadata.ancestors(head.id)
            # What has expired was older than the oldest ancestor that is left, and all others are not.
            oldest_ms = self._committed_at_ms(oldest)

            def written_at_ms(snapshot_id: int) -> int:
                is_known = snapshot_id in metadata.snapshots
                return max(metadata.rows_written_at_ms(snapshot_id), oldest_ms) if is_known else oldest_ms

            deletes, data = self._entries(metadata, head)
            found |= listed(deletes, data, keys, written_at_ms)
        if not keys.columns:
            found.setdefault((), Statistics(files=0, records=0, bytes=0))
        snapshot = self._current(metadata, head)
        return PartitionListing(self.name, self.format, keys.columns, list(found), snapshot, list(found.values()))

    def _current(self, metadata: TableMetadata, head: TableSnapshot | None) -> Snapshot | None:
        if head is None:
            return None
        self._reported = metadata.port_snapshot(head, metadata.line(head, self._reported), self._committed_at_ms(head))
        return self._reported

    def _committed_at_ms(self, snapshot: TableSnapshot) -> int:
        return next(self._all_committed_at_ms([snapshot], missing_ok=True))

    def _all_committed_at_ms(self, snapshots: Sequence[TableSnapshot], *, missing_ok: bool = False) -> Iterator[int]:
        """The later of what writers' clocks said and the storage's, which got the manifest lists right before.

        Raises:
            FileNotFoundError: a manifest list has expired; with ``missing_ok`` only the writer's clock counts for it.
        """
        locations = [one.manifest_list for one in snapshots]
        written = self._files.all_modified_at_ms(locations, missing_ok=missing_ok)
        for snapshot, written_at_ms in zip(snapshots, written, strict=True):
            yield max(snapshot.committed_at_ms, written_at_ms or 0)

    def _entries(self, metadata: TableMetadata, head: TableSnapshot) -> tuple[_Entries, _Entries]:  # noqa: ARG002
        """The files of a snapshot: those with deletes, and those with data."""
        [listed] = self._manifests.list_manifests([head.manifest_list])
        manifests = [one for one in listed if one.has_live]
        deletes = [one for one in manifests if one.has_deletes]
        data = [one for one in manifests if not one.has_deletes]
        return self._manifests.read(deletes), self._manifests.read(data)

    def _growths(
        self, snapshots: Sequence[TableSnapshot], keys: PartitionKeys
    ) -> Iterator[tuple[TableSnapshot, dict[PartitionValues, Growth]]]:
        """What each of these did, in their order; the files of several are read at once."""
        added = []
        lists = self._manifests.list_manifests([one.manifest_list for one in snapshots])
        for snapshot, manifests in zip(snapshots, lists, strict=True):
            own = [one for one in manifests if one.snapshot_id == snapshot.id and one.has_changes]
            deletes = [one for one in manifests if one.has_deletes]
            added.append((snapshot, own, bool(deletes), any(one.snapshot_id != snapshot.id for one in deletes)))
        read = self._manifests.read([manifest for _, own, *_ in added for manifest in own])
        for snapshot, own, has_deletes, has_older_deletes in added:
            grown: dict[PartitionValues, Growth] = {}
            had_deletes = has_older_deletes
            for manifest, field_ids, entries in islice(read, len(own)):
                values_of = keys.reader(manifest.spec_id, field_ids)
                for entry in entries:
                    had_deletes |= manifest.has_deletes and entry.status != Status.ADDED
                    if entry.status != Status.EXISTING and entry.snapshot_id == snapshot.id:
                        growth = grown.setdefault(values_of(entry.partition), Growth())
                        growth.add(entry, is_rewrite=snapshot.is_rewrite, has_deletes=has_deletes)
            for growth in grown.values():
                growth.settle(had_deletes=had_deletes)
            yield snapshot, grown


def _change(snapshot: TableSnapshot, growth: Growth, committed_at_ms: int) -> PartitionChange:
    return PartitionChange(
        (str(snapshot.id),),
        snapshot.is_rewrite,
        growth.files,
        growth.records,
        growth.bytes,
        committed_at_ms if growth.has_new_data else None,
    )


def _unrelated(metadata: TableMetadata, since: Snapshot, until: Snapshot) -> str | None:
    """Why the two are no states of one line of history."""
    if since.table_id.partition("/")[0] != metadata.uuid or until.table_id.partition("/")[0] != metadata.uuid:
        return "the table was dropped and recreated"
    if not metadata.is_comparable(since) or not metadata.is_comparable(until):
        return "its partition columns were changed"
    if int(until.id) not in metadata.snapshots:
        return f"snapshot {until.id} has expired"
    return None


def _not_reached(metadata: TableMetadata, since: Snapshot, until: Snapshot, walked: list[TableSnapshot]) -> str:
    if int(since.id) in metadata.snapshots:
        return (
            f"snapshot {until.id} does not come after {since.id}: the table was rolled back or replaced, or has "
            f"branches"
        )
    if walked[-1].parent_id is None:
        # pyiceberg takes the id of what it expires out of the next snapshot, so that both look alike.
        return f"snapshot {since.id} is not in the history of {until.id}: it has expired, or was rolled back"
    return f"snapshot {walked[-1].parent_id} has expired, so that what came after {since.id} cannot be known"
