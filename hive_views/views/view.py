"""A view as the caller holds it: immutable, read once, never changing under its reader."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any

from markupsafe import Markup

from hive_views.analysis.lineage import Lineage
from hive_views.errors import (
    CorruptMetadataError,
    HiveViewsError,
    InvalidSchemaError,
    NoSuchIcebergViewError,
    NotFoundError,
    UnsupportedFeatureError,
)
from hive_views.hive.partition_dates import calendar_for_notebooks
from hive_views.hive.row import COMMENT, POINTER, TABLE_TYPE, VIEW_UUID, Column, Row
from hive_views.messages.counted import counted
from hive_views.messages.html import folded, html_block, html_table, paragraph, source, table
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import SQLViewRepresentation, ViewHistoryEntry, ViewMetadata, ViewVersion
from hive_views.spec.schema import Schema
from hive_views.spec.tags import tagged_version, tags_of
from hive_views.sql.query import QueryText
from hive_views.sql.tables import other_catalog, referenced_tables, refuse_unread_names
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.translation import TranslationRecord
from hive_views.views import remedies
from hive_views.views.row.drift import RowDifference, differences
from hive_views.views.row.plain_view import was_ours
from hive_views.views.row.projection import ICEBERG_VIEW, partitioned_on, row_columns, user_properties
from hive_views.views.row.released import is_half_released
from hive_views.views.row.version import original_sql, shown_dialects, stale_dialects, up_to_date_translations
from hive_views.views.version_lookup import Time, version_as_of, version_of

# No fields of a view.
_PARTITION_NAMES = "_partition_names"
_LINEAGE = "_lineage"


class ViewHistory(tuple[ViewHistoryEntry, ...]):
    """When which version became current, oldest first; a notebook shows it as a table.

    Args:
        metadata: of the view.
    """

    _metadata: ViewMetadata

    def __new__(cls, metadata: ViewMetadata) -> ViewHistory:
        history = super().__new__(cls, metadata.version_log)
        history._metadata = metadata
        return history

    def __reduce__(self) -> tuple[type[ViewHistory], tuple[ViewMetadata]]:
        return ViewHistory, (self._metadata,)

    def _repr_html_(self) -> str:
        versions = {version.version_id: version for version in self._metadata.versions}
        tags = tags_of(self._metadata)
        rows = []
        for entry in self:
            version = versions.get(entry.version_id)
            since = datetime.fromtimestamp(entry.timestamp_ms / 1000, timezone.utc).isoformat(" ", "seconds")
            engine = version.summary.get("engine-name", "") if version else "(expired)"
            texts = ", ".join(shown_dialects(version) if version else ())
            tagged = ", ".join(tag for tag, version_id in tags.items() if version_id == entry.version_id)
            rows.append((since, str(entry.version_id), texts, engine, tagged))
        return html_table("Versions of the view", ("current since", "version", "dialects", "engine", "tags"), rows)


@dataclass(frozen=True)
class View:
    """A view, as it was when it was loaded; a notebook shows its columns, its texts, and its partitions as a calendar.

    ``differences`` lists how the metastore row differs from the metadata file; () if it does not.
    """

    identifier: TableIdentifier
    metadata: ViewMetadata
    metadata_location: str
    row: Row = field(repr=False)
    differences: tuple[RowDifference, ...] = ()

    def __getstate__(self) -> dict[str, Any]:
        # A copy of a view, and what is made of one, has no connection to a metastore.
        return {name: value for name, value in vars(self).items() if name not in (_PARTITION_NAMES, _LINEAGE)}

    def asking(self, partition_names: Callable[[], Sequence[str]], lineage: Callable[..., Lineage]) -> View:
        """This view, whose partitions a notebook asks for so when it shows the view, and which asks so for its lineage:
        they are none of its values.
        """
        vars(self)[_PARTITION_NAMES] = partition_names
        vars(self)[_LINEAGE] = lineage
        return self

    def lineage(self, column: str | None = None, *, dialect: str | None = None) -> Lineage:
        """Where its columns come from: through the views that it reads, as they are now, down to tables.

        ``catalog.lineage(name)`` is the same for any view, a plain one too.

        Args:
            column: one of its columns; by default all.
            dialect: the text to follow, in each view that has one in it; by default the one that plain readers get.

        Raises:
            NotFoundError: it has no such column.
            UnsupportedFeatureError: this is a copy of a view, which has no connection to a metastore.
            MetastoreUnavailableError, AuthenticationError: the metastore does not answer.
        """
        ask = vars(self).get(_LINEAGE)
        if ask is None:
            raise UnsupportedFeatureError(
                f"This copy of {self.identifier} has no connection to a metastore: use catalog.lineage('...')."
            )
        found: Lineage = ask(column, dialect=dialect)
        return found

    def _repr_html_(self) -> str:
        try:
            columns = [(c.name, c.type, c.name in self.partitioned_on, c.comment) for c in self.columns]
        except InvalidSchemaError:
            # Another engine's columns, which do not end in the partition columns.
            columns = [(field.name, str(field.type), False, field.doc) for field in self.schema.fields]
        rows = [
            (name, type_, "partition column" if is_key else "", comment or "")
            for name, type_, is_key, comment in columns
        ]
        differs = f"; its row differs: {'; '.join(map(str, self.differences))}" if self.differences else ""
        version = self.current_version
        texts = ", ".join(shown_dialects(version))
        heading = f"View {self.identifier}, version {version.version_id} ({texts}){differs}"
        return html_block(
            heading,
            *([paragraph(self.comment)] if self.comment else []),
            table(("column", "type", "", "comment"), rows),
            *self._shown_texts(),
            *self._shown_partitions(),
        )

    def _shown_texts(self) -> Sequence[Markup]:
        """The texts as typed, each once for all dialects that have it."""
        dialects: dict[str, list[str]] = defaultdict(list)
        for dialect, shown in zip(self.dialects, shown_dialects(self.current_version), strict=True):
            dialects[self.original_sql(dialect)].append(shown)
        return [
            folded(f"SQL: {', '.join(having)}", source(sql), is_open=not number)
            for number, (sql, having) in enumerate(dialects.items())
        ]

    def _shown_partitions(self) -> Sequence[Markup]:
        partition_names = vars(self).get(_PARTITION_NAMES)
        if not self.partitioned_on or partition_names is None:
            return []
        try:
            return shown_partitions(partition_names())
        except HiveViewsError as error:
            return [paragraph(f"Its partitions are unknown: {error}")]

    @property
    def has_drifted(self) -> bool:
        """Whether another program has changed what the row says; a row that only needs repair has not drifted."""
        return any(difference.kind == "drifted" for difference in self.differences)

    @property
    def uuid(self) -> str:
        return self.metadata.view_uuid

    @property
    def location(self) -> str:
        return self.metadata.location

    @property
    def owner(self) -> str | None:
        return self.row.owner

    @property
    def schema(self) -> Schema:
        return self.metadata.current_schema

    @property
    def columns(self) -> tuple[Column, ...]:
        """All columns with their Hive types, partition columns last."""
        data, keys = row_columns(self.metadata)
        return (*data, *keys)

    @property
    def partition_keys(self) -> tuple[Column, ...]:
        """The partition columns with their Hive types; () if the view is not partitioned."""
        return row_columns(self.metadata)[1]

    @property
    def partitioned_on(self) -> tuple[str, ...]:
        return partitioned_on(self.metadata)

    @property
    def comment(self) -> str | None:
        return self.metadata.properties.get(COMMENT)

    @property
    def properties(self) -> Mapping[str, str]:
        """The properties that users set, without those of this library."""
        return user_properties(self.metadata)

    @property
    def current_version(self) -> ViewVersion:
        return self.metadata.current_version

    @property
    def versions(self) -> tuple[ViewVersion, ...]:
        """The versions that have not expired, oldest id first."""
        return tuple(sorted(self.metadata.versions, key=lambda version: version.version_id))

    @property
    def history(self) -> ViewHistory:
        """When which version became current, oldest first."""
        return ViewHistory(self.metadata)

    @property
    def dialects(self) -> tuple[str, ...]:
        return self.current_version.dialects

    @property
    def stale_dialects(self) -> tuple[str, ...]:
        """The dialects whose texts did not change when those in others did, so that they may say something else."""
        return stale_dialects(self.current_version)

    @property
    def translations(self) -> Mapping[str, TranslationRecord]:
        """By dialect, from what a text was translated, unless it or its source has changed since without that."""
        return up_to_date_translations(self.current_version)

    @property
    def tags(self) -> Mapping[str, int]:
        """The ids of versions by their tags, sorted by tag."""
        return tags_of(self.metadata)

    def version(self, version_id: int) -> ViewVersion:
        """The version with this id.

        Raises:
            NoSuchVersionError: it does not exist or has expired.
        """
        return version_of(self.identifier, self.metadata, version_id)

    def as_of(self, when: Time) -> ViewVersion:
        """The version that was current at a time; for a time in the future, the current one.

        Args:
            when: a ``datetime`` with a time zone, an ISO 8601 string (``2026-08-01T12:00``, UTC if it names no zone;
                without fractions of a second it means the end of that second), or milliseconds since 1970.

        Raises:
            InvalidInputError: it is not a time.
            NoSuchVersionError: the history begins later, or the version has expired.
        """
        return version_as_of(self.identifier, self.metadata, when)

    def tagged(self, tag: str) -> ViewVersion:
        """The version that has a tag.

        Raises:
            NoSuchVersionError: the view has no such tag, or another engine has let the version expire.
        """
        return tagged_version(self.identifier, self.metadata, tag)

    def sql_for(self, dialect: str) -> SQLViewRepresentation:
        """The query in exactly this dialect, as engines read it; see ``stale_dialects`` for whether it is up to date.

        Raises:
            NotFoundError: the current version has no text for it (a text of another dialect never takes its place).
        """
        found = self.current_version.sql_in(dialect)
        if found is None:
            raise NotFoundError(
                f"View {self.identifier} has no SQL in dialect {dialect!r}; it has "
                f"{', '.join(self.dialects) or 'none'}.",
            )
        return found

    def original_sql(self, dialect: str) -> str:
        """The query as its author typed it, byte for byte.

        Raises:
            NotFoundError: the current version has no text for this dialect.
        """
        return original_sql(self.current_version, dialect) or self.sql_for(dialect).sql

    def tables(self) -> tuple[str, ...]:
        """The tables and views that the query names, as ``namespace.name``, in the order of the text.

        Names that resolve in a catalog other than the metastore are prefixed with it.

        Raises:
            NotFoundError: there is no SQL text.
            UnsupportedFeatureError: all texts are in dialects that no parser here knows.
            SQLSyntaxError: the text may name further tables that cannot be found: ``TABLE(t)`` as an argument, or
                ``IDENTIFIER('t')``.
        """
        dialect = next((d for d in ("hive", "spark", *self.dialects) if self.current_version.sql_in(d)), "hive")
        namespace = self.current_version.namespace_or(self.identifier.namespace)
        catalog = other_catalog(self.current_version.default_catalog) if dialect != "hive" else None
        query = QueryText(self.sql_for(dialect).sql, dialect)
        refuse_unread_names(query)
        return tuple(".".join(name) for name in referenced_tables(query, namespace, catalog))


def shown_partitions(names: Sequence[str]) -> Sequence[Markup]:
    """What a notebook shows of the names of declared partitions."""
    return [
        paragraph(f"{counted(len(names), 'partition')} declared"),
        calendar_for_notebooks(dict.fromkeys(names, "declared"), {"declared": "good"}),
    ]


def is_iceberg_view(row: Row) -> bool:
    """Whether a row is a view of this library or of Iceberg, by Iceberg's rule (case does not matter)."""
    return row.is_view and row.parameters.get(TABLE_TYPE, "").upper() == ICEBERG_VIEW


