"""Iceberg tables as base tables, written by pyiceberg: both contracts, where tables are found, what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyiceberg.manifest import (
    DataFileContent,
)

from hive_views.base_tables.iceberg.table import IcebergBaseTable
from hive_views.base_tables.port import PartitionValues
from hive_views.errors import NotFoundError
from hive_views.hive.row import Column
from hive_views.storage.files import Files
from tests.contract.history_contract import DistantFiles, HistoryContract
from tests.support.tables.iceberg_writer import IcebergTable, Make, maker_in
from tests.support.tables.writable import DS, HR, A, B, C, HistoryMaker, grown, sizes


@pytest.fixture
def make(tmp_path: Path) -> Make:
    return maker_in(tmp_path)


class _Maker(HistoryMaker):
    def __init__(self, make: Make, version: int) -> None:
        self._make = make
        self._version = version

    def make(self, keys: Sequence[Column]) -> IcebergTable:
        return self._make(keys, version=self._version)


class TestIcebergTables(HistoryContract):
    @pytest.fixture
    def maker(self, make: Make) -> HistoryMaker:
        return _Maker(make, 2)


def test_a_table_of_format_version_1_is_read_alike(make: Make) -> None:
    table = make([DS, HR], version=1)
    table.append(A, B, rows=2)
    before = table.list()
    table.drop(A)
    after = table.list()
    assert sizes(before) == {A: (1, 2), B: (1, 2)}
    assert before.snapshot is not None
    assert after.snapshot is not None
    assert grown(before, table.open().changes(before.snapshot, after.snapshot)) == sizes(after) == {B: (1, 2)}


def test_the_current_state_is_that_of_a_listing_and_known_without_manifests(make: Make) -> None:
    table = make([DS, HR])
    assert table.open().current_state().snapshot is None
    table.append(A)
    listing = table.list()
    for manifest in Path(table.location.removeprefix("file://"), "metadata").glob("*.avro"):
        manifest.unlink()
    state = table.open().current_state()
    assert (state.snapshot, state.keys) == (listing.snapshot, listing.keys)


def test_times_of_commits_are_asked_for_several_at_once(make: Make) -> None:
    table = make([DS, HR])
    for _ in range(12):
        table.append(A)
    files = DistantFiles()
    reader = table.open(files=files)
    state = reader.current_state().snapshot
    assert state is not None
    before = files.waits
    assert len(list(reader.commits(state))) == 12
    assert files.reads >= 12
    assert files.waits - before < 4


class TestBranches:
    def test_main_does_not_show_what_is_on_a_branch_only(self, make: Make) -> None:
        table = make([DS, HR])
        table.append(A)
        main = table.snapshot()
        table.table.manage_snapshots().create_branch(int(main.id), "audit").commit()
        table.append_to("audit", B)
        assert list(table.list().values) == [A]
        audit = table.open("audit").list_partitions()
        assert sorted(audit.values) == [A, B]
        assert audit.snapshot is not None
        assert set(table.open("audit").changes(main, audit.snapshot).partitions) == {B}

    def test_changes_from_one_branch_to_another_are_unknown(self, make: Make) -> None:
        table = make([DS, HR])
        table.append(A)
        table.table.manage_snapshots().create_branch(int(table.snapshot().id), "audit").commit()
        table.append_to("audit", B)
        table.append(C)
        audit = table.open("audit").list_partitions().snapshot
        assert audit is not None
        assert "branches" in str(table.open().changes(audit, table.snapshot()).unknown)

    def test_an_unknown_branch_is_refused_with_those_that_there_are(self, make: Make) -> None:
        table = make([DS, HR])
        table.append(A)
        with pytest.raises(NotFoundError, match=r"no branch audit; its branches and tags are main\."):
            table.open("audit").list_partitions()


class TestWhatCannotBeKnown:
    def test_changes_after_a_roll_back_are_unknown_and_say_so(self, make: Make) -> None:
        table = make([DS, HR])
        table.append(A)
        first = table.snapshot()
        table.append(B)
        second = table.snapshot()
        table.table.manage_snapshots().set_current_snapshot(int(first.id)).commit()
        table.append(C)
        assert "rolled back" in str(table.open().changes(second, table.snapshot()).unknown)

    def test_changes_after_what_pyiceberg_has_expired_are_unknown_and_say_so(self, make: Make) -> None:
        table = make([DS, HR])
        table.append(A)
        since = table.snapshot()
        table.append(B)
        table.expire()
        assert "it has expired, or was rolled back" in str(table.open().changes(since, table.snapshot()).unknown)

    def test_changes_across_new_partition_columns_are_unknown(self, make: Make) -> None:
        table = make([DS, HR])
        table.append(A)
        since = table.snapshot()
        with table.table.update_spec() as update:
            update.remove_field("hr")
        table.append(B)
        listing = table.list()
        assert [key.name for key in listing.keys] == ["ds"]
        assert list(listing.values) == [("2026-08-21",)], "the file of the old spec has a value for ds as well"
        assert not since.is_same_as(table.snapshot())
        assert table.open().changes(since, table.snapshot()).unknown == "its partition columns were changed"

    def test_manifests_that_expire_meanwhile_make_changes_unknown(self, make: Make) -> None:
        table = make([DS, HR])
        table.append(A)
        since = table.snapshot()
        table.append(B)
        until = table.snapshot()
        for path in Path(table.location.removeprefix("file://"), "metadata").glob(f"snap-{until.id}-*.avro"):
            path.unlink()
        assert "expired in the meantime" in str(table.open().changes(since, until).unknown)


def test_a_listing_whose_files_expire_while_it_reads_starts_again(make: Make) -> None:
    table = make([DS, HR])
    table.append(A)
    old = table.table
    manifest_list = Path(str(old.metadata.snapshots[-1].manifest_list).removeprefix("file://"))
    table.append(B)
    manifest_list.unlink()
    locations = iter([old.metadata_location])
    reader = IcebergBaseTable(table.name, lambda: next(locations, table.table.metadata_location), Files())
    assert sorted(reader.list_partitions().values) == [A, B]


def test_the_watermark_is_what_the_writer_last_said(make: Make) -> None:
    table = make([DS, HR])
    table.append(A)
    assert table.snapshot().watermark_ms is None
    table.append(A, properties={"kafka.connect.valid-through-ts": "2026-08-21T07:00Z"})
    table.compact(A)
    assert table.snapshot().watermark_ms == 1_787_295_600_000


def test_removing_or_compacting_files_does_not_move_when_data_was_added(make: Make) -> None:
    table = make([DS, HR])
    table.append(A)
    table.append(A)
    added = table.list().statistics
    table.append(B)
    table.drop(B)
    table.compact(A)
    compacted = table.list().statistics
    assert added is not None
    assert compacted is not None
    written = table.snapshot().committed_at_ms
    assert written is not None
    assert added[0].modified_at_ms is not None
    assert compacted[0].modified_at_ms is not None
    # The rows of a compacted file are of its parent's time at the latest: nothing says more.
    assert added[0].modified_at_ms <= compacted[0].modified_at_ms < written


class TestDeleteFiles:
    """Written as engines write them: data files stay, and other files say which of their rows are gone."""

    def test_position_deletes_are_subtracted(self, make: Make) -> None:
        table = make([DS, HR])
        table.append(A, B, rows=5)
        before = table.list()
        table.delete_rows(A, DataFileContent.POSITION_DELETES, 2)
        after = table.list()
        assert sizes(after) == {A: (1, 3), B: (1, 5)}
        assert before.snapshot is not None
        changes = table.open().changes(before.snapshot, table.snapshot())
        assert grown(before, changes) == sizes(after)
        assert changes.partitions[A].modified_at_ms is None, "nothing was added"

    def test_position_deletes_of_a_file_that_is_gone_do_not_count(self, make: Make) -> None:
        table = make([DS, HR])
        table.append(A, rows=5)
        [file] = table.table.inspect.files()["file_path"].to_pylist()
        table.delete_rows(A, DataFileContent.POSITION_DELETES, 2, of_file=file)
        assert sizes(table.list()) == {A: (1, 3)}
        with table.table.transaction() as transaction, transaction.update_snapshot().overwrite() as update:
            for task in table.table.scan().plan_files():
                update.delete_data_file(task.file)
        table.append(A, rows=4)
        assert sizes(table.list()) == {A: (1, 4)}

    def test_position_deletes_from_before_all_data_of_a_partition_do_not_count(self, make: Make) -> None:
        table = make([DS, HR])
        table.append(B, rows=5)
        table.delete_rows(A, DataFileContent.POSITION_DELETES, 2)
        table.append(A, rows=4)
        assert sizes(table.list()) == {A: (1, 4), B: (1, 5)}

    def test_equality_deletes_make_the_number_of_records_unknown(self, make: Make) -> None:
        table = make([DS, HR])
        table.append(A, B, rows=5)
        before = table.snapshot()
        table.delete_rows(A, DataFileContent.EQUALITY_DELETES, 1)
        assert sizes(table.list()) == {A: (1, None), B: (1, 5)}
        change = table.open().changes(before, table.snapshot()).partitions[A]
        assert (change.files, change.records, change.rewrites_only) == (0, None, False)

    def test_equality_deletes_leave_what_came_later(self, make: Make) -> None:
        table = make([DS, HR])
        table.append(B)
        table.delete_rows(A, DataFileContent.EQUALITY_DELETES, 1)
        table.append(A, rows=5)
        assert sizes(table.list()) == {A: (1, 5), B: (1, 1)}


_ACTIONS = st.tuples(
    st.sampled_from(["append", "overwrite", "drop", "compact", "look", "expire"]),
    st.sampled_from([("1", "1"), ("1", None), ("2", "1")]),
    st.integers(1, 3),
)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(_ACTIONS, min_size=4, max_size=10))
def test_what_was_listed_before_and_the_changes_since_are_what_is_there_now(
    make: Make, actions: list[tuple[str, PartitionValues, int]]
) -> None:
    """A random history against a plain model of it."""
    table = make([DS, HR])
    table.append(("0", "0"))
    model = {("0", "0"): (1, 1)}
    looked, has_expired, touched = table.list(), False, set[PartitionValues]()
    for action, values, rows in actions:
        files, records = model.get(values, (0, 0))
        if action == "append":
            table.append(values, rows=rows)
            model[values] = (files + 1, records + rows)
            touched.add(values)
        elif action == "overwrite" and files:
            table.overwrite(values, rows=rows)
            model[values] = (1, rows)
            touched.add(values)
        elif action == "drop" and files:
            table.drop(values)
            del model[values]
            touched.add(values)
        elif action == "compact" and files:
            table.compact(values)
            model[values] = (1, records)
        elif action == "expire":
            has_expired |= str(table.snapshot().id) != looked.snapshot.id
            table.expire()
        elif action == "look":
            looked, has_expired, touched = table.list(), False, set()
    now = table.list()
    assert sizes(now) == model
    assert looked.snapshot is not None
    assert now.snapshot is not None
    changes = table.open().changes(looked.snapshot, now.snapshot)
    if has_expired:
        # Known still where the snapshot after the one looked at was the newest of its time.
        assert changes.unknown or grown(looked, changes) == model
    else:
        assert grown(looked, changes) == model
        assert {values for values, one in changes.partitions.items() if not one.rewrites_only} == touched
