"""Iceberg's manifest lists and manifests: which data and delete files a snapshot has.

Fields are those of the table spec's sections "Manifest Lists" and "Manifests". Whole records are read: to have fastavro
read the needed fields only takes as long.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple

from hive_views.base_tables.avro import decoding, open_avro
from hive_views.errors import CorruptMetadataError, UnsupportedFeatureError
from hive_views.storage.files import Files

# The field id of file_path in position delete files (table spec, "Reserved Field IDs").
_DELETED_FILE_PATH = 2147483546


class Status(IntEnum):
    EXISTING = 0
    ADDED = 1
    DELETED = 2


class Content(IntEnum):
    DATA = 0
    POSITION_DELETES = 1
    EQUALITY_DELETES = 2


@dataclass(frozen=True)
class Manifest:
    """A manifest, as a manifest list has it; ``has_live`` and ``has_changes`` are True where that is unknown."""

    location: str
    bytes: int
    spec_id: int
    has_deletes: bool
    sequence_number: int
    snapshot_id: int
    has_live: bool
    has_changes: bool


class Entry(NamedTuple):
    """A file of a manifest, or ``files`` files that differ in records and bytes alone, with the sums of these.

    ``sequence_number`` orders data and deletes, ``written_at`` is that of the commit which wrote the file: it is higher
    after a compaction. ``deletes_from`` is the one data file whose rows a position delete file deletes, where known;
    ``is_vector`` says that it is a deletion vector.
    """

    status: int
    snapshot_id: int
    sequence_number: int
    written_at: int
    content: int
    partition: tuple[Any, ...]
    location: str
    records: int
    bytes: int
    deletes_from: str | None
    is_vector: bool
    files: int = 1


class ManifestEntries(NamedTuple):
    """The entries of one manifest; ``field_ids`` are those of the partition fields, in the partitions' order."""

    manifest: Manifest
    field_ids: tuple[int, ...]
    entries: Iterator[Entry]


class ManifestReader:
    """Reads manifests of one table."""

    def __init__(self, files: Files, table: str) -> None:
        self._files = files
        self._table = table

    def list_manifests(self, locations: Sequence[str]) -> Iterator[list[Manifest]]:
        """The manifests of snapshots, from their manifest lists.

        Raises:
            FileNotFoundError: there is no such file.
            CorruptMetadataError: it is no manifest list.
            UnsupportedFeatureError: a manifest is encrypted; fastavro is not installed.
        """
        for location, content in zip(locations, self._files.read_all(locations), strict=True):
            _, records = self._opened(location, content)
            with self._decoding(location):
                manifests = [self._manifest(record) for record in records]
            yield manifests

    def read(self, manifests: Sequence[Manifest]) -> Iterator[ManifestEntries]:
        """The entries of manifests, in their order; raises as ``list_manifests``."""
        contents = self._files.read_all(one.location for one in manifests)
        for manifest, content in zip(manifests, contents, strict=True):
            field_ids, records = self._opened(manifest.location, content, manifest.bytes)
            yield ManifestEntries(manifest, field_ids, self._entries(manifest, records))

    def _entries(self, manifest: Manifest, records: Iterator[Any]) -> Iterator[Entry]:
        # One after the other: to hold all records of a manifest keeps Python's garbage collector busy.
        with self._decoding(manifest.location):
            for record in records:
                yield _entry(manifest, record)

    def _manifest(self, record: dict[str, Any]) -> Manifest:
        location = record["manifest_path"]
        if record.get("key_metadata"):
            raise UnsupportedFeatureError(
                f"Cannot read {self._table}: its manifests are encrypted. Read it with an engine that has the key.",
                table=self._table,
                location=location,
            )
        added, existing, deleted = (
            record.get(f"{kind}_files_count", record.get(f"{kind}_data_files_count"))
            for kind in ("added", "existing", "deleted")
        )
        return Manifest(
            location=location,
            bytes=record["manifest_length"],
            spec_id=record["partition_spec_id"],
            has_deletes=bool(record.get("content")),
            sequence_number=record.get("sequence_number") or 0,
            snapshot_id=record["added_snapshot_id"],
            has_live=added != 0 or existing != 0,
            has_changes=added != 0 or deleted != 0,
        )

    def _opened(self, location: str, content: bytes, size: int | None = None) -> tuple[tuple[int, ...], Iterator[Any]]:
        """The ids of the partition fields, and the records, decoded one by one."""
        with self._decoding(location):
            reader = open_avro(content, size)
            return _partition_ids(reader.writer_schema), iter(reader)

    def _decoding(self, location: str) -> AbstractContextManager[None]:
        return decoding(
            missing_extra(self._table),
            lambda why: CorruptMetadataError(
                f"Cannot read {location}, a manifest of {self._table}: {why}. Restore the file, or roll the table "
                f"back.",
                table=self._table,
                location=location,
            ),
        )


def missing_extra(table: str) -> UnsupportedFeatureError:
    return UnsupportedFeatureError(
        f'Cannot read {table}: Iceberg tables need more packages. Run pip install "hive_views[iceberg]".',
        table=table,
    )


def _entry(manifest: Manifest, record: dict[str, Any]) -> Entry:
    file = record["data_file"]
    content = file.get("content") or Content.DATA
    snapshot_id, sequence_number = record.get("snapshot_id"), record.get("sequence_number")
    # What a file inherits when it is added is written down only once it is carried over (spec, "Inheritance").
    inherited = manifest.sequence_number if record["status"] == Status.ADDED else 0
    sequence_number = inherited if sequence_number is None else sequence_number
    written_at = record.get("file_sequence_number")
    return Entry(
        record["status"],
        manifest.snapshot_id if snapshot_id is None else snapshot_id,
        sequence_number,
        (inherited or sequence_number) if written_at is None else written_at,
        content,
        tuple(file["partition"].values()),
        file["file_path"],
        file["record_count"],
        file["file_size_in_bytes"],
        _deletes_from(file) if content == Content.POSITION_DELETES else None,
        content == Content.POSITION_DELETES and file["file_format"].lower() == "puffin",
    )


def _deletes_from(file: dict[str, Any]) -> str | None:
    if location := file.get("referenced_data_file"):
        return str(location)
    bounds = [
        next((bound["value"] for bound in file.get(which) or () if bound["key"] == _DELETED_FILE_PATH), None)
        for which in ("lower_bounds", "upper_bounds")
    ]
    # Bounds of this column are never truncated, so equal ones are the one path.
    return bounds[0].decode("utf-8") if bounds[0] is not None and bounds[0] == bounds[1] else None


def _partition_ids(schema: Any) -> tuple[int, ...]:
    """() for a manifest list too, whose records have no partition."""
    types = {field["name"]: field["type"] for field in schema["fields"]}
    if "data_file" not in types:
        return ()
    partition = next(field["type"] for field in types["data_file"]["fields"] if field["name"] == "partition")
    return tuple(field["field-id"] for field in partition["fields"])
