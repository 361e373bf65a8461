"""The journal of partitions: what it says after any order of entries, writers, kills and compactions."""

from __future__ import annotations

import json
import random
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from fsspec.implementations.memory import MemoryFileSystem

from hive_views.errors import CorruptMetadataError, StorageUnavailableError
from hive_views.metastore.memory import MemoryMetastore
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.storage.ownership import directories, incarnation_of, journal_directory, with_former_directories
from hive_views.views.catalog import ViewCatalog
from hive_views.views.journal.partition_journal import MOST_FILES, Journal, State, is_begun
from hive_views.views.view import View
from tests.support.failing.faulty_metastore import Killed
from tests.support.failing.faulty_storage import FaultyFileSystem, broken, failing, half_done
from tests.support.views.catalog_setup import create


@pytest.fixture
def view() -> View:
    catalog = ViewCatalog(MemoryMetastore(), warehouse=f"faulty://{uuid.uuid4().hex}")
    return create(catalog, "default.v", partitioned_on=["ds"])


def journal_of(view: View) -> Journal:
    """As a program has it that has just started."""
    return Journal(view.metadata, view.row, MetadataStorage(), lambda: str(uuid.uuid4()))


def change(journal: Journal, state: State, *names: str) -> None:
    """A change from its beginning to its end."""
    intent = journal.begin(state, names)
    if state is State.ADDING:
        journal.settle(intent, declared=names)
    else:
        journal.settle(intent, dropped=names)


def states(view: View) -> dict[str, str]:
    return {name: one.state.value for name, one in sorted(journal_of(view).read().items())}


def files(view: View) -> list[str]:
    return MetadataStorage().list_files(journal_directory(view.metadata))


def declared(view: View) -> set[str]:
    return {name for name, state in states(view).items() if state == "declared"}


# -- what counts -------------------------------------------------------------------------------------------------------


def test_an_intent_without_its_end_is_uncertain_until_the_change_is_made_again(view: View) -> None:
    change(journal_of(view), State.ADDING, "a", "b")
    journal_of(view).begin(State.DROPPING, ["a"])
    journal_of(view).begin(State.ADDING, ["c"])
    assert states(view) == {"a": "dropping", "b": "declared", "c": "adding"}
    change(journal_of(view), State.DROPPING, "a")
    change(journal_of(view), State.ADDING, "c")
    assert states(view) == {"a": "dropped", "b": "declared", "c": "declared"}


def test_an_intent_that_is_withdrawn_leaves_what_was_known_before(view: View) -> None:
    journal = journal_of(view)
    change(journal, State.ADDING, "a")
    journal.withdraw(journal.begin(State.DROPPING, ["a"]))
    assert states(view) == {"a": "declared"}


def test_a_drop_that_began_after_an_add_had_begun_counts_although_the_add_s_end_is_noted_later(view: View) -> None:
    slow = journal_of(view)
    intent = slow.begin(State.ADDING, ["a"])
    change(journal_of(view), State.DROPPING, "a")
    slow.settle(intent, declared=["a"])
    assert states(view) == {"a": "dropped"}


def test_entries_count_by_what_their_writers_had_seen_and_not_by_the_order_in_which_they_are_read(view: View) -> None:
    """Two writers in turns; names of files, and so the order of reading, are of chance."""
    writers, expected = [journal_of(view), journal_of(view)], set()
    chance = random.Random(7)
    for _ in range(60):
        name, adds = chance.choice("abcdef"), chance.random() < 0.6
        change(chance.choice(writers), State.ADDING if adds else State.DROPPING, name)
        (expected.add if adds else expected.discard)(name)
        assert declared(view) == expected


def test_what_others_did_is_noted_once(view: View) -> None:
    journal = journal_of(view)
    change(journal, State.ADDING, "a", "b")
    names = ["b", "c"]
    journal.note_others(lambda: names, names)
    assert states(view) == {"a": "dropped", "b": "declared", "c": "declared"}
    before = files(view)
    journal_of(view).note_others(lambda: pytest.fail("nothing to look for"), names)
    assert files(view) == before


