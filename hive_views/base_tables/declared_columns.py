"""The columns of a base table, as its row in the metastore declares them."""

from __future__ import annotations

from hive_views.base_tables.formats import detect_format
from hive_views.errors import UncertainColumnsError
from hive_views.hive.row import Column, Row
from hive_views.messages.remedy import Remedy

GIVE_COLUMNS = Remedy(
    in_python="Give the columns with schema=, or take those that hive_views.spark.schema_of finds.",
    in_shell="Give the columns: --column for each, --schema FILE, or --schema-from-spark.",
)
"""The way out where the columns of a query are not certain."""

# Serdes that read the columns which the metastore says. An Avro table can have its schema in a file, and OpenCSVSerde
# gives strings whatever is declared.
_TRUE_TO_THE_ROW = (
    "LazySimpleSerDe",
    "LazyBinarySerDe",
    "ColumnarSerDe",
    "LazyBinaryColumnarSerDe",
    "OrcSerde",
    "ParquetHiveSerDe",
    "JsonSerDe",
)

# What Spark writes as the columns of a table that Hive cannot read (HiveExternalCatalog.EMPTY_DATA_SCHEMA), and Trino
# of its own views.
_PLACEHOLDERS = (("col", "array<string>"), ("dummy", "string"))


def columns_of(row: Row) -> tuple[Column, ...]:
    """The columns of a table or view in the order of ``SELECT *`` in Hive: partition columns are the last.

    Raises:
        UncertainColumnsError: the row does not say them: the format keeps its own schema (Delta, Iceberg, Paimon, ...),
            or the engine that made it says less to the metastore.
    """
    name, found = str(row.identifier), detect_format(row)
    if found not in ("hive", "view"):
        raise _unknown(name, f"its format, {found}, keeps its own")
    columns = (*row.columns, *row.partition_keys)
    if not columns or any((column.name, column.type) in _PLACEHOLDERS for column in row.columns[:1]):
        raise _unknown(name, "the engine that made it keeps its own")
    serde = (row.serde_library or "").rpartition(".")[2]
    if serde and not row.is_view and serde not in _TRUE_TO_THE_ROW:
        raise _unknown(name, f"its rows are read by {serde}, which decides about them itself")
    return columns


def _unknown(table: str, why: str) -> UncertainColumnsError:
    return UncertainColumnsError(
        f"The metastore does not know the columns of {table}: {why}.", remedy=GIVE_COLUMNS, table=table
    )
