"""Which file a row can point to instead of one that is gone or damaged.

The file before the last one is certain to have been current. Without it the last one of the view that is beside the one
which is gone, or where views of its name have theirs, is taken; a commit that never ended may have left that.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from hive_views.errors import CorruptMetadataError, UnsupportedFeatureError
from hive_views.estate.checks.findings import Finding, restore_file
from hive_views.hive.row import POINTER, PREVIOUS_POINTER, VIEW_UUID, Row
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.views import remedies
from hive_views.views.recovery.recoverable import LiveRows, find_recoverable

CODES_OF_FILES = ("file-missing", "file-damaged", "file-of-another-view")
"""The codes of findings that another file repairs."""

_METADATA = "/metadata"


def with_last_file(
    finding: Finding, row: Row, defaults: Sequence[str], live: LiveRows, storage: MetadataStorage
) -> Finding:
    """A finding of a file that is no use, with the command that registers another one, or what to do without.

    Args:
        finding: one of ``CODES_OF_FILES``.
        row: of the view.
        defaults: the directories that a view of its name has by default.
        live: whose files are not left over.
        storage: where the files are.

    Raises:
        CorruptMetadataError, StorageUnavailableError: they cannot be looked for.
    """
    file = _previous(row, storage)
    doubts: tuple[str, ...] = ()
    if not file:
        places = dict.fromkeys((*beside(row.parameters[POINTER]), *defaults))
        found = find_recoverable(row.identifier, places, row, live, storage)
        file, doubts = (found.metadata_location, found.doubts) if found else (None, ())
    if not file:
        return replace(finding, remedy=restore_file(finding.view, row.parameters[POINTER]))
    return replace(
        finding,
        remedy=remedies.register(finding.view, file),
        details={**finding.details, "last_file": file, **({"doubts": list(doubts)} if doubts else {})},
    )


def beside(metadata_location: str | None) -> list[str]:
    """The location of the view that a metadata file is of, if its directory has the name that it has by default."""
    directory = (metadata_location or "").rpartition("/")[0]
    return [directory.removesuffix(_METADATA)] if directory.endswith(_METADATA) else []


def _previous(row: Row, storage: MetadataStorage) -> str | None:
    previous = row.parameters.get(PREVIOUS_POINTER)
    if previous:
        with suppress(CorruptMetadataError, UnsupportedFeatureError):
            uuid = storage.read(previous, cached=False).view_uuid
            if row.parameters.get(VIEW_UUID, uuid).lower() == uuid.lower():
                return previous
    return None
