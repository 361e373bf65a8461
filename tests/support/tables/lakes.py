"""Tables of many partitions that are metadata alone: the files they name do not exist.

Every table is partitioned on ``ds`` (string) and ``hr`` (int), with 24 hours a day and five files in each.
"""

from __future__ import annotations

import copy
import json
import struct
import time
import uuid
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Protocol

import fastavro
import pyarrow as pa
from pyiceberg.catalog.memory import InMemoryCatalog
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat
from pyiceberg.transforms import IdentityTransform
from pyiceberg.typedef import Record

DAYS = 834
HOURS, FILES, ROWS = 24, 5, 10
_DAYS_IN_A_COMMIT = 10
_SCHEMA = pa.schema([("n", pa.int64()), ("ds", pa.string()), ("hr", pa.int32())])


class GrowingTable(Protocol):
    """A table that grows by commits."""

    def add_days(self, days: Sequence[str]) -> None: ...


def day(number: int) -> str:
    return str(date(2024, 1, 1) + timedelta(days=number))


def fill(lake: GrowingTable) -> None:
    """Give a new table its 20,016 partitions."""
    for start in range(0, DAYS, _DAYS_IN_A_COMMIT):
        lake.add_days([day(number) for number in range(start, min(start + _DAYS_IN_A_COMMIT, DAYS))])


def _files(days: Sequence[str]) -> Iterator[tuple[str, int, str]]:
    for ds in days:
        for hr in range(HOURS):
            for _ in range(FILES):
                yield ds, hr, f"ds={ds}/hr={hr}/{uuid.uuid4()}.parquet"


