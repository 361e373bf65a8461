"""Builds the versions of views and replaces their texts, and reads what their summaries hold."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import version as installed_version

from hive_views.errors import CorruptMetadataError, HiveViewsError, InvalidSchemaError
from hive_views.hive.row import Column
from hive_views.hive.types import hive_type
from hive_views.persisted import (
    HIVE_TYPES,
    ORIGINAL_SQL,
    PARTITIONED_ON,
    ROW_AS_FOUND,
    SPARK_SETTINGS,
    STALE_DIALECTS,
    STAR_COLUMNS,
    TRANSLATED,
)
from hive_views.spec.metadata import SQLViewRepresentation, ViewRepresentation, ViewVersion
from hive_views.spec.schema import NestedField, Schema
from hive_views.spec.strict_json import read_json
from hive_views.spec.updates import (
    LAST_ADDED,
    AddSchema,
    AddViewVersion,
    RemoveProperties,
    SetCurrentViewVersion,
    SetProperties,
    Update,
)
from hive_views.sql.query import QueryText
from hive_views.sql.tables import other_catalog, referenced_tables
from hive_views.translation.translation_record import TranslationRecord, texts_digest
from hive_views.views.row.content import RowContent


@cache
def made_by() -> Mapping[str, str]:
    """The keys of a version's summary that name this library as its author."""
    return {"engine-name": "hive_views", "engine-version": installed_version("hive_views")}


@dataclass(frozen=True)
class VersionContent:
    """The content of a new version, from which the version and its summary are built.

    Attributes:
        representations: the texts, in the order of the file.
        default_catalog: where their names resolve; None for the metastore.
        default_namespace: where they resolve in it.
        typed: by dialect, texts as their author typed them, if the representation differs.
        hive_types: Hive types of columns, by name in lower case, that Iceberg's types do not determine.
        spark_settings: of the session in which Spark wrote the text for plain readers.
        star_columns: names of the columns of the ``spark`` text, if a star hides them.
        row: the content of the row that the version was adopted from.
        summary: everything else in its summary.
    """

    representations: Sequence[ViewRepresentation]
    default_catalog: str | None
    default_namespace: tuple[str, ...]
    typed: Mapping[str, str] = field(default_factory=dict)
    hive_types: Mapping[str, str] = field(default_factory=dict)
    spark_settings: Mapping[str, str] = field(default_factory=dict)
    star_columns: Sequence[str] | None = None
    row: RowContent | None = None
    summary: Mapping[str, str] = field(default_factory=dict)

    def version(self, now_ms: int, given: ViewVersion | None = None, *, schema_id: int = LAST_ADDED) -> ViewVersion:
        """The version, on the schema with this id; if one is ``given``, its fields of later specs are kept."""
        summary = dict(self.summary) | {ORIGINAL_SQL + dialect: str(text) for dialect, text in self.typed.items()}
        if self.hive_types:
            summary[HIVE_TYPES] = json.dumps(self.hive_types, sort_keys=True)
        if self.spark_settings:
            summary[SPARK_SETTINGS] = json.dumps(self.spark_settings, sort_keys=True)
        if self.star_columns is not None:
            summary[STAR_COLUMNS] = json.dumps(self.star_columns)
        if self.row is not None:
            summary[ROW_AS_FOUND] = self.row.as_json()
        fields = {
            # The lowest: the next free id becomes its own.
            "version_id": 1,
            "timestamp_ms": now_ms,
            "schema_id": schema_id,
            "summary": summary,
            "default_catalog": self.default_catalog,
            "default_namespace": self.default_namespace,
            "representations": tuple(self.representations),
        }
        return given.model_copy(update=fields) if given else ViewVersion.model_validate(fields)

    def updates(self, schema: Schema, partitioned_on: Sequence[str], now_ms: int) -> list[Update]:
        """The updates that make this the current version of a view with these columns."""
        declared: Update = RemoveProperties([PARTITIONED_ON])
        if partitioned_on:
            declared = SetProperties({PARTITIONED_ON: json.dumps(partitioned_on)})
        version = AddViewVersion(self.version(now_ms))
        return [declared, AddSchema(schema), version, SetCurrentViewVersion(LAST_ADDED)]


