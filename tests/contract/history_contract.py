"""What every reader of a table format with a history does: Delta, Iceberg, Paimon.

A writer that cannot do one of the verbs lets it raise NotImplementedError, and its test class sets the tests that need
it to None, with a comment that says why.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from hive_views.base_tables.port import (
    Changes,
    PartitionChange,
    PartitionListing,
    PartitionValues,
    Snapshot,
    TableState,
)
from hive_views.hive.row import Column
from hive_views.publishing.judging import find_candidates
from hive_views.publishing.listings.base_table_states import observe, read_details
from hive_views.publishing.scope import EVERYTHING
from hive_views.readiness.observations import DetailRequest
from hive_views.readiness.rules import column, quiet_for
from hive_views.storage.files import Files
from tests.contract.base_table_contract import BaseTableContract
from tests.support.tables.writable import DS, HR, A, B, C, HistoryMaker, Sizes, WritableTableWithHistory, grown, sizes


class FilesThatChange(Files):
    """Storage on which something happens right after it was asked for the so-maniest time.

    It happens in the thread that asks, one after the other: a writer's catalog in memory may belong to one thread.
    """

    def __init__(self, after: int | None = None, happens: Callable[[], object] = lambda: None) -> None:
        super().__init__()
        self.asked = 0
        self._after = after
        self._happens = happens

    def read(self, location: str) -> bytes:
        return self._then(super().read(location))

    def read_all(self, locations: Iterable[str]) -> Iterator[bytes]:
        return map(self.read, locations)

    def all_modified_at_ms(self, locations: Iterable[str], *, missing_ok: bool = False) -> Iterator[int | None]:
        return map(partial(self.modified_at_ms, missing_ok=missing_ok), locations)

    def list(self, directory: str) -> list[str]:
        return self._then(super().list(directory))

    def exists(self, location: str) -> bool:
        return self._then(super().exists(location))

    def modified_at_ms(self, location: str, *, missing_ok: bool = False) -> int | None:
        return self._then(super().modified_at_ms(location, missing_ok=missing_ok))

    def _then(self, answer: Any) -> Any:
        self.asked += 1
        if self.asked == self._after:
            self._happens()
        return answer


class DistantFiles(Files):
    """Storage that takes its time. ``waits`` counts the reads that began while no other one was under way."""

    def __init__(self) -> None:
        super().__init__()
        self.reads = self.waits = self._under_way = 0
        self._lock = threading.Lock()

    def read(self, location: str) -> bytes:
        with self._far_away():
            return super().read(location)

    def modified_at_ms(self, location: str, *, missing_ok: bool = False) -> int | None:
        with self._far_away():
            return super().modified_at_ms(location, missing_ok=missing_ok)

    @contextmanager
    def _far_away(self) -> Iterator[None]:
        with self._lock:
            self.reads += 1
            self.waits += not self._under_way
            self._under_way += 1
        time.sleep(0.02)
        try:
            yield
        finally:
            with self._lock:
                self._under_way -= 1


class HistoryContract(BaseTableContract):
    """Inherit it, and give a fixture ``maker``.

    ``merges_files``: files of one partition may hold the same rows, so that only one file reports how many these are.
    """

    merges_files = False

    def records(self, of_all_files: int) -> int | None:
        """How many rows are reported of several files, or of a commit."""
        return None if self.merges_files else of_all_files

    def check_growth(self, before: PartitionListing, changes: Changes, after: PartitionListing) -> None:
        expected = sizes(after)
        for values in changes.partitions if self.merges_files else ():
            if values in expected:
                expected[values] = (expected[values][0], None)
        assert grown(before, changes) == expected

    @pytest.fixture
    def maker(self) -> HistoryMaker:
        raise NotImplementedError

    @pytest.fixture
    def table(self, maker: HistoryMaker) -> WritableTableWithHistory:
        return maker.make([DS, HR])

    def test_a_listing_reports_the_newest_snapshot_with_its_table_and_time(
        self, table: WritableTableWithHistory
    ) -> None:
        started = time.time_ns() // 1_000_000
        table.append(A)
        first = table.snapshot()
        table.append(B)
        second = table.snapshot()
        assert first.id != second.id
        assert first.table_id == second.table_id != ""
        assert first.committed_at_ms is not None
        assert second.committed_at_ms is not None
        assert started <= first.committed_at_ms <= second.committed_at_ms <= time.time_ns() // 1_000_000
        assert table.snapshot().is_same_as(second), "nothing was committed"

    def test_the_stamp_is_another_once_something_was_committed_or_the_table_was_recreated(
        self, table: WritableTableWithHistory
    ) -> None:
        reader, stamps = table.open(), list[str]()
        for happens in (lambda: table.append(A), lambda: table.overwrite(A), lambda: table.append(B), table.recreate):
            happens()
            stamps.append(reader.stamp())
            assert reader.stamp() == stamps[-1], "nothing was committed"
        assert len(set(stamps)) == len(stamps)

    def test_a_listing_reports_files_records_and_bytes_beside_the_values(self, table: WritableTableWithHistory) -> None:
        table.append(A, B, rows=3)
        table.append(A, rows=2)
        listing = table.list()
        assert sizes(listing) == {A: (2, self.records(5)), B: (1, 3)}
        assert listing.statistics is not None
        assert all(statistics.bytes and statistics.modified_at_ms for statistics in listing.statistics)

    def test_commits_that_land_during_a_listing_are_not_in_it(self, table: WritableTableWithHistory) -> None:
        states: dict[str, Sizes] = {}

        def lands(*commits: Callable[[], None]) -> None:
            for commit in commits:
                commit()
                listing = table.list()
                assert listing.snapshot is not None
                states[listing.snapshot.id] = sizes(listing)

        lands(lambda: table.append(A, B))
        files = FilesThatChange()
        table.open(files=files).list_partitions()
        assert files.asked
        for after in range(1, files.asked + 1):
            *_, before = states
            files = FilesThatChange(after, lambda: lands(lambda: table.append(A, C), lambda: table.drop(B)))
            listing = table.open(files=files).list_partitions()
            assert before != list(states)[-1]
            assert listing.snapshot is not None
            assert listing.snapshot.id == before, "pinned by what was read first"
            assert sizes(listing) == states[before]
            lands(lambda: table.append(B))

    def test_commits_are_read_several_at_once(self, table: WritableTableWithHistory) -> None:
        table.append(A)
        since = table.snapshot()
        for _ in range(12):
            table.append(A)
        until = table.snapshot()
        files = DistantFiles()
        changes = table.open(files=files).changes(since, until)
        assert len(changes.partitions[A].commits) == 12
        assert files.reads >= 12
        assert files.waits < files.reads / 3

    def test_the_current_state_is_that_of_a_listing(self, table: WritableTableWithHistory) -> None:
        """Without looking at partitions, it reports what changed since is asked up to."""
        for _ in range(2):
            table.append(A)
            listing = table.list()
            assert table.open().current_state() == TableState(listing.snapshot, listing.keys)
            assert listing.keys == (DS, HR)

    def test_the_current_state_of_a_new_table_has_its_columns(self, maker: HistoryMaker) -> None:
        table = maker.make([DS, HR])
        assert table.open().current_state() == TableState(table.list().snapshot, (DS, HR))

    def test_states_are_found_by_ids_alone(self, table: WritableTableWithHistory) -> None:
        """Those that were stored and read back may have nothing else."""
        table.append(A)
        since = table.snapshot()
        table.append(B)
        until = table.snapshot()
        reported = table.open().changes(since.without_times(), until.without_times())
        assert reported == table.open().changes(since, until)
        assert set(reported.partitions) == {B}

    @pytest.mark.parametrize(
        ("type_", "value"),
        [
            ("string", "a/b=c%2F 日本"),
            ("int", "-7"),
            ("bigint", "9007199254740993"),
            ("boolean", "true"),
            ("decimal(10,2)", "1.5"),
            ("date", "2026-08-21"),
            ("timestamp", "2026-08-21 10:00:00.0"),
            ("timestamp", "2026-08-21 10:00:00.125"),
        ],
    )
    def test_values_are_spelled_as_hive_spells_them(self, maker: HistoryMaker, type_: str, value: str) -> None:
        table = maker.make([DS, Column("k", type_)])
        table.append(("x", None))
        before = table.list()
        table.append(("x", value))
        reader = table.open()
        after = reader.list_partitions()
        assert after.keys[1].type == type_
        assert set(after.values) == {("x", None), ("x", value)}
        assert before.snapshot is not None
        assert after.snapshot is not None
        assert set(reader.changes(before.snapshot, after.snapshot).partitions) == {("x", value)}

    def test_no_commit_is_no_change(self, table: WritableTableWithHistory) -> None:
        table.append(A)
        assert table.open().changes(table.snapshot(), table.snapshot()) == Changes()

    def test_changes_name_the_partitions_and_the_commits_that_touched_them(
        self, table: WritableTableWithHistory
    ) -> None:
        table.append(A, B, C)
        since = table.snapshot()
        table.append(A, B, rows=2)
        first = table.snapshot()
        table.append(B)
        second = table.snapshot()
        table.append(C)
        changes = table.open().changes(since, second)
        assert changes.unknown is None
        reported = {values: (one.commits, one.files, one.records) for values, one in changes.partitions.items()}
        assert reported == {
            A: ((first.id,), 1, self.records(2)),
            B: ((first.id, second.id), 2, self.records(3)),
        }, "the last append is after `until`"
        assert not any(one.rewrites_only for one in changes.partitions.values())
        assert all(one.bytes and one.modified_at_ms for one in changes.partitions.values())

    def test_an_old_listing_and_the_changes_since_give_the_new_listing(self, table: WritableTableWithHistory) -> None:
        table.append(A, B, rows=2)
        table.append(A)
        before = table.list()
        table.append(B, C, rows=4)
        table.overwrite(A, rows=3)
        table.drop(B)
        table.append(B)
        table.drop(C)
        after = table.list()
        assert sizes(after) == {A: (1, 3), B: (1, 1)}
        self.check_growth(before, _changes(table, before, after), after)

    def test_a_table_without_partition_columns_changes_as_one_partition(self, maker: HistoryMaker) -> None:
        table = maker.make([])
        table.append((), rows=2)
        before = table.list()
        table.append((), rows=3)
        after = table.list()
        assert sizes(after) == {(): (2, self.records(5))}
        self.check_growth(before, _changes(table, before, after), after)

    def test_a_deleted_partition_is_a_change_and_not_listed_any_more(self, table: WritableTableWithHistory) -> None:
        table.append(A, B)
        before = table.list()
        table.drop(A)
        after = table.list()
        change = _only(_changes(table, before, after), A)
        assert (change.commits[-1], change.rewrites_only) == (table.snapshot().id, False)
        assert (change.files, change.records) == (-1, self.records(-1))
        assert list(after.values) == [B]

    def test_a_compaction_is_only_a_rewrite(self, table: WritableTableWithHistory) -> None:
        table.append(A, B, rows=2)
        table.append(A)
        before = table.list()
        table.compact(A)
        after = table.list()
        change = _only(_changes(table, before, after), A)
        assert change.rewrites_only
        assert change.modified_at_ms is None, "no data were added"
        assert (change.files, change.records) == (-1, 0)
        self.check_growth(before, _changes(table, before, after), after)
        assert sizes(after) == {A: (1, 3), B: (1, 2)}

    def test_a_compaction_beside_an_append_is_not_only_a_rewrite(self, table: WritableTableWithHistory) -> None:
        table.append(A)
        table.append(A)
        before = table.list()
        table.append(A)
        table.compact(A)
        assert not _only(_changes(table, before, table.list()), A).rewrites_only

    def test_a_compaction_does_not_make_a_partition_wait_that_was_quiet(self, table: WritableTableWithHistory) -> None:
        table.append(B)
        table.append(A)
        table.append(A)
        loaded = _a_second_after(table.snapshot())
        table.compact(A)
        table.append(C)
        assert _waiting(table, loaded) == {C}, "since then only C got data"
        moved = _a_second_after(table.snapshot())
        table.drop(B)
        table.compact(A)
        assert _waiting(table, moved) == set()

    def test_data_make_a_partition_wait_whatever_is_compacted_then(self, table: WritableTableWithHistory) -> None:
        table.append(A, B)
        loaded = _a_second_after(table.snapshot())
        table.append(A)
        table.compact(A)
        assert _waiting(table, loaded) == {A}

    def test_young_files_make_a_partition_wait_where_history_says_no_more(
        self, table: WritableTableWithHistory
    ) -> None:
        table.append(A, B)
        loaded = _a_second_after(table.snapshot())
        table.append(A)
        table.compact(A)
        table.expire()
        assert A in _waiting(table, loaded)

    def test_overwriting_a_partition_with_equal_rows_is_a_change(self, table: WritableTableWithHistory) -> None:
        table.append(A, B, rows=2)
        before = table.list()
        table.overwrite(A, rows=2)
        change = _only(_changes(table, before, table.list()), A)
        assert not change.rewrites_only
        assert (change.files, change.records) == (0, self.records(0))

    def test_what_changed_since_an_expired_state_is_unknown(self, table: WritableTableWithHistory) -> None:
        table.append(A)
        before = table.list()
        table.append(B)
        table.append(C)
        table.expire()
        after = table.list()
        assert sizes(after) == {A: (1, 1), B: (1, 1), C: (1, 1)}
        changes = _changes(table, before, after)
        assert changes.unknown
        assert not changes.partitions
        table.append(A)
        assert set(_changes(table, after, table.list()).partitions) == {A}, "history goes on from there"

    def test_what_changed_since_before_the_table_was_recreated_is_unknown(
        self, table: WritableTableWithHistory
    ) -> None:
        table.append(A)
        before = table.list()
        table.recreate()
        table.append(A)
        table.append(B)
        after = table.list()
        assert before.snapshot is not None
        assert after.snapshot is not None
        assert not before.snapshot.is_same_as(after.snapshot)
        assert before.snapshot.table_id != after.snapshot.table_id
        assert _changes(table, before, after).unknown

    def test_what_changed_since_a_later_state_is_unknown(self, table: WritableTableWithHistory) -> None:
        table.append(A)
        earlier = table.list()
        table.append(A)
        assert _changes(table, table.list(), earlier).unknown

    def test_commits_come_newest_first_with_operation_and_properties(self, table: WritableTableWithHistory) -> None:
        table.append(A, properties={"job": "load-7"})
        first = table.snapshot()
        table.append(B)
        second = table.snapshot()
        table.append(C)
        commits = list(table.open().commits(second))
        assert [one.snapshot.id for one in commits[:2]] == [second.id, first.id]
        assert [one.snapshot.committed_at_ms for one in commits[:2]] == [second.committed_at_ms, first.committed_at_ms]
        assert all(one.operation for one in commits[:2])
        assert all(one.snapshot.table_id == second.table_id for one in commits)
        assert commits[1].properties["job"] == "load-7"
        assert "job" not in commits[0].properties

    def test_commits_are_reported_as_far_back_as_the_table_still_can(self, table: WritableTableWithHistory) -> None:
        table.append(A)
        first = table.snapshot()
        table.append(B)
        table.expire()
        reported = [one.snapshot.id for one in table.open().commits(table.snapshot())]
        assert first.id not in reported

    def test_the_first_commit_is_reported_as_such_and_none_once_it_is_forgotten(
        self, table: WritableTableWithHistory
    ) -> None:
        table.append(A)
        table.append(B)
        reported = [*table.open().commits(table.snapshot())]
        assert [one.is_first for one in reported] == [False] * (len(reported) - 1) + [True]
        table.expire()
        assert not any(one.is_first for one in table.open().commits(table.snapshot()))


def _changes(table: WritableTableWithHistory, since: PartitionListing, until: PartitionListing) -> Changes:
    assert since.snapshot is not None
    assert until.snapshot is not None
    return table.open().changes(since.snapshot, until.snapshot)


def _only(changes: Changes, values: PartitionValues) -> PartitionChange:
    assert changes.unknown is None
    assert set(changes.partitions) == {values}
    return changes.partitions[values]


def _a_second_after(snapshot: Snapshot) -> Snapshot:
    """The snapshot, once the clock shows more than its time."""
    assert snapshot.committed_at_ms is not None
    deadline = time.monotonic() + 10
    while time.time_ns() // 1_000_000 <= snapshot.committed_at_ms:
        assert time.monotonic() < deadline, "the snapshot is of the future"
        time.sleep(0.001)
    return snapshot


def _waiting(table: WritableTableWithHistory, since: Snapshot) -> set[PartitionValues]:
    """The partitions that are not quiet for as long as the snapshot is old."""
    reader = table.open()
    listings = {"web.clicks": reader.list_partitions()}
    now_ms = time.time_ns() // 1_000_000
    assert since.committed_at_ms is not None
    seconds = (now_ms - since.committed_at_ms) / 1000
    rule = quiet_for("web.clicks", ds=column("ds"), hr=column("hr"), seconds=seconds)
    observed = observe(rule, listings, (DS, HR), now_ms)
    candidates = list(find_candidates(rule, observed, EVERYTHING).values())
    request = DetailRequest()
    rule.request_details(candidates, observed, request)
    details = read_details({"web.clicks": reader}, listings, request)
    return set(rule.waiting(candidates, replace(observed, details=details)))
