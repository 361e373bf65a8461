"""What cleaning deletes, and what it leaves: each rule by itself."""

from __future__ import annotations

import gc
import json
import time
import uuid
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from fsspec.implementations.memory import MemoryFileSystem

from hive_views.errors import (
    Answer,
    CommitStateUnknownError,
    InvalidInputError,
    LockTimeoutError,
    MetastoreUnavailableError,
    NoSuchNamespaceError,
    NoSuchViewError,
    StorageUnavailableError,
)
from hive_views.estate.cleanup.cleaning import clean
from hive_views.estate.dropped.undropping import undrop
from hive_views.estate.each.outcomes import Outcome, State
from hive_views.hive.row import POINTER, VIRTUAL_VIEW, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.persisted import INCARNATION, OWNS
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.serde import next_location
from hive_views.spec.updates import SetProperties, apply_updates
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.changing import commit_own_properties
from hive_views.views.commit.writes import stamped
from hive_views.views.recovery.recoverable import find_by_name
from hive_views.views.view import View
from tests.support.failing.faulty_metastore import FaultyMetastore, Killed, killed_before, lost_before
from tests.support.file_ages import files_below, set_written
from tests.support.files_in_memory import forget_files_in_memory
from tests.support.views import foreign_writers
from tests.support.views.quick_catalog import catalog_on

DAY_MS = 86_400_000
TEXT = "SELECT 1 AS a, '2026-08-21' AS ds"
COLUMNS = [("a", "int"), ("ds", "string")]


class House:
    """A metastore with one view, ``sales.daily``, and the time."""

    def __init__(self) -> None:
        self.server = MemoryMetastore(lock_timeout_s=0.0)
        self.metastore = FaultyMetastore(self.server)
        self.now_ms = int(time.time() * 1000)
        self.warehouse = f"memory://{uuid.uuid4().hex}"
        self.catalog = self.connected(self.metastore)
        self.create("sales.daily")

    def connected(self, metastore: Any) -> ViewCatalog:
        return catalog_on(metastore, self.warehouse, settle_timeout_s=0.0, clock_ms=lambda: self.now_ms)

    def create(self, name: str, **given: Any) -> None:
        self.catalog.create_view(name, sql={"hive": TEXT}, schema=COLUMNS, partitioned_on=["ds"], **given)

    def commit(self, name: str = "sales.daily", **properties: str) -> str:
        """A change; returns the file that was current before."""
        before = self.pointer(name)
        self.catalog.alter_view(name, set_properties=properties or {"n": uuid.uuid4().hex})
        return before

    def pointer(self, name: str = "sales.daily") -> str:
        return self.row(name).parameters[POINTER]

    def row(self, name: str = "sales.daily") -> Row:
        return self.server.load_row(TableIdentifier.of(name))

    def files(self) -> list[str]:
        return files_below(self.warehouse)

    def pass_days(self, days: float = 31) -> None:
        """All files that are there were written so many days ago."""
        set_written(self.files(), self.now_ms - int(days * DAY_MS))

    def clean(self, *patterns: str, **given: Any) -> Outcome:
        (outcome,) = clean(self.catalog, *(patterns or ["sales.daily"]), **given)
        return outcome

    def killed_commit(self, name: str = "sales.daily") -> str:
        """The file of a writer that is killed between writing it and the swap."""
        before = set(self.files())
        self.metastore.on("swap_row", killed_before)
        with pytest.raises(Killed):
            self.commit(name)
        self.server.expire_locks()
        (left,) = set(self.files()) - before
        return left


@pytest.fixture
def house() -> Iterator[House]:
    yield House()
    forget_files_in_memory()


def deleted(outcome: Outcome) -> list[str]:
    return [file["location"] for file in outcome.details["files"]]


def kept(outcome: Outcome) -> dict[str, str]:
    return {file["location"]: file["reason"] for file in outcome.details["kept"]}


# -- metadata files ----------------------------------------------------------------------------------------------------


