"""Copying and moving views into another catalog, or other databases of the same one, and comparing the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hive_views.errors import (
    BrokenViewError,
    HiveViewsError,
    InvalidInputError,
    NoSuchIcebergViewError,
    NoSuchViewError,
)
from hive_views.estate.each.missing_namespaces import provide_namespaces
from hive_views.estate.each.order import in_order
from hive_views.estate.each.outcomes import (
    OnOutcome,
    Outcome,
    Outcomes,
    State,
    each,
    ignore,
    in_sentences,
    is_unreachable,
)
from hive_views.estate.each.selection import select_rows
from hive_views.estate.transfer.existing import is_one_row
from hive_views.estate.transfer.importing import Importer, OnConflict, conflict_choice
from hive_views.estate.transfer.moving import FormerViews, moved_already, refuse_unreported, release_source
from hive_views.estate.transfer.renaming import checked_names, new_names, renamed, with_other_namespaces
from hive_views.estate.transfer.snapshot import (
    ViewSnapshot,
    listed,
    read_half_released,
    read_snapshots,
    with_partitions_of,
)
from hive_views.hive.row import POINTER, Row
from hive_views.messages.counted import counted
from hive_views.messages.remedy import Remedy
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views import remedies
from hive_views.views.catalog import ViewCatalog
from hive_views.views.changes.metadata_copies import current_version_only
from hive_views.views.commit.rows_in_bulk import ROWS_IN_A_CALL, rows_of_names
from hive_views.views.row.dependencies import read_by
from hive_views.views.row.released import is_half_released
from hive_views.views.view import has_lost_pointer, is_iceberg_view


@dataclass(frozen=True)
class _Options:
    """How views are copied; as the arguments of ``copy_views``. ``moves``: the source is released afterwards."""

    names: Mapping[str, str]
    metastore_catalogs: Sequence[str]
    create_namespaces: bool
    history: bool = True
    moves: bool = False

    def takes(self, row: Row) -> bool:
        """Whether it is a view with a metadata file, or was one before the end of a move that was interrupted."""
        return is_iceberg_view(row) or (self.moves and is_half_released(row))


def copy_views(
    source: ViewCatalog,
    target: ViewCatalog,
    *patterns: str,
    names: Mapping[str, str] | None = None,
    metastore_catalogs: Sequence[str] = (),
    history: bool = True,
    partitions: bool = True,
    on_conflict: OnConflict = "refuse",
    create_namespaces: bool = False,
    dry_run: bool = False,
    on_outcome: OnOutcome = ignore,
    if_exists: OnConflict | None = None,
) -> Outcomes:
    """Copy views, each with its own file and directory, and compare the copies with the source.

    Views are copied after the views that they read. Each copy is read back from the target's metastore and storage, and
    compared in texts, columns, history, properties and partitions. A copy that already exists as it should be is left
    alone, so a later run finishes an interrupted one.

    Args:
        source: where the views are.
        target: where they are to be; their files go to its warehouse. It may be the same catalog if ``names`` gives
            other databases.
        patterns: names, or patterns such as ``sales.*``.
        names: new names of databases by their old ones: for the views, and in all their texts, rules and records.
        metastore_catalogs: what engines call the catalog that is the metastore of ``source``, besides
            ``spark_catalog``, ``hive`` and the setting ``trino_catalog`` of ``source``: names in it are replaced too.
            A view whose names resolve in any other catalog fails if one of them would be replaced.
        history: copy all versions; otherwise only the current one.
        partitions: declare their partitions too.
        on_conflict: what to do if something else has the name: ``refuse``, ``skip``, or ``replace`` a view of this
            library, which keeps its uuid, owner and directory.
        create_namespaces: create databases that are missing in the target, where its metastore puts them.
        dry_run: write nothing.
        on_outcome: called with each outcome as soon as it is known.
        if_exists: the former name of ``on_conflict``, deprecated.

    Returns:
        One outcome for each view, in the order in which they were copied. Plain views and tables are left.

    Raises:
        NoSuchViewError, NoSuchNamespaceError: there is nothing to copy, or a database is missing in the target.
        InvalidInputError: two views would have one name, or an argument is invalid. Nothing was written.
        MetastoreUnavailableError, AuthenticationError: one of the two metastores cannot be reached.
    """
    choice = conflict_choice("copy_views", on_conflict, if_exists)
    importer = Importer(target, choice, with_partitions=partitions, dry_run=dry_run)
    options = _Options(checked_names(names), metastore_catalogs, create_namespaces, history=history)
    return Outcomes("copied", _all(source, importer, patterns, options, on_outcome), dry_run)


def move_views(
    source: ViewCatalog,
    target: ViewCatalog,
    *patterns: str,
    names: Mapping[str, str] | None = None,
    metastore_catalogs: Sequence[str] = (),
    on_conflict: OnConflict = "refuse",
    create_namespaces: bool = False,
    dry_run: bool = False,
    on_outcome: OnOutcome = ignore,
    if_exists: OnConflict | None = None,
) -> Outcomes:
    """Copy views completely, uuid included, and hand the source back where nothing differs.

    A view that is handed back is a plain one: engines can still read it until somebody drops it; its files and
    partitions are kept. It is handed back only as it was copied: a view that has changed in the meantime is left, and
    reported as failed. Running it again copies nothing twice, and hands back what was not handed back.

    Args:
        source: where the views are.
        target: where they are to be.
        patterns: names, or patterns such as ``sales.*``.
        names: new names of databases by their old ones.
        metastore_catalogs: as in ``copy_views``.
        on_conflict: what to do if something else has the name, as in ``copy_views``; what is skipped is not handed
            back. The same view is not replaced if it has newer commits in the target.
        create_namespaces: as in ``copy_views``.
        dry_run: write nothing.
        on_outcome: called with each outcome as soon as it is known.
        if_exists: the former name of ``on_conflict``, deprecated.

    Returns, raises: as ``copy_views``.
    """
    choice = conflict_choice("move_views", on_conflict, if_exists)
    importer = Importer(target, choice, with_partitions=True, dry_run=dry_run)
    options = _Options(checked_names(names), metastore_catalogs, create_namespaces, moves=True)
    return Outcomes("moved", _all(source, importer, patterns, options, on_outcome), dry_run)


def _all(
    source: ViewCatalog, importer: Importer, patterns: Sequence[str], options: _Options, on_outcome: OnOutcome
) -> tuple[Outcome, ...]:
    target, dry_run = importer.catalog, importer.dry_run
    unreadable: dict[TableIdentifier, HiveViewsError] = {}
    selected = select_rows(source.metastore, patterns, unreadable.__setitem__)
    rows = {row.identifier: row for row in selected}
    to = new_names(rows, options.names)
    views = [row for row in rows.values() if options.takes(row)]
    wanted = [to[view.identifier] for view in views]
    named = options.names.values()
    missing = provide_namespaces(target, wanted, named, create=options.create_namespaces, dry_run=dry_run)
    there = {*target.list_namespaces(), *missing} if dry_run and named else None
    known = [name for name in wanted if not (dry_run and name.namespace in missing)]
    locations = target.engine.lookup.locations_of_new(known)
    order, circular = in_order(views)
    order += [name for name in rows if name not in set(order)]
    run = _Run(source, importer, options, rows, to, locations, order)

    def outcome_of(name: TableIdentifier) -> Outcome:
        outcome = run.outcome_of(name)
        created = f"Namespace {to[name].namespace} would be created." if to[name].namespace in missing else None
        besides = [created if outcome.state is State.PLANNED else None]
        if there is not None and outcome.state is State.PLANNED:
            read = {renamed(one, options.names).namespace for one in read_by(rows[name])} - there
            besides += [f"It would read namespace {one}, which does not exist." for one in sorted(read)]
        besides += ["Circular dependency: it reads itself through other views."] if name in circular else []
        return replace(outcome, reason=in_sentences(outcome.reason, *besides))

    return each(order, str, outcome_of, on_outcome, source, target, unreadable=unreadable)


class _Run:
    """Views are put into the target, and read back, so many at a time as one call reads rows of."""

    def __init__(
        self,
        source: ViewCatalog,
        importer: Importer,
        options: _Options,
        selected: Mapping[TableIdentifier, Row],
        to: Mapping[TableIdentifier, TableIdentifier],
        locations: Mapping[TableIdentifier, str],
        order: Sequence[TableIdentifier],
    ) -> None:
        self._source, self._target, self._options = source, importer.catalog, options
        self._importer = importer
        self._selected, self._to, self._locations = selected, to, locations
        self._ahead = [order[at : at + ROWS_IN_A_CALL] for at in range(0, len(order), ROWS_IN_A_CALL)]
        self._done: dict[TableIdentifier, Outcome | HiveViewsError] = {}
        self._copied: dict[TableIdentifier, ViewSnapshot] = {}
        self._former = FormerViews(source, importer.catalog)

    def outcome_of(self, name: TableIdentifier) -> Outcome:
        """
        Raises:
            HiveViewsError: what the view failed of.
        """
        if name not in self._done:
            self._copy(self._ahead.pop(0))
        outcome = self._done.pop(name)
        if isinstance(outcome, HiveViewsError):
            raise outcome
        if name in self._copied and outcome.state in (State.DONE, State.UNCHANGED):
            return self._released(name, outcome)
        return outcome

    def _released(self, name: TableIdentifier, outcome: Outcome) -> Outcome:
        copied = self._copied.pop(name)
        if not self._importer.dry_run:
            release_source(self._source, copied, outcome.details["to"])
        state = State.PLANNED if self._importer.dry_run else State.DONE
        return replace(outcome, state=state, reason=in_sentences(outcome.reason, "The source is now a plain view."))

    def _copy(self, names: Sequence[TableIdentifier]) -> None:
        self._copied.clear()
        try:
            # The target first: a commit between these two calls makes the same row look newer in the source.
            new_names = [self._to[name] for name in names if self._to[name] in self._locations]
            unreadable: dict[TableIdentifier, HiveViewsError] = {}
            there = rows_of_names(self._target.metastore, new_names, unreadable.__setitem__)
            found = self._read(names)
        except HiveViewsError as error:
            self._done |= dict.fromkeys(names, error)
            return
        written: dict[TableIdentifier, ViewSnapshot] = {}
        gone: HiveViewsError | None = None
        for name in names:
            outcome = gone or unreadable.get(self._to[name]) or self._copy_one(name, found[name], there, written)
            if isinstance(outcome, HiveViewsError) and is_unreachable(outcome, self._source, self._target):
                gone = outcome
            self._done[name] = outcome
        self._compare(written)

    def _is_view(self, name: TableIdentifier) -> bool:
        return self._options.takes(self._selected[name])

    def _read(self, names: Sequence[TableIdentifier]) -> dict[TableIdentifier, ViewSnapshot | HiveViewsError]:
        """The views as they are now, without their partitions; only so many are in memory at once."""
        rows: dict[TableIdentifier, Row] = {}
        result: dict[TableIdentifier, ViewSnapshot | HiveViewsError] = {}
        views = [name for name in names if self._is_view(name)]
        now = rows_of_names(self._source.metastore, views, result.__setitem__)
        for name in names:
            if name in result:
                continue
            row = now.get(name) if self._is_view(name) else self._selected[name]
            if row is None:
                message = f"View {name} was dropped or renamed in the meantime."
                result[name] = NoSuchViewError(message, identifier=str(name))
            elif row is now.get(name) and self._source.metastore is self._target.metastore and self._to[name] == name:
                result[name] = _copied_to_itself(name)
            else:
                rows[name] = row
        result |= zip(rows, read_snapshots(self._source, list(rows.values()), with_partitions=False), strict=True)
        released = [row for row in rows.values() if self._options.moves and is_half_released(row)]
        return result | {row.identifier: read_half_released(self._source, row) for row in released}

    def _copy_one(
        self,
        name: TableIdentifier,
        found: ViewSnapshot | HiveViewsError,
        there: Mapping[TableIdentifier, Row],
        written: dict[TableIdentifier, ViewSnapshot],
    ) -> Outcome | HiveViewsError:
        try:
            if self._options.moves and (was_moved := self._former.outcome_of(self._selected[name], self._to[name])):
                return was_moved
            wanted = self._wanted(found)
            current = there.get(wanted.identifier)
            self._refuse_source(name, wanted, current)
            if finished := self._moved_already(name, wanted, current):
                return finished
            outcome = self._put(name, wanted, current)
        except NoSuchIcebergViewError as error:
            return _without_file(self._selected[name], error)
        except HiveViewsError as error:
            return error
        # What a source is given up for is read again, whoever has written it.
        if outcome.state is State.DONE or (self._options.moves and outcome.state is State.UNCHANGED):
            written[name] = wanted
        return outcome

    def _wanted(self, view: ViewSnapshot | HiveViewsError) -> ViewSnapshot:
        if isinstance(view, HiveViewsError):
            raise view
        if self._importer.with_partitions:
            view = with_partitions_of(self._source, view)
        if self._options.moves:
            refuse_unreported(self._source, view)
            self._copied[view.identifier] = view
        if not self._options.history:
            view = replace(view, metadata=current_version_only(view.metadata))
        catalogs = (*self._options.metastore_catalogs, *self._source.settings.trino_catalogs)
        return with_other_namespaces(view, self._options.names, catalogs)

    def _moved_already(self, name: TableIdentifier, wanted: ViewSnapshot, current: Row | None) -> Outcome | None:
        if current is None or not self._options.moves:
            return None
        may_leave = self._importer.on_conflict == "skip"
        return moved_already(self._target, self._copied[name], wanted, current, may_leave=may_leave)

    def _put(self, name: TableIdentifier, wanted: ViewSnapshot, current: Row | None) -> Outcome:
        location = self._locations.get(wanted.identifier, "")
        outcome = self._importer.put(wanted, current, location=location, keep_uuid=self._options.moves)
        details = {"to": outcome.view, "versions": len(wanted.metadata.versions), "partitions": len(wanted.partitions)}
        return replace(outcome, view=str(name), details=details)

    def _refuse_source(self, name: TableIdentifier, wanted: ViewSnapshot, current: Row | None) -> None:
        """
        Raises:
            InvalidInputError: what has the name in the target is the view, or another one that is copied as well.
        """
        if current is None:
            return
        if current.identifier == name and is_one_row(current, wanted.row):
            raise _copied_to_itself(name)
        other = self._selected.get(current.identifier)
        if other is not None and current.identifier != name and is_one_row(current, other):
            raise InvalidInputError(
                f"Cannot copy {name} to {other.identifier}, which is to be copied as well. Copy that one first, by "
                f"itself and under another name.",
                identifier=str(name),
            )

    def _compare(self, written: Mapping[TableIdentifier, ViewSnapshot]) -> None:
        compared = self._importer.verify(list(written.values()), keep_uuid=self._options.moves)
        for name, wanted in written.items():
            outcome, differing = self._done[name], compared[wanted.identifier]
            if isinstance(differing, HiveViewsError):
                self._done[name] = differing
            elif isinstance(outcome, Outcome):
                self._done[name] = _compared(outcome, differing)


def _without_file(selected: Row, error: NoSuchIcebergViewError) -> Outcome | HiveViewsError:
    """What comes of a row that names no metadata file: only what never was a view of this library is left."""
    name = str(selected.identifier)
    if is_iceberg_view(selected) and POINTER in selected.parameters:
        return replace(
            error, message=f"{name} was replaced or handed back in the meantime. {error.message}", remedy=None
        )
    if is_half_released(selected) or is_iceberg_view(selected):
        return error
    if has_lost_pointer(selected):
        message = f"The row of {name} was that of a managed view, but no longer points to a metadata file."
        return BrokenViewError(message, remedy=remedies.undrop(name), identifier=name)
    return Outcome(name, State.LEFT, str(error), error)


def _copied_to_itself(name: TableIdentifier) -> InvalidInputError:
    return InvalidInputError(
        f"Cannot copy {name} to itself: the target is the same metastore, or a copy of its database, and the name is "
        f"the same.",
        remedy=Remedy(
            in_python=f"Give another name for its database: names={{'{name.namespace}': ...}}.",
            in_shell=f"Give another name for the database {name.namespace} with --map.",
        ),
        identifier=str(name),
    )


def _compared(outcome: Outcome, differing: Sequence[str]) -> Outcome:
    details = {**outcome.details, "differences": list(differing)}
    to = outcome.details["to"]
    if differing:
        reason = f"{to} differs from the source: {listed(differing)}."
        return replace(outcome, state=State.FAILED, reason=reason, details=details)
    what = f"{counted(outcome.details['versions'], 'version')}, {counted(outcome.details['partitions'], 'partition')}"
    return replace(outcome, reason=in_sentences(f"{to} is the same: {what}.", outcome.reason), details=details)
