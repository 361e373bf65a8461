"""Base tables listed by Spark: for tables that are too large to be listed here, or that only the session can reach.

What lives here: the port of ``hive_views.base_tables`` through a session, classic or Connect. What must not: Delta,
whose listings in Spark open the data files; its own reader needs the log alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import timezone
from typing import Any

from hive_views.base_tables.detect import table_name
from hive_views.base_tables.formats import FILE_SOURCES
from hive_views.base_tables.hive import read_names
from hive_views.base_tables.iceberg.metadata import TableMetadata
from hive_views.base_tables.iceberg.table import IcebergBaseTable
from hive_views.base_tables.port import BaseTable, PartitionListing, PartitionValues, Statistics
from hive_views.errors import NoSuchTableError, UnsupportedFeatureError
from hive_views.files import Files
from hive_views.hive.row import Column
from hive_views.sql.dialects import quote_identifier


def spark_base_tables(spark: Any, *names: str, files: Files | None = None) -> dict[str, BaseTable]:
    """Readers for these tables, for ``publish(base_tables=...)``; they list what the library's own readers list.

    Args:
        spark: a SparkSession, classic or Connect.
        names: ``namespace.name`` of Hive and Iceberg tables; ``catalog.namespace.name`` in another catalog of Spark's,
            for which rules name ``namespace.name``.
        files: where the metadata files of Iceberg tables are read: one small file for each.

    Raises:
        NoSuchTableError: the session does not know a table.
        UnsupportedFeatureError: a table of another format. Delta tables are listed by the library's own reader.
    """
    found = (_open(spark, name, files or Files()) for name in names)
    return {table.name: table for table in found}


class SparkHiveTable:
    """A Hive table, by SHOW PARTITIONS."""

    format = "hive"

    def __init__(self, spark: Any, name: str, keys: tuple[Column, ...], *, path: str | None = None) -> None:
        self.name = name
        self._spark = spark
        self._keys = keys
        self._path = path or _quoted(name)

    def list_partitions(self) -> PartitionListing:
        """
        Raises:
            UnsupportedFeatureError: a partition was made when the table had other partition columns.
        """
        values: list[PartitionValues] = [()]
        if self._keys:
            shown = self._spark.sql(f"SHOW PARTITIONS {self._path}").collect()
            values = read_names(self.name, self._keys, (row[0] for row in shown))
        return PartitionListing(self.name, self.format, self._keys, values)


class SparkIcebergTable(IcebergBaseTable):
    """An Iceberg table whose partitions are counted by Spark, in its metadata table ``partitions``.

    Snapshots, columns and history are those of the metadata file, as without Spark. Of a partition's statistics those
    are told that are exact: not the number of its records where rows were deleted, nor when data was last added, since
    Spark tells of the last change of any kind.
    """

    def __init__(self, spark: Any, name: str, files: Files, *, path: str | None = None) -> None:
        super().__init__(name, self._newest_metadata_file, files)
        self._spark = spark
        self._path = path or _quoted(name)

    def list_partitions(self) -> PartitionListing:
        metadata = self._newest()
        head = metadata.head(None, self.name)
        found: dict[PartitionValues, Statistics] = {}
        if head:
            query = f"SELECT * FROM {self._path}.partitions VERSION AS OF {head.id}"  # noqa: S608 - quoted
            for values, statistics in _counted(self._spark.sql(query), metadata):
                found[values] = _sum(found[values], statistics) if values in found else statistics
        if not metadata.keys.columns:
            found.setdefault((), Statistics(files=0, records=0, bytes=0))
        snapshot = metadata.port_snapshot(head) if head else None
        keys = metadata.keys.columns
        return PartitionListing(self.name, self.format, keys, list(found), snapshot, list(found.values()))

    def _newest_metadata_file(self) -> str:
        self._spark.catalog.refreshTable(self._path)
        log = self._spark.sql(f"SELECT * FROM {self._path}.metadata_log_entries")  # noqa: S608 - quoted
        return str(log.orderBy("timestamp", ascending=False).first().file)


def _counted(frame: Any, metadata: TableMetadata) -> Iterator[tuple[PartitionValues, Statistics]]:
    columns = [column.name for column in metadata.keys.columns]
    types = {field.name: field.dataType.typeName() for field in frame.schema["partition"].dataType} if columns else {}
    for row in frame.collect():
        raw = [_as_read(row["partition"][name], types[name]) for name in columns]
        values = tuple([metadata.keys.spell(place, value) for place, value in enumerate(raw)])
        has_deletes = row["position_delete_file_count"] or row["equality_delete_file_count"]
        records = None if has_deletes else row["record_count"]
        # A partition in which nothing is left but deletions is none.
        if row["file_count"]:
            yield values, Statistics(row["file_count"], records, row["total_data_file_size_in_bytes"])


def _as_read(value: Any, type_: str) -> Any:
    """A value as a manifest has it."""
    if isinstance(value, bytearray):
        return bytes(value)
    # PySpark gives a moment in the zone of this process.
    return value.astimezone(timezone.utc) if type_ == "timestamp" and value is not None else value


def _sum(one: Statistics, other: Statistics) -> Statistics:
    """A partition whose files are of two partition specs has two rows."""
    records = None if one.records is None or other.records is None else one.records + other.records
    return Statistics((one.files or 0) + (other.files or 0), records, (one.bytes or 0) + (other.bytes or 0))


def _open(spark: Any, name: str, files: Files) -> BaseTable:
    from pyspark.errors import AnalysisException  # noqa: PLC0415 - an optional package, which a session comes from

    path = _quoted(name)
    table = table_name(".".join(name.split(".")[-2:]))
    try:
        described = [(row[0], row[1]) for row in spark.sql(f"DESCRIBE TABLE EXTENDED {path}").collect()]
    except AnalysisException as error:
        raise NoSuchTableError(f"Spark does not know the table {name}: {error}", table=name) from error
    told: Mapping[str, str] = dict(described)
    provider = told.get("Provider", "").lower()
    if provider == "iceberg":
        return SparkIcebergTable(spark, table, files, path=path)
    if provider in FILE_SOURCES and told.get("Type") != "VIEW":
        return SparkHiveTable(spark, table, _partition_columns(described), path=path)
    raise UnsupportedFeatureError(
        f"Cannot list the partitions of {name} through Spark: it is a {provider or 'view'}, and Spark lists those of "
        f"Hive and Iceberg tables without opening data files. Leave it out of base_tables= to have it read without.",
        table=name,
    )


def _partition_columns(described: list[tuple[str, str]]) -> tuple[Column, ...]:
    """From the rows of DESCRIBE: behind the heading, up to an empty line."""
    names = [name for name, _ in described]
    if "# Partition Information" not in names:
        return ()
    start = names.index("# Partition Information") + 2
    columns = described[start : names.index("", start)]
    return tuple(Column(name.lower(), type_) for name, type_ in columns)


def _quoted(name: str) -> str:
    return ".".join(quote_identifier(part.strip("`")) for part in re.findall(r"`[^`]+`|[^.`]+", name))
