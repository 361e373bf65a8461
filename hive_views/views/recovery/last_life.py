"""Which view was the last of a name whose row is gone, and which of its files was the last one.

The views that had a name one after the other are its lives; each has an incarnation (storage/ownership.py). The last
life is the one that got the name last: by a word, or by its first file. A life that left the name, or has a row
elsewhere, is none of it. Of the last life the file that its last word names is certain. Without a word it is searched
for: each commit has a number above that of the one before, so that a file with a lower number than another was followed
by it. The one with the highest may be of a commit that never came to its end; nothing shows that, and it is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from hive_views.errors import CorruptMetadataError
from hive_views.hive.row import POINTER, PREVIOUS_POINTER, VIEW_UUID, Row
from hive_views.messages.enumerated import all_of
from hive_views.persisted import COMMITS, FORMER_DIRECTORIES, INCARNATION, MADE_AS, MADE_IN
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewMetadata
from hive_views.spec.serde import METADATA_PATH, sequence_number
from hive_views.spec.strict_json import read_json
from hive_views.storage.locations import parent_of
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.storage.ownership import incarnation_of, whereabouts_directory
from hive_views.views.journal.whereabouts_notes import Ended, Kind, Word, read_ended, read_here, words_among
from hive_views.views.recovery.left_files import LeftFile, LeftFiles, name_of, rank
from hive_views.views.row.plain_view import is_begun_adoption

IsLive = Callable[[str, str], bool]
"""Whether another row points to a file, or is of an incarnation."""


@dataclass(frozen=True)
class LastFile:
    """The last file of a view.

    Attributes:
        location: of the file.
        metadata: in it.
        ended: the word that names it; None where it was searched for.
        doubts: why it may be another one, as sentences; () where that is certain.
    """

    location: str
    metadata: ViewMetadata
    ended: Ended | None = None
    doubts: tuple[str, ...] = ()
    since_ms: int = 0
    """What was written before, by the clock of the storage, was written before that word."""


class LastLife:
    """Finds the last life of a name, and its last file.

    Args:
        identifier: the name.
        locations: the directories that a view of this name has by default.
        row: what has the name now and is no view with a file.
        is_live: whose files are not left over.
        storage: where the files are.
        metastore: gives the identity of the one that the name is in, if that tells it.
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
        self._defaults = [whereabouts_directory(location) for location in dict.fromkeys(locations)]

    def find(self) -> LastFile | None:
        """The last file of the last life; None where there is none, or it lives under another name, or was purged.

        Raises:
            CorruptMetadataError: the last file is not there, or is no metadata file; or a word cannot be read.
            UnsupportedFeatureError: a word is of a later release. StorageUnavailableError: the storage failed.
        """
        words = words_among(self._files.infos(self._defaults))
        if self._row is not None and VIEW_UUID in self._row.parameters:
            return self._of_own_row(self._row.parameters, words)
        found = self._of_lives([word for word in words if not self._is_anothers(word.metastore)])
        is_new_here = self._row is None and not any(one.metastore == self._mine() for one in words)
        if found is None and self._has_others and is_new_here:
            # A metastore in the place of one whose database is lost has its views again.
            self._takes_others = True
            found = self._of_lives(words)
            return _doubted(found, OF_ANOTHER_METASTORE) if found else None
        return found

    # -- a row that has only lost its pointer ------------------------------------------------------------------------

    def _of_own_row(self, kept: Mapping[str, str], words: Iterable[Word]) -> LastFile | None:
        """The file of a row that says itself which one that was, but for the place."""
        uuid = kept[VIEW_UUID].lower()
        token = kept.get(INCARNATION, uuid)
        directories = [*self._defaults, *_directories_in(kept), *self._directories_of(token, words)]

        def is_own(file: LeftFile) -> bool:
            if file.metadata.view_uuid.lower() != uuid:
                return False
            # A row from before the token says less.
            return file.incarnation == token if INCARNATION in kept else self._is_left(file)

        found = self._files.newest(directories, is_own)
        if not found:
            return None
        commits = [one for one in kept.get(COMMITS, "").split(",") if one]
        previous = sequence_number(kept.get(PREVIOUS_POINTER, ""))
        following = [one for one in found if previous is not None and one.number == previous + 1]
        exact = [one for one in following or found if one.commits == commits]
        if not following:
            # The first file of a row; an engine that made one of it has copied the ids, and named it by none.
            exact = [one for one in exact if previous is None and commits and one.is_named_by(commits[-1])]
        if exact:
            last = max(exact, key=rank)
            rivals = [one for one in exact if one is not last]
            return LastFile(last.location, last.metadata, doubts=(_ambiguous(rivals),) if rivals else ())
        # An id in the row's own list proves that a file was a current one; another may never have been.
        proven = [one for one in found if one.commits and one.commits[-1] in commits]
        last = max(proven or following or found, key=rank)
        return LastFile(last.location, last.metadata, doubts=(_LAST_OF_ROW_IS_GONE,))

    # -- a row that is gone, or another's ----------------------------------------------------------------------------

    def _of_lives(self, words: Sequence[Word]) -> LastFile | None:
        gone_on = {word.incarnation for word in words if word.kind is Kind.LEFT and word == _last_of(word, words)}
        words = [word for word in words if word.incarnation not in gone_on and not self._is_live("", word.incarnation)]
        purged: list[Ended] = []
        while True:
            ended = [word for word in words if word.kind is Kind.ENDED]
            last = read_ended(ended[-1], self._storage) if ended else None
            if last is not None and (last.verb == "purge" or last.view != self._name):
                if last.verb == "purge":
                    purged.append(last)
                words.remove(ended[-1])
                continue
            found, incarnation = self._last_of_lives(ended[-1] if ended else None, last, words, gone_on)
            if incarnation is None or (found is not None and not self._is_brought_back(found, gone_on, purged)):
                return found
            gone_on.add(incarnation)
            words = [word for word in words if word.incarnation != incarnation]

    def _last_of_lives(
        self, word: Word | None, ended: Ended | None, words: Sequence[Word], gone_on: set[str]
    ) -> tuple[LastFile | None, str | None]:
        """The last file of the life that got the name last, None where none is left; and the incarnation of that life.

        Args:
            word: the newest last word; what was written before it is not read.
            ended: what it says.
            words: those of lives that have not gone on elsewhere, the oldest first.
            gone_on: lives that have.
        """
        since_ms = word.written_ms if word and not word.is_copied else 0
        files = self._files.newest(
            self._defaults, lambda file: file.incarnation not in gone_on and self._is_left(file), since_ms
        )
        if self._row is not None:
            others = [one for one in files if not is_begun_adoption(self._row, one.metadata)]
            files = others if word else others or files
        lives: dict[str, _Life] = {}
        for file in reversed(files):
            life = lives.setdefault(file.incarnation, _Life(file.incarnation, (file.written_ms, file.changed_ms)))
            life.files.append(file)
        for here in words:
            if here.kind is Kind.HERE and (word is None or here.order > word.order) and not self._is_void(here):
                life = lives.setdefault(here.incarnation, _Life(here.incarnation, (0, 0)))
                life.began = max(life.began, (here.written_ms, here.at_ms))
                life.has_word = True
        if word is None or ended is None:
            if not lives:
                return None, None
            last = max(lives.values(), key=lambda life: life.began)
            return self._of_search(last, words), last.incarnation
        went_on = lives.pop(word.incarnation, None)
        later = [life for life in lives.values() if _is_later(life, word, ended)]
        if later:
            last = max(later, key=lambda life: life.began)
            found = self._of_search(last, words)
            if found is not None and not last.is_proven:
                doubt = f"Nothing shows that it was ever there; before it, {ended.metadata_location} was."
                found = _doubted(found, doubt)
            return found, last.incarnation
        found = self._of_ended(word, ended, words, gone_on, is_later_word=bool(went_on and went_on.has_word))
        return found, word.incarnation

    def _of_ended(
        self, word: Word, ended: Ended, words: Sequence[Word], gone_on: set[str], *, is_later_word: bool
    ) -> LastFile | None:
        """The file that a last word names, unless the view has gone on from it: a drop may have been interrupted."""
        directories = [*self._defaults, parent_of(ended.metadata_location)]
        try:
            # A file never changes, and what was listed just now is there.
            is_there = any(info.location == ended.metadata_location for info in self._files.infos(directories))
            metadata = self._storage.read(ended.metadata_location, cached=is_there)
        except CorruptMetadataError:
            if self._files.newest(directories, lambda file: file.incarnation == word.incarnation):
                # An earlier file is not the last one: what was made since would be lost with it.
                raise
            return None
        if is_later_word:
            directories += self._directories_of(word.incarnation, words)
        # One that was written before was not swapped in, unless nothing kept other writers away.
        since_ms = word.written_ms + 1 if ended.is_locked and not word.is_copied else 0
        followed = self._files.newest(
            directories,
            lambda file: file.incarnation == word.incarnation and file.is_after(ended.metadata_location),
            since_ms,
        )
        after = [] if word.is_copied else [file for file in followed if file.written_ms > word.written_ms]
        if not after:
            doubts = (_ambiguous(followed),) if followed else ()
            if ended.verb == "release" and self._row is None:
                doubts = (*doubts, _RELEASED_BEFORE)
            if (word.metastore is None or self._mine() is None) and self._has_other_lives(
                ended, metadata, words, gone_on
            ):
                doubts = (*doubts, _SEVERAL_LIVES)
            return LastFile(ended.metadata_location, metadata, ended, doubts, word.written_ms)
        last = self._tip(after)
        return _doubted(last, f"It was written after {ended.metadata_location}, at which a {ended.verb} was begun.")

    def _of_search(self, life: _Life, words: Sequence[Word]) -> LastFile | None:
        directories = self._directories_of(life.incarnation, words)
        files = life.files
        if directories:
            everywhere = [*self._defaults, *directories]
            files = self._files.newest(everywhere, lambda file: file.incarnation == life.incarnation)
            files = [file for file in files if not self._is_live(file.location, file.incarnation)]
        return self._tip(files) if files else None

    def _tip(self, files: Sequence[LeftFile]) -> LastFile:
        last = max(files, key=rank)
        # An engine that knows of no commits has none of its own.
        rivals = [file for file in files if file.number == last.number and file is not last]
        found = LastFile(last.location, last.metadata, doubts=(_SEARCHED,))
        return _doubted(found, _ambiguous(rivals)) if rivals else found

    def _is_brought_back(self, found: LastFile, gone_on: set[str], purged: Iterable[Ended]) -> bool:
        """Whether a view that was made of it under the name has left the name, or was purged."""
        own, name = incarnation_of(found.metadata), name_of(found.location)
        if any(one.copied_from == name or any(map(name.partition("-")[2].startswith, one.commits)) for one in purged):
            return True

        def goes_on(file: LeftFile) -> bool:
            is_another = file.incarnation != own and file.metadata.properties.get(MADE_AS) == self._name
            is_gone = file.incarnation in gone_on or self._is_live(file.location, file.incarnation)
            return is_another and is_gone and file.follows(found.location)

        return bool(self._files.newest([*self._defaults, parent_of(found.location)], goes_on, found.since_ms))

    def _is_void(self, here: Word) -> bool:
        """Whether the view left no other name for this one after all: it ended under that, or has come back to it."""
        said = read_here(here, self._storage)
        left = said.left
        if said.view != self._name:
            return True
        if left is None:
            return False
        there = [word for word in words_among(self._files.infos([left])) if word.incarnation == here.incarnation]
        if not there:
            return False
        return there[-1].kind is not Kind.LEFT or there[-1].at_ns < here.at_ns

    def _directories_of(self, incarnation: str, words: Iterable[Word]) -> list[str]:
        """Where the files of a life went, by all of its words."""
        own = [word for word in words if word.kind is Kind.HERE and word.incarnation == incarnation]
        found = [directory for word in own for directory in read_here(word, self._storage).directories]
        return list(dict.fromkeys(found))

    def _is_left(self, file: LeftFile) -> bool:
        # Files from before the name was written down may be anybody's.
        is_anothers = self._is_anothers(file.metadata.properties.get(MADE_IN)) and not self._takes_others
        is_of_name = file.metadata.properties.get(MADE_AS, self._name) == self._name
        return is_of_name and not is_anothers and not self._is_live(file.location, file.incarnation)

    def _is_anothers(self, metastore: str | None) -> bool:
        """Whether something is certainly of another metastore."""
        is_anothers = metastore is not None and self._mine() not in (None, metastore)
        self._has_others = self._has_others or is_anothers
        return is_anothers

    def _has_other_lives(self, ended: Ended, metadata: ViewMetadata, words: Iterable[Word], gone_on: set[str]) -> bool:
        """Whether views had the name of which this one was not made."""
        files = self._files.newest([*self._defaults, parent_of(ended.metadata_location)], self._is_left)
        whose = {name_of(file.location): file.incarnation for file in files}
        made_of = {file.incarnation: whose.get(file.copied_from or "") for file in files}
        own: str | None = incarnation_of(metadata)
        others = {*made_of, *(word.incarnation for word in words if word.kind is Kind.ENDED)} - gone_on
        while own is not None and own in others:
            others.remove(own)
            own = made_of.get(own)
        return bool(others)


