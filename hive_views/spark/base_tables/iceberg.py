"""Iceberg tables whose files are counted by Spark, in Iceberg's metadata table ``entries``.

``entries`` is read by the cluster, a task for each manifest; ``partitions`` by the driver alone, and it reports neither
how many records are left after deletes nor when data was last added.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hive_views.base_tables.iceberg.manifests import Content, Entry, Manifest, ManifestEntries, Status
from hive_views.base_tables.iceberg.table import IcebergBaseTable
from hive_views.base_tables.iceberg.table_metadata import TableMetadata, TableSnapshot
from hive_views.errors import HiveViewsError, UnsupportedFeatureError
from hive_views.sql.quoting import quote_identifier
from hive_views.storage.files import Files

# A row for all files of a partition that one commit wrote. Deletes of single data files are taken off there: they are
# as many as files. The field id is that of file_path in position delete files (table spec, "Reserved Field IDs").
_QUERY = """
WITH entry AS (
  SELECT snapshot_id, sequence_number, coalesce(file_sequence_number, sequence_number) AS written_at, data_file AS file,
    CASE WHEN data_file.content = 1 THEN coalesce(
      data_file.referenced_data_file,
      CASE WHEN try_element_at(data_file.lower_bounds, 2147483546) = try_element_at(data_file.upper_bounds, 2147483546)
        THEN CAST(try_element_at(data_file.lower_bounds, 2147483546) AS STRING) END) END AS deletes_from
  FROM {table}.entries VERSION AS OF {snapshot} WHERE status < 2
), deleted AS (
  SELECT deletes_from AS of_file,
    coalesce(
      max(CASE WHEN lower(file.file_format) = 'puffin' THEN file.record_count END), sum(file.record_count)
    ) AS records
  FROM entry WHERE file.content = 1 AND deletes_from IS NOT NULL GROUP BY deletes_from
)
SELECT file.content, file.spec_id, snapshot_id, coalesce(sequence_number, 0), coalesce(written_at, 0), count(*),
  sum(file.record_count - coalesce(deleted.records, 0)), sum(file.file_size_in_bytes){partition}
FROM entry LEFT JOIN deleted ON file.content = 0 AND file.file_path = of_file
WHERE deletes_from IS NULL GROUP BY ALL
"""
_COLUMNS_BEFORE_PARTITION = 8


class SparkIcebergTable(IcebergBaseTable):
    """An Iceberg table whose files are counted by Spark; it reports what ``IcebergBaseTable`` reports.

    A listing costs one query. Snapshots, columns and history are those of the metadata file, read without Spark. Not
    listed are tables of which Spark shows no metadata tables: those whose specs had two partition fields of one name.

    Args:
        spark: a SparkSession, classic or Connect.
        name: as messages call the table.
        files: where the metadata file is read.
        path: the name in Spark's SQL, quoted.
    """

    def __init__(self, spark: Any, name: str, files: Files, *, path: str) -> None:
        super().__init__(name, self._newest_metadata_file, files)
        self._spark = spark
        self._path = path

    def _newest_metadata_file(self) -> str:
        self._spark.catalog.refreshTable(self._path)
        # Oldest first; the clocks of writers may be some seconds apart, so that times do not decide.
        log = self._spark.sql(f"SELECT file FROM {self._path}.metadata_log_entries")  # noqa: S608 - quoted
        return str(log.collect()[-1].file)

    def _entries(
        self, metadata: TableMetadata, head: TableSnapshot
    ) -> tuple[list[ManifestEntries], list[ManifestEntries]]:
        rows, failure = [], None
        try:
            rows = self._query(metadata, head).collect()
        except HiveViewsError:
            raise
        except Exception as error:  # noqa: BLE001 - raised below
            failure = error
        # Snapshots may expire while they are read. Spark shows one that it does not find as empty; and what it raises
        # for files that are gone depends on where it comes upon that.
        if not rows and head.id not in self._newest().snapshots:
            raise FileNotFoundError(f"snapshot {head.id} has expired") from failure
        if failure:
            raise failure
        deletes = _as_entries((row for row in rows if row[0] != Content.DATA), metadata)
        return deletes, _as_entries((row for row in rows if row[0] == Content.DATA), metadata)

    def _query(self, metadata: TableMetadata, head: TableSnapshot) -> Any:
        expected = list(metadata.keys.merged.values())
        if len(set(expected)) < len(expected):
            raise self._unlisted(f"partition fields of two of its specs have one name ({', '.join(expected)})")
        file = self._spark.table(f"{self._path}.entries").schema["data_file"].dataType
        fields = list(file["partition"].dataType) if "partition" in file.names else []
        if (names := [field.name for field in fields]) != expected:
            raise self._unlisted(f"it has the partition fields {', '.join(expected)}, and Spark shows {names}")
        columns = "".join(f", {_in_manifests(field)}" for field in fields)
        return self._spark.sql(_QUERY.format(table=self._path, snapshot=head.id, partition=columns))

    def _unlisted(self, problem: str) -> UnsupportedFeatureError:
        return UnsupportedFeatureError(
            f"Cannot list the partitions of {self.name} through Spark: {problem}. Leave it out of base_tables= to "
            f"read it without Spark.",
            table=self.name,
        )


def _in_manifests(field: Any) -> str:
    """A partition field as a manifest has it. PySpark gives moments in the zone of its process, where some repeat."""
    column = f"file.partition.{quote_identifier(field.name)}"
    return f"unix_micros({column})" if field.dataType.typeName() == "timestamp" else column


def _as_entries(rows: Iterator[Any], metadata: TableMetadata) -> list[ManifestEntries]:
    by_spec: dict[int, list[Any]] = {}
    for row in rows:
        by_spec.setdefault(row[1], []).append(row)
    merged = list(metadata.keys.merged)
    return [_of_spec(spec_id, metadata.keys.fields_of[spec_id], merged, some) for spec_id, some in by_spec.items()]


def _of_spec(spec_id: int, field_ids: tuple[int, ...], merged: list[int], rows: list[Any]) -> ManifestEntries:
    places = [merged.index(one) + _COLUMNS_BEFORE_PARTITION if one in merged else None for one in field_ids]

    def entries() -> Iterator[Entry]:
        for row in rows:
            content, _, snapshot_id, sequence_number, written_at, files, records, size = row[:_COLUMNS_BEFORE_PARTITION]
            partition = tuple([None if place is None else _plain(row[place]) for place in places])
            yield Entry(
                Status.EXISTING,
                snapshot_id,
                sequence_number,
                written_at,
                content,
                partition,
                location="",
                records=records,
                bytes=size,
                deletes_from=None,
                is_vector=False,
                files=files,
            )

    manifest = Manifest(
        "", 0, spec_id, has_deletes=False, sequence_number=0, snapshot_id=0, has_live=True, has_changes=True
    )
    return ManifestEntries(manifest, field_ids, entries())


def _plain(value: Any) -> Any:
    return bytes(value) if isinstance(value, bytearray) else value
