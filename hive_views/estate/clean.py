"""Deleting the files of views that nobody needs any more.

What lives here: the verb, what it reads, and the deletion. What must not: the rules (views/unneeded_files.py).

What can go is decided twice: of what was read without a lock, for many views at once, and again under the lock of the
view, by its row as it is then. Files are never changed, so that what was read of them still holds.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta

from hive_views.errors import HiveViewsError, InvalidInputError, NoSuchViewError, StorageUnavailableError
from hive_views.estate.outcomes import OnOutcome, Outcome, Outcomes, State, each, ignore
from hive_views.estate.selection import ALL_VIEWS, is_of_many, matches, namespaces_of, select_rows
from hive_views.hive.row import Row
from hive_views.messages.counted import counted
from hive_views.persisted import JOURNAL_SUFFIX, LISTING_SUFFIX
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewMetadata
from hive_views.storage.directories import directories, directories_beside_metadata, incarnation_in_name
from hive_views.storage.files import FileInfo, asked_ahead
from hive_views.storage.metadata_files import MetadataStorage, is_metadata_file
from hive_views.views.catalog import ViewCatalog
from hive_views.views.exclusive import Exclusive, Protection
from hive_views.views.loading import ViewReader
from hive_views.views.lost_row import is_own
from hive_views.views.names import ViewNames
from hive_views.views.partition_journal import metadata_directory_in
from hive_views.views.unneeded_files import (
    MetadataFile,
    OtherRows,
    is_gone,
    kept_for_a_reason,
    may_be_unneeded,
    why_all_stay,
)
from hive_views.views.view import View, is_lost, view_of

LEAST_AGE = timedelta(hours=1)
"""Of files that can be deleted: longer than a lock is kept for a writer that is gone, and than clocks differ."""

log = logging.getLogger(__name__)

_SURVEYED_AT_ONCE = 8


def clean(
    catalog: ViewCatalog,
    *patterns: str,
    older_than: timedelta = timedelta(days=30),
    dry_run: bool = False,
    on_outcome: OnOutcome = ignore,
) -> Outcomes:
    """Delete files of views that nobody needs any more, and that are older than a limit.

    Of a view, those of its metadata files that were written for its very row, by this library, before the current one,
    which no row of the metastore names as its current or previous one, and no tag needs. Beside it, and below the
    directories that views of a namespace have by default, what is left of views that are gone: the journal of
    partitions and notes of a view that has neither a row nor a metadata file, and the listings of base tables (a cache)
    of a view that has no row. A dropped view stays as recoverable as it was. Versions that have expired cannot be
    looked at in older files any more.

    Args:
        catalog: where the views are.
        patterns: names, or patterns such as ``sales.*``; of what is left of views that are gone, only a pattern that
            has a wildcard in its second part finds that of a name without a row.
        older_than: by the time that the storage gives for a file and the clock of this machine; at least an hour.
        dry_run: delete nothing.
        on_outcome: called with each outcome.

    Returns:
        An outcome for each view, and for each name without one where files are left. ``details`` has the ``files`` with
        their sizes, all ``bytes``, and the old files that are ``kept``, each with its reason.

    Raises:
        InvalidInputError: the limit is below an hour, or a pattern is none.
        NoSuchNamespaceError, NoSuchViewError: a pattern matches nothing.
        MetastoreUnavailableError: the rows cannot be read.
    """
    if older_than < LEAST_AGE:
        raise InvalidInputError(
            f"Cannot delete files that are younger than {LEAST_AGE}, as {older_than} asks for: what another writer has "
            f"just begun may need them."
        )
    every_row = _every_row(catalog)
    places = _places(catalog, patterns, every_row)
    written_before_ms = catalog.settings.clock_ms() - older_than // timedelta(milliseconds=1)
    surveyor = _Surveyor(catalog.storage, OtherRows(every_row), written_before_ms)
    with _surveyed_ahead(surveyor, places) as surveys:

        def do(place: _Place) -> Outcome:
            return _clean_one(catalog, surveyor, place, surveys[place.identifier], dry_run=dry_run)

        outcomes = each(places, lambda place: str(place.identifier), do, on_outcome)
    # Most directories that have no row are of tables, and nobody asked about them.
    return Outcomes("cleaned", tuple(one for one in outcomes if one.reason != _NO_VIEW), dry_run)


_NO_VIEW = "Nothing is left of a view of this name."


@dataclass(frozen=True)
class _Place:
    """A name, its row, and the directories that a view of this name has by default."""

    identifier: TableIdentifier
    row: Row | None
    defaults: tuple[str, ...]


def _every_row(catalog: ViewCatalog) -> list[Row]:
    try:
        return select_rows(catalog.metastore, [ALL_VIEWS])
    except NoSuchViewError:
        return []


def _places(catalog: ViewCatalog, patterns: Sequence[str], every_row: Sequence[Row]) -> list[_Place]:
    """What the patterns mean: rows, and directories that views without a row may have left.

    Raises:
        InvalidInputError, NoSuchNamespaceError, NoSuchViewError: as ``select_rows``.
    """
    namespaces = namespaces_of(catalog.metastore, patterns)
    rows = {row.identifier: row for row in every_row if any(matches(pattern, row.identifier) for pattern in patterns)}
    names = ViewNames(catalog.metastore, catalog.warehouse)
    defaults: dict[TableIdentifier, tuple[str, ...]] = {}
    for namespace in namespaces:
        parents = names.default_directories(namespace)
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
    return [_Place(identifier, rows.get(identifier), defaults[identifier]) for identifier in sorted(defaults)]


def _names_of_directories(storage: MetadataStorage, parents: Iterable[str]) -> set[str]:
    def listed(parent: str) -> Sequence[str]:
        try:
            return storage.list_directories(parent)
        except StorageUnavailableError as error:
            log.warning("what is left of views that are gone in %s is not known: %s", parent, error)
            return ()

    return {location.rpartition("/")[2] for locations in asked_ahead(listed, parents) for location in locations}


def _identifiers(namespace: str, names: Iterable[str]) -> Iterator[TableIdentifier]:
    for name in names:
        with suppress(InvalidInputError):
            yield TableIdentifier(namespace, name)


# -- reading -----------------------------------------------------------------------------------------------------------


@dataclass
class _Survey:
    """What was read of one place.

    Attributes:
        view: None for a name without a view of this library or of Iceberg.
        metadata_files: those in its directories, by location.
        contents: of those that may be unneeded.
        leftovers: files of views that are gone.
    """

    view: View | None = None
    metadata_files: dict[str, FileInfo] = field(default_factory=dict)
    contents: dict[str, MetadataFile | None] = field(default_factory=dict)
    leftovers: list[FileInfo] = field(default_factory=list)


class _Surveyor:
    """Reads what has to be known of files; makes no call to the metastore.

    Args:
        storage: where the files are.
        others: all rows of the metastore.
        written_before_ms: only files that were written before are looked at.
    """

    def __init__(self, storage: MetadataStorage, others: OtherRows, written_before_ms: int) -> None:
        self._storage = storage
        self.others = others
        self.written_before_ms = written_before_ms

    def survey(self, place: _Place) -> _Survey:
        """
        Raises:
            CorruptMetadataError, StorageUnavailableError: what the row points to, or is beside it, cannot be read.
        """
        view = view_of(place.row, self._storage) if place.row and _why_not_ours(place.row) is None else None
        survey = _Survey(view)
        own = directories(view.metadata) if view else ()
        beside = [each for default in place.defaults for each in directories_beside_metadata(default)]
        places = list(dict.fromkeys((*own, *beside)))
        listed = dict(zip(places, asked_ahead(self._storage.list_infos, places), strict=True))
        if view and why_all_stay(view, self.others) is None:
            infos = [info for place in own for info in listed[place] if is_metadata_file(info.location)]
            survey.metadata_files = {info.location: info for info in infos}
            survey.contents = self._contents(self.candidates(view, infos))
        survey.leftovers = self._leftovers(info for infos in listed.values() for info in infos)
        return survey

    def candidates(self, view: View, files: Iterable[FileInfo]) -> list[str]:
        """Those of a view's metadata files that are worth to be read."""
        before = self.written_before_ms
        return [one.location for one in files if may_be_unneeded(view, one, self.others, written_before_ms=before)]

    def _contents(self, locations: Sequence[str]) -> dict[str, MetadataFile | None]:
        found = self._storage.read_each(locations, cached=False)
        return {
            location: MetadataFile.of(one) if isinstance(one, ViewMetadata) else None
            for location, one in zip(locations, found, strict=True)
        }

    def _leftovers(self, listed: Iterable[FileInfo]) -> list[FileInfo]:
        """Files of the journal and of publishing whose incarnation no row is of, and that nobody can need."""
        files: dict[str, list[FileInfo]] = defaultdict(list)
        for info in listed:
            incarnation = incarnation_in_name(info.location)
            if incarnation and not self.others.know(incarnation):
                files[incarnation].append(info)
        found: list[FileInfo] = []
        for incarnation, infos in files.items():
            listings = [one for one in infos if one.location.endswith(LISTING_SUFFIX)]
            found += filter(self._is_old, listings)
            rest = [one for one in infos if one not in listings]
            if rest and all(map(self._is_old, rest)) and self._is_gone(incarnation, rest):
                found += rest
        return found

    def _is_old(self, info: FileInfo) -> bool:
        return info.modified_at_ms is not None and info.modified_at_ms <= self.written_before_ms

    def _is_gone(self, incarnation: str, files: Iterable[FileInfo]) -> bool:
        """Whether the journal says where the metadata files were, and none of them is left."""
        journal = [one.location for one in files if one.location.endswith(JOURNAL_SUFFIX)]
        entries = asked_ahead(self._storage.read_bytes, journal)
        places = {directory for entry in entries if (directory := metadata_directory_in(entry)) is not None}
        locations = [location for place in places for location in self._storage.list_metadata_files(place)]
        read = self._storage.read_each(locations)
        return bool(places) and is_gone(incarnation, (one if isinstance(one, ViewMetadata) else None for one in read))


