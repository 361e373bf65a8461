"""Deleting the files of a view that is gone.

What lives here: which files are a view's own. What must not: deciding that they may go (commit.py).

A file may be needed by another row: of another name, or of another metastore on the same storage. So only those are
deleted that carry the incarnation (storage/directories.py) which the dropped row proved to be its own, and the others
are reported.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from hive_views.errors import CorruptMetadataError, StorageUnavailableError, UnsupportedFeatureError
from hive_views.messages.logs import logger_of
from hive_views.persisted import INCARNATION
from hive_views.storage.directories import directories, is_of, owned_incarnation
from hive_views.storage.metadata_files import MetadataStorage, is_metadata_file
from hive_views.views.view import View
from hive_views.views.whereabouts import is_word

log = logger_of("hive_views.views.commit")


@dataclass(frozen=True)
class Purged:
    """The files of a view that were deleted, and those that are left in its directories, whosever they are."""

    deleted: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


def delete_files_of(view: View, storage: MetadataStorage) -> Purged:
    """Delete what a dropped view proves to be its own: metadata files, the journal of its partitions, and what
    publishing leaves beside them. What is left in its directories is warned of.

    Raises:
        StorageUnavailableError: the storage failed or refused; the field ``left`` has the files that stay so, as far
            as they are known.
    """
    own: list[str] = []
    others: list[str] = []
    incarnation = owned_incarnation(view.row, view.metadata)
    deleted = 0
    try:
        for directory in directories(view.metadata):
            for location in storage.list_files(directory):
                is_own = incarnation is not None and _is_file_of(incarnation, location, storage)
                (own if is_own else others).append(location)
        for location in own:
            storage.delete(location)
            deleted += 1
    except StorageUnavailableError as e:
        own_ones = f" No row needs those of {INCARNATION} {incarnation} any more." if incarnation else ""
        message = f"View {view.identifier} was dropped, but not all of its files were deleted: {e}{own_ones}"
        raise replace(e, message=message, left=own[deleted:]) from e
    # A checksum file of Hadoop's goes and stays with the file that it is of.
    # What is noted of earlier views of the name is none of a view's files.
    left = [one for one in others if not (one.rpartition("/")[2].startswith(".") or is_word(one))]
    if left:
        _warn_of(left, view, incarnation)
    return Purged(tuple(own), tuple(left))


def _is_file_of(incarnation: str, location: str, storage: MetadataStorage) -> bool:
    if not is_metadata_file(location):
        return is_of(incarnation, location)
    try:
        return storage.read(location).properties.get(INCARNATION) == incarnation
    except (CorruptMetadataError, UnsupportedFeatureError):
        return False  # half written, or somebody else's


def _warn_of(left: list[str], view: View, incarnation: str | None) -> None:
    why = (
        "they are not proved to be its own: it was registered from some of them, or others share its directories"
        if incarnation
        else "its row does not prove which are its own: it was made by an earlier release, or registered by another "
        "engine"
    )
    places = dict.fromkeys(location.rpartition("/")[0] for location in left)
    log.warning(
        "view %s was dropped, and %d files stay in %s: %s. Rows of other names or metastores may need them.",
        view.identifier,
        len(left),
        ", ".join(places),
        why,
    )
