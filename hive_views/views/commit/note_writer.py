"""Writes the notes by which a dropped, renamed or moved view is found; journal/location_notes.py reads them.

A note is written before the row changes, into the default metadata directory of the view's name, so that the name alone
leads to it. It may therefore describe a change that never happened: if that is certain, the note is deleted again;
otherwise its reader decides by what came later. A note never changes, and its file name holds the incarnation
(storage/ownership.py), the time and the kind.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

from hive_views.errors import CommitStateUnknownError, HiveViewsError, NoSuchViewError, StorageUnavailableError
from hive_views.hive.row import POINTER, VIEW_UUID, Row
from hive_views.messages.logs import logger_of
from hive_views.persisted import COMMITS, COPIED_FROM, FILE_FORMAT, INCARNATION, MADE_AS, NOTED_AT
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewMetadata
from hive_views.spec.serde import metadata_directory
from hive_views.spec.strict_json import read_json
from hive_views.storage.locations import parent_of
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.storage.ownership import incarnation_of, notes_directory, with_former_directories
from hive_views.views.commit.lookup import ViewLookup
from hive_views.views.commit.writes import NewFile
from hive_views.views.journal.location_notes import NANOSECONDS, Kind, Verb, note_name
from hive_views.views.view import View

log = logger_of(__name__)


class NoteWriter:
    """Writes notes about the views of a metastore.

    Args:
        storage: where the notes are written.
        lookup: knows the default directories of views.
        clock_ms: the time, in milliseconds since 1970.
        metastore: returns the identity of the metastore, if it reports one.
    """

    def __init__(
        self,
        storage: MetadataStorage,
        lookup: ViewLookup,
        clock_ms: Callable[[], int],
        metastore: Callable[[], str | None],
    ) -> None:
        self._storage = storage
        self._lookup = lookup
        self._clock_ms = clock_ms
        self._metastore = metastore

    @contextmanager
    def tombstone(self, row: Row, verb: Verb, *, partitions: Iterable[str] | None, is_locked: bool) -> Iterator[None]:
        """Note the last file of a view before its row is dropped or released; deleted if the row certainly stays.

        Raises:
            StorageUnavailableError: the note cannot be written; nothing was done.
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
            written = [self._write(row.identifier, incarnation, at_ns, Kind.TOMBSTONE, content)]
        except StorageUnavailableError as error:
            message = (
                f"{row.identifier} was left unchanged, because the note that names its last file could not be written: "
                f"{error.message} If its storage is gone for good, DROP VIEW in Hive or Spark drops it without a note."
            )
            raise replace(error, message=message, identifier=str(row.identifier)) from error
        if (first := _first_name(row.parameters)) not in (None, row.identifier):
            # Another program, or an earlier release, may have renamed it: its first files are under that name.
            with _warned(row.identifier):
                written.append(self._write(first, incarnation, at_ns, Kind.FORWARD, {"to": str(row.identifier)}))
        with self._taken_back(written, unless=(CommitStateUnknownError, NoSuchViewError)):
            yield

    @contextmanager
    def renaming(self, view: View, to: TableIdentifier) -> Iterator[None]:
        """Note under both names, before a rename, what the new name is and where the files are.

        Raises:
            StorageUnavailableError: the notes cannot be written; nothing was done.
        """
        incarnation, at_ns = incarnation_of(view.metadata), self._now_ns()
        left = self._directory(view.identifier)
        here = {
            "directories": _directories(view.metadata, view.metadata_location),
            "from": str(view.identifier),
            "left": left,
        }
        # In this order: if both notes exist, only the rename itself was left to do.
        written: list[str | None] = []
        with self._taken_back(written, unless=(CommitStateUnknownError,)):
            written.append(self._write(to, incarnation, at_ns, Kind.LOCATION, here))
            written.append(self._write(view.identifier, incarnation, at_ns, Kind.FORWARD, {"to": str(to)}))
            yield

    def with_noted_directory(self, identifier: TableIdentifier, metadata: ViewMetadata) -> ViewMetadata:
        """The metadata with the property that says where ``relocating`` notes its directory, if a note is needed."""
        here, directory = self._directory(identifier), metadata_directory(metadata)
        properties = {key: value for key, value in metadata.properties.items() if key != NOTED_AT}
        if here not in (None, directory):
            properties[NOTED_AT] = json.dumps([here, directory])
        if properties == metadata.properties:
            return metadata
        return metadata.model_copy(update={"properties": properties})

    def with_former_directory(self, metadata: ViewMetadata) -> ViewMetadata:
        """The metadata with the directory of our last commit, if another program has moved the view since."""
        place = None
        with suppress(ValueError):
            match read_json(metadata.properties.get(NOTED_AT, "[]")):
                case [str(), str(directory)]:
                    place = directory
                case []:
                    first = _first_name(metadata.properties)
                    place = self._directory(first) if first else None
        return with_former_directories(metadata, [place]) if place else metadata

    @contextmanager
    def relocating(
        self, identifier: TableIdentifier, metadata: ViewMetadata, file: NewFile, base: ViewMetadata | None = None
    ) -> Iterator[None]:
        """Note where the files of a view are, if that is not the default directory and is not noted yet.

        Other programs rename and move views too, and the default directories change with the settings: what was noted
        is recorded in the metadata file that a change starts from.

        Raises:
            StorageUnavailableError: the note cannot be written.
        """
        said, incarnation = metadata.properties.get(NOTED_AT), incarnation_of(metadata)
        is_said = base is not None and base.properties.get(NOTED_AT) == said and incarnation_of(base) == incarnation
        if said is None or is_said:
            yield
            return
        content, at_ns = {"directories": [metadata_directory(metadata)]}, self._now_ns()
        written = [self._write(identifier, incarnation, at_ns, Kind.LOCATION, content)]
        if (first := _first_name(metadata.properties)) not in (None, identifier):
            with _warned(identifier):
                written.append(self._write(first, incarnation, at_ns, Kind.FORWARD, {"to": str(identifier)}))
        try:
            yield
        except HiveViewsError:
            if not file.is_needed:
                self._take_back(written)
            raise

    def purge(self, view: View) -> None:
        """Note that a view was purged while files stay, some of which may be what it was restored from."""
        content = {
            "verb": "purge",
            "metadata-location": view.metadata_location,
            "partitions": None,
            "locked": True,
            "commits": view.metadata.properties.get(COMMITS, ""),
            "copied-from": view.metadata.properties.get(COPIED_FROM),
        }
        incarnation, at_ns = incarnation_of(view.metadata), self._now_ns()
        # What it was restored from is noted under the name that it had then.
        for name in dict.fromkeys((view.identifier, _first_name(view.metadata.properties) or view.identifier)):
            with _warned(view.identifier):
                self._write(name, incarnation, at_ns, Kind.TOMBSTONE, content)

    def _now_ns(self) -> int:
        # Two notes of the same millisecond stay in order, too.
        return self._clock_ms() * NANOSECONDS + time.time_ns() % NANOSECONDS

    def _directory(self, identifier: TableIdentifier) -> str | None:
        """Where notes about a name are; None if views of the name have no default directory."""
        try:
            return notes_directory(self._lookup.location_of_existing(identifier))
        except HiveViewsError as error:
            log.warning("view %s: the location of its files is not noted: %s", identifier, error)
            return None

    def _write(
        self, identifier: TableIdentifier, incarnation: str, at_ns: int, kind: Kind, content: Mapping[str, Any]
    ) -> str | None:
        directory = self._directory(identifier)
        if directory is None:
            return None
        location = f"{directory}/{note_name(incarnation, at_ns, kind, self._metastore())}"
        document = {"format-version": FILE_FORMAT, "view": str(identifier), "at-ms": at_ns // NANOSECONDS, **content}
        try:
            self._storage.write_bytes(location, json.dumps(document).encode() + b"\n")
        except StorageUnavailableError:
            self._take_back([location])
            raise
        except HiveViewsError as error:
            # A storage that this process can never use is no reason to refuse a drop.
            log.warning("view %s: the location of its files is not noted: %s", identifier, error)
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
            log.warning("the note of a change that was not made could not be deleted: %s", error)


def _incarnation(parameters: Mapping[str, str]) -> str:
    token = parameters.get(INCARNATION) or parameters.get(VIEW_UUID, "").lower()
    return token if re.fullmatch(r"[\w.-]+", token, re.ASCII) else "unknown"


def _first_name(properties: Mapping[str, str]) -> TableIdentifier | None:
    """The name under which the row of a view was created; None if unknown."""
    with suppress(HiveViewsError):
        return TableIdentifier.of(properties[MADE_AS]) if MADE_AS in properties else None
    return None


def _directories(metadata: ViewMetadata, location: str) -> list[str]:
    return list(dict.fromkeys((parent_of(location), metadata_directory(metadata))))


@contextmanager
def _warned(identifier: TableIdentifier) -> Iterator[None]:
    try:
        yield
    except HiveViewsError as error:
        log.warning("view %s: the location of its files is not noted: %s", identifier, error)
