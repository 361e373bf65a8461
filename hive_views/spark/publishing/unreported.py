"""Partitions that have still to be reported to a callback, noted beside the view until they are.

A note is written before its partitions are declared, and removed after they were reported: what a killed run has not
reported is found by the next one. Notes never change, so that no run removes what another one notes meanwhile.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from itertools import chain

from hive_views.errors import CorruptMetadataError, HiveViewsError, UnsupportedFeatureError
from hive_views.messages.logs import logger_of
from hive_views.persisted import FILE_FORMAT, UNREPORTED_SUFFIX
from hive_views.spec.strict_json import read_json
from hive_views.storage.ownership import former_directories, incarnation_of, is_unreported_of, publishing_directory
from hive_views.views.catalog import ViewCatalog
from hive_views.views.view import View

log = logger_of("hive_views.publishing")


class UnreportedPartitions:
    """The notes of one application (``published_by``) beside one view. Others have callbacks of their own."""

    def __init__(self, catalog: ViewCatalog, view: View, published_by: str) -> None:
        self._storage, self._settings = catalog.storage, catalog.settings
        self._directory, self._incarnation = publishing_directory(view.metadata), incarnation_of(view.metadata)
        # Those that were noted before the view's location was changed are still there.
        self._directories = (self._directory, *former_directories(view.metadata))
        self._published_by = published_by

    def note(self, names: Sequence[str]) -> None:
        """Note partitions that have to be reported; StorageUnavailableError: the storage failed or refused."""
        name = f"{self._incarnation}-{self._settings.clock_ms():015d}-{self._settings.new_uuid()}{UNREPORTED_SUFFIX}"
        content = json.dumps(
            {"format-version": FILE_FORMAT, "published-by": self._published_by, "partitions": list(names)}
        )
        self._storage.write_bytes(f"{self._directory}/{name}", content.encode())

    def names(self) -> list[str]:
        """All that are noted, oldest first; some may not be declared. StorageUnavailableError as ``note``."""
        return list(dict.fromkeys(name for names in self._notes().values() for name in names))

    def forget(self, names: Collection[str]) -> None:
        """Remove what was reported; where that fails it will be reported again."""
        try:
            for location, noted in self._notes().items():
                left = [name for name in noted if name not in names]
                if left and left != noted:
                    self.note(left)
                if left != noted:
                    self._storage.delete(location)
        except HiveViewsError as error:
            log.warning("%d partitions will be reported again: %s", len(names), error)

    def _notes(self) -> dict[str, list[str]]:
        notes = {}
        for location in chain.from_iterable(map(self._storage.list_files, self._directories)):
            if is_unreported_of(self._incarnation, location):
                try:
                    note = read_json(self._storage.read_bytes(location))
                    of_us, names = note.get("published-by") == self._published_by, note.get("partitions", ())
                except (CorruptMetadataError, ValueError, AttributeError):
                    continue  # reported by another run meanwhile, or half written: then nothing of it was declared
                # The first notes that were written do not say their format, which is 1.
                if (version := note.get("format-version", 1)) != FILE_FORMAT:
                    raise UnsupportedFeatureError(
                        f"Cannot read {location}, partitions that have still to be reported: it has format version "
                        f"{version}, of a later release. Update hive_views.",
                        location=location,
                    )
                if of_us and isinstance(names, list):
                    notes[location] = list(map(str, names))
        return notes