def is_lost(row: Row) -> bool:
    """Whether a row is a view that points to no metadata file: a plain view, or one that lost its pointer."""
    return row.is_view and not (is_iceberg_view(row) and row.parameters.get(POINTER))


def has_lost_pointer(row: Row) -> bool:
    """Whether a row belonged to a view of this library or of Iceberg and no longer points to a file."""
    return is_lost(row) and was_ours(row)


def is_plain(row: Row) -> bool:
    """Whether a row is a view of Hive, Impala, Spark, Trino or Presto without any trace of a metadata file."""
    return row.is_view and not was_ours(row) and not is_half_released(row)


def check_iceberg_view(row: Row) -> None:
    """
    Raises:
        NoSuchIcebergViewError: the row is a table or a plain view.
    """
    name = str(row.identifier)
    if is_half_released(row):
        raise NoSuchIcebergViewError(
            f"Handing back {name} was interrupted: it is a plain view, and its row still names its metadata file.",
            remedy=remedies.finish_release(name),
            identifier=name,
        )
    if not is_iceberg_view(row):
        kind = "a plain view, without a metadata file" if row.is_view else f"a table ({row.table_type}), not a view"
        raise NoSuchIcebergViewError(
            f"{name} is {kind}.", remedy=remedies.adopt(name) if row.is_view else None, identifier=name
        )