@contextmanager
def _surveyed_ahead(
    surveyor: _Surveyor, places: Sequence[_Place]
) -> Iterator[Mapping[TableIdentifier, Future[_Survey]]]:
    """The surveys of all places, several at once; those that nobody waits for any more are not begun."""
    pool = ThreadPoolExecutor(_SURVEYED_AT_ONCE)
    try:
        yield {place.identifier: pool.submit(surveyor.survey, place) for place in places}
    finally:
        pool.shutdown(cancel_futures=True)


# -- deleting ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Decision:
    """What can be deleted of one place, and what stays although it is old, with the reason."""

    files: Sequence[FileInfo]
    kept: Mapping[str, str] = field(default_factory=dict)
    stays: str | None = None
    """Why no metadata file can be deleted."""


def _clean_one(
    catalog: ViewCatalog, surveyor: _Surveyor, place: _Place, surveyed: Future[_Survey], *, dry_run: bool
) -> Outcome:
    try:
        survey = surveyed.result()
    except StorageUnavailableError as error:
        if place.row is not None:
            raise
        # Of directories in a namespace many are none of a view's, and not for everybody to read.
        return Outcome(str(place.identifier), State.LEFT, str(error), error)
    decided = _decide(survey.view, survey, surveyor)
    if not decided.files or dry_run:
        return _outcome(place, decided, State.PLANNED)
    exclusive = Exclusive(catalog.metastore, catalog.settings.lock)
    with exclusive.protect(place.identifier, timeout_s=catalog.settings.mend_lock_timeout_s) as protection:
        if survey.view:
            row = ViewReader(catalog.metastore, catalog.storage).load_row(place.identifier)
            decided = _decide(view_of(row, catalog.storage), survey, surveyor)
        failures = _delete(catalog.storage, decided.files, protection)
    return _outcome(place, decided, State.DONE, failures)


