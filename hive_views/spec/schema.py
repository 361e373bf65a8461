"""Schemas of a view: fields and Iceberg types, as the JSON of the spec writes them.

The models keep fields they do not know, so that a file written by a newer engine survives a round trip.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)


def _kebab(name: str) -> str:
    return name.replace("_", "-")


class SpecModel(BaseModel):
    """A JSON object of the spec: immutable, strict about types, tolerant of keys from later versions."""

    model_config = ConfigDict(
        frozen=True,
        strict=True,
        extra="allow",
        alias_generator=_kebab,
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
    )

    @model_serializer(mode="wrap")
    def _leave_out_what_is_unset(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        written: dict[str, Any] = write(self)
        # Only our own optional fields: a null under an unknown key is data of another program.
        for key in _optional_keys(type(self)):
            if written.get(key, self) is None:
                del written[key]
        return written


@cache
def _optional_keys(model: type[SpecModel]) -> tuple[str, ...]:
    return tuple(_kebab(name) for name, field in model.model_fields.items() if not field.is_required())


Int32 = Annotated[int, Field(ge=-(2**31), lt=2**31)]
"""Ids are Java's int: a larger one is a file that no engine can read."""

_PRIMITIVE = re.compile(
    r"boolean|int|long|float|double|date|time|timestamp|timestamptz|timestamp_ns|timestamptz_ns|string|uuid|binary"
    r"|variant|unknown|decimal\(\s*[0-9]{1,9}\s*,\s*[0-9]{1,9}\s*\)|fixed\[\s*[0-9]{1,9}\s*\]|geometry(?:\(.*\))?|geography(?:\(.*\))?"
)


def _as_primitive(value: Any) -> Any:
    if isinstance(value, str) and _PRIMITIVE.fullmatch(value):
        return value
    raise ValueError(f"{value!r} is not a primitive type of the Iceberg spec")


PrimitiveType = Annotated[str, BeforeValidator(_as_primitive)]
"""The spec's own spelling: ``long``, ``decimal(10, 2)``, ``fixed[16]``."""


class ListType(SpecModel):
    """A list; the element has a field id of its own."""

    type: Literal["list"] = "list"
    element_id: int
    element: IcebergType
    element_required: bool = False


class MapType(SpecModel):
    """A map; key and value have field ids of their own."""

    type: Literal["map"] = "map"
    key_id: int
    key: IcebergType
    value_id: int
    value: IcebergType
    value_required: bool = False


class NestedField(SpecModel):
    """One column, or one field of a struct.

    ``doc`` is the column's comment. Ids are unique in a schema and may start from 0 (Spark writes them so).
    """

    id: Int32
    name: str
    required: bool = False
    type: IcebergType
    doc: str | None = None


class StructType(SpecModel):
    """A struct of named fields."""

    type: Literal["struct"] = "struct"
    fields: Annotated[tuple[NestedField, ...], Field(strict=False)]


def _read_type(value: Any) -> Any:
    # A union of models would report every branch's complaint; the "type" key says which branch is meant.
    if isinstance(value, dict):
        models: dict[str, type[SpecModel]] = {"struct": StructType, "list": ListType, "map": MapType}
        kind = value.get("type")
        # Of others' JSON: a list cannot be looked up.
        if not isinstance(kind, str) or kind not in models:
            raise ValueError(f"{kind!r} is not a nested type of the Iceberg spec (struct, list, map)")
        return models[kind].model_validate(value)
    if isinstance(value, (StructType, ListType, MapType)):
        return value
    return _as_primitive(value)


def _write_type(value: Any) -> Any:
    return value if isinstance(value, str) else value.model_dump()


IcebergType = Annotated[
    str | StructType | ListType | MapType, BeforeValidator(_read_type), PlainSerializer(_write_type)
]
"""A primitive type's name, or a struct, list or map."""


class Schema(SpecModel):
    """The columns of a view at one version, partition columns last."""

    type: Literal["struct"] = "struct"
    schema_id: Int32
    identifier_field_ids: Annotated[tuple[int, ...] | None, Field(strict=False)] = None
    fields: Annotated[tuple[NestedField, ...], Field(strict=False)]

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Schema:
        seen: set[int] = set()
        for _, field_id in ids_by_path(self.fields):
            if field_id in seen:
                raise ValueError(f"field id {field_id} is used twice")
            seen.add(field_id)
        return self

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(field.name for field in self.fields)

    def same_columns(self, other: Schema) -> bool:
        """Equal apart from the schema id: ids, names, types, comments and identifier fields all count."""
        return self.model_dump(exclude={"schema_id"}) == other.model_dump(exclude={"schema_id"})


def ids_by_path(fields: Sequence[NestedField], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], int]]:
    """The ids of fields and of all below them, by their names in lower case, ``element``, ``key`` and ``value``."""
    for field in fields:
        here = (*path, field.name.lower())
        yield here, field.id
        yield from _ids_inside(field.type, here)


def _ids_inside(type_: IcebergType, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], int]]:
    if isinstance(type_, StructType):
        yield from ids_by_path(type_.fields, path)
    elif isinstance(type_, ListType):
        yield (*path, "element"), type_.element_id
        yield from _ids_inside(type_.element, (*path, "element"))
    elif isinstance(type_, MapType):
        yield (*path, "key"), type_.key_id
        yield (*path, "value"), type_.value_id
        yield from _ids_inside(type_.key, (*path, "key"))
        yield from _ids_inside(type_.value, (*path, "value"))


for _model in (ListType, MapType, NestedField, StructType, Schema):
    _model.model_rebuild()
