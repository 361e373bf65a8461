"""Bringing back views that were dropped, replaced by a plain view, or lost their pointer."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from hive_views.errors import (
    CorruptMetadataError,
    HiveViewsError,
    InvalidInputError,
    NoSuchNamespaceError,
    NoSuchTableError,
    NoSuchViewError,
    StorageUnavailableError,
    UnsupportedFeatureError,
    ViewAlreadyExistsError,
)
from hive_views.estate.checks.findings import Finding
from hive_views.estate.checks.last_file import with_last_file
from hive_views.estate.checks.row_and_file import read_view
from hive_views.estate.dropped.listing import RecoverableViews, find_all, list_dropped
from hive_views.estate.each.missing_namespaces import provide_namespaces
from hive_views.estate.each.outcomes import (
    OnOutcome,
    Outcome,
    Outcomes,
    State,
    each,
    ignore,
    is_unreachable,
    written_at_once,
)
from hive_views.estate.each.selection import is_name, matches, select_rows
from hive_views.hive.row import POINTER, Row
from hive_views.messages.counted import counted
from hive_views.messages.logs import logger_of
from hive_views.messages.remedy import Remedy
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.files import fetch_ahead
from hive_views.views.catalog import ViewCatalog
from hive_views.views.changes.on_drift import Drift, check_on_drift
from hive_views.views.changes.recovered_metadata import recovered_metadata
from hive_views.views.conversions import bring_back
from hive_views.views.partitions.view_partitions import ViewPartitions
from hive_views.views.recovery.recoverable import LiveRows, Recoverable
from hive_views.views.view import is_lost, view_at

log = logger_of(__name__)


def undrop(
    catalog: ViewCatalog,
    *names: str,
    on_drift: Drift = "fail",
    create_namespaces: bool = False,
    dry_run: bool = False,
    on_outcome: OnOutcome = ignore,
) -> Outcomes:
    """Bring views back with history, tags and partitions, from the last file of each; live views are never changed.

    When this library drops, hands back, renames or moves a view, it notes the last file of the name and the declared
    partitions; these notes are used first. What another program dropped is searched for.

    What only the row held does not come back: grants, parameters that other programs set, and the owner, unless the
    view was adopted or has the property ``hive.metastore.table.owner``; otherwise the owner is that of new views.
    Parameters of partitions are lost, and, if another program dropped the view, partitions that this library had not
    seen. A partition that another engine dropped before, unnoticed by this library, comes back.

    Args:
        catalog: where the views were.
        names: names, or patterns such as ``sales.*`` of what ``list_dropped`` returns.
        on_drift: what to do if a plain view that differs from the file now has the name: ``"fail"``, ``"adopt"`` it as
            the newest version, or ``"overwrite"`` it.
        create_namespaces: create databases that are gone, where the metastore puts them; their comments, owners and
            parameters are lost.
        dry_run: write nothing.
        on_outcome: called with each outcome as soon as it is known.

    Returns:
        The outcome of each view: its version; how many partitions were declared again or left out, and why; how its
            last file is known (``known_by``: a ``note`` from before its row was gone, its ``row``, or a ``search``);
            and ``doubts`` whether that was the last file, none if it is certain. Live views that match a pattern and
            that an earlier run left without their partitions are named, and left. A live view is unchanged, or failed
            if its metadata file is missing or damaged.

    Raises:
        InvalidInputError: no name is given.
        NoSuchViewError: a name has neither a live nor a dropped view, or a pattern matches none; nothing was done.
        NoSuchNamespaceError: the namespace of a name does not exist, and is not to be created, or nothing of it is
            left; nothing was done.
        StorageUnavailableError: the directory of a namespace cannot be read.
        MetastoreUnavailableError, AuthenticationError: the metastore does not answer.
    """
    check_on_drift(on_drift)
    if not names:
        raise InvalidInputError("Specify the views to bring back: names, or patterns such as 'sales.*'.")
    single = sorted({TableIdentifier.of(name) for name in names if is_name(name)})
    several = [name for name in names if not is_name(name)]
    named, listed = find_all(catalog, single), list_dropped(catalog, *several) if several else RecoverableViews(())
    found: dict[TableIdentifier, Recoverable | HiveViewsError] = {**named.not_known, **listed.not_known}
    found |= {one.identifier: one for one in (*named, *listed)}
    if gone := [one.identifier for one in (*named, *listed) if not one.has_namespace]:
        provide_namespaces(catalog, gone, create=create_namespaces, dry_run=dry_run)
    rows = catalog.engine.lookup
    for identifier in single:
        if identifier not in found and rows.row(identifier) is None:
            raise _nothing_of(identifier)
    for pattern in several:
        if not any(matches(pattern, identifier) for identifier in found):
            # Where all are back already there is nothing to do.
            select_rows(catalog.metastore, [pattern], _warn_of)
    lost = _lost_partitions(catalog, several) if several else {}
    wanted: Sequence[TableIdentifier] = sorted({*single, *found, *lost})

    def do(identifier: TableIdentifier) -> Outcome:
        if identifier in lost and identifier not in found:
            return _without_partitions(identifier, lost[identifier])
        return _undrop_one(catalog, found, on_drift, identifier, dry_run=dry_run)

    at_once = written_at_once(one.metadata_location for one in (*named, *listed))
    return Outcomes("brought back", each(wanted, str, do, on_outcome, catalog, at_once=at_once), dry_run)


def _lost_partitions(catalog: ViewCatalog, patterns: Sequence[str]) -> dict[TableIdentifier, list[str]]:
    """Live views that an earlier run has brought back without their partitions, as it was ended before."""
    rows: dict[str, Row] = {}
    for pattern in patterns:
        # A pattern may mean dropped views alone.
        with suppress(NoSuchViewError, NoSuchNamespaceError):
            live = select_rows(catalog.metastore, [pattern], _warn_of)
            rows |= {str(row.identifier): row for row in live if row.partition_keys and not is_lost(row)}

    def lost_of(name: str) -> list[str]:
        row = rows[name]
        try:
            view = view_at(row, catalog.storage.read(row.parameters[POINTER]))
            return ViewPartitions(catalog.engine, view).lost()
        except HiveViewsError as error:
            if is_unreachable(error, catalog):
                raise
            _warn_of(name, error)
            return []

    found = zip(rows.values(), fetch_ahead(lost_of, rows), strict=True)
    return {row.identifier: lost for row, lost in found if lost}


def _restore_partitions(view: str) -> Remedy:
    return Remedy(
        in_python=f"partitions('{view}').restore() declares them again.",
        in_shell=f"`hive-views partitions restore {view}` declares them again.",
    )


def _warn_of(name: TableIdentifier | str, error: HiveViewsError) -> None:
    log.warning("whether %s has lost partitions is unknown: %s", name, error)


def _without_partitions(identifier: TableIdentifier, lost: Sequence[str]) -> Outcome:
    error = ViewAlreadyExistsError(
        f"It exists, without {counted(len(lost), 'partition')} that it had before it was brought back:",
        remedy=_restore_partitions(str(identifier)),
    )
    return Outcome(str(identifier), State.LEFT, str(error), error, {"partitions_lost": list(lost)})


def _undrop_one(
    catalog: ViewCatalog,
    found: dict[TableIdentifier, Recoverable | HiveViewsError],
    on_drift: Drift,
    identifier: TableIdentifier,
    *,
    dry_run: bool,
) -> Outcome:
    one = found.get(identifier)
    if one is None:
        return _nothing_found(catalog, identifier)
    if isinstance(one, HiveViewsError):
        raise one
    certainty = {"known_by": one.known_by, "doubts": list(one.doubts)}
    if dry_run:
        details = {
            "version_id": one.metadata.current_version_id,
            "metadata_location": one.metadata_location,
            **certainty,
        }
        restored_as = one.metadata
        if one.row is not None:
            now_ms = catalog.settings.clock_ms()
            claims = catalog.engine.claims()
            restored_as = recovered_metadata(one.row, one.metadata_location, one.metadata, on_drift, now_ms, claims)
        details["version_id"] = restored_as.current_version_id
        noted = ", with its partitions" if one.has_journal else ""
        reason = " ".join(
            (f"Version {restored_as.current_version_id} from {one.metadata_location}{noted}.", *one.doubts)
        )
        return Outcome(str(identifier), State.PLANNED, reason, details=details)
    view = bring_back(catalog.engine, one, on_drift=on_drift)
    details = {"version_id": view.metadata.current_version_id, "metadata_location": view.metadata_location, **certainty}
    reason = f"It is back at version {view.metadata.current_version_id}."
    if not view.partitioned_on:
        return Outcome(str(identifier), State.DONE, " ".join((reason, *one.doubts)), details=details)
    try:
        restored = catalog.partitions(identifier).restore()
    except HiveViewsError as e:
        message = f"{identifier} is back, at version {view.metadata.current_version_id}. Its partitions: {e.message}"
        raise replace(e, message=message, remedy=_restore_partitions(str(identifier))) from e
    left_out = f", {len(restored.left_out):,} left out" if restored.left_out else ""
    uncertain = f", {len(restored.uncertain):,} of them uncertain" if restored.uncertain else ""
    reason += f" Declared again: {counted(len(restored.added), 'partition')}{uncertain}{left_out}."
    reason = " ".join((reason, *one.doubts))
    partitions = {
        "partitions_added": len(restored.added),
        "partitions_uncertain": restored.uncertain,
        "partitions_left_out": dict(restored.left_out),
    }
    return Outcome(str(identifier), State.DONE, reason, details={**details, **partitions})


def _nothing_found(catalog: ViewCatalog, identifier: TableIdentifier) -> Outcome:
    name = str(identifier)
    try:
        row = catalog.metastore.load_row(identifier)
    except NoSuchTableError as e:
        raise _nothing_of(identifier) from e
    if not row.is_view:
        return Outcome(name, State.LEFT, f"A table has this name ({row.table_type}).")
    if is_lost(row):
        return Outcome(name, State.LEFT, "It is a plain view, and no files of another view of this name were found.")
    _refuse_without_file(catalog, row)
    if not row.partition_keys:
        return Outcome(name, State.UNCHANGED, "It exists.")
    # An earlier run may have ended before its partitions were declared.
    there = ViewAlreadyExistsError("It exists. If it has lost partitions:", remedy=_restore_partitions(name))
    return Outcome(name, State.UNCHANGED, str(there), there)


def _refuse_without_file(catalog: ViewCatalog, row: Row) -> None:
    """
    Raises:
        CorruptMetadataError: the file that the row points to is missing, damaged, or another view's; the remedy is what
            ``check`` says.
        StorageUnavailableError, UnsupportedFeatureError: whether it is there cannot be found out.
    """
    (read,) = catalog.storage.read_each([row.parameters[POINTER]], cached=False)
    if isinstance(read, StorageUnavailableError | UnsupportedFeatureError):
        raise read
    finding = read_view(row, read)
    if isinstance(finding, Finding):
        places = catalog.engine.lookup.default_locations(row.identifier)
        finding = with_last_file(finding, row, places, LiveRows(catalog.engine), catalog.storage)
        raise CorruptMetadataError(
            finding.problem, remedy=finding.remedy, identifier=finding.view, location=row.parameters[POINTER]
        )


def _nothing_of(identifier: TableIdentifier) -> NoSuchViewError:
    return NoSuchViewError(
        f"No files of a view {identifier} were found in its default directories, except those of views that were "
        f"renamed since, which can be brought back under their new names.",
        remedy=Remedy(
            in_python=f"If its files are elsewhere, pass the last one to register_view('{identifier}', file).",
            in_shell=f"If its files are elsewhere, `hive-views register {identifier} FILE` brings it back, if "
            f"FILE is the last one.",
        ),
        identifier=str(identifier),
    )
