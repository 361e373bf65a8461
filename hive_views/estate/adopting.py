"""Plain views become views of this library in place, and become plain again.

Adopting writes a metadata file whose projection is the row as it was found, so every engine reads what it read before.
A later run finishes an interrupted one: a view is either plain or adopted, never in between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from hive_views.errors import BrokenViewError, HiveViewsError, NotAdoptableError, ReleasedViewError
from hive_views.estate.each.outcomes import OnOutcome, Outcome, Outcomes, State, each, ignore
from hive_views.estate.each.selection import check_patterns, matches_any, select_rows
from hive_views.hive.row import POINTER, Row
from hive_views.persisted import FINGERPRINT
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views import conversions
from hive_views.views.catalog import ViewCatalog
from hive_views.views.recovery.recoverable import LiveRows
from hive_views.views.row.released import file_of_half_released, is_half_released
from hive_views.views.view import is_iceberg_view


def adopt(
    catalog: ViewCatalog,
    *patterns: str,
    exclude: Iterable[str] = (),
    new_history: bool = False,
    dry_run: bool = False,
    on_outcome: OnOutcome = ignore,
) -> Outcomes:
    """Turn plain views of Hive, Spark, Impala, Trino and Presto into views of this library, in place.

    Columns, comments, owner, properties, grants and partitions do not change, nor does what each engine reads. Tables,
    materialized views, views of Iceberg, and views that were handed back are left, with a reason. A plain view whose
    text, columns and parameters do not agree is reported as broken, and left. ``hand_back`` is the reverse.

    Args:
        catalog: where the views are.
        patterns: names, or patterns such as ``sales.*``; ``*.*`` selects all views.
        exclude: patterns of views to leave out.
        new_history: also adopt views whose name still has files of a former view, which are kept. By default these
            fail, because their history can be continued, or are left if they were handed back and have not changed.
        dry_run: judge each row; write nothing.
        on_outcome: called with each outcome as soon as it is known.

    Raises:
        InvalidInputError, NoSuchNamespaceError, NoSuchViewError: a pattern is invalid or matches nothing; nothing was
            done.
        MetastoreUnavailableError, AuthenticationError: the views cannot be listed.
    """

    def do(row: Row) -> Outcome:
        name = str(row.identifier)
        if _is_ours(row):
            return Outcome(name, State.UNCHANGED, "It is already a managed view.")
        try:
            view = conversions.adopt(
                catalog.engine, row.identifier, row=row, live=live, new_history=new_history, dry_run=dry_run
            )
        except BrokenViewError:
            raise
        except (NotAdoptableError, ReleasedViewError) as error:
            return Outcome(name, State.LEFT, str(error), error)
        details = {"dialect": view.dialects[0], "metadata_location": None if dry_run else view.metadata_location}
        return Outcome(name, State.PLANNED if dry_run else State.DONE, details=details)

    excluded = [exclude] if isinstance(exclude, str) else list(exclude)
    check_patterns(excluded)
    live = LiveRows(catalog.engine)
    return Outcomes("adopted", _each_row(catalog, patterns, do, on_outcome, excluded), dry_run)


def hand_back(catalog: ViewCatalog, *patterns: str, dry_run: bool = False, on_outcome: OnOutcome = ignore) -> Outcomes:
    """Turn views of this library into plain views that read as they do now; their metadata files are kept.

    ``undrop`` continues the history again; the last file is in ``details``. A view for which this was interrupted is
    handed back too.

    Args:
        catalog: where the views are.
        patterns: names, or patterns such as ``sales.*``; ``*.*`` selects all views.
        dry_run: only report; write nothing.
        on_outcome: called with each outcome as soon as it is known.

    Raises:
        InvalidInputError, NoSuchNamespaceError, NoSuchViewError: a pattern is invalid or matches nothing; nothing was
            done.
        MetastoreUnavailableError, AuthenticationError: the views cannot be listed.
    """

    def do(row: Row) -> Outcome:
        name = str(row.identifier)
        if not row.is_view:
            return Outcome(name, State.LEFT, f"{name} is a table, not a view.")
        if not is_iceberg_view(row) and not is_half_released(row):
            return Outcome(name, State.UNCHANGED, "It is already a plain view.")
        if not dry_run:
            catalog.release_view(row.identifier)
        state = State.PLANNED if dry_run else State.DONE
        location = file_of_half_released(row) if is_half_released(row) else row.parameters.get(POINTER)
        return Outcome(name, state, details={"metadata_location": location})

    return Outcomes("handed back", _each_row(catalog, patterns, do, on_outcome), dry_run)


def _each_row(
    catalog: ViewCatalog,
    patterns: Sequence[str],
    do: Callable[[Row], Outcome],
    on_outcome: OnOutcome,
    excluded: Sequence[str] = (),
) -> tuple[Outcome, ...]:
    unreadable: dict[TableIdentifier, HiveViewsError] = {}
    rows = select_rows(catalog.metastore, patterns, unreadable.__setitem__)
    rows = [row for row in rows if not matches_any(excluded, row.identifier)]
    unreadable = {name: error for name, error in unreadable.items() if not matches_any(excluded, name)}
    return each(rows, lambda row: str(row.identifier), do, on_outcome, catalog, unreadable=unreadable)


def _is_ours(row: Row) -> bool:
    return is_iceberg_view(row) and POINTER in row.parameters and FINGERPRINT in row.parameters
