"""One check of any number of views: everything is read once, and every question is asked of what was read.

What lives here: which rows, files and tables are read, in how many calls. What must not: what is wrong, which the
modules know that are asked.

Of rows it costs a call for each hundred and one for the names of a namespace; of the tables that texts name, a call for
each hundred; of a partitioned view, one for the names of its partitions, and where it was published what revalidating
costs. Files are read several at once. What differs is looked at again before it is a finding: a commit may have been
under way.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache

from hive_views.errors import HiveViewsError, NoSuchNamespaceError, NoSuchTableError, NoSuchViewError
from hive_views.estate.check.circular_views import circular
from hive_views.estate.check.codes import CODES
from hive_views.estate.check.declarations import check_ground, check_names, is_published, may_have_partitions
from hive_views.estate.check.findings import CheckReport, Finding, NotKnown
from hive_views.estate.check.misread_properties import misread
from hive_views.estate.check.row_and_file import compare, has_lost_pointer, lost, read_view, replaced
from hive_views.estate.check.shared_files import sharing
from hive_views.estate.check.view_texts import (
    ColumnsOf,
    Query,
    check_columns,
    check_sources,
    queries_of,
    read_sources,
    sources_of,
)
from hive_views.estate.outcomes import OnOutcome, Outcome, State, ignore
from hive_views.estate.selection import ALL_VIEWS, select_rows
from hive_views.hive.row import POINTER, Row
from hive_views.metastore.port import Metastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from hive_views.views.names import ViewNames, rows_of
from hive_views.views.recovery import find_recoverable
from hive_views.views.view import View, is_iceberg_view, is_lost

Found = Finding | NotKnown
_Rows = dict[TableIdentifier, Row | None]


@dataclass
class _Checked:
    """A view as it was read, and what was found of it so far."""

    row: Row
    view: View | None = None
    found: list[Found] = field(default_factory=list)
    queries: list[Query] = field(default_factory=list)

    @property
    def name(self) -> str:
        return str(self.row.identifier)


def check(
    catalog: ViewCatalog,
    *patterns: str,
    columns_of: ColumnsOf | None = None,
    partitions: bool = True,
    on_outcome: OnOutcome = ignore,
) -> CheckReport:
    """Find all that is wrong with views; nothing is changed.

    Looked for are all codes of ``hive_views.estate.check.codes``: row and metadata file that disagree, files and tables
    that are gone, columns that are gone or of another type, views that read themselves, partitions that do not fit, and
    properties that engines misread. Plain views are looked at as far as it applies to them.

    Args:
        catalog: where the views are.
        patterns: names, or patterns such as ``sales.*``; without one, all views.
        columns_of: an engine that finds the columns of queries, as ``hive_views.spark.schema_of`` does; without one,
            what the metastore does not say of tables is not known.
        partitions: whether declared partitions are looked at, which costs a call for each partitioned view.
        on_outcome: called with each view when all of it is known.

    Raises:
        InvalidInputError: a pattern has not two parts.
        NoSuchViewError, NoSuchNamespaceError: a pattern matches nothing.
        UnsupportedFeatureError: there is no such engine.
        MetastoreUnavailableError, AuthenticationError: the metastore does not answer.
    """
    rows = _selected(catalog.metastore, patterns)
    tables: _Rows = {row.identifier: row for row in rows}
    not_views = [
        NotKnown(str(row.identifier), "view", f"It is a table ({row.table_type}).") for row in rows if not row.is_view
    ]
    checked = _read(catalog, [row for row in rows if row.is_view])
    for one in checked:
        one.found += misread(one.row)
        one.queries = queries_of(one.row, one.view)
    _find_lost(catalog, checked)
    reads = _follow(catalog.metastore, checked, tables)
    plain = frozenset(name for name in reads if (row := tables[name]) is not None and not is_iceberg_view(row))
    others = [*circular(reads, plain), *sharing(row for row in tables.values() if row is not None)]
    by_name = {one.name: one for one in checked}
    for finding in others:
        if finding.view in by_name:
            by_name[finding.view].found.append(finding)
    for number, one in enumerate(checked, 1):
        _look_at_queries(one, tables, columns_of)
        if partitions:
            one.found += _of_partitions(catalog, one)
        on_outcome(Outcome(one.name, State.DONE), number, len(checked))
    order = list(CODES)
    findings = [found for one in checked for found in one.found if isinstance(found, Finding)]
    not_known = [found for one in checked for found in one.found if isinstance(found, NotKnown)]
    return CheckReport(
        tuple(one.name for one in checked),
        tuple(sorted(findings, key=lambda found: (found.view, order.index(found.code)))),
        (*not_views, *dict.fromkeys(not_known)),
    )


def _selected(metastore: Metastore, patterns: Sequence[str]) -> list[Row]:
    try:
        return select_rows(metastore, patterns or (ALL_VIEWS,))
    except NoSuchViewError:
        if patterns:
            raise
        return []  # a metastore without views has nothing wrong with them


# -- rows and files ---------------------------------------------------------------------------------------------------


def _read(catalog: ViewCatalog, rows: Sequence[Row]) -> list[_Checked]:
    """The views of rows; one that is not as it should be is read again, as it may have been changed meanwhile."""
    checked = list(_with_files(catalog, rows))
    again = [one.row.identifier for one in checked if one.found or has_lost_pointer(one.row)]
    now = _load(catalog.metastore, again)
    gone = {name for name, row in now.items() if row is None or not row.is_view}
    before = {one.row.identifier: one.row for one in checked}
    changed = [row for name, row in now.items() if row is not None and row.is_view and row != before[name]]
    anew = {one.row.identifier: one for one in _with_files(catalog, changed)}
    return [anew.get(one.row.identifier, one) for one in checked if one.row.identifier not in gone]


def _with_files(catalog: ViewCatalog, rows: Sequence[Row]) -> Iterator[_Checked]:
    files = catalog.storage.read_each((row.parameters[POINTER] for row in rows if not is_lost(row)), cached=False)
    for row in rows:
        one = _Checked(row)
        if not is_lost(row):
            read = read_view(row, next(files))
            if isinstance(read, View):
                one.found += compare(read)
                one.view = _current(read)
            else:
                one.found.append(read)
        yield one


def _current(view: View) -> View:
    """A view without its history: of thousands it fills the memory."""
    metadata = view.metadata
    now = {"versions": (metadata.current_version,), "schemas": (metadata.current_schema,)}
    return replace(view, metadata=metadata.model_copy(update=now))


def _find_lost(catalog: ViewCatalog, checked: Sequence[_Checked]) -> None:
    """The files of views whose rows do not point to any more, and of those that a plain view took the place of."""
    names = ViewNames(catalog.metastore, catalog.warehouse)
    live = catalog.live_rows()

    @cache
    def directories(namespace: str) -> frozenset[str]:
        # One listing says which of thousands of plain views have a directory at all.
        parents = (place.rpartition("/")[0] for place in names.default_locations(TableIdentifier(namespace, "any")))
        return frozenset(entry for parent in parents for entry in catalog.storage.list_files(parent))

    for one in checked:
        row, name = one.row, one.row.identifier
        if not is_lost(row):
            continue
        is_ours = has_lost_pointer(row)
        try:
            places = names.default_locations(name) if is_ours else _there(name, directories(name.namespace))
            found = find_recoverable(name, places, row, live, catalog.storage)
        except HiveViewsError as error:
            one.found.append(NotKnown(one.name, "file", str(error)))
            found = None
        if is_ours:
            one.found.append(lost(row, found))
        elif found:
            one.found += replaced(row, found)


def _there(name: TableIdentifier, directories: Iterable[str]) -> list[str]:
    return [directory for directory in directories if directory.rpartition("/")[2] == name.name]


# -- what texts read --------------------------------------------------------------------------------------------------


def _follow(
    metastore: Metastore, checked: Sequence[_Checked], tables: _Rows
) -> dict[TableIdentifier, tuple[TableIdentifier, ...]]:
    """Read the rows of all that the texts name, and of what views among these read; returns what each view reads."""
    reads = {one.row.identifier: _read_by_readers(one.row, one.queries) for one in checked}
    named = {name for one in checked for query in one.queries for name in _named(query)}
    while wanted := {*named, *(name for names in reads.values() for name in names)} - set(tables):
        for name, row in _load(metastore, wanted).items():
            tables[name] = row
            if row is not None and row.is_view:
                reads[name] = _read_by_readers(row, queries_of(row, None))
    return reads


def _named(query: Query) -> tuple[TableIdentifier, ...]:
    found = () if query.of_other_catalog else sources_of(query).tables
    if query.typed and "*" in query.typed:
        found += read_sources(query.typed, query.dialect, query.namespace).tables
    return found


def _read_by_readers(row: Row, queries: Sequence[Query]) -> tuple[TableIdentifier, ...]:
    """What plain readers of a row read, which no other dialect's text makes a circle of."""
    first = queries[0] if queries and row.expanded_text else None
    return sources_of(first).tables if first else ()


