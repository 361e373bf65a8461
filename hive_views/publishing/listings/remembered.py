"""What was read of base tables last, kept beside a view, so that the next run reads only what changed since.

A cache, never the truth: it serves only if the table itself reports what happened since. Losing it, or garbage in it,
costs a full listing. Files never change; newer ones follow, so that concurrent runs do not disturb each other.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Literal

from pydantic import ConfigDict, TypeAdapter, ValidationError

from hive_views.base_tables.port import (
    BaseTable,
    Changes,
    PartitionListing,
    PartitionValues,
    Snapshot,
    Statistics,
    StatisticsByColumn,
    TableState,
    TableWithHistory,
)
from hive_views.errors import HiveViewsError
from hive_views.hive.row import Column
from hive_views.messages.logs import logger_of
from hive_views.persisted import LISTING_SUFFIX
from hive_views.spec.metadata import ViewMetadata
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.storage.ownership import incarnation_of, is_listing_of, publishing_directory

log = logger_of("hive_views.publishing")

# Larger ones would take longer to read than most tables to list, and nobody expects them beside a view.
_LARGEST_FILE = 16 * 2**20
_LARGEST_TEXT = 16 * _LARGEST_FILE
# One for each table of a view's rules; what the rules spoke of long ago goes first.
_MOST_FILES = 64
_KEY_LENGTH = 16
_NOTHING = Statistics(files=0, records=0, bytes=0)


class RememberedListings:
    """The listings beside one view. Of two files the later by ``clock_ms`` is used; ``new_uuid`` makes unique names."""

    def __init__(
        self,
        storage: MetadataStorage,
        metadata: ViewMetadata,
        *,
        clock_ms: Callable[[], int],
        new_uuid: Callable[[], object],
    ) -> None:
        self._storage = storage
        self._directory = publishing_directory(metadata)
        self._incarnation = incarnation_of(metadata)
        self._clock_ms = clock_ms
        self._new_uuid = new_uuid
        self._files: list[str] | None = None
        self._new: dict[str, PartitionListing] = {}

    def list_partitions(self, table: BaseTable) -> PartitionListing:
        """What ``table.list_partitions`` returns or raises, from memory and what changed since where that is
        possible.
        """
        history = table.history
        if history is None:
            return table.list_partitions()
        key = _key_of(table)
        remembered = self._load(key)
        listing = _brought_up_to_date(remembered, history) if remembered else None
        if listing is None:
            listing = table.list_partitions()
        if listing is not remembered and listing.snapshot:
            self._new[key] = listing
        return listing

    def save(self) -> None:
        """Keep what was read and is not kept yet; a failure is no failure of the run."""
        try:
            for key, listing in self._new.items():
                content = _written(listing)
                if content is not None:
                    name = f"{self._prefix(key)}{self._clock_ms():015d}-{self._new_uuid()}{LISTING_SUFFIX}"
                    self._storage.write_bytes(f"{self._directory}/{name}", content)
            if self._new:
                self._remove_old_files()
        except HiveViewsError as e:
            log.debug("the listings beside the view were not written: %s", e)
        self._new.clear()

    def _load(self, key: str) -> PartitionListing | None:
        try:
            if self._files is None:
                self._files = self._list_files()
            files = [location for location in self._files if _name(location).startswith(self._prefix(key))]
            return _read(self._storage.read_bytes(files[-1])) if files else None
        except (HiveViewsError, ValidationError, ValueError, zlib.error) as e:
            log.debug("a listing beside the view cannot be used: %s", e)
            return None

    def _remove_old_files(self) -> None:
        """Of each table all but the latest; and of all tables the oldest, where there are too many."""
        files = self._list_files()
        # A name is the incarnation, the table's key, the time, and a uuid of its own.
        at = len(self._prefix("0" * _KEY_LENGTH))
        latest = {_name(location)[:at]: location for location in files}
        kept = set(sorted(latest.values(), key=lambda location: _name(location)[at:])[-_MOST_FILES:])
        for location in files:
            if location not in kept:
                self._storage.delete(location)

    def _list_files(self) -> list[str]:
        """Of this row, those of each table in the order of their time."""
        files = self._storage.list_files(self._directory)
        return [location for location in files if is_listing_of(self._incarnation, location)]

    def _prefix(self, key: str) -> str:
        return f"{self._incarnation}-{key}-"


def _name(location: str) -> str:
    return location.rpartition("/")[2]


def _key_of(table: BaseTable) -> str:
    # Two readers of one table may see different partitions of it.
    reader = f"{type(table).__module__}.{type(table).__qualname__}"
    return hashlib.sha256(f"{table.name}\0{table.format}\0{reader}".encode()).hexdigest()[:_KEY_LENGTH]


def _brought_up_to_date(remembered: PartitionListing, table: TableWithHistory) -> PartitionListing | None:
    """The listing at the newest state of the table, ``remembered`` itself if that is the one; None if it is unknown."""
    since = remembered.snapshot
    state = table.current_state(TableState(since, remembered.keys, remembered.note))
    if not since or not state.snapshot or remembered.table != table.name:
        return None
    if [(key.name, key.type) for key in remembered.keys] != [(key.name, key.type) for key in state.keys]:
        return None
    if state.snapshot.is_same_as(since):
        return remembered
    changes = table.changes(since, state.snapshot)
    if changes.unknown is not None:
        log.debug("%s is listed as a whole: %s", table.name, changes.unknown)
        return None
    return _grown(remembered, changes, state)


def _grown(remembered: PartitionListing, changes: Changes, state: TableState) -> PartitionListing | None:
    values = list(remembered.values)
    columns = [list(column) for column in _columns(remembered.statistics or ())]
    places = {one: place for place, one in enumerate(values)} if changes.partitions else {}
    gone: set[int] = set()
    for one, change in changes.partitions.items():
        place = places.get(one)
        before = _NOTHING if place is None else Statistics(*(column[place] for column in columns))
        if before.files is None or len(one) != len(state.keys):
            return None
        files = before.files + change.files
        if files < 0:
            return None
        # What was unknown before, or is now, a full listing may report.
        records, size = _sum(before.records, change.records), _sum(before.bytes, change.bytes)
        if files and (records is None or size is None):
            return None
        if not files:
            # As a listing has it of a table without files; a partition is gone then.
            records, size = 0, 0
        modified = [at_ms for at_ms in (before.modified_at_ms, change.modified_at_ms) if files and at_ms is not None]
        if place is None:
            place = len(values)
            values.append(one)
            for column in columns:
                column.append(None)
        for column, number in zip(columns, (files, records, size, max(modified, default=None)), strict=True):
            column[place] = number
        if not files and one:
            gone.add(place)
    if gone:
        left = [place for place in range(len(values)) if place not in gone]
        values, columns = [values[place] for place in left], [[column[place] for place in left] for column in columns]
    return replace(
        remembered, values=values, statistics=StatisticsByColumn(*columns), snapshot=state.snapshot, note=state.note
    )


def _columns(statistics: Sequence[Statistics]) -> Sequence[Sequence[int | None]]:
    if isinstance(statistics, StatisticsByColumn):
        return statistics.columns
    return tuple([getattr(one, field.name) for one in statistics] for field in fields(Statistics))


def _sum(before: int | None, growth: int | None) -> int | None:
    return None if before is None or growth is None else before + growth


@dataclass(frozen=True)
class _Content:
    """A listing as it is written: by columns, which compresses better and is read faster."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    format_version: Literal[1]  # persisted.FILE_FORMAT
    table: str
    format: str
    keys: tuple[tuple[str, str], ...]
    snapshot: Snapshot
    note: str
    partitions: int
    values: tuple[tuple[str | None, ...], ...]
    files: tuple[int | None, ...]
    records: tuple[int | None, ...]
    bytes: tuple[int | None, ...]
    modified_at_ms: tuple[int | None, ...]


