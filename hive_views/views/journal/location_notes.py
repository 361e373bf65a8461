"""Reads the notes that drops, renames and changes of location leave about a view.

    <incarnation>-<nanoseconds since 1970>-ended.whereabouts   tombstone: its row was dropped or released; its last file
    <incarnation>-<nanoseconds since 1970>-left.whereabouts    forward: it was renamed
    <incarnation>-<nanoseconds since 1970>-here.whereabouts    location: it has this name, and its files are elsewhere

If the metastore reports an identity, that comes before the suffix: `-ended-<identity>.whereabouts`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal

from hive_views.errors import CorruptMetadataError, UnsupportedFeatureError
from hive_views.persisted import FILE_FORMAT, WHEREABOUTS_SUFFIX
from hive_views.spec.strict_json import read_json
from hive_views.storage.files import FileInfo
from hive_views.storage.locations import parent_of
from hive_views.storage.metadata_files import MetadataStorage

Verb = Literal["drop", "release", "purge"]

_NAME = re.compile(rf"(.+)-(\d{{19}})-(ended|left|here)(?:-([\w.-]+))?{re.escape(WHEREABOUTS_SUFFIX)}", re.ASCII)
NANOSECONDS = 1_000_000
"""In a millisecond."""
# Clocks of writers and storages may differ by this much; no write takes so long.
_CLOCKS_DIFFER_BY_MS = 3_600_000


class Kind(Enum):
    """What a note says."""

    TOMBSTONE = "ended"
    FORWARD = "left"
    LOCATION = "here"


@dataclass(frozen=True)
class Note:
    """A note, as far as the name and the directory of its file tell.

    Attributes:
        location: of the file.
        incarnation: of the view that it is about.
        at_ns: when it was written, by the clock of the writer.
        kind: what it says.
        written_ms: when it was written, by the clock of the storage; 0 where that does not say.
        metastore: the identity of the metastore that the view was in, if it reports one.
    """

    location: str
    incarnation: str
    at_ns: int
    kind: Kind
    written_ms: int
    metastore: str | None = None

    @property
    def order(self) -> tuple[int, int]:
        """For sorting: first by the clock of the storage, which is the same for all, then by those of the writers."""
        return self.written_ms, self.at_ns

    @property
    def at_ms(self) -> int:
        """When it was written, in milliseconds."""
        return self.at_ns // NANOSECONDS

    @property
    def is_copied(self) -> bool:
        """Whether the storage's time is that of a copy, as in a bucket that was restored from a backup."""
        return self.written_ms - self.at_ms > _CLOCKS_DIFFER_BY_MS


@dataclass(frozen=True)
class Tombstone:
    """What is noted of a view before its row is dropped or released.

    Attributes:
        metadata_location: its last file.
        partitions: those that were declared; None for a view without partition columns.
        is_locked: whether a lock prevented commits between this note and the drop.
        verb: ``drop``, ``release`` or ``purge``.
        at_ms: when it was written.
        view: the name of the view; databases may share a directory.
        commits: of a view that was purged, the ids of its last commits.
        copied_from: of a view that was purged, the name of the file that its first file was copied from.
    """

    metadata_location: str
    partitions: tuple[str, ...] | None
    is_locked: bool
    verb: Verb
    at_ms: int
    view: str = ""
    commits: tuple[str, ...] = ()
    copied_from: str | None = None


@dataclass(frozen=True)
class FileLocations:
    """Where the files of a view are.

    Attributes:
        directories: of its metadata files.
        view: the name of the view; databases may share a directory.
        left: after a rename, the directory with the forwarding note of its earlier name.
    """

    directories: tuple[str, ...]
    view: str
    left: str | None


def note_name(incarnation: str, at_ns: int, kind: Kind, metastore: str | None) -> str:
    """The name of the file of a note."""
    told = f"-{metastore}" if metastore and re.fullmatch(r"[\w.-]+", metastore, re.ASCII) else ""
    return f"{incarnation}-{at_ns:019d}-{kind.value}{told}{WHEREABOUTS_SUFFIX}"


def notes_among(files: Iterable[FileInfo]) -> list[Note]:
    """The notes among the files of a directory, the oldest first."""
    notes = (
        Note(file.location, named[1], int(named[2]), Kind(named[3]), file.modified_at_ms or 0, named[4])
        for file in files
        if (named := _NAME.fullmatch(file.location.rpartition("/")[2]))
    )
    return sorted(notes, key=lambda note: note.order)


def is_note(location: str) -> bool:
    """Whether a file is a note, by its name."""
    return _NAME.fullmatch(location.rpartition("/")[2]) is not None


def directories_named_by(note: Note, storage: MetadataStorage) -> tuple[str, ...]:
    """The directories of metadata files that a note points to; without any file there the note is obsolete.

    Raises:
        as ``read_tombstone``.
    """
    match note.kind:
        case Kind.TOMBSTONE:
            return (parent_of(read_tombstone(note, storage).metadata_location),)
        case Kind.LOCATION:
            return read_file_locations(note, storage).directories
    return (parent_of(note.location),)


def read_tombstone(note: Note, storage: MetadataStorage) -> Tombstone:
    """The content of a tombstone.

    Raises:
        CorruptMetadataError: it was changed or deleted. UnsupportedFeatureError: a later release wrote it.
        StorageUnavailableError: the storage failed or refused.
    """
    content = _read(note, storage)
    try:
        partitions = content["partitions"]
        return Tombstone(
            str(content["metadata-location"]),
            None if partitions is None else tuple(map(str, partitions)),
            bool(content["locked"]),
            content["verb"],
            note.at_ms,
            content["view"],
            tuple(one for one in str(content.get("commits", "")).split(",") if one),
            content.get("copied-from"),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise _damaged(note) from error


def read_file_locations(note: Note, storage: MetadataStorage) -> FileLocations:
    """The content of a note of a view's location.

    Raises:
        as ``read_tombstone``.
    """
    content = _read(note, storage)
    try:
        return FileLocations(tuple(map(str, content["directories"])), content["view"], content.get("left"))
    except (KeyError, TypeError, ValueError) as error:
        raise _damaged(note) from error


def _read(note: Note, storage: MetadataStorage) -> dict[str, Any]:
    try:
        content = read_json(storage.read_bytes(note.location))
    except ValueError as error:
        raise _damaged(note) from error
    if not isinstance(content, dict):
        raise _damaged(note)
    if content.get("format-version") != FILE_FORMAT:
        raise UnsupportedFeatureError(
            f"Cannot read {note.location}, a note of where a view's files are: a later release wrote it. Update "
            f"hive_views.",
            location=note.location,
        )
    return content


def _damaged(note: Note) -> CorruptMetadataError:
    return CorruptMetadataError(
        f"Cannot read {note.location}, a note of where a view's files are: it was changed after it was written. Delete "
        f"it, and the view is searched for without it.",
        location=note.location,
    )
