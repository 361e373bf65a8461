"""What is read of the files of views before some are deleted, and what can go by that."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

from hive_views.errors import CorruptMetadataError, UnsupportedFeatureError
from hive_views.estate.cleanup.unneeded_files import (
    MetadataFile,
    OtherRows,
    is_nothing_left,
    may_be_unneeded,
    needed_files,
    reason_to_keep_all,
)
from hive_views.estate.each.selection import select_or_all
from hive_views.hive.row import Row
from hive_views.persisted import JOURNAL_SUFFIX, LISTING_SUFFIX
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewMetadata
from hive_views.storage.files import FileInfo, fetch_ahead
from hive_views.storage.locations import distinct_locations
from hive_views.storage.metadata_files import MetadataStorage, is_metadata_file
from hive_views.storage.ownership import (
    directories,
    directories_beside_metadata,
    incarnation_in_name,
    is_note_of_request,
    notes_directory,
)
from hive_views.views.catalog import ViewCatalog
from hive_views.views.changes.recovered_metadata import is_own
from hive_views.views.journal.location_notes import Note, directories_named_by, is_note, notes_among
from hive_views.views.journal.partition_journal import metadata_directory_in
from hive_views.views.view import View, is_lost, view_of

_SURVEYED_AT_ONCE = 8
# Of so many views what was read is kept in memory.
_SURVEYED_TOGETHER = 250


@dataclass(frozen=True)
class Place:
    """A name, its row, and the directories that a view of this name has by default."""

    identifier: TableIdentifier
    row: Row | None
    defaults: tuple[str, ...]


@dataclass(frozen=True)
class Decision:
    """What can be deleted of one place, and what stays although it is old, with the reason."""

    files: Sequence[FileInfo]
    kept: Mapping[str, str] = field(default_factory=dict)
    stays: str | None = None
    """Why no metadata file can be deleted."""


@dataclass(frozen=True)
class Survey:
    """What was read of one place.

    Attributes:
        decided: what can be deleted by that.
        is_view: whether a view of this library or of Iceberg has the name.
        metadata_files: those in its directories, by location.
        contents: of those that may be unneeded.
        leftovers: files of views that are gone, and notes of requests that nobody repeats any more.
    """

    decided: Decision
    is_view: bool
    metadata_files: Mapping[str, FileInfo]
    contents: Mapping[str, MetadataFile | None]
    leftovers: Sequence[FileInfo]


class Surveyor:
    """Reads what has to be known of files; makes no call to the metastore.

    Args:
        storage: where the files are.
        others: all rows of the metastore.
        written_before_ms: only files that were written before are looked at.
        noted_before_ms: notes of requests that were written before are of those that nobody repeats any more.
    """

    def __init__(
        self, storage: MetadataStorage, others: OtherRows, written_before_ms: int, noted_before_ms: int
    ) -> None:
        self._storage = storage
        self.others = others
        self._written_before_ms = written_before_ms
        self._noted_before_ms = min(noted_before_ms, written_before_ms)

    def survey(self, place: Place) -> Survey:
        """
        Raises:
            CorruptMetadataError, StorageUnavailableError: what the row points to, or is beside it, cannot be read.
        """
        view = view_of(place.row, self._storage) if place.row and reason_without_files(place.row) is None else None
        own = directories(view.metadata) if view else ()
        defaults = place.defaults
        beside = [each for default in defaults for each in directories_beside_metadata(default)]
        beside += map(notes_directory, defaults)
        listed = self._storage.list_together(distinct_locations((*own, *beside)))
        files: list[FileInfo] = []
        if view and reason_to_keep_all(view, self.others) is None:
            files = [info for place in own for info in listed.get(place, ()) if is_metadata_file(info.location)]
        by_location = {info.location: info for info in files}
        contents = self._contents(self._candidates(view, files)) if view else {}
        leftovers = self._leftovers([info for infos in listed.values() for info in infos])
        decided = self._decide(view, by_location, contents, leftovers)
        if not decided.files:
            by_location, contents, leftovers = {}, {}, []
        return Survey(decided, view is not None, by_location, contents, leftovers)

    def decide_again(self, view: View | None, survey: Survey) -> Decision:
        """What can be deleted by the rows as they are known now."""
        return self._decide(view, survey.metadata_files, survey.contents, survey.leftovers)

    def _decide(
        self,
        view: View | None,
        metadata_files: Mapping[str, FileInfo],
        contents: Mapping[str, MetadataFile | None],
        leftovers: Iterable[FileInfo],
    ) -> Decision:
        leftovers = [
            info for info in leftovers if not self.others.has_incarnation(incarnation_in_name(info.location) or "")
        ]
        if view is None:
            return Decision(leftovers)
        if stays := reason_to_keep_all(view, self.others):
            return Decision(leftovers, stays=stays)
        candidates = [one for one in self._candidates(view, metadata_files.values()) if one in contents]
        kept = needed_files(view, {one: contents[one] for one in candidates})
        files = [metadata_files[one] for one in candidates if one not in kept]
        ageless = [location for location, info in metadata_files.items() if info.modified_at_ms is None]
        return Decision(
            [*files, *leftovers], kept | dict.fromkeys(ageless, "the storage does not say when it was written")
        )

    def _candidates(self, view: View, files: Iterable[FileInfo]) -> list[str]:
        """Those of a view's metadata files that are worth to be read."""
        before = self._written_before_ms
        return [one.location for one in files if may_be_unneeded(view, one, self.others, written_before_ms=before)]

    def _contents(self, locations: Sequence[str]) -> dict[str, MetadataFile | None]:
        found = self._storage.read_each(locations, cached=False)
        return {
            location: MetadataFile.of(one) if isinstance(one, ViewMetadata) else None
            for location, one in zip(locations, found, strict=True)
        }

    def _obsolete_notes(self, listed: Sequence[FileInfo]) -> list[FileInfo]:
        """Old notes of what became of views without a row, where there is no metadata file any more."""
        by_location = {info.location: info for info in listed}
        about: dict[str, list[Note]] = defaultdict(list)
        notes = notes_among(listed)
        for note in notes:
            if not self.others.has_incarnation(note.incarnation):
                about[note.incarnation].append(note)
        if any(map(is_metadata_file, by_location)):
            # Without the newest, files of an earlier view of the name would be taken for those of its last one.
            for newest in {note.metastore: note.incarnation for note in notes}.values():
                about.pop(newest, None)
        # All or none: without the last of them, what an earlier one leads to would be taken for the last file.
        noted = ([by_location[note.location] for note in one] for one in about.values() if self._lead_to_no_file(one))
        return [info for together in noted if all(map(self._is_old, together)) for info in together]

    def _lead_to_no_file(self, notes: Sequence[Note]) -> bool:
        try:
            places = {place for note in notes for place in directories_named_by(note, self._storage)}
        except (CorruptMetadataError, UnsupportedFeatureError):
            return False
        is_empty = not any(fetch_ahead(self._storage.list_metadata_files, places))
        return is_empty and all(fetch_ahead(self._storage.is_listable, places))

    def _leftovers(self, listed: Sequence[FileInfo]) -> list[FileInfo]:
        """Notes of requests, and of the journal and of publishing files whose incarnation no row is of; what can go."""
        files: dict[str, list[FileInfo]] = defaultdict(list)
        found: list[FileInfo] = []
        for info in listed:
            if is_note_of_request(info.location) and _is_before(self._noted_before_ms, info):
                found.append(info)
            incarnation = None if is_note(info.location) else incarnation_in_name(info.location)
            if incarnation and not self.others.has_incarnation(incarnation):
                files[incarnation].append(info)
        found += self._obsolete_notes(listed)
        for incarnation, infos in files.items():
            listings = [one for one in infos if one.location.endswith(LISTING_SUFFIX)]
            found += filter(self._is_old, listings)
            rest = [one for one in infos if one not in listings]
            if rest and all(map(self._is_old, rest)) and self._is_gone(incarnation, rest):
                found += rest
        return found

    def _is_old(self, info: FileInfo) -> bool:
        return _is_before(self._written_before_ms, info)

    def _is_gone(self, incarnation: str, files: Iterable[FileInfo]) -> bool:
        """Whether the journal says where the metadata files were, and none of them is left."""
        journal = [one.location for one in files if one.location.endswith(JOURNAL_SUFFIX)]
        entries = fetch_ahead(self._storage.read_bytes, journal)
        places = {directory for entry in entries if (directory := metadata_directory_in(entry)) is not None}
        # One that is not there may be mounted elsewhere, or come back.
        if not places or not all(fetch_ahead(self._storage.is_listable, places)):
            return False
        locations = [location for place in places for location in self._storage.list_metadata_files(place)]
        read = self._storage.read_each(locations)
        return is_nothing_left(incarnation, (one if isinstance(one, ViewMetadata) else None for one in read))


