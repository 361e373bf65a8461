"""Deleting the files of a view that is gone.

A file may be needed by another row: of another name, or of another metastore on the same storage. So only those are
deleted that carry the incarnation (storage/ownership.py) which the dropped row proved to be its own, and the others
are reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hive_views.errors import CorruptMetadataError, HiveViewsError, StorageUnavailableError, UnsupportedFeatureError
from hive_views.messages.logs import logger_of
from hive_views.persisted import INCARNATION
from hive_views.storage.metadata_files import MetadataStorage, is_metadata_file
from hive_views.storage.ownership import directories, is_file_of, owned_incarnation
from hive_views.views.journal.whereabouts_notes import is_word
from hive_views.views.view import View

log = logger_of("hive_views.views.commit.engine")


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
    # A checksum file of Hadoop's goes and stays with the file that it is of.
    # What is noted of earlier views of the name is none of a view's files.
    left = [one for one in others if not (one.rpartition("/")[2].startswith(".") or is_word(one))]
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
        # This one has been read, and a cache of one file a directory may have lost it by now.
        content = view.metadata if location == current else next(contents)
        if isinstance(content, HiveViewsError):
            # Half written, or somebody else's.
            if not isinstance(content, CorruptMetadataError | UnsupportedFeatureError):
                raise content
            yield False
        else:
            yield content.properties.get(INCARNATION) == incarnation


def _not_all(
    view: View, incarnation: str | None, left: list[str], failure: StorageUnavailableError
) -> StorageUnavailableError:
    own_ones = f" No row needs those of {INCARNATION} {incarnation} any more." if incarnation else ""
    message = f"View {view.identifier} was dropped, but not all of its files were deleted: {failure}{own_ones}"
    return replace(failure, message=message, left=left)


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