def test_old_files_go_and_the_current_and_the_previous_one_stay(house: House) -> None:
    first, second, previous = house.commit(), house.commit(), house.commit()
    house.pass_days()
    sizes = {location: MemoryFileSystem().size(location) for location in house.files()}
    outcome = house.clean()
    assert outcome.state is State.DONE
    assert deleted(outcome) == [first, second]
    assert outcome.details["bytes"] == sizes[first] + sizes[second]
    assert outcome.reason == f"2 files, {outcome.details['bytes']:,} bytes."
    assert house.files() == sorted([previous, house.pointer()])
    assert house.clean().state is State.UNCHANGED


def test_nothing_within_the_limit_is_deleted(house: House) -> None:
    first = house.commit()
    young = house.commit()
    house.commit()
    house.pass_days(29)
    set_written([first], house.now_ms - 30 * DAY_MS)
    assert deleted(house.clean()) == [first]
    assert young in house.files()
    assert deleted(house.clean(older_than=timedelta(days=29))) == [young]


def test_a_dry_run_deletes_nothing_and_says_the_same(house: House) -> None:
    house.commit(), house.commit(), house.commit()
    house.pass_days()
    before = house.files()
    planned = house.clean(dry_run=True)
    assert house.files() == before
    done = house.clean()
    assert (planned.state, done.state) == (State.PLANNED, State.DONE)
    assert planned.details == done.details
    assert planned.document()["files"][0].keys() == {"location", "bytes", "modified_at_ms"}


def test_what_a_killed_writer_left_stays_while_it_could_become_current_and_goes_afterwards(house: House) -> None:
    house.commit()
    orphan = house.killed_commit()
    house.pass_days(1000)
    assert orphan not in deleted(house.clean())
    house.commit(), house.commit()
    house.pass_days(1000)
    assert orphan in deleted(house.clean())


def test_a_request_of_unknown_outcome_that_lands_late_finds_its_file(house: House) -> None:
    house.commit(), house.commit()
    late = []

    def delay(run: Any) -> Any:
        late.append(run)
        lost_before(run)

    house.metastore.on("swap_row", delay)
    with pytest.raises(CommitStateUnknownError):
        house.commit()
    house.server.expire_locks()
    house.pass_days(1000)
    house.clean()
    late[0]()
    assert MetadataStorage().read(house.pointer()).view_uuid == house.row().parameters["uuid"]


def test_a_file_of_another_row_in_the_same_directory_stays(house: House) -> None:
    for _ in range(3):
        house.commit()
    house.catalog.register_view("sales.copy", house.pointer())
    for _ in range(3):
        house.commit("sales.copy")
    house.pass_days()
    incarnation = house.row("sales.copy").parameters[OWNS]
    outcome = house.clean("sales.copy")
    assert len(deleted(outcome)) == 2
    assert "it was not written for this row" in kept(outcome).values()
    assert incarnation != house.row().parameters[OWNS]
    assert house.catalog.load_view("sales.daily").properties


def test_files_that_the_row_does_not_prove_to_be_its_own_stay(house: House) -> None:
    house.commit(), house.commit(), house.commit()
    row = house.row()
    house.server.swap_row(foreign_writers.hive_unset_property(row, OWNS), expected=None)
    house.pass_days()
    outcome = house.clean()
    assert outcome.state is State.LEFT
    assert "does not prove which files are its own" in str(outcome.reason)


def test_a_file_that_another_engine_registered_under_another_name_stays(house: House) -> None:
    house.create("sales.other")
    old = house.commit()
    house.commit(), house.commit()
    row = house.row()
    parameters = {key: value for key, value in row.parameters.items() if key not in (OWNS, INCARNATION)}
    foreign = replace(
        row, identifier=TableIdentifier.of("sales.foreign"), parameters={**parameters, POINTER: old}, native=None
    )
    house.server.create_row(foreign)
    house.pass_days()
    assert deleted(house.clean()) != []
    assert old in house.files()


def registered_as_it_is(house: House, name: str, file: str, **parameters: str) -> None:
    """What Iceberg's registerView does: no copy, and none of our locks."""
    told = {"table_type": "ICEBERG-VIEW", POINTER: file, "uuid": MetadataStorage().read(file).view_uuid}
    house.server.create_row(Row(TableIdentifier.of(name), VIRTUAL_VIEW, parameters={**told, **parameters}))


