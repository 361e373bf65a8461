"""Deleting the files of views that nobody needs any more.

What can go is decided twice: of what was read without a lock, for many views at once, and again under the lock of the
view, by its row as it is then. Files are never changed, so that what was read of them still holds. Between the two all
rows of the metastore are read again: an engine that registers an old file under another name takes no lock.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta

from hive_views.errors import HiveViewsError, InvalidInputError, NoSuchNamespaceError, StorageUnavailableError
from hive_views.estate.cleanup.file_survey import (
    Decision,
    Place,
    Surveyor,
    Surveys,
    reason_without_files,
)
from hive_views.estate.cleanup.unneeded_files import OtherRows
from hive_views.estate.each.outcomes import OnOutcome, Outcome, Outcomes, State, each, ignore
from hive_views.estate.each.selection import (
    is_of_many,
    matches,
    names_namespace,
    namespaces_of,
    select_or_all,
    select_rows,
)
from hive_views.hive.durations import duration_text
from hive_views.hive.row import Row
from hive_views.messages.counted import counted
from hive_views.messages.logs import logger_of
from hive_views.persisted import JOURNAL_SUFFIX
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.files import FileInfo, fetch_ahead
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.locking import Protection
from hive_views.views.journal.requests import REQUESTS_REMEMBERED

LEAST_AGE = timedelta(hours=1)
"""Of files that can be deleted: longer than a lock is kept for a writer that is gone, and than clocks differ."""

log = logger_of(__name__)


def clean(
    catalog: ViewCatalog,
    *patterns: str,
    older_than: timedelta = timedelta(days=30),
    dry_run: bool = False,
    on_outcome: OnOutcome = ignore,
) -> Outcomes:
    """Delete files of views that nobody needs any more and that are older than a limit.

    For a view, these are metadata files that this library wrote for its very row before the current one, that no row of
    the metastore names as its current or previous file, and that no tag needs. In the default directories of the views'
    namespaces, these are also the remains of views that are gone: the partition journal and notes of a view that has
    neither a row nor a metadata file, and listings of base tables (a cache) of a view without a row; and, after at
    least a day, notes of client requests, which may be repeated until then. A dropped view can still be brought back.
    Expired versions can no longer be read from older files.

    Args:
        catalog: where the views are.
        patterns: names, or patterns such as ``sales.*``. Remains of a view without a row are found only by a pattern
            with a wildcard in its second part.
        older_than: by the time that the storage reports for a file and the clock of this machine; at least an hour.
        dry_run: delete nothing.
        on_outcome: called with each outcome as soon as it is known.

    Returns:
        An outcome for each view, and for each name without one that has files left. ``details`` has the ``files`` with
        their sizes, the sum in ``bytes``, and the old files that are ``kept``, each with its reason.

    Raises:
        InvalidInputError: the limit is below an hour, or a pattern is invalid.
        NoSuchNamespaceError, NoSuchViewError: a pattern matches nothing.
        MetastoreUnavailableError: the rows cannot be read.
    """
    if older_than < LEAST_AGE:
        raise InvalidInputError(
            f"Cannot delete files younger than {duration_text(LEAST_AGE)}, as {duration_text(older_than)} would: "
            f"another writer may be about to use them."
        )
    every_row = select_or_all(catalog.metastore, ())
    places = _places(catalog, patterns, every_row)
    now_ms, millisecond = catalog.settings.clock_ms(), timedelta(milliseconds=1)
    noted_before_ms = now_ms - REQUESTS_REMEMBERED // millisecond
    surveyor = Surveyor(catalog.storage, OtherRows(every_row), now_ms - older_than // millisecond, noted_before_ms)
    surveys = Surveys(catalog, surveyor, places)

    def do(place: Place) -> Outcome:
        return _clean_one(catalog, surveys, place, dry_run=dry_run)

    outcomes = each(places, lambda place: str(place.identifier), do, on_outcome, catalog)
    # Most directories that have no row are of tables, and nobody asked about them.
    return Outcomes("cleaned", tuple(one for one in outcomes if one.reason != _NO_VIEW), dry_run)


_NO_VIEW = "No files are left of a view of this name."


def _places(catalog: ViewCatalog, patterns: Sequence[str], every_row: Sequence[Row]) -> list[Place]:
    """What the patterns mean: rows, and directories that views without a row may have left.

    Raises:
        InvalidInputError, NoSuchNamespaceError, NoSuchViewError: as ``select_rows``.
    """
    namespaces = namespaces_of(catalog.metastore, patterns)
    rows = {row.identifier: row for row in every_row if any(matches(pattern, row.identifier) for pattern in patterns)}
    defaults: dict[TableIdentifier, tuple[str, ...]] = {}
    for namespace in namespaces:
        try:
            parents = catalog.engine.lookup.default_directories(namespace)
        except NoSuchNamespaceError:
            if names_namespace(patterns, namespace):
                raise
            continue  # dropped since it was listed
        found = {one.name for one in rows if one.namespace == namespace}
        if any(is_of_many(pattern) for pattern in patterns):
            found |= _names_of_directories(catalog.storage, parents)
        for identifier in _identifiers(namespace, found):
            if identifier in rows or any(is_of_many(one) and matches(one, identifier) for one in patterns):
                defaults[identifier] = tuple(f"{parent}/{identifier.name}" for parent in parents)
    for pattern in patterns:
        if not any(matches(pattern, identifier) for identifier in defaults):
            # A table, or what says what is wrong with the pattern.
            for row in select_rows(catalog.metastore, [pattern]):
                rows[row.identifier], defaults[row.identifier] = row, ()
    return [Place(identifier, rows.get(identifier), defaults[identifier]) for identifier in sorted(defaults)]


def _names_of_directories(storage: MetadataStorage, parents: Iterable[str]) -> set[str]:
    def listed(parent: str) -> Sequence[str]:
        try:
            return storage.list_directories(parent)
        except StorageUnavailableError as error:
            log.warning("what is left of views that are gone in %s is unknown: %s", parent, error)
            return ()

    return {location.rpartition("/")[2] for locations in fetch_ahead(listed, parents) for location in locations}


def _identifiers(namespace: str, names: Iterable[str]) -> Iterator[TableIdentifier]:
    for name in names:
        with suppress(InvalidInputError):
            yield TableIdentifier(namespace, name)


# -- deleting ----------------------------------------------------------------------------------------------------------


def _clean_one(catalog: ViewCatalog, surveys: Surveys, place: Place, *, dry_run: bool) -> Outcome:
    try:
        survey = surveys.of(place)
    except StorageUnavailableError as error:
        if place.row is not None:
            raise
        # Of directories in a namespace many are none of a view's, and not for everybody to read.
        return Outcome(str(place.identifier), State.LEFT, str(error), error)
    if not survey.decided.files or dry_run:
        return _outcome(place, survey.decided, State.PLANNED)
    surveys.reread_rows()
    engine = catalog.engine
    with engine.locking.protect(place.identifier, timeout_s=engine.settings.mend_lock_timeout_s) as protection:
        view = None
        if survey.is_view:
            view = engine.reader.view_of(engine.reader.load_row(place.identifier))
        decided = surveys.surveyor.decide_again(view, survey)
        failures = _delete(catalog.storage, decided.files, protection)
    return _outcome(place, decided, State.DONE, failures)


def _delete(storage: MetadataStorage, files: Sequence[FileInfo], protection: Protection) -> dict[str, HiveViewsError]:
    """Delete files, several at once, as long as the lock is held; returns those that are left, each with the error."""

    def delete(location: str) -> HiveViewsError | None:
        try:
            protection.ensure_held()
            storage.delete(location)
        except HiveViewsError as error:
            return error
        return None

    failures: dict[str, HiveViewsError] = {}
    locations = [info.location for info in files]
    journal = [location for location in locations if location.endswith(JOURNAL_SUFFIX)]
    # The journal of a view proves that the rest is of one that is gone: it goes last.
    for several in ([location for location in locations if location not in journal], journal):
        if failures:
            return failures | dict.fromkeys(several, next(iter(failures.values())))
        answers = zip(several, fetch_ahead(delete, several), strict=True)
        failures |= {location: error for location, error in answers if error}
    return failures


def _outcome(
    place: Place, decided: Decision, state: State, failures: Mapping[str, HiveViewsError] | None = None
) -> Outcome:
    failures = failures or {}
    files = [info for info in decided.files if info.location not in failures]
    size = sum(info.size or 0 for info in files)
    details = {
        "files": [
            {"location": info.location, "bytes": info.size, "modified_at_ms": info.modified_at_ms} for info in files
        ],
        "bytes": size,
        "kept": [{"location": location, "reason": reason} for location, reason in sorted(decided.kept.items())],
        "failed": [{"location": location, "reason": str(error)} for location, error in failures.items()],
    }
    name, stays = str(place.identifier), decided.stays or (reason_without_files(place.row) if place.row else _NO_VIEW)
    if failures:
        error = next(iter(failures.values()))
        reason = f"{len(failures):,} of {counted(len(decided.files), 'file')} could not be deleted: {error}"
        return Outcome(name, State.FAILED, reason, error, details)
    if not files:
        return Outcome(name, State.LEFT if stays else State.UNCHANGED, stays, details=details)
    return Outcome(name, state, f"{counted(len(files), 'file')}, {counted(size, 'byte')}.", details=details)
