"""The columns of a Paimon table, from its newest schema file."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from hive_views.base_tables.paimon.keys import hive_type_of
from hive_views.base_tables.paimon.snapshots import SnapshotFiles
from hive_views.errors import CorruptMetadataError, UnsupportedFeatureError
from hive_views.hive.row import Column
from hive_views.hive.types import HiveType, parse_hive_type, spelled_type
from hive_views.storage.files import Files


def columns_of_paimon(table: str, location: str, files: Files) -> tuple[Column, ...]:
    """The columns in the order of the schema, from a listing and one file.

    Raises:
        NoSuchTableError: there is no schema.
        CorruptMetadataError: it is broken.
        UnsupportedFeatureError: a newer Paimon wrote it.
        StorageUnavailableError: the storage failed or refused.
    """
    fields = SnapshotFiles(files, location.rstrip("/"), table).newest_fields()
    try:
        return tuple(_column(field, table) for field in fields)
    except (KeyError, TypeError, AttributeError, RecursionError) as e:
        raise CorruptMetadataError(
            f"Cannot read the newest schema of the Paimon table {table}: it is broken ({type(e).__name__}: {e}).",
            table=table,
            location=location,
        ) from e


def _column(field: dict[str, Any], table: str) -> Column:
    type_ = _hive_type(field["type"], field["name"], table)
    return Column(field["name"], spelled_type(type_), field.get("description") or None)


def _hive_type(type_: Any, column: str, table: str) -> HiveType:
    """A Hive type; the names of types that Hive does not have are Paimon's, and Spark's for both kinds of timestamp."""
    if isinstance(type_, str):
        return _of_one_value(type_, column, table)
    match type_["type"].split()[0]:
        case "ARRAY":
            return HiveType("array", parts=(_hive_type(type_["element"], column, table),))
        case "MAP":
            return HiveType(
                "map", parts=(_hive_type(type_["key"], column, table), _hive_type(type_["value"], column, table))
            )
        case "ROW":
            fields = type_["fields"]
            parts = tuple(_hive_type(field["type"], column, table) for field in fields)
            return HiveType("struct", parts=parts, field_names=tuple(field["name"] for field in fields))
        case other:
            return HiveType(str(other).lower())


def _of_one_value(type_: str, column: str, table: str) -> HiveType:
    text = type_.upper().removesuffix(" NOT NULL")
    if text.startswith("TIMESTAMP"):
        is_zoned = text.startswith("TIMESTAMP_LTZ") or text.endswith("WITH LOCAL TIME ZONE")
        return HiveType("timestamp with local time zone" if is_zoned else "timestamp_ntz")
    if text.startswith(("BYTES", "BINARY", "VARBINARY")):
        return HiveType("binary")
    with suppress(UnsupportedFeatureError):
        return parse_hive_type(hive_type_of(text, column=column, table=table))
    return HiveType(text.lower())
