"""What there is: one line for each view, plain views included."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from hive_views.errors import HiveViewsError, InvalidInputError, NoSuchIcebergViewError
from hive_views.estate.each.selection import ALL_VIEWS, select_rows
from hive_views.hive.row import COMMENT, POINTER, VIEW_UUID, Row
from hive_views.messages.counted import counted
from hive_views.messages.html import Tone, badge, html_table
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewMetadata, ViewVersion
from hive_views.storage.files import fetch_ahead
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.rows_in_bulk import OnUnreadable, refuse
from hive_views.views.row.released import is_half_released
from hive_views.views.row.row_text import dialect_of
from hive_views.views.view import is_iceberg_view, is_lost, view_at

Kind = Literal["managed", "plain", "releasing", "lost", "unreadable"]
"""``managed``: a view of this library or of Iceberg. ``plain``: one without a metadata file. ``releasing``: a row
that is becoming the second, where that was interrupted. ``lost``: a row that was the first, and does not say any more
where its file is. ``unreadable``: a row that the metastore fails on."""

_TONES: Mapping[Kind, Tone] = {
    "managed": "good",
    "plain": "soft",
    "releasing": "warn",
    "lost": "bad",
    "unreadable": "bad",
}

SortKey = Literal["name", "changed", "columns", "partitions", "owner", "engine", "kind"]


@dataclass(frozen=True)
class ViewSummary:
    """A summary of one view.

    Attributes:
        identifier: its name.
        kind: whether it has a metadata file.
        columns: how many, partition columns included.
        partitions: how many are declared; None for a view that is not partitioned.
        changed_ms: when its texts or columns last changed, as far as is known.
        engine: what wrote the current version, as "hive_views 1.0" or "Spark 3.5.1"; "" if unknown.
        owner: of the row.
        dialects: of the current texts.
        comment: of the view.
        version_id: of the current version; None for a view without a readable file.
        error: why the file or the partitions could not be read; the other fields are then taken from the row.
    """

    identifier: TableIdentifier
    kind: Kind
    columns: int
    partitions: int | None
    changed_ms: int | None
    engine: str
    owner: str | None
    dialects: tuple[str, ...]
    comment: str | None
    version_id: int | None = None
    error: HiveViewsError | None = None

    def document(self) -> dict[str, Any]:
        """The summary as JSON holds it."""
        return {
            "identifier": str(self.identifier),
            "kind": self.kind,
            "columns": self.columns,
            "partitions": self.partitions,
            "changed_ms": self.changed_ms,
            "engine": self.engine,
            "owner": self.owner,
            "dialects": list(self.dialects),
            "comment": self.comment,
            "version_id": self.version_id,
            "error": str(self.error) if self.error else None,
        }


class ViewSummaries(tuple[ViewSummary, ...]):
    """Views in short; a notebook shows them as a table."""

    def _repr_html_(self) -> str:
        rows = []
        for one in self:
            partitions = "" if one.partitions is None else str(one.partitions)
            texts, kind = ", ".join(one.dialects), badge(one.kind, _TONES[one.kind])
            about = str(one.error or one.comment or "")
            rows.append((str(one.identifier), kind, str(one.columns), partitions, texts, one.engine, about))
        headings = ("view", "kind", "columns", "partitions", "dialects", "engine", "comment")
        return html_table(counted(len(self), "view"), headings, rows)


def view_rows(catalog: ViewCatalog, *patterns: str, on_unreadable: OnUnreadable = refuse) -> list[Row]:
    """The rows of the views that match one of the patterns, of all without any, sorted by name; plain views too.

    A namespace without views, or a metastore, gives none.

    Raises:
        NoSuchIcebergViewError: a table has a name that was given.
        NoSuchNamespaceError, NoSuchViewError: one that was given does not exist.
    """
    names = catalog.engine.lookup
    found: dict[TableIdentifier, Row] = {}
    for pattern in patterns or (ALL_VIEWS,):
        namespace, _, name = pattern.partition(".") if isinstance(pattern, str) else ("", "", "")
        if pattern == ALL_VIEWS:
            rows = list(names.all_rows(on_unreadable))
        elif name == "*" and {*namespace}.isdisjoint("*?["):
            rows = names.rows(TableIdentifier(namespace, "any").namespace, on_unreadable)
        else:
            rows = select_rows(catalog.metastore, [pattern], on_unreadable)
        found |= {row.identifier: row for row in rows}
    for row in found.values():
        if not row.is_view:
            raise NoSuchIcebergViewError(
                f"{row.identifier} is a table ({row.table_type}), not a view.", identifier=str(row.identifier)
            )
    return [found[identifier] for identifier in sorted(found)]


def describe_views(catalog: ViewCatalog, *patterns: str, count_partitions: bool = True) -> ViewSummaries:
    """A summary of each view, plain views included, sorted by name.

    Rows are read a hundred per call, and files in parallel. A view whose file cannot be read is described by its row,
    with the error, and one whose row the metastore fails on by its name. A partitioned view costs one more call.

    Args:
        catalog: where the views are.
        patterns: names, or patterns such as ``sales.*``; by default all views.
        count_partitions: whether to count partitions; otherwise ``partitions`` is None.

    Raises:
        NoSuchNamespaceError, NoSuchViewError: a name that was given does not exist, or is a table.
    """
    unreadable: dict[TableIdentifier, HiveViewsError] = {}
    rows = view_rows(catalog, *patterns, on_unreadable=unreadable.__setitem__)
    managed = [row for row in rows if kind_of(row) == "managed"]
    files = catalog.storage.read_each(row.parameters[POINTER] for row in managed)
    metadata = {row.identifier: found for row, found in zip(managed, files, strict=True)}
    partitioned = [str(row.identifier) for row in rows if row.partition_keys] if count_partitions else []
    numbers = fetch_ahead(lambda name: _count(catalog, name), partitioned)
    counts = dict(zip(partitioned, numbers, strict=True))
    found = [_summary(row, metadata.get(row.identifier), counts.get(str(row.identifier))) for row in rows]
    found += [
        ViewSummary(name, "unreadable", 0, None, None, "", None, (), None, error=unreadable[name])
        for name in unreadable
    ]
    return ViewSummaries(sorted(found, key=lambda one: one.identifier))


def kind_of(row: Row) -> Kind:
    """Whether a view has a metadata file, as its row says."""
    if not is_lost(row):
        return "managed"
    if is_half_released(row):
        return "releasing"
    return "lost" if is_iceberg_view(row) or VIEW_UUID in row.parameters else "plain"


def sorted_by(summaries: ViewSummaries, key: SortKey, *, reverse: bool = False) -> ViewSummaries:
    """Sorted by what is asked for, then by name: numbers and times from the highest, texts from A.

    Args:
        summaries: what is sorted.
        key: by what.
        reverse: the other way round.

    Raises:
        InvalidInputError: it is none of the keys.
    """
    if key not in _ORDERS:
        raise InvalidInputError(f"Cannot sort by {key!r}: it is one of {', '.join(_ORDERS)}.")
    return ViewSummaries(sorted(summaries, key=lambda one: (_ORDERS[key](one), one.identifier), reverse=reverse))


def _highest_first(number: int | None) -> float:
    return float("inf") if number is None else -number


_ORDERS: Mapping[str, Callable[[ViewSummary], Any]] = {
    "name": lambda one: one.identifier,
    "changed": lambda one: _highest_first(one.changed_ms),
    "columns": lambda one: _highest_first(one.columns),
    "partitions": lambda one: _highest_first(one.partitions),
    "owner": lambda one: one.owner or "",
    "engine": lambda one: one.engine,
    "kind": lambda one: one.kind,
}


def _count(catalog: ViewCatalog, name: str) -> int | HiveViewsError:
    try:
        return len(catalog.metastore.partition_names(TableIdentifier.of(name)))
    except HiveViewsError as error:
        return error


def _summary(row: Row, file: ViewMetadata | HiveViewsError | None, count: int | HiveViewsError | None) -> ViewSummary:
    errors = [one for one in (file, count) if isinstance(one, HiveViewsError)]
    metadata = file if isinstance(file, ViewMetadata) else None
    if metadata is not None:
        try:
            view_at(row, metadata)
            # What the file names as current may not be in it.
            _ = metadata.current_schema
        except HiveViewsError as e:
            errors, metadata = [e, *errors], None
    version = metadata.current_version if metadata else None
    return ViewSummary(
        identifier=row.identifier,
        kind=kind_of(row),
        columns=len(metadata.current_schema.fields) if metadata else len({c.name for c in _columns(row)}),
        partitions=count if isinstance(count, int) else None,
        changed_ms=metadata.version_log[-1].timestamp_ms if metadata and metadata.version_log else _changed_ms(row),
        engine=_engine_of(version) if version else _engine_of_plain(row),
        owner=row.owner,
        dialects=version.dialects if version else (dialect_of(row),),
        comment=metadata.properties.get(COMMENT) if metadata else row.parameters.get(COMMENT),
        version_id=version.version_id if version else None,
        error=errors[0] if errors else None,
    )


def _columns(row: Row) -> Iterator[Any]:
    yield from row.columns
    yield from row.partition_keys


def _changed_ms(row: Row) -> int | None:
    return (row.ddl_time_s or row.create_time_s) * 1000 or None


def _engine_of(version: ViewVersion) -> str:
    return " ".join(filter(None, (version.summary.get("engine-name"), version.summary.get("engine-version"))))


def _engine_of_plain(row: Row) -> str:
    spark = row.parameters.get("spark.sql.create.version")
    trino = row.parameters.get("trino_version") or row.parameters.get("presto_version")
    return f"Spark {spark}" if spark else f"Trino {trino}" if trino else ""
