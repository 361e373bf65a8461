"""The listings remembered beside a view: they save reading, and never say anything else than the table does."""

from __future__ import annotations

import itertools
import logging
import os
import uuid
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hive_views.base_tables.memory import MemoryBaseTable, MemoryTableWithHistory
from hive_views.base_tables.port import BaseTable, Changes, PartitionListing, Snapshot, TableState
from hive_views.errors import StorageUnavailableError
from hive_views.hive.row import Column
from hive_views.metastore.memory import MemoryMetastore
from hive_views.publishing.listings.remembered import RememberedListings
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.storage.ownership import incarnation_of, publishing_directory
from hive_views.views.catalog import ViewCatalog
from hive_views.views.view import View
from tests.support.tables.paimon_tables import PaimonTable
from tests.support.views.catalog_setup import create

DS, HR = Column("ds", "string", "the day"), Column("hr", "string")


class Watched(MemoryTableWithHistory):
    """A table that records what is read of it, and can be made to give other changes."""

    def __init__(self, name: str = "web.clicks", keys: Sequence[Column] = (DS,)) -> None:
        super().__init__(name, keys, clock_ms=itertools.count(1).__next__)
        self.read: list[str] = []
        self.gives: Changes | None = None

    def list_partitions(self) -> PartitionListing:
        self.read.append("listing")
        return super().list_partitions()

    def current_state(self, known: TableState | None = None) -> TableState:
        self.read.append("state")
        return super().current_state(known)

    def changes(self, since: Snapshot, until: Snapshot) -> Changes:
        self.read.append("changes")
        return self.gives or super().changes(since, until)


class WatchedByAnother(Watched):
    """Another reader of the same table."""


class Memory:
    """Runs of publishing on one view, each with a memory of its own."""

    def __init__(self, view: View, storage: MetadataStorage) -> None:
        self.view, self.storage = view, storage
        self.directory = Path(publishing_directory(view.metadata).removeprefix("file://"))
        self._clock = itertools.count(1_787_270_400_000)

    def begin(self) -> RememberedListings:
        return RememberedListings(
            self.storage, self.view.metadata, clock_ms=self._clock.__next__, new_uuid=lambda: str(uuid.uuid4())
        )

    def run(self, *tables: BaseTable) -> list[PartitionListing]:
        run = self.begin()
        listings = [run.list_partitions(table) for table in tables]
        run.save()
        return listings

    @property
    def files(self) -> list[Path]:
        return sorted(self.directory.iterdir()) if self.directory.exists() else []


@pytest.fixture
def catalog(tmp_path: Path) -> ViewCatalog:
    return ViewCatalog(MemoryMetastore(), warehouse=f"file://{tmp_path}")


@pytest.fixture
def memory(catalog: ViewCatalog) -> Memory:
    create(catalog, "default.daily", partitioned_on=["ds"])
    return Memory(catalog.load_view("default.daily"), catalog.storage)


@pytest.fixture
def clicks() -> Watched:
    table = Watched()
    table.append(("2026-08-20",), ("2026-08-21",), files=3, records=10, bytes=100)
    return table


def as_facts(listing: PartitionListing) -> dict[str, Any]:
    assert listing.statistics is not None
    return {
        "of": (listing.table, listing.format, listing.snapshot, [(key.name, key.type) for key in listing.keys]),
        "partitions": dict(zip(listing.values, listing.statistics, strict=True)),
    }


def check_says_what_the_table_does(listing: PartitionListing, table: Watched) -> None:
    assert as_facts(listing) == as_facts(MemoryTableWithHistory.list_partitions(table))


def test_an_unchanged_table_is_not_listed_again_and_nothing_is_written(memory: Memory, clicks: Watched) -> None:
    memory.run(clicks)
    assert clicks.read == ["listing"]
    files = memory.files
    [listing] = memory.run(clicks)
    assert clicks.read == ["listing", "state"]
    check_says_what_the_table_does(listing, clicks)
    assert memory.files == files


def test_of_a_table_that_changed_only_the_changes_are_read(memory: Memory, clicks: Watched) -> None:
    memory.run(clicks)
    clicks.append(("2026-08-21",), ("2026-08-22",), files=2, records=5, bytes=7)
    clicks.delete(("2026-08-20",))
    clicks.compact(("2026-08-21",))
    clicks.read.clear()
    [listing] = memory.run(clicks)
    assert clicks.read == ["state", "changes"]
    check_says_what_the_table_does(listing, clicks)
    assert memory.run(clicks) == [listing]
    assert len(memory.files) == 1, "the file of the first run is replaced"