def _load(metastore: Metastore, names: Iterable[TableIdentifier]) -> _Rows:
    """The rows of these names, None for those that are gone, a hundred in a call."""
    found: _Rows = dict.fromkeys(sorted(names))
    by_namespace: dict[str, list[str]] = defaultdict(list)
    for name in found:
        by_namespace[name.namespace].append(name.name)
    for namespace, ones in by_namespace.items():
        with suppress(NoSuchNamespaceError):
            for row in rows_of(metastore, namespace, ones):
                found[row.identifier] = row
    return found


def _look_at_queries(one: _Checked, tables: _Rows, columns_of: ColumnsOf | None) -> None:
    for query in one.queries:
        found = list(check_sources(query, tables))
        one.found += found
        if not found and query is one.queries[0]:
            one.found += check_columns(query, one.row, one.view, tables, columns_of)


# -- partitions -------------------------------------------------------------------------------------------------------


def _of_partitions(catalog: ViewCatalog, one: _Checked) -> Iterator[Found]:
    if not may_have_partitions(one.row, one.view):
        return
    try:
        names = catalog.metastore.partition_names(one.row.identifier)
    except NoSuchTableError:
        return  # dropped meanwhile
    yield from check_names(one.row, one.view, names)
    if names and one.view is not None and is_published(one.view):
        yield from check_ground(catalog, one.view)
