"""The partition columns of a Delta table, and its values in Hive's spelling."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hive_views.base_tables.port import PartitionValues
from hive_views.errors import UnsupportedFeatureError
from hive_views.hive.conversion import spelled_or_text
from hive_views.hive.row import Column
from hive_views.hive.types import parse_hive_type

# Delta protocol, "Primitive Types"; those that can be partition columns.
_TO_HIVE = {
    "string": "string",
    "long": "bigint",
    "integer": "int",
    "short": "smallint",
    "byte": "tinyint",
    "float": "float",
    "double": "double",
    "boolean": "boolean",
    "date": "date",
    "timestamp": "timestamp",
    "timestamp_ntz": "timestamp",
}
# Delta has only strings; Spark keeps CHAR and VARCHAR here (CharVarcharUtils).
_CHAR_OR_VARCHAR = "__CHAR_VARCHAR_TYPE_STRING"
_PHYSICAL_NAME = "delta.columnMapping.physicalName"


@dataclass(frozen=True)
class PartitionColumns:
    """The partition columns of one version of a table.

    Attributes:
        keys: with Hive's types.
        physical_names: what the log calls them; with column mapping, not what users do.
    """

    keys: tuple[Column, ...]
    physical_names: tuple[str, ...]

    @staticmethod
    def of(table: str, schema: str, names: Sequence[str]) -> PartitionColumns:
        """Read from Delta's schema (JSON) and the names of the partition columns.

        Raises:
            UnsupportedFeatureError: a partition column has a type whose values have no text in Hive.
        """
        fields = {field["name"]: field for field in json.loads(schema)["fields"]}
        columns = [fields[name] for name in names]
        return PartitionColumns(
            tuple(Column(field["name"], _hive_type(table, field)) for field in columns),
            tuple(field.get("metadata", {}).get(_PHYSICAL_NAME, field["name"]) for field in columns),
        )

    def spell(self, by_physical_name: Mapping[str, str | None]) -> PartitionValues:
        """The values in an action of the log."""
        pairs = zip(self.physical_names, self.spellers(), strict=True)
        return tuple(speller(by_physical_name.get(name)) for name, speller in pairs)

    def spellers(self) -> list[Callable[[Any], str | None]]:
        """For each column, what makes Hive's text of a value of the log, or of Arrow."""
        return [_speller(key.type) for key in self.keys]


def _hive_type(table: str, field: Mapping[str, Any]) -> str:
    type_ = field["type"]
    hive_type = type_ if str(type_).startswith("decimal(") else _TO_HIVE.get(str(type_))
    if hive_type is None:
        raise UnsupportedFeatureError(
            f"Cannot list the partitions of {table}: its partition column {field['name']} has the Delta type {type_}, "
            f"whose values cannot be written in Hive.",
            table=table,
        )
    return str(parse_hive_type(field.get("metadata", {}).get(_CHAR_OR_VARCHAR, hive_type)))


def _speller(hive_type: str) -> Callable[[Any], str | None]:
    type_ = parse_hive_type(hive_type)

    def spell(value: Any) -> str | None:
        if value is None or value == "":
            return None  # Delta protocol, "Partition Value Serialization": an empty text is NULL
        if isinstance(value, str) and type_.name == "timestamp":
            # The log may have ISO 8601 in UTC.
            value = value.replace("T", " ").removesuffix("Z")
        return spelled_or_text(value, type_)

    return spell