class _Life:
    def __init__(self, incarnation: str, began: tuple[int, int]) -> None:
        self.incarnation = incarnation
        self.began = began
        """By the clock of the storage, and by that of whoever began it."""
        self.has_word = False
        self.files: list[LeftFile] = []

    @property
    def is_proven(self) -> bool:
        """Whether it surely had a row: a file that another follows was a current one."""
        return len({file.number for file in self.files}) > 1


_SEARCHED = "Nothing was noted when its row went: its last file may be of a change that never came to its end."
OF_ANOTHER_METASTORE = (
    "It was made in another metastore, of which this one has taken the place or with which it shares the directory."
)
_SEVERAL_LIVES = (
    "Other views had this name, and a server before Hive 3 does not tell its metastore from another one: if two share "
    "the directory, it may be the other one's."
)
_RELEASED_BEFORE = "It had been released before: what was changed in the plain view since is not in it."
_LAST_OF_ROW_IS_GONE = "The file that the row pointed to is not found; this may be an earlier one."


def _is_later(life: _Life, word: Word, ended: Ended) -> bool:
    """Whether a life got the name after another one's last word, where a storage may count in whole seconds."""
    if any(file.follows(ended.metadata_location) for file in life.files):
        return True
    # Of a copy only what writers have said themselves is left.
    return life.began[1] > word.at_ms if word.is_copied else life.began > (word.written_ms, word.at_ms)


def _last_of(word: Word, words: Iterable[Word]) -> Word:
    return [one for one in words if one.incarnation == word.incarnation][-1]


def _doubted(found: LastFile, doubt: str) -> LastFile:
    return replace(found, doubts=(*found.doubts, doubt))


def _ambiguous(others: Sequence[LeftFile]) -> str:
    return f"It may as well be {all_of([file.location for file in others])}."


def _directories_in(parameters: Mapping[str, str]) -> list[str]:
    """The directories of metadata files that a row names."""
    named = [parameters.get(METADATA_PATH, "").rstrip("/")]
    named += [parent_of(parameters.get(key, "")) for key in (POINTER, PREVIOUS_POINTER)]
    try:
        named += [str(one) for one in read_json(parameters.get(FORMER_DIRECTORIES, "[]"))]
    except (ValueError, TypeError):
        named += []
    return [one for one in dict.fromkeys(named) if one]
