"""Changes that say all of a view: as it is declared, or as it was at an earlier version."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

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
from hive_views.views.changes.definition import check_texts, define
from hive_views.views.changes.stale_dialects import Claims, marking_stale
from hive_views.views.changes.verbs import Change
from hive_views.views.row.projection import check_plain_readers, check_row_text, user_properties
from hive_views.views.row.reserved_properties import check_properties, is_settable
from hive_views.views.row.star_columns import FindColumns
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
        definition = definition.with_star_columns(find)
        updates = marking_stale(base, definition.updates(name, now_ms), claims)
        gone = {*base.current_version.dialects} - definition.sql.keys()
        changed = apply_updates(bare, updates, now_ms=now_ms, dropping=gone)
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
        keys: Update = RemoveProperties([PARTITIONED_ON])
        if partitioned_on:
            keys = SetProperties({PARTITIONED_ON: json.dumps(partitioned_on)})
        bare = _with_only(base, properties, now_ms)
        gone = {*base.current_version.dialects} - {*version.dialects}
        updates = [keys, AddViewVersion(version), SetCurrentViewVersion(LAST_ADDED)]
        changed = apply_updates(bare, updates, now_ms=now_ms, dropping=gone)
        return base if changed == base else changed

    return change


def with_summary(
    base: ViewMetadata | None, changed: ViewMetadata, summary: Mapping[str, str], now_ms: int
) -> ViewMetadata:
    """What a change of ``base`` made, its current version being a new one that has these keys in its summary too."""
    version = changed.current_version
    said = version.model_copy(update={"summary": {**version.summary, **summary}})
    known = {one.version_id for one in base.versions} if base else set()
    if version.version_id in known:
        said = said.model_copy(update={"version_id": 1, "timestamp_ms": now_ms})
        return apply_updates(changed, [AddViewVersion(said), SetCurrentViewVersion(LAST_ADDED)], now_ms=now_ms)
    versions = tuple(said if one is version else one for one in changed.versions)
    return changed.model_copy(update={"versions": versions})


def _with_only(base: ViewMetadata, properties: Mapping[str, str], now_ms: int) -> ViewMetadata:
    gone = [key for key in user_properties(base) if key not in properties and is_settable(key)]
    return apply_updates(base, [RemoveProperties(gone), SetProperties(properties)], now_ms=now_ms)
