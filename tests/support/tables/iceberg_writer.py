"""Iceberg tables that pyiceberg writes, and some commits that it cannot: compactions, and deletes beside data files."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyiceberg.catalog import Catalog
from pyiceberg.catalog.memory import InMemoryCatalog
from pyiceberg.expressions import And, BooleanExpression, EqualTo, IsNull
from pyiceberg.io.pyarrow import _dataframe_to_data_files, schema_to_pyarrow
from pyiceberg.manifest import (
    DataFile,
    DataFileContent,
    FileFormat,
    ManifestContent,
    ManifestEntry,
    ManifestEntryStatus,
    ManifestWriterV2,
)
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table import Table
from pyiceberg.table.snapshots import Operation, Summary
from pyiceberg.table.update.snapshot import _OverwriteFiles
from pyiceberg.transforms import IdentityTransform
from pyiceberg.typedef import Record
from pyiceberg.types import (
    BooleanType,
    DateType,
    DecimalType,
    IcebergType,
    IntegerType,
    LongType,
    NestedField,
    StringType,
    TimestampType,
)

from hive_views.base_tables.iceberg.table import IcebergBaseTable
from hive_views.base_tables.port import PartitionValues
from hive_views.hive.partition_values import typed_value
from hive_views.hive.row import Column
from hive_views.storage.files import Files
from tests.support.tables.writable import WritableTableWithHistory

_TYPES: Mapping[str, IcebergType] = {
    "string": StringType(),
    "int": IntegerType(),
    "bigint": LongType(),
    "boolean": BooleanType(),
    "decimal(10,2)": DecimalType(10, 2),
    "date": DateType(),
    "timestamp": TimestampType(),
}
_numbers = count()


class _Rewrite(_OverwriteFiles):
    """What a compaction commits; pyiceberg has none."""

    def _summary(self, snapshot_properties: dict[str, str] = {}) -> Summary:  # noqa: B006 - pyiceberg's signature
        summary = super()._summary(snapshot_properties)
        return Summary(Operation.REPLACE, **summary.additional_properties)


class _RowDelta(_OverwriteFiles):
    """What a merge-on-read delete commits; pyiceberg has none."""

    def __init__(self, operation: Operation, transaction: Any, io: Any) -> None:
        super().__init__(operation, transaction, io)
        self.deletes: list[DataFile] = []

    def _manifests(self) -> list[Any]:
        writer = _DeleteManifestWriter(
            self.spec(self._transaction.table_metadata.default_spec_id),
            self._transaction.table_metadata.schema(),
            self.new_manifest_output(),
            self._snapshot_id,
            "deflate",
        )
        with writer:
            for file in self.deletes:
                file.spec_id = 0
                entry = ManifestEntry.from_args(
                    status=ManifestEntryStatus.ADDED, snapshot_id=self._snapshot_id, data_file=file
                )
                writer.add(entry)
        return [writer.to_manifest_file(), *self._existing_manifests()]


class _DeleteManifestWriter(ManifestWriterV2):
    def content(self) -> ManifestContent:
        return ManifestContent.DELETES

    @property
    def _meta(self) -> dict[str, str]:
        return {**super()._meta, "content": "deletes"}


class IcebergTable(WritableTableWithHistory):
    def __init__(self, catalog: Catalog, keys: Sequence[Column], location: str, version: int = 2) -> None:
        self._catalog = catalog
        self._keys = keys
        self.location = location
        self._version = version
        self.name = f"web.t{next(_numbers)}"
        self._create()

    @property
    def table(self) -> Table:
        return self._catalog.load_table(self.name)

    def open(self, branch: str | None = None, *, files: Files | None = None) -> IcebergBaseTable:
        return IcebergBaseTable(self.name, lambda: self.table.metadata_location, files or Files(), branch)

    def append(self, *values: PartitionValues, rows: int = 1, properties: Mapping[str, str] | None = None) -> None:
        self.table.append(self._rows(values, rows), snapshot_properties=dict(properties or {}))

    def append_to(self, branch: str, *values: PartitionValues) -> None:
        self.table.append(self._rows(values, 1), branch=branch)

    def overwrite(self, values: PartitionValues, rows: int = 1) -> None:
        if values:
            self.table.overwrite(self._rows([values], rows), overwrite_filter=self._filter(values))
        else:
            self.table.overwrite(self._rows([values], rows))

    def compact(self, values: PartitionValues) -> None:
        table = self.table
        tasks = list(table.scan(row_filter=self._filter(values)).plan_files())
        content = table.scan(row_filter=self._filter(values)).to_arrow()
        with table.transaction() as transaction:
            update = _Rewrite(operation=Operation.OVERWRITE, transaction=transaction, io=table.io)
            with update:
                for task in tasks:
                    update.delete_data_file(task.file)
                for file in _dataframe_to_data_files(table.metadata, content, table.io):
                    update.append_data_file(file)

    def delete_rows(self, values: PartitionValues, content: DataFileContent, records: int, of_file: str = "") -> None:
        """Write a delete file, as engines do that leave data files as they are."""
        bounds = {2147483546: of_file.encode()} if of_file else {}
        file = DataFile.from_args(
            content=content,
            file_path=f"{self.location}/data/{uuid.uuid4()}.parquet",
            file_format=FileFormat.PARQUET,
            partition=Record(*self._typed(values)),
            record_count=records,
            file_size_in_bytes=100,
            lower_bounds=bounds,
            upper_bounds=bounds,
            equality_ids=[3] if content == DataFileContent.EQUALITY_DELETES else None,
        )
        now = self.table
        with now.transaction() as transaction, _RowDelta(Operation.DELETE, transaction, now.io) as update:
            update.deletes.append(file)

    def drop(self, *values: PartitionValues) -> None:
        for one in values:
            self.table.delete(self._filter(one))

    def expire(self, keep: int = 1) -> None:
        table = self.table
        in_order = sorted(table.metadata.snapshots, key=lambda one: one.sequence_number or 0)
        table.maintenance.expire_snapshots().by_ids([one.snapshot_id for one in in_order[:-keep]]).commit()

    def replace(self) -> None:
        """As ``CREATE OR REPLACE TABLE`` does it: the table keeps its UUID, and no snapshot is the current one."""
        self.table.manage_snapshots().remove_branch("main").commit()

    def restore(self, metadata_location: str) -> None:
        """Have the catalog know the table as it was in an older metadata file."""
        self._catalog.drop_table(self.name)
        self._catalog.register_table(self.name, metadata_location)

    def recreate(self) -> None:
        self._catalog.drop_table(self.name)
        self._create()

    def _create(self) -> None:
        fields = [
            NestedField(number, key.name, _TYPES[key.type])
            for number, key in enumerate([*self._keys, Column("clicks", "bigint")], 1)
        ]
        partition = [
            PartitionField(number, 999 + number, IdentityTransform(), key.name)
            for number, key in enumerate(self._keys, 1)
        ]
        self._catalog.create_table(
            self.name,
            Schema(*fields),
            self.location,
            PartitionSpec(*partition),
            properties={"format-version": str(self._version)},
        )

    def _typed(self, values: PartitionValues) -> list[Any]:
        return [
            None if text is None else typed_value(text, key.type) for key, text in zip(self._keys, values, strict=True)
        ]

    def _rows(self, values: Sequence[PartitionValues], rows: int) -> pa.Table:
        names = [key.name for key in self._keys]
        content = [
            dict(zip(names, self._typed(one), strict=True)) | {"clicks": row} for one in values for row in range(rows)
        ]
        return pa.Table.from_pylist(content, schema=schema_to_pyarrow(self.table.schema()))

    def _filter(self, values: PartitionValues) -> BooleanExpression:
        conditions: list[BooleanExpression] = [
            IsNull(key.name) if value is None else EqualTo(key.name, value)
            for key, value in zip(self._keys, self._typed(values), strict=True)
        ]
        return And(*conditions) if len(conditions) > 1 else conditions[0]


Make = Callable[..., IcebergTable]


def maker_in(directory: Path) -> Make:
    """What makes tables, given their partition columns and ``version=``."""
    catalog = InMemoryCatalog("test", warehouse=f"file://{directory}")
    catalog.create_namespace("web")
    return lambda keys, **options: IcebergTable(catalog, keys, f"file://{directory}/{uuid.uuid4().hex}", **options)
