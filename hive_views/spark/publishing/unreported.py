"""Partitions that have still to be reported to a callback, noted beside the view until they are.

A note is written before its partitions are declared, and removed after they were reported: what a killed run has not
reported is found by the next one.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from hive_views.errors import HiveViewsError
from hive_views.messages.logs import logger_of
from hive_views.persisted import UNREPORTED_SUFFIX
from hive_views.publishing.ledger.notes import Notes
from hive_views.views.catalog import ViewCatalog
from hive_views.views.view import View

log = logger_of("hive_views.publishing")


class UnreportedPartitions:
    """The notes of one application (``published_by``) beside one view. Others have callbacks of their own."""

    def __init__(self, catalog: ViewCatalog, view: View, published_by: str) -> None:
        self._files = Notes(catalog, view, UNREPORTED_SUFFIX, "partitions that have still to be reported")
        self._published_by = published_by

    def note(self, names: Sequence[str]) -> None:
        """Note partitions that have to be reported; StorageUnavailableError: the storage failed or refused."""
        self._files.write({"published-by": self._published_by, "partitions": list(names)})

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
                    self._files.remove(location)
        except HiveViewsError as error:
            log.warning("%d partitions will be reported again: %s", len(names), error)

    def _notes(self) -> dict[str, list[str]]:
        notes = {}
        for location, note in self._files.read().items():
            names = note.get("partitions", ())
            if note.get("published-by") == self._published_by and isinstance(names, list):
                notes[location] = list(map(str, names))
        return notes
