"""What became of the views of a name: which file was the last of each, where its files went, and which name it got.

What lives here: the words that a drop, a release, a rename and a change of location leave, and reading them. What must
not: deciding by them which view was the last of a name (last_life.py).

A word is written before the row is changed, into the directory of the metadata files that a view of the name has by
default, so that it is found by the name alone. So it may speak of what never happened: where that is certain it is
taken back, and where it is not, it is judged by what came later. A word is never changed, and names its incarnation
(storage/directories.py), its time and its kind:

    <incarnation>-<nanoseconds since 1970>-ended.whereabouts   its row went, or became a plain view; its last file
    <incarnation>-<nanoseconds since 1970>-left.whereabouts    it got another name
    <incarnation>-<nanoseconds since 1970>-here.whereabouts    it has this name, and its files are elsewhere
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Literal

from hive_views.errors import (
    CommitStateUnknownError,
    CorruptMetadataError,
    HiveViewsError,
    NoSuchViewError,
    StorageUnavailableError,
    UnsupportedFeatureError,
)
from hive_views.hive.row import POINTER, VIEW_UUID, Row
from hive_views.messages.logs import logger_of
from hive_views.persisted import COMMITS, FILE_FORMAT, INCARNATION, MADE_AS, WHEREABOUTS_SUFFIX
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewMetadata
from hive_views.spec.serde import metadata_directory
from hive_views.spec.strict_json import read_json
from hive_views.storage.directories import incarnation_of, whereabouts_directory
from hive_views.storage.files import FileInfo
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.views.names import ViewNames
from hive_views.views.outcome import NewFile
from hive_views.views.view import View

log = logger_of(__name__)

Verb = Literal["drop", "release", "purge"]

_NAME = re.compile(rf"(.+)-(\d{{19}})-(ended|left|here){re.escape(WHEREABOUTS_SUFFIX)}")
_NANOSECONDS = 1_000_000
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
    """

    location: str
    incarnation: str
    at_ns: int
    kind: Kind
    written_ms: int

    @property
    def order(self) -> tuple[int, int]:
        """Before and after: by the storage, which is one, and then by the clocks of writers."""
        return self.written_ms, self.at_ns

    @property
    def at_ms(self) -> int:
        """When it was written, in milliseconds."""
        return self.at_ns // _NANOSECONDS

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
        commits: of a view that was purged, the ids of its last commits.
    """

    metadata_location: str
    partitions: tuple[str, ...] | None
    is_locked: bool
    verb: Verb
    at_ms: int
    commits: tuple[str, ...] = ()


@dataclass(frozen=True)
class Here:
    """Where the files of a view are that has the name.

    Attributes:
        directories: of its metadata files.
        left: the directory of the word that says that it left the name that it had before; None where it did not.
    """

    directories: tuple[str, ...]
    left: str | None


class Whereabouts:
    """Leaves words about the views of a metastore.

    Args:
        storage: where files are.
        names: which directories views have by default.
        clock_ms: the time, in milliseconds since 1970.
    """

    def __init__(self, storage: MetadataStorage, names: ViewNames, clock_ms: Callable[[], int]) -> None:
        self._storage = storage
        self._names = names
        self._clock_ms = clock_ms

    @contextmanager
    def ending(self, row: Row, verb: Verb, *, partitions: Iterable[str] | None, is_locked: bool) -> Iterator[None]:
        """Say which file is the last one, before the row goes; taken back where it certainly stays.

        Raises:
            StorageUnavailableError: that cannot be noted, and nothing was done.
        """
        if POINTER not in row.parameters:
            yield
            return
        content = {
            "verb": verb,
            "metadata-location": row.parameters[POINTER],
            "partitions": None if partitions is None else list(partitions),
            "locked": is_locked,
        }
        incarnation, at_ns = _incarnation(row.parameters), self._now_ns()
        try:
            written = [self._write(row.identifier, incarnation, at_ns, Kind.ENDED, content)]
        except StorageUnavailableError as error:
            message = (
                f"{row.identifier} is as it was, because it could not be noted which of its files is the last one: "
                f"{error.message} If its storage is gone for good, DROP VIEW in Hive or Spark drops it without a note."
            )
            raise replace(error, message=message, identifier=str(row.identifier)) from error
        made_as = row.parameters.get(MADE_AS)
        if made_as not in (None, str(row.identifier)):
            # Another program has renamed it, or an earlier release: its first files lie under that name.
            with _warned(row.identifier):
                first = TableIdentifier.of(str(made_as))
                written.append(self._write(first, incarnation, at_ns, Kind.LEFT, {"to": str(row.identifier)}))
        with self._taken_back(written, unless=(CommitStateUnknownError, NoSuchViewError)):
            yield

    @contextmanager
    def renaming(self, view: View, to: TableIdentifier) -> Iterator[None]:
        """Say under both names, before a view gets the second, where it went and where its files are.

        Raises:
            StorageUnavailableError: that cannot be noted, and nothing was done.
        """
        incarnation, at_ns = incarnation_of(view.metadata), self._now_ns()
        left = self._directory(view.identifier)
        here = {
            "directories": _directories(view.metadata, view.metadata_location),
            "from": str(view.identifier),
            "left": left,
        }
        # In this order: where both are there, nothing was left to do but the rename.
        written: list[str | None] = []
        with self._taken_back(written, unless=(CommitStateUnknownError,)):
            written.append(self._write(to, incarnation, at_ns, Kind.HERE, here))
            written.append(self._write(view.identifier, incarnation, at_ns, Kind.LEFT, {"to": str(to)}))
            yield

    @contextmanager
    def following(
        self, identifier: TableIdentifier, metadata: ViewMetadata, file: NewFile, base_location: str | None = None
    ) -> Iterator[None]:
        """Say where the files of a view are from now on, if that is neither where they were nor where it is by default.

        Raises:
            StorageUnavailableError: that cannot be noted.
        """
        directory = metadata_directory(metadata)
        if directory == _directory_of(base_location or "") or directory == self._directory(identifier):
            yield
            return
        written = [
            self._write(identifier, incarnation_of(metadata), self._now_ns(), Kind.HERE, {"directories": [directory]})
        ]
        try:
            yield
        except HiveViewsError:
            if not file.is_needed:
                self._take_back(written)
            raise

    def purged(self, view: View) -> None:
        """Say what was purged, for files are left, of which some may be what it was brought back from."""
        content = {
            "verb": "purge",
            "metadata-location": view.metadata_location,
            "partitions": None,
            "locked": True,
            "commits": view.metadata.properties.get(COMMITS, ""),
        }
        with _warned(view.identifier):
            self._write(view.identifier, incarnation_of(view.metadata), self._now_ns(), Kind.ENDED, content)

    def _now_ns(self) -> int:
        # Two words of one millisecond are in their order, too.
        return self._clock_ms() * _NANOSECONDS + time.time_ns() % _NANOSECONDS

    def _directory(self, identifier: TableIdentifier) -> str | None:
        """Where words about a name are; None where views of the name have no directory by default."""
        try:
            return whereabouts_directory(self._names.location_of_existing(identifier))
        except HiveViewsError as error:
            log.warning("view %s: nothing is noted of where its files are: %s", identifier, error)
            return None

    def _write(
        self, identifier: TableIdentifier, incarnation: str, at_ns: int, kind: Kind, content: Mapping[str, Any]
    ) -> str | None:
        directory = self._directory(identifier)
        if directory is None:
            return None
        location = f"{directory}/{incarnation}-{at_ns:019d}-{kind.value}{WHEREABOUTS_SUFFIX}"
        document = {"format-version": FILE_FORMAT, "view": str(identifier), "at-ms": at_ns // _NANOSECONDS, **content}
        try:
            self._storage.write_bytes(location, json.dumps(document).encode() + b"\n")
        except StorageUnavailableError:
            self._take_back([location])
            raise
        except HiveViewsError as error:
            # A storage that this process cannot use at all, and will not: no reason to refuse a drop.
            log.warning("view %s: nothing is noted of where its files are: %s", identifier, error)
            return None
        return location

    @contextmanager
    def _taken_back(self, written: Sequence[str | None], unless: tuple[type[HiveViewsError], ...]) -> Iterator[None]:
        try:
            yield
        except HiveViewsError as failure:
            if not isinstance(failure, unless):
                self._take_back(written)
            raise

    def _take_back(self, written: Sequence[str | None]) -> None:
        try:
            for location in reversed(written):
                if location is not None:
                    self._storage.delete(location)
        except HiveViewsError as error:
            log.warning("a note of what was not done could not be deleted: %s", error)


def words_among(files: Iterable[FileInfo]) -> list[Word]:
    """The words among files of a directory, the oldest first."""
    words = (
        Word(file.location, named[1], int(named[2]), Kind(named[3]), file.modified_at_ms or 0)
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
            return (_directory_of(read_ended(word, storage).metadata_location),)
        case Kind.HERE:
            return read_here(word, storage).directories
    return (_directory_of(word.location),)


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
            tuple(one for one in str(content.get("commits", "")).split(",") if one),
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
        return Here(tuple(map(str, content["directories"])), content.get("left"))
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


def _incarnation(parameters: Mapping[str, str]) -> str:
    token = parameters.get(INCARNATION) or parameters.get(VIEW_UUID, "").lower()
    return token if re.fullmatch(r"[\w.-]+", token, re.ASCII) else "unknown"


def _directories(metadata: ViewMetadata, location: str) -> list[str]:
    return list(dict.fromkeys((_directory_of(location), metadata_directory(metadata))))


def _directory_of(location: str) -> str:
    return location.rpartition("/")[0]


@contextmanager
def _warned(identifier: TableIdentifier) -> Iterator[None]:
    try:
        yield
    except HiveViewsError as error:
        log.warning("view %s: nothing is noted of where its files are: %s", identifier, error)
