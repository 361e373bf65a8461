"""What changes from one version of a view to another, as unified diffs.

What lives here: pure comparison, and finding the file that tells a former version's properties. What must not:
printing.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from hive_views.errors import CorruptMetadataError, InvalidSchemaError
from hive_views.hive.row import Column
from hive_views.hive.types import hive_type
from hive_views.spec.metadata import ViewMetadata, ViewVersion
from hive_views.spec.schema import NestedField
from hive_views.storage.directories import directories
from hive_views.views.catalog import ViewCatalog
from hive_views.views.projection import hive_types, original_sql, user_properties
from hive_views.views.view import View


@dataclass(frozen=True)
class Definition:
    """One version as its author sees it. ``properties`` is None where no file tells them any more."""

    label: str
    texts: Mapping[str, str]
    columns: tuple[str, ...]
    properties: Mapping[str, str] | None

    @classmethod
    def of(
        cls, metadata: ViewMetadata, version: ViewVersion, *, properties_of: ViewMetadata | None, label: str = ""
    ) -> Definition:
        return cls(
            label=label or f"version {version.version_id}",
            texts={dialect: original_sql(version, dialect) or "" for dialect in version.dialects},
            columns=tuple(
                f"{column.name} {column.type}" + (f" '{column.comment}'" if column.comment else "")
                for column in columns_of(metadata, version)
            ),
            properties=user_properties(properties_of) if properties_of else None,
        )


def columns_of(metadata: ViewMetadata, version: ViewVersion) -> tuple[Column, ...]:
    """The columns of a version in Hive's types; in Iceberg's, where an engine has used one that Hive does not have."""
    exact = hive_types(version)
    return tuple(
        Column(field.name.lower(), exact.get(field.name.lower()) or _type_of(field), field.doc or None)
        for field in metadata.schema_of(version).fields
    )


def _type_of(field: NestedField) -> str:
    try:
        return hive_type(field.type, column=field.name)
    except InvalidSchemaError:
        return field.type if isinstance(field.type, str) else field.type.model_dump_json()


NOTHING = Definition("nothing", {}, (), {})


def definition_at(catalog: ViewCatalog, view: View, version_id: int) -> Definition:
    """A version of a view.

    Raises:
        NoSuchVersionError: there is none, or it has expired.
    """
    version = view.version(version_id)
    return Definition.of(view.metadata, version, properties_of=_last_file_of(catalog, view, version_id))


def compare(before: Definition, after: Definition) -> dict[str, list[str]]:
    """The lines of a unified diff for each part that differs: ``columns``, ``properties``, ``sql hive``, ..."""
    parts: dict[str, tuple[Iterable[str], Iterable[str]]] = {"columns": (before.columns, after.columns)}
    if before.properties is not None and after.properties is not None:
        parts["properties"] = _lines_of(before.properties), _lines_of(after.properties)
    for dialect in sorted({*before.texts, *after.texts}):
        parts[f"sql {dialect}"] = (
            before.texts.get(dialect, "").splitlines(),
            after.texts.get(dialect, "").splitlines(),
        )
    diffs = {part: _unified(part, before, after, *lines) for part, lines in parts.items()}
    return {part: diff for part, diff in diffs.items() if diff}


def _unified(part: str, before: Definition, after: Definition, old: Iterable[str], new: Iterable[str]) -> list[str]:
    names = f"{before.label}, {part}", f"{after.label}, {part}"
    return list(difflib.unified_diff(list(old), list(new), *names, lineterm=""))


def _lines_of(properties: Mapping[str, str]) -> list[str]:
    return [f"{key} = {value}" for key, value in sorted(properties.items())]


def _last_file_of(catalog: ViewCatalog, view: View, version_id: int) -> ViewMetadata | None:
    """The last metadata file in which this version was current: properties have no versions of their own."""
    if version_id == view.metadata.current_version_id:
        return view.metadata
    locations = [
        location
        for directory in directories(view.metadata)
        for location in reversed(catalog.storage.list_metadata_files(directory))
    ]
    for location in locations:
        try:
            metadata = catalog.storage.read(location)
        except CorruptMetadataError:
            # A file that a killed writer left half-written is no version of anything.
            continue
        if metadata.view_uuid == view.uuid and metadata.current_version_id == version_id:
            return metadata
    return None