def with_other_texts(
    version: ViewVersion,
    text: Callable[[str, str], str],
    unknown: Callable[[ViewRepresentation], ViewRepresentation],
    row: RowContent | None,
    default_namespace: tuple[str, ...],
) -> ViewVersion:
    """The same version with all its texts replaced.

    Args:
        version: the version.
        text: returns the new text, given a text and its dialect.
        unknown: returns the replacement of a definition that is not an SQL text.
        row: the new content of the row that it was adopted from; None keeps it.
        default_namespace: where names in the new texts resolve.
    """
    summary = {
        key: text(value, key.removeprefix(ORIGINAL_SQL)) if key.startswith(ORIGINAL_SQL) else value
        for key, value in version.summary.items()
    }
    if row is not None:
        summary[ROW_AS_FOUND] = row.as_json()
    representations = tuple(
        one.model_copy(update={"sql": text(one.sql, one.dialect)})
        if isinstance(one, SQLViewRepresentation)
        else unknown(one)
        for one in version.representations
    )
    changed = version.model_copy(
        update={"summary": summary, "default_namespace": default_namespace, "representations": representations}
    )
    records = {
        TRANSLATED + dialect: _in_other_texts(version, changed, dialect, record).as_json()
        for dialect, record in up_to_date_translations(version).items()
    }
    return changed.model_copy(update={"summary": {**summary, **records}})


def hive_types(version: ViewVersion) -> dict[str, str]:
    """The Hive types of columns, by name in lower case, that Iceberg's types do not keep (``varchar(7)``)."""
    return _texts_in(version, HIVE_TYPES)


def columns_in(schema: Schema, hive_types: Mapping[str, str]) -> tuple[Column, ...]:
    """The columns of a schema in Hive's types, some of which are known by the names of columns in lower case.

    In Iceberg's types, where an engine has used one that Hive does not have.
    """
    return tuple(
        Column(field.name.lower(), hive_types.get(field.name.lower()) or _type_of(field), field.doc or None)
        for field in schema.fields
    )


def _type_of(field: NestedField) -> str:
    try:
        return hive_type(field.type, column=field.name)
    except InvalidSchemaError:
        return field.type if isinstance(field.type, str) else field.type.model_dump_json()


def spark_settings(version: ViewVersion) -> dict[str, str]:
    """The settings of the session in which Spark wrote the row's text, where it was adopted from Spark."""
    return _texts_in(version, SPARK_SETTINGS)


def stale_dialects(version: ViewVersion) -> tuple[str, ...]:
    """The dialects whose SQL did not change when that in others did, in the order of the file.

    Of a text that was translated, that is seen too where another writer did not say so.
    """
    stale = {*marked_stale(version), *(_translated_dialects(version) - up_to_date_translations(version).keys())}
    return tuple(one for one in version.dialects if one in stale)


def marked_stale(version: ViewVersion) -> tuple[str, ...]:
    """The dialects of which the version itself says that they are stale."""
    try:
        marked = read_json(version.summary.get(STALE_DIALECTS, "[]"))
    except ValueError:
        marked = None
    # A mark that cannot be read is taken for one on each text.
    return tuple(one for one in version.dialects if not isinstance(marked, list) or one in marked)


def translations(version: ViewVersion) -> dict[str, TranslationRecord]:
    """By dialect, from what a text was translated; a record that cannot be read is left out."""
    found: dict[str, TranslationRecord] = {}
    for dialect in sorted(_translated_dialects(version)):
        with suppress(ValueError):
            found[dialect] = TranslationRecord.from_json(version.summary[TRANSLATED + dialect])
    return found


