"""A view as plain values, free of its metastore: what is copied, kept in an archive, and compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from operator import itemgetter

from hive_views.errors import HiveViewsError
from hive_views.hive.limits import PARTITIONS_IN_A_CALL
from hive_views.hive.partition_names import partition_name
from hive_views.hive.row import COMMENT, DDL_TIME, OWNER, POINTER, Column, Partition, Row
from hive_views.messages.logs import logger_of
from hive_views.metastore.port import Partitions
from hive_views.persisted import PENDING_KEYS
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewMetadata, ViewVersion
from hive_views.views.catalog import ViewCatalog
from hive_views.views.changes.metadata_copies import content_properties
from hive_views.views.changes.on_drift import refuse_drift
from hive_views.views.changes.recovered_metadata import recovered_metadata
from hive_views.views.commit.partition_orphans import orphans_among
from hive_views.views.partitions.view_partitions import ViewPartitions
from hive_views.views.row.drift import differences
from hive_views.views.row.file_references import without_files
from hive_views.views.row.projection import fingerprint
from hive_views.views.row.released import before_release, file_of_half_released
from hive_views.views.view import View, pointer_of, view_at

log = logger_of(__name__)

# What servers add to partitions by themselves: times, and statistics of files that no view has.
_BY_SERVERS = frozenset(
    (DDL_TIME, "numFiles", "numFilesErasureCoded", "numRows", "rawDataSize", "totalSize", "COLUMN_STATS_ACCURATE")
)


@dataclass(frozen=True)
class RowSnapshot:
    """A view as the metastore has it, which is all that a plain view is.

    Attributes:
        identifier: its name.
        row: its row, without what only the metastore it came from understands.
        partitions: those that are declared, with the parameters that no server makes; () where it has no partition
            columns, and where they were not read.
    """

    identifier: TableIdentifier
    row: Row
    partitions: tuple[Partition, ...] = ()

    @property
    def partitions_by_name(self) -> dict[str, Partition]:
        """Its partitions by their names (``ds=2026-08-21/hr=0``)."""
        keys = [key.name for key in self.row.partition_keys]
        return {partition_name(keys, partition.values): partition for partition in self.partitions}


@dataclass(frozen=True)
class ViewSnapshot(RowSnapshot):
    """A view of this library with all that it is made of, wherever that was.

    Attributes:
        metadata: the content of its metadata file.
    """

    metadata: ViewMetadata = field(kw_only=True)


def read_snapshots(
    catalog: ViewCatalog, rows: Sequence[Row], *, with_partitions: bool = True, cached: bool = True
) -> Iterator[ViewSnapshot | HiveViewsError]:
    """The views of these rows in their order, or why one cannot be read whole.

    Their files are read several at once; partitions of partitioned views only, in batches.

    Args:
        catalog: where the rows are from.
        rows: of views of this library; of others, the outcome is an error that says so.
        with_partitions: read them too.
        cached: a file that was read or written before need not be read again.
    """
    pointers = [_pointer(row) for row in rows]
    files = catalog.storage.read_each((one for one in pointers if isinstance(one, str)), cached=cached)
    for row, pointer in zip(rows, pointers, strict=True):
        found = next(files) if isinstance(pointer, str) else pointer
        try:
            yield _snapshot(catalog, _whole(catalog, row, found), with_partitions)
        except HiveViewsError as error:
            yield error


def read_half_released(catalog: ViewCatalog, row: Row) -> ViewSnapshot | HiveViewsError:
    """The view whose release was interrupted, without partitions; or why it cannot be released as what it was."""
    location = file_of_half_released(row)
    try:
        metadata = catalog.storage.read(location)
        recovered_metadata(before_release(row, metadata), location, metadata, "fail", 0)
    except HiveViewsError as error:
        return error
    return ViewSnapshot(row.identifier, replace(row, native=None), metadata=metadata)


def read_plain(catalog: ViewCatalog, row: Row, wanted: RowSnapshot, *, with_partitions: bool) -> RowSnapshot:
    """What a row says as that of a plain view; its partitions only where it is the view that is ``wanted``."""
    snapshot = RowSnapshot(row.identifier, row)
    if not with_partitions or not row.partition_keys or any(_plain_rows(wanted, snapshot)):
        return snapshot
    fitting = fitting_partitions(catalog.metastore, row, [])
    return replace(snapshot, partitions=tuple(plain_partition(one) for _, one in fitting))


def with_partitions_of(catalog: ViewCatalog, snapshot: ViewSnapshot) -> ViewSnapshot:
    """The view with the partitions that are declared now."""
    row = snapshot.row
    view = View(snapshot.identifier, snapshot.metadata, row.parameters[POINTER], row)
    if not view.partition_keys:
        return snapshot
    of_view = ViewPartitions(catalog.engine, view)
    names = of_view.names()
    if orphans := set(orphans_among(names, of_view.keys)):
        log.warning(
            "view %s: %d partitions with other columns than the view are left out", view.identifier, len(orphans)
        )
    found = of_view.load([name for name in names if name not in orphans])
    return replace(snapshot, partitions=tuple(plain_partition(partition) for _, partition in found))


def fitting_partitions(metastore: Partitions, row: Row, orphans: list[str]) -> Iterator[tuple[str, Partition]]:
    """The partitions that fit a row, with their names, in an order that does not depend on the server.

    Args:
        metastore: where they are.
        row: one with partition columns.
        orphans: is given the names of those that do not fit, when the first is asked for.
    """
    keys, names = [key.name for key in row.partition_keys], sorted(metastore.partition_names(row.identifier))
    orphans += orphans_among(names, row.partition_keys)
    left_out = set(orphans)
    fitting = [name for name in names if name not in left_out]
    for start in range(0, len(fitting), PARTITIONS_IN_A_CALL):
        batch = metastore.load_partitions(row.identifier, fitting[start : start + PARTITIONS_IN_A_CALL])
        yield from sorted(((partition_name(keys, one.values), one) for one in batch), key=itemgetter(0))


def compare(wanted: RowSnapshot, found: RowSnapshot, *, uuid: bool = False, partitions: bool = True) -> list[str]:
    """In what a view is not what it should be, wherever it is; [] where it is the same.

    Who owns a view of this library is not looked at: one that takes the place of another keeps that one's owner.

    Args:
        wanted: what it should be.
        found: what it is.
        uuid: whether it should be the same view, and not only be alike.
        partitions: whether it should have the same partitions.
    """
    checks: list[Iterator[str]] = []
    if isinstance(wanted, ViewSnapshot) and isinstance(found, ViewSnapshot):
        checks += [_definitions(wanted.metadata, found.metadata), _properties(wanted.metadata, found.metadata)]
        checks.append(f"its row: {difference}" for difference in differences(found.row, found.metadata))
        if uuid and wanted.metadata.view_uuid != found.metadata.view_uuid:
            checks.append(iter([f"uuid: {found.metadata.view_uuid}, not {wanted.metadata.view_uuid}"]))
    else:
        checks.append(_plain_rows(wanted, found))
    checks += [_partitions(wanted, found)] if partitions else []
    return list(chain.from_iterable(checks))


def listed(differing: Sequence[str]) -> str:
    """The first of what ``compare`` found, and how many more there are."""
    more = f", and {len(differing) - 5} more" if len(differing) > 5 else ""
    return "; ".join(differing[:5]) + more


def _pointer(row: Row) -> str | HiveViewsError:
    try:
        return pointer_of(row)
    except HiveViewsError as error:
        return error


def _whole(catalog: ViewCatalog, row: Row, found: ViewMetadata | HiveViewsError) -> View:
    """The view of a row and the file that it pointed to; read again where the two do not agree.

    Raises:
        ViewDriftedError: the row says something that the file does not know, which a copy would lose.
    """
    if isinstance(found, HiveViewsError):
        # A commit may have come between the two, and a purge of what was before it.
        if catalog.metastore.load_row(row.identifier).parameters.get(POINTER) == row.parameters.get(POINTER):
            raise found
        view = catalog.load_view(row.identifier)
    else:
        view = view_at(row, found)
        if view.differences or PENDING_KEYS in row.parameters:
            # A second look shows whether it was being changed, and repairs an interrupted change.
            view = catalog.load_view(row.identifier)
    if any(difference.kind == "drifted" for difference in view.differences):
        refuse_drift(view)
    return view


def _snapshot(catalog: ViewCatalog, view: View, with_partitions: bool) -> ViewSnapshot:
    snapshot = ViewSnapshot(view.identifier, replace(view.row, native=None), metadata=view.metadata)
    return with_partitions_of(catalog, snapshot) if with_partitions else snapshot


def plain_partition(partition: Partition) -> Partition:
    return Partition(
        partition.values, {key: value for key, value in partition.parameters.items() if key not in _BY_SERVERS}
    )


# -- comparing ---------------------------------------------------------------------------------------------------------


def _definitions(wanted: ViewMetadata, found: ViewMetadata) -> Iterator[str]:
    versions = {version.version_id: version for version in found.versions}
    for version in wanted.versions:
        other = versions.pop(version.version_id, None)
        if other is None:
            yield f"version {version.version_id} is missing"
        else:
            yield from _versions(version, other)
            if wanted.schema_of(version) != found.schema_of(other):
                yield f"columns of version {version.version_id}"
    for version_id in versions:
        yield f"version {version_id} is unexpected"
    if wanted.current_version_id != found.current_version_id:
        yield f"current version: {found.current_version_id}, not {wanted.current_version_id}"
    if wanted.version_log != found.version_log:
        yield "history"


def _versions(wanted: ViewVersion, found: ViewVersion) -> Iterator[str]:
    texts = {text.dialect.lower(): text.sql for text in found.sql_representations}
    for text in wanted.sql_representations:
        if texts.pop(text.dialect.lower(), None) != text.sql:
            yield f"{text.dialect} SQL of version {wanted.version_id}"
    for dialect in texts:
        yield f"{dialect} SQL of version {wanted.version_id} is unexpected"
    if wanted.summary != found.summary or wanted.default_namespace != found.default_namespace:
        yield f"summary or default namespace of version {wanted.version_id}"


def _properties(wanted: ViewMetadata, found: ViewMetadata) -> Iterator[str]:
    should, is_ = content_properties(wanted), content_properties(found)
    for key in sorted({*should, *is_} - {OWNER}):
        if should.get(key) != is_.get(key):
            yield f"comment: {is_.get(key)!r}, not {should.get(key)!r}" if key == COMMENT else f"property {key}"


def _plain_rows(wanted: RowSnapshot, found: RowSnapshot) -> Iterator[str]:
    """Readers take the same from both; what points to files may be left out, and servers add parameters."""

    def is_same(row: Row) -> bool:
        should = {key: value for key, value in row.parameters.items() if key != DDL_TIME}
        return fingerprint(found.row) == fingerprint(row) and should.items() <= dict(found.row.parameters).items()

    if not is_same(wanted.row) and not is_same(without_files(wanted.row)):
        yield "it is not the same plain view"


def _partitions(wanted: RowSnapshot, found: RowSnapshot) -> Iterator[str]:
    if _names_and_types(wanted.row.partition_keys) != _names_and_types(found.row.partition_keys):
        yield "partition columns"
    there = found.partitions_by_name
    for name, partition in wanted.partitions_by_name.items():
        other = there.pop(name, None)
        if other is None:
            yield f"partition {name} is missing"
        elif partition.parameters != other.parameters:
            yield f"parameters of partition {name}"
    for name in there:
        yield f"partition {name} is unexpected"


def _names_and_types(columns: Sequence[Column]) -> list[tuple[str, str]]:
    return [(column.name, column.type) for column in columns]
