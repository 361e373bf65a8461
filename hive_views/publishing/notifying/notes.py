"""Notes beside a view of what has still to be told: to a callback which partitions, to a receiver which events.

A note is written before its partitions are declared, and removed after they were told of: what a killed run has not
told is found by the next one. Notes never change, so that no run removes what another one notes meanwhile.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from typing import Any

from hive_views.errors import CorruptMetadataError, HiveViewsError, UnsupportedFeatureError
from hive_views.messages.logs import logger_of
from hive_views.persisted import FILE_FORMAT, UNREPORTED_SUFFIX
from hive_views.spec.strict_json import read_json
from hive_views.storage.ownership import former_directories, incarnation_of, is_unreported_of, publishing_directory
from hive_views.views.catalog import ViewCatalog
from hive_views.views.view import View

log = logger_of("hive_views.publishing")


class Notes:
    """The notes for one recipient beside one view.

    Args:
        catalog: where the view is.
        view: the view.
        key: the key of a note that says whom it is for.
        recipient: its value; notes with others are not touched.
    """

    def __init__(self, catalog: ViewCatalog, view: View, key: str, recipient: str) -> None:
        self._storage, self._settings = catalog.storage, catalog.settings
        self._directory, self._incarnation = publishing_directory(view.metadata), incarnation_of(view.metadata)
        # Those that were written before the view's location was changed are still there.
        self._directories = (self._directory, *former_directories(view.metadata))
        self._for = {key: recipient}

    def write(self, content: Mapping[str, Any]) -> str:
        """Write a note; returns its location. StorageUnavailableError: the storage failed or refused."""
        name = f"{self._incarnation}-{self._settings.clock_ms():015d}-{self._settings.new_uuid()}{UNREPORTED_SUFFIX}"
        text = json.dumps({"format-version": FILE_FORMAT, **self._for, **content})
        self._storage.write_bytes(f"{self._directory}/{name}", text.encode())
        return f"{self._directory}/{name}"

    def read(self) -> dict[str, Mapping[str, Any]]:
        """All notes by location, oldest first. StorageUnavailableError as ``write``.

        Raises:
            UnsupportedFeatureError: a later release has written one.
        """
        notes: dict[str, Mapping[str, Any]] = {}
        [(key, recipient)] = self._for.items()
        for location in chain.from_iterable(map(self._storage.list_files, self._directories)):
            if is_unreported_of(self._incarnation, location):
                try:
                    note = read_json(self._storage.read_bytes(location))
                    is_for_us = note.get(key) == recipient
                except (CorruptMetadataError, ValueError, AttributeError):
                    continue  # told by another run meanwhile, or half written: then nothing of it was declared
                # The first notes that were written do not say their format, which is 1.
                if (version := note.get("format-version", 1)) != FILE_FORMAT:
                    raise UnsupportedFeatureError(
                        f"Cannot read {location}, partitions that have still to be reported: it has format version "
                        f"{version}, of a later release. Update hive_views.",
                        location=location,
                    )
                if is_for_us:
                    notes[location] = note
        return notes

    def replace(self, location: str, left: Mapping[str, Any] | None) -> None:
        """Remove a note, after what is left of it was written anew. StorageUnavailableError as ``write``."""
        if left:
            self.write(left)
        self._storage.delete(location)


class UnreportedPartitions:
    """The partitions that one application (``published_by``) has to report to its callback; others have their own."""

    def __init__(self, catalog: ViewCatalog, view: View, published_by: str) -> None:
        self._notes = Notes(catalog, view, "published-by", published_by)

    def note(self, names: Sequence[str]) -> None:
        """Note partitions that have to be reported; StorageUnavailableError: the storage failed or refused."""
        self._notes.write({"partitions": list(names)})

    def names(self) -> list[str]:
        """All that are noted, oldest first; some may not be declared. StorageUnavailableError as ``note``."""
        return list(dict.fromkeys(name for names in self._noted().values() for name in names))

    def forget(self, names: Collection[str]) -> None:
        """Remove what was reported; where that fails it will be reported again."""
        try:
            for location, noted in self._noted().items():
                left = [name for name in noted if name not in names]
                if left != noted:
                    self._notes.replace(location, {"partitions": left} if left else None)
        except HiveViewsError as error:
            log.warning("%d partitions will be reported again: %s", len(names), error)

    def _noted(self) -> dict[str, list[str]]:
        lists = {location: note.get("partitions", ()) for location, note in self._notes.read().items()}
        return {location: list(map(str, names)) for location, names in lists.items() if isinstance(names, list)}
