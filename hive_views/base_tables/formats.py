"""Which format a table has: read from its row in the metastore, or from the files at a location.

The format is known before any partition is asked for: the metastore lists no partitions for a Delta, Iceberg or Paimon
table, and an empty list would be taken for "nothing loaded yet".
"""

from __future__ import annotations

import re
from collections.abc import Callable

from hive_views.errors import CorruptMetadataError
from hive_views.hive.row import STORAGE_HANDLER, Row
from hive_views.storage.files import Files

FORMATS = ("hive", "view", "iceberg", "delta", "paimon")

_PROVIDER = "spark.sql.sources.provider"
# Data sources of Spark whose partitions are directories that the metastore knows, as those of a Hive table.
FILE_SOURCES = frozenset(("hive", "parquet", "orc", "avro", "csv", "json", "text"))
_STORAGE_HANDLERS = {
    "io.delta.hive.deltastoragehandler": "delta",
    "org.apache.iceberg.mr.hive.hiveicebergstoragehandler": "iceberg",
    "org.apache.paimon.hive.paimonstoragehandler": "paimon",
}
_TABLE_TYPES = ("iceberg", "delta", "paimon")
_INPUT_FORMATS = {
    "org.apache.paimon.hive.mapred.paimoninputformat": "paimon",
    "org.apache.flink.table.store.mapred.tablestoreinputformat": "paimon",
    "org.apache.hudi.hadoop.hoodieparquetinputformat": "hudi",
    "org.apache.hudi.hadoop.hoodieinputformat": "hudi",
    "org.apache.hudi.hadoop.realtime.hoodieparquetrealtimeinputformat": "hudi",
}

# What Spark and Databricks put in the place of a location that only the serde's parameter "path" has.
_PLACEHOLDER = "__PLACEHOLDER__"

_PAIMON_SCHEMA = re.compile(r".*/schema-\d+")
_ICEBERG_METADATA = re.compile(r".*\.metadata\.json(\.gz)?")


def detect_format(row: Row) -> str:
    """One of ``FORMATS``, or the name of a data source or storage handler that is none of them (``hudi``, ...)."""
    parameters = row.parameters
    if row.is_view:
        return "view"
    provider = parameters.get(_PROVIDER, "").lower()
    by_input_format = _INPUT_FORMATS.get((row.input_format or "").lower())
    if "hudi" in (provider, by_input_format):
        return "hudi"
    table_type = parameters.get("table_type", "").lower()
    if table_type in _TABLE_TYPES:
        return table_type
    if by_input_format or "paimon_location" in parameters:
        return "paimon"
    handler = parameters.get(STORAGE_HANDLER, "")
    if handler:
        return _STORAGE_HANDLERS.get(handler.lower()) or handler.rpartition(".")[2]
    provider = provider or parameters.get("provider", "").lower()
    return provider if provider and provider not in FILE_SOURCES else "hive"


def formats_at(files: Files, location: str) -> tuple[str, ...]:
    """The formats of the tables whose files are in a directory; several where one format imitates another.

    An Iceberg table may also be given by its metadata file.

    Raises:
        StorageUnavailableError: the storage failed or refused.
    """
    if _ICEBERG_METADATA.fullmatch(location):
        return ("iceberg",)
    return tuple(format_ for format_ in _SIGNS if is_format_at(files, location, format_))


def is_format_at(files: Files, location: str, format: str) -> bool:  # noqa: A002 - the word of the base tables
    """Whether the files of a table of this format are in a directory.

    Raises:
        StorageUnavailableError: the storage failed or refused.
    """
    return _SIGNS[format](files, location.rstrip("/"))


def location_of(row: Row, format: str) -> str:  # noqa: A002 - the word of the base tables
    """Where a Delta or Paimon table has its files, or an Iceberg table its newest metadata file.

    Raises:
        CorruptMetadataError: the row does not say.
    """
    if format == "delta":
        found = row.serde_parameters.get("path") or row.location
    elif format == "paimon":
        found = row.parameters.get("paimon_location") or row.location
    else:
        found = row.parameters.get("metadata_location")
    if not found or found.rstrip("/").endswith(_PLACEHOLDER):
        raise CorruptMetadataError(
            f"The row of {row.identifier} in the metastore says that it has the format {format}, but not where its "
            f"files are. Register the table again, or specify its location.",
            table=str(row.identifier),
        )
    return found


def directory_of(row: Row) -> str | None:
    """Where a Hive table has its files; None where its row does not say."""
    found = row.location
    if found and found.rstrip("/").endswith(_PLACEHOLDER):
        found = row.serde_parameters.get("path")
    return found or None


_SIGNS: dict[str, Callable[[Files, str], bool]] = {
    "delta": lambda files, location: files.exists(f"{location}/_delta_log"),
    "iceberg": lambda files, location: any(map(_ICEBERG_METADATA.fullmatch, files.list(f"{location}/metadata"))),
    "paimon": lambda files, location: any(map(_PAIMON_SCHEMA.fullmatch, files.list(f"{location}/schema"))),
}
SIGNS = "_delta_log/ (Delta), metadata/*.metadata.json (Iceberg), schema/schema-0 (Paimon)"
"""What is looked for, for people."""
