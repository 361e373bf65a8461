"""The columns of a Delta table, from the newest schema in its log."""

from __future__ import annotations

import json
import re
from typing import Any

from hive_views.base_tables.delta.log import DeltaLog
from hive_views.base_tables.delta.state import DeltaState
from hive_views.errors import CorruptMetadataError
from hive_views.hive.row import Column
from hive_views.hive.types import HiveType, parse_hive_type, spelled_type
from hive_views.storage.files import Files

# Delta protocol, "Primitive Types"; those that have the same name in Hive are left out.
_TO_HIVE = {"long": "bigint", "integer": "int", "short": "smallint", "byte": "tinyint"}
_DECIMAL = re.compile(r"decimal\((\d+), *(\d+)\)")
# Delta has only strings; Spark keeps CHAR and VARCHAR here (CharVarcharUtils).
_CHAR_OR_VARCHAR = "__CHAR_VARCHAR_TYPE_STRING"


def columns_of_delta(table: str, location: str, files: Files) -> tuple[Column, ...]:
    """The columns in the order of the schema, in which partition columns may stand anywhere.

    It takes a listing of the log and its newest commit, mostly; the checksum beside that, or older commits, where it
    says nothing of the schema; and the library ``deltalake`` where only a checkpoint does.

    Raises:
        NoSuchTableError: there is no log.
        CorruptMetadataError: it is broken.
        UnsupportedFeatureError: only a checkpoint says it, and ``deltalake`` is not installed.
        StorageUnavailableError: the storage failed or refused.
    """
    log = DeltaLog(table, location, files)
    version = log.newest_version()
    schema = log.schema(version) or DeltaState(table, location, files, version).schema
    return columns_of_spark(schema, table)


def columns_of_spark(schema: str, table: str) -> tuple[Column, ...]:
    """The columns in the JSON that Spark writes of a schema, as Delta's log has it and the rows of Spark's own tables.

    Raises:
        CorruptMetadataError: it is none.
    """
    try:
        return tuple(_column(field) for field in json.loads(schema)["fields"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as e:
        problem = f"it is broken ({type(e).__name__}: {e})"
        raise CorruptMetadataError(f"Cannot read the schema of {table}: {problem}.", table=table) from e


def _column(field: dict[str, Any]) -> Column:
    metadata = field.get("metadata") or {}
    exact = metadata.get(_CHAR_OR_VARCHAR)
    type_ = parse_hive_type(exact) if exact else _hive_type(field["type"])
    return Column(field["name"], spelled_type(type_), metadata.get("comment") or None)


def _hive_type(type_: Any) -> HiveType:
    if isinstance(type_, str):
        decimal = _DECIMAL.fullmatch(type_)
        sizes = (int(decimal[1]), int(decimal[2])) if decimal else ()
        return HiveType("decimal" if decimal else _TO_HIVE.get(type_, type_), sizes)
    match type_["type"]:
        case "array":
            return HiveType("array", parts=(_hive_type(type_["elementType"]),))
        case "map":
            return HiveType("map", parts=(_hive_type(type_["keyType"]), _hive_type(type_["valueType"])))
        case "struct":
            fields = type_["fields"]
            parts = tuple(_hive_type(field["type"]) for field in fields)
            return HiveType("struct", parts=parts, field_names=tuple(field["name"] for field in fields))
        case other:
            return HiveType(str(other))
