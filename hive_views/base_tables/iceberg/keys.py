"""The partition columns of an Iceberg table: what its partition spec makes of columns, as Hive would have it.

A table keeps the files of older specs as they are. The columns are those of the spec that writers use now; what files
of an older spec have no value for is None.
"""

from __future__ import annotations

import base64
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, time, timedelta
from functools import cache
from typing import Any

from hive_views.base_tables.port import PartitionValues
from hive_views.hive.conversion import spelled_or_text, spelled_since_1970
from hive_views.hive.row import Column
from hive_views.hive.types import parse_hive_type

_HIVE_TYPES = {"long": "bigint", "timestamptz": "timestamp", "timestamp_ns": "timestamp", "timestamptz_ns": "timestamp"}
_SAME_IN_HIVE = frozenset(("boolean", "int", "float", "double", "date", "timestamp"))
# Counts since 1970, for which Iceberg has a text of its own.
_TEXTS = frozenset(("year", "month", "hour"))

Speller = Callable[[Any], str]


@dataclass(frozen=True)
class _Key:
    """A partition field of the newest spec; fields of one ``source_id`` and ``transform`` hold the same values."""

    column: Column
    source_id: int
    transform: str
    spell: Speller


class PartitionKeys:
    """The partition columns of a table, and its partitions' values in them.

    Attributes:
        fields_of: the ids of the partition fields of each spec, in its order.
        unpartitioned: the ids of specs without partitions: those without fields, and those whose fields are all void,
            which is how tables of format version 1 drop them.
        merged: the partition fields of all specs as Iceberg's metadata tables put them into one: their ids, ascending,
            with the names that the newest spec has for them; without those whose column was dropped.
    """

    def __init__(self, metadata: Any) -> None:
        self._keys = tuple(key for key in (_key(metadata, field) for field in metadata.spec().fields) if key)
        self.columns = tuple(key.column for key in self._keys)
        self._field_ids: Mapping[int, Mapping[tuple[int, str], int]] = {
            spec.spec_id: {(field.source_id, str(field.transform)): field.field_id for field in spec.fields}
            for spec in metadata.partition_specs
        }
        self.fields_of = {
            spec.spec_id: tuple([one.field_id for one in spec.fields]) for spec in metadata.partition_specs
        }
        self.unpartitioned = frozenset(
            spec.spec_id
            for spec in metadata.partition_specs
            if all(str(field.transform) == "void" for field in spec.fields)
        )
        self.merged = _merged(metadata)
        self._readers: dict[tuple[int, tuple[int, ...]], Callable[[tuple[Any, ...]], PartitionValues]] = {}

    def reader(self, spec_id: int, field_ids: tuple[int, ...]) -> Callable[[tuple[Any, ...]], PartitionValues]:
        """What turns partitions, as a manifest of this spec has them with these fields, into values of the columns."""
        known = (spec_id, field_ids)
        if known not in self._readers:
            of_field = self._field_ids.get(spec_id, {})
            wanted = [of_field.get((key.source_id, key.transform)) for key in self._keys]
            places = [field_ids.index(one) if one in field_ids else None for one in wanted]

            @cache
            def read(partition: tuple[Any, ...]) -> PartitionValues:
                values = [None if at is None else partition[at] for at in places]
                pairs = zip(self._keys, values, strict=True)
                return tuple([None if value is None else key.spell(value) for key, value in pairs])

            self._readers[known] = read
        return self._readers[known]


def _merged(metadata: Any) -> Mapping[int, str]:
    schema = metadata.schema()
    specs = sorted(metadata.partition_specs, key=lambda spec: int(spec.spec_id))
    fields = [field for spec in specs for field in spec.fields]
    names = {one.field_id: one.name for one in fields if schema.find_column_name(one.source_id) is not None}
    return dict(sorted(names.items()))


def _key(metadata: Any, field: Any) -> _Key | None:
    """None for a field that has no values any more (void), or whose transform nobody here knows."""
    transform = str(field.transform)
    name = transform.partition("[")[0]
    if name == "day":
        type_, spell = "date", _speller("date", "date")
    elif name in _TEXTS:
        source = _source_type(metadata, field.source_id)
        type_, spell = "string", lambda value: str(field.transform.to_human_string(source, value))
    elif name == "bucket":
        type_, spell = "int", str
    elif name in ("identity", "truncate"):
        source = str(_source_type(metadata, field.source_id))
        type_ = _hive_type(source)
        spell = _speller(type_, source)
    else:
        return None
    return _Key(Column(field.name, type_), field.source_id, transform, cache(spell))


def _source_type(metadata: Any, field_id: int) -> Any:
    """The type of a column; one that was dropped is still in an older schema."""
    current = metadata.schema()
    for schema in (current, *reversed(metadata.schemas)):
        if schema.find_column_name(field_id) is not None:
            return schema.find_type(field_id)
    return "string"


def _hive_type(iceberg_type: str) -> str:
    if iceberg_type.startswith("decimal"):
        return iceberg_type.replace(" ", "")
    return _HIVE_TYPES.get(iceberg_type, iceberg_type if iceberg_type in _SAME_IN_HIVE else "string")


def _speller(hive_type: str, iceberg_type: str) -> Speller:
    type_ = parse_hive_type(hive_type)

    def spell(value: Any) -> str:
        if type_.name == "string":
            return _text(value, iceberg_type)
        if type_.name == "timestamp" and isinstance(value, int):
            return spelled_since_1970(value * (1 if iceberg_type.endswith("_ns") else 1000))
        if type_.name == "date" and isinstance(value, int):
            value = date(1970, 1, 1) + timedelta(days=value)
        return spelled_or_text(value, type_)

    return spell


def _text(value: Any, iceberg_type: str) -> str:
    """A string is itself; a value of a type that Hive has not is as Iceberg writes it for people."""
    if isinstance(value, bytes):
        return str(uuid.UUID(bytes=value)) if iceberg_type == "uuid" else base64.b64encode(value).decode("ascii")
    return value.isoformat() if isinstance(value, (date, time)) else str(value)
