"""The content of a metadata file: views, versions, representations, version log."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, PlainSerializer

from hive_views.errors import NoSuchVersionError
from hive_views.spec.schema import Int32, Schema, SpecModel

FORMAT_VERSION: Literal[1] = 1


class SQLViewRepresentation(SpecModel):
    """One query text in one SQL dialect."""

    type: Literal["sql"] = "sql"
    sql: str
    dialect: str


class UnknownViewRepresentation(SpecModel):
    """A representation of a type this library does not know; kept as found."""

    type: str


def _read_representation(value: Any) -> Any:
    if isinstance(value, (SQLViewRepresentation, UnknownViewRepresentation)):
        return value
    if isinstance(value, dict) and isinstance(value.get("type"), str) and value["type"].lower() == "sql":
        return SQLViewRepresentation.model_validate({**value, "type": "sql"})
    return UnknownViewRepresentation.model_validate(value)


ViewRepresentation = Annotated[
    SQLViewRepresentation | UnknownViewRepresentation,
    BeforeValidator(_read_representation),
    PlainSerializer(lambda value: value.model_dump()),
]


class ViewVersion(SpecModel):
    """One version of a view: its texts, its columns (by schema id) and where its names resolve."""

    version_id: Int32
    timestamp_ms: int
    schema_id: Int32
    summary: dict[str, str]
    default_catalog: str | None = None
    default_namespace: Annotated[tuple[str, ...], Field(strict=False)]
    representations: Annotated[tuple[ViewRepresentation, ...], Field(strict=False)]

    @property
    def sql_representations(self) -> tuple[SQLViewRepresentation, ...]:
        return tuple(r for r in self.representations if isinstance(r, SQLViewRepresentation))

    @property
    def dialects(self) -> tuple[str, ...]:
        """The dialects of the SQL texts in lower case, in the order of the file."""
        return tuple(r.dialect.lower() for r in self.sql_representations)

    def namespace_or(self, default: str) -> str:
        """The namespace in which names without one resolve, ``default`` if the version does not say."""
        return self.default_namespace[-1] if self.default_namespace else default

    def sql_in(self, dialect: str) -> SQLViewRepresentation | None:
        """The text in exactly this dialect (case does not matter), if there is one."""
        return next((r for r in self.sql_representations if r.dialect.lower() == dialect.lower()), None)


class ViewHistoryEntry(SpecModel):
    """One entry of the version log: from ``timestamp_ms`` on, ``version_id`` was current."""

    timestamp_ms: int
    version_id: Int32


class ViewMetadata(SpecModel):
    """The whole content of one metadata file (Iceberg view spec, format-version 1)."""

    view_uuid: str
    format_version: Literal[1]
    location: str
    properties: dict[str, str] = Field(default_factory=dict)
    schemas: Annotated[tuple[Schema, ...], Field(strict=False)]
    current_version_id: Int32
    versions: Annotated[tuple[ViewVersion, ...], Field(strict=False)]
    version_log: Annotated[tuple[ViewHistoryEntry, ...], Field(strict=False)]

    def version(self, version_id: int) -> ViewVersion:
        """
        Raises:
            NoSuchVersionError: it does not exist or has expired.
        """
        for version in self.versions:
            if version.version_id == version_id:
                return version
        raise NoSuchVersionError(
            f"Version {version_id} is not in the view's metadata; it holds "
            f"{sorted(version.version_id for version in self.versions)}.",
            version_id=version_id,
        )

    def schema_of(self, version: ViewVersion) -> Schema:
        """
        Raises:
            NoSuchVersionError: the version names a schema that the file does not hold.
        """
        for schema in self.schemas:
            if schema.schema_id == version.schema_id:
                return schema
        raise NoSuchVersionError(
            f"Version {version.version_id} names schema {version.schema_id}, which is not in the view's metadata; "
            f"it holds {sorted(schema.schema_id for schema in self.schemas)}.",
        )

    @property
    def current_version(self) -> ViewVersion:
        return self.version(self.current_version_id)

    @property
    def current_schema(self) -> Schema:
        return self.schema_of(self.current_version)
