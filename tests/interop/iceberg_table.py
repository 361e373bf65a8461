"""An Iceberg table that Spark writes, and what Spark and our reader say of it."""

from __future__ import annotations

import uuid
from typing import Any

from hive_views.base_tables.iceberg.table import IcebergBaseTable
from hive_views.base_tables.port import Changes, PartitionListing, PartitionValues, Snapshot
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.files import Files
from tests.support.java.iceberg_java import Iceberg
from tests.support.tables.writable import sizes


class IcebergTable:
    """A table in Spark's catalog ``ice``, and our reader of it."""

    def __init__(self, iceberg: Iceberg, hms: HiveMetastore, namespace: str, columns: str, clauses: str) -> None:
        self.identifier = TableIdentifier(namespace, f"t_{uuid.uuid4().hex[:12]}")
        self._iceberg = iceberg
        self._hms = hms
        self.run(f"CREATE TABLE {{t}} ({columns}) USING iceberg {clauses}")

    def run(self, statement: str) -> list[tuple[Any, ...]]:
        """Run a statement in which ``{t}`` is the table."""
        return self._iceberg.sql(statement.replace("{t}", f"ice.{self.identifier}"))

    def call(self, procedure: str, arguments: str = "") -> list[tuple[Any, ...]]:
        return self.run(f"CALL ice.system.{procedure}(table => '{self.identifier}'{arguments and ', '}{arguments})")

    def open(self, branch: str | None = None) -> IcebergBaseTable:
        def metadata_location() -> str:
            return self._hms.load_row(self.identifier).parameters["metadata_location"]

        return IcebergBaseTable(str(self.identifier), metadata_location, Files(), branch)

    def list(self) -> PartitionListing:
        return self.open().list_partitions()

    def snapshot(self) -> Snapshot:
        snapshot = self.list().snapshot
        assert snapshot is not None
        return snapshot

    def changes(self, since: PartitionListing | Snapshot) -> Changes:
        snapshot = since.snapshot if isinstance(since, PartitionListing) else since
        assert snapshot is not None
        return self.open().changes(snapshot, self.snapshot())

    def files(self) -> dict[PartitionValues, tuple[int, int]]:
        """Data files and bytes by partition, as Spark's metadata table says."""
        rows = self.run("SELECT partition, file_count, total_data_file_size_in_bytes FROM {t}.partitions")
        return {_values(row[0]): (row[1], row[2]) for row in rows if row[1]}

    def records(self, keys: str) -> dict[PartitionValues, int]:
        """Rows by partition, counted by Spark."""
        rows = self.run(f"SELECT {keys}, count(*) FROM {{t}} GROUP BY {keys}")
        return {tuple(map(_text, row[:-1])): row[-1] for row in rows}


def _values(struct: Any) -> PartitionValues:
    return tuple(_text(struct.get(index)) for index in range(struct.size()))


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def records(listing: PartitionListing) -> dict[PartitionValues, int | None]:
    return {values: size[1] for values, size in sizes(listing).items()}