class Surveys:
    """The surveys of places, made of many at once when it is the turn of the first of these.

    Args:
        catalog: where the views are.
        surveyor: reads the files.
        places: in the order in which they are asked for.
    """

    def __init__(self, catalog: ViewCatalog, surveyor: Surveyor, places: Sequence[Place]) -> None:
        self._catalog = catalog
        self._places = places
        self._numbers = {place.identifier: number for number, place in enumerate(places)}
        self._surveyed: dict[TableIdentifier, Future[Survey]] = {}
        self._rows_read_ms: int | None = None
        self._reading_took_ms = 0
        self.surveyor = surveyor

    def of(self, place: Place) -> Survey:
        """The survey of a place; asked for once.

        Raises:
            CorruptMetadataError, StorageUnavailableError: what the row points to, or is beside it, cannot be read.
        """
        if place.identifier not in self._surveyed:
            self._survey_from(self._numbers[place.identifier])
        return self._surveyed.pop(place.identifier).result()

    def reread_rows(self) -> None:
        """Read all rows of the metastore again before something is deleted.

        Once at least for places that were surveyed together, and then as often as costs a tenth of the time.
        """
        clock_ms = self._catalog.settings.clock_ms
        began_ms = clock_ms()
        if self._rows_read_ms is None or began_ms - self._rows_read_ms >= 10 * self._reading_took_ms:
            self.surveyor.others.add(select_or_all(self._catalog.metastore, ()))
            self._rows_read_ms = clock_ms()
            self._reading_took_ms = self._rows_read_ms - began_ms

    def _survey_from(self, number: int) -> None:
        pool = ThreadPoolExecutor(_SURVEYED_AT_ONCE)
        together = self._places[number : number + _SURVEYED_TOGETHER]
        try:
            self._surveyed = {place.identifier: pool.submit(self.surveyor.survey, place) for place in together}
            wait(self._surveyed.values())
        finally:
            pool.shutdown(cancel_futures=True)
        self._rows_read_ms = None


def _is_before(at_ms: int, info: FileInfo) -> bool:
    return info.modified_at_ms is not None and info.modified_at_ms <= at_ms


def reason_without_files(row: Row) -> str | None:
    """Why a row has no files of a view; None for one that has."""
    if not row.is_view:
        return f"It is a table ({row.table_type})."
    if is_lost(row):
        return "Its row has lost the pointer to its metadata file." if is_own(row) else "It is a plain view."
    return None
