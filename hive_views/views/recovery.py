"""Recovery of a view whose row was dropped, put away by a foreign CREATE OR REPLACE VIEW, or lost its pointer.

What lives here: finding its last metadata file, and reporting what the row has lost. What must not: bringing it back
(catalog.py, partitions.py).

Only the directories that a view has by default are looked at. A view that was purged is not recoverable. Files there
may be of rows that live: of one that was renamed, or that was registered under another name. They are passed over
where that can be known, from the name that a row was made under and from the rows of the namespace; a row that was
renamed into another namespace or metastore cannot be known. Registering its file does it no harm: the new row gets a
copy.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from hive_views.errors import (
    AlreadyExistsError,
    CorruptMetadataError,
    HiveViewsError,
    NoSuchIcebergViewError,
    NoSuchNamespaceError,
    NoSuchViewError,
    UnsupportedFeatureError,
)
from hive_views.hive.row import POINTER, PREVIOUS_POINTER, VIEW_UUID, Row
from hive_views.messages.counted import counted
from hive_views.messages.remedies import UndropView
from hive_views.persisted import INCARNATION, MADE_AS
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewMetadata
from hive_views.spec.serde import sequence_number
from hive_views.storage.directories import incarnation_of
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.views.lost_row import changes_in, is_own
from hive_views.views.partition_journal import is_begun
from hive_views.views.projection import partitioned_on

log = logging.getLogger(__name__)

# Each is read, on a storage that may be far away, and the last is among the highest numbers.
_MOST_FILES = 100


@dataclass(frozen=True)
class Recoverable:
    """The last file of a view, what it says, whether partitions are noted beside it, and what has its name now."""

    identifier: TableIdentifier
    metadata_location: str
    metadata: ViewMetadata
    has_journal: bool
    row: Row | None = field(repr=False)

    def __str__(self) -> str:
        """What was lost."""
        lost = [f"its history ({counted(len(self.metadata.versions), 'version')})"]
        if self._is_unpartitioned:
            lost.append(f"its partition columns ({', '.join(partitioned_on(self.metadata))})")
            lost += ["its partitions"] if self.has_journal else []
        return (
            f"{_cause(self.row)} With the pointer to its file it has lost {', '.join(lost)}. Nothing of that is gone."
        )

    @property
    def remedy(self) -> UndropView:
        """How it comes back."""
        return UndropView(str(self.identifier), is_replaced=self.says_something_else)

    @property
    def says_something_else(self) -> bool:
        """Whether what has its name now says what its last file does not know."""
        return self.row is not None and bool(changes_in(self.row, self.metadata_location, self.metadata))

    @property
    def is_released(self) -> bool:
        """Whether it is a plain view now that says the same; such a one is not dropped."""
        return self.row is not None and not is_own(self.row) and not self.says_something_else

    def document(self) -> dict[str, Any]:
        """What can be brought back, as JSON holds it."""
        now = "gone" if self.row is None else "without its pointer" if is_own(self.row) else "a plain view"
        return {
            "identifier": str(self.identifier),
            "version_id": self.metadata.current_version_id,
            "changed_ms": self.metadata.version_log[-1].timestamp_ms,
            "has_partitions": self.has_journal,
            "metadata_location": self.metadata_location,
            "now": now,
        }

    @property
    def _is_unpartitioned(self) -> bool:
        return bool(partitioned_on(self.metadata)) and not (self.row and self.row.partition_keys)


@contextmanager
def explaining_absence(
    find: Callable[[], Recoverable | None], nearest_view: Callable[[], TableIdentifier | None]
) -> Iterator[None]:
    """Say in the error for a view that is missing how it comes back, or which name may have been meant.

    Raises:
        NoSuchViewError: as raised inside, with the last file where that is still there.
        NoSuchNamespaceError: the namespace is missing.
    """
    try:
        yield
    except NoSuchViewError as error:
        try:
            found = find()
            near = None if found or isinstance(error, NoSuchIcebergViewError) else nearest_view()
        except NoSuchNamespaceError as missing:
            raise missing from error
        except HiveViewsError as unreadable:
            log.debug("whether the view can be recovered is not known: %s", unreadable)
            raise error from None
        if found:
            message = f"{error.message} {found}"
            location = found.metadata_location
            raise replace(error, message=message, remedy=found.remedy, metadata_location=location) from error
        if near:
            raise replace(error, message=f"{error.message} Did you mean {str(near)!r}?") from error
        raise


def find_recoverable(
    identifier: TableIdentifier,
    locations: Iterable[str],
    row: Row | None,
    others: Callable[[], Iterable[Row]],
    storage: MetadataStorage,
    *,
    is_left: Callable[[ViewMetadata], bool] = lambda _: False,
) -> Recoverable | None:
    """The recoverable view of these locations; of several there, the one changed last.

    ``row`` is what the metastore has under its name now: where it still has the view's uuid, its incarnation or the
    file before the last one, these decide. ``others`` gives the rows of other names; called where there are files.
    ``is_left`` says of a file that it never became a view.

    Raises:
        StorageUnavailableError: the storage failed or refused.
    """
    kept = row.parameters if row else {}
    uuid, previous = kept.get(VIEW_UUID), sequence_number(kept.get(PREVIOUS_POINTER, ""))
    found = []
    for location in locations:
        files = storage.list_metadata_files(f"{location}/metadata")
        for file in sorted(files, key=_number, reverse=True)[:_MOST_FILES]:
            try:
                metadata = storage.read(file)
            except (CorruptMetadataError, UnsupportedFeatureError):
                continue  # half written, or no view's
            if uuid in (None, metadata.view_uuid) and metadata.version_log and not is_left(metadata):
                found.append((file, metadata))
    found = _of_this_name(found, identifier, kept.get(INCARNATION), others) if found else []
    if not found:
        return None
    newest = max(found, key=lambda one: one[1].version_log[-1].timestamp_ms)[1].view_uuid
    of_one = [one for one in found if one[1].view_uuid == newest]
    # A writer that was killed before its swap has left a file with a number above that of the last commit.
    last = [one for one in of_one if previous is not None and _number(one[0]) == previous + 1] or of_one
    file, metadata = max(last, key=lambda one: (_number(one[0]), one[1].version_log[-1].timestamp_ms, one[0]))
    return Recoverable(identifier, file, metadata, is_begun(metadata, storage), row)


def refuse_former(found: Recoverable | None, identifier: TableIdentifier) -> None:
    """
    Raises:
        AlreadyExistsError: a view of this name has files, whose history a new one would put away.
    """
    if found is not None:
        raise AlreadyExistsError(
            f"{identifier} has a history already, in {found.metadata_location}: adopting its row would begin a new "
            f"one, which has to be asked for. {found}",
            remedy=found.remedy,
            identifier=str(identifier),
            location=found.metadata_location,
        )


def _of_this_name(
    found: list[tuple[str, ViewMetadata]],
    identifier: TableIdentifier,
    incarnation: str | None,
    others: Callable[[], Iterable[Row]],
) -> list[tuple[str, ViewMetadata]]:
    if incarnation:
        return [one for one in found if incarnation_of(one[1]) == incarnation]
    pointers = {row.parameters.get(POINTER) for row in others()}
    live = {incarnation_of(metadata) for file, metadata in found if file in pointers}
    # Files from before the name was written down may be anybody's.
    return [
        (file, metadata)
        for file, metadata in found
        if incarnation_of(metadata) not in live and metadata.properties.get(MADE_AS, str(identifier)) == str(identifier)
    ]


def _cause(row: Row | None) -> str:
    if row is None:
        return "A view of this name was dropped, or renamed into another namespace."
    if VIEW_UUID in row.parameters:
        return "Something has removed the pointer from its row."
    return "It was released, or something like Spark's CREATE OR REPLACE VIEW has put another view in its place."


def _number(location: str) -> int:
    number = sequence_number(location)
    return -1 if number is None else number