def test_a_file_that_another_engine_registers_during_the_run_stays(house: House) -> None:
    house.create("sales.before")
    for name in ("sales.before", "sales.daily"):
        house.commit(name), house.commit(name), house.commit(name)
    first = min(file for file in house.files() if "/daily/metadata/" in file)
    house.pass_days()

    def register(one: Outcome, _: int, __: int) -> None:
        if one.view == "sales.before":
            registered_as_it_is(house, "sales.registered", first)

    outcomes = clean(house.catalog, "sales.*", on_outcome=register)
    assert [len(deleted(one)) for one in outcomes] == [2, 1]
    assert first in house.files()


def test_what_is_left_of_a_dropped_view_that_is_registered_during_the_run_stays(house: House) -> None:
    token = house.row().parameters[INCARNATION]
    last = house.pointer()
    listing = remembered(house)
    house.catalog.drop_view("sales.daily")
    house.create("sales.before")
    for _ in range(3):
        house.commit("sales.before")
    house.pass_days()

    def register(one: Outcome, _: int, __: int) -> None:
        if one.view == "sales.before":
            registered_as_it_is(house, "sales.registered", last, **{INCARNATION: token})

    clean(house.catalog, "sales.*", on_outcome=register)
    assert listing in house.files()


def test_what_was_read_of_views_is_forgotten_during_the_run(house: House) -> None:
    for number in range(30):
        house.create(f"sales.v{number}")
    house.pass_days()
    gc.collect()
    before = sum(isinstance(one, View) for one in gc.get_objects())
    alive: list[int] = []

    def count(_: Outcome, number: int, of: int) -> None:
        if number == of:
            gc.collect()
            alive.append(sum(isinstance(one, View) for one in gc.get_objects()))

    clean(house.catalog, "sales.*", on_outcome=count)
    assert alive == [before]


def test_two_rows_of_one_owner_are_left_alone(house: House) -> None:
    house.commit(), house.commit(), house.commit()
    house.server.create_row(replace(house.row(), identifier=TableIdentifier.of("sales.copied"), native=None))
    house.pass_days()
    outcome = house.clean()
    assert outcome.state is State.LEFT
    assert "sales.copied claims the same files" in str(outcome.reason)


def test_what_another_engine_wrote_stays(house: House) -> None:
    house.commit()
    theirs = foreign_writers.java_commit(
        house.server,
        MetadataStorage(),
        TableIdentifier.of("sales.daily"),
        lambda metadata: apply_updates(metadata, [SetProperties({"java": "1"})], now_ms=1),
    )
    house.commit(), house.commit()
    house.pass_days()
    outcome = house.clean()
    assert theirs in house.files()
    assert kept(outcome) == {theirs: "another engine wrote it, perhaps for a row of another metastore"}


def test_a_file_that_cannot_be_read_stays(house: House) -> None:
    half = house.commit()
    house.commit(), house.commit()
    MemoryFileSystem.store[half.removeprefix("memory:/")].seek(0)
    MemoryFileSystem.store[half.removeprefix("memory:/")].truncate(20)
    house.pass_days()
    outcome = house.clean()
    assert half in house.files()
    assert "cannot be read" in kept(outcome)[half]


