"""The words that drops, renames and changes of location have left, read.

    <incarnation>-<nanoseconds since 1970>-ended.whereabouts   its row went, or became a plain view; its last file
    <incarnation>-<nanoseconds since 1970>-left.whereabouts    it got another name
    <incarnation>-<nanoseconds since 1970>-here.whereabouts    it has this name, and its files are elsewhere

Where a metastore says what tells it from others, that comes before the suffix: `-ended-<identity>.whereabouts`.
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
# As those of writers and storages may; nothing is written for so long.
_CLOCKS_DIFFER_BY_MS = 3_600_000


class Kind(Enum):
    """What a word says."""

    ENDED = "ended"
    LEFT = "left"
    HERE = "here"


@dataclass(frozen=True)
class Word:
    """A word, as far as its name and its place tell.

    Attributes:
        location: of the file.
        incarnation: of the view that it is about.
        at_ns: when it was written, by the clock of the writer.
        kind: what it says.
        written_ms: when it was written, by the clock of the storage; 0 where that does not say.
        metastore: the identity of the one that the view was in, where that tells it.
    """

    location: str
    incarnation: str
    at_ns: int
    kind: Kind
    written_ms: int
    metastore: str | None = None

    @property
    def order(self) -> tuple[int, int]:
        """Before and after: by the storage, which is one, and then by the clocks of writers."""
        return self.written_ms, self.at_ns

    @property
    def at_ms(self) -> int:
        """When it was written, in milliseconds."""
        return self.at_ns // NANOSECONDS

    @property
    def is_copied(self) -> bool:
        """Whether the times of the storage are those of a copy, as of a bucket that was brought back from a backup."""
        return self.written_ms - self.at_ms > _CLOCKS_DIFFER_BY_MS


@dataclass(frozen=True)
class Ended:
    """The last word of a view.

    Attributes:
        metadata_location: its last file.
        partitions: those that were declared; None for a view without partition columns.
        is_locked: whether nobody could commit between this word and the end.
        verb: by which it ended.
        at_ms: when.
        view: its name; databases may share a directory.
        commits: of a view that was purged, the ids of its last commits.
        copied_from: of a view that was purged, the name of the file that it was made of.
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
class Here:
    """Where the files of a view are that has the name.

    Attributes:
        directories: of its metadata files.
        view: the name; databases may share a directory.
        left: the directory of the word that says that it left the name that it had before; None where it did not.
    """

    directories: tuple[str, ...]
    view: str
    left: str | None


def name_of_word(incarnation: str, at_ns: int, kind: Kind, metastore: str | None) -> str:
    """What the file of a word is called."""
    told = f"-{metastore}" if metastore and re.fullmatch(r"[\w.-]+", metastore, re.ASCII) else ""
    return f"{incarnation}-{at_ns:019d}-{kind.value}{told}{WHEREABOUTS_SUFFIX}"


def words_among(files: Iterable[FileInfo]) -> list[Word]:
    """The words among files of a directory, the oldest first."""
    words = (
        Word(file.location, named[1], int(named[2]), Kind(named[3]), file.modified_at_ms or 0, named[4])
        for file in files
        if (named := _NAME.fullmatch(file.location.rpartition("/")[2]))
    )
    return sorted(words, key=lambda word: word.order)


def is_word(location: str) -> bool:
    """Whether a file has the name of a word."""
    return _NAME.fullmatch(location.rpartition("/")[2]) is not None


def directories_named_by(word: Word, storage: MetadataStorage) -> tuple[str, ...]:
    """The directories of metadata files that a word is about: without one there it says nothing any more.

    Raises:
        as ``read_ended``.
    """
    match word.kind:
        case Kind.ENDED:
            return (parent_of(read_ended(word, storage).metadata_location),)
        case Kind.HERE:
            return read_here(word, storage).directories
    return (parent_of(word.location),)


def read_ended(word: Word, storage: MetadataStorage) -> Ended:
    """What a last word says.

    Raises:
        CorruptMetadataError: it was changed, or is gone. UnsupportedFeatureError: it is of a later release.
        StorageUnavailableError: the storage failed or refused.
    """
    content = _read(word, storage)
    try:
        partitions = content["partitions"]
        return Ended(
            str(content["metadata-location"]),
            None if partitions is None else tuple(map(str, partitions)),
            bool(content["locked"]),
            content["verb"],
            word.at_ms,
            content["view"],
            tuple(one for one in str(content.get("commits", "")).split(",") if one),
            content.get("copied-from"),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise _damaged(word) from error


def read_here(word: Word, storage: MetadataStorage) -> Here:
    """Where the files of a view went.

    Raises:
        as ``read_ended``.
    """
    content = _read(word, storage)
    try:
        return Here(tuple(map(str, content["directories"])), content["view"], content.get("left"))
    except (KeyError, TypeError, ValueError) as error:
        raise _damaged(word) from error


def _read(word: Word, storage: MetadataStorage) -> dict[str, Any]:
    try:
        content = read_json(storage.read_bytes(word.location))
    except ValueError as error:
        raise _damaged(word) from error
    if not isinstance(content, dict):
        raise _damaged(word)
    if content.get("format-version") != FILE_FORMAT:
        raise UnsupportedFeatureError(
            f"Cannot read {word.location}, a note of where a view's files are: it is of a later release. Update "
            f"hive_views.",
            location=word.location,
        )
    return content


def _damaged(word: Word) -> CorruptMetadataError:
    return CorruptMetadataError(
        f"Cannot read {word.location}, a note of where a view's files are: it was changed after it was written. Delete "
        f"it to have the view searched for without.",
        location=word.location,
    )
