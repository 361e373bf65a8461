"""Rows of Iceberg views that Hive itself made (HIVE-29578): Hive reads text and columns from the metadata file."""

from __future__ import annotations

from dataclasses import replace

from hive_views.errors import HiveViewsError, InvalidInputError
from hive_views.hive.row import POINTER, STORAGE_HANDLER, Row
from hive_views.messages.enumerated import all_of
from hive_views.persisted import PARTITIONED_ON
from hive_views.spec.metadata import ViewMetadata
from hive_views.sql.query import QueryText
from hive_views.sql.tables import unqualified_tables
from hive_views.views import remedies

_HANDLER = "org.apache.iceberg.mr.hive.HiveIcebergStorageHandler"


def is_read_from_file(row: Row) -> bool:
    """Whether Hive takes the text of a view from its metadata file, not from this row of it."""
    return row.parameters.get(STORAGE_HANDLER) == _HANDLER and POINTER in row.parameters


def misread_by_hive(row: Row, metadata: ViewMetadata) -> str | None:
    """Why Hive does not read from the metadata file what others read from the row; None where it does.

    Hive has no current database there, and knows no partition columns of such a view.
    """
    if not is_read_from_file(row):
        return None
    if PARTITIONED_ON in metadata.properties:
        return "such a view cannot have partitions"
    text = metadata.current_version.sql_in("hive")
    if text is None:
        return "it needs SQL in dialect 'hive'"
    try:
        short = unqualified_tables(QueryText(text.sql, "hive"))
    except HiveViewsError as e:
        return e.message
    return f"the SQL in dialect 'hive' needs the database of {all_of(short)} before the name" if short else None


def read_from_row(row: Row) -> Row:
    """The row without the handler, so that Hive reads the view from it."""
    if not is_read_from_file(row):
        return row
    return replace(row, parameters={key: value for key, value in row.parameters.items() if key != STORAGE_HANDLER})


def row_to_keep(row: Row, before: ViewMetadata, after: ViewMetadata, *, takes_over: bool) -> Row:
    """The row of a view, as a change of its metadata keeps it.

    Args:
        takes_over: whether Hive is to read the row itself from now on, as it does those of this library.

    Raises:
        InvalidInputError: Hive could not read the view from its file after the change, and could before; or the view
            would get partition columns.
    """
    if takes_over or not is_read_from_file(row):
        return read_from_row(row)
    problem = misread_by_hive(row, after)
    gets_partitions = PARTITIONED_ON in after.properties and PARTITIONED_ON not in before.properties
    if problem and (gets_partitions or misread_by_hive(row, before) is None):
        name = str(row.identifier)
        raise InvalidInputError(
            f"{name} is an Iceberg view of Hive's own (its row has {STORAGE_HANDLER}), whose SQL Hive reads from the "
            f"metadata file: {problem}.",
            remedy=remedies.take_over_from_hive(name),
            identifier=name,
        )
    return row