def _decide(view: View | None, survey: _Survey, surveyor: _Surveyor) -> _Decision:
    if view is None:
        return _Decision(survey.leftovers)
    if stays := why_all_stay(view, surveyor.others):
        return _Decision(survey.leftovers, stays=stays)
    candidates = surveyor.candidates(view, survey.metadata_files.values())
    kept = kept_for_a_reason(view, {one: survey.contents[one] for one in candidates if one in survey.contents})
    files = [survey.metadata_files[one] for one in candidates if one in survey.contents and one not in kept]
    ageless = [location for location, info in survey.metadata_files.items() if info.modified_at_ms is None]
    return _Decision(
        [*files, *survey.leftovers], kept | dict.fromkeys(ageless, "the storage does not say when it was written")
    )


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
        answers = zip(several, asked_ahead(delete, several), strict=True)
        failures |= {location: error for location, error in answers if error}
    return failures


def _why_not_ours(row: Row) -> str | None:
    if not row.is_view:
        return f"It is a table ({row.table_type})."
    if is_lost(row):
        return "Its row has lost the pointer to its metadata file." if is_own(row) else "It is a plain view."
    return None


def _outcome(
    place: _Place, decided: _Decision, state: State, failures: Mapping[str, HiveViewsError] | None = None
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
    name, stays = str(place.identifier), decided.stays or (_why_not_ours(place.row) if place.row else _NO_VIEW)
    if failures:
        error = next(iter(failures.values()))
        reason = f"{len(failures):,} of {counted(len(decided.files), 'file')} could not be deleted: {error}"
        return Outcome(name, State.FAILED, reason, error, details)
    if not files:
        return Outcome(name, State.LEFT if stays else State.UNCHANGED, stays, details=details)
    return Outcome(name, state, f"{counted(len(files), 'file')}, {counted(size, 'byte')}.", details=details)
