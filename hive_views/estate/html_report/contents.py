"""What the page shows, read once, as plain values with bounds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timezone

from hive_views.base_tables.port import BaseTable
from hive_views.errors import HiveViewsError
from hive_views.estate.checks.checking import check_rows
from hive_views.estate.each.outcomes import is_unreachable
from hive_views.estate.each.selection import ALL_VIEWS, select_or_all
from hive_views.estate.html_report.breakage import Breakage, breakage_of, readers_of
from hive_views.estate.html_report.graph_layout import Drawing, drawings_of
from hive_views.estate.html_report.problems import CAUSED_BY_ANOTHER, ERROR, Block, Problem, blocks_of, problem_of
from hive_views.estate.html_report.publication_calendars import Month
from hive_views.estate.html_report.publications import Publication, publication_of
from hive_views.estate.html_report.shown_views import PLAIN, ShownView, Some, shown_view
from hive_views.hive.row import VIRTUAL_VIEW, Row
from hive_views.messages.remedy import Remedy
from hive_views.persisted import PUBLISHED_WITH
from hive_views.publishing.status import TablesOfMany, status_of_view
from hive_views.readiness.reasons import shown_timestamp
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewMetadata
from hive_views.views.catalog import ViewCatalog
from hive_views.views.row.dependencies import read_by
from hive_views.views.view import View, is_iceberg_view, pointer_of, view_at

MOST_READERS = 100
MOST_UNFOLDED = 200
FEWEST_IN_INDEX = 30


@dataclass(frozen=True)
class Contents:
    """All that the page shows: views in their order, problems and publications with the worst first.

    Attributes:
        patterns: which views were asked for.
        made_at_ms: when, since 1970.
        views: by name.
        blocks: equal problems as one.
        publications: of these views.
        drawings: of the dependency graph.
        breakage: which views are broken, and which read one.
    """

    patterns: tuple[str, ...]
    made_at_ms: int
    views: Mapping[str, ShownView]
    blocks: tuple[Block, ...]
    publications: tuple[Publication, ...]
    drawings: tuple[Drawing, ...]
    breakage: Breakage

    @property
    def made_at(self) -> str:
        """When, as it is read."""
        return shown_timestamp(self.made_at_ms, timezone.utc)

    @property
    def by_namespace(self) -> Mapping[str, list[ShownView]]:
        """The views, in their order."""
        found: dict[str, list[ShownView]] = defaultdict(list)
        for view in self.views.values():
            found[view.namespace].append(view)
        return found

    @property
    def month_shapes(self) -> Iterable[Month]:
        """A month of each first weekday and length that the calendars have."""
        months = (month for one in self.publications if one.calendar for month in one.calendar.months)
        return {(month.first_weekday, month.length): month for month in months}.values()

    @property
    def are_many(self) -> bool:
        """Whether there are hundreds of views, which are folded by namespace."""
        return len(self.views) > MOST_UNFOLDED

    @property
    def by_letter(self) -> Mapping[str, list[ShownView]]:
        """The views by the first letter of their names, without their namespaces; few are found without an index."""
        found: dict[str, list[ShownView]] = defaultdict(list)
        if len(self.views) >= FEWEST_IN_INDEX:
            for view in sorted(self.views.values(), key=lambda one: (one.short_name.casefold(), one.name)):
                first = view.short_name[:1].upper()
                found[first if first.isalpha() else "other"].append(view)
        return found

    @property
    def counts(self) -> dict[str, int]:
        """How much of what there is."""
        problems = [one for view in self.views.values() for one in view.problems]
        return {
            "views": len(self.views),
            "plain_views": sum(view.kind == PLAIN for view in self.views.values()),
            "broken_views": len({one.view for one in problems if one.severity == ERROR}),
            "affected_views": len(self.breakage.affected),
            "findings": len(problems),
            "publications": len(self.publications),
            "late": sum(len(one.status.late) for one in self.publications),
            "waiting": sum(len(one.status.waiting) for one in self.publications),
        }


def read_contents(
    catalog: ViewCatalog,
    patterns: Sequence[str],
    base_tables: Mapping[str, BaseTable] | None,
    in_words: Callable[[Remedy], str],
    url_of: Callable[[TableIdentifier], str | None],
) -> Contents:
    """All that the page shows of the views that match; see ``report``."""
    unreadable: dict[TableIdentifier, HiveViewsError] = {}
    named = () if tuple(patterns) == (ALL_VIEWS,) else patterns
    rows = [row for row in select_or_all(catalog.metastore, named, unreadable.__setitem__) if row.is_view]
    problems: dict[str, list[Problem]] = defaultdict(list)
    for finding in check_rows(catalog, rows).findings:
        problems[finding.view].append(problem_of(finding, in_words))
    found = list(zip(rows, _views(catalog, rows), strict=True))
    found += [(Row(name, VIRTUAL_VIEW), error) for name, error in unreadable.items()]
    found.sort(key=lambda one: one[0].identifier)
    tables = TablesOfMany(catalog, base_tables)
    made_at_ms = catalog.settings.clock_ms()
    publications = [
        publication_of(status, made_at_ms)
        for row, view in found
        if isinstance(view, View) and any(key.startswith(PUBLISHED_WITH) for key in view.metadata.properties)
        for status in status_of_view(catalog, row.identifier, tables)
    ]
    published: dict[str, list[str]] = defaultdict(list)
    for publication in publications:
        published[publication.status.view].append(publication.name)
    reads = {str(row.identifier): tuple(map(str, read_by(row))) for row, _ in found}
    readers = readers_of(reads)
    breakage = _breakage(problems.values(), readers)
    views = {}
    for row, view in found:
        name = str(row.identifier)
        views[name] = replace(
            shown_view(row, view),
            partitions=_count(catalog, row) if row.partition_keys else None,
            reads=reads[name],
            problems=tuple(problems[name]),
            read_by=Some.of(readers.get(name, ()), MOST_READERS),
            publications=tuple(published[name]),
            url=url_of(row.identifier),
            cause=breakage.affected.get(name),
        )
    return Contents(
        tuple(patterns),
        made_at_ms,
        views,
        blocks_of((one for view in views.values() for one in view.problems), readers),
        tuple(sorted(publications, key=lambda one: one.rank)),
        tuple(drawings_of(reads, {*breakage.broken, *breakage.affected})),
        breakage,
    )


def _breakage(problems: Iterable[Sequence[Problem]], readers: Mapping[str, Sequence[str]]) -> Breakage:
    broken: set[str] = set()
    affected: dict[str, str] = {}
    for one in (one for of_view in problems for one in of_view if one.severity == ERROR):
        if one.code == CAUSED_BY_ANOTHER:
            affected[one.view] = one.cause or one.view
        else:
            broken.add(one.view)
    return breakage_of(broken, {view: cause for view, cause in affected.items() if view not in broken}, readers)


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
