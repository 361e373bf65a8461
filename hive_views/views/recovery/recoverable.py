"""Recovery of a view whose row was dropped, replaced by another engine's CREATE OR REPLACE VIEW, or lost its pointer.

A view that was purged is not recoverable. Files may belong to rows that still exist, of views that were renamed or
registered under another name. The notes about the name and all rows of the metastore tell which these are; rows of
another metastore cannot be seen. Registering the file of such a row is harmless: the new row gets a copy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from functools import partial
from threading import Lock
from typing import Any, Literal, NoReturn

from hive_views.errors import (
    AlreadyExistsError,
    CorruptMetadataError,
    HiveViewsError,
    NoSuchIcebergViewError,
    NoSuchNamespaceError,
    NoSuchViewError,
    ReleasedViewError,
    UnsupportedFeatureError,
)
from hive_views.hive.row import POINTER, VIEW_UUID, Row
from hive_views.messages.counted import counted
from hive_views.messages.enumerated import all_of
from hive_views.messages.logs import logger_of
from hive_views.messages.remedy import Remedy
from hive_views.persisted import INCARNATION
from hive_views.spec.identifiers import Identifier, TableIdentifier
from hive_views.spec.metadata import ViewMetadata
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.views import remedies
from hive_views.views.changes.recovered_metadata import changes_in, is_own
from hive_views.views.commit.engine import Engine
from hive_views.views.journal.location_notes import Tombstone
from hive_views.views.journal.partition_journal import is_begun
from hive_views.views.recovery.last_incarnation import LastIncarnation
from hive_views.views.row.projection import partitioned_on
from hive_views.views.row.released import file_of_half_released, is_half_released
from hive_views.views.view import is_lost

log = logger_of(__name__)


@dataclass(frozen=True)
class Recoverable:
    """A view that can be restored from its last file.

    Attributes:
        identifier: its name.
        metadata_location: the last file.
        metadata: the content of that file.
        has_journal: whether its partitions are recorded beside it.
        row: the row that has its name now.
        tombstone: what was noted when its row went; None if its last file was searched for.
        doubts: why it may be another file, as sentences; () if it is certain.
        has_namespace: whether its database exists.
        notes: those about the name that were found, by directory; what is noted later may be of a later view.
    """

    identifier: TableIdentifier
    metadata_location: str
    metadata: ViewMetadata
    has_journal: bool
    row: Row | None = field(repr=False)
    tombstone: Tombstone | None = field(default=None, repr=False)
    doubts: tuple[str, ...] = ()
    has_namespace: bool = True
    notes: Mapping[str, frozenset[str]] = field(default_factory=dict, repr=False)

    def __str__(self) -> str:
        """What happened to it, as far as is known, and what is still available."""
        if self.is_released:
            return (
                f"It was handed back, and its history ({counted(len(self.metadata.versions), 'version')}) still "
                f"exists. If it was moved, it is in another catalog now, and bringing it back here would duplicate it."
            )
        kept = [counted(len(self.metadata.versions), "version")]
        if self._is_unpartitioned:
            kept.append(f"the partition columns ({', '.join(partitioned_on(self.metadata))})")
            kept += ["the partitions"] if self.has_journal else []
        return " ".join((f"{self._cause} Its last metadata file is still there, with {all_of(kept)}.", *self.doubts))

    @property
    def _cause(self) -> str:
        if self.row is None:
            if self.tombstone is not None:
                at = datetime.fromtimestamp(self.tombstone.at_ms / 1000, timezone.utc)
                verb = "handed back" if self.tombstone.verb == "release" else "dropped"
                return f"A view of this name was {verb} on {at:%Y-%m-%d %H:%M:%S} UTC."
            return "A view of this name was dropped, or renamed by another program."
        if VIEW_UUID in self.row.parameters:
            return "Another program removed the pointer from its row."
        return "Another program replaced it, for example with Spark's CREATE OR REPLACE VIEW."

    @property
    def remedy(self) -> Remedy:
        """How to restore it."""
        if self.row is not None and is_half_released(self.row):
            return remedies.finish_release(str(self.identifier))
        bring_back = remedies.undrop_replaced if self.says_something_else else remedies.undrop
        return bring_back(str(self.identifier))

    @property
    def says_something_else(self) -> bool:
        """Whether the row that has its name now differs from its last file."""
        return self.row is not None and bool(changes_in(self.row, self.metadata_location, self.metadata))

    @property
    def is_released(self) -> bool:
        """Whether it is a plain view with the same content now, that is, released and not dropped."""
        return self.row is not None and not is_own(self.row) and not self.says_something_else

    @property
    def known_by(self) -> Literal["note", "row", "search"]:
        """How its last file was found: by a note, by its row, or by a search."""
        if self.tombstone is not None:
            return "note"
        is_said = self.row is not None and (is_own(self.row) or is_half_released(self.row))
        return "row" if is_said else "search"

    def document(self) -> dict[str, Any]:
        """The view as a JSON object."""
        now = "gone" if self.row is None else "without its pointer" if is_own(self.row) else "a plain view"
        return {
            "identifier": str(self.identifier),
            "version_id": self.metadata.current_version_id,
            "changed_ms": self.metadata.version_log[-1].timestamp_ms,
            "has_partitions": self.has_journal,
            "metadata_location": self.metadata_location,
            "known_by": self.known_by,
            "certain": not self.doubts,
            "doubts": list(self.doubts),
            "dropped_ms": self.tombstone.at_ms if self.tombstone else None,
            "now": now,
            "namespace_exists": self.has_namespace,
        }

    @property
    def _is_unpartitioned(self) -> bool:
        return bool(partitioned_on(self.metadata)) and not (self.row and self.row.partition_keys)


@contextmanager
def explaining_absence(engine: Engine, name: TableIdentifier) -> Iterator[None]:
    """Add to the error for a missing view how to restore it, or which name may have been meant.

    Raises:
        NoSuchViewError: as raised inside, with the last file if it still exists.
        NoSuchNamespaceError: the namespace is missing.
    """
    try:
        yield
    except NoSuchViewError as error:
        try:
            found = find_by_name(engine, name)
            near = None if found or isinstance(error, NoSuchIcebergViewError) else engine.lookup.nearest_view(name)
        except NoSuchNamespaceError as missing:
            raise missing from error
        except HiveViewsError as unreadable:
            log.debug("whether the view can be recovered is unknown: %s", unreadable)
            raise error from None
        if found:
            message = f"{error.message} {found}"
            location = found.metadata_location
            raise replace(error, message=message, remedy=found.remedy, metadata_location=location) from error
        if near:
            raise replace(error, message=f"{error.message} Did you mean {str(near)!r}?") from error
        raise


class LiveRows:
    """The files that the rows of a metastore point to, and their incarnations; thread-safe.

    The rows are read once, on the first question.
    """

    def __init__(self, engine: Engine) -> None:
        self._read = engine.lookup.all_rows
        self.metastore = engine.metastore.identity
        self._lock = Lock()
        self._owners: dict[str, set[TableIdentifier]] | None = None

    def has(self, file: str, incarnation: str, *, but: TableIdentifier) -> bool:
        """Whether a row other than that of the name ``but`` points to a file, or is of the incarnation that wrote it.

        After a change of location, the files of a view are no longer where its row was created.
        """
        owners = self._all()
        return any(owners.get(key, set()) - {but} for key in (file, incarnation))

    def _all(self) -> Mapping[str, set[TableIdentifier]]:
        with self._lock:
            if self._owners is None:
                owners: dict[str, set[TableIdentifier]] = {}
                for row in self._read():
                    kept = row.parameters
                    token = kept.get(INCARNATION, kept[VIEW_UUID]) if is_own(row) else None
                    for key in filter(None, (kept.get(POINTER), token)):
                        owners.setdefault(key, set()).add(row.identifier)
                self._owners = owners
            return self._owners


def find_by_name(engine: Engine, identifier: Identifier) -> Recoverable | None:
    """The recoverable view of a name that has no view, or a plain one in its place; None if there is none.

    It is searched for in the default directories of the name. ``hive_views.estate.undrop`` restores the view.

    Raises:
        CorruptMetadataError, StorageUnavailableError: a file cannot be read.
    """
    name = TableIdentifier.of(identifier)
    row = engine.lookup.row(name)
    if row and not is_lost(row):
        return None
    return find_recoverable(name, engine.lookup.default_locations(name), row, LiveRows(engine), engine.storage)


def find_recoverable(
    identifier: TableIdentifier,
    locations: Iterable[str],
    row: Row | None,
    live: LiveRows,
    storage: MetadataStorage,
) -> Recoverable | None:
    """The recoverable view in these locations; if several had the name, the one that got it last.

    Notes of drops, renames and changes of location come first; a view that another program dropped is searched for, and
    the answer says how certain it is (last_incarnation.py).

    Args:
        identifier: the name.
        locations: the default directories of the name.
        row: the row that has the name now; if it still has the view's uuid, incarnation or previous file, these decide;
            after an interrupted release it names the file.
        live: the files and incarnations of rows that exist; asked only if there are files of the name.
        storage: where the files are.

    Raises:
        CorruptMetadataError: the last file is not that of a valid view.
        StorageUnavailableError: the storage failed or refused.
    """
    if row is not None and is_half_released(row):
        metadata, named = None, file_of_half_released(row)
        with suppress(CorruptMetadataError, UnsupportedFeatureError):
            metadata = storage.read(named, cached=False)
        if metadata is not None and metadata.version_log:
            return _checked(Recoverable(identifier, named, metadata, is_begun(metadata, storage), row))
    is_live = partial(live.has, but=identifier)
    search = LastIncarnation(identifier, locations, row, is_live, storage, live.metastore)
    found = search.find()
    if found is None:
        return None
    if found.tombstone and found.tombstone.verb == "drop":
        # Known without a call to the storage.
        has_journal = bool(found.tombstone.partitions)
    else:
        has_journal = is_begun(found.metadata, storage)
    said = (has_journal, row, found.tombstone, found.doubts)
    return _checked(Recoverable(identifier, found.location, found.metadata, *said, notes=search.notes))


def _checked(found: Recoverable) -> Recoverable:
    """
    Raises:
        CorruptMetadataError: its file is not that of a valid view, or cannot be compared with the row of its name.
    """
    try:
        # An earlier file is not the last one: restoring it would lose the changes since.
        _ = found.metadata.current_schema, partitioned_on(found.metadata), found.says_something_else
    except HiveViewsError as e:
        raise CorruptMetadataError(
            f"Cannot create a view from {found.metadata_location}, the last file of {found.identifier}: {e} Restore "
            f"that file, or register an earlier one.",
            identifier=str(found.identifier),
            location=found.metadata_location,
        ) from e
    return found


def refuse_former(found: Recoverable) -> NoReturn:
    """
    Raises:
        ReleasedViewError: it was released here and has not changed since.
        AlreadyExistsError: a former view of this name has files, whose history a new one would hide.
    """
    kind = ReleasedViewError if found.is_released else AlreadyExistsError
    was = "was handed back, and had been a managed view" if found.is_released else "was a managed view"
    name = str(found.identifier)
    raise kind(
        f"{name} {was}, of {counted(len(found.metadata.versions), 'version')}; the last file is "
        f"{found.metadata_location}. Adopting it would begin a new history.",
        remedy=_undrop_or_adopt(name, is_replaced=found.says_something_else),
        identifier=name,
        location=found.metadata_location,
    )


def _undrop_or_adopt(view: str, *, is_replaced: bool) -> Remedy:
    on_drift, option = (", on_drift='adopt'", " --on-drift adopt") if is_replaced else ("", "")
    newest = ", with the current content of the row as its newest version" if is_replaced else ""
    begin = "begins a new one, and the files of the earlier view stay"
    return Remedy(
        in_python=f"hive_views.estate.undrop(catalog, '{view}'{on_drift}) brings the earlier view back{newest}; "
        f"adopting it with new_history=True {begin}.",
        in_shell=f"`hive-views undrop {view}{option}` brings the earlier view back{newest}; "
        f"`hive-views adopt {view} --new-history` {begin}.",
    )
