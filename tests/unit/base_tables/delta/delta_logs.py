"""Logs of Delta tables made by hand, action by action, as the Delta protocol has them."""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path
from typing import Any

from hive_views.base_tables.delta.log import DeltaLog
from hive_views.base_tables.delta.table import DeltaBaseTable
from hive_views.base_tables.port import Changes, Commit, PartitionListing, Snapshot
from hive_views.storage.files import Files

Action = dict[str, Any]
_Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"


class LogWriter:
    """Writes the log of one table; partition columns are ``ds string`` and ``hr int`` unless given."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.log = directory / "_delta_log"
        self.log.mkdir(parents=True)
        self._next = 0

    def commit(self, *actions: Action) -> int:
        """Write the next version; returns it. The storage's clock is that of the writer, where it has one."""
        self._next += 1
        return self.rewrite(self._next - 1, *actions)

    def rewrite(self, version: int, *actions: Action) -> int:
        """Write a version in place of one that is there."""
        self.path(version).write_text("".join(f"{json.dumps(action)}\n" for action in actions))
        for fields in (action["commitInfo"] for action in actions if "commitInfo" in action):
            timestamp_s = fields.get("inCommitTimestamp", fields["timestamp"]) / 1000
            os.utime(self.path(version), (timestamp_s, timestamp_s))
        return version

    def path(self, version: int, suffix: str = "json") -> Path:
        return self.log / f"{version:020d}.{suffix}"

    def skip(self) -> None:
        self._next += 1

    def reader(self) -> DeltaBaseTable:
        return DeltaBaseTable("web.clicks", str(self.directory), Files())

    def list(self) -> PartitionListing:
        return self.reader().list_partitions()

    def changes(self, since: int, until: int, table_id: str = "t1") -> Changes:
        return self.reader().changes(self.snapshot(since, table_id), self.snapshot(until, table_id))

    def snapshot(self, version: int, table_id: str = "t1") -> Snapshot:
        commit = DeltaLog("web.clicks", str(self.directory), Files()).commit_file(version)
        return Snapshot(str(version), table_id, commit_id=commit.id if commit else None)

    def commits(self, until: int, table_id: str = "t1") -> list[Commit]:
        return list(self.reader().commits(Snapshot(str(until), table_id)))


def protocol(*features: str, reader: int | None = None) -> Action:
    if not features:
        return {"protocol": {"minReaderVersion": reader or 1, "minWriterVersion": 2}}
    fields = {"readerFeatures": list(features), "writerFeatures": list(features)}
    return {"protocol": {"minReaderVersion": reader or 3, "minWriterVersion": 7, **fields}}


def field(name: str, type_: str, **metadata: Any) -> Action:
    return {"name": name, "type": type_, "nullable": True, "metadata": metadata}


def metadata(*keys: Action, id: str = "t1", **configuration: str) -> Action:  # noqa: A002 - the protocol's name
    keys = keys or (field("ds", "string"), field("hr", "integer"))
    schema = {"type": "struct", "fields": [field("n", "long"), *keys]}
    return {
        "metaData": {
            "id": id,
            "format": {"provider": "parquet", "options": {}},
            "schemaString": json.dumps(schema),
            "partitionColumns": [key["name"] for key in keys],
            "configuration": {name.replace("_", "."): value for name, value in configuration.items()},
            "createdTime": 1,
        }
    }


def info(operation: str = "WRITE", **fields: Any) -> Action:
    return {"commitInfo": {"timestamp": 1_000, "operation": operation, **fields}}


def add(path: str, values: dict[str, str | None], records: int | None = 1, **fields: Any) -> Action:
    stats = {} if records is None else {"stats": json.dumps({"numRecords": records})}
    fixed = {"path": path, "partitionValues": values, "size": 10, "modificationTime": 5, "dataChange": True}
    return {"add": {**fixed, **stats, **fields}}


def remove(path: str, values: dict[str, str | None] | None = None, **fields: Any) -> Action:
    extended = {} if values is None else {"extendedFileMetadata": True, "partitionValues": values, "size": 10}
    return {"remove": {"path": path, "deletionTimestamp": 6, "dataChange": True, **extended, **fields}}


def deletion_vector(*rows: int) -> Action:
    """One in the log itself (Delta protocol, "Deletion Vector Format"), of at least one row below 65,536."""
    bitmap = struct.pack("<IIHHI", 12346, 1, 0, len(rows) - 1, 16) + b"".join(struct.pack("<H", row) for row in rows)
    content = struct.pack("<IQI", 1681511377, 1, 0) + bitmap
    padded = content + b"\0" * (-len(content) % 4)
    numbers = [int.from_bytes(padded[at : at + 4], "big") for at in range(0, len(padded), 4)]
    text = "".join(_Z85[number // 85**power % 85] for number in numbers for power in (4, 3, 2, 1, 0))
    return {"storageType": "i", "pathOrInlineDv": text, "sizeInBytes": len(content), "cardinality": len(rows)}
