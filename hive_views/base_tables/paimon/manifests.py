"""Manifests of a Paimon table: the Avro files that say which data files a snapshot has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from itertools import chain, islice
from typing import Any, NamedTuple

from hive_views.base_tables.avro import decoding, open_avro
from hive_views.errors import CorruptMetadataError, UnsupportedFeatureError
from hive_views.storage.files import Files

_VERSION = 2
_INDEX_VERSION = 1
_ADD, _DELETE = 0, 1
_DELETION_VECTORS = "DELETION_VECTORS"
_AVRO = b"Obj\x01"


class AvroFile(NamedTuple):
    """A manifest or a list of manifests; ``bytes`` is its size where the file that names it has it."""

    name: str
    bytes: int | None


class Manifest(NamedTuple):
    """A manifest in a list."""

    file: AvroFile
    deleted_files: int


class FileEntry(NamedTuple):
    """A data file that a commit added or deleted.

    ``records`` leaves out the ``deletions``, rows that delete others, None where the writer did not count them;
    ``created_at`` is the writer's wall clock, in an unknown zone, although it comes as UTC; ``first_row_id`` is
    that of tables which number their rows.
    """

    is_added: bool
    partition: bytes
    bucket: int
    level: int
    name: str
    path: str | None
    extra_files: tuple[str, ...]
    embedded_index: bytes | None
    records: int
    deletions: int | None
    bytes: int
    created_at: datetime | None
    first_row_id: int | None

    @property
    def identity(self) -> tuple[object, ...]:
        """What an addition and a deletion of the same file have in common.

        A file that is given another level or index is deleted and added under its own name, so that the name alone
        does not do.
        """
        return self[1:8]


class DeletionVector(NamedTuple):
    """That of one data file; ``records`` is how many of its rows are deleted, None when that is unknown."""

    partition: bytes
    records: int | None


class Manifests:
    """The manifests of a table.

    All its methods raise FileNotFoundError when a file has expired, CorruptMetadataError when it cannot be read, and
    UnsupportedFeatureError when it is of a newer Paimon, no Avro, or the package that reads Avro is missing.
    """

    def __init__(self, files: Files, location: str, table: str) -> None:
        self._files = files
        self._directory = f"{location}/manifest"
        self._table = table

    def changed_files(self, lists: Sequence[AvroFile]) -> Iterator[list[FileEntry]]:
        """All entries of all manifests in each of these lists."""
        listed = list(self._listed(lists))
        entries = self._entries([manifest for manifests in listed for manifest in manifests])
        for manifests in listed:
            yield list(chain.from_iterable(islice(entries, len(manifests))))

    def live_files(self, base_list: AvroFile, changes: Sequence[FileEntry]) -> Iterator[FileEntry]:
        """The files that are added and not deleted, in all manifests of a list and in later ``changes`` together."""
        [manifests] = self._listed([base_list])
        # A deletion may be in any manifest; most have none, and need not be remembered.
        mixed = [*chain.from_iterable(self._entries([one for one in manifests if one.deleted_files])), *changes]
        deleted = {entry.identity for entry in mixed if not entry.is_added}
        whole = self._entries([one for one in manifests if not one.deleted_files])
        entries = chain(mixed, chain.from_iterable(whole))
        if not deleted:
            return entries
        return (entry for entry in entries if entry.is_added and entry.identity not in deleted)

    def deletion_vectors(self, index_manifests: Sequence[str]) -> Iterator[Mapping[str, DeletionVector]]:
        """The deletion vectors in each of these index manifests, by the names of the data files.

        Those of data files that a compaction has taken away may still be among them.
        """
        for records in self._records([AvroFile(name, None) for name in index_manifests], _INDEX_VERSION):
            yield {
                vector["f0"]: DeletionVector(one["_PARTITION"], vector.get("_CARDINALITY"))
                for one in records
                if one["_INDEX_TYPE"] == _DELETION_VECTORS
                for vector in one.get("_DELETIONS_VECTORS_RANGES") or ()
            }

    def _listed(self, lists: Sequence[AvroFile]) -> Iterator[list[Manifest]]:
        for records in self._records(lists, _VERSION):
            yield [
                Manifest(AvroFile(one["_FILE_NAME"], one["_FILE_SIZE"]), one["_NUM_DELETED_FILES"]) for one in records
            ]

    def _entries(self, manifests: Sequence[Manifest]) -> Iterator[Iterator[FileEntry]]:
        for manifest, records in zip(manifests, self._records([one.file for one in manifests], _VERSION), strict=True):
            yield (self._entry(manifest, record) for record in records)

    def _entry(self, manifest: Manifest, record: dict[str, Any]) -> FileEntry:
        kind, file = record["_KIND"], record["_FILE"]
        if kind not in (_ADD, _DELETE):
            raise self._unsupported(manifest.file.name, f"it has an entry of kind {kind}")
        deletions = file.get("_DELETE_ROW_COUNT")
        return FileEntry(
            kind == _ADD,
            record["_PARTITION"],
            record["_BUCKET"],
            file["_LEVEL"],
            file["_FILE_NAME"],
            file.get("_EXTERNAL_PATH"),
            tuple(file["_EXTRA_FILES"] or ()),
            file.get("_EMBEDDED_FILE_INDEX"),
            file["_ROW_COUNT"] - (deletions or 0),
            deletions,
            file["_FILE_SIZE"],
            file.get("_CREATION_TIME"),
            file.get("_FIRST_ROW_ID"),
        )

    def _records(self, files: Sequence[AvroFile], version: int) -> Iterator[Iterator[dict[str, Any]]]:
        """The records of each of these files, decoded one by one."""
        contents = self._files.read_all(f"{self._directory}/{one.name}" for one in files)
        for file, content in zip(files, contents, strict=True):
            yield self._decoded(file, content, version)

    def _decoded(self, file: AvroFile, content: bytes, version: int) -> Iterator[dict[str, Any]]:
        name, size = file
        # What ends within these bytes is damaged, and no other format.
        if not content.startswith(_AVRO[: len(content)]):
            raise self._unsupported(name, "it is not Avro (see the table's option manifest.format)")
        with decoding(_missing_package(self._table), partial(self._corrupt, name)):
            for record in open_avro(content, size):
                if record["_VERSION"] != version:
                    raise self._unsupported(name, f"it has version {record['_VERSION']}, and only {version} is known")
                yield record

    def _corrupt(self, name: str, why: str) -> CorruptMetadataError:
        location = f"{self._directory}/{name}"
        return CorruptMetadataError(f"Cannot read {location} of {self._table}: {why}.", location=location)

    def _unsupported(self, name: str, why: str) -> UnsupportedFeatureError:
        return UnsupportedFeatureError(
            f"Cannot read the manifest {self._directory}/{name} of {self._table}: {why}.", table=self._table
        )


def _missing_package(table: str) -> UnsupportedFeatureError:
    return UnsupportedFeatureError(
        f"Cannot read {table}: manifests of Paimon tables need fastavro with zstandard. "
        f'Run pip install "hive_views[paimon]".',
        table=table,
    )
