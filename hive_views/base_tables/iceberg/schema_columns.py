"""The columns of an Iceberg table, from the current schema in its metadata file."""

from __future__ import annotations

import re
from typing import Any

from hive_views.base_tables.iceberg.table_metadata import read_metadata, reading_metadata
from hive_views.hive.row import Column
from hive_views.hive.types import HiveType, spelled_type
from hive_views.storage.files import Files

# Table spec, "Primitive Types"; those that have the same name in Hive are left out. Spark calls a timestamp without a
# zone timestamp_ntz, which Hive does not have.
_TO_HIVE = {
    "long": "bigint",
    "uuid": "string",
    "timestamp": "timestamp_ntz",
    "timestamptz": "timestamp with local time zone",
}
_DECIMAL = re.compile(r"decimal\(\s*(\d+)\s*,\s*(\d+)\s*\)")


def columns_of_iceberg(table: str, metadata_location: str, files: Files) -> tuple[Column, ...]:
    """The columns in the order of the schema, from one file.

    Raises:
        CorruptMetadataError: the file is missing, or not what the table spec says.
        UnsupportedFeatureError: it is of a format version that cannot be read.
        StorageUnavailableError: the storage failed or refused.
    """
    content = read_metadata(files, metadata_location, table)
    with reading_metadata(content, metadata_location, table) as fields:
        # Format version 1 may have one schema only.
        schemas = fields.get("schemas") or [fields["schema"]]
        current = fields.get("current-schema-id", schemas[-1].get("schema-id"))
        schema = next(one for one in schemas if one.get("schema-id") == current)
        return tuple(_column(field) for field in schema["fields"])


def _column(field: dict[str, Any]) -> Column:
    return Column(field["name"], spelled_type(_hive_type(field["type"])), field.get("doc") or None)


def _hive_type(type_: Any) -> HiveType:
    if isinstance(type_, str):
        decimal = _DECIMAL.fullmatch(type_)
        if decimal:
            return HiveType("decimal", (int(decimal[1]), int(decimal[2])))
        return HiveType("binary" if type_.startswith("fixed[") else _TO_HIVE.get(type_, type_))
    match type_["type"]:
        case "list":
            return HiveType("array", parts=(_hive_type(type_["element"]),))
        case "map":
            return HiveType("map", parts=(_hive_type(type_["key"]), _hive_type(type_["value"])))
        case "struct":
            fields = type_["fields"]
            parts = tuple(_hive_type(field["type"]) for field in fields)
            return HiveType("struct", parts=parts, field_names=tuple(field["name"] for field in fields))
        case other:
            return HiveType(str(other))
