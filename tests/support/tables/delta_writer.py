"""Delta tables as deltalake writes them, for tests of their readers."""

from __future__ import annotations

import json
import shutil
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import CommitProperties, DeltaTable, Field, Schema, write_deltalake

from hive_views.base_tables.delta.table import DeltaBaseTable
from hive_views.base_tables.port import PartitionValues
from hive_views.hive.partition_values import typed_value
from hive_views.hive.row import Column
from hive_views.storage.files import Files
from tests.support.tables.writable import HistoryMaker, WritableTableWithHistory

_TYPES: dict[str, tuple[str, pa.DataType]] = {
    "string": ("string", pa.string()),
    "int": ("integer", pa.int32()),
    "bigint": ("long", pa.int64()),
    "boolean": ("boolean", pa.bool_()),
    "decimal(10,2)": ("decimal(10,2)", pa.decimal128(10, 2)),
    "date": ("date", pa.date32()),
    "timestamp": ("timestamp", pa.timestamp("us", tz="UTC")),
}


class DeltaWriter(WritableTableWithHistory):
    """A table in a directory of its own."""

    def __init__(self, keys: Sequence[Column], directory: Path) -> None:
        self.directory = directory
        self._keys = keys
        self._create()

    def open(self, *, files: Files | None = None) -> DeltaBaseTable:
        return DeltaBaseTable(f"default.{self.directory.name}", str(self.directory), files or Files())

    def append(self, *values: PartitionValues, rows: int = 1, properties: Mapping[str, str] | None = None) -> None:
        commit_properties = CommitProperties(
            custom_metadata={"userMetadata": json.dumps(properties)} if properties else None
        )
        write_deltalake(self.directory, self._rows(values, rows), mode="append", commit_properties=commit_properties)

    def overwrite(self, values: PartitionValues, rows: int = 1) -> None:
        write_deltalake(self.directory, self._rows([values], rows), mode="overwrite", predicate=self._predicate(values))

    def compact(self, values: PartitionValues) -> None:
        filters = [(key.name, "=", value or "") for key, value in zip(self._keys, values, strict=True)]
        DeltaTable(self.directory).optimize.compact(partition_filters=filters)  # type: ignore[arg-type]

    def drop(self, *values: PartitionValues) -> None:
        DeltaTable(self.directory).delete(" or ".join(f"({self._predicate(one)})" for one in values))

    def expire(self, keep: int = 1) -> None:
        """As the clean-up of a log does it: what a checkpoint holds needs no commits before it."""
        table = DeltaTable(self.directory)
        table.create_checkpoint()
        for log in sorted((self.directory / "_delta_log").glob("*.json")):
            if int(log.stem) <= table.version() - keep:
                log.unlink()

    def recreate(self) -> None:
        shutil.rmtree(self.directory)
        self._create()

    def _create(self) -> None:
        fields = [Field("n", "long"), *(Field(key.name, _TYPES[key.type][0]) for key in self._keys)]  # type: ignore[arg-type]
        DeltaTable.create(self.directory, Schema(fields), partition_by=[key.name for key in self._keys])

    def _rows(self, values: Sequence[PartitionValues], rows: int) -> pa.Table:
        columns: dict[str, Any] = {"n": pa.array([n for _ in values for n in range(rows)], pa.int64())}
        for index, key in enumerate(self._keys):
            texts = [one[index] for one in values for _ in range(rows)]
            python = [None if text is None else typed_value(text, key.type) for text in texts]
            columns[key.name] = pa.array(python, _TYPES[key.type][1])
        return pa.table(columns)

    def _predicate(self, values: PartitionValues) -> str:
        pairs = zip(self._keys, values, strict=True)
        return " and ".join(
            f"{key.name} is null" if value is None else f"{key.name} = '{value}'" for key, value in pairs
        )


def try_again(table: DeltaWriter) -> None:
    """Commit what the newest commit did once more, as a writer does that lost the answer."""
    log = table.directory / "_delta_log"
    newest = max(log.glob("*.json"))
    shutil.copyfile(newest, log / f"{int(newest.stem) + 1:020d}.json")


class DeltaMaker(HistoryMaker):
    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def make(self, keys: Sequence[Column]) -> DeltaWriter:
        return DeltaWriter(keys, self._directory / f"t_{uuid.uuid4().hex[:12]}")
