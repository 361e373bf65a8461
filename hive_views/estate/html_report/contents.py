"""What the page shows, read once, as plain values with bounds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timezone
from itertools import pairwise
from typing import Any

from hive_views.base_tables.port import BaseTable
from hive_views.errors import HiveViewsError
from hive_views.estate.checks.checking import check_rows
from hive_views.estate.checks.findings import Finding
from hive_views.estate.each.outcomes import is_unreachable
from hive_views.estate.each.selection import ALL_VIEWS, select_or_all
from hive_views.estate.html_report.graph_layout import Drawing, drawings_of
from hive_views.estate.html_report.publication_calendars import PUBLISHED, READY, WAITING, Calendar, calendar_of
from hive_views.hive.row import COMMENT, DDL_TIME, POINTER, VIRTUAL_VIEW, Column, Row
from hive_views.messages.credentials import hide_credentials
from hive_views.messages.remedy import Remedy
from hive_views.persisted import PUBLISHED_WITH
from hive_views.publishing.ledger.fencing import NO_APPLICATION
from hive_views.publishing.status import PublicationStatus, TablesOfMany, status_of_view
from hive_views.readiness.reasons import shown_timestamp
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewMetadata, ViewVersion
from hive_views.views.catalog import ViewCatalog
from hive_views.views.row.dependencies import read_by
from hive_views.views.row.row_text import text_of
from hive_views.views.row.version import original_sql
from hive_views.views.version_diff import Definition, columns_of, compare
from hive_views.views.view import View, is_iceberg_view, pointer_of, view_at

MANAGED, PLAIN, UNREADABLE = "managed", "plain", "unreadable"

MOST_CHANGES = 10
MOST_DIFF_LINES = 120
MOST_CHARACTERS = 20_000
MOST_WAITING = 50
MOST_READERS = 100

_STATES = ("failed", "unfinished", "waiting", "ready", "current")
_OF_ROWS = (COMMENT, DDL_TIME)


@dataclass(frozen=True)
class Some:
    """The first of many, and how many more there are."""

    shown: tuple[Any, ...]
    more: int = 0

    @classmethod
    def of(cls, items: Iterable[Any], most: int) -> Some:
        """The first ``most`` of these."""
        all_ = tuple(items)
        return cls(all_[:most], max(len(all_) - most, 0))


NONE = Some(())


@dataclass(frozen=True)
class Problem:
    """Something that is wrong with a view, with what an engine does with it; the code is one of ``checks.codes``."""

    view: str
    code: str
    severity: str
    what: str
    effect: str
    repair: str


@dataclass(frozen=True)
class Text:
    """A query, cut where it is very long; ``heading`` says the dialects that have it."""

    heading: str
    sql: str
    left_out: int


@dataclass(frozen=True)
class Change:
    """A version that became current, with what differs from the one before as headings and lines of diffs."""

    version_id: int
    since: str
    by: str
    dialects: tuple[str, ...]
    parts: tuple[tuple[str, Some], ...]


@dataclass(frozen=True)
class Publication:
    """A publication, with its calendar if its partitions are days; what waits is cut where it is much."""

    status: PublicationStatus
    calendar: Calendar | None
    waiting: Some

    @property
    def name(self) -> str:
        """The name, where it has one of its own."""
        return "" if self.status.publication == NO_APPLICATION else self.status.publication

    @property
    def state(self) -> str:
        """In one word."""
        if self.status.error:
            return "failed"
        if self.status.unfinished_run is not None:
            return "unfinished"
        if self.status.ready:
            return "ready"
        return "waiting" if self.status.waiting else "current"


@dataclass(frozen=True)
class ShownView:
    """A view as the page shows it; where its metadata file cannot be read, as its row has it."""

    name: str
    namespace: str
    kind: str
    comment: str
    owner: str
    since: str
    columns: tuple[Column, ...]
    partitioned_on: tuple[str, ...]
    texts: tuple[Text, ...]
    properties: Mapping[str, str]
    location: str
    dialects: tuple[str, ...] = ()
    by: str = ""
    version_id: int | None = None
    history: Some = NONE
    problems: tuple[Problem, ...] = ()
    partitions: int | None = None
    reads: tuple[str, ...] = ()
    read_by: Some = NONE
    publications: tuple[str, ...] = ()


@dataclass(frozen=True)
class Contents:
    """All that the page shows: views in their order, problems with errors first, publications that failed first."""

    patterns: tuple[str, ...]
    made_at: str
    views: Mapping[str, ShownView]
    problems: tuple[Problem, ...]
    publications: tuple[Publication, ...]
    drawings: tuple[Drawing, ...]

    @property
    def by_namespace(self) -> Mapping[str, list[ShownView]]:
        """The views, in their order."""
        found: dict[str, list[ShownView]] = defaultdict(list)
        for view in self.views.values():
            found[view.namespace].append(view)
        return found

    @property
    def counts(self) -> dict[str, int]:
        """How much of what there is."""
        return {
            "views": len(self.views),
            "plain_views": sum(view.kind == PLAIN for view in self.views.values()),
            "broken_views": len({one.view for one in self.problems if one.severity == "error"}),
            "findings": len(self.problems),
            "publications": len(self.publications),
            "waiting": sum(len(one.status.waiting) for one in self.publications),
        }


def read_contents(
    catalog: ViewCatalog,
    patterns: Sequence[str],
    base_tables: Mapping[str, BaseTable] | None,
    in_words: Callable[[Remedy], str],
) -> Contents:
    """All that the page shows of the views that match; see ``report``."""
    unreadable: dict[TableIdentifier, HiveViewsError] = {}
    named = () if tuple(patterns) == (ALL_VIEWS,) else patterns
    rows = [row for row in select_or_all(catalog.metastore, named, unreadable.__setitem__) if row.is_view]
    problems: dict[str, list[Problem]] = defaultdict(list)
    for finding in check_rows(catalog, rows).findings:
        problems[finding.view].append(_problem(finding, in_words))
    found = list(zip(rows, _views(catalog, rows), strict=True))
    found += [(Row(name, VIRTUAL_VIEW), error) for name, error in unreadable.items()]
    found.sort(key=lambda one: one[0].identifier)
    tables = TablesOfMany(catalog, base_tables)
    publications = [
        _publication(status)
        for row, view in found
        if isinstance(view, View) and any(key.startswith(PUBLISHED_WITH) for key in view.metadata.properties)
        for status in status_of_view(catalog, row.identifier, tables)
    ]
    reads = {str(row.identifier): tuple(map(str, read_by(row))) for row, _ in found}
    readers: dict[str, list[str]] = defaultdict(list)
    for name, read in reads.items():
        for one in read:
            readers[one].append(name)
    published: dict[str, list[str]] = defaultdict(list)
    for publication in publications:
        published[publication.status.view].append(publication.name)
    views = {}
    for row, view in found:
        name = str(row.identifier)
        views[name] = replace(
            _shown(row, view),
            partitions=_count(catalog, row) if row.partition_keys else None,
            reads=reads[name],
            problems=tuple(problems[name]),
            read_by=Some.of(readers[name], MOST_READERS),
            publications=tuple(published[name]),
        )
    return Contents(
        tuple(patterns),
        shown_timestamp(catalog.settings.clock_ms(), timezone.utc),
        views,
        tuple(
            sorted((one for view in views.values() for one in view.problems), key=lambda one: one.severity != "error")
        ),
        tuple(sorted(publications, key=lambda one: _STATES.index(one.state))),
        tuple(drawings_of(reads, {name: view.namespace for name, view in views.items()})),
    )


def _problem(finding: Finding, in_words: Callable[[Remedy], str]) -> Problem:
    return Problem(
        finding.view, finding.code, finding.severity, finding.problem, finding.engines, in_words(finding.remedy)
    )


def _views(catalog: ViewCatalog, rows: Sequence[Row]) -> list[View | HiveViewsError | None]:
    """The view of each row, or why it cannot be read; None for a plain view. Files are read several at once."""
    found: dict[TableIdentifier, View | HiveViewsError | None] = {}
    with_file: list[tuple[Row, str]] = []
    for row in rows:
        found[row.identifier] = None
        try:
            if is_iceberg_view(row):
                with_file.append((row, pointer_of(row)))
        except HiveViewsError as error:
            found[row.identifier] = error
    files = catalog.storage.read_each(location for _, location in with_file)
    for (row, _), metadata in zip(with_file, files, strict=True):
        found[row.identifier] = _view(row, metadata)
    return list(found.values())


def _view(row: Row, metadata: ViewMetadata | HiveViewsError) -> View | HiveViewsError:
    try:
        if isinstance(metadata, HiveViewsError):
            return metadata
        # What the file names as current may not be in it.
        _ = metadata.current_schema
        return view_at(row, metadata)
    except HiveViewsError as error:
        return error


def _count(catalog: ViewCatalog, row: Row) -> int | None:
    try:
        return len(catalog.metastore.partition_names(row.identifier))
    except HiveViewsError as error:
        # Dropped meanwhile, or the metastore fails on it, which is among what check does not know.
        if is_unreachable(error, catalog):
            raise
        return None


def _shown(row: Row, view: View | HiveViewsError | None) -> ShownView:
    if isinstance(view, View):
        return _shown_view(view)
    changed_s = row.ddl_time_s or row.create_time_s
    return ShownView(
        name=str(row.identifier),
        namespace=row.identifier.namespace,
        kind=PLAIN if view is None else UNREADABLE,
        comment=row.parameters.get(COMMENT, ""),
        owner=row.owner or "",
        since=_time(changed_s * 1000) if changed_s else "",
        columns=(*row.columns, *row.partition_keys),
        partitioned_on=tuple(key.name for key in row.partition_keys),
        texts=(_text("SQL in the metastore", text_of(row).sql),),
        properties={key: value for key, value in sorted(row.parameters.items()) if key not in _OF_ROWS},
        location=hide_credentials(row.parameters.get(POINTER, "")),
    )


def _shown_view(view: View) -> ShownView:
    version = view.current_version
    return ShownView(
        name=str(view.identifier),
        namespace=view.identifier.namespace,
        kind=MANAGED,
        comment=view.comment or "",
        owner=view.owner or "",
        since=_time(view.history[-1].timestamp_ms if view.history else version.timestamp_ms),
        by=_engine(version),
        version_id=version.version_id,
        columns=columns_of(view.metadata, version),
        partitioned_on=view.partitioned_on,
        dialects=version.dialects,
        texts=_texts(version),
        properties={key: value for key, value in sorted(view.properties.items()) if key != COMMENT},
        location=hide_credentials(view.metadata_location),
        history=_history(view),
    )


def _texts(version: ViewVersion) -> tuple[Text, ...]:
    """The texts as typed, each once for all dialects that have it."""
    dialects: dict[str, list[str]] = defaultdict(list)
    for one in version.sql_representations:
        dialects[original_sql(version, one.dialect) or one.sql].append(one.dialect.lower())
    return tuple(_text(f"SQL: {', '.join(having)}", sql) for sql, having in dialects.items())


def _text(heading: str, sql: str) -> Text:
    return Text(heading, sql[:MOST_CHARACTERS], max(len(sql) - MOST_CHARACTERS, 0))


def _history(view: View) -> Some:
    """The last changes, the newest first, each with what differs from the one before."""
    versions = {version.version_id: version for version in view.versions}
    entries = [None, *view.history]
    shown = list(pairwise(entries))[-MOST_CHANGES:][::-1]
    changes = []
    for before, entry in shown:
        assert entry
        version = versions.get(entry.version_id)
        former = versions.get(before.version_id) if before else None
        changes.append(
            Change(
                entry.version_id,
                _time(entry.timestamp_ms),
                _engine(version) if version else "(expired)",
                version.dialects if version else (),
                _differences(view.metadata, former, version) if former and version else (),
            )
        )
    return Some(tuple(changes), len(entries) - 1 - len(shown))


def _differences(metadata: ViewMetadata, before: ViewVersion, after: ViewVersion) -> tuple[tuple[str, Some], ...]:
    try:
        return tuple(_compared(metadata, before, after))
    except HiveViewsError as error:
        # A former version that cannot be read harms nobody but who asks for it.
        return ((f"Unknown: {error}", NONE),)


def _compared(metadata: ViewMetadata, before: ViewVersion, after: ViewVersion) -> Iterator[tuple[str, Some]]:
    # Properties have no versions of their own, and looking for them would read all former files of all views.
    definitions = [Definition.of(metadata, one, properties_of=None) for one in (before, after)]
    for one in compare(*definitions):
        dialects = [part.removeprefix("sql ") for part in one.parts if part.startswith("sql ")]
        yield f"SQL: {', '.join(dialects)}" if dialects else "Columns", Some.of(one.lines, MOST_DIFF_LINES)


def _engine(version: ViewVersion) -> str:
    return " ".join(filter(None, (version.summary.get("engine-name", ""), version.summary.get("engine-version", ""))))


def _time(timestamp_ms: int) -> str:
    return shown_timestamp(timestamp_ms, timezone.utc)


def _publication(status: PublicationStatus) -> Publication:
    states = {
        **dict.fromkeys(status.published_names, PUBLISHED),
        **dict.fromkeys(status.ready, READY),
        **dict.fromkeys(status.waiting, WAITING),
    }
    return Publication(status, calendar_of(states), Some.of(status.waiting.items(), MOST_WAITING))
