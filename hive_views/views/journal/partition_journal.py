"""The journal of a view's partitions: files beside its metadata that record what was declared, if the row is lost.

A change is recorded twice, before it as an intent and after it with the outcome; an intent without an outcome leaves
the state of its partitions uncertain. An entry has the status of some partitions, under a number: above those of all
entries that its writer had seen, so that clocks do not matter. For each partition the highest number counts, whatever
the order in which entries are read, so that nothing is lost or doubled if several writers write or compact at once.

A journal of many files is compacted into one that names the files it covers; they are deleted once it is durable.
Only the files of the own incarnation (storage/ownership.py) are read. The outcome of a change has the uuid of its
intent, which then no longer has to be read.

    <incarnation>-<highest number>-<uuid>.partitions    one line of JSON, ended by a line feed:
    {"format-version": 1, "covers": [names of files], "metadata": "directory of the view's metadata files then",
     "changes": [{"number": 7, "row": "...", "declared": [names of partitions]}]}
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import Enum
from itertools import chain
from typing import Any

from hive_views.errors import CorruptMetadataError, HiveViewsError, StorageUnavailableError, UnsupportedFeatureError
from hive_views.hive.row import Row
from hive_views.messages.logs import logger_of
from hive_views.persisted import FILE_FORMAT, JOURNAL_SUFFIX
from hive_views.spec.metadata import ViewMetadata
from hive_views.spec.serde import metadata_directory
from hive_views.spec.strict_json import read_json
from hive_views.storage.metadata_files import Listed, MetadataStorage
from hive_views.storage.ownership import incarnation_of, is_journal_of, journal_directories, journal_directory

log = logger_of(__name__)

# Reading costs about this many files at most, which are read concurrently.
MOST_FILES = 64
# That a partition was dropped is forgotten so many changes later; no writer is behind by as many.
_REMEMBERED_DROPS = 1000
# Others may compact while we read.
_LOOKS = 10
_DIGITS = 12
_UUID = 36


class State(Enum):
    """What the journal says of a partition. Under one number the later one here counts: it was written on top."""

    DROPPED = "dropped"
    DECLARED = "declared"
    DROPPING = "dropping"
    """It was declared; a drop has begun, and its end is unknown."""
    ADDING = "adding"
    """An add has begun, and its end is unknown."""


_RANK = {state: rank for rank, state in enumerate(State)}


@dataclass(frozen=True)
class Known:
    """The status of a partition, in which row, and the number under which that was noted."""

    state: State
    row: str
    number: int

    @property
    def order(self) -> tuple[int, int]:
        return self.number, _RANK[self.state]


@dataclass(frozen=True)
class Intent:
    """A change that has begun: the file that says so; None if what the journal says already is worth more."""

    number: int
    location: str | None


@dataclass(frozen=True)
class _Entry:
    covers: frozenset[str]
    changes: tuple[tuple[Known, tuple[str, ...]], ...]


class Journal:
    """The journal of one view, as it was loaded. A failure to write it is logged, and never fails a change."""

    def __init__(self, metadata: ViewMetadata, row: Row, storage: MetadataStorage, new_uuid: Callable[[], str]) -> None:
        self._metadata = metadata
        self._about = row.identifier
        self._storage = storage
        self._new_uuid = new_uuid
        self._incarnation = incarnation_of(metadata)
        # A row that another tool recreated with all our parameters has lost its partitions without dropping any.
        self.row = f"{self._incarnation}@{row.create_time_s}"
        self._entries: dict[str, _Entry] = {}
        self._newest = 0
        self._files: list[str] = []
        self._latest: dict[str, Known] | None = None

    # -- reading -----------------------------------------------------------------------------------------------------

    def read(self, listed: Listed | None = None) -> dict[str, Known]:
        """What is known of each partition. Only files that are new to this object are read, concurrently.

        Args:
            listed: the current content of its directories, if they have just been listed.

        Raises:
            CorruptMetadataError: a file (field ``location``) that was written to its end cannot be read.
            StorageUnavailableError: the storage failed or refused.
        """
        for _ in range(_LOOKS):
            files, listed = self._list(listed), None
            ends = {_change_of(location): location for location in sorted(files, key=self._number)}
            known = {location: entry for location, entry in self._entries.items() if location in files}
            try:
                known |= self._read([one for one in ends.values() if one not in known])
                # An intent with a known outcome is obsolete.
                ended = [one for one in files if one not in known and ends[_change_of(one)] in known]
                known |= dict.fromkeys(ended, _Entry(frozenset(), ()))
                known |= self._read([one for one in files if one not in known and one not in ends.values()])
            except FileNotFoundError:
                continue  # covered by another file since it was listed
            self._entries = known
            self._latest = self._folded()
            return self._latest
        raise StorageUnavailableError(
            f"The journal of the partitions of {self._about} was compacted each time it was read.",
            location=journal_directory(self._metadata),
        )

    def _read(self, locations: Sequence[str]) -> dict[str, _Entry]:
        found = zip(locations, self._storage.read_all(locations), strict=True)
        # One that does not end is not written yet, or never will be: then nothing was done that it could report.
        return {location: _parsed(content, location) for location, content in found if _is_whole(content)}

    def _folded(self) -> dict[str, Known]:
        covered = frozenset[str]().union(*(entry.covers for entry in self._entries.values()))
        counting = [entry for location, entry in self._entries.items() if _name(location) not in covered]
        known: dict[str, Known] = {}
        for one, names in sorted(chain.from_iterable(entry.changes for entry in counting), key=lambda c: c[0].order):
            known.update(dict.fromkeys(names, one))
        return known

    def _list(self, listed: Listed | None = None) -> list[str]:
        def locations(directory: str) -> Sequence[str]:
            return [info.location for info in listed[directory]] if listed else self._storage.list_files(directory)

        files = [
            location
            for directory in journal_directories(self._metadata)
            for location in locations(directory)
            if is_journal_of(self._incarnation, location)
        ]
        self._files = files
        self._newest = max((self._number(location) for location in files), default=0)
        return files

    def _number(self, location: str) -> int:
        number = _name(location).removeprefix(f"{self._incarnation}-")[:_DIGITS]
        return int(number) if number.isdecimal() else 0

    # -- writing -----------------------------------------------------------------------------------------------------

    def begin(self, state: State, names: Sequence[str], known: Mapping[str, Known] | None = None) -> Intent | None:
        """Note that these are about to be changed; None where that could not be noted.

        Args:
            state: what is about to be done.
            names: of the partitions.
            known: what ``read`` gave right before the first of several changes; not listed again for that one. Nothing
                is written of partitions that were declared in an earlier row and are declared again: if that never
                ends, they are still known to be lost.
        """
        with self._warned():
            if known is None or known is not self._latest:
                self._list()
            self._latest, number = None, self._newest + 1
            # Others may have noted something since.
            is_still_known = all(location in self._entries for location in self._files)
            if known and is_still_known and all(self._is_of_earlier_row(known.get(name)) for name in names):
                return Intent(number, None)
            return Intent(number, self._write({state: names}, number))
        return None

    def _is_of_earlier_row(self, known: Known | None) -> bool:
        return known is not None and known.state is State.DECLARED and known.row != self.row

    def settle(self, intent: Intent | None, *, declared: Iterable[str] = (), dropped: Iterable[str] = ()) -> None:
        """Record the outcome of a change: for each of its partitions, whether it is declared now."""
        with self._warned():
            if intent is None:
                self._list()
            # Not above what others have noted since the change began: they may have changed the same on top of it.
            number = (intent.number if intent else self._newest) + 1
            self._write({State.DECLARED: tuple(declared), State.DROPPED: tuple(dropped)}, number, intent)
            if len(self._files) > MOST_FILES:
                self._compact()

    def withdraw(self, intent: Intent | None) -> None:
        """Take an intent back of which it is certain that nothing was done."""
        if intent and intent.location:
            with self._warned():
                self._storage.delete(intent.location)

    def knows(self, names: Collection[str]) -> bool:
        """Whether the journal has exactly these partitions; False if it cannot be read."""
        with self._warned():
            return not self._differences(self.read(), names)
        return False

    def note_others(self, look: Callable[[], Collection[str]], names: Collection[str]) -> None:
        """Note what others have declared and dropped.

        Args:
            look: reads the names of all partitions; called only where ``names`` differ from what is known.
            names: what ``look`` gave a while ago. What is known now may be of later than that.
        """
        with self._warned():
            known = self.read()
            if self._differences(known, names):
                self.note_seen(known, look())

    def note_missing(self, look: Callable[[Sequence[str]], Collection[str]], names: Sequence[str]) -> None:
        """Record partitions that were to be dropped and do not exist as dropped.

        Args:
            look: returns which of some names exist; called only for those for which the journal says otherwise.
            names: what ``look`` did not find a while ago.
        """
        with self._warned():
            known = self.read()
            doubtful = [name for name in names if name in known and known[name].state is not State.DROPPED]
            there = look(doubtful) if doubtful else ()
            gone = [name for name in doubtful if name not in there]
            if gone:
                self._write({State.DROPPED: gone}, self._newest + 1)

    def note_seen(self, known: Mapping[str, Known], names: Collection[str]) -> None:
        """Note what others have declared and dropped: ``names`` were read after ``known``, which was read last."""
        with self._warned():
            changes = self._differences(known, names)
            if changes:
                # Not above what was noted since: a change that came between would be overwritten.
                self._write(changes, self._newest + 1)

    def _differences(self, known: Mapping[str, Known], names: Collection[str]) -> dict[State, list[str]]:
        """What the journal does not know yet of the partitions that there are; a change under way is left alone."""
        there = set(names)
        gone = [
            name
            for name in known.keys() - there
            if known[name].row == self.row and known[name].state in (State.DECLARED, State.DROPPING)
        ]
        new = [
            name
            for name in names
            if name not in known
            or known[name].state in (State.DROPPED, State.ADDING)
            or (known[name].state is State.DECLARED and known[name].row != self.row)
        ]
        return {state: found for state, found in ((State.DECLARED, new), (State.DROPPED, gone)) if found}

    def inherit(self, former: Mapping[str, Known], declared: Iterable[str]) -> str | None:
        """Begin with what the journal of an earlier incarnation says, and what the row has; returns the file.

        Raises:
            StorageUnavailableError: the storage failed or refused.
        """
        number = max((one.number for one in former.values()), default=0) + 1
        known = {**former, **{name: Known(State.DECLARED, self.row, number) for name in declared}}
        return self._write_file(_document((), known), number) if known else None

    def _write(self, changes: Mapping[State, Sequence[str]], number: int, ends: Intent | None = None) -> str:
        known = {name: Known(state, self.row, number) for state, names in changes.items() for name in names}
        change = _change_of(ends.location) if ends and ends.location else None
        return self._write_file(_document((), known), number, change)

    def _write_file(self, document: Mapping[str, Any], number: int, change: str | None = None) -> str:
        name = f"{self._incarnation}-{number:0{_DIGITS}d}-{change or self._new_uuid()}{JOURNAL_SUFFIX}"
        location = f"{journal_directory(self._metadata)}/{name}"
        # By which it is known later whether anything is left of the view that this is the journal of.
        document = {**document, "metadata": metadata_directory(self._metadata)}
        content = json.dumps(document).encode() + b"\n"
        self._storage.write_bytes(location, content)
        # Other threads may be reading.
        self._entries = {**self._entries, location: _parsed(content, location)}
        self._files, self._newest = [*self._files, location], max(self._newest, number)
        return location

    def _compact(self) -> None:
        known = self.read()
        old = self._newest - _REMEMBERED_DROPS
        kept = {name: one for name, one in known.items() if one.state is not State.DROPPED or one.number > old}
        covered = list(self._entries)
        self._write_file(_document(map(_name, covered), kept), self._newest)
        if failures := self._storage.delete_all(covered):
            raise next(iter(failures.values()))

    @contextmanager
    def _warned(self) -> Iterator[None]:
        try:
            yield
        except HiveViewsError as e:
            log.warning("view %s: the journal of its partitions was not written: %s", self._about, e)


def in_doubt(known: Known) -> Known:
    """A partition as one of which it is not certain that it was declared."""
    return replace(known, state=State.ADDING)


def is_begun(metadata: ViewMetadata, storage: MetadataStorage) -> bool:
    """Whether there is a journal, without reading it.

    Raises:
        StorageUnavailableError: the storage failed or refused.
    """
    return any(
        is_journal_of(incarnation_of(metadata), location)
        for directory in journal_directories(metadata)
        for location in storage.list_files(directory)
    )


def metadata_directory_in(entry: bytes) -> str | None:
    """Where the metadata files of the view were when this file of a journal was written; None where it does not say."""
    try:
        directory = read_json(entry)["metadata"] if _is_whole(entry) else None
    except (ValueError, TypeError, KeyError):
        return None
    return directory if isinstance(directory, str) else None


def _document(covers: Iterable[str], known: Mapping[str, Known]) -> dict[str, Any]:
    changes: dict[tuple[int, str], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for name, one in known.items():
        changes[one.number, one.row][one.state.value].append(name)
    return {
        "format-version": FILE_FORMAT,
        "covers": list(covers),
        "changes": [{"number": number, "row": row, **names} for (number, row), names in changes.items()],
    }


def _parsed(content: bytes, location: str) -> _Entry:
    try:
        document = read_json(content)
        # The first entries that were written do not say their format, which is 1.
        if (version := document.get("format-version", 1)) != FILE_FORMAT:
            raise UnsupportedFeatureError(
                f"Cannot read {location}, an entry in the journal of a view's partitions: it has format version "
                f"{version}, of a later release. Update hive_views.",
                location=location,
            )
        changes = tuple(
            (Known(state, str(row), int(number)), tuple(map(str, change.get(state.value, ()))))
            for change in document["changes"]
            for row, number in [(change["row"], change["number"])]
            for state in State
        )
        return _Entry(frozenset(map(str, document["covers"])), changes)
    except (ValueError, TypeError, KeyError, AttributeError) as e:
        raise CorruptMetadataError(
            f"Cannot read {location}, an entry in the journal of a view's partitions: it was changed after it was "
            f"written. Delete it to restore the partitions of the other entries.",
            location=location,
        ) from e


def _is_whole(content: bytes) -> bool:
    return content.endswith(b"\n")


def _change_of(location: str) -> str:
    """What the files of one change have in common."""
    return _name(location).removesuffix(JOURNAL_SUFFIX)[-_UUID:]


def _name(location: str) -> str:
    return location.rpartition("/")[2]
