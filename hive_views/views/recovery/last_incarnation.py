"""Which view had a name last, if its row is gone, and which of its files was the last one.

A name may have had several views one after the other; each row has an incarnation (storage/ownership.py). The last one
is the one that got the name last, by a note or by its first file; those that were renamed away or have a row elsewhere
do not count. The file that its tombstone names is certain. Without a tombstone the file is searched for: every commit
has a higher number than the one before, so a file with a lower number than another was superseded by it. The file with
the highest number may belong to a commit that never finished; nothing shows that, and the answer says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from hive_views.errors import CorruptMetadataError
from hive_views.hive.row import POINTER, PREVIOUS_POINTER, VIEW_UUID, Row
from hive_views.messages.enumerated import all_of
from hive_views.persisted import FORMER_DIRECTORIES, INCARNATION, MADE_AS, MADE_IN
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewMetadata
from hive_views.spec.serde import METADATA_PATH, sequence_number
from hive_views.spec.strict_json import read_json
from hive_views.storage.locations import parent_of
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.storage.ownership import commits_in, incarnation_of, notes_directory
from hive_views.views.journal.location_notes import (
    Kind,
    Note,
    Tombstone,
    notes_among,
    read_file_locations,
    read_tombstone,
)
from hive_views.views.recovery.left_files import LeftFile, LeftFiles, name_of, rank
from hive_views.views.row.plain_view import is_begun_adoption

IsLive = Callable[[str, str], bool]
"""Whether another row points to a file, or has an incarnation."""


@dataclass(frozen=True)
class LastFile:
    """The last file of a view.

    Attributes:
        location: of the file.
        metadata: in it.
        tombstone: the note that names it; None if it was searched for.
        doubts: why it may be another one, as sentences; () if it is certain.
    """

    location: str
    metadata: ViewMetadata
    tombstone: Tombstone | None = None
    doubts: tuple[str, ...] = ()
    since_ms: int = 0
    """When that note was written, by the clock of the storage."""


class LastIncarnation:
    """Finds the view that had a name last, and its last file.

    Args:
        identifier: the name.
        locations: the directories that a view of this name has by default.
        row: the row that has the name now, if that is not a view with a file.
        is_live: tells which files and incarnations still have a row.
        storage: where the files are.
        metastore: returns the identity of the metastore of the name, if it reports one.
    """

    def __init__(
        self,
        identifier: TableIdentifier,
        locations: Iterable[str],
        row: Row | None,
        is_live: IsLive,
        storage: MetadataStorage,
        metastore: Callable[[], str | None],
    ) -> None:
        self._name = str(identifier)
        self._row = row
        self._is_live = is_live
        self._storage = storage
        self._mine = metastore
        self._takes_others = False
        self._has_others = False
        self._files = LeftFiles(storage)
        self._defaults = [notes_directory(location) for location in dict.fromkeys(locations)]

    def find(self) -> LastFile | None:
        """The last file; None if there is none, or if the view has another name now or was purged.

        Raises:
            CorruptMetadataError: the last file is missing or is not a metadata file, or a note cannot be read.
            UnsupportedFeatureError: a later release wrote a note. StorageUnavailableError: the storage failed.
        """
        notes = notes_among(self._files.infos(self._defaults))
        if self._row is not None and VIEW_UUID in self._row.parameters:
            return self._of_own_row(self._row.parameters, notes)
        found = self._of_incarnations([note for note in notes if not self._is_anothers(note.metastore)])
        is_new_here = self._row is None and not any(one.metastore == self._mine() for one in notes)
        if found is None and self._has_others and is_new_here:
            # A metastore that replaces one whose database was lost gets its views back.
            self._takes_others = True
            found = self._of_incarnations(notes)
            return _doubted(found, OF_ANOTHER_METASTORE) if found else None
        return found

    @property
    def notes(self) -> Mapping[str, frozenset[str]]:
        """The notes that were found, by the directories of the name."""
        found = {one: notes_among(self._files.infos([one])) for one in self._defaults}
        return {one: frozenset(note.location for note in notes) for one, notes in found.items()}

    # -- a row that has only lost its pointer ------------------------------------------------------------------------

    def _of_own_row(self, kept: Mapping[str, str], notes: Iterable[Note]) -> LastFile | None:
        """The file of a row that itself says which one it was, except where."""
        uuid = kept[VIEW_UUID].lower()
        token = kept.get(INCARNATION, uuid)
        directories = [*self._defaults, *_directories_in(kept), *self._directories_of(token, notes)]

        def is_own(file: LeftFile) -> bool:
            if file.metadata.view_uuid.lower() != uuid:
                return False
            # A row from before incarnations were recorded says less.
            return file.incarnation == token if INCARNATION in kept else self._is_left_over(file)

        found = self._files.newest(directories, is_own)
        if not found:
            return None
        commits = commits_in(kept)
        previous = sequence_number(kept.get(PREVIOUS_POINTER, ""))
        following = [one for one in found if previous is not None and one.number == previous + 1]
        exact = [one for one in following or found if one.commits == commits]
        if not following:
            # The first file of a row; an engine that made another from it copied the ids, and used none in the name.
            exact = [one for one in exact if previous is None and commits and one.is_named_by(commits[-1])]
        if exact:
            last = max(exact, key=rank)
            rivals = [one for one in exact if one is not last]
            return LastFile(last.location, last.metadata, doubts=(_ambiguous(rivals),) if rivals else ())
        # An id in the row's own list proves that a file was current once; any other may never have been.
        proven = [one for one in found if one.commits and one.commits[-1] in commits]
        last = max(proven or following or found, key=rank)
        return LastFile(last.location, last.metadata, doubts=(_LAST_OF_ROW_IS_GONE,))

    # -- a row that is gone, or of another view -----------------------------------------------------------------------

    def _of_incarnations(self, notes: Sequence[Note]) -> LastFile | None:
        last_notes = {note.incarnation: note for note in notes}
        departed = {incarnation for incarnation, note in last_notes.items() if note.kind is Kind.FORWARD}
        notes = [note for note in notes if note.incarnation not in departed and not self._is_live("", note.incarnation)]
        purged: list[Tombstone] = []
        while True:
            newest = next((note for note in reversed(notes) if note.kind is Kind.TOMBSTONE), None)
            tombstone = read_tombstone(newest, self._storage) if newest else None
            if newest and tombstone and (tombstone.verb == "purge" or tombstone.view != self._name):
                if tombstone.verb == "purge":
                    purged.append(tombstone)
                notes.remove(newest)
                continue
            found, incarnation = self._last_candidate(newest, tombstone, notes, departed)
            if incarnation is None or (found is not None and not self._was_restored_and_left(found, departed, purged)):
                return found
            departed.add(incarnation)
            notes = [note for note in notes if note.incarnation != incarnation]

    def _last_candidate(
        self, note: Note | None, tombstone: Tombstone | None, notes: Sequence[Note], departed: set[str]
    ) -> tuple[LastFile | None, str | None]:
        """The last file of the incarnation that got the name last, None if no file is left; and that incarnation.

        Args:
            note: the newest tombstone; files that were written before it are not read.
            tombstone: its content.
            notes: of incarnations that still have the name, the oldest first.
            departed: incarnations that were renamed away or are gone.
        """
        since_ms = note.written_ms if note and not note.is_copied else 0
        files = self._files.newest(
            self._defaults, lambda file: file.incarnation not in departed and self._is_left_over(file), since_ms
        )
        if self._row is not None:
            others = [one for one in files if not is_begun_adoption(self._row, one.metadata)]
            files = others if note else others or files
        candidates: dict[str, _Candidate] = {}
        for file in reversed(files):
            first = _Candidate(file.incarnation, (file.written_ms, file.changed_ms))
            candidates.setdefault(file.incarnation, first).files.append(file)
        for moved in notes:
            if moved.kind is Kind.LOCATION and (note is None or moved.order > note.order) and not self._is_void(moved):
                candidate = candidates.setdefault(moved.incarnation, _Candidate(moved.incarnation, (0, 0)))
                candidate.began = max(candidate.began, (moved.written_ms, moved.at_ms))
                candidate.has_note = True
        if note is None or tombstone is None:
            if not candidates:
                return None, None
            last = max(candidates.values(), key=lambda candidate: candidate.began)
            return self._of_search(last, notes), last.incarnation
        dropped = candidates.pop(note.incarnation, None)
        later = [candidate for candidate in candidates.values() if _is_later(candidate, note, tombstone)]
        if later:
            last = max(later, key=lambda candidate: candidate.began)
            found = self._of_search(last, notes)
            if found is not None and not last.is_proven:
                doubt = f"Nothing shows that it was ever current; before it, {tombstone.metadata_location} was."
                found = _doubted(found, doubt)
            return found, last.incarnation
        found = self._of_tombstone(note, tombstone, notes, departed, has_moved=bool(dropped and dropped.has_note))
        return found, note.incarnation

    def _of_tombstone(
        self, note: Note, tombstone: Tombstone, notes: Sequence[Note], departed: set[str], *, has_moved: bool
    ) -> LastFile | None:
        """The file that a tombstone names, unless there are later commits: the drop may have been interrupted."""
        directories = [*self._defaults, parent_of(tombstone.metadata_location)]
        try:
            # A file never changes, and one that was just listed exists.
            is_there = any(info.location == tombstone.metadata_location for info in self._files.infos(directories))
            metadata = self._storage.read(tombstone.metadata_location, cached=is_there)
        except CorruptMetadataError:
            if self._files.newest(directories, lambda file: file.incarnation == note.incarnation):
                # An earlier file is not the last one: restoring it would lose the changes since.
                raise
            return None
        if has_moved:
            directories += self._directories_of(note.incarnation, notes)
        # A file that was written before the note was never current, unless other writers were not locked out.
        since_ms = note.written_ms + 1 if tombstone.is_locked and not note.is_copied else 0
        followed = self._files.newest(
            directories,
            lambda file: file.incarnation == note.incarnation and file.is_after(tombstone.metadata_location),
            since_ms,
        )
        after = [] if note.is_copied else [file for file in followed if file.written_ms > note.written_ms]
        if not after:
            doubts = (_ambiguous(followed),) if followed else ()
            if tombstone.verb == "release" and self._row is None:
                doubts = (*doubts, _RELEASED_BEFORE)
            if (note.metastore is None or self._mine() is None) and self._has_other_views(
                tombstone, metadata, notes, departed
            ):
                doubts = (*doubts, _SEVERAL_VIEWS)
            return LastFile(tombstone.metadata_location, metadata, tombstone, doubts, note.written_ms)
        last = self._tip(after)
        return _doubted(last, f"It is newer than {tombstone.metadata_location}, at which a {tombstone.verb} was begun.")

    def _of_search(self, candidate: _Candidate, notes: Sequence[Note]) -> LastFile | None:
        directories = self._directories_of(candidate.incarnation, notes)
        files = candidate.files
        if directories:
            everywhere = [*self._defaults, *directories]
            files = self._files.newest(everywhere, lambda file: file.incarnation == candidate.incarnation)
            files = [file for file in files if not self._is_live(file.location, file.incarnation)]
        return self._tip(files) if files else None

    def _tip(self, files: Sequence[LeftFile]) -> LastFile:
        last = max(files, key=rank)
        # An engine that does not record commits has no id of its own.
        rivals = [file for file in files if file.number == last.number and file is not last]
        found = LastFile(last.location, last.metadata, doubts=(_SEARCHED,))
        return _doubted(found, _ambiguous(rivals)) if rivals else found

    def _was_restored_and_left(self, found: LastFile, departed: set[str], purged: Iterable[Tombstone]) -> bool:
        """Whether a view of this name that was restored from this file was renamed away or purged."""
        own, name = incarnation_of(found.metadata), name_of(found.location)
        if any(one.copied_from == name or any(map(name.partition("-")[2].startswith, one.commits)) for one in purged):
            return True

        def was_made_of_it(file: LeftFile) -> bool:
            is_another = file.incarnation != own and file.metadata.properties.get(MADE_AS) == self._name
            is_gone = file.incarnation in departed or self._is_live(file.location, file.incarnation)
            return is_another and is_gone and file.follows(found.location)

        return bool(self._files.newest([*self._defaults, parent_of(found.location)], was_made_of_it, found.since_ms))

    def _is_void(self, moved: Note) -> bool:
        """Whether the rename to this name never happened or was reversed: the view was dropped under its other name."""
        said = read_file_locations(moved, self._storage)
        left = said.left
        if said.view != self._name:
            return True
        if left is None:
            return False
        there = [note for note in notes_among(self._files.infos([left])) if note.incarnation == moved.incarnation]
        if not there:
            return False
        return there[-1].kind is not Kind.FORWARD or there[-1].at_ns < moved.at_ns

    def _directories_of(self, incarnation: str, notes: Iterable[Note]) -> list[str]:
        """Where the files of an incarnation are, by all of its notes."""
        own = [note for note in notes if note.kind is Kind.LOCATION and note.incarnation == incarnation]
        found = [directory for note in own for directory in read_file_locations(note, self._storage).directories]
        return list(dict.fromkeys(found))

    def _is_left_over(self, file: LeftFile) -> bool:
        # Files from before the name was recorded may belong to any view.
        is_anothers = self._is_anothers(file.metadata.properties.get(MADE_IN)) and not self._takes_others
        is_of_name = file.metadata.properties.get(MADE_AS, self._name) == self._name
        return is_of_name and not is_anothers and not self._is_live(file.location, file.incarnation)

    def _is_anothers(self, metastore: str | None) -> bool:
        """Whether something certainly belongs to another metastore."""
        is_anothers = metastore is not None and self._mine() not in (None, metastore)
        self._has_others = self._has_others or is_anothers
        return is_anothers

    def _has_other_views(
        self, tombstone: Tombstone, metadata: ViewMetadata, notes: Iterable[Note], departed: set[str]
    ) -> bool:
        """Whether the name had views other than those that this one was restored from."""
        files = self._files.newest([*self._defaults, parent_of(tombstone.metadata_location)], self._is_left_over)
        whose = {name_of(file.location): file.incarnation for file in files}
        made_of = {file.incarnation: whose.get(file.copied_from or "") for file in files}
        own: str | None = incarnation_of(metadata)
        others = {*made_of, *(note.incarnation for note in notes if note.kind is Kind.TOMBSTONE)} - departed
        while own is not None and own in others:
            others.remove(own)
            own = made_of.get(own)
        return bool(others)


class _Candidate:
    def __init__(self, incarnation: str, began: tuple[int, int]) -> None:
        self.incarnation = incarnation
        self.began = began
        """By the clock of the storage, and by that of the writer."""
        self.has_note = False
        self.files: list[LeftFile] = []

    @property
    def is_proven(self) -> bool:
        """Whether it certainly had a row: a file that another one follows was current."""
        return len({file.number for file in self.files}) > 1


_SEARCHED = "No note was written when its row was removed: its last file may belong to a change that never completed."
OF_ANOTHER_METASTORE = (
    "It was created in another metastore, which this one has replaced or with which it shares the directory."
)
_SEVERAL_VIEWS = (
    "Other views had this name, and a server before Hive 3 does not report which metastore it is: if two share the "
    "directory, it may belong to the other one."
)
_RELEASED_BEFORE = "It had been handed back before: later changes of the plain view are not in it."
_LAST_OF_ROW_IS_GONE = "The file that the row pointed to is not found; this may be an earlier one."


def _is_later(candidate: _Candidate, note: Note, tombstone: Tombstone) -> bool:
    """Whether a candidate got the name after the tombstone of another was written; storages may count whole seconds."""
    if any(file.follows(tombstone.metadata_location) for file in candidate.files):
        return True
    # A copy of a storage keeps only the times that writers recorded themselves.
    return candidate.began[1] > note.at_ms if note.is_copied else candidate.began > (note.written_ms, note.at_ms)


def _doubted(found: LastFile, doubt: str) -> LastFile:
    return replace(found, doubts=(*found.doubts, doubt))


def _ambiguous(others: Sequence[LeftFile]) -> str:
    return f"It may also be {all_of([file.location for file in others])}."


def _directories_in(parameters: Mapping[str, str]) -> list[str]:
    """The directories of metadata files that a row names."""
    named = [parameters.get(METADATA_PATH, "").rstrip("/")]
    named += [parent_of(parameters.get(key, "")) for key in (POINTER, PREVIOUS_POINTER)]
    try:
        named += [str(one) for one in read_json(parameters.get(FORMER_DIRECTORIES, "[]"))]
    except (ValueError, TypeError):
        named += []
    return [one for one in dict.fromkeys(named) if one]
