"""What statements would do to views: two checks of the views that read what they change, and what differs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from hive_views.ddl.execute import placed_in
from hive_views.ddl.grammar.parse import ScriptStatement, parse_changes
from hive_views.ddl.grammar.table_changes import Change
from hive_views.errors import HiveViewsError, InvalidInputError, NoSuchTableError
from hive_views.estate.checks.checking import check_rows
from hive_views.estate.checks.findings import CheckReport, NotKnown
from hive_views.estate.checks.relations import broken_through
from hive_views.estate.checks.view_texts import sources_of
from hive_views.estate.each.outcomes import OnOutcome, ignore, is_unreachable
from hive_views.estate.each.selection import select_or_all
from hive_views.estate.impacts.altered_rows import Changes
from hive_views.estate.impacts.changed_metastore import ChangedMetastore
from hive_views.estate.impacts.impact_report import DeclaredPartitions, ImpactReport, compared, is_breaking
from hive_views.estate.impacts.other_types import other_types
from hive_views.hive.row import Row
from hive_views.publishing.ledger.recorded_rules import recorded_rules
from hive_views.spec.identifiers import TableIdentifier, check_namespace
from hive_views.sql.dialects import ROW_DIALECTS, check_dialect
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.views.catalog import ViewCatalog
from hive_views.views.text_analysis.texts import texts_of

CODES_OF_TEXTS = (
    "text-unreadable",
    "source-gone",
    "column-gone",
    "columns-disagree",
    "column-type-changed",
    "star-outdated",
    "source-broken",
    "cycle",
)
"""What a change of something else can do to a view."""

_OWN_COLUMNS = frozenset(("columns-disagree", "column-type-changed", "star-outdated"))


def impact(
    catalog: ViewCatalog,
    statements: str,
    *,
    dialect: str = "hive",
    namespace: str = "default",
    partitions: bool = True,
    on_outcome: OnOutcome = ignore,
) -> ImpactReport:
    """Find out what statements would do to the views that read what they change; nothing is changed.

    Statements are those of Hive and Spark that change names or columns: ALTER TABLE (ADD COLUMNS, REPLACE COLUMNS,
    DROP COLUMN, RENAME COLUMN, CHANGE, ALTER COLUMN, RENAME TO), DROP TABLE, CREATE [OR REPLACE] VIEW, ALTER VIEW (AS,
    RENAME TO), DROP VIEW. Several are applied one after the other, as in a file of a migration; USE applies to those
    after it.

    Args:
        catalog: where the tables and views are.
        statements: one or more statements, separated by semicolons.
        dialect: the dialect of the queries in them: ``hive`` or ``spark``.
        namespace: the current database at the start.
        partitions: whether declared partitions are counted, which costs a call for each partitioned view with findings.
        on_outcome: called with each view once it has been checked with the changes.

    Returns:
        The findings that ``check`` would have afterwards, and does not have now.

    Raises:
        SQLSyntaxError: a statement is not supported, or not one; or a query in it names a column that does not exist.
        NoSuchTableError, NoSuchViewError, AlreadyExistsError, InvalidSchemaError: a statement would fail.
        UncertainColumnsError: the columns of a table are not known.
        InvalidInputError: there is no statement, or the dialect is another one.
        MetastoreUnavailableError, AuthenticationError: the metastore does not answer.
    """
    if check_dialect(dialect) not in ROW_DIALECTS:
        raise InvalidInputError(f"The dialect of statements is {' or '.join(ROW_DIALECTS)}, not {dialect}.")
    script = parse_changes(statements, dialect)
    if not script:
        raise InvalidInputError("There is no statement.")
    changes = _applied(catalog, script, statements, check_namespace(namespace))
    changed = {name: row for name, row in changes.after.items() if row != changes.before[name]}
    unreadable: dict[TableIdentifier, HiveViewsError] = {}
    before = {row.identifier: row for row in select_or_all(catalog.metastore, (), unreadable.__setitem__)}
    report = impact_of_rows(
        catalog, changed, before=before, unreadable=unreadable, partitions=partitions, on_outcome=on_outcome
    )
    return replace(report, statements=tuple(each.text for each in script))


def impact_of_rows(
    catalog: ViewCatalog,
    changed: Mapping[TableIdentifier, Row | None],
    *,
    before: Mapping[TableIdentifier, Row],
    storage: MetadataStorage | None = None,
    unreadable: Mapping[TableIdentifier, HiveViewsError] = MappingProxyType({}),
    partitions: bool = True,
    on_outcome: OnOutcome = ignore,
) -> ImpactReport:
    """``impact`` of other rows of tables and views.

    Columns of a new text are those of its view, so that a changed view has no findings about them.

    Args:
        catalog: where the tables and views are.
        changed: by name, the rows that there will be; None for what will be dropped.
        before: the rows of all views, as they are.
        storage: where the metadata files of the changed rows are; that of the catalog by default.
        unreadable: names whose rows cannot be read, each with the reason.
        partitions: as for ``impact``.
        on_outcome: as for ``impact``.

    Raises:
        MetastoreUnavailableError, AuthenticationError: the metastore does not answer.
    """
    after_rows = {name: row for name, row in {**before, **changed}.items() if row is not None and row.is_view}
    reads = [reads_of(before), reads_of(after_rows)]
    affected = readers_of_all(changed, reads)
    was = check_rows(
        catalog, [before[name] for name in affected if name in before], partitions=False, translations=False
    )
    changed_catalog = ViewCatalog(
        ChangedMetastore(catalog.metastore, changed),
        storage or catalog.storage,
        warehouse=catalog.warehouse,
        settings=catalog.settings,
    )
    ahead = [after_rows[name] for name in affected if name in after_rows]
    created = {name for name in changed if name not in before}
    will = check_rows(
        changed_catalog, ahead, partitions=False, translations=False, derived=created, on_outcome=on_outcome
    )
    # The columns of a new text are those of the view.
    will = _without(will, _OWN_COLUMNS, {str(name) for name in changed})
    new, stay, gone = compared(was, will, dict.fromkeys(CODES_OF_TEXTS))
    failing = {TableIdentifier.of(one.view) for one in (*new, *stay) if is_breaking(one)}
    types = other_types(catalog, affected, before, changed, failing)
    through = broken_through(reads[1], types.refused)
    new += [*types.refused.values(), *(one for one in through if TableIdentifier.of(one.view) not in failing)]
    new.sort(key=lambda one: (one.view, CODES_OF_TEXTS.index(one.code)))
    without_row = (NotKnown(str(name), "row", str(error)) for name, error in unreadable.items())
    named = sorted({TableIdentifier.of(one.view) for one in new})
    return ImpactReport(
        tuple(str(name) for name in affected if name not in changed),
        tuple(new),
        (*without_row, *_newly_unknown(was, will, {str(name) for name in types.refused})),
        before=tuple(stay),
        solved=tuple(gone),
        type_changes=tuple(types.changes),
        partitions=tuple(_declared(catalog, (before[one] for one in named if one in before))) if partitions else (),
    )


def _applied(
    catalog: ViewCatalog, script: Sequence[ScriptStatement[Change]], statements: str, namespace: str
) -> Changes:
    changes = Changes(catalog.metastore, catalog.storage.files, namespace)
    each = script[0]
    try:
        for each in script:
            changes.apply(each)
    except HiveViewsError as error:
        if is_unreachable(error, catalog):
            raise
        start = len("\n".join(statements.split("\n")[: each.line - 1]))
        told = placed_in(error, each.statement, statements, start)
        before = f"The statement on line {each.line} would fail. " if len(script) > 1 else ""
        raise replace(told, message=f"{before}{told.message}") from error
    return changes


def reads_of(rows: Mapping[TableIdentifier, Row]) -> dict[TableIdentifier, tuple[TableIdentifier, ...]]:
    """By view, the tables and views that the texts of its row read."""
    return {name: _reads(row) for name, row in rows.items()}


def _reads(row: Row) -> tuple[TableIdentifier, ...]:
    found = (sources_of(query).tables for query in texts_of(row, None) if not query.of_other_catalog)
    return tuple(dict.fromkeys(name for names in found for name in names))


def readers_of_all(
    changed: Iterable[TableIdentifier], reads: Iterable[Mapping[TableIdentifier, Iterable[TableIdentifier]]]
) -> list[TableIdentifier]:
    """The views that read one of these, directly or through others, before or after; and the changed ones themselves.

    Args:
        changed: tables and views.
        reads: by view what it reads, once as it is and once as it will be.
    """
    readers: dict[TableIdentifier, set[TableIdentifier]] = {}
    views: set[TableIdentifier] = set()
    for each in reads:
        views |= each.keys()
        for reader, names in each.items():
            for name in names:
                readers.setdefault(name, set()).add(reader)
    found, ahead = set(changed), list(changed)
    while ahead:
        more = readers.get(ahead.pop(), set()) - found
        found |= more
        ahead += more
    return sorted(found & views)


def _without(report: CheckReport, codes: Iterable[str], views: Iterable[str]) -> CheckReport:
    return replace(report, findings=tuple(f for f in report.findings if f.code not in codes or f.view not in views))


def _newly_unknown(before: CheckReport, after: CheckReport, answered: Collection[str]) -> Iterator[NotKnown]:
    """Questions whose answer is not known any more; what nobody knows now either is no consequence."""
    known = set(before.not_known)
    return (one for one in after.not_known if one not in known and one.view not in answered)


def _declared(catalog: ViewCatalog, rows: Iterable[Row]) -> Iterator[DeclaredPartitions]:
    for row in rows:
        if not row.partition_keys:
            continue
        try:
            count = len(catalog.metastore.partition_names(row.identifier))
        except NoSuchTableError:  # dropped meanwhile
            continue
        if count:
            publications = tuple(one.publication for one in recorded_rules(row.parameters))
            yield DeclaredPartitions(str(row.identifier), count, publications)
