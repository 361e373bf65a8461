"""Conversions: plain views that are adopted and handed back, views that replace others or come back from files."""

from __future__ import annotations

from hive_views.errors import CorruptMetadataError, ViewAlreadyExistsError
from hive_views.hive.row import POINTER, Row
from hive_views.spec.identifiers import Identifier, TableIdentifier
from hive_views.spec.metadata import ViewMetadata
from hive_views.storage.locations import absolute_location
from hive_views.storage.ownership import is_row_of
from hive_views.views.changes.metadata_copies import refuse_lost_tags, relocated, versions_without, with_content_of
from hive_views.views.changes.on_drift import Drift, check_on_drift
from hive_views.views.commit import adoption
from hive_views.views.commit.changing import commit
from hive_views.views.commit.creation import put_file_back, register, replace_lost
from hive_views.views.commit.engine import Engine
from hive_views.views.recovery.recoverable import (
    LiveRows,
    Recoverable,
    explaining_absence,
    find_recoverable,
    refuse_former,
)
from hive_views.views.row.drift import is_as_written
from hive_views.views.row.plain_view import PlainView, is_begun_adoption, plain_view_of
from hive_views.views.view import View


def adopt(
    engine: Engine,
    identifier: Identifier,
    *,
    row: Row | None = None,
    live: LiveRows | None = None,
    new_history: bool = False,
    dry_run: bool = False,
) -> View:
    """Adopt a plain view, as ``ViewCatalog.adopt_view`` does.

    Args:
        engine: of the metastore.
        identifier: of the view.
        row: the row, if it has already been read; it is then judged without a call.
        live: shared when several views are adopted, so that all rows are read once.
        new_history: adopt it even if files of a former view of this name are found; these files stay.
        dry_run: write nothing; return the view that it would become.
    """
    name = TableIdentifier.of(identifier)
    with explaining_absence(engine, name):
        if row is None and dry_run:
            row = engine.reader.load_row(name)
        judged = plain_view_of(row) if row is not None else None
        location = engine.lookup.location_of_existing(name)

        def check(plain: PlainView) -> None:
            if new_history:
                return
            found = find_recoverable(name, [location], plain.row, live or LiveRows(engine), engine.storage)
            if found is not None and not is_begun_adoption(plain.row, found.metadata):
                refuse_former(found)

        if dry_run and judged:
            return adoption.would_adopt(engine, judged, location, check)
        return adoption.adopt(engine, name, location, judged, check)


def release(engine: Engine, identifier: Identifier, *, expected: Row | None = None) -> None:
    """Turn a view back into a plain one, as ``ViewCatalog.release_view`` does.

    If a row is ``expected``, the view is released only if its row has not changed.
    """
    name = TableIdentifier.of(identifier)
    with explaining_absence(engine, name):
        adoption.release(engine, name, expected)


def import_over(
    engine: Engine,
    row: Row,
    metadata: ViewMetadata,
    *,
    location: str,
    view_uuid: str | None = None,
    judged: ViewMetadata | None = None,
) -> View:
    """Replace the history, texts, columns and properties of a view by those of another one.

    The view keeps its directory, and its files stay. If its metadata file is missing or damaged, its row gets a new
    file
    only if the row is as our last commit wrote it: a change by another writer would be lost.

    Args:
        engine: of the metastore.
        row: the view's row when it was judged; if another view has the name now, nothing is done.
        metadata: of the other view.
        location: the directory for the metadata files, used if the view's own is no longer known.
        view_uuid: the uuid of the other view, if this one takes its place; by default it keeps its own.
        judged: the view's metadata when it was judged; if it has other versions now, nothing is done.

    Raises:
        InvalidSchemaError: it has partitions, and the other view has other partition columns.
        CorruptMetadataError: its file cannot be read, and another program has changed its row.
        ViewAlreadyExistsError: another view has its name, it has a new version, or a version with a tag would be lost.
        NoSuchViewError, ViewDriftedError, CommitFailedError, CommitStateUnknownError.
    """
    name = row.identifier

    def change(base: ViewMetadata, _: int) -> ViewMetadata:
        if not is_row_of(row, base):
            message = f"{name} now refers to a different view than the one that was to be replaced."
            raise ViewAlreadyExistsError(message, identifier=str(name))
        if judged is not None and versions_without(base, judged):
            message = f"{name} has a new version since it was read. Run the command again."
            raise ViewAlreadyExistsError(message, identifier=str(name))
        refuse_lost_tags(name, base, metadata)
        return with_content_of(base, metadata, view_uuid)

    try:
        with explaining_absence(engine, name):
            return commit(engine, name, change)
    except CorruptMetadataError as error:
        if error.location != row.parameters.get(POINTER) or not is_as_written(row):
            raise
        uuid = view_uuid or engine.settings.new_uuid()
        lost = relocated(metadata, location=absolute_location(location), view_uuid=uuid)
        return replace_lost(engine, name, lost, row)


def bring_back(engine: Engine, found: Recoverable, *, on_drift: Drift = "fail") -> View:
    """Restore a view that was dropped or has lost its file from its last file; never over an existing view.

    ``hive_views.estate.undrop`` finds the file, and declares the partitions again.

    Args:
        engine: of the metastore.
        found: as ``find_by_name`` returns it.
        on_drift: what to do if a plain view with other content has the name now: ``"fail"``, ``"adopt"`` it as the
            newest version, or ``"overwrite"`` it.

    Raises:
        AlreadyExistsError: a view or a table now has the name.
        ViewDriftedError: a plain view with other content has the name.
        CommitFailedError: the row has changed, or the view was brought back and dropped again, since it was found.
        NoSuchNamespaceError, CorruptMetadataError, CommitStateUnknownError.
    """
    check_on_drift(on_drift)
    if found.row is None:
        declared = found.tombstone.partitions if found.tombstone else None
        read, notes = found.metadata, found.notes
        return register(engine, found.identifier, found.metadata_location, declared=declared, read=read, notes=notes)
    return put_file_back(engine, found.row, found.metadata_location, found.metadata, on_drift, found.notes)
