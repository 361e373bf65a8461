"""Notes beside a view of what a run has begun, from which a later run completes it if that one is killed.

Notes never change, so that no run removes what another one notes meanwhile.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import chain
from typing import Any

from hive_views.errors import CorruptMetadataError, UnsupportedFeatureError
from hive_views.persisted import FILE_FORMAT
from hive_views.spec.strict_json import read_json
from hive_views.storage.ownership import former_directories, incarnation_of, is_note_of, publishing_directory
from hive_views.views.catalog import ViewCatalog
from hive_views.views.view import View


class NoteFiles:
    """The notes of one kind about one view.

    Args:
        catalog: where the view is.
        view: the view.
        suffix: of the files' names, from ``hive_views.persisted``.
        about: what such a note has, for people.
        recipient: values by key that say whom a note is for; notes with others are not touched.
    """

    def __init__(
        self, catalog: ViewCatalog, view: View, suffix: str, about: str, recipient: Mapping[str, str] | None = None
    ) -> None:
        self._storage, self._settings = catalog.storage, catalog.settings
        self._directory, self._incarnation = publishing_directory(view.metadata), incarnation_of(view.metadata)
        # Those that were written before the view's location was changed are still there.
        self._directories = (self._directory, *former_directories(view.metadata))
        self._suffix, self._about, self._recipient = suffix, about, dict(recipient or {})

    def write(self, content: Mapping[str, object]) -> str:
        """Write a note; returns its location. StorageUnavailableError: the storage failed or refused."""
        name = f"{self._incarnation}-{self._settings.clock_ms():015d}-{self._settings.new_uuid()}{self._suffix}"
        location = f"{self._directory}/{name}"
        self._storage.write_bytes(location, self._text(content))
        return location

    def read(self) -> dict[str, Mapping[str, Any]]:
        """All notes by location, the oldest first; half written ones are left out, as nothing was begun after them.

        Raises:
            UnsupportedFeatureError: a later release has written one.
            StorageUnavailableError: as ``write``.
        """
        found: dict[str, Mapping[str, Any]] = {}
        for location in chain.from_iterable(map(self._storage.list_files, self._directories)):
            if is_note_of(self._incarnation, location, self._suffix):
                try:
                    note = read_json(self._storage.read_bytes(location))
                    version = note.get("format-version", 1)  # the first notes do not say it
                    is_for_us = {key: note.get(key) for key in self._recipient} == self._recipient
                except (CorruptMetadataError, ValueError, AttributeError):
                    continue  # or removed by another run meanwhile
                if version != FILE_FORMAT:
                    raise UnsupportedFeatureError(
                        f"Cannot read {location}, {self._about}: it has format version {version}, of a later release. "
                        f"Update hive_views.",
                        location=location,
                    )
                if is_for_us:
                    found[location] = note
        return dict(sorted(found.items(), key=lambda one: one[0].rpartition("/")[2]))

    def replace(self, location: str, left: Mapping[str, object] | None) -> None:
        """Remove a note, after what is left of it was written anew. StorageUnavailableError as ``write``."""
        if left:
            self.write(left)
        self._storage.delete(location)

    def _text(self, content: Mapping[str, object]) -> bytes:
        return json.dumps({"format-version": FILE_FORMAT, **self._recipient, **content}).encode()