@pytest.mark.parametrize("keys", [(), (DS,), (DS, HR)])
def test_an_empty_table_is_remembered_as_it_is(memory: Memory, keys: tuple[Column, ...]) -> None:
    table = Watched(keys=keys)
    check_says_what_the_table_does(memory.run(table)[0], table)
    assert memory.files == [], "there is no snapshot to go on from"
    one = ("2026-08-20", None)[: len(keys)]
    table.append(one)
    table.delete(one)
    memory.run(table)
    check_says_what_the_table_does(memory.run(table)[0], table)
    table.append(one)
    check_says_what_the_table_does(memory.run(table)[0], table)
    assert table.read.count("listing") == 2


def test_a_table_without_history_is_listed_by_every_run(memory: Memory) -> None:
    table = MemoryBaseTable("web.users", [DS], [("2026-08-20",)])
    memory.run(table)
    table.add(("2026-08-21",))
    assert memory.run(table)[0].values == [("2026-08-20",), ("2026-08-21",)]
    assert memory.files == []


def damage(memory: Memory, how: str) -> None:
    [file] = memory.files
    content = file.read_bytes()
    if how == "lost":
        file.unlink()
    else:
        file.write_bytes({"empty": b"", "cut off": content[:-5], "garbage": os.urandom(200)}[how])


@pytest.mark.parametrize("how", ["lost", "empty", "cut off", "garbage"])
def test_a_damaged_memory_costs_a_full_listing_and_is_replaced(memory: Memory, clicks: Watched, how: str) -> None:
    memory.run(clicks)
    damage(memory, how)
    [listing] = memory.run(clicks)
    assert clicks.read == ["listing", "listing"]
    check_says_what_the_table_does(listing, clicks)
    memory.run(clicks)
    assert clicks.read[2:] == ["state"]
    assert len(memory.files) == 1


def test_a_recreated_table_is_listed_again_although_its_snapshots_have_the_same_ids(
    memory: Memory, clicks: Watched
) -> None:
    memory.run(clicks)
    clicks.recreate()
    clicks.append(("2026-08-25",))
    check_says_what_the_table_does(memory.run(clicks)[0], clicks)
    assert clicks.read == ["listing", "state", "changes", "listing"]


def test_a_table_whose_changes_have_expired_is_listed(memory: Memory, clicks: Watched) -> None:
    memory.run(clicks)
    clicks.append(("2026-08-25",))
    clicks.expire()
    check_says_what_the_table_does(memory.run(clicks)[0], clicks)
    assert clicks.read[-1] == "listing"


def test_another_table_of_the_name_or_another_reader_of_it_has_a_memory_of_its_own(
    memory: Memory, clicks: Watched
) -> None:
    memory.run(clicks)
    another = WatchedByAnother()
    another.append(("1999-01-01",))
    check_says_what_the_table_does(memory.run(another)[0], another)
    assert another.read == ["listing"]
    memory.run(clicks)
    assert clicks.read == ["listing", "state"]
    of_the_same_name = Watched()
    of_the_same_name.append(("1999-01-01",))
    check_says_what_the_table_does(memory.run(of_the_same_name)[0], of_the_same_name)


def test_other_partition_columns_are_another_table(memory: Memory, clicks: Watched) -> None:
    memory.run(clicks)
    clicks._keys = (replace(DS, type="date"),)
    check_says_what_the_table_does(memory.run(clicks)[0], clicks)
    assert clicks.read == ["listing", "state", "listing"]


@pytest.mark.parametrize(
    "change",
    [
        {"files": -9},
        {"files": 1, "records": None},
        {"files": 1, "bytes": None},
    ],
    ids=["more files are gone than there were", "no records", "no bytes"],
)
def test_changes_that_do_not_add_up_to_a_listing_lead_to_a_full_one(
    memory: Memory, clicks: Watched, change: dict[str, int | None]
) -> None:
    since = MemoryTableWithHistory.list_partitions(clicks).snapshot
    memory.run(clicks)
    until = clicks.append(("2026-08-21",))
    assert since
    real = MemoryTableWithHistory.changes(clicks, since, until)
    clicks.gives = Changes({values: replace(one, **change) for values, one in real.partitions.items()})
    check_says_what_the_table_does(memory.run(clicks)[0], clicks)
    assert clicks.read[-1] == "listing"


def test_of_two_runs_at_once_the_later_is_remembered_and_neither_is_disturbed(memory: Memory, clicks: Watched) -> None:
    memory.run(clicks)
    one, other = memory.begin(), memory.begin()
    clicks.append(("2026-08-22",))
    one.list_partitions(clicks)
    clicks.append(("2026-08-23",))
    other.list_partitions(clicks)
    other.save()
    one.save()
    assert len(memory.files) == 1
    check_says_what_the_table_does(memory.run(clicks)[0], clicks)
    assert clicks.read.count("listing") == 1


def test_a_run_whose_file_another_run_has_replaced_lists_the_table(memory: Memory, clicks: Watched) -> None:
    users = Watched("web.users")
    users.append(("2026-08-20",))
    memory.run(clicks, users)
    late = memory.begin()
    late.list_partitions(users)
    clicks.append(("2026-08-22",))
    memory.run(clicks)
    check_says_what_the_table_does(late.list_partitions(clicks), clicks)