def up_to_date_translations(version: ViewVersion) -> dict[str, TranslationRecord]:
    """Those of texts that have not changed since, nor the texts that they were translated from."""
    return {
        dialect: record
        for dialect, record in translations(version).items()
        if _digest(version, dialect, record) == record.texts
    }


def _translated_dialects(version: ViewVersion) -> set[str]:
    return {dialect for dialect in version.dialects if TRANSLATED + dialect in version.summary}


def _digest(version: ViewVersion, dialect: str, record: TranslationRecord) -> str:
    source, text = (original_sql(version, one) or "" for one in (record.source, dialect))
    return texts_digest(source, record.source, text, dialect)


def _in_other_texts(
    before: ViewVersion, after: ViewVersion, dialect: str, record: TranslationRecord
) -> TranslationRecord:
    """The record of a translation whose texts were both given other names of databases.

    Where only one of them names other tables now, as the other names the catalog too, neither is a translation.
    """
    read_before, read = ([_tables_of(version, one) for one in (record.source, dialect)] for version in (before, after))
    if read[0] is None or read[0] != read[1]:
        return replace(record, texts="", proofs=())
    # An engine has confirmed it of the tables that they name.
    proofs = record.proofs if read == read_before else ()
    return replace(record, texts=_digest(after, dialect, record), proofs=()).with_proofs(proofs)


def _tables_of(version: ViewVersion, dialect: str, namespace: str = "") -> set[tuple[str, ...]] | None:
    """Namespaces and names of the tables of a text, whatever their catalogs are called; None where it is not read."""
    names = tables_read(version, original_sql(version, dialect) or "", dialect, namespace)
    return None if names is None else {name[-2:] for name in names}


def tables_read(version: ViewVersion, text: str, dialect: str, namespace: str = "") -> Sequence[tuple[str, ...]] | None:
    """The tables of a text of a version, in lower case; None where nobody can say them here.

    Args:
        version: says where names resolve.
        text: the text.
        dialect: its own.
        namespace: where names without one resolve if the version does not say.
    """
    with suppress(HiveViewsError):
        catalog = other_catalog(version.default_catalog)
        names = referenced_tables(QueryText(text, dialect), version.namespace_or(namespace), catalog)
        return [tuple(part.lower() for part in name) for name in names]
    return None


def loose_translations(version: ViewVersion) -> tuple[str, ...]:
    """The translated dialects whose texts name tables of the namespace that the view had when they were translated.

    Their sources name none, and nor does the version: they read tables of whichever namespace the view is in.
    """
    if version.default_namespace:
        return ()
    return tuple(
        dialect
        for dialect, record in up_to_date_translations(version).items()
        if _tables_of(version, record.source, "a") != _tables_of(version, record.source, "b")
    )


def shown_dialects(version: ViewVersion) -> tuple[str, ...]:
    """The dialects for people, who see which are stale, and which are translated from another one."""
    marks = {dialect: f" (from {record.source})" for dialect, record in up_to_date_translations(version).items()}
    marks |= dict.fromkeys(stale_dialects(version), " (stale)")
    return tuple(f"{dialect}{marks.get(dialect, '')}" for dialect in version.dialects)


def _texts_in(version: ViewVersion, key: str) -> dict[str, str]:
    text = version.summary.get(key, "{}")
    try:
        return {str(name): str(value) for name, value in read_json(text).items()}
    except (ValueError, AttributeError) as e:
        raise CorruptMetadataError(f"The version's summary has {text!r} for {key}, not a JSON object.") from e


def original_sql(version: ViewVersion, dialect: str) -> str | None:
    """The text as its author typed it, in this dialect; None when the version has none."""
    representation = version.sql_in(dialect)
    if representation is None:
        return None
    return version.summary.get(ORIGINAL_SQL + dialect.lower(), representation.sql)


def row_dialect(version: ViewVersion) -> str | None:
    """The dialect of the text that the row carries; None of a version that no plain reader can read."""
    return next((dialect for dialect in ("hive", "spark", "trino") if version.sql_in(dialect)), None)