def view_of(row: Row, storage: MetadataStorage) -> View:
    """The view that a row points to.

    Raises:
        NoSuchIcebergViewError: the row is a table, a plain view, or has lost its pointer.
        CorruptMetadataError: the file is missing, unreadable, or (view spec: view-uuid) another view's.
        StorageUnavailableError: the storage failed or refused.
    """
    return view_at(row, storage.read(pointer_of(row)))


def pointer_of(row: Row) -> str:
    """The location of the file that a row points to.

    Raises:
        NoSuchIcebergViewError: the row is a table, a plain view, or has lost its pointer.
    """
    check_iceberg_view(row)
    name = str(row.identifier)
    location = row.parameters.get(POINTER)
    if not location:
        raise NoSuchIcebergViewError(
            f"The row of {name} has lost its parameter {POINTER}, which names its metadata file; that is the last file "
            f"in the view's metadata directory.",
            remedy=remedies.undrop(name),
            identifier=name,
        )
    return location


def view_at(row: Row, metadata: ViewMetadata) -> View:
    """The view of a row, given what is in the file that it points to.

    Raises:
        CorruptMetadataError: (view spec: view-uuid) the file is another view's.
    """
    name, location = str(row.identifier), row.parameters[POINTER]
    uuid = row.parameters.get(VIEW_UUID)
    if uuid is not None and uuid.lower() != metadata.view_uuid.lower():
        raise CorruptMetadataError(
            f"The row of {name} belongs to view {uuid}, but {location} to view {metadata.view_uuid}.",
            location=location,
            identifier=name,
        )
    return View(row.identifier, metadata, location, row, differences(row, metadata))
