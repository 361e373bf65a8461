"""Paimon tables as pypaimon writes them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pytest

from hive_views.base_tables.paimon.table import PaimonBaseTable
from hive_views.base_tables.port import PartitionValues
from hive_views.hive.partition_values import typed_value
from hive_views.hive.row import Column
from hive_views.hive.types import parse_hive_type
from hive_views.storage.files import Files
from tests.support.tables.writable import HistoryMaker, WritableTableWithHistory

_ID = "id"
_TYPES = {
    "string": pa.string(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "boolean": pa.bool_(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us"),
}


class PaimonTable(WritableTableWithHistory):
    """``web.clicks`` in a warehouse; its rows have an ``id`` beside the partition columns."""

    def __init__(
        self,
        warehouse: Path,
        keys: Sequence[Column],
        *,
        has_primary_key: bool = False,
        options: Mapping[str, str] | None = None,
    ) -> None:
        pypaimon = pytest.importorskip("pypaimon")
        self.location = warehouse / "web.db" / "clicks"
        self._keys = keys
        self._catalog = pypaimon.CatalogFactory.create({"warehouse": str(warehouse)})
        self._catalog.create_database("web", True)
        names = [key.name for key in keys]
        self._columns = pa.schema(
            [pa.field(_ID, pa.int32(), nullable=not has_primary_key)]
            + [pa.field(key.name, _arrow_type(key.type), nullable=not has_primary_key) for key in keys]
        )
        self._schema = pypaimon.Schema.from_pyarrow_schema(
            self._columns,
            partition_keys=names,
            primary_keys=[*names, _ID] if has_primary_key else [],
            options={"bucket": "1" if has_primary_key else "-1", **(options or {})},
        )
        self._create()

    def open(self, *, files: Files | None = None) -> PaimonBaseTable:
        return PaimonBaseTable("web.clicks", str(self.location), files or Files())

    def append(self, *values: PartitionValues, rows: int = 1, properties: Mapping[str, str] | None = None) -> None:
        write_rows(self.table.new_batch_write_builder(), self._rows(values, rows), properties)

    def overwrite(self, values: PartitionValues, rows: int = 1) -> None:
        write_rows(self.table.new_batch_write_builder().overwrite(self._spec(values)), self._rows([values], rows))

    def compact(self, values: PartitionValues) -> None:
        """pypaimon has no compaction: the entries are those of its overwrite by the same rows, the kind is another."""
        builder = self.table.new_read_builder()
        predicates = builder.new_predicate_builder()
        same = [predicates.equal(name, value) for name, value in self._spec(values).items()]
        found = builder.with_filter(predicates.and_predicates(same)) if same else builder
        rows = found.new_read().to_arrow(found.new_scan().plan().splits())
        writer = self.table.new_batch_write_builder()
        write, commit = writer.new_write(), writer.new_commit()
        write.write_arrow(rows.cast(self._columns))
        files, by = write.prepare_commit(), commit.file_store_commit
        of_partition = by._create_static_partition_filter(self._spec(values), files)
        by._try_commit("COMPACT", 2**63 - 1, by._overwrite_changes_provider(of_partition, files).provide)
        write.close()
        commit.close()

    def rewrite_ids(self, *row_ids: int) -> None:
        """Rewrite the column ``id`` of rows, by the numbers that a table with row tracking gives them."""
        builder = self.table.new_batch_write_builder()
        update, commit = builder.new_update().with_update_type([_ID]), builder.new_commit()
        rows = pa.table({"_ROW_ID": pa.array(row_ids, pa.int64()), _ID: pa.array([7] * len(row_ids), pa.int32())})
        commit.commit(update.update_by_arrow_with_row_id(rows))
        commit.close()

    def delete_first_row(self, values: PartitionValues) -> None:
        """Delete the row with the ``id`` 0, by a deletion vector."""
        builder = self.table.new_batch_write_builder()
        update, commit = builder.new_update(), builder.new_commit()
        predicates = update.new_predicate_builder()
        same = [predicates.equal(name, value) for name, value in {**self._spec(values), _ID: 0}.items()]
        commit.commit(update.delete_by_predicate(predicates.and_predicates(same)))
        commit.close()

    def drop(self, *values: PartitionValues) -> None:
        commit = self.table.new_batch_write_builder().new_commit()
        if self._keys:
            commit.truncate_partitions([self._spec(one) for one in values])
        else:
            commit.truncate_table()
        commit.close()

    def expire(self, keep: int = 1) -> None:
        """What Java's housekeeping leaves behind: the newest snapshots, and the files that they need."""
        snapshots = sorted((self.location / "snapshot").glob("snapshot-*"), key=lambda path: int(path.name[9:]))
        for path in snapshots[:-keep]:
            path.unlink()
        contents = [json.loads(path.read_text()) for path in snapshots[-keep:]]
        lists = {one[name] for one in contents for name in ("baseManifestList", "deltaManifestList")}
        kept = lists | {one["_FILE_NAME"] for name in lists for one in self.read_avro(name)}
        for path in (self.location / "manifest").iterdir():
            if path.name not in kept:
                path.unlink()
        (self.location / "snapshot" / "EARLIEST").write_text(snapshots[-keep:][0].name[9:])

    def recreate(self) -> None:
        self._catalog.drop_table("web.clicks")
        self._create()

    def roll_back(self, snapshot_id: int) -> None:
        self.table.rollback_to(snapshot_id)

    def read_avro(self, name: str) -> list[Any]:
        with (self.location / "manifest" / name).open("rb") as file:
            return list(fastavro.reader(file))

    def _create(self) -> None:
        self._catalog.create_table("web.clicks", self._schema, False)
        self.table = self._catalog.get_table("web.clicks")

    def _rows(self, values: Iterable[PartitionValues], rows: int) -> pa.Table:
        found = [{_ID: number, **self._spec(one)} for one in values for number in range(rows)]
        return pa.Table.from_pylist(found, schema=self._columns)

    def _spec(self, values: PartitionValues) -> dict[str, Any]:
        pairs = zip(self._keys, values, strict=True)
        return {key.name: None if value is None else typed_value(value, key.type) for key, value in pairs}


def write_rows(builder: Any, rows: pa.Table, properties: Mapping[str, str] | None = None) -> None:
    """Commit rows by a write builder of a table."""
    write, commit = builder.new_write(), builder.new_commit()
    write.write_arrow(rows)
    commit.commit(write.prepare_commit(), snapshot_properties=dict(properties) if properties else None)
    write.close()
    commit.close()


class PaimonMaker(HistoryMaker):
    def __init__(self, warehouse: Path, *, has_primary_key: bool = False) -> None:
        self._warehouse = warehouse
        self._has_primary_key = has_primary_key

    def make(self, keys: Sequence[Column]) -> PaimonTable:
        return PaimonTable(self._warehouse, keys, has_primary_key=self._has_primary_key)


def _arrow_type(hive_type: str) -> pa.DataType:
    type_ = parse_hive_type(hive_type)
    return pa.decimal128(*type_.sizes) if type_.name == "decimal" else _TYPES[type_.name]
