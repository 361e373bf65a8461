"""Paimon tables that Java wrote, to be changed by hand, and a storage that is changed while it is read."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import fastavro

from hive_views.base_tables.paimon.table import PaimonBaseTable
from hive_views.base_tables.port import Snapshot
from hive_views.storage.files import Files

_VECTOR_SCHEMA = {
    "type": "record",
    "name": "vector",
    "fields": [{"name": "f0", "type": "string"}, {"name": "_CARDINALITY", "type": ["null", "long"]}],
}
_INDEX_SCHEMA: dict[str, Any] = {
    "type": "record",
    "name": "index",
    "fields": [
        *({"name": name, "type": "int"} for name in ("_VERSION", "_KIND", "_BUCKET")),
        {"name": "_PARTITION", "type": "bytes"},
        *({"name": name, "type": "string"} for name in ("_INDEX_TYPE", "_FILE_NAME")),
        {"name": "_DELETIONS_VECTORS_RANGES", "type": ["null", {"type": "array", "items": _VECTOR_SCHEMA}]},
    ],
}


class Table:
    """A copy of a table, to be changed."""

    def __init__(self, name: str, directory: Path) -> None:
        self.directory = directory / name
        shutil.copytree(Path(__file__).parent / "paimon_tables" / name, self.directory)
        for path in (self.directory / "snapshot").glob("snapshot-*"):
            self.change(int(path.name[9:]))

    def open(self, files: Files | None = None) -> PaimonBaseTable:
        return PaimonBaseTable("web.clicks", str(self.directory), files or Files())

    def path(self, number: int) -> Path:
        return self.directory / "snapshot" / f"snapshot-{number}"

    def content(self, number: int) -> dict[str, Any]:
        return dict(json.loads(self.path(number).read_text()))

    def change(self, number: int, **fields: object) -> None:
        """Rewrite a snapshot with other fields, at the time when it says that it was made."""
        content = {**self.content(number), **fields}
        self.path(number).write_text(json.dumps(content))
        self.touch(number, content["timeMillis"])

    def touch(self, number: int, written_at_ms: int) -> None:
        """Let the storage report that a snapshot was written at this time."""
        os.utime(self.path(number), ns=(written_at_ms * 1_000_000,) * 2)

    def snapshot(self, number: int) -> Snapshot:
        content = self.content(number)
        commit_id = content.get("uuid") or f"{content['commitUser']}@{content['timeMillis']}"
        return Snapshot(str(number), str(self.schema()["timeMillis"]), commit_id=commit_id)

    def schema(self, number: int = 0) -> dict[str, Any]:
        return dict(json.loads((self.directory / "schema" / f"schema-{number}").read_text()))

    def alter(self, number: int = 1, **fields: object) -> None:
        """Write a schema like the first but for these fields, as ALTER TABLE does."""
        path = self.directory / "schema" / f"schema-{number}"
        path.write_text(json.dumps({**self.schema(), "id": number, **fields}))

    def forget_after(self, number: int) -> None:
        """Take away the later snapshots, as a roll-back does."""
        for path in (self.directory / "snapshot").glob("snapshot-*"):
            if int(path.name[9:]) > number:
                path.unlink()

    def manifests(self) -> list[Path]:
        return [path for path in (self.directory / "manifest").glob("manifest-*") if "-list-" not in path.name]

    def read(self, path: Path) -> list[dict[str, Any]]:
        with path.open("rb") as file:
            return [record for record in fastavro.reader(file) if isinstance(record, dict)]

    def rewrite(self, path: Path, change: Callable[[dict[str, Any]], object]) -> None:
        with path.open("rb") as file:
            schema = fastavro.reader(file).writer_schema
        records = self.read(path)
        for record in records:
            change(record)
        assert schema
        with path.open("wb") as file:
            fastavro.writer(file, schema, records, codec="zstandard")

    def delete_rows(self, number: int, rows: Mapping[str, int | None]) -> None:
        """Give a snapshot deletion vectors of data files, which delete so many rows, beside indexes of another kind."""
        partitions = {
            one["_FILE"]["_FILE_NAME"]: one["_PARTITION"] for path in self.manifests() for one in self.read(path)
        }
        entries = [
            {
                "_VERSION": 1,
                "_KIND": 0,
                "_PARTITION": partitions[file],
                "_BUCKET": 0,
                "_INDEX_TYPE": kind,
                "_FILE_NAME": f"index-{number}-{kind}-{file}",
                "_DELETIONS_VECTORS_RANGES": [{"f0": file, "_CARDINALITY": deleted}],
            }
            for file, deleted in rows.items()
            for kind in ("DELETION_VECTORS", "HASH")
        ]
        name = f"index-manifest-{number}"
        with (self.directory / "manifest" / name).open("wb") as out:
            fastavro.writer(out, _INDEX_SCHEMA, entries, codec="zstandard")
        self.change(number, indexManifest=name)


class InterruptedFiles(Files):
    """Calls ``before`` with the location of every file that is about to be read."""

    def __init__(self, before: Callable[[str], object]) -> None:
        super().__init__()
        self._before = before

    def read(self, location: str) -> bytes:
        self._before(location)
        return super().read(location)