def test_partitions_of_a_row_that_was_recreated_are_lost_and_not_dropped(view: View) -> None:
    change(journal_of(view), State.ADDING, "a")
    recreated = replace(view, row=replace(view.row, create_time_s=view.row.create_time_s + 1))
    journal_of(recreated).note_others(list, [])
    assert declared(recreated) == {"a"}
    journal_of(recreated).note_others(lambda: ["a"], ["a"])
    journal_of(recreated).note_others(list, [])
    assert declared(recreated) == set()


def test_the_journal_is_read_where_the_view_was_before(view: View) -> None:
    change(journal_of(view), State.ADDING, "a", "b")
    metadata = view.metadata.model_copy(update={"location": f"faulty://{uuid.uuid4().hex}"})
    moved = replace(view, metadata=with_former_directories(metadata, directories(view.metadata)))
    change(journal_of(moved), State.DROPPING, "a")
    assert states(moved) == {"a": "dropped", "b": "declared"}


def test_a_new_incarnation_begins_with_what_the_former_one_knew_and_goes_its_own_way(view: View) -> None:
    change(journal_of(view), State.ADDING, "a", "b")
    properties = {**view.metadata.properties, "hive-views.incarnation": "another"}
    heir = replace(view, metadata=view.metadata.model_copy(update={"properties": properties}))
    assert not is_begun(heir.metadata, MetadataStorage())
    journal_of(heir).inherit(journal_of(view).read(), ["c"])
    change(journal_of(heir), State.DROPPING, "a")
    assert states(heir) == {"a": "dropped", "b": "declared", "c": "declared"}
    assert states(view) == {"a": "declared", "b": "declared"}


class CountingReads(MetadataStorage):
    """Knows which files were read."""

    def __init__(self) -> None:
        super().__init__()
        self.read_files: list[str] = []

    def read_all(self, locations: Iterable[str]) -> Iterator[bytes]:
        wanted = list(locations)
        self.read_files += wanted
        return super().read_all(wanted)


def test_an_intent_is_not_read_where_its_end_is_known(view: View) -> None:
    change(journal_of(view), State.ADDING, "a", "b")
    change(journal_of(view), State.DROPPING, "a")
    journal_of(view).begin(State.ADDING, ["c"])
    storage = CountingReads()
    known = Journal(view.metadata, view.row, storage, lambda: str(uuid.uuid4())).read()
    assert {name: one.state for name, one in known.items()} == {
        "a": State.DROPPED,
        "b": State.DECLARED,
        "c": State.ADDING,
    }
    assert sorted(storage.read_files) == [files(view)[number] for number in (1, 3, 4)]


def test_an_intent_counts_where_its_end_was_not_written_to_the_end(view: View) -> None:
    change(journal_of(view), State.ADDING, "a")
    torn = files(view)[-1]
    storage = MetadataStorage()
    content = storage.read_bytes(torn)
    storage.delete(torn)
    storage.write_bytes(torn, content[:-2])
    assert states(view) == {"a": "adding"}


def test_the_end_of_a_change_counts_wherever_the_view_was_when_it_began(view: View) -> None:
    for before, after in (("b", "a"), ("a", "b")):
        places = [f"faulty://{before}/{uuid.uuid4().hex}", f"faulty://{after}/{uuid.uuid4().hex}"]
        there = view.metadata.model_copy(update={"location": places[0]})
        here = with_former_directories(view.metadata.model_copy(update={"location": places[1]}), directories(there))
        intent = journal_of(replace(view, metadata=there)).begin(State.ADDING, ["a"])
        moved = replace(view, metadata=here)
        journal_of(moved).settle(intent, declared=["a"])
        assert states(moved) == {"a": "declared"}


# -- many files --------------------------------------------------------------------------------------------------------