def test_a_file_whose_age_is_not_known_stays(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    house.commit(), house.commit(), house.commit()
    before = house.files()

    def modified(*_: object) -> Any:
        raise NotImplementedError

    monkeypatch.setattr(MemoryFileSystem, "modified", modified)
    outcome = house.clean()
    assert house.files() == before
    assert outcome.state is State.UNCHANGED
    assert set(kept(outcome).values()) == {"the storage does not say when it was written"}


def test_files_that_end_in_no_number_are_not_judged(house: House) -> None:
    view = house.catalog.load_view("sales.daily")
    directory = view.metadata_location.rpartition("/")[0]
    stray = f"{directory}/kept-by-hand.metadata.json"
    MetadataStorage().write(stray, view.metadata)
    house.commit(), house.commit()
    house.pass_days()
    house.clean()
    assert stray in house.files()


def test_old_files_in_former_directories_go_but_the_last_of_each(house: House) -> None:
    first, last_there = house.commit(), house.pointer()
    house.catalog.alter_view("sales.daily", location=f"{house.warehouse}/elsewhere")
    house.commit(), house.commit()
    house.pass_days()
    outcome = house.clean()
    assert first in deleted(outcome)
    assert kept(outcome) == {last_there: "it is the last one in a directory that the view used before"}


def test_the_newest_file_with_a_tagged_version_that_has_expired_stays(house: House) -> None:
    view = house.catalog.load_view("sales.daily")
    version = view.current_version
    tagged = {"hive-views.tag.release": f"{version.version_id}@{version.timestamp_ms}"}
    commit_own_properties(house.catalog.engine, "sales.daily", lambda _: tagged)
    holder = house.commit()
    later = house.commit()
    metadata = MetadataStorage().read(house.pointer())
    renumbered = version.model_copy(update={"version_id": 9, "timestamp_ms": version.timestamp_ms + 1})
    expired = metadata.model_copy(
        update={
            "versions": (renumbered,),
            "current_version_id": 9,
            "version_log": (metadata.version_log[-1].model_copy(update={"version_id": 9}),),
        }
    )
    foreign_writers.java_commit(house.server, MetadataStorage(), TableIdentifier.of("sales.daily"), lambda _: expired)
    house.commit(), house.commit()
    house.pass_days()
    outcome = house.clean()
    reasons = [location for location, reason in kept(outcome).items() if "has a tag" in reason]
    assert len(reasons) == 1
    assert MetadataStorage().read(reasons[0]).version(version.version_id) == version
    assert {holder, later} <= set(deleted(outcome)) | set(reasons)


def test_the_checksum_file_of_hadoop_goes_with_its_file(house: House) -> None:
    first = house.commit()
    house.commit(), house.commit()
    directory, _, name = first.rpartition("/")
    MetadataStorage().write_bytes(f"{directory}/.{name}.crc", b"crc")
    house.pass_days()
    house.clean()
    assert f"{directory}/.{name}.crc" not in house.files()


# -- locks and changes meanwhile ---------------------------------------------------------------------------------------


def test_nothing_is_deleted_while_somebody_holds_the_lock(house: House) -> None:
    house.commit(), house.commit(), house.commit()
    house.pass_days()
    before = house.files()
    lock = house.server.lock(TableIdentifier.of("sales.daily"))
    outcome = house.clean()
    assert outcome.state is State.FAILED
    assert isinstance(outcome.error, LockTimeoutError)
    assert house.files() == before
    assert lock is not None
    lock.release()
    assert house.clean().state is State.DONE


def test_deleting_stops_where_the_lock_is_lost(house: House) -> None:
    house.commit(), house.commit(), house.commit()
    house.pass_days()
    before = house.files()
    # The row is read again when the lock is held.
    house.metastore.on("load_row", lambda run: (house.server.expire_locks(), run())[1])
    outcome = house.clean()
    assert outcome.state is State.FAILED
    assert "was lost" in str(outcome.reason)
    assert house.files() == before


def test_a_view_that_is_renamed_meanwhile_is_left_for_the_next_run(house: House) -> None:
    house.commit(), house.commit(), house.commit()
    house.pass_days()
    before = house.files()
    rival = house.connected(house.server)
    house.metastore.on("lock", lambda run: (rival.rename_view("sales.daily", "sales.weekly"), run())[1])
    assert house.clean().state is State.FAILED
    assert set(before) < set(house.files())


def test_a_view_that_is_recreated_meanwhile_keeps_its_files_and_those_of_the_other(house: House) -> None:
    house.commit(), house.commit(), house.commit()
    house.pass_days()
    rival = house.connected(house.server)
    before = house.files()

    def recreate(run: Any) -> Any:
        rival.drop_view("sales.daily")
        rival.create_view("sales.daily", sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")])
        return run()

    house.metastore.on("lock", recreate)
    assert house.clean().state is not State.DONE
    assert set(before) <= set(house.files())


def test_a_file_that_cannot_be_deleted_does_not_stop_the_others(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = house.commit(), house.commit()
    house.commit()
    house.pass_days()
    real = MemoryFileSystem.rm_file

    def refuse(self: MemoryFileSystem, path: str) -> None:
        if first.endswith(path):
            raise PermissionError("denied")
        real(self, path)

    monkeypatch.setattr(MemoryFileSystem, "rm_file", refuse)
    outcome = house.clean()
    assert outcome.state is State.FAILED
    assert isinstance(outcome.error, StorageUnavailableError)
    assert str(outcome.reason).startswith("1 of 2 files could not be deleted")
    assert deleted(outcome) == [second]
    assert [one["location"] for one in outcome.details["failed"]] == [first]
    monkeypatch.undo()
    assert deleted(house.clean()) == [first]


def test_a_bad_view_does_not_stop_the_others(house: House) -> None:
    house.create("sales.broken")
    house.commit(), house.commit(), house.commit()
    house.pass_days()
    MetadataStorage().delete(house.pointer("sales.broken"))
    fresh = replace_storage(house)
    outcomes = clean(fresh, "sales.*")
    assert [one.state for one in outcomes] == [State.FAILED, State.DONE]


def replace_storage(house: House) -> ViewCatalog:
    """A catalog that has read nothing yet."""
    return house.connected(house.metastore)


def test_where_the_metastore_is_gone_the_rest_is_not_tried(house: House) -> None:
    house.create("sales.weekly")
    for name in ("sales.daily", "sales.weekly"):
        house.commit(name), house.commit(name), house.commit(name)
    house.pass_days()

    def gone(run: Any) -> None:
        house.metastore.on("list_namespaces", lost_before)
        lost_before(run)

    house.metastore.on("lock", gone)
    outcomes = clean(house.catalog, "sales.*")
    assert [one.state for one in outcomes] == [State.FAILED, State.NOT_TRIED]
    assert isinstance(outcomes[0].error, MetastoreUnavailableError)


def test_a_metastore_that_answers_with_an_error_about_one_view_is_not_gone(house: House) -> None:
    house.create("sales.weekly")
    for name in ("sales.daily", "sales.weekly"):
        house.commit(name), house.commit(name), house.commit(name)
    house.pass_days()

    def failed(_: object) -> None:
        raise MetastoreUnavailableError("The metastore failed on sales.daily: Oops.", answer=Answer.FAILED)

    house.metastore.on("load_row", failed)
    outcomes = clean(house.catalog, "sales.*")
    assert [one.state for one in outcomes] == [State.FAILED, State.DONE]


# -- what views leave that are gone ------------------------------------------------------------------------------------


def remembered(house: House, name: str = "sales.daily", suffix: str = ".listing") -> str:
    """A file of publishing beside a view."""
    view = house.catalog.load_view(name)
    token = view.metadata.properties[INCARNATION]
    location = f"{view.location}/publishing/{token}-0123456789abcdef-{house.now_ms:015d}-{uuid.uuid4()}{suffix}"
    MetadataStorage().write_bytes(location, b"{}")
    return location


def test_the_journal_and_notes_of_a_view_without_row_and_files_go(house: House) -> None:
    house.catalog.partitions("sales.daily").add([{"ds": "2026-08-21"}])
    note, listing = remembered(house, suffix=".untold"), remembered(house)
    view = house.catalog.load_view("sales.daily")
    house.catalog.drop_view("sales.daily")
    house.pass_days()
    # A purge that was interrupted has deleted its metadata files first.
    for location in house.files():
        if location.endswith(".metadata.json"):
            MetadataStorage().delete(location)
    left = house.files()
    assert {note, listing} < set(left)
    outcome = house.clean("sales.*")
    assert outcome.view == str(view.identifier)
    assert sorted(deleted(outcome)) == left
    assert house.files() == []
    with pytest.raises(NoSuchViewError):
        clean(house.catalog, "sales.daily")
    assert len(clean(house.catalog, "sales.*")) == 0


def test_a_dropped_view_can_be_brought_back_with_its_partitions_after_cleaning(house: House) -> None:
    house.commit(), house.commit(), house.commit()
    house.catalog.partitions("sales.daily").add([{"ds": "2026-08-21"}])
    note, listing = remembered(house, suffix=".untold"), remembered(house)
    house.catalog.drop_view("sales.daily")
    house.pass_days(1000)
    before = house.files()
    outcome = house.clean("sales.*")
    # A listing of base tables is a cache.
    assert deleted(outcome) == [listing]
    assert set(before) - {listing} == set(house.files())
    found = find_by_name(house.catalog.engine, "sales.daily")
    assert found is not None
    house.catalog.register_view("sales.daily", found.metadata_location)
    assert house.catalog.partitions("sales.daily").restore().added == ["ds=2026-08-21"]
    assert note in house.files()


def test_the_journal_of_a_dropped_view_whose_metadata_is_elsewhere_stays(house: House) -> None:
    house.catalog.drop_view("sales.daily")
    house.create("sales.away", properties={"write.metadata.path": f"{house.warehouse}/all-metadata"})
    house.catalog.partitions("sales.away").add([{"ds": "2026-08-21"}])
    last = house.pointer("sales.away")
    house.catalog.drop_view("sales.away")
    house.pass_days(1000)
    before = house.files()
    clean(house.catalog, "*.*")
    assert house.files() == before
    house.catalog.register_view("sales.away", last)
    assert house.catalog.partitions("sales.away").restore().added == ["ds=2026-08-21"]


def test_the_journal_of_a_view_of_another_metastore_that_moved_away_stays(house: House) -> None:
    there = catalog_on(MemoryMetastore(), house.warehouse, clock_ms=lambda: house.now_ms)
    there.create_view(
        "sales.theirs", sql={"hive": TEXT}, schema=[("a", "int"), ("ds", "string")], partitioned_on=["ds"]
    )
    there.partitions("sales.theirs").add([{"ds": "2026-08-21"}])
    there.alter_view("sales.theirs", location=f"{house.warehouse}/moved")
    for number in range(3):
        there.alter_view("sales.theirs", set_properties={"n": str(number)})
    house.pass_days(1000)
    clean(there, "sales.*")
    clean(house.catalog, "sales.*")
    there.drop_view("sales.theirs")
    house.pass_days(1000)
    clean(house.catalog, "sales.*")
    clean(there, "sales.*")
    last = max(file for file in house.files() if "/moved/metadata/" in file)
    there.register_view("sales.theirs", last)
    assert there.partitions("sales.theirs").restore().added == ["ds=2026-08-21"]


def test_what_belongs_to_a_live_view_stays_however_old(house: House) -> None:
    house.catalog.partitions("sales.daily").add([{"ds": "2026-08-21"}])
    remembered(house), remembered(house, suffix=".untold")
    house.pass_days(1000)
    before = house.files()
    assert house.clean("sales.*").state is State.UNCHANGED
    assert house.files() == before


def test_the_journal_of_a_dropped_view_whose_metadata_directory_is_away_stays(house: House) -> None:
    """As with write.metadata.path on a file system that is not mounted for the moment."""
    house.catalog.partitions("sales.daily").add([{"ds": "2026-08-21"}])
    note, directory = remembered(house, suffix=".untold"), house.pointer().rpartition("/")[0]
    house.catalog.drop_view("sales.daily")
    house.pass_days(1000)
    path, store = directory.removeprefix("memory:/"), MemoryFileSystem.store
    away = {name: store.pop(name) for name in list(store) if name.startswith(f"{path}/")}
    MemoryFileSystem.pseudo_dirs[:] = [one for one in MemoryFileSystem.pseudo_dirs if one != path]
    clean(house.catalog, "sales.*")
    store.update(away)
    assert note in house.files()
    (outcome,) = undrop(house.catalog, "sales.daily")
    assert outcome.details["partitions_added"] == 1


def test_a_journal_that_does_not_say_where_the_metadata_was_stays(house: House) -> None:
    directory = house.catalog.load_view("sales.daily").location
    entry = {"format-version": 1, "covers": [], "changes": []}
    stray = f"{directory}/partitions/{uuid.uuid4()}-000000000001-{uuid.uuid4()}.partitions"
    MetadataStorage().write_bytes(stray, json.dumps(entry).encode() + b"\n")
    house.pass_days()
    assert house.clean().state is State.UNCHANGED
    assert stray in house.files()


def test_leftovers_within_the_limit_stay(house: House) -> None:
    house.catalog.partitions("sales.daily").add([{"ds": "2026-08-21"}])
    house.catalog.drop_view("sales.daily")
    for location in house.files():
        if location.endswith(".metadata.json"):
            MetadataStorage().delete(location)
    house.pass_days()
    set_written([house.files()[0], house.files()[-1]], house.now_ms - DAY_MS)
    before = house.files()
    assert len(clean(house.catalog, "sales.*")) == 0
    assert house.files() == before


def test_files_of_others_in_the_directories_of_a_namespace_stay(house: House) -> None:
    for name in ("table/part-0.parquet", "table/partitions/part-0.parquet", "table/publishing/notes.untold"):
        MetadataStorage().write_bytes(f"{house.warehouse}/sales.db/{name}", b"x")
    house.pass_days(1000)
    before = house.files()
    clean(house.catalog, "*.*")
    assert house.files() == before


# -- what is asked for -------------------------------------------------------------------------------------------------


def test_a_limit_below_an_hour_is_refused(house: House) -> None:
    with pytest.raises(InvalidInputError, match="younger than 1h, as 59min would"):
        house.clean(older_than=timedelta(minutes=59))


def test_tables_plain_views_and_views_without_a_pointer_are_left_with_a_reason(house: House) -> None:
    house.server.create_row(Row(TableIdentifier("sales", "table"), "MANAGED_TABLE"))
    house.server.create_row(Row(TableIdentifier("sales", "plain"), VIRTUAL_VIEW))
    house.server.swap_row(foreign_writers.hive_unset_property(house.row(), POINTER), expected=None)
    outcomes = clean(house.catalog, "sales.table", "sales.plain", "sales.daily")
    assert {one.state for one in outcomes} == {State.LEFT}
    assert outcomes[2].reason == "It is a table (MANAGED_TABLE)."


def test_what_matches_nothing_is_refused(house: House) -> None:
    with pytest.raises(NoSuchViewError, match="Did you mean"):
        clean(house.catalog, "sales.dayly")
    with pytest.raises(NoSuchViewError):
        clean(house.catalog, "sales.x*")
    with pytest.raises(NoSuchNamespaceError):
        clean(house.catalog, "nowhere.*")
    with pytest.raises(InvalidInputError):
        clean(house.catalog)


def test_rows_are_read_a_hundred_in_a_call_and_only_what_has_files_to_delete_is_locked(house: House) -> None:
    for number in range(20):
        house.create(f"sales.v{number}")
    house.commit("sales.v3"), house.commit("sales.v3")
    house.pass_days()
    calls: list[str] = []
    catalog = house.connected(FaultyMetastore(house.server, on_call=calls.append))
    calls.clear()
    outcomes = clean(catalog, "sales.*")
    assert [one.view for one in outcomes.of(State.DONE)] == ["sales.v3"]
    # The namespaces of this metastore are ``default`` and ``sales``; all rows are read again before the first deletion.
    rows = ["list_namespaces", "list_view_names", "list_view_names", "load_rows"]
    assert sorted(calls) == sorted([*rows, *rows, "load_namespace", "lock", "load_row"])
    calls.clear()
    clean(catalog, "sales.*")
    assert sorted(calls) == sorted([*rows, "load_namespace"])


def test_the_name_of_a_swap_s_file_is_one_above_that_of_its_base(house: House) -> None:
    """On which it rests that a file with a lower number cannot become current."""
    view = house.catalog.load_view("sales.daily")
    metadata = stamped(view.metadata, "c0ffee")
    assert next_location(metadata, view.metadata_location, "c0ffee").endswith("/00001-c0ffee.gz.metadata.json")
