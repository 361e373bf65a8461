"""The content of a plain view's row, as the first version of a view with history; or why the row cannot be adopted.

NotAdoptableError: the row is not a plain view, and nothing is wrong with it. BrokenViewError, a subclass: the row is a
plain view that contradicts itself. What is uncertain without an engine is accepted: a view that an engine can read is
never called broken because this module cannot read it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hive_views.errors import (
    BrokenViewError,
    HiveViewsError,
    InvalidInputError,
    InvalidSchemaError,
    NotAdoptableError,
    UnsupportedFeatureError,
)
from hive_views.hive.columns import check_partitioned_on, schema_from
from hive_views.hive.row import COMMENT, DDL_TIME, OWNER, POINTER, TABLE_TYPE, VIEW_UUID, Column, Row
from hive_views.persisted import COMMITS, INCARNATION, OWN_PREFIX, OWNS, ROW_AS_FOUND, ROW_CHANGED_AT
from hive_views.spec.metadata import SQLViewRepresentation, ViewMetadata, ViewVersion
from hive_views.spec.schema import Schema
from hive_views.spec.updates import AssignUUID, SetLocation, SetProperties, Update, apply_updates
from hive_views.sql.query import QueryText
from hive_views.sql.tables import with_full_names
from hive_views.views import remedies
from hive_views.views.row import spark_row
from hive_views.views.row.content import TRINO_VIEW, RowContent
from hive_views.views.row.file_references import OF_FILES
from hive_views.views.row.plain_view_checks import check_columns, check_text
from hive_views.views.row.projection import ICEBERG_VIEW
from hive_views.views.row.released import file_of_half_released, is_half_released
from hive_views.views.row.reserved_properties import check_properties
from hive_views.views.row.row_text import PARTS, RowText, dialect_of, text_of
from hive_views.views.row.trino_types import hive_of_trino
from hive_views.views.row.trino_view import MATERIALIZED_VIEW_COMMENT, properties_in
from hive_views.views.row.version import VersionContent, made_by

# Written by servers and engines for their own use; they change although the view does not.
_ENGINES_OWN = re.compile(
    r"last_modified_.*|bucketing_version|num(Files|Rows|Partitions|FilesErasureCoded)|rawDataSize|totalSize"
    r"|COLUMN_STATS_ACCURATE|STATS_GENERATED|DO_NOT_UPDATE_STATS|Authorized|OBJCAPABILITIES|impala\..*|presto_.*"
    r"|trino_.*|spark\..*|current-schema"
)


@dataclass(frozen=True)
class PlainView:
    """The content of a plain view, as a version of a view with history has it.

    Attributes:
        row: the row, as it was read.
        dialect: of its text: ``hive``, ``spark`` or ``trino``.
        sql: the text that engines read.
        typed: the text as its author typed it, if the row has that.
        schema: the columns.
        hive_types: their Hive types where Iceberg's do not say them.
        partitioned_on: the partition columns.
        catalog: where names in the text resolve, if not in the metastore's own catalog.
        namespace: where they resolve in it.
        properties: what users have set, and the comment.
        spark_settings: of the session in which Spark wrote the text.
        star_columns: names of the columns of a text of Spark's, where the view has others.
    """

    row: Row
    dialect: str
    sql: str
    typed: str
    schema: Schema
    hive_types: Mapping[str, str]
    partitioned_on: tuple[str, ...]
    catalog: str | None
    namespace: tuple[str, ...]
    properties: Mapping[str, str]
    spark_settings: Mapping[str, str]
    star_columns: Sequence[str] | None

    def metadata(self, location: str, *, view_uuid: str, now_ms: int) -> ViewMetadata:
        """The metadata whose projection is this row, with the owner for a row that is created again.

        Raises:
            BrokenViewError: the value of a property is not valid for a view.
        """
        owner = {OWNER: self.row.owner} if self.row.owner else {}
        properties = {**self.properties, **owner}
        updates: list[Update] = [AssignUUID(view_uuid), SetLocation(location), SetProperties(properties)]
        try:
            return apply_updates(None, [*updates, *self.updates(now_ms)], now_ms=now_ms)
        except InvalidInputError as e:
            raise _broken(self.row, e.message) from e

    def updates(self, now_ms: int, kept: ViewVersion | None = None) -> list[Update]:
        """The updates that make this the current version.

        The texts of ``kept`` in other dialects stay, and so do the catalog and the namespace that they resolve in.

        Raises:
            InvalidInputError: this text resolves elsewhere, and cannot be given full names.
        """
        others = [
            one
            for one in (kept.representations if kept else ())
            if not isinstance(one, SQLViewRepresentation) or one.dialect.lower() != self.dialect
        ]
        of = kept if kept and others else None
        catalog, namespace = (of.default_catalog, of.default_namespace) if of else (self.catalog, self.namespace)
        sql = self.sql if (catalog, namespace) == (self.catalog, self.namespace) else self._with_full_names(catalog)
        is_new = kept is None and DDL_TIME in self.row.parameters
        content = VersionContent(
            [SQLViewRepresentation(sql=sql, dialect=self.dialect), *others],
            catalog,
            namespace,
            # As it was typed, a text that got full names would mean something else.
            typed={self.dialect: self.typed} if self.typed != sql and sql == self.sql else {},
            hive_types=self.hive_types,
            spark_settings=self.spark_settings,
            star_columns=self.star_columns,
            row=RowContent.of(self.row),
            summary={**made_by(), **({ROW_CHANGED_AT: self.row.parameters[DDL_TIME]} if is_new else {})},
        )
        return content.updates(self.schema, self.partitioned_on, now_ms)

    def _with_full_names(self, catalog: str | None) -> str:
        """The text for a version whose names resolve in another namespace, and maybe in another catalog."""
        own = self.catalog or ("spark_catalog" if self.dialect == "spark" else None)
        try:
            if (self.dialect == "spark" and not spark_row.is_readable(self.row)) or (catalog and not own):
                raise UnsupportedFeatureError("It is unknown how the engine reads them.")
            query = QueryText(self.sql, self.dialect)
            return with_full_names(query, self.namespace, own if catalog != self.catalog else None)
        except HiveViewsError as e:
            where = ".".join(filter(None, (self.catalog, *self.namespace)))
            raise InvalidInputError(
                f"Cannot add the {self.dialect} SQL of {self.row.identifier} to the history: its names resolve in "
                f"{where}, unlike those of the view's other dialects, and all dialects share one namespace. Its names "
                f"cannot be qualified automatically: {e.message} Qualify them in the SQL itself, or undo the change "
                f"(on_drift='overwrite').",
                identifier=str(self.row.identifier),
            ) from e


def plain_view_of(row: Row) -> PlainView:
    """The plain view of a row; nothing but the row is read.

    Raises:
        NotAdoptableError: it is a table, a materialized view, or a view with a metadata file.
        BrokenViewError: it is a plain view that contradicts itself, a view of this library that has lost its pointer,
            or one whose release was interrupted.
    """
    name = str(row.identifier)
    if not row.is_view:
        kind = "a materialized view" if "MATERIALIZED" in row.table_type.upper() else f"a table ({row.table_type})"
        raise NotAdoptableError(f"{name} is {kind}, not a view.", identifier=name)
    if row.parameters.get(COMMENT, "").lower() == MATERIALIZED_VIEW_COMMENT.lower() and TRINO_VIEW in row.parameters:
        raise NotAdoptableError(f"{name} is a materialized view of Trino.", identifier=name)
    if row.parameters.get(TABLE_TYPE, "").upper() == ICEBERG_VIEW and row.parameters.get(POINTER):
        raise NotAdoptableError(f"{name} is already a managed view.", identifier=name)
    if was_ours(row):
        raise BrokenViewError(
            f"The row of {name} shows that it was a managed view, but it has lost its parameter "
            f"{POINTER}: adopting it would begin a new history.",
            remedy=remedies.undrop(name),
            identifier=name,
        )
    if is_half_released(row):
        raise BrokenViewError(
            f"Handing back {name} was interrupted, and its row still names its metadata file, "
            f"{file_of_half_released(row)}: adopting it would begin a new history, and lose that name.",
            remedy=remedies.finish_release(name),
            identifier=name,
        )
    return definition_of(row)


def is_begun_adoption(row: Row, metadata: ViewMetadata) -> bool:
    """Whether a file was left by an adoption of exactly this row that was killed before its swap.

    A row that ever pointed to the file has changed since: both adopting and releasing it are later changes.
    """
    commits = metadata.properties.get(COMMITS, "").split(",")
    if not len(commits) == len(metadata.versions) == len(metadata.version_log) == 1:
        return False
    summary = metadata.versions[0].summary
    is_this_row = summary.get(ROW_AS_FOUND) == RowContent.of(row).as_json()
    return is_this_row and summary.get(ROW_CHANGED_AT, "") == row.parameters.get(DDL_TIME)


def was_ours(row: Row) -> bool:
    """Whether the parameters of a row without a pointer show that it had one."""
    is_named = row.parameters.get(TABLE_TYPE, "").upper() == ICEBERG_VIEW or VIEW_UUID in row.parameters
    return is_named or INCARNATION in row.parameters or OWNS in row.parameters


def definition_of(row: Row, base: ViewMetadata | None = None) -> PlainView:
    """The content of a row that an engine wrote; parameters of this library in it do not count.

    Args:
        row: the row.
        base: the metadata before it, whose columns keep their ids.

    Raises:
        NotAdoptableError: a column has a type that Iceberg does not have.
        BrokenViewError: the row contradicts itself.
    """
    try:
        return _plain(row, base)
    except InvalidSchemaError as e:
        if e.type is None:
            raise _broken(row, e.message) from e
        raise NotAdoptableError(
            f"The columns of {row.identifier} have no counterpart in a metadata file. {e.message}",
            identifier=str(row.identifier),
        ) from e
    except HiveViewsError as e:
        raise _broken(row, e.message) from e
    except ValueError as e:
        raise _broken(row, f"{e}.") from e


def _plain(row: Row, base: ViewMetadata | None) -> PlainView:
    # Hive reads a row regardless of what Spark has left in its parameters.
    text = text_of(row).need("text") if dialect_of(row) == "hive" else text_of(row).need(*PARTS)
    query = QueryText(text.sql, text.dialect)
    if text.dialect != "spark" or spark_row.is_readable(row):
        check_text(query)
    columns = _columns(row, text)
    if text.dialect == "spark":
        spark_row.check_output(row, query, text.query_columns, columns)
    else:
        check_columns(query, columns, text.namespace[-1])
    schema, types = schema_from(columns, base=base.current_schema if base else None)
    has_others = [name.lower() for name in text.query_columns] != [name.lower() for name in schema.names]
    return PlainView(
        row,
        text.dialect,
        text.sql,
        typed=text.sql if text.dialect == "trino" or not row.original_text else row.original_text,
        schema=schema,
        hive_types=types,
        partitioned_on=check_partitioned_on(schema, types, [key.name for key in row.partition_keys]),
        catalog=text.catalog,
        namespace=text.namespace,
        properties=dict(_properties(row)),
        spark_settings=text.settings,
        star_columns=text.query_columns if text.query_columns and has_others else None,
    )


def _columns(row: Row, text: RowText) -> tuple[Column, ...]:
    if text.dialect == "spark":
        return spark_row.columns(row)
    if text.dialect == "trino":
        return tuple(
            Column(one["name"], hive_of_trino(one["type"], column=one["name"]), str(one.get("comment") or "") or None)
            for one in text.document["columns"]
        )
    return (*row.columns, *row.partition_keys)


def _properties(row: Row) -> Iterator[tuple[str, str]]:
    """The properties that users have set, if they are valid for a view; the row keeps the others."""
    for key, value in properties_in(row).items():
        if key.startswith(OWN_PREFIX) or key.lower() in OF_FILES or _ENGINES_OWN.fullmatch(key):
            continue
        try:
            check_properties({key: value})
        except InvalidInputError:
            continue
        yield key, value


def _broken(row: Row, problem: str, **fields: Any) -> BrokenViewError:
    return BrokenViewError(f"View {row.identifier} is broken: {problem}", identifier=str(row.identifier), **fields)
