"""Partitions that are retracted to be declared again, noted beside the view with all that is recorded with them.

A note is written before they are retracted, and removed once they are declared again: what a killed run has retracted
is found by the next one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from hive_views.persisted import REDECLARED_SUFFIX
from hive_views.publishing.ledger.note_files import NoteFiles
from hive_views.views.catalog import ViewCatalog
from hive_views.views.view import View

_Noted = Mapping[str, Mapping[str, str]]


class RedeclaredPartitions:
    """The notes about one view; StorageUnavailableError: the storage failed or refused."""

    def __init__(self, catalog: ViewCatalog, view: View) -> None:
        self._files = NoteFiles(catalog, view, REDECLARED_SUFFIX, "partitions that are to be declared again")

    def note(self, partitions: _Noted) -> str:
        """Note partitions with their parameters, by name, before they are retracted; returns where."""
        return self._files.write({"partitions": partitions})

    def remove(self, location: str) -> None:
        """Remove the note that was written there."""
        self._files.replace(location, None)

    def read(self) -> dict[str, Mapping[str, str]]:
        """The parameters of all that are noted, by name, as the last note has them; some may be declared."""
        return {name: parameters for noted in self._notes().values() for name, parameters in noted.items()}

    def forget(self, names: Collection[str]) -> None:
        """Remove what was declared again."""
        for location, noted in self._notes().items():
            left = {name: parameters for name, parameters in noted.items() if name not in names}
            if left != noted:
                self._files.replace(location, {"partitions": left} if left else None)

    def _notes(self) -> dict[str, _Noted]:
        found = {location: note.get("partitions") for location, note in self._files.read().items()}
        return {location: noted for location, noted in found.items() if isinstance(noted, dict)}
