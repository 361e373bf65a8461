"""How names of views and texts of queries are written in the JSON of a plan, and read again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import GetCoreSchemaHandler, GetPydanticSchema
from pydantic_core import CoreSchema, core_schema

from hive_views.spec.identifiers import TableIdentifier
from hive_views.sql.query import QueryText
from hive_views.views.version_diff import Difference, Differences


def _name(_: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
    as_text = core_schema.plain_serializer_function_ser_schema(str)
    return core_schema.no_info_after_validator_function(TableIdentifier.of, handler(str), serialization=as_text)


def _texts(_: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
    def read(texts: Mapping[str, str]) -> Mapping[str, QueryText]:
        return {dialect: QueryText(text, dialect) for dialect, text in texts.items()}

    def written(texts: Mapping[str, QueryText]) -> dict[str, str]:
        return {dialect: str(text) for dialect, text in texts.items()}

    as_texts = core_schema.plain_serializer_function_ser_schema(written)
    return core_schema.no_info_after_validator_function(read, handler(dict[str, str]), serialization=as_texts)


def _differences(_: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
    return core_schema.no_info_after_validator_function(Differences, handler(tuple[Difference, ...]))


ViewName = Annotated[TableIdentifier, GetPydanticSchema(_name)]
"""``namespace.name``."""

Texts = Annotated[Mapping[str, QueryText], GetPydanticSchema(_texts)]
"""Queries by dialect."""

ShownDifferences = Annotated[Differences, GetPydanticSchema(_differences)]