class FailingStorage(MetadataStorage):
    def write_bytes(self, location: str, content: bytes) -> None:
        raise StorageUnavailableError(f"Cannot write {location}: read-only.")


def test_a_memory_that_cannot_be_written_is_a_debug_message(
    memory: Memory, clicks: Watched, caplog: pytest.LogCaptureFixture
) -> None:
    memory.storage = FailingStorage()
    with caplog.at_level(logging.DEBUG, "hive_views.publishing"):
        check_says_what_the_table_does(memory.run(clicks)[0], clicks)
    assert [record.levelname for record in caplog.records] == ["DEBUG"]
    assert "read-only" in caplog.text


def test_only_so_many_tables_are_remembered(memory: Memory) -> None:
    tables = [Watched(f"web.table_{number}") for number in range(66)]
    for table in tables:
        table.append(("2026-08-20",))
    memory.run(*tables)
    assert len(memory.files) == 64
    memory.run(tables[0], tables[-1])
    assert tables[0].read == ["listing", "listing"]
    assert tables[-1].read == ["listing", "state"]


def test_what_is_too_large_is_not_kept(memory: Memory, clicks: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hive_views.publishing.listings.remembered._LARGEST_FILE", 50)
    memory.run(clicks)
    assert memory.files == []


def test_dropping_the_view_with_its_files_removes_its_memory_and_no_other_views(
    catalog: ViewCatalog, memory: Memory, clicks: Watched
) -> None:
    memory.run(clicks)
    create(catalog, "default.other", partitioned_on=["ds"], location=memory.view.location)
    other = Memory(catalog.load_view("default.other"), catalog.storage)
    other.run(clicks)
    assert len(memory.files) == 2
    catalog.drop_view("default.daily", purge=True)
    assert [file.name.startswith(incarnation_of(other.view.metadata)) for file in memory.files] == [True]
    assert other.run(clicks)
    assert clicks.read == ["listing", "listing", "state"]


def test_a_view_that_is_registered_from_another_s_file_has_a_memory_of_its_own(
    catalog: ViewCatalog, memory: Memory, clicks: Watched
) -> None:
    memory.run(clicks)
    twin = Memory(catalog.register_view("default.twin", memory.view.metadata_location), catalog.storage)
    twin.run(clicks)
    assert clicks.read == ["listing", "listing"]
    assert len(memory.files) == 2
    catalog.drop_view("default.twin", purge=True)
    assert len(memory.files) == 1
    memory.run(clicks)
    assert clicks.read == ["listing", "listing", "state"]


def test_the_memory_is_found_by_purge_where_it_was_before_the_view_moved(
    catalog: ViewCatalog, memory: Memory, clicks: Watched, tmp_path: Path
) -> None:
    memory.run(clicks)
    catalog.alter_view("default.daily", location=f"file://{tmp_path}/elsewhere")
    catalog.drop_view("default.daily", purge=True)
    assert memory.files == []


DAYS = st.sampled_from(["20", "21", None])
PARTITIONS = st.lists(st.tuples(DAYS, st.sampled_from(["00", "01"])), max_size=4, unique=True)
WRITES = st.one_of(
    st.tuples(st.sampled_from(["append", "overwrite", "delete", "compact"]), PARTITIONS),
    st.tuples(st.sampled_from(["recreate", "expire", "run", "run"]), st.just([])),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(WRITES, max_size=20))
def test_whatever_happens_to_a_table_the_memory_says_what_the_table_does(writes: list[tuple[str, Any]]) -> None:
    catalog = ViewCatalog(MemoryMetastore(), warehouse=f"memory://{uuid.uuid4().hex}")
    create(catalog, "default.daily", partitioned_on=["ds"])
    memory, table = Memory(catalog.load_view("default.daily"), catalog.storage), Watched(keys=(DS, HR))
    for verb, partitions in [*writes, ("run", [])]:
        if verb == "run":
            check_says_what_the_table_does(memory.run(table)[0], table)
        else:
            getattr(table, verb)(*partitions)


@pytest.mark.parametrize("has_primary_key", [False, True])
@pytest.mark.parametrize("keys", [[], [Column("ds", "string")]], ids=["whole", "partitioned"])
def test_a_truncated_table_is_remembered_as_it_is_listed(
    memory: Memory, tmp_path: Path, keys: list[Column], has_primary_key: bool
) -> None:
    table = PaimonTable(tmp_path, keys, has_primary_key=has_primary_key)
    values = ("2026-08-20",) * len(keys)
    table.append(values, rows=3)
    memory.run(table.open())
    table.drop(values)
    [remembered] = memory.run(table.open())
    assert as_facts(remembered) == as_facts(table.open().list_partitions())
