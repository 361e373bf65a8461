"""What became of the views of a name: which file was the last of each, where its files went, and which name it got.

A word is written before the row is changed, into the directory of the metadata files that a view of the name has by
default, so that it is found by the name alone. So it may speak of what never happened: where that is certain it is
taken back, and where it is not, it is judged by what came later. A word is never changed, and names its incarnation
(storage/ownership.py), its time and its kind.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

from hive_views.errors import (
    CommitStateUnknownError,
    HiveViewsError,
    NoSuchViewError,
    StorageUnavailableError,
)
from hive_views.hive.row import POINTER, VIEW_UUID, Row
from hive_views.messages.logs import logger_of
from hive_views.persisted import (
    COMMITS,
    COPIED_FROM,
    FILE_FORMAT,
    INCARNATION,
    MADE_AS,
    NOTED_AT,
)
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewMetadata
from hive_views.spec.serde import metadata_directory
from hive_views.spec.strict_json import read_json
from hive_views.storage.locations import parent_of
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.storage.ownership import incarnation_of, whereabouts_directory, with_former_directories
from hive_views.views.commit.lookup import ViewLookup
from hive_views.views.commit.outcome import NewFile
from hive_views.views.journal.whereabouts_notes import NANOSECONDS, Kind, Verb, name_of_word
from hive_views.views.view import View

log = logger_of(__name__)


class Whereabouts:
    """Leaves words about the views of a metastore.

    Args:
        storage: where files are.
        lookup: which directories views have by default.
        clock_ms: the time, in milliseconds since 1970.
        metastore: gives its identity, if it tells that.
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
        if (first := _first_name(row.parameters)) not in (None, row.identifier):
            # Another program may have renamed it, or an earlier release: its first files lie under that name.
            with _warned(row.identifier):
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

    def noted(self, identifier: TableIdentifier, metadata: ViewMetadata) -> ViewMetadata:
        """The metadata, saying where ``following`` has noted in which directory its files are, if it has to."""
        here, directory = self._directory(identifier), metadata_directory(metadata)
        properties = {key: value for key, value in metadata.properties.items() if key != NOTED_AT}
        if here not in (None, directory):
            properties[NOTED_AT] = json.dumps([here, directory])
        if properties == metadata.properties:
            return metadata
        return metadata.model_copy(update={"properties": properties})

    def knowing_former(self, metadata: ViewMetadata) -> ViewMetadata:
        """The metadata, knowing where our last change has left the files of a view that another program has moved."""
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
    def following(
        self, identifier: TableIdentifier, metadata: ViewMetadata, file: NewFile, base: ViewMetadata | None = None
    ) -> Iterator[None]:
        """Say where the files of a view are from now on, if that is not where it is by default, and not said yet.

        Other programs rename views and change their locations too, and the directories by default change with the
        settings: what has been said is in the file that a change is made from.

        Raises:
            StorageUnavailableError: that cannot be noted.
        """
        said, incarnation = metadata.properties.get(NOTED_AT), incarnation_of(metadata)
        is_said = base is not None and base.properties.get(NOTED_AT) == said and incarnation_of(base) == incarnation
        if said is None or is_said:
            yield
            return
        content, at_ns = {"directories": [metadata_directory(metadata)]}, self._now_ns()
        written = [self._write(identifier, incarnation, at_ns, Kind.HERE, content)]
        if (first := _first_name(metadata.properties)) not in (None, identifier):
            with _warned(identifier):
                written.append(self._write(first, incarnation, at_ns, Kind.LEFT, {"to": str(identifier)}))
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
            "copied-from": view.metadata.properties.get(COPIED_FROM),
        }
        incarnation, at_ns = incarnation_of(view.metadata), self._now_ns()
        # What it was brought back from is noted under the name that it had then.
        for name in dict.fromkeys((view.identifier, _first_name(view.metadata.properties) or view.identifier)):
            with _warned(view.identifier):
                self._write(name, incarnation, at_ns, Kind.ENDED, content)

    def _now_ns(self) -> int:
        # Two words of one millisecond are in their order, too.
        return self._clock_ms() * NANOSECONDS + time.time_ns() % NANOSECONDS

    def _directory(self, identifier: TableIdentifier) -> str | None:
        """Where words about a name are; None where views of the name have no directory by default."""
        try:
            return whereabouts_directory(self._lookup.location_of_existing(identifier))
        except HiveViewsError as error:
            log.warning("view %s: nothing is noted of where its files are: %s", identifier, error)
            return None

    def _write(
        self, identifier: TableIdentifier, incarnation: str, at_ns: int, kind: Kind, content: Mapping[str, Any]
    ) -> str | None:
        directory = self._directory(identifier)
        if directory is None:
            return None
        location = f"{directory}/{name_of_word(incarnation, at_ns, kind, self._metastore())}"
        document = {"format-version": FILE_FORMAT, "view": str(identifier), "at-ms": at_ns // NANOSECONDS, **content}
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


def _incarnation(parameters: Mapping[str, str]) -> str:
    token = parameters.get(INCARNATION) or parameters.get(VIEW_UUID, "").lower()
    return token if re.fullmatch(r"[\w.-]+", token, re.ASCII) else "unknown"


def _first_name(properties: Mapping[str, str]) -> TableIdentifier | None:
    """The name that the row of a view had when it was made; None where that is not known."""
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
        log.warning("view %s: nothing is noted of where its files are: %s", identifier, error)