def test_a_journal_of_many_changes_has_a_bounded_number_of_files(view: View) -> None:
    writers = [journal_of(view), journal_of(view)]
    for number in range(3 * MOST_FILES):
        change(writers[number % 2], State.ADDING, str(number))
        assert len(files(view)) <= MOST_FILES + 3
    assert declared(view) == {str(number) for number in range(3 * MOST_FILES)}


@pytest.fixture
def _few_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hive_views.views.journal.partition_journal.MOST_FILES", 4)


@pytest.mark.usefixtures("_few_files")
@pytest.mark.parametrize("operation", ["write", "read", "delete", "list"])
@pytest.mark.parametrize("is_done", [False, True], ids=["before it", "after it"])
def test_a_writer_that_is_killed_at_any_step_loses_nothing_that_was_known(
    view: View, operation: str, is_done: bool
) -> None:
    kept, kills = set(), 0
    for step in range(12):
        change(journal_of(view), State.ADDING, f"kept {step}", f"dropped {step}")
        kept.add(f"kept {step}")
        with killed(operation, step, is_done=is_done) as kill:
            change(journal_of(view), State.DROPPING, f"dropped {step}")
            for number in range(3):
                change(journal_of(view), State.ADDING, f"more {number}")
        kills += kill.came
        assert {name for name in declared(view) if name.startswith("kept")} == kept
        state = states(view)[f"dropped {step}"]
        assert state in (("declared", "dropping", "dropped") if kill.came else ("dropped",))
    assert kills > 1


@pytest.mark.usefixtures("_few_files")
def test_what_others_note_while_one_compacts_is_kept(view: View) -> None:
    """A second writer adds, and compacts as well, after the first one has read and before it writes."""
    for number in range(4):
        change(journal_of(view), State.ADDING, f"a{number}")
    FaultyFileSystem.faults["write"].extend([passed, passed, in_between(lambda: rival(view))])
    change(journal_of(view), State.ADDING, "a4")
    assert not FaultyFileSystem.faults["write"]
    assert declared(view) == {*(f"a{number}" for number in range(5)), *(f"b{number}" for number in range(4))}


@pytest.mark.usefixtures("_few_files")
def test_a_reader_whose_files_are_compacted_meanwhile_reads_what_took_their_place(view: View) -> None:
    change(journal_of(view), State.ADDING, "a")
    FaultyFileSystem.faults["read"].append(in_between(lambda: rival(view)))
    assert declared(view) == {"a", "b0", "b1", "b2", "b3"}


