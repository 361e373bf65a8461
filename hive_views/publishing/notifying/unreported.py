"""Notes beside a view of what has still to be told: to a callback which partitions, to a receiver which events.

A note is written before its partitions are declared, and removed after they were told of: what a killed run has not
told is found by the next one.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from hive_views.errors import HiveViewsError
from hive_views.messages.logs import logger_of
from hive_views.persisted import UNREPORTED_SUFFIX
from hive_views.publishing.ledger.note_files import NoteFiles
from hive_views.views.catalog import ViewCatalog
from hive_views.views.view import View

log = logger_of("hive_views.publishing")


class UnreportedNotes(NoteFiles):
    """The notes for one recipient beside one view.

    Args:
        catalog: where the view is.
        view: the view.
        key: the key of a note that says whom it is for.
        recipient: its value; notes with others are not touched.
    """

    def __init__(self, catalog: ViewCatalog, view: View, key: str, recipient: str) -> None:
        super().__init__(
            catalog, view, UNREPORTED_SUFFIX, "partitions that have still to be reported", {key: recipient}
        )


class UnreportedPartitions:
    """The partitions that one application (``published_by``) has to report to its callback; others have their own."""

    def __init__(self, catalog: ViewCatalog, view: View, published_by: str) -> None:
        self._notes = UnreportedNotes(catalog, view, "published-by", published_by)

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
