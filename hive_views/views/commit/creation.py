"""Where a row gets the first file of an incarnation: a new row, or one that lost its file or gets another.

No two rows point to the same file: a registered row points to a copy, so that each can be purged independently of the
other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from types import MappingProxyType

from hive_views.errors import Answer, CommitFailedError, InvalidInputError
from hive_views.hive.row import DDL_TIME, OWNER, POINTER, Row
from hive_views.persisted import OWN_PREFIX
from hive_views.spec.identifiers import Identifier, TableIdentifier
from hive_views.spec.metadata import ViewMetadata
from hive_views.spec.serde import metadata_directory, next_location
from hive_views.storage.locations import absolute_location
from hive_views.storage.metadata_files import Listed, is_metadata_file
from hive_views.views.changes.metadata_copies import owned_as, relocated, with_storage_of
from hive_views.views.changes.on_drift import Drift
from hive_views.views.changes.recovered_metadata import foreign_parameters, recovered_metadata
from hive_views.views.commit.engine import Engine, after_all
from hive_views.views.commit.inherited_metadata import directories_taken_over
from hive_views.views.commit.partition_orphans import refuse_orphans
from hive_views.views.commit.writes import refuse_taken, stamped
from hive_views.views.journal.location_notes import is_note
from hive_views.views.row.file_references import without_files
from hive_views.views.row.projection import project
from hive_views.views.view import View, is_lost, is_plain

Notes = Mapping[str, Collection[str]]
"""About a name, by directory."""
Recorded = Callable[[ViewMetadata], ViewMetadata]
"""From the metadata in a file to the metadata of its copy, which says more."""


def create(engine: Engine, identifier: TableIdentifier, metadata: ViewMetadata) -> View:
    """Write the first file of a view and create its row.

    Raises:
        AlreadyExistsError, NoSuchNamespaceError, CommitStateUnknownError, UnavailableError
    """
    commit_id = engine.settings.new_uuid()
    metadata = stamped(engine.of_new_row(metadata, identifier), commit_id)
    location = next_location(metadata, None, commit_id)
    return _create_row(engine, engine.project(metadata, identifier, location, owns=True), metadata, commit_id)


def import_view(
    engine: Engine,
    identifier: Identifier,
    metadata: ViewMetadata,
    *,
    row: Row,
    location: str | None = None,
    view_uuid: str | None = None,
) -> View:
    """Create a view with the whole history of another one, from this metastore or any other, in a file of its own.

    Nothing in its metadata refers to the directories or the metastore of the other view.

    Args:
        engine: of the metastore.
        identifier: the name.
        metadata: of the other view.
        row: of the other view; its owner and foreign parameters are taken over, except those that point to files.
        location: the directory for the metadata files; by default that of a new view.
        view_uuid: by default a new one; that of the other view only if this one takes its place.

    Raises:
        AlreadyExistsError, NoSuchNamespaceError, CommitStateUnknownError, UnavailableError
    """
    name = TableIdentifier.of(identifier)
    location = absolute_location(location) if location is not None else engine.lookup.location_of_new(name)
    placed = relocated(metadata, location=location, view_uuid=view_uuid or engine.settings.new_uuid())
    made, file_location, commit_id, _ = _beside_others(engine, owned_as(row, placed), None, name)
    kept = without_files(row).parameters
    foreign = {key: value for key, value in kept.items() if not key.startswith(OWN_PREFIX)}
    made_row = project(
        made,
        identifier=name,
        location=file_location,
        previous_location=None,
        owner=made.properties.get(OWNER) or engine.settings.owner,
        current=replace(row, parameters=foreign, native=None, create_time_s=0),
        replaced=metadata,
        owns=True,
    )
    return _create_row(engine, made_row, made, commit_id)


def _create_row(engine: Engine, row: Row, metadata: ViewMetadata, commit_id: str) -> View:
    with (
        engine.locking.protect(row.identifier) as protection,
        engine.new_file(row.identifier, metadata, row.parameters[POINTER], commit_id) as file,
    ):
        engine.writes.create_row(row, file, protection)
    return engine.committed(row, metadata)


def create_plain_view(engine: Engine, row: Row) -> None:
    """Create the row of a plain view as it was read from this metastore or any other, except what points to files.

    Raises:
        InvalidInputError: it is not the row of a plain view.
        AlreadyExistsError, NoSuchNamespaceError, CommitStateUnknownError, UnavailableError
    """
    if not is_plain(row):
        raise InvalidInputError(f"The row of {row.identifier} is not that of a plain view.")
    with engine.locking.protect(row.identifier) as protection:
        engine.writes.create_row(without_files(row), None, protection)


def register(
    engine: Engine,
    identifier: TableIdentifier,
    location: str,
    recorded: Recorded = lambda former: former,
    declared: Collection[str] | None = None,
    read: ViewMetadata | None = None,
    notes: Notes = MappingProxyType({}),
) -> View:
    """Create a row that points to a copy of a metadata file; the file itself is not touched.

    ``recorded`` makes the copy. If it is known which partitions were ``declared`` last, the journal begins with these.
    If the file has been ``read`` before, it is not read again as long as it exists, and as long as there are no other
    ``notes`` than those by which it was found.

    Raises:
        CommitFailedError: there are others.
        AlreadyExistsError, NoSuchNamespaceError, CorruptMetadataError, CommitStateUnknownError, UnavailableError
    """
    former = with_storage_of(location, read or engine.storage.read(location, cached=False))
    with engine.locking.protect(identifier) as protection:
        metadata, copy, commit_id, listed = _beside_others(engine, recorded(former), location, identifier, former)
        _ensure_last(identifier, listed, notes)
        _ensure_there(engine, location, listed)
        row = engine.project(metadata, identifier, copy, owns=True)
        is_all = declared is not None
        with (
            engine.new_file(identifier, metadata, copy, commit_id) as file,
            engine.taking_over(former, metadata, row, file, declared or (), is_all=is_all, listed=listed),
        ):
            engine.writes.create_row(row, file, protection)
    return engine.committed(row, metadata)


def register_over(
    engine: Engine,
    identifier: TableIdentifier,
    location: str,
    recorded: Recorded = lambda former: former,
    expected: Row | None = None,
) -> View:
    """Make an existing view row point to a copy of a metadata file, whatever it was before.

    ``recorded`` makes the copy. If a row is ``expected``, no other row is replaced.

    Raises:
        NoSuchViewError, CorruptMetadataError, CommitFailedError, CommitStateUnknownError, UnavailableError
    """
    former = with_storage_of(location, engine.storage.read(location, cached=False))
    return _put_over(engine, identifier, recorded(former), location, former, expected)


def put_file_back(
    engine: Engine,
    judged: Row,
    location: str,
    former: ViewMetadata,
    on_drift: Drift,
    notes: Notes = MappingProxyType({}),
) -> View:
    """Make a view row that has lost its file point to a copy of that file.

    Args:
        engine: of the metastore.
        judged: the row as it was when the file was found; later changes of it are not overwritten.
        location: of the file.
        former: its content, which is not read again as long as the file exists.
        on_drift: what to do if the row differs from the file.
        notes: those by which the file was found.

    Raises:
        CommitFailedError: there are other notes by now, or another row.
        AlreadyExistsError: the row has not lost its file, or is a table.
        ViewDriftedError: it differs from the file, and ``on_drift`` does not say what to do.
        NoSuchViewError, CorruptMetadataError, CommitStateUnknownError, UnavailableError
    """
    identifier = judged.identifier
    current = engine.reader.load_row(identifier)
    if not is_lost(current):
        refuse_taken(current)
    if on_drift == "overwrite":
        current = engine.reader.load_row_again(judged)
    now_ms = max([engine.settings.clock_ms(), *(entry.timestamp_ms for entry in former.version_log)])
    recovered = recovered_metadata(current, location, former, on_drift, now_ms, engine.claims())
    return _put_over(engine, identifier, recovered, location, former, current, foreign_parameters(current), notes)


def replace_lost(engine: Engine, identifier: TableIdentifier, metadata: ViewMetadata, expected: Row) -> View:
    """Make a view row one of this metadata, whatever file it pointed to, which is not read.

    Args:
        engine: of the metastore.
        identifier: the view.
        metadata: what it is to be.
        expected: its row, as it was when it was found that its file cannot be read.

    Raises:
        NoSuchViewError, CommitStateUnknownError, UnavailableError
        CommitFailedError: it has another row by now.
        InvalidSchemaError: the row has partitions, and the metadata has other partition columns.
    """
    return _put_over(engine, identifier, metadata, None, None, expected)


def _put_over(
    engine: Engine,
    identifier: TableIdentifier,
    metadata: ViewMetadata,
    base_location: str | None,
    former: ViewMetadata | None,
    expected: Row | None = None,
    foreign: Mapping[str, str] = MappingProxyType({}),
    notes: Notes = MappingProxyType({}),
) -> View:
    """Make a row that has the name one of a copy of this metadata, with these ``foreign`` parameters.

    Args:
        engine: of the metastore.
        identifier: the name.
        metadata: for the row.
        base_location: the file that it was read from.
        former: what was in that file; the row takes over what belongs to it.
        expected: the row that has the name.
        foreign: parameters that the row gets besides.
        notes: those by which the file was found, if it was.

    Raises:
        CommitFailedError: it is not the ``expected`` one, or was changed since it was read; or there are other notes.
    """
    with engine.locking.protect_swap(identifier) as protection:
        metadata, location, commit_id, listed = _beside_others(engine, metadata, base_location, identifier, former)
        _ensure_last(identifier, listed, notes)
        if base_location is not None:
            _ensure_there(engine, base_location, listed)
        current = expected or engine.reader.load_row(identifier)
        if not current.is_view:
            refuse_taken(current)
        metadata = owned_as(current, metadata)
        row = engine.project(metadata, identifier, location, owns=True)
        row = replace(row, parameters={**foreign, **row.parameters})
        row = replace(row, owner=current.owner or row.owner, create_time_s=current.create_time_s)
        refuse_orphans(engine.metastore, identifier, current.partition_keys, row)
        declared = engine.reader.partition_names(current)
        with (
            engine.new_file(identifier, metadata, location, commit_id) as file,
            engine.taking_over(former or metadata, metadata, row, file, declared, listed=listed),
        ):
            # Writing the files may have taken long.
            refuse_orphans(engine.metastore, identifier, current.partition_keys, row)
            # No writer swaps the pointer of a row that nobody takes for a view with a file.
            compared = DDL_TIME if is_lost(current) else POINTER
            engine.swap_judged(current, row, protection, file, parameter=compared)
    return engine.committed(row, metadata)


def _beside_others(
    engine: Engine,
    metadata: ViewMetadata,
    base_location: str | None,
    identifier: TableIdentifier,
    former: ViewMetadata | None = None,
) -> tuple[ViewMetadata, str, str, Listed]:
    """The metadata of a file as it is written for a new row, where, the id of that commit, and what is in its
    directory and in those that it takes over from the ``former`` one.
    """
    commit_id = engine.settings.new_uuid()
    copy = stamped(engine.of_new_row(metadata, identifier, base_location), commit_id)
    directory = metadata_directory(copy)
    listed = engine.storage.list_together((directory, *(directories_taken_over(former) if former else ())))
    # After all that are there: of a view that was dropped twice the later incarnation has the higher number.
    files = [info.location for info in listed[directory] if is_metadata_file(info.location)]
    files += [base_location] if base_location else []
    return copy, after_all(files, copy, commit_id), commit_id, listed


def _ensure_last(identifier: TableIdentifier, listed: Listed, notes: Notes) -> None:
    """
    Raises:
        CommitFailedError: something was noted about the name since these notes led to its last file.
    """
    there = [info.location for directory in notes for info in listed.get(directory, ()) if is_note(info.location)]
    if not frozenset[str]().union(*notes.values()).issuperset(there):
        raise CommitFailedError(
            f"{identifier} was brought back and dropped again, or renamed, since its last file was looked for. Try "
            f"again.",
            answer=Answer.NOT_SENT,
            identifier=str(identifier),
        )


def _ensure_there(engine: Engine, location: str, listed: Listed) -> None:
    """
    Raises:
        CorruptMetadataError, StorageUnavailableError: of a file that was read there is none any more.
    """
    if not any(info.location == location for infos in listed.values() for info in infos):
        engine.storage.read(location, cached=False)
