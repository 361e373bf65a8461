"""Loads views, and changes existing ones: a new version or a new name, retried after conflicts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from hive_views.errors import (
    CommitFailedError,
    HiveViewsError,
    InvalidSchemaError,
    NoSuchTableError,
    UnavailableError,
    UnsupportedFeatureError,
)
from hive_views.hive.row import Column, Row
from hive_views.messages.logs import logger_of
from hive_views.persisted import PENDING_KEYS
from hive_views.spec.identifiers import Identifier, TableIdentifier
from hive_views.spec.metadata import ViewMetadata
from hive_views.spec.serde import next_location
from hive_views.storage.ownership import directories, owned_incarnation, with_former_directories
from hive_views.views.changes.metadata_copies import owned_as
from hive_views.views.changes.on_drift import Drift, base_after_drift, refuse_drift
from hive_views.views.changes.verbs import Change, own_properties
from hive_views.views.commit.engine import Engine
from hive_views.views.commit.loading import SameView, Seen, refuse_another
from hive_views.views.commit.locking import Protection
from hive_views.views.commit.partition_orphans import has_orphaned, refuse_orphans, with_other_keys, would_orphan
from hive_views.views.commit.row_swap import mend_interrupted, swap
from hive_views.views.commit.writes import stamped
from hive_views.views.row.hive_iceberg_view import row_to_keep
from hive_views.views.row.reader_warnings import stale_text
from hive_views.views.row.version import loose_translations
from hive_views.views.view import View

log = logger_of(__name__)


def load(engine: Engine, identifier: TableIdentifier) -> View:
    """Load a view: one metastore call, and one file if it is not cached.

    Raises:
        NoSuchViewError, NoSuchIcebergViewError, CorruptMetadataError, UnavailableError
    """
    view = engine.reader.read(identifier).view
    if PENDING_KEYS in view.row.parameters:
        view = mend_interrupted(engine, view)
    for difference in view.differences:
        log.warning("view %s: %s", identifier, difference)
    for dialect in view.stale_dialects:
        log.warning("view %s: %s", identifier, stale_text(dialect))
    return view


def commit(
    engine: Engine,
    identifier: TableIdentifier,
    change: Change,
    on_drift: Drift = "fail",
    *,
    view_uuid: str | None = None,
    is_done: Callable[[ViewMetadata], bool] = lambda _: False,
    check: Callable[[Row, ViewMetadata, ViewMetadata], None] = lambda *_: None,
) -> View:
    """Commit the result of ``change``; after a conflict it is run again on the new base.

    A row that needs repair, or has drifted and gets a base from ``on_drift``, is repaired by the same swap. A given
    ``view_uuid`` must be that of the view. Nothing is changed if ``is_done`` says that the view has the change already.

    Raises:
        NoSuchViewError (ReplacedViewError: another view has the name), ViewDriftedError, CommitFailedError,
        CommitStateUnknownError, UnavailableError, and whatever ``change``, and ``check`` of what it changes, raise.
    """
    is_same = SameView(identifier, view_uuid)

    def once(protection: Protection) -> View:
        seen = engine.reader.read(identifier)
        if is_done(seen.view.metadata):
            return seen.view
        view = is_same.check(seen.view)
        now_ms = max([engine.settings.clock_ms(), *(entry.timestamp_ms for entry in view.history)])
        base = view.metadata
        if view.has_drifted:
            base = base_after_drift(view, on_drift, now_ms, engine.claims())
        metadata = change(base, now_ms)
        check(view.row, base, metadata)
        kept = row_to_keep(view.row, view.metadata, metadata, takes_over=on_drift == "adopt")
        if metadata is view.metadata and not view.differences and kept is view.row:
            return view
        return _commit_changed(engine, seen, metadata, kept, protection)

    return engine.again_after_lost_races(once, partial(engine.locking.protect_swap, identifier))


def commit_own_properties(
    engine: Engine, identifier: Identifier, change: Callable[[Mapping[str, str]], Mapping[str, str]]
) -> View:
    """Set properties of this library's own; returns the view after that.

    ``change`` gets all properties and returns those to set, or none to leave the view unchanged; after a conflict it is
    run again on the new properties. No new version is created.

    Raises:
        NoSuchViewError, ViewDriftedError, CommitFailedError, CommitStateUnknownError.
    """
    return commit(engine, TableIdentifier.of(identifier), own_properties(change))


def _commit_changed(engine: Engine, seen: Seen, metadata: ViewMetadata, kept: Row, protection: Protection) -> View:
    view, identifier = seen.view, seen.view.identifier
    commit_id = engine.settings.new_uuid()
    keys = _declared_keys(view)
    declared: tuple[str, ...] = ()
    if owned_incarnation(view.row, view.metadata) is None:
        metadata = engine.of_new_row(metadata, identifier, view.metadata_location)
        declared = tuple(engine.metastore.partition_names(identifier)) if keys else ()
    metadata = engine.notes.with_noted_directory(identifier, stamped(owned_as(view.row, metadata), commit_id))
    metadata = with_former_directories(metadata, directories(engine.notes.with_former_directory(view.metadata)))
    location = next_location(metadata, view.metadata_location, commit_id)
    row = engine.project(metadata, identifier, location, replace(view, row=kept), owns=True)
    refuse_orphans(engine.metastore, identifier, keys, row)
    with (
        engine.new_file(identifier, metadata, location, commit_id, view.metadata) as file,
        engine.taking_over(view.metadata, metadata, row, file, declared),
    ):
        engine.ensure_unchanged(seen)
        swap(engine, seen, row, file, protection)
    committed = engine.committed(row, metadata, view)
    _undo_if_orphaned(engine, committed, keys, view, protection)
    return committed


def _declared_keys(view: View) -> tuple[Column, ...]:
    try:
        return view.partition_keys
    except InvalidSchemaError:
        # A foreign writer's columns do not end in the keys; the row still has them.
        return view.row.partition_keys


def _undo_if_orphaned(
    engine: Engine, committed: View, keys: tuple[Column, ...], before: View, protection: Protection
) -> None:
    """Revert a change of the partition keys if a partition was added after the check for partitions.

    Raises:
        InvalidSchemaError: one was added; the view is as before, with later changes of its row by others.
        CommitStateUnknownError: one was added, and the change could not be reverted. Never an error after which the
            change is retried: the retry would find the new keys, and succeed.
    """
    identifier = committed.identifier
    try:
        names = with_other_keys(engine.metastore, identifier, keys, committed.row.partition_keys)
    except (NoSuchTableError, UnavailableError) as e:
        log.warning("view %s: whether a partition was added while its keys changed is unknown: %s", identifier, e)
        return
    if not names:
        return
    try:
        _take_back(engine, committed, before, protection)
    except HiveViewsError as failure:
        raise has_orphaned(names, committed.row, failure) from failure
    raise would_orphan(names, identifier, keys, committed.row.partition_keys)


def _take_back(engine: Engine, committed: View, before: View, protection: Protection) -> None:
    """
    Raises:
        CommitFailedError, CommitStateUnknownError: another writer has changed the view since.
    """
    commit_id = engine.settings.new_uuid()
    metadata = stamped(before.metadata, commit_id)
    location = next_location(metadata, committed.metadata_location, commit_id)
    with engine.writes.new_file(location, metadata, commit_id) as file:
        found = engine.reader.view_of(engine.reader.load_row(committed.identifier))
        # Changes of the row that are not drift from its file survive the new file.
        if found.metadata_location != committed.metadata_location or found.has_drifted:
            raise CommitFailedError(f"Another writer has changed {committed.identifier} since.")
        row = engine.project(metadata, committed.identifier, location, found)
        engine.writes.swap_row(found.row, row, protection, file)


def rename(
    engine: Engine,
    identifier: TableIdentifier,
    to: TableIdentifier,
    parameters: Mapping[str, str] | None = None,
    is_meant: Callable[[Row], bool] = lambda _: True,
) -> View:
    """Rename a view; its partitions, its file and its directory stay.

    ``parameters`` are added to those of the row.

    Raises:
        ReplacedViewError: the row that has the name is not the one that is meant.
        UnsupportedFeatureError: a translated text would read tables of the former namespace.
        NoSuchViewError, AlreadyExistsError, NoSuchNamespaceError, ViewDriftedError, CommitFailedError,
        CommitStateUnknownError, UnavailableError
    """
    is_same = SameView(identifier)

    def once(protection: Protection) -> View:
        seen = engine.reader.read(identifier)
        view = is_same.check(seen.view)
        refuse_another(view.row, is_meant)
        if view.has_drifted:
            refuse_drift(view)
        if to.namespace != identifier.namespace and (loose := loose_translations(view.current_version)):
            raise UnsupportedFeatureError(
                f"Cannot move {identifier} into database {to.namespace}: its {' and '.join(loose)} SQL is translated "
                f"and names tables of {identifier.namespace}, while the SQL that it is translated from reads tables of "
                "any database that the view is in. Replace the view first, by SQL that names their database.",
            )
        row = engine.project(view.metadata, to, view.metadata_location, view)
        row = replace(row, parameters={**row.parameters, **(parameters or {})})
        with engine.notes.renaming(view, to):
            engine.ensure_unchanged(seen)
            engine.writes.rename_row(view.row, row, protection)
        log.info("renamed %s to %s", identifier, to)
        return engine.reader.connected(View(to, view.metadata, view.metadata_location, row))

    return engine.again_after_lost_races(once, partial(engine.locking.protect_swap, identifier, to))
