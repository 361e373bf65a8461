"""Drops views, and deletes the files of dropped ones.

A file may be needed by another row, with another name or in another metastore on the same storage. Therefore only files
with the incarnation (storage/ownership.py) that the dropped row proved to be its own are deleted; others are reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

from hive_views.errors import (
    CommitStateUnknownError,
    CorruptMetadataError,
    HiveViewsError,
    NoSuchIcebergViewError,
    StorageUnavailableError,
    UnsupportedFeatureError,
)
from hive_views.hive.row import POINTER, Row
from hive_views.messages.logs import logger_of
from hive_views.persisted import INCARNATION, PENDING_KEYS
from hive_views.spec.identifiers import MAX_NAME_LENGTH, TableIdentifier
from hive_views.storage.metadata_files import MetadataStorage, is_metadata_file
from hive_views.storage.ownership import directories, is_file_of, owned_incarnation
from hive_views.views import remedies
from hive_views.views.commit.engine import Engine
from hive_views.views.commit.loading import SameView, refuse_another
from hive_views.views.commit.locking import Protection
from hive_views.views.commit.partition_orphans import drop_orphans
from hive_views.views.commit.row_swap import put_keys_back
from hive_views.views.journal.location_notes import is_note
from hive_views.views.view import View, check_iceberg_view

log = logger_of(__name__)


@dataclass(frozen=True)
class Purged:
    """The files of a view that were deleted, and those left in its directories, whatever view they belong to."""

    deleted: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


def drop(engine: Engine, identifier: TableIdentifier, is_meant: Callable[[Row], bool] = lambda _: True) -> None:
    """Drop a view's row and partitions; its files stay, and need not be readable.

    The last file and the declared partitions are noted before, so that neither has to be guessed when the view is
    restored.

    Raises:
        StorageUnavailableError: the note cannot be written; nothing was done.
        ReplacedViewError: the row that has the name is not the one that is meant.
        NoSuchViewError, NoSuchIcebergViewError, CommitStateUnknownError, UnavailableError
    """
    with engine.locking.protect(identifier) as protection:
        row = engine.reader.load_row(identifier)
        refuse_another(row, is_meant)
        with _refusing_plain():
            check_iceberg_view(row)
        if PENDING_KEYS in row.parameters:
            # A metastore cannot drop partitions whose values do not fit the keys of the row.
            row = put_keys_back(engine, engine.reader.view_of(row), protection).row
        declared = _without_orphans(engine, row)
        noted = declared if row.partition_keys else None
        with engine.notes.tombstone(row, "drop", partitions=noted, is_locked=bool(protection.locks)):
            engine.writes.drop_row(row, protection)
    log.info("dropped %s; its last file is %s", identifier, row.parameters.get(POINTER))


def purge(engine: Engine, identifier: TableIdentifier) -> Purged:
    """Drop a view, and delete the files that are provably its own.

    Raises:
        NoSuchViewError, CorruptMetadataError, CommitFailedError, UnavailableError
        CommitStateUnknownError: no file was deleted.
        StorageUnavailableError: it was dropped, but not all of its files were deleted (field ``left``).
    """
    view = _drop_to_purge(engine, identifier)
    known = replace(view, metadata=engine.notes.with_former_directory(view.metadata))
    purged = _delete_files_of(known, engine.storage)
    if any(map(is_metadata_file, purged.left)):
        # Otherwise it could be restored from the file that it was restored from before.
        engine.notes.purge(view)
    return purged


def _drop_to_purge(engine: Engine, identifier: TableIdentifier) -> View:
    """Drop a view so that it is certain which one was dropped: the one that is returned.

    A drop is by name, and if the name is free after a lost answer, the view may have been renamed by another writer
    instead. Therefore the view is first renamed to a name that no one else knows, by a swap that fails if another view
    has its name.
    """
    is_same = SameView(identifier)

    def once(protection: Protection) -> View:
        with _refusing_plain():
            view = is_same.check(engine.reader.read(identifier).view)
        if PENDING_KEYS in view.row.parameters:
            view = put_keys_back(engine, view, protection)
        name = _dropped_name(identifier, engine.settings.new_uuid())
        known_to_us = replace(view.row, identifier=name, location=None)
        try:
            engine.writes.rename_row(view.row, known_to_us, protection)
        except CommitStateUnknownError as failure:
            message = f"{failure.message} It was being renamed to {name} before the drop; no file was deleted."
            raise replace(failure, message=message, renamed_to=str(name)) from failure
        try:
            # No other writer uses this name, so it needs no lock.
            _without_orphans(engine, known_to_us)
            engine.writes.drop_row(known_to_us, Protection())
        except HiveViewsError as failure:
            message = (
                f"{identifier} was renamed to {name} to be purged, and the drop failed. No file was deleted; drop "
                f"{name}, or rename it back. {failure.message}"
            )
            if isinstance(failure, CommitStateUnknownError):
                failure = replace(failure, renamed_to=str(name))
            raise replace(failure, message=message, identifier=str(name)) from failure
        log.info("dropped %s; its last file is %s", identifier, view.metadata_location)
        return view

    return engine.again_after_lost_races(once, partial(engine.locking.protect_swap, identifier))


def _without_orphans(engine: Engine, row: Row) -> Sequence[str]:
    """The names of a row's partitions, without those with other keys, which are dropped.

    Dropping a view that has such partitions never returns in Hive 2.3, and blocks all other writers.
    """
    names = engine.metastore.partition_names(row.identifier)
    orphans = drop_orphans(engine.metastore, row, names)
    return [name for name in names if name not in orphans] if orphans else names


@contextmanager
def _refusing_plain() -> Iterator[None]:
    """Add to the error for a plain view how to drop it: a broken one cannot even be adopted.

    Raises:
        NoSuchIcebergViewError: as raised inside.
    """
    try:
        yield
    except NoSuchIcebergViewError as error:
        if error.remedy != remedies.adopt(str(error.identifier)):
            raise
        drop = "Only managed views can be dropped here. Drop it in Hive or Spark, or adopt it first:"
        raise replace(error, message=f"{error.message} {drop}") from error


def _dropped_name(identifier: TableIdentifier, new_uuid: str) -> TableIdentifier:
    suffix = f"_dropped_{new_uuid.replace('-', '')[:8]}"
    return TableIdentifier(identifier.namespace, identifier.name[: MAX_NAME_LENGTH - len(suffix)] + suffix)


def _delete_files_of(view: View, storage: MetadataStorage) -> Purged:
    """Delete the files that are provably those of a dropped view: metadata, the journal of its partitions, and files of
    publishing. A warning names what is left in its directories.

    Raises:
        StorageUnavailableError: the storage failed or refused; the field ``left`` has the remaining files, as far as
            they are known.
    """
    own: list[str] = []
    others: list[str] = []
    incarnation = owned_incarnation(view.row, view.metadata)
    try:
        listed = storage.list_together(directories(view.metadata))
        locations = [info.location for infos in listed.values() for info in infos]
        for location, is_own in zip(locations, _are_of(incarnation, locations, view, storage), strict=True):
            (own if is_own else others).append(location)
    except StorageUnavailableError as e:
        raise _not_all(view, incarnation, own, e) from e
    if failures := storage.delete_all(own):
        failure = next(iter(failures.values()))
        raise _not_all(view, incarnation, [one for one in own if one in failures], failure) from failure
    # Hadoop's checksum files stay or go with their files, and notes about earlier views of the name are no files of it.
    left = [one for one in others if not (one.rpartition("/")[2].startswith(".") or is_note(one))]
    if left:
        _warn_of(left, view, incarnation)
    return Purged(tuple(own), tuple(left))


def _are_of(incarnation: str | None, locations: Sequence[str], view: View, storage: MetadataStorage) -> Iterator[bool]:
    """Of each file, whether it was written for the dropped row.

    Raises:
        StorageUnavailableError: the storage failed or refused.
    """
    current = view.metadata_location
    contents = storage.read_each([one for one in locations if incarnation and is_metadata_file(one) and one != current])
    for location in locations:
        if not incarnation or not is_metadata_file(location):
            yield incarnation is not None and is_file_of(incarnation, location)
            continue
        # This one has been read already, and the cache, of one file a directory, may have lost it.
        content = view.metadata if location == current else next(contents)
        if isinstance(content, HiveViewsError):
            # Incomplete, or not a view's.
            if not isinstance(content, CorruptMetadataError | UnsupportedFeatureError):
                raise content
            yield False
        else:
            yield content.properties.get(INCARNATION) == incarnation


def _not_all(
    view: View, incarnation: str | None, left: list[str], failure: StorageUnavailableError
) -> StorageUnavailableError:
    own_ones = f" No row needs the files of {INCARNATION} {incarnation} any longer." if incarnation else ""
    message = f"View {view.identifier} was dropped, but not all of its files were deleted: {failure}{own_ones}"
    return replace(failure, message=message, left=left)


def _warn_of(left: list[str], view: View, incarnation: str | None) -> None:
    why = (
        "nothing proves that they belong to it: it was registered from some of them, or others share its directories"
        if incarnation
        else "its row does not prove which ones belong to it: it was created by an earlier release, or registered by "
        "another engine"
    )
    places = dict.fromkeys(location.rpartition("/")[0] for location in left)
    log.warning(
        "view %s was dropped, and %d files stay in %s: %s. Rows with other names or in other metastores may need them.",
        view.identifier,
        len(left),
        ", ".join(places),
        why,
    )