@pytest.mark.usefixtures("_few_files")
def test_a_drop_that_is_forgotten_is_not_undone_by_a_covered_entry_that_is_still_there(
    view: View, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hive_views.views.journal.partition_journal._REMEMBERED_DROPS", 2)
    change(journal_of(view), State.ADDING, "a")
    added = {location: MetadataStorage().read_bytes(location) for location in files(view)}
    change(journal_of(view), State.DROPPING, "a")
    change(journal_of(view), State.ADDING, "b")
    assert "a" not in states(view)
    for location, content in added.items():
        MetadataStorage().write_bytes(location, content)
    for number in range(6):
        assert "a" not in states(view)
        change(journal_of(view), State.ADDING, f"c{number}")
    assert not set(added) & set(files(view))


def test_a_writer_that_cannot_delete_what_it_has_compacted_loses_nothing(view: View) -> None:
    for number in range(MOST_FILES):
        with failing("delete", broken, times=int(number == MOST_FILES // 2)):
            change(journal_of(view), State.ADDING, str(number))
    assert declared(view) == {str(number) for number in range(MOST_FILES)}


def rival(view: View) -> None:
    for number in range(4):
        change(journal_of(view), State.ADDING, f"b{number}")


def passed(fs: FaultyFileSystem, path: str, value: bytes) -> None:
    MemoryFileSystem.pipe_file(fs, path, value)


def in_between(act: Any) -> Any:
    def fault(fs: FaultyFileSystem, path: str, value: bytes) -> None:
        act()
        if value:
            passed(fs, path, value)

    return fault


class killed:  # noqa: N801 - reads as what it does
    """The writer is gone at the n-th call of an operation; ``came`` says whether there were so many."""

    def __init__(self, operation: str, step: int, *, is_done: bool) -> None:
        self.came = False
        self._faults = FaultyFileSystem.faults[operation]
        self._rules = [self._let(operation)] * step + [self._kill(operation, is_done=is_done)]

    def _let(self, operation: str) -> Any:
        return {"write": passed, "delete": _deleted}.get(operation, lambda *_: None)

    def _kill(self, operation: str, *, is_done: bool) -> Any:
        def fault(fs: FaultyFileSystem, path: str, value: bytes) -> None:
            self.came = True
            if is_done:
                self._let(operation)(fs, path, value)
            elif operation == "write":
                MemoryFileSystem.pipe_file(fs, path, value[: len(value) // 2])
            raise Killed

        return fault

    def __enter__(self) -> killed:
        self._faults.extend(self._rules)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: Any) -> bool:
        self._faults.clear()
        return kind is not None and (issubclass(kind, Killed) or isinstance(error, StorageUnavailableError))


def _deleted(fs: FaultyFileSystem, path: str, _: bytes) -> None:
    MemoryFileSystem.rm_file(fs, path)


# -- what cannot be read -----------------------------------------------------------------------------------------------


def test_an_entry_that_was_written_half_is_passed_over(view: View) -> None:
    change(journal_of(view), State.ADDING, "a")
    with failing("write", half_done):
        journal_of(view).begin(State.ADDING, ["b"])
    assert states(view) == {"a": "declared"}


def test_an_entry_from_before_entries_named_their_format_counts_like_any_other(view: View) -> None:
    change(journal_of(view), State.ADDING, "a")
    for location in files(view):
        document = json.loads(MetadataStorage().read_bytes(location))
        assert document.pop("format-version") == 1
        MetadataStorage().delete(location)
        MetadataStorage().write_bytes(location, f"{json.dumps(document)}\n".encode())
    assert states(view) == {"a": "declared"}


@pytest.mark.parametrize(
    "content",
    [
        b"\n",
        b"[]\n",
        b'{"format-version": 1, "covers": []}\n',
        b'{"covers": []}\n',
        b'{"format-version": 1, "covers": [], "changes": [{}]}\n',
    ],
)
def test_an_entry_that_was_changed_is_named_and_can_be_deleted(view: View, content: bytes) -> None:
    change(journal_of(view), State.ADDING, "a")
    location = f"{journal_directory(view.metadata)}/{incarnation_of(view.metadata)}-{2:012d}-x.partitions"
    MetadataStorage().write_bytes(location, content)
    with pytest.raises(CorruptMetadataError, match="Delete it") as refusal:
        states(view)
    assert refusal.value.location == location
    MetadataStorage().delete(location)
    assert states(view) == {"a": "declared"}


def test_a_storage_that_cannot_be_written_is_warned_of_and_stops_nothing(
    view: View, caplog: pytest.LogCaptureFixture
) -> None:
    with failing("write", broken, times=2):
        change(journal_of(view), State.ADDING, "a")
    assert caplog.text.count("the journal of its partitions was not written") == 2
    change(journal_of(view), State.ADDING, "b")
    assert states(view) == {"b": "declared"}


def test_a_drop_by_others_is_noted_by_a_program_that_has_not_seen_that_the_view_moved() -> None:
    metastore = MemoryMetastore()
    catalog = ViewCatalog(metastore, MetadataStorage(), warehouse=f"memory://{uuid.uuid4().hex}")
    view = create(catalog, "default.v", partitioned_on=["ds"])
    held = catalog.partitions(view.identifier)
    moved = catalog.alter_view(view.identifier, location=f"{catalog.warehouse}/moved")
    catalog.partitions(view.identifier).add([{"ds": "a"}])
    metastore.drop_partitions(view.identifier, ["ds=a"], if_exists=True)
    held.drop(where=lambda _: False)
    metastore.drop_row(view.identifier)
    catalog.register_view(view.identifier, moved.metadata_location)
    assert not catalog.partitions(view.identifier).restore().added
