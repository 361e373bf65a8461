"""One check of any number of views: everything is read once, and every question is asked of what was read.

Of rows it costs a call for each hundred and one for the names of a namespace; of the tables that texts name, a call for
each hundred, and of an Iceberg table one file, of a Delta or Paimon table a listing and mostly one file (as
``columns_of_rows``); of a partitioned view, one for the names of its partitions, and where it was published what
revalidating costs. Files are read several at once. What differs is looked at again before it is a finding: a commit may
have been under way. Views are looked at many together, and what was read of them is forgotten then. What fails of one
view is not known of it; only without the metastore does a check end.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache

from hive_views.base_tables.declared_columns import DeclaredColumns, columns_of_rows
from hive_views.errors import (
    HiveViewsError,
    NoSuchTableError,
)
from hive_views.estate.checks.codes import CODES
from hive_views.estate.checks.declarations import check_ground, check_names, is_published, may_have_partitions
from hive_views.estate.checks.findings import CheckReport, Finding, NotKnown
from hive_views.estate.checks.last_file import CODES_OF_FILES, beside, with_last_file
from hive_views.estate.checks.misread_properties import misread
from hive_views.estate.checks.outdated_translations import check_translations
from hive_views.estate.checks.relations import broken_through, circular, sharing
from hive_views.estate.checks.row_and_file import (
    compare,
    lost,
    read_view,
    replaced,
    stale_texts,
    unfinished_release,
)
from hive_views.estate.checks.view_texts import (
    ColumnsOf,
    check_columns,
    check_sources,
    read_sources,
    sources_of,
)
from hive_views.estate.each.loaded_rows import load
from hive_views.estate.each.outcomes import OnOutcome, Outcome, State, ignore, is_unreachable, with_bar
from hive_views.estate.each.selection import select_or_all
from hive_views.hive.row import POINTER, PREVIOUS_POINTER, Row
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from hive_views.views.changes.translated_texts import KnownToTranslations
from hive_views.views.recovery.recoverable import LiveRows, Recoverable, find_recoverable
from hive_views.views.row.projection import is_in_iceberg
from hive_views.views.text_analysis.texts import ViewText
from hive_views.views.text_analysis.texts import texts_of as queries_of
from hive_views.views.view import View, has_lost_pointer, is_iceberg_view, is_lost

Found = Finding | NotKnown

_TOGETHER = 500


@dataclass
class _Checked:
    """A view as it was read, and what was found of it so far."""

    row: Row
    catalog: ViewCatalog
    view: View | None = None
    found: list[Found] = field(default_factory=list)
    queries: list[ViewText] = field(default_factory=list)
    broken_by: Finding | None = None

    @property
    def name(self) -> str:
        return str(self.row.identifier)

    @contextmanager
    def asking(self, about: str) -> Iterator[None]:
        """What fails of one view is unknown of it; where nothing more can be known of any, the run ends.

        Raises:
            MetastoreUnavailableError, AuthenticationError: the metastore does not answer.
        """
        try:
            yield
        except HiveViewsError as error:
            if is_unreachable(error, self.catalog):
                raise
            self.found.append(NotKnown(self.name, about, str(error)))


@dataclass
class _Tables:
    """What was read of the metastore so far.

    Attributes:
        rows: of views and tables, by name; None for those that are gone.
        columns: of those among them that texts read.
        unreadable: names whose rows cannot be read, each with the reason.
        reads: what each view reads.
        broken: views that are read and were not asked for, and why they cannot be read.
    """

    rows: dict[TableIdentifier, Row | None] = field(default_factory=dict)
    columns: DeclaredColumns = field(default_factory=DeclaredColumns)
    unreadable: dict[TableIdentifier, HiveViewsError] = field(default_factory=dict)
    reads: dict[TableIdentifier, tuple[TableIdentifier, ...]] = field(default_factory=dict)
    broken: dict[TableIdentifier, Finding] = field(default_factory=dict)

    def in_iceberg(self, names: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
        """Which of these are tables of Iceberg or views of this library."""
        rows = {name: self.rows.get(TableIdentifier(*name)) for name in names}
        return {name for name, row in rows.items() if row is not None and is_in_iceberg(row)}


def check(
    catalog: ViewCatalog,
    *patterns: str,
    columns_of: ColumnsOf | None = None,
    partitions: bool = True,
    on_outcome: OnOutcome = ignore,
) -> CheckReport:
    """Find everything that is wrong with views; nothing is changed.

    Looks for all codes of ``hive_views.estate.checks.codes``: rows and metadata files that disagree, files and tables
    that are gone, columns that are gone or have another type, circular dependencies, partitions that do not fit, and
    properties that engines misread. Plain views are checked as far as the checks apply to them.

    Args:
        catalog: where the views are.
        patterns: names, or patterns such as ``sales.*``; by default all views.
        columns_of: an engine that finds the columns of queries, as ``hive_views.spark.schema_of`` does. Without one,
            what the metastore does not know of tables is reported as not known.
        partitions: whether declared partitions are checked, which costs a call for each partitioned view.
        on_outcome: called with each view once it has been checked.

    Raises:
        InvalidInputError: a pattern does not have two parts.
        NoSuchViewError, NoSuchNamespaceError: a pattern matches nothing.
        UnsupportedFeatureError: there is no such engine.
        MetastoreUnavailableError, AuthenticationError: the metastore does not answer.
    """
    unreadable: dict[TableIdentifier, HiveViewsError] = {}
    rows = select_or_all(catalog.metastore, patterns, unreadable.__setitem__)
    report = check_rows(catalog, rows, columns_of, partitions=partitions, on_outcome=on_outcome)
    without_row = (NotKnown(str(name), "row", str(error)) for name, error in unreadable.items())
    return replace(report, not_known=(*without_row, *report.not_known))


def check_rows(
    catalog: ViewCatalog,
    rows: Sequence[Row],
    columns_of: ColumnsOf | None = None,
    *,
    partitions: bool = True,
    translations: bool = True,
    derived: Collection[TableIdentifier] = (),
    on_outcome: OnOutcome = ignore,
) -> CheckReport:
    """``check`` of views whose rows were read already; ``derived`` are those whose columns were just derived.

    Without ``translations``, texts are not translated again to see what comes of it.
    """
    known = columns_of_rows(rows, catalog.storage.files)
    tables = _Tables({row.identifier: row for row in rows}, known)
    views = [row for row in rows if row.is_view]
    with_settings = KnownToTranslations(
        lambda _: tables.columns.columns, catalog.settings.udfs, catalog.settings.trino_catalog, tables.in_iceberg
    )
    checked: list[_Checked] = []
    for one in with_bar(_with_queries(catalog, views, tables), len(views), on_outcome):
        with_columns = one.row.identifier not in derived
        _look_at_queries(one, tables, columns_of, with_settings.trino_catalog, with_columns=with_columns)
        if translations and one.view is not None:
            with one.asking("translation"):
                broken = _broken_dialects(one.found)
                one.found += check_translations(one.view, tables.columns, with_settings, broken)
        if partitions:
            with one.asking("partitions"):
                one.found += _of_partitions(catalog, one)
        one.broken_by = _broken_by(one.found, one.queries)
        # Of thousands it would fill the memory.
        one.view, one.queries = None, []
        checked.append(one)
        on_outcome(Outcome(one.name, State.DONE), len(checked), len(views))
    _find_what_several_share(checked, tables)
    order = list(CODES)
    findings = [found for one in checked for found in one.found if isinstance(found, Finding)]
    not_views = [
        NotKnown(str(row.identifier), "view", f"It is a table ({row.table_type}).") for row in rows if not row.is_view
    ]
    not_known = [found for one in checked for found in one.found if isinstance(found, NotKnown)]
    return CheckReport(
        tuple(one.name for one in checked),
        tuple(sorted(findings, key=lambda found: (found.view, order.index(found.code)))),
        (*not_views, *dict.fromkeys(not_known)),
    )


def _with_queries(catalog: ViewCatalog, views: Sequence[Row], tables: _Tables) -> Iterator[_Checked]:
    """The views, with what their texts say and what these read; many are read at once."""
    lost_files, asked_for = _LostFiles(catalog), frozenset(row.identifier for row in views)
    for start in range(0, len(views), _TOGETHER):
        together = _read(catalog, views[start : start + _TOGETHER])
        for one in together:
            lost_files.look_for(one)
            with one.asking("text"):
                one.found += [*misread(one.row), *(stale_texts(one.view) if one.view else ())]
                one.queries = queries_of(one.row, one.view)
        _follow(catalog, together, tables, asked_for)
        yield from together


def _find_what_several_share(checked: Sequence[_Checked], tables: _Tables) -> None:
    reads, rows = tables.reads, tables.rows
    plain = frozenset(name for name in reads if (row := rows[name]) is not None and not is_iceberg_view(row))
    by_name = {one.name: one for one in checked}
    cycles = list(circular(reads, plain))
    broken = tables.broken | {one.row.identifier: one.broken_by for one in checked if one.broken_by}
    broken = {TableIdentifier.of(one.view): one for one in cycles} | broken
    shared = sharing(row for row in rows.values() if row is not None)
    for finding in (*cycles, *shared, *broken_through(reads, broken)):
        if finding.view in by_name:
            by_name[finding.view].found.append(finding)


def _broken_by(found: Iterable[Found], queries: Sequence[ViewText]) -> Finding | None:
    """Why the readers of a row fail on it; what is wrong with texts of other dialects is nothing to them."""
    dialect = queries[0].dialect if queries else None
    breaking = (one for one in found if isinstance(one, Finding) and CODES[one.code].breaks)
    return next((one for one in breaking if one.details.get("dialect", dialect) == dialect), None)


def _broken_dialects(found: Iterable[Found]) -> frozenset[str]:
    breaking = (one for one in found if isinstance(one, Finding) and CODES[one.code].breaks)
    return frozenset(str(one.details["dialect"]) for one in breaking if "dialect" in one.details)


# -- rows and files ---------------------------------------------------------------------------------------------------


def _read(catalog: ViewCatalog, rows: Sequence[Row]) -> list[_Checked]:
    """The views of rows; one that is not as it should be is read again, as it may have been changed meanwhile."""
    checked = list(_with_files(catalog, rows))
    again = [one.row.identifier for one in checked if one.found or has_lost_pointer(one.row)]
    now, _ = load(catalog, again)
    gone = {name for name, row in now.items() if row is None or not row.is_view}
    before = {one.row.identifier: one.row for one in checked}
    changed = [row for name, row in now.items() if row is not None and row.is_view and row != before[name]]
    anew = {one.row.identifier: one for one in _with_files(catalog, changed)}
    return [anew.get(one.row.identifier, one) for one in checked if one.row.identifier not in gone]


def _with_files(catalog: ViewCatalog, rows: Sequence[Row]) -> Iterator[_Checked]:
    files = catalog.storage.read_each((row.parameters[POINTER] for row in rows if not is_lost(row)), cached=False)
    for row in rows:
        one = _Checked(row, catalog, found=[*unfinished_release(row)])
        if not is_lost(row):
            read = read_view(row, next(files))
            if isinstance(read, View):
                with one.asking("file"):
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


class _LostFiles:
    """Finds the files of views whose rows do not point to them: any more, or as one is gone."""

    def __init__(self, catalog: ViewCatalog) -> None:
        self._catalog = catalog
        self._lookup = catalog.engine.lookup
        self._live = LiveRows(catalog.engine)
        self._directories = cache(self._directories_in)

    def look_for(self, one: _Checked) -> None:
        """The last file of a view that has lost it, and of one that a plain view took the place of."""
        row, name = one.row, one.row.identifier
        if not is_lost(row):
            self._look_for_another(one)
            return
        is_ours, found, elsewhere = has_lost_pointer(row), None, None
        with one.asking("file"):
            places = (
                self._lookup.default_locations(name) if is_ours else _there(name, self._directories(name.namespace))
            )
            found = self._find(row, places)
            if is_ours and not found:
                elsewhere = self._find(row, beside(row.parameters.get(PREVIOUS_POINTER)))
        if is_ours:
            one.found.append(lost(row, found, elsewhere))
        elif found:
            one.found += replaced(row, found)

    def _look_for_another(self, one: _Checked) -> None:
        for number, finding in enumerate(one.found):
            if isinstance(finding, Finding) and finding.code in CODES_OF_FILES:
                with one.asking("file"):
                    places = self._lookup.default_locations(one.row.identifier)
                    one.found[number] = with_last_file(finding, one.row, places, self._live, self._catalog.storage)
                return

    def _find(self, row: Row, places: Iterable[str]) -> Recoverable | None:
        return find_recoverable(row.identifier, places, row, self._live, self._catalog.storage)

    def _directories_in(self, namespace: str) -> frozenset[str]:
        # One listing says which of thousands of plain views have a directory at all.
        parents = self._lookup.default_directories(namespace)
        return frozenset(entry for parent in parents for entry in self._catalog.storage.list_files(parent))


def _there(name: TableIdentifier, directories: Iterable[str]) -> list[str]:
    return [directory for directory in directories if directory.rpartition("/")[2] == name.name]


# -- what texts read --------------------------------------------------------------------------------------------------


def _follow(
    catalog: ViewCatalog, checked: Sequence[_Checked], tables: _Tables, asked_for: Container[TableIdentifier]
) -> None:
    """Read the rows of all that the texts name, and of what views among these read; see which of these are broken."""
    others: dict[TableIdentifier, tuple[Row, list[ViewText]]] = {}
    reads = {one.row.identifier: _read_by_readers(one.row, one.queries) for one in checked}
    named = {name for one in checked for query in one.queries for name in _named(query)}
    named |= {name for names in reads.values() for name in names}
    tables.reads |= reads
    while wanted := named - set(tables.rows) - set(tables.unreadable):
        found, unreadable = load(catalog, wanted)
        tables.rows |= found
        tables.columns |= columns_of_rows((row for row in found.values() if row), catalog.storage.files)
        tables.unreadable |= unreadable
        views = {name: (row, queries_of(row, None)) for name, row in found.items() if row and row.is_view}
        reads = {name: _read_by_readers(row, queries) for name, (row, queries) in views.items()}
        tables.reads |= reads
        others |= views
        named = {name for names in reads.values() for name in names}
    for name in [name for name in others if name not in asked_for]:
        row, queries = others[name]
        one = _Checked(row, catalog, found=[*misread(row)], queries=queries)
        with one.asking("columns"):
            _look_at_queries(one, tables, None)
        if why := _broken_by(one.found, queries):
            tables.broken[name] = why


def _named(query: ViewText) -> tuple[TableIdentifier, ...]:
    found = () if query.of_other_catalog else sources_of(query).tables
    if query.typed and "*" in query.typed:
        found += read_sources(query.typed, query.dialect, query.namespace).tables
    return found


def _read_by_readers(row: Row, queries: Sequence[ViewText]) -> tuple[TableIdentifier, ...]:
    """What plain readers of a row read, which no other dialect's text makes a circle of."""
    first = queries[0] if queries and row.expanded_text else None
    return sources_of(first).tables if first and not first.of_other_catalog else ()


def _look_at_queries(
    one: _Checked,
    tables: _Tables,
    columns_of: ColumnsOf | None,
    trino_catalog: str | None = None,
    *,
    with_columns: bool = True,
) -> None:
    for query in one.queries:
        read = () if query.of_other_catalog else sources_of(query).tables
        if unreadable := [name for name in read if name in tables.unreadable]:
            reason = f"{unreadable[0]} cannot be looked at. {tables.unreadable[unreadable[0]]}"
            one.found.append(NotKnown(one.name, "sources", reason))
            continue
        found = list(check_sources(query, tables.rows, trino_catalog))
        one.found += found
        if with_columns and not found and query is one.queries[0]:
            one.found += check_columns(query, one.row, one.view, tables.columns, columns_of)


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
