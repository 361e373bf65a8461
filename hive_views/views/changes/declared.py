"""Changes that say all of a view: as it is declared, or as it was at an earlier version."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

from hive_views.hive.columns import ColumnsInput
from hive_views.hive.row import COMMENT
from hive_views.persisted import PARTITIONED_ON
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewMetadata
from hive_views.spec.updates import (
    LAST_ADDED,
    AddViewVersion,
    RemoveProperties,
    SetCurrentViewVersion,
    SetProperties,
    Update,
    apply_updates,
)
from hive_views.sql.query import QueryText
from hive_views.sql.tables import other_catalog
from hive_views.views.changes.definition import Definition, check_texts, define
from hive_views.views.changes.stale_dialects import Claims, marking_stale
from hive_views.views.changes.verbs import Change
from hive_views.views.row.projection import check_plain_readers, check_row_text, user_properties
from hive_views.views.row.projection import partitioned_on as partition_columns
from hive_views.views.row.reserved_properties import check_properties, is_settable
from hive_views.views.row.star_columns import FindColumns, saying_star_columns
from hive_views.views.row.version import columns_in, hive_types, original_sql, row_dialect, translations
from hive_views.views.version_lookup import version_of


def declaration(
    name: TableIdentifier,
    sql: Mapping[str, QueryText],
    columns: ColumnsInput,
    partitioned_on: Sequence[str],
    properties: Mapping[str, str],
    comment: str | None,
    *,
    namespace: str,
    find: FindColumns,
    claims: Claims,
) -> Change:
    """A view with these texts, columns, properties and comment, and no others of those that users can set.

    Raises:
        InvalidInputError: a property cannot be set, or a text is not one query.
    """
    given = {**properties, **({COMMENT: comment} if comment is not None else {})}
    check_properties(given)
    check_texts(sql, properties)

    def change(base: ViewMetadata, now_ms: int) -> ViewMetadata:
        bare = _with_only(base, given, now_ms)
        definition = define(name, sql, columns, partitioned_on, base=bare, namespace=namespace, properties=given)
        gone = {*base.current_version.dialects} - definition.sql.keys() - claims.asked.sources.keys()
        definition = _keeping_same_texts(replace(definition, dropped=gone), bare)
        definition = _keeping_same_texts(definition.with_translations(name, base, claims), bare)
        definition = definition.with_star_columns(find)
        if not definition.sql and not gone and definition.translated == translations(base.current_version):
            return apply_updates(bare, [_keys(definition.partitioned_on)], now_ms=now_ms)
        updates = marking_stale(base, definition.updates(name, now_ms), claims)
        changed = apply_updates(bare, updates, now_ms=now_ms, dropping=gone)
        if row_dialect(base.current_version) != "trino":
            check_plain_readers(changed.current_version, name)
        check_row_text(changed, name, definition.sql)
        return base if changed == base else changed

    return change


def restoration(
    name: TableIdentifier, version_id: int, properties: Mapping[str, str], partitioned_on: Sequence[str]
) -> Change:
    """An earlier version as a new one, with the properties and partition columns that the view had with it.

    Raises (when it is run):
        NoSuchVersionError: the version has expired.
    """

    def change(base: ViewMetadata, now_ms: int) -> ViewMetadata:
        version = version_of(name, base, version_id)
        bare = _with_only(base, properties, now_ms)
        gone = {*base.current_version.dialects} - {*version.dialects}
        updates: list[Update] = [_keys(partitioned_on), SetCurrentViewVersion(version_id)]
        return apply_updates(bare, updates, now_ms=now_ms, dropping=gone)

    return change


def with_summary(
    base: ViewMetadata | None, changed: ViewMetadata, summary: Mapping[str, str], now_ms: int
) -> ViewMetadata:
    """What a change of ``base`` made, its current version being a new one that has these keys in its summary too."""
    version = changed.current_version
    said = version.model_copy(update={"summary": {**version.summary, **summary}})
    if base is None or all(one.version_id != version.version_id for one in base.versions):
        versions = tuple(said if one.version_id == version.version_id else one for one in changed.versions)
        return changed.model_copy(update={"versions": versions})
    said = said.model_copy(update={"version_id": 1, "timestamp_ms": now_ms})
    updates: list[Update] = [AddViewVersion(said, again=True), SetCurrentViewVersion(LAST_ADDED)]
    if changed.versions == base.versions:
        # An earlier version is current again as the new one alone, which the log is to say once.
        before = {"current_version_id": base.current_version_id, "version_log": base.version_log}
        changed = changed.model_copy(update=before)
    return apply_updates(changed, updates, now_ms=now_ms, dropping=base.current_version.dialects)


def _keys(partitioned_on: Sequence[str]) -> Update:
    if partitioned_on:
        return SetProperties({PARTITIONED_ON: json.dumps(partitioned_on)})
    return RemoveProperties([PARTITIONED_ON])


def _keeping_same_texts(definition: Definition, base: ViewMetadata) -> Definition:
    """The same, where what the version says besides of texts that stay is kept: the row that was adopted, settings.

    Texts that are written for other columns or another place are written again.
    """
    version = base.current_version
    is_same_frame = (
        columns_in(definition.schema, definition.hive_types) == columns_in(base.current_schema, hive_types(version))
        and definition.namespace == version.namespace_or(definition.namespace)
        and definition.partitioned_on == partition_columns(base)
        and not other_catalog(version.default_catalog)
    )
    if not is_same_frame:
        return definition
    changed = {dialect: text for dialect, text in definition.sql.items() if original_sql(version, dialect) != text}
    kept = saying_star_columns(base)
    # In which case the names are written is no difference to the metastore.
    return replace(definition, sql=changed, schema=base.current_schema, hive_types=hive_types(version), kept=kept)


def _with_only(base: ViewMetadata, properties: Mapping[str, str], now_ms: int) -> ViewMetadata:
    gone = [key for key in user_properties(base) if key not in properties and is_settable(key)]
    return apply_updates(base, [RemoveProperties(gone), SetProperties(properties)], now_ms=now_ms)
