"""A row that a foreign writer has changed, as the newest version of its view."""

from __future__ import annotations

from collections.abc import Sequence

from hive_views.errors import InvalidInputError, SQLSyntaxError
from hive_views.hive.columns import check_partitioned_on, schema_from
from hive_views.hive.row import Column, Row
from hive_views.spec.metadata import ViewMetadata, ViewVersion
from hive_views.spec.updates import AddViewVersion, RemoveProperties, SetProperties, Update, apply_updates
from hive_views.sql.query import QueryText
from hive_views.sql.tables import with_full_names
from hive_views.views.changes.definition import Definition, as_known, qualified
from hive_views.views.changes.stale_dialects import Claims, marking_stale
from hive_views.views.changes.translated_texts import Frame, TextTranslations
from hive_views.views.row.content import RowContent
from hive_views.views.row.drift import changed_properties, redefines, removed_properties
from hive_views.views.row.plain_view import definition_of
from hive_views.views.row.projection import check_names, check_row_text
from hive_views.views.row.row_text import PARTS, dialect_of, text_for_plain_readers
from hive_views.views.row.star_columns import saying_star_columns
from hive_views.views.row.version import columns_in, original_sql, row_dialect


def adopted(metadata: ViewMetadata, row: Row, now_ms: int, claims: Claims) -> ViewMetadata:
    """The metadata in which the history goes on with what a foreign writer put into the row.

    The row's text becomes the text of its dialect, and what is translated from it is translated again. Texts of other
    dialects stay as they are and become stale, since what they should say now is unknown. Where only properties were
    changed, there is no new version.

    Raises:
        InvalidInputError: the row's text or columns cannot be a view of ours.
        NotAdoptableError: nor can those of a row that is taken as it was found.
    """
    updates: list[Update] = [
        SetProperties(changed_properties(row, metadata)),
        RemoveProperties(removed_properties(row, metadata)),
    ]
    if _is_as_found(row, metadata):
        found = definition_of(row, metadata)
        redefined = found.updates(now_ms, metadata.current_version)
        columns = columns_in(found.schema, found.hive_types)
        updates += marking_stale(metadata, _followed(metadata, row, redefined, columns, claims), claims)
    elif redefines(row, metadata):
        definition = _definition_of(row, metadata).with_translations(row.identifier, metadata, claims)
        updates += marking_stale(metadata, definition.updates(row.identifier, now_ms), claims)
        changed = apply_updates(metadata, updates, now_ms=now_ms)
        check_row_text(changed, row.identifier)
        return changed
    return apply_updates(metadata, updates, now_ms=now_ms)


def _followed(
    metadata: ViewMetadata, row: Row, updates: Sequence[Update], columns: Sequence[Column], claims: Claims
) -> list[Update]:
    """The same updates, where texts that are translated from that of the row are translated again."""

    def followed(version: ViewVersion) -> ViewVersion:
        dialect = dialect_of(row)
        text, frame = original_sql(version, dialect), Frame.of(version, columns, row.identifier.namespace)
        translations = TextTranslations(row.identifier, metadata, claims.asked, claims.known)
        return translations.after({dialect: text or ""}, version.dialects, frame).put_into(version)

    return [AddViewVersion(followed(one.version)) if isinstance(one, AddViewVersion) else one for one in updates]


def _is_as_found(row: Row, metadata: ViewMetadata) -> bool:
    """Whether the row of an adopted view is taken again as it was found: the same engine has changed it.

    What Spark and Trino say of a text is more than the text, so that any change of it counts.
    """
    found = RowContent.kept_by(metadata.current_version)
    if found is None or row_dialect(metadata.current_version) != dialect_of(row):
        return False
    return redefines(row, metadata) or (dialect_of(row) != "hive" and RowContent.of(row) != found)


def _definition_of(row: Row, metadata: ViewMetadata) -> Definition:
    try:
        text = text_for_plain_readers(row).need(*PARTS)
    except ValueError as e:
        raise InvalidInputError(f"Cannot adopt the row of {row.identifier}: {e}.") from e
    if text.dialect == "trino":
        raise InvalidInputError(
            f"Cannot adopt the row of {row.identifier}: it is in Trino's own format, which other readers of "
            f"this view cannot read. Undo the change (on_drift='overwrite')."
        )
    keys = tuple(key.name for key in row.partition_keys)
    data = tuple(column for column in row.columns if column.name not in keys)
    # Spark's ALTER VIEW loses the comments of a view's columns.
    comments = {field.name.lower(): field.doc for field in metadata.current_schema.fields}
    columns = [(c.name, c.type, c.comment or comments.get(c.name)) for c in (*data, *row.partition_keys)]
    schema, types = schema_from(columns, base=metadata.current_schema)
    schema = as_known(schema, metadata)
    namespace, kept = text.namespace[-1], saying_star_columns(metadata)
    spark_text, hive_text = (QueryText(text.sql, dialect) for dialect in ("spark", "hive"))
    check_names(spark_text, text.catalog, row.identifier)
    # Spark's text is the text for plain readers too, who go on reading what they read now.
    texts = {"hive": hive_text}
    own = text.query_columns or None
    if text.dialect == "spark":
        full_text = qualified(spark_text, schema, namespace, row.identifier, (), own)
        if "spark" in kept.dialects:
            catalog = "spark_catalog" if kept.default_catalog else None
            full = with_full_names(QueryText(full_text, "spark"), [namespace], catalog)
            texts["spark"] = QueryText(full, "spark")
        try:
            qualified(hive_text, schema, namespace, row.identifier, (), own)
        except SQLSyntaxError:
            # It names Spark's own catalog, which no other reader knows.
            texts["hive"] = QueryText(full_text, "hive")
    checked = check_partitioned_on(schema, types, keys)
    star = {"hive": own} if own else {}
    # Its settings say what the text means: '1' + 1 has another type in ANSI mode, a timestamp another value in a zone.
    return Definition(texts, schema, types, checked, namespace, kept, text.settings, star_columns=star)
