"""The rows of DESCRIBE, EXTENDED and FORMATTED."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timezone

from hive_views.ddl.result import Row
from hive_views.hive.row import Column, Partition
from hive_views.views.view import View

_HEADINGS: Row = ("# col_name", "data_type", "comment")
_EMPTY: Row = ("", None, None)


def described(view: View, *, with_headings: bool) -> list[Row]:
    """The columns, then the partition columns again; FORMATTED has headings and lists each column once."""
    data, keys = view.columns[: len(view.columns) - len(view.partition_keys)], view.partition_keys
    rows: list[Row] = [_HEADINGS] if with_headings else []
    rows += map(_row, data if with_headings else view.columns)
    if keys:
        rows += [_EMPTY, ("# Partition Information", None, None), _HEADINGS, *map(_row, keys)]
    return rows


def details_of_view(view: View, *, formatted: bool) -> list[Row]:
    """What EXTENDED and FORMATTED add."""
    row = view.row
    if not formatted:
        fields = {
            "tableName": row.identifier.name,
            "dbName": row.identifier.namespace,
            "owner": row.owner or "",
            "createTime": str(row.create_time_s),
            "sd": f"StorageDescriptor(cols:{_fields(row.columns)}, location:{_null(row.location)}, "
            f"inputFormat:{_null(row.input_format)}, outputFormat:{_null(row.output_format)})",
            "partitionKeys": _fields(row.partition_keys),
            "parameters": _parameters_text(row.parameters),
            "viewOriginalText": _null(row.original_text),
            "viewExpandedText": _null(row.expanded_text),
            "tableType": row.table_type,
        }
        return [_EMPTY, ("Detailed Table Information", f"Table({_listed(fields)})", "")]
    return [
        _EMPTY,
        ("# Detailed Table Information", None, None),
        ("Database:", row.identifier.namespace, None),
        ("OwnerType:", "USER", None),
        ("Owner:", row.owner or "", None),
        ("CreateTime:", _time(row.create_time_s), None),
        ("LastAccessTime:", "UNKNOWN", None),
        ("Retention:", "0", None),
        ("Table Type:", row.table_type, None),
        *_parameter_rows("Table Parameters:", row.parameters),
        _EMPTY,
        ("# Storage Information", None, None),
        ("SerDe Library:", row.serde_library or "null", None),
        ("InputFormat:", _null(row.input_format), None),
        ("OutputFormat:", _null(row.output_format), None),
        ("Compressed:", "No", None),
        ("Num Buckets:", "-1", None),
        ("Bucket Columns:", "[]", None),
        ("Sort Columns:", "[]", None),
        _EMPTY,
        ("# View Information", None, None),
        ("Original Query:", _null(row.original_text), None),
        ("Expanded Query:", _null(row.expanded_text), None),
    ]


def details_of_partition(view: View, partition: Partition, *, formatted: bool) -> list[Row]:
    """What EXTENDED and FORMATTED add for one partition, which has no storage."""
    name = view.identifier
    values = f"[{', '.join(partition.values)}]"
    if not formatted:
        fields = {
            "values": values,
            "dbName": name.namespace,
            "tableName": name.name,
            "createTime": str(partition.create_time_s),
            "parameters": _parameters_text(partition.parameters),
        }
        return [_EMPTY, ("Detailed Partition Information", f"Partition({_listed(fields)})", "")]
    return [
        _EMPTY,
        ("# Detailed Partition Information", None, None),
        ("Partition Value:", values, None),
        ("Database:", name.namespace, None),
        ("Table:", name.name, None),
        ("CreateTime:", _time(partition.create_time_s), None),
        ("LastAccessTime:", "UNKNOWN", None),
        *_parameter_rows("Partition Parameters:", partition.parameters),
    ]


def _row(column: Column) -> Row:
    return (column.name, column.type, column.comment)


def _parameter_rows(heading: str, parameters: Mapping[str, str]) -> Iterator[Row]:
    yield heading, None, None
    for key, value in sorted(parameters.items()):
        yield "", key, value


def _parameters_text(parameters: Mapping[str, str]) -> str:
    return "{" + ", ".join(f"{key}={value}" for key, value in sorted(parameters.items())) + "}"


def _fields(columns: Sequence[Column]) -> str:
    schemas = (f"FieldSchema(name:{one.name}, type:{one.type}, comment:{_null(one.comment)})" for one in columns)
    return f"[{', '.join(schemas)}]"


def _listed(fields: Mapping[str, str]) -> str:
    return ", ".join(f"{name}:{value}" for name, value in fields.items())


def _null(text: str | None) -> str:
    return "null" if text is None else text


def _time(seconds: int) -> str:
    """As java.util.Date writes it, in UTC."""
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%a %b %d %H:%M:%S UTC %Y")
