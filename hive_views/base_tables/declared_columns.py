"""The columns of tables and views: as rows in the metastore declare them, or else the tables' own metadata."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from hive_views.analysis.query_analysis import TableColumns
from hive_views.base_tables.delta.schema_columns import columns_of_delta, columns_of_spark
from hive_views.base_tables.formats import detect_format, location_of
from hive_views.base_tables.iceberg.schema_columns import columns_of_iceberg
from hive_views.base_tables.paimon.schema_columns import columns_of_paimon
from hive_views.errors import HiveViewsError, NoSuchNamespaceError, UncertainColumnsError
from hive_views.hive.row import Column, Row
from hive_views.messages.remedy import Remedy
from hive_views.spec.identifiers import TableIdentifier, by_namespace
from hive_views.storage.files import Files, fetch_ahead

GIVE_COLUMNS = Remedy(
    in_python="Give the columns with schema=, or take those that hive_views.spark.schema_of finds.",
    in_shell="Give the columns: --column for each, --schema FILE, or --schema-from-spark.",
)
"""The way out where the columns of a query are not certain."""

# Serdes that read the columns which the metastore says, and Avro's, unless the table has a schema in Avro's words, or
# integers that Avro has not.
_TRUE_TO_THE_ROW = frozenset(
    (
        "ColumnarSerDe",
        "JsonSerDe",
        "LazyBinaryColumnarSerDe",
        "LazyBinarySerDe",
        "LazySimpleSerDe",
        "OrcSerde",
        "ParquetHiveSerDe",
        "RegexSerDe",
    )
)
_AVRO, _OF_STRINGS = "AvroSerDe", "OpenCSVSerde"
_NOT_IN_AVRO = re.compile(r"\b(tinyint|smallint)\b")

# What Spark writes as the columns of a table that Hive cannot read (HiveExternalCatalog.EMPTY_DATA_SCHEMA), and Trino
# of its own views.
_PLACEHOLDERS = (("col", "array<string>"), ("dummy", "string"))
# Where Spark says the columns of such a table; a long text is in parts.
_SPARK_SCHEMA = "spark.sql.sources.schema"

_OWN_METADATA: Mapping[str, Callable[[str, str, Files], tuple[Column, ...]]] = {
    "delta": columns_of_delta,
    "iceberg": columns_of_iceberg,
    "paimon": columns_of_paimon,
}
_ROWS_IN_A_CALL = 100


class RowsReader(Protocol):
    """What is asked of a metastore here (``hive_views.metastore.port.Rows``)."""

    def load_rows(self, namespace: str, names: Sequence[str]) -> list[Row]: ...


@dataclass(frozen=True)
class DeclaredColumns:
    """What is known of the columns of some tables and views.

    Attributes:
        columns: those that are known, by (namespace, name). A column of a type that Hive does not have (``variant``,
            ``timestamp_ntz``) has a text as its type that ``parse_hive_type`` refuses.
        unknown: why those of the others are not known.
        missing: names that the metastore does not have.
    """

    columns: TableColumns = field(default_factory=dict)
    unknown: Mapping[tuple[str, str], HiveViewsError] = field(default_factory=dict)
    missing: tuple[TableIdentifier, ...] = ()

    def __or__(self, other: DeclaredColumns) -> DeclaredColumns:
        """What is known of the tables of both; the other one was read later."""
        return DeclaredColumns(
            {**self.columns, **other.columns}, {**self.unknown, **other.unknown}, (*self.missing, *other.missing)
        )


def columns_of_tables(metastore: RowsReader, files: Files, names: Iterable[TableIdentifier]) -> DeclaredColumns:
    """The columns of tables and views, partition columns last, as far as they are known without an engine.

    It takes a call of the metastore for each hundred names of a namespace, and what ``columns_of_rows`` takes.

    Raises:
        MetastoreUnavailableError, AuthenticationError: the metastore does not answer, or fails on a row.
    """
    wanted = list(dict.fromkeys(names))
    rows: dict[TableIdentifier, Row] = {}
    for namespace, ones in by_namespace(wanted).items():
        for start in range(0, len(ones), _ROWS_IN_A_CALL):
            try:
                found = metastore.load_rows(namespace, [one.name for one in ones[start : start + _ROWS_IN_A_CALL]])
            except NoSuchNamespaceError:
                break
            rows |= {row.identifier: row for row in found}
    known = columns_of_rows(rows.values(), files)
    return DeclaredColumns(known.columns, known.unknown, tuple(name for name in wanted if name not in rows))


def columns_of_rows(rows: Iterable[Row], files: Files) -> DeclaredColumns:
    """As ``columns_of_tables``, of rows that were read already.

    Of an Iceberg table it takes one file; of a Paimon table a listing and one file; of a Delta table a listing and
    mostly one file: see ``columns_of_delta``. Several tables are read at once. Of other tables and views it takes
    nothing. What fails of one table is not known of it.
    """
    columns: dict[tuple[str, str], Sequence[Column]] = {}
    unknown: dict[tuple[str, str], HiveViewsError] = {}
    kept = list(rows)

    def read(row: Row) -> tuple[Column, ...] | HiveViewsError:
        try:
            return columns_of(row, files)
        except HiveViewsError as error:
            return error

    has_own = [detect_format(row) in _OWN_METADATA for row in kept]
    ahead = fetch_ahead(read, [row for row, is_own in zip(kept, has_own, strict=True) if is_own])
    for row, is_own in zip(kept, has_own, strict=True):
        found = next(ahead) if is_own else read(row)
        name = (row.identifier.namespace, row.identifier.name)
        if isinstance(found, HiveViewsError):
            unknown[name] = found
        else:
            columns[name] = found
    return DeclaredColumns(columns, unknown)


def columns_of(row: Row, files: Files | None = None) -> tuple[Column, ...]:
    """The columns of a table or view in the order of ``SELECT *`` in Hive: partition columns are the last.

    Those of a Delta, Iceberg or Paimon table are in the order of its own schema, as in Spark.

    Args:
        row: of the metastore.
        files: where such tables are read; without it, their columns are not known.

    Raises:
        UncertainColumnsError: the row does not say them: the format keeps its own schema, or the engine that made it
            says less to the metastore.
        CorruptMetadataError, NoSuchTableError, UnsupportedFeatureError, UnavailableError: the metadata of a table
            cannot be read.
    """
    name, found = str(row.identifier), detect_format(row)
    if files is not None and found in _OWN_METADATA:
        return _OWN_METADATA[found](name, location_of(row, found), files)
    if found not in ("hive", "view"):
        raise _unknown(name, f"its format, {found}, keeps its own")
    columns = (*row.columns, *row.partition_keys)
    if not columns or any((column.name, column.type) in _PLACEHOLDERS for column in row.columns[:1]):
        schema = _spark_schema(row)
        if schema is None:
            raise _unknown(name, "the engine that made it keeps its own")
        return columns_of_spark(schema, name)
    serde = (row.serde_library or "").rpartition(".")[2]
    if serde == _OF_STRINGS:
        return (*(Column(column.name, "string") for column in row.columns), *row.partition_keys)
    is_true = serde in _TRUE_TO_THE_ROW or (serde == _AVRO and _is_true_in_avro(row))
    if serde and not row.is_view and not is_true:
        raise _unknown(name, f"its rows are read by {serde}, which decides about them itself")
    return columns


def _is_true_in_avro(row: Row) -> bool:
    said = (*row.parameters, *row.serde_parameters)
    return not any(key.startswith("avro.schema.") for key in said) and not any(
        _NOT_IN_AVRO.search(column.type) for column in row.columns
    )


def _spark_schema(row: Row) -> str | None:
    whole, count = row.parameters.get(_SPARK_SCHEMA), row.parameters.get(f"{_SPARK_SCHEMA}.numParts", "")
    if row.is_view or whole or not count.isdecimal():
        return None if row.is_view else whole
    parts = [row.parameters.get(f"{_SPARK_SCHEMA}.part.{number}") for number in range(int(count))]
    return None if None in parts else "".join(map(str, parts))


def _unknown(table: str, why: str) -> UncertainColumnsError:
    return UncertainColumnsError(
        f"The metastore does not know the columns of {table}: {why}.", remedy=GIVE_COLUMNS, table=table
    )
