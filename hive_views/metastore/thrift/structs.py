"""Rows and partitions as Thrift structs and back.

Writing a row back starts from a copy of the struct it was read from, so that every field of it survives.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable

from hive_views.hive.row import DDL_TIME, Column, Partition, Row
from hive_views.metastore.thrift._bindings.hms import ttypes
from hive_views.spec.identifiers import TableIdentifier


def to_row(table: ttypes.Table) -> Row:
    """The row of a table as a server sent it."""
    sd = table.sd or ttypes.StorageDescriptor()
    serde = sd.serdeInfo or ttypes.SerDeInfo()
    return Row(
        identifier=TableIdentifier(table.dbName, table.tableName),
        table_type=table.tableType or "",
        owner=table.owner,
        location=sd.location or None,
        columns=_to_columns(sd.cols),
        partition_keys=_to_columns(table.partitionKeys),
        input_format=sd.inputFormat,
        output_format=sd.outputFormat,
        serde_library=serde.serializationLib,
        serde_parameters=serde.parameters or {},
        original_text=table.viewOriginalText,
        expanded_text=table.viewExpandedText,
        parameters=table.parameters or {},
        create_time_s=table.createTime or 0,
        native=table,
    )


def from_row(row: Row) -> ttypes.Table:
    """The struct to write for a row: the one it was read from with new fields, or a new one as Hive creates it."""
    table = copy.copy(row.native) if row.native is not None else _new_table()
    table.sd = copy.copy(table.sd) if table.sd is not None else _new_descriptor()
    table.sd.serdeInfo = copy.copy(table.sd.serdeInfo) if table.sd.serdeInfo is not None else ttypes.SerDeInfo()
    table.dbName, table.tableName = row.identifier.namespace, row.identifier.name
    table.tableType = row.table_type
    table.owner = row.owner
    table.viewOriginalText, table.viewExpandedText = row.original_text, row.expanded_text
    table.parameters = dict(row.parameters)
    # A server takes None for "no keys" and makes the view an unpartitioned one.
    table.partitionKeys = _from_columns(row.partition_keys, table.partitionKeys)
    table.sd.cols = _from_columns(row.columns, table.sd.cols)
    # Trino's views have an empty one, which is none.
    table.sd.location = row.location or ("" if table.sd.location == "" else None)
    table.sd.inputFormat, table.sd.outputFormat = row.input_format, row.output_format
    table.sd.serdeInfo.serializationLib = row.serde_library
    if row.native is None:
        table.sd.serdeInfo.parameters = dict(row.serde_parameters) or None
    return table


def to_partition(partition: ttypes.Partition) -> Partition:
    """The partition as a server sent it."""
    return Partition(
        values=tuple(partition.values),
        parameters=partition.parameters or {},
        create_time_s=partition.createTime or 0,
        has_descriptor=partition.sd is not None,
        location=(partition.sd.location or None) if partition.sd is not None else None,
        native=partition,
    )


def from_partition(identifier: TableIdentifier, partition: Partition) -> ttypes.Partition:
    """The struct to write for a partition: without a storage descriptor, or with an empty one where that is forced."""
    struct: ttypes.Partition = copy.copy(partition.native)
    if struct is None:
        # The smallest descriptor that Hive 2.3 to 4.2 accept, and can alter afterwards.
        sd = None
        if partition.has_descriptor:
            sd = ttypes.StorageDescriptor(cols=[], location=partition.location, serdeInfo=ttypes.SerDeInfo())
        struct = ttypes.Partition(values=list(partition.values), sd=sd)
    struct.dbName, struct.tableName = identifier.namespace, identifier.name
    # The server sets it to now where it is missing, and keeps it where it is not.
    struct.parameters = {key: value for key, value in partition.parameters.items() if key != DDL_TIME}
    return struct


def _new_table() -> ttypes.Table:
    return ttypes.Table(retention=0, sd=_new_descriptor())


def _new_descriptor() -> ttypes.StorageDescriptor:
    return ttypes.StorageDescriptor(
        compressed=False, numBuckets=-1, serdeInfo=ttypes.SerDeInfo(), bucketCols=[], sortCols=[], parameters={}
    )


def _to_columns(fields: Iterable[ttypes.FieldSchema] | None) -> tuple[Column, ...]:
    return tuple(Column(field.name, field.type, field.comment or None) for field in fields or ())


def _from_columns(
    columns: Iterable[Column], found: Iterable[ttypes.FieldSchema] | None = None
) -> list[ttypes.FieldSchema]:
    """The columns to write; unchanged ones keep the spelling in which they were ``found``."""
    known = {column: field for field in found or () for column in _to_columns([field])}
    # Hive 2.3 refuses a type in capitals; an empty comment is one, and shows.
    return [
        known.get(column) or ttypes.FieldSchema(column.name.lower(), column.type.lower(), column.comment or None)
        for column in columns
    ]
