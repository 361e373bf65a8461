"""What every implementation of the metastore port does, set up through the port alone.

What lives here: MetastoreContract, inherited by a test class for each implementation and each kind of server. What must
not: anything that only one of them does.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from hive_views.errors import (
    AlreadyExistsError,
    CommitFailedError,
    HiveViewsError,
    InvalidInputError,
    InvalidPartitionError,
    NoSuchNamespaceError,
    NoSuchPartitionError,
    NoSuchTableError,
    PartitionAlreadyExistsError,
    UnsupportedFeatureError,
)
from hive_views.hive.row import VIRTUAL_VIEW, Column, Partition, Row
from hive_views.metastore.port import POINTER, Metastore
from hive_views.spec.identifiers import TableIdentifier

DS, HR = Column("ds", "string", "day"), Column("hr", "int")
COLUMNS = (Column("user_id", "bigint", "who clicked"), Column("clicks", "bigint"))


def location(number: int) -> str:
    return f"s3://lake/views/v/metadata/{number:05d}-{uuid.UUID(int=number)}.metadata.json"


def view_row(namespace: str, name: str = "v", **changes: Any) -> Row:
    parameters = {POINTER: location(0), "table_type": "ICEBERG-VIEW", "comment": "clicks by user", "foreign": "kept"}
    row = Row(
        identifier=TableIdentifier(namespace, name),
        table_type=VIRTUAL_VIEW,
        owner="ada",
        columns=COLUMNS,
        input_format="org.apache.hadoop.mapred.TextInputFormat",
        output_format="org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat",
        original_text="SELECT user_id, clicks FROM t",
        expanded_text="SELECT `t`.`user_id` AS `user_id`, `t`.`clicks` AS `clicks` FROM `web`.`t`",
        parameters=parameters,
    )
    return replace(row, **changes)


def pointing_to(row: Row, pointer: str, **parameters: str) -> Row:
    return replace(row, parameters={**row.parameters, POINTER: pointer, **parameters})


def partition(*values: str, **parameters: str) -> Partition:
    return Partition(values=values, parameters=parameters)


def without_server_fields(parameters: dict[str, str]) -> dict[str, str]:
    return {key: value for key, value in parameters.items() if key != "transient_lastDdlTime"}


def contents(row: Row) -> Row:
    """The row without what a server adds on its own."""
    return replace(row, parameters=without_server_fields(dict(row.parameters)), create_time_s=0, native=None)


def values(partitions: Iterable[Partition]) -> list[tuple[str, ...]]:
    return sorted(found.values for found in partitions)


def in_threads(work: Sequence[Callable[[], Any]]) -> list[Any]:
    with ThreadPoolExecutor(len(work)) as pool:
        return [future.result() for future in [pool.submit(one) for one in work]]


def _rename(metastore: Metastore, row: Row) -> None:
    other = TableIdentifier(row.identifier.namespace, "other")
    metastore.rename_row(row.identifier, replace(row, identifier=other), expected=location(0))


_NEEDING_A_ROW: dict[str, Callable[[Metastore, Row, Partition], Any]] = {
    "load_row": lambda server, row, _: server.load_row(row.identifier),
    "swap_row": lambda server, row, _: server.swap_row(row, expected=location(0)),
    "swap_row unchecked": lambda server, row, _: server.swap_row(row, expected=None),
    "rename_row": lambda server, row, _: _rename(server, row),
    "drop_row": lambda server, row, _: server.drop_row(row.identifier),
    "enforces_swap": lambda server, row, _: server.enforces_swap(row.identifier),
    "add_partitions": lambda server, row, new: server.add_partitions(row.identifier, [new], if_not_exists=True),
    "alter_partitions": lambda server, row, new: server.alter_partitions(row.identifier, [new]),
    "drop_partitions": lambda server, row, _: server.drop_partitions(row.identifier, ["ds=a/hr=1"], if_exists=False),
    "load_partitions": lambda server, row, _: server.load_partitions(row.identifier, ["ds=a/hr=1"]),
}


class MetastoreContract:
    """Inherit it, give a fixture ``metastore``, and say in the attributes how this server differs from Hive 2.3.10."""

    enforces_swap = True
    """Refuses a swap with a wrong expected value (HIVE-26882)."""
    grants_locks = True
    changes_columns_in_one_call = True
    """Changes the columns of a view with bare partitions by one call (Hive 2.3; not 3 and 4)."""
    takes_bare_partitions = True
    """Takes partitions without a storage descriptor: no DbNotificationListener."""
    tells_missing_table_when_listing = True
    """Hive 4 lists no partitions for a table that does not exist."""
    holds_any_text = True
    """Not so the official schema for MySQL and MariaDB, which is latin1."""

    @pytest.fixture
    def metastore(self) -> Metastore:
        raise NotImplementedError("a fixture of the class that inherits this")

    @pytest.fixture
    def namespace(self, metastore: Metastore) -> str:
        name = f"contract_{uuid.uuid4().hex[:12]}"
        metastore.create_namespace(name)
        return name

    @pytest.fixture
    def view(self, metastore: Metastore, namespace: str) -> TableIdentifier:
        """A view without partition columns."""
        row = view_row(namespace)
        metastore.create_row(row)
        return row.identifier

    @pytest.fixture
    def partitioned(self, metastore: Metastore, namespace: str) -> TableIdentifier:
        """A view partitioned on ds and hr."""
        row = view_row(namespace, "p", partition_keys=(DS, HR))
        metastore.create_row(row)
        return row.identifier

    def bare(self, *values: str, **parameters: str) -> Partition:
        """A partition as this server takes it, without a descriptor where it can be."""
        return replace(partition(*values, **parameters), has_descriptor=not self.takes_bare_partitions)

    # -- namespaces --------------------------------------------------------------------------------------------------

    def test_a_created_namespace_is_listed_and_has_a_location(self, metastore: Metastore, namespace: str) -> None:
        assert namespace in metastore.list_namespaces()
        found = metastore.load_namespace(namespace)
        assert found.name == namespace
        assert found.location is not None
        assert found.location.endswith(f"/{namespace}.db")

    def test_the_location_given_for_a_namespace_is_kept(self, metastore: Metastore, namespace: str) -> None:
        place = f"{metastore.load_namespace(namespace).location}/within"
        metastore.create_namespace(f"{namespace}_2", location=place)
        assert metastore.load_namespace(f"{namespace}_2").location == place

    def test_a_namespace_is_the_same_in_upper_and_lower_case(self, metastore: Metastore, namespace: str) -> None:
        assert metastore.load_namespace(namespace.upper()).name == namespace
        assert metastore.list_view_names(namespace.upper()) == []
        assert metastore.load_rows(namespace.upper(), ["V"]) == []

    def test_a_namespace_cannot_be_created_twice(self, metastore: Metastore, namespace: str) -> None:
        with pytest.raises(AlreadyExistsError):
            metastore.create_namespace(namespace)

    def test_a_missing_namespace_is_told_wherever_it_is_needed(
        self, metastore: Metastore, view: TableIdentifier
    ) -> None:
        missing = f"missing_{uuid.uuid4().hex[:12]}"
        row = metastore.load_row(view)
        with pytest.raises(NoSuchNamespaceError):
            metastore.load_namespace(missing)
        with pytest.raises(NoSuchNamespaceError):
            metastore.create_row(view_row(missing))
        with pytest.raises(NoSuchNamespaceError):
            metastore.rename_row(view, replace(row, identifier=TableIdentifier(missing, "v")), expected=location(0))
        assert metastore.load_row(view) == row

    def test_a_view_of_a_missing_namespace_is_a_missing_view(self, metastore: Metastore) -> None:
        with pytest.raises(NoSuchTableError):
            metastore.load_row(TableIdentifier(f"missing_{uuid.uuid4().hex[:12]}", "v"))

    # -- rows --------------------------------------------------------------------------------------------------------

    def test_a_row_comes_back_as_it_was_created(self, metastore: Metastore, namespace: str) -> None:
        row = view_row(namespace, partition_keys=(DS, HR))
        metastore.create_row(row)
        assert contents(metastore.load_row(row.identifier)) == row

    def test_a_null_location_stays_null(self, metastore: Metastore, view: TableIdentifier) -> None:
        assert metastore.load_row(view).location is None

    def test_a_location_comes_back(self, metastore: Metastore, namespace: str) -> None:
        place = f"{metastore.load_namespace(namespace).location}/v"
        metastore.create_row(view_row(namespace, location=place))
        assert metastore.load_row(TableIdentifier(namespace, "v")).location == place

    def test_a_row_without_partition_columns_has_an_empty_tuple_of_them(
        self, metastore: Metastore, view: TableIdentifier
    ) -> None:
        assert metastore.load_row(view).partition_keys == ()

    def test_the_server_says_when_a_row_was_created(self, metastore: Metastore, view: TableIdentifier) -> None:
        assert abs(metastore.load_row(view).create_time_s - time.time()) < 600

    def test_a_name_cannot_be_taken_twice(self, metastore: Metastore, view: TableIdentifier) -> None:
        before = metastore.load_row(view)
        with pytest.raises(AlreadyExistsError):
            metastore.create_row(pointing_to(before, location(1)))
        assert metastore.load_row(view) == before

    @pytest.mark.parametrize("verb", [*_NEEDING_A_ROW])
    def test_a_missing_row_is_told(self, metastore: Metastore, namespace: str, verb: str) -> None:
        row = view_row(namespace, "missing", partition_keys=(DS, HR))
        with pytest.raises(NoSuchTableError):
            _NEEDING_A_ROW[verb](metastore, row, self.bare("a", "1"))
        assert metastore.list_view_names(namespace) == []

    def test_names_of_views_are_listed_in_order_and_tables_are_not(self, metastore: Metastore, namespace: str) -> None:
        for name in ("b", "c", "a"):
            metastore.create_row(view_row(namespace, name))
        place = f"{metastore.load_namespace(namespace).location}/t"
        table = view_row(namespace, "t", table_type="EXTERNAL_TABLE", location=place, original_text=None)
        metastore.create_row(replace(table, expanded_text=None, parameters={"EXTERNAL": "TRUE"}))
        assert metastore.list_view_names(namespace) == ["a", "b", "c"]
        assert not metastore.load_row(table.identifier).is_view

    def test_many_rows_are_loaded_at_once_and_missing_ones_left_out(self, metastore: Metastore, namespace: str) -> None:
        for name in ("a", "b"):
            metastore.create_row(view_row(namespace, name))
        found = metastore.load_rows(namespace, ["B", "missing", "a"])
        assert sorted(row.identifier.name for row in found) == ["a", "b"]
        assert {contents(row) == view_row(namespace, row.identifier.name) for row in found} == {True}
        assert metastore.load_rows(namespace, []) == []

    def test_a_text_of_200_kb_comes_back_whole(self, metastore: Metastore, namespace: str) -> None:
        text = "SELECT " + ", ".join(f"{n} AS column_{n}" for n in range(10_000)) + " FROM t"
        assert len(text) > 200_000
        row = view_row(namespace, original_text=text, expanded_text=text)
        metastore.create_row(row)
        assert contents(metastore.load_row(row.identifier)) == row
        longer = replace(row, original_text=f"{text} -- more", expanded_text=f"{text} LIMIT 9")
        metastore.swap_row(longer, expected=location(0))
        assert contents(metastore.load_row(row.identifier)) == longer

    def test_text_in_any_script_comes_back(self, metastore: Metastore, namespace: str) -> None:
        row = view_row(
            namespace,
            columns=(Column("user_id", "bigint", "Größe, 大きさ, \U0001f4cf"),),
            original_text="SELECT 'Ω' -- 日本",
            expanded_text="SELECT 'Ω' AS `user_id`",
        )
        metastore.create_row(row)
        assert (contents(metastore.load_row(row.identifier)) == row) is self.holds_any_text

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

    def test_whether_swaps_are_enforced_is_told_without_writing(
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
        assert f"lock {first.lock_id}" in refusal.value.fields["holder"]
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

    def test_a_lost_lock_is_told_and_its_release_is_silent(self, metastore: Metastore, view: TableIdentifier) -> None:
        lock = metastore.lock(view, timeout_s=30)
        if lock is None:
            assert not self.grants_locks
            return
        lock.release()
        with pytest.raises(CommitFailedError):
            lock.ensure_held()
        lock.release()

    # -- partitions --------------------------------------------------------------------------------------------------

    def test_partitions_come_back_with_values_parameters_and_time(
        self, metastore: Metastore, partitioned: TableIdentifier
    ) -> None:
        added = metastore.add_partitions(
            partitioned, [self.bare("2026-08-21", "7", publisher="nightly"), self.bare("b", "1")], if_not_exists=False
        )
        assert values(added) == [("2026-08-21", "7"), ("b", "1")]
        assert metastore.partition_names(partitioned) == ["ds=2026-08-21/hr=7", "ds=b/hr=1"]
        (found,) = metastore.load_partitions(partitioned, ["ds=2026-08-21/hr=7"])
        assert found.values == ("2026-08-21", "7")
        assert without_server_fields(dict(found.parameters)) == {"publisher": "nightly"}
        assert abs(found.create_time_s - time.time()) < 600
        assert found.has_descriptor is not self.takes_bare_partitions

    def test_values_with_any_characters_come_back_and_names_are_escaped(
        self, metastore: Metastore, partitioned: TableIdentifier
    ) -> None:
        awkward = {"a/b=c": "ds=a%2Fb%3Dc/hr=1", "50%:x": "ds=50%25%3Ax/hr=1", "a b'\"*?": "ds=a b%27%22%2A%3F/hr=1"}
        if self.holds_any_text:
            awkward["Köln 東京"] = "ds=Köln 東京/hr=1"
        metastore.add_partitions(partitioned, [self.bare(value, "1") for value in awkward], if_not_exists=False)
        assert sorted(metastore.partition_names(partitioned)) == sorted(awkward.values())
        for value, name in awkward.items():
            assert values(metastore.load_partitions(partitioned, [name])) == [(value, "1")]
            assert metastore.partition_names(partitioned, {"ds": value}) == [name]
        metastore.drop_partitions(partitioned, list(awkward.values()), if_exists=False)
        assert metastore.partition_names(partitioned) == []

    def test_names_are_filtered_by_the_values_of_any_columns(
        self, metastore: Metastore, partitioned: TableIdentifier
    ) -> None:
        given = [
            ("2026", "1"),
            ("2026", "10"),
            ("2026", "2"),
            ("20", "1"),
            ("2026-1", "1"),
            ("x.26", "1"),
            ("xx26", "1"),
        ]
        metastore.add_partitions(partitioned, [self.bare(*one) for one in given], if_not_exists=False)

        def names(**prefix: str) -> list[str]:
            return sorted(metastore.partition_names(partitioned, prefix))

        assert names(ds="2026") == ["ds=2026/hr=1", "ds=2026/hr=10", "ds=2026/hr=2"]
        assert names(ds="20") == ["ds=20/hr=1"]
        assert names(ds="x.26") == ["ds=x.26/hr=1"]
        assert names(hr="10") == ["ds=2026/hr=10"]
        assert names(ds="2026", hr="1") == ["ds=2026/hr=1"]
        assert names(ds="2027") == []
        assert len(names()) == len(given)

    def test_a_filter_by_an_unknown_column_is_refused(self, metastore: Metastore, partitioned: TableIdentifier) -> None:
        with pytest.raises(InvalidPartitionError):
            metastore.partition_names(partitioned, {"day": "a"})

    def test_listing_partitions_of_a_missing_view(self, metastore: Metastore, namespace: str) -> None:
        missing = TableIdentifier(namespace, "missing")
        if self.tells_missing_table_when_listing:
            with pytest.raises(NoSuchTableError):
                metastore.partition_names(missing)
        else:
            assert metastore.partition_names(missing) == []

    def test_missing_partitions_are_left_out_when_loading(
        self, metastore: Metastore, partitioned: TableIdentifier
    ) -> None:
        metastore.add_partitions(partitioned, [self.bare("a", "1"), self.bare("b", "1")], if_not_exists=False)
        found = metastore.load_partitions(partitioned, ["ds=b/hr=1", "ds=c/hr=1", "ds=a/hr=1"])
        assert values(found) == [("a", "1"), ("b", "1")]
        assert metastore.load_partitions(partitioned, []) == []

    def test_an_existing_partition_is_refused_and_nothing_added(
        self, metastore: Metastore, partitioned: TableIdentifier
    ) -> None:
        metastore.add_partitions(partitioned, [self.bare("a", "1", first="yes")], if_not_exists=False)
        with pytest.raises(PartitionAlreadyExistsError):
            metastore.add_partitions(partitioned, [self.bare("b", "1"), self.bare("a", "1")], if_not_exists=False)
        assert metastore.partition_names(partitioned) == ["ds=a/hr=1"]

    def test_if_not_exists_adds_the_missing_ones_and_returns_only_them(
        self, metastore: Metastore, partitioned: TableIdentifier
    ) -> None:
        metastore.add_partitions(partitioned, [self.bare("a", "1", first="yes")], if_not_exists=False)
        again = [self.bare("a", "1", first="no"), self.bare("b", "1")]
        assert values(metastore.add_partitions(partitioned, again, if_not_exists=True)) == [("b", "1")]
        (kept,) = metastore.load_partitions(partitioned, ["ds=a/hr=1"])
        assert kept.parameters["first"] == "yes"
        assert metastore.add_partitions(partitioned, again, if_not_exists=True) == []

    @pytest.mark.parametrize("if_not_exists", [False, True])
    def test_a_partition_given_twice_in_one_call_is_refused_and_nothing_added(
        self, metastore: Metastore, partitioned: TableIdentifier, if_not_exists: bool
    ) -> None:
        twice = [self.bare("a", "1"), self.bare("b", "1"), self.bare("a", "1")]
        with pytest.raises(InvalidPartitionError):
            metastore.add_partitions(partitioned, twice, if_not_exists=if_not_exists)
        assert metastore.partition_names(partitioned) == []

    @pytest.mark.parametrize("wrong", [("a",), ("a", "1", "x")])
    def test_a_wrong_number_of_values_is_refused_and_nothing_added(
        self, metastore: Metastore, partitioned: TableIdentifier, wrong: tuple[str, ...]
    ) -> None:
        with pytest.raises(InvalidPartitionError):
            metastore.add_partitions(partitioned, [self.bare("b", "1"), self.bare(*wrong)], if_not_exists=False)
        assert metastore.partition_names(partitioned) == []

    def test_no_partition_without_a_descriptor_is_added_while_the_row_has_a_location(
        self, metastore: Metastore, partitioned: TableIdentifier
    ) -> None:
        row = metastore.load_row(partitioned)
        place = f"{metastore.load_namespace(partitioned.namespace).location}/p"
        metastore.swap_row(pointing_to(replace(row, location=place), location(1)), expected=location(0))
        with pytest.raises(UnsupportedFeatureError):
            metastore.add_partitions(partitioned, [partition("a", "1")], if_not_exists=True)
        assert metastore.partition_names(partitioned) == []
        mended = replace(metastore.load_row(partitioned), location=None)
        metastore.swap_row(pointing_to(mended, location(2)), expected=location(1))
        metastore.add_partitions(partitioned, [self.bare("a", "1")], if_not_exists=True)
        assert metastore.partition_names(partitioned) == ["ds=a/hr=1"]

    def test_a_partition_with_an_empty_descriptor_is_told_from_one_without(
        self, metastore: Metastore, partitioned: TableIdentifier
    ) -> None:
        described = replace(partition("a", "1"), has_descriptor=True)
        metastore.add_partitions(partitioned, [described], if_not_exists=False)
        assert [found.has_descriptor for found in metastore.load_partitions(partitioned, ["ds=a/hr=1"])] == [True]
        if self.takes_bare_partitions:
            metastore.add_partitions(partitioned, [partition("b", "1")], if_not_exists=False)
            return
        with pytest.raises(UnsupportedFeatureError) as refusal:
            metastore.add_partitions(partitioned, [partition("b", "1")], if_not_exists=False)
        assert refusal.value.fields["listener"] is True
        assert metastore.partition_names(partitioned) == ["ds=a/hr=1"]

    def test_a_parameter_of_4000_characters_fits_a_partition(
        self, metastore: Metastore, partitioned: TableIdentifier
    ) -> None:
        metastore.add_partitions(partitioned, [self.bare("a", "1", pins="x" * 4_000)], if_not_exists=False)
        (found,) = metastore.load_partitions(partitioned, ["ds=a/hr=1"])
        assert found.parameters["pins"] == "x" * 4_000

    def test_altering_replaces_the_parameters_and_nothing_else(
        self, metastore: Metastore, partitioned: TableIdentifier
    ) -> None:
        metastore.add_partitions(
            partitioned, [self.bare("a", "1", old="1"), self.bare("b", "1", old="1")], if_not_exists=False
        )
        (found,) = metastore.load_partitions(partitioned, ["ds=a/hr=1"])
        metastore.alter_partitions(partitioned, [replace(found, parameters={"new": "2"})])
        after = metastore.load_partitions(partitioned, ["ds=a/hr=1", "ds=b/hr=1"])
        told = {one.values: without_server_fields(dict(one.parameters)) for one in after}
        assert told == {("a", "1"): {"new": "2"}, ("b", "1"): {"old": "1"}}
        assert {one.has_descriptor for one in after} == {not self.takes_bare_partitions}

    def test_altering_a_missing_partition_changes_nothing(
        self, metastore: Metastore, partitioned: TableIdentifier
    ) -> None:
        metastore.add_partitions(partitioned, [self.bare("a", "1", old="1")], if_not_exists=False)
        (found,) = metastore.load_partitions(partitioned, ["ds=a/hr=1"])
        changed = [replace(found, parameters={"new": "2"}), self.bare("missing", "1")]
        with pytest.raises(NoSuchPartitionError):
            metastore.alter_partitions(partitioned, changed)
        (kept,) = metastore.load_partitions(partitioned, ["ds=a/hr=1"])
        assert kept.parameters["old"] == "1"

    def test_dropping_is_all_or_nothing(self, metastore: Metastore, partitioned: TableIdentifier) -> None:
        given = [self.bare(day, "1") for day in "abc"]
        metastore.add_partitions(partitioned, given, if_not_exists=False)
        with pytest.raises(NoSuchPartitionError):
            metastore.drop_partitions(partitioned, ["ds=a/hr=1", "ds=missing/hr=1"], if_exists=False)
        assert len(metastore.partition_names(partitioned)) == 3
        metastore.drop_partitions(partitioned, ["ds=a/hr=1", "ds=missing/hr=1"], if_exists=True)
        assert metastore.partition_names(partitioned) == ["ds=b/hr=1", "ds=c/hr=1"]
        metastore.drop_partitions(partitioned, ["ds=b/hr=1", "ds=c/hr=1"], if_exists=False)
        assert metastore.partition_names(partitioned) == []

    def test_1200_partitions_are_added_listed_loaded_and_dropped_in_batches(
        self, metastore: Metastore, partitioned: TableIdentifier
    ) -> None:
        given = [self.bare(f"d{number:04d}", "0") for number in range(1_200)]
        names = [f"ds=d{number:04d}/hr=0" for number in range(1_200)]
        for start in range(0, 1_200, 500):
            metastore.add_partitions(partitioned, given[start : start + 500], if_not_exists=False)
        assert metastore.partition_names(partitioned) == names
        assert len(metastore.load_partitions(partitioned, names[:500])) == 500
        for start in range(0, 1_200, 500):
            metastore.drop_partitions(partitioned, names[start : start + 500], if_exists=False)
        assert metastore.partition_names(partitioned) == []

    def test_concurrent_writers_declaring_the_same_partitions_declare_each_once(
        self, metastore: Metastore, partitioned: TableIdentifier
    ) -> None:
        given = [self.bare(f"d{number}", "0") for number in range(20)]
        added = in_threads([lambda: metastore.add_partitions(partitioned, given, if_not_exists=True)] * 4)
        assert values(one for each in added for one in each) == values(given)
        assert len(metastore.partition_names(partitioned)) == 20

    # -- rows that have partitions -----------------------------------------------------------------------------------

    def test_a_swap_that_leaves_the_columns_keeps_the_partitions(
        self, metastore: Metastore, partitioned: TableIdentifier
    ) -> None:
        metastore.add_partitions(partitioned, [self.bare("a", "1", publisher="me")], if_not_exists=False)
        row = metastore.load_row(partitioned)
        metastore.swap_row(pointing_to(replace(row, expanded_text="SELECT 3"), location(1)), expected=location(0))
        (kept,) = metastore.load_partitions(partitioned, ["ds=a/hr=1"])
        assert kept.parameters["publisher"] == "me"

    def test_columns_change_in_one_swap_or_the_swap_is_refused_whole(
        self, metastore: Metastore, partitioned: TableIdentifier
    ) -> None:
        metastore.add_partitions(partitioned, [self.bare("a", "1")], if_not_exists=False)
        before = metastore.load_row(partitioned)
        changed = pointing_to(replace(before, columns=(Column("other", "date"),)), location(1))
        if self.changes_columns_in_one_call or not self.takes_bare_partitions:
            metastore.swap_row(changed, expected=location(0))
            assert metastore.load_row(partitioned).columns == (Column("other", "date"),)
        else:
            with pytest.raises(UnsupportedFeatureError) as refusal:
                metastore.swap_row(changed, expected=location(0))
            assert refusal.value.fields["null_descriptor"] is True
            assert metastore.load_row(partitioned) == before
        assert metastore.partition_names(partitioned) == ["ds=a/hr=1"]

    def test_columns_change_in_two_swaps_with_the_partition_columns_away_in_between(
        self, metastore: Metastore, partitioned: TableIdentifier
    ) -> None:
        given = [self.bare("a", "1", publisher="me"), self.bare("b", "2")]
        metastore.add_partitions(partitioned, given, if_not_exists=False)
        before = metastore.load_row(partitioned)

        metastore.swap_row(pointing_to(replace(before, partition_keys=()), location(1)), expected=location(0))
        assert metastore.partition_names(partitioned) == ["ds=a/hr=1", "ds=b/hr=2"]
        with pytest.raises(InvalidPartitionError):
            metastore.add_partitions(partitioned, [self.bare("c", "3")], if_not_exists=False)
        metastore.drop_partitions(partitioned, ["ds=b/hr=2"], if_exists=False)

        columns = (Column("other", "date", "changed"), Column("more", "array<string>"))
        metastore.swap_row(pointing_to(replace(before, columns=columns), location(2)), expected=location(1))
        after = metastore.load_row(partitioned)
        assert (after.columns, after.partition_keys) == (columns, (DS, HR))
        (kept,) = metastore.load_partitions(partitioned, ["ds=a/hr=1"])
        assert (kept.values, kept.parameters["publisher"]) == (("a", "1"), "me")
        metastore.add_partitions(partitioned, [self.bare("c", "3")], if_not_exists=False)
        assert metastore.partition_names(partitioned) == ["ds=a/hr=1", "ds=c/hr=3"]

    def test_a_row_that_lost_a_partition_column_cannot_be_dropped_until_it_is_back(
        self, metastore: Metastore, partitioned: TableIdentifier
    ) -> None:
        metastore.add_partitions(partitioned, [self.bare("a", "1")], if_not_exists=False)
        row = metastore.load_row(partitioned)
        metastore.swap_row(pointing_to(replace(row, partition_keys=(DS,)), location(1)), expected=location(0))
        with pytest.raises(HiveViewsError):
            metastore.drop_row(partitioned)
        metastore.swap_row(pointing_to(row, location(2)), expected=location(1))
        metastore.drop_row(partitioned)
        assert metastore.list_view_names(partitioned.namespace) == []

    # -- the server --------------------------------------------------------------------------------------------------

    def test_the_server_tells_about_itself(self, metastore: Metastore) -> None:
        facts = metastore.facts()
        assert facts.address
        assert facts.notification_listener is not self.takes_bare_partitions