_JSON = TypeAdapter(_Content)


def _written(listing: PartitionListing) -> bytes | None:
    """None for what is not worth to be kept, or cannot be brought up to date."""
    if listing.snapshot is None or listing.statistics is None:
        return None
    files, records, size, modified_at_ms = map(tuple, _columns(listing.statistics))
    content = _Content(
        format_version=1,
        table=listing.table,
        format=listing.format,
        keys=tuple((key.name, key.type) for key in listing.keys),
        snapshot=listing.snapshot,
        note=listing.note,
        partitions=len(listing.values),
        values=tuple(zip(*listing.values, strict=True)) or ((),) * len(listing.keys),
        files=files,
        records=records,
        bytes=size,
        modified_at_ms=modified_at_ms,
    )
    compressed = zlib.compress(_JSON.dump_json(content), level=1)
    return compressed if len(compressed) <= _LARGEST_FILE else None


def _read(compressed: bytes) -> PartitionListing:
    """The listing that ``_written`` wrote; ValueError or zlib.error for anything else."""
    decompressor = zlib.decompressobj()
    text = decompressor.decompress(compressed, _LARGEST_TEXT)
    if not decompressor.eof:
        raise ValueError("cut off, or too large")
    content = _JSON.validate_json(text, strict=True)
    keys = tuple(Column(name, type_) for name, type_ in content.keys)
    values: list[PartitionValues] = list(zip(*content.values, strict=True)) if keys else [()]
    measured = (content.files, content.records, content.bytes, content.modified_at_ms)
    lengths = {content.partitions, len(values), *map(len, measured)}
    if len(lengths) > 1 or len(content.values) != len(keys):
        raise ValueError("not whole")
    statistics = StatisticsByColumn(*measured)
    return PartitionListing(
        content.table, content.format, keys, values, content.snapshot, statistics, note=content.note
    )
