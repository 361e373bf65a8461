"""What every metastore does when rows change."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from hive_views.errors import (
    AlreadyExistsError,
    CommitFailedError,
    InvalidInputError,
    NoSuchTableError,
)
from hive_views.hive.row import POINTER, Column
from hive_views.metastore.port import Metastore
from hive_views.spec.identifiers import TableIdentifier
from tests.support.views.metastore_setup import (
    DS,
    HR,
    MetastoreSetup,
    contents,
    in_threads,
    location,
    pointing_to,
    view_row,
)


class ChangesInAMetastore(MetastoreSetup):
    # -- swaps -------------------------------------------------------------------------------------------------------

    def test_a_swap_with_the_right_expected_value_replaces_the_row(
        self, metastore: Metastore, view: TableIdentifier
    ) -> None:
        before = metastore.load_row(view)
        after = replace(
            pointing_to(before, location(1), previous_metadata_location=location(0)),
            columns=(Column("clicks", "decimal(20,2)", "money"),),
            partition_keys=(DS,),
            original_text="SELECT 2",
            expanded_text="SELECT 2 AS `clicks`",
        )
        metastore.swap_row(after, expected=location(0))
        assert contents(metastore.load_row(view)) == contents(after)

    def test_a_swap_with_a_wrong_expected_value_changes_nothing(
        self, metastore: Metastore, view: TableIdentifier
    ) -> None:
        before = metastore.load_row(view)
        stale = replace(pointing_to(before, location(2)), original_text="SELECT 'lost'")
        if not self.enforces_swap:
            metastore.swap_row(stale, expected=location(1))
            assert contents(metastore.load_row(view)) == contents(stale)
            return
        with pytest.raises(CommitFailedError):
            metastore.swap_row(stale, expected=location(1))
        assert metastore.load_row(view) == before

    def test_a_swap_of_a_row_that_lost_its_pointer_is_refused(
        self, metastore: Metastore, view: TableIdentifier
    ) -> None:
        before = metastore.load_row(view)
        lost = replace(before, parameters={key: value for key, value in before.parameters.items() if key != POINTER})
        metastore.swap_row(lost, expected=None)
        if self.enforces_swap:
            with pytest.raises(CommitFailedError):
                metastore.swap_row(before, expected=location(0))
            assert POINTER not in metastore.load_row(view).parameters

    def test_a_swap_to_a_row_without_a_pointer_is_refused(self, metastore: Metastore, view: TableIdentifier) -> None:
        before = metastore.load_row(view)
        if self.enforces_swap:
            with pytest.raises(InvalidInputError):
                metastore.swap_row(replace(before, parameters={"comment": "no pointer"}), expected=location(0))
            assert metastore.load_row(view) == before

    def test_a_swap_may_leave_the_pointer_as_it_is(self, metastore: Metastore, view: TableIdentifier) -> None:
        before = metastore.load_row(view)
        metastore.swap_row(pointing_to(before, location(0), note="new"), expected=location(0))
        assert metastore.load_row(view).parameters["note"] == "new"

    def test_a_swap_without_an_expected_value_always_replaces(
        self, metastore: Metastore, view: TableIdentifier
    ) -> None:
        metastore.swap_row(pointing_to(metastore.load_row(view), location(7)), expected=None)
        assert metastore.load_row(view).parameters[POINTER] == location(7)

    def test_a_swap_removes_the_parameters_it_does_not_carry_and_keeps_those_it_does(
        self, metastore: Metastore, view: TableIdentifier
    ) -> None:
        before = metastore.load_row(view)
        carried = {key: value for key, value in before.parameters.items() if key != "comment"}
        metastore.swap_row(replace(before, parameters={**carried, POINTER: location(1)}), expected=location(0))
        found = metastore.load_row(view).parameters
        assert "comment" not in found
        assert found["foreign"] == "kept"

    def test_a_swap_keeps_owner_and_time_of_creation(self, metastore: Metastore, view: TableIdentifier) -> None:
        before = metastore.load_row(view)
        metastore.swap_row(pointing_to(before, location(1)), expected=location(0))
        after = metastore.load_row(view)
        assert (after.owner, after.create_time_s) == ("ada", before.create_time_s)

    def test_a_swap_gives_and_takes_partition_columns(self, metastore: Metastore, view: TableIdentifier) -> None:
        row = metastore.load_row(view)
        metastore.swap_row(pointing_to(replace(row, partition_keys=(DS, HR)), location(1)), expected=location(0))
        assert metastore.load_row(view).partition_keys == (DS, HR)
        metastore.swap_row(pointing_to(replace(row, partition_keys=()), location(2)), expected=location(1))
        assert metastore.load_row(view).partition_keys == ()

    def test_a_pointer_of_3900_characters_is_swapped(self, metastore: Metastore, view: TableIdentifier) -> None:
        long = f"s3://lake/{'x' * 3_890}"
        metastore.swap_row(pointing_to(metastore.load_row(view), long), expected=location(0))
        metastore.swap_row(pointing_to(metastore.load_row(view), location(2)), expected=long)
        assert metastore.load_row(view).parameters[POINTER] == location(2)

    def test_no_update_is_lost_among_eight_concurrent_writers(
        self, metastore: Metastore, view: TableIdentifier
    ) -> None:
        metastore.swap_row(pointing_to(metastore.load_row(view), "0"), expected=location(0))

        def increment_ten_times() -> None:
            done = 0
            while done < 10:
                lock = None if self.enforces_swap else metastore.lock(view)
                try:
                    row = metastore.load_row(view)
                    count = row.parameters[POINTER]
                    metastore.swap_row(pointing_to(row, str(int(count) + 1)), expected=count)
                    done += 1
                except CommitFailedError:
                    continue
                finally:
                    if lock:
                        lock.release()

        in_threads([increment_ten_times] * 8)
        assert metastore.load_row(view).parameters[POINTER] == "80"

    def test_whether_swaps_are_enforced_is_reported_without_writing(
        self, metastore: Metastore, view: TableIdentifier
    ) -> None:
        before, namespaces = metastore.load_row(view), metastore.list_namespaces()
        assert metastore.enforces_swap(view) is self.enforces_swap
        assert metastore.load_row(view) == before
        assert metastore.list_namespaces() == namespaces
        assert metastore.list_view_names(view.namespace) == [view.name]

    # -- renames and drops -------------------------------------------------------------------------------------------

    def test_a_rename_moves_the_row_with_its_new_content(self, metastore: Metastore, view: TableIdentifier) -> None:
        before = metastore.load_row(view)
        new_name = TableIdentifier(view.namespace, "renamed")
        after = replace(before, identifier=new_name, original_text="SELECT 'renamed'")
        metastore.rename_row(view, after, expected=location(0))
        assert contents(metastore.load_row(new_name)) == contents(after)
        assert metastore.load_row(new_name).create_time_s == before.create_time_s
        assert metastore.list_view_names(view.namespace) == ["renamed"]

    def test_a_rename_into_another_namespace_keeps_the_partitions(
        self, metastore: Metastore, partitioned: TableIdentifier
    ) -> None:
        metastore.add_partitions(partitioned, [self.bare("a", "1"), self.bare("b", "2")], if_not_exists=False)
        other = f"{partitioned.namespace}_2"
        metastore.create_namespace(other)
        moved = replace(metastore.load_row(partitioned), identifier=TableIdentifier(other, "q"))
        metastore.rename_row(partitioned, moved, expected=location(0))
        assert metastore.partition_names(moved.identifier) == ["ds=a/hr=1", "ds=b/hr=2"]
        metastore.drop_partitions(moved.identifier, ["ds=a/hr=1"], if_exists=False)
        assert metastore.partition_names(moved.identifier) == ["ds=b/hr=2"]

    def test_a_rename_with_a_wrong_expected_value_changes_nothing(
        self, metastore: Metastore, view: TableIdentifier
    ) -> None:
        before = metastore.load_row(view)
        if self.enforces_swap:
            with pytest.raises(CommitFailedError):
                metastore.rename_row(
                    view, replace(before, identifier=TableIdentifier(view.namespace, "w")), expected=location(9)
                )
            assert metastore.load_row(view) == before
            assert metastore.list_view_names(view.namespace) == [view.name]

    def test_a_rename_onto_a_taken_name_changes_nothing(self, metastore: Metastore, view: TableIdentifier) -> None:
        other = view_row(view.namespace, "other")
        metastore.create_row(other)
        before = metastore.load_row(view)
        with pytest.raises(AlreadyExistsError):
            metastore.rename_row(view, replace(before, identifier=other.identifier), expected=location(0))
        assert metastore.load_row(view) == before
        assert contents(metastore.load_row(other.identifier)) == other

    def test_a_dropped_row_is_gone_with_its_partitions(
        self, metastore: Metastore, partitioned: TableIdentifier
    ) -> None:
        row = metastore.load_row(partitioned)
        metastore.add_partitions(partitioned, [self.bare("a", "1")], if_not_exists=False)
        metastore.drop_row(partitioned)
        with pytest.raises(NoSuchTableError):
            metastore.load_row(partitioned)
        metastore.create_row(row)
        assert metastore.partition_names(partitioned) == []

    # -- locks -------------------------------------------------------------------------------------------------------

    def test_a_lock_excludes_others_until_it_is_released(self, metastore: Metastore, view: TableIdentifier) -> None:
        first = metastore.lock(view, timeout_s=30)
        assert (first is not None) is self.grants_locks
        if first is None:
            return
        first.ensure_held()
        with pytest.raises(CommitFailedError) as refusal:
            metastore.lock(view, timeout_s=0.3)
        assert f"lock {first.lock_id}" in refusal.value.holder
        first.release()
        second = metastore.lock(view, timeout_s=30)
        assert second is not None
        second.ensure_held()
        second.release()

    def test_a_lock_goes_to_who_waits_for_it(self, metastore: Metastore, view: TableIdentifier) -> None:
        first = metastore.lock(view, timeout_s=30)
        if first is None:
            assert not self.grants_locks
            return
        with ThreadPoolExecutor(1) as pool:
            waiting = threading.Event()

            def wait_for_it() -> Any:
                waiting.set()
                return metastore.lock(view, timeout_s=60)

            second = pool.submit(wait_for_it)
            assert waiting.wait(30)
            first.ensure_held()
            first.release()
            granted = second.result(60)
        assert granted is not None
        assert granted.lock_id != first.lock_id
        granted.release()

    def test_locks_of_two_tables_do_not_exclude_each_other(
        self, metastore: Metastore, view: TableIdentifier, partitioned: TableIdentifier
    ) -> None:
        locks = [metastore.lock(view, timeout_s=30), metastore.lock(partitioned, timeout_s=30)]
        assert [lock is not None for lock in locks] == [self.grants_locks] * 2
        for lock in locks:
            if lock:
                lock.release()

    def test_a_lost_lock_is_reported_and_its_release_is_silent(
        self, metastore: Metastore, view: TableIdentifier
    ) -> None:
        lock = metastore.lock(view, timeout_s=30)
        if lock is None:
            assert not self.grants_locks
            return
        lock.release()
        with pytest.raises(CommitFailedError):
            lock.ensure_held()
        lock.release()