class DeltaLake:
    """A log of JSON commits, without checkpoints."""

    def __init__(self, directory: Path) -> None:
        self._log = directory / "_delta_log"
        self._log.mkdir(parents=True)
        self._version = 0

    def add_days(self, days: Sequence[str]) -> None:
        now = time.time_ns() // 1_000_000
        actions: list[dict[str, Any]] = [{"commitInfo": {"timestamp": now, "operation": "WRITE"}}]
        if not self._version:
            actions += [{"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}, {"metaData": self._metadata(now)}]
        for ds, hr, path in _files(days):
            add = {"path": path, "partitionValues": {"ds": ds, "hr": str(hr)}, "size": 100, "modificationTime": now}
            actions.append({"add": {**add, "dataChange": True, "stats": json.dumps({"numRecords": ROWS})}})
        content = "\n".join(json.dumps(action) for action in actions)
        (self._log / f"{self._version:020}.json").write_text(content + "\n")
        self._version += 1

    @staticmethod
    def _metadata(now: int) -> dict[str, Any]:
        types = {"n": "long", "ds": "string", "hr": "integer"}
        fields = [{"name": name, "type": type_, "nullable": True, "metadata": {}} for name, type_ in types.items()]
        return {
            "id": str(uuid.uuid4()),
            "format": {"provider": "parquet", "options": {}},
            "schemaString": json.dumps({"type": "struct", "fields": fields}),
            "partitionColumns": ["ds", "hr"],
            "configuration": {},
            "createdTime": now,
        }


class IcebergLake:
    """A table of pyiceberg, a manifest for each commit.

    Args:
        directory: where it is, as a URI.
        properties: how pyiceberg reaches its storage.
    """

    def __init__(self, directory: str, **properties: str) -> None:
        self._catalog = InMemoryCatalog("bench", warehouse=directory, **properties)
        self._catalog.create_namespace("web")
        self._location = f"{directory}/t"
        table = self._catalog.create_table("web.t", _SCHEMA, location=self._location)
        with table.update_spec() as spec:
            spec.add_field("ds", IdentityTransform(), "ds").add_field("hr", IdentityTransform(), "hr")

    def add_days(self, days: Sequence[str]) -> None:
        table = self._catalog.load_table("web.t")
        with table.transaction() as transaction, transaction.update_snapshot().fast_append() as append:
            for ds, hr, path in _files(days):
                file = DataFile.from_args(
                    content=DataFileContent.DATA,
                    file_path=f"{self._location}/data/{path}",
                    file_format=FileFormat.PARQUET,
                    partition=Record(ds, hr),
                    record_count=ROWS,
                    file_size_in_bytes=100,
                )
                file.spec_id = table.spec().spec_id
                append.append_data_file(file)

    @property
    def metadata_location(self) -> str:
        return str(self._catalog.load_table("web.t").metadata_location)


class PaimonLake:
    """A table of pypaimon, whose commits are copies of its first one with other entries."""

    def __init__(self, directory: Path) -> None:
        # It does not go together with the newest clients of object stores.
        import pypaimon

        catalog = pypaimon.CatalogFactory.create({"warehouse": str(directory)})
        catalog.create_database("web", False)
        schema = pypaimon.Schema.from_pyarrow_schema(_SCHEMA, partition_keys=["ds", "hr"])
        catalog.create_table("web.t", schema, False)
        builder = catalog.get_table("web.t").new_batch_write_builder()
        writer, committer = builder.new_write(), builder.new_commit()
        writer.write_arrow(pa.table({"n": [1], "ds": [day(0)], "hr": [0]}, _SCHEMA))
        committer.commit(writer.prepare_commit())
        writer.close()
        committer.close()
        self.directory = directory / "web.db" / "t"
        self._snapshot = json.loads((self.directory / "snapshot" / "snapshot-1").read_text())
        self._list_schema, [self._manifest] = self._read(self._snapshot["deltaManifestList"])
        self._entry_schema, [self._entry] = self._read(self._manifest["_FILE_NAME"])
        self._manifests: list[dict[str, Any]] = []
        self._snapshot["id"] = 0

    def add_days(self, days: Sequence[str]) -> None:
        entries = []
        for ds, hr, path in _files(days):
            entry = {**self._entry, "_PARTITION": _binary_row(ds, hr), "_FILE": copy.copy(self._entry["_FILE"])}
            entry["_FILE"] |= {"_FILE_NAME": path.rpartition("/")[2], "_ROW_COUNT": ROWS}
            entries.append(entry)
        low, high = _binary_row(days[0], 0), _binary_row(days[-1], HOURS - 1)
        new = {
            **self._manifest,
            "_FILE_NAME": self._write(self._entry_schema, entries, "manifest"),
            "_NUM_ADDED_FILES": len(entries),
            "_PARTITION_STATS": {"_MIN_VALUES": low, "_MAX_VALUES": high, "_NULL_COUNTS": [0, 0]},
        }
        records = len(entries) * ROWS
        number = self._snapshot["id"] + 1
        self._snapshot |= {
            "id": number,
            "baseManifestList": self._write(self._list_schema, self._manifests, "manifest-list"),
            "deltaManifestList": self._write(self._list_schema, [new], "manifest-list"),
            "totalRecordCount": (self._snapshot["totalRecordCount"] if number > 1 else 0) + records,
            "deltaRecordCount": records,
            "timeMillis": time.time_ns() // 1_000_000,
            "uuid": str(uuid.uuid4()),
        }
        self._manifests.append(new)
        (self.directory / "snapshot" / f"snapshot-{number}").write_text(json.dumps(self._snapshot))
        (self.directory / "snapshot" / "LATEST").write_text(str(number))

    def _read(self, name: str) -> tuple[Any, list[Any]]:
        with (self.directory / "manifest" / name).open("rb") as file:
            reader = fastavro.reader(file)
            return reader.writer_schema, list(reader)

    def _write(self, schema: Any, records: list[dict[str, Any]], kind: str) -> str:
        name = f"{kind}-{uuid.uuid4()}-0"
        with (self.directory / "manifest" / name).open("wb") as file:
            fastavro.writer(file, schema, records, codec="zstandard")
        return name


def _binary_row(ds: str, hr: int) -> bytes:
    """Two fields: ten characters, which do not fit into their word and follow after it, and an int."""
    header, text_at = bytes(8), 24
    return struct.pack(">i", 2) + header + struct.pack("<iiq", len(ds), text_at, hr) + ds.encode().ljust(16, b"\0")
