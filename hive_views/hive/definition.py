"""What a caller or a foreign row says a view is, as updates of its metadata.

What lives here: checking texts, columns and partition columns against each other, and turning them into one version.
What must not: the update rules themselves (spec/updates.py), reading or writing anything.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version as installed_version

from hive_views.errors import InvalidInputError, InvalidSchemaError
from hive_views.hive.columns import ColumnsInput, check_partitioned_on, schema_from
from hive_views.hive.drift import changed_properties, dialect_of, namespace_of
from hive_views.hive.projection import HIVE_TYPES, PARTITIONED_ON, TYPED_SQL, typed_sql
from hive_views.hive.row import Row
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import SQLViewRepresentation, ViewMetadata, ViewVersion
from hive_views.spec.schema import Schema
from hive_views.spec.updates import (
    LAST_ADDED,
    AddSchema,
    AddViewVersion,
    RemoveProperties,
    SetCurrentViewVersion,
    SetProperties,
    Update,
    apply_updates,
)
from hive_views.sql.dialects import check_dialect
from hive_views.sql.expand import expand
from hive_views.sql.query import check_query, output_columns


@dataclass(frozen=True)
class Definition:
    """The texts of a view by dialect as typed, its columns, and which of the last ones are partition columns."""

    sql: Mapping[str, str]
    schema: Schema
    hive_types: Mapping[str, str]
    partitioned_on: tuple[str, ...]
    namespace: str

    def updates(self, identifier: TableIdentifier, now_ms: int) -> list[Update]:
        """The updates that make this the current version.

        Raises:
            SQLSyntaxError, InvalidSchemaError: a text is not one query, or does not give these columns.
        """
        summary = {"engine-name": "hive_views", "engine-version": installed_version("hive_views")}
        if self.hive_types:
            summary[HIVE_TYPES] = json.dumps(self.hive_types, sort_keys=True)
        representations = []
        # Iceberg Java takes the first text for a dialect it does not find, and it asks for spark's.
        for dialect in sorted(self.sql, key=lambda d: {"spark": 0, "hive": 1}.get(d, 2)):
            text = self.sql[dialect]
            self._check_text(text, dialect, identifier)
            if dialect == "hive":
                expanded = self._expanded(text, identifier)
                if expanded != text:
                    summary[TYPED_SQL + dialect] = text
                text = expanded
            representations.append(SQLViewRepresentation(sql=text, dialect=dialect))
        version = ViewVersion(
            version_id=1,
            timestamp_ms=now_ms,
            schema_id=LAST_ADDED,
            summary=summary,
            default_namespace=(self.namespace,),
            representations=tuple(representations),
        )
        if self.partitioned_on:
            declared: Update = SetProperties({PARTITIONED_ON: json.dumps(self.partitioned_on)})
        else:
            declared = RemoveProperties([PARTITIONED_ON])
        return [declared, AddSchema(self.schema), AddViewVersion(version), SetCurrentViewVersion(LAST_ADDED)]

    def _check_text(self, text: str, dialect: str, identifier: TableIdentifier) -> None:
        check_query(text, dialect)
        found = output_columns(text, dialect)
        if found is not None and len(found) != len(self.schema.names):
            raise InvalidSchemaError(
                f"The {dialect} text of {identifier} gives {len(found)} columns "
                f"({', '.join(name or '(no name)' for name in found)}), the schema has {len(self.schema.names)} "
                f"({', '.join(self.schema.names)}).",
                dialect=dialect,
            )

    def _expanded(self, text: str, identifier: TableIdentifier) -> str:
        return expand(text, columns=self.schema.names, namespace=self.namespace, view_name=identifier.name)


def define(
    identifier: TableIdentifier,
    sql: Mapping[str, str],
    columns: ColumnsInput | None,
    partitioned_on: Sequence[str] | None,
    *,
    base: ViewMetadata | None = None,
) -> Definition:
    """Check what a caller gives; what is None stays as it is in ``base``.

    Raises:
        InvalidInputError: no text, or two for one dialect.
        InvalidSchemaError: the columns, or the partition columns among them, break a rule (Hive errors 10092, 10093).
    """
    texts = _texts(sql)
    hive_types: Mapping[str, str]
    if columns is not None:
        schema, hive_types = schema_from(columns, base=base.current_schema if base else None)
    elif base is not None:
        schema = base.current_schema
        hive_types = json.loads(base.current_version.summary.get(HIVE_TYPES, "{}"))
    else:
        raise InvalidSchemaError(f"Cannot create {identifier} without columns: give schema=.")
    if partitioned_on is None:
        keys = json.loads(base.properties.get(PARTITIONED_ON, "[]")) if base else ()
    else:
        keys = partitioned_on
    return Definition(texts, schema, hive_types, check_partitioned_on(schema, hive_types, keys), identifier.namespace)


def typed_texts(metadata: ViewMetadata) -> dict[str, str]:
    """All texts of the current version, as they were typed, by dialect."""
    version = metadata.current_version
    return {dialect: typed_sql(version, dialect) or "" for dialect in version.dialects}


def adopted(metadata: ViewMetadata, row: Row, now_ms: int) -> ViewMetadata:
    """The metadata in which the history goes on with what a foreign writer put into the row.

    The row's text becomes the text of its dialect; texts of other dialects stay as they are, for nobody here can tell
    what they should say now.

    Raises:
        InvalidInputError: the row's text or columns cannot be a view of ours.
    """
    if not row.expanded_text:
        raise InvalidInputError(f"Cannot adopt the row of {row.identifier}: it has no text.")
    keys = tuple(key.name for key in row.partition_keys)
    data = tuple(column for column in row.columns if column.name not in keys)
    columns = [(column.name, column.type, column.comment) for column in (*data, *row.partition_keys)]
    # Spark's text is also the text for plain readers: they go on reading what they read now.
    texts = {**typed_texts(metadata), "hive": row.expanded_text}
    if dialect_of(row) == "spark" and "spark" in texts:
        texts["spark"] = row.expanded_text
    resolved_in = TableIdentifier(namespace_of(row), row.identifier.name)
    updates = define(resolved_in, texts, columns, keys, base=metadata).updates(row.identifier, now_ms)
    changed = changed_properties(row, metadata)
    if changed:
        updates.append(SetProperties(changed))
    return apply_updates(metadata, updates, now_ms=now_ms)


def _texts(sql: Mapping[str, str]) -> dict[str, str]:
    if isinstance(sql, str) or not sql:
        raise InvalidInputError("Give the query as texts by dialect, for example sql={'hive': 'SELECT ...'}.")
    texts: dict[str, str] = {}
    for name, text in sql.items():
        dialect = check_dialect(name)
        if dialect in texts:
            raise InvalidInputError(f"Give one text for dialect {dialect!r}, not two.", dialect=dialect)
        texts[dialect] = text
    return texts
