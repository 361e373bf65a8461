"""Which format a base table has, told from its row in the metastore.

What lives here: the detection and the choice of the reader. What must not: reading partitions.

The format is known before any partition is asked for: the metastore lists no partitions for a Delta, Iceberg or Paimon
table, and an empty list would be taken for "nothing loaded yet".
"""

from __future__ import annotations

from collections.abc import Mapping

from hive_views.base_tables.hive import HiveBaseTable, TableReader
from hive_views.base_tables.port import BaseTable
from hive_views.errors import InvalidInputError, UnsupportedFeatureError
from hive_views.hive.row import Row
from hive_views.spec.identifiers import TableIdentifier

FORMATS = ("hive", "view", "iceberg", "delta", "paimon")
_READABLE = ("hive", "view")

_PROVIDER = "spark.sql.sources.provider"
# Data sources of Spark whose partitions are directories that the metastore knows, as those of a Hive table.
_FILE_SOURCES = frozenset(("hive", "parquet", "orc", "avro", "csv", "json", "text"))
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


def is_location(name: str) -> bool:
    """Whether a table is given by where its files are, and not by its name in the metastore."""
    return "/" in name


def table_name(name: str) -> str:
    """The one spelling of a table's name; a location stays as it is.

    Raises:
        InvalidIdentifierError: neither a location nor ``namespace.name``.
    """
    return name if is_location(name) else str(TableIdentifier.of(name))


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
    handler = parameters.get("storage_handler", "")
    if handler:
        return _STORAGE_HANDLERS.get(handler.lower()) or handler.rpartition(".")[2]
    provider = provider or parameters.get("provider", "").lower()
    return provider if provider and provider not in _FILE_SOURCES else "hive"


def check_format(table: str, found: str, expected: str | None) -> None:
    """Refuse a table that has another format than its user says.

    Raises:
        InvalidInputError: ``expected`` is given and no format at all, or not the one found.
    """
    if expected is not None and expected not in FORMATS:
        raise InvalidInputError(
            f"Cannot read {table} with format={expected!r}: formats are {', '.join(FORMATS)}. Leave format out to have "
            f"it told from the table itself.",
            table=table,
            format=expected,
        )
    if expected not in (None, found):
        raise InvalidInputError(
            f"{table} has the format {found}, not {expected}; leave format= out.", table=table, format=found
        )


def open_base_table(metastore: TableReader, name: str, format: str | None = None) -> BaseTable:  # noqa: A002
    """The reader for a table of the metastore, in one call.

    Args:
        metastore: where the table is looked up.
        name: ``"namespace.name"``.
        format: the format it must have; by default it is told from the row.

    Raises:
        NoSuchTableError: there is no such table.
        UnsupportedFeatureError: its format, or giving it by its location, needs a later version.
        InvalidInputError: the name is none, or ``format`` is not what the table has.
    """
    if is_location(name):
        raise UnsupportedFeatureError(
            f"Cannot read {name}: this version reads Hive tables and views, by their names in the metastore. "
            f"Name it as namespace.name.",
            table=name,
        )
    row = metastore.load_row(TableIdentifier.of(name))
    table, found = str(row.identifier), detect_format(row)
    check_format(table, found, format)
    if found not in _READABLE:
        raise UnsupportedFeatureError(
            f"Cannot list the partitions of {table}: its format is {found}, and this version reads Hive tables and "
            f"views. Give the table in base_tables= with a reader of your own.",
            table=table,
            format=found,
        )
    _refuse_partitions_on_files(table, row.parameters, has_keys=bool(row.partition_keys))
    return HiveBaseTable(metastore, row, found)


def _refuse_partitions_on_files(table: str, parameters: Mapping[str, str], *, has_keys: bool) -> None:
    is_partitioned = has_keys or parameters.get("spark.sql.sources.schema.numPartCols", "0") != "0"
    on_files = _PROVIDER in parameters and parameters.get("spark.sql.partitionProvider") != "catalog"
    if is_partitioned and on_files and parameters[_PROVIDER].lower() != "hive":
        raise UnsupportedFeatureError(
            f"Spark keeps the partitions of {table} on the file system only, so that the metastore does not know them. "
            f"Run ALTER TABLE {table} RECOVER PARTITIONS in Spark.",
            table=table,
        )
