"""The in-memory metastore: the contract, as Hive 2.3.10 and as other servers, and what only the twin has."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hive_views.errors import MetastoreUnavailableError
from hive_views.hive.row import POINTER, Column, Partition
from hive_views.metastore.copy_on_read import CopyOnReadMetastore
from hive_views.metastore.memory import MemoryMetastore
from hive_views.metastore.port import Metastore, Swap
from tests.contract.metastore_contract import MetastoreContract
from tests.support.views.metastore_setup import COLUMNS, DS, location, partition, pointing_to, view_row


class TestLikeHive23(MetastoreContract):
    tells_identity = False
    alters_comments = False

    @pytest.fixture
    def metastore(self) -> Metastore:
        return MemoryMetastore(tells_identity=False)


class TestLikeHive31(MetastoreContract):
    enforces_swap = False
    changes_columns_in_one_call = False

    @pytest.fixture
    def metastore(self) -> Metastore:
        return MemoryMetastore(enforces_swap=False, null_descriptor_alter_fails=True, alters_comments=True)


class TestWithANotificationListener(MetastoreContract):
    takes_bare_partitions = False
    changes_columns_in_one_call = False
    alters_comments = False

    @pytest.fixture
    def metastore(self) -> Metastore:
        return MemoryMetastore(listener=True, null_descriptor_alter_fails=True)


class TestCopyForADryRun(MetastoreContract):
    alters_comments = False

    @pytest.fixture
    def metastore(self) -> Metastore:
        return CopyOnReadMetastore(MemoryMetastore())


class TestWithoutALockManager(MetastoreContract):
    grants_locks = False
    alters_comments = False

    @pytest.fixture
    def metastore(self) -> Metastore:
        return MemoryMetastore(grants_locks=False)


def test_a_database_that_cannot_compare_says_so_for_the_right_value_only() -> None:
    metastore = MemoryMetastore(compares_swap=False)
    metastore.create_row(view_row("default"))
    row = metastore.load_row(view_row("default").identifier)
    assert metastore.swap_row(pointing_to(row, location(1)), expected=location(0)) is Swap.CANNOT_COMPARE
    assert metastore.enforces_swap(row.identifier)
    metastore.swap_row(pointing_to(row, location(1)), expected=None)
    assert metastore.load_row(row.identifier).parameters[POINTER] == location(1)


def test_columns_of_a_view_without_partitions_change_in_one_call_on_every_server() -> None:
    metastore = MemoryMetastore(null_descriptor_alter_fails=True)
    row = view_row("default", partition_keys=(DS,))
    metastore.create_row(row)
    changed = replace(row, columns=(*COLUMNS, Column("more", "int")))
    metastore.swap_row(pointing_to(changed, location(1)), expected=location(0))
    assert metastore.load_row(row.identifier).columns == changed.columns


@pytest.mark.parametrize("too_long", [partition("a", pins="x" * 4_001), partition("d" * 256)])
def test_what_a_derby_of_hive_23_cannot_hold_is_refused(too_long: Partition) -> None:
    metastore = MemoryMetastore()
    row = view_row("default", partition_keys=(DS,))
    metastore.create_row(row)
    with pytest.raises(MetastoreUnavailableError) as refusal:
        metastore.add_partitions(row.identifier, [too_long], if_not_exists=False)
    assert refusal.value.sent


def test_the_hook_is_called_with_each_verb_before_it_runs() -> None:
    calls: list[str] = []
    metastore = MemoryMetastore(on_call=calls.append)
    row = view_row("default", partition_keys=(DS,))
    metastore.create_row(row)
    metastore.add_partitions(row.identifier, [partition("a")], if_not_exists=True)
    metastore.drop_row(row.identifier)
    assert calls == ["create_row", "add_partitions", "drop_row"]


def test_a_second_writer_can_act_inside_the_hook() -> None:
    """The hook runs outside of all locks, so that tests can put a writer between any two steps of another."""
    row = view_row("default")

    def interfere(verb: str) -> None:
        if verb == "swap_row":
            rival.create_row(view_row("default", "rival"))

    metastore = MemoryMetastore(on_call=interfere)
    rival = metastore
    metastore.create_row(row)
    metastore.swap_row(pointing_to(row, location(1)), expected=location(0))
    assert metastore.list_view_names("default") == ["rival", "v"]


def test_times_come_from_the_clock_of_the_server() -> None:
    metastore = MemoryMetastore(clock=lambda: 1_700_000_000.9)
    row = view_row("default", partition_keys=(DS,))
    metastore.create_row(row)
    metastore.add_partitions(row.identifier, [partition("a")], if_not_exists=True)
    found = metastore.load_row(row.identifier)
    (added,) = metastore.load_partitions(row.identifier, ["ds=a"])
    assert (found.create_time_s, added.create_time_s) == (1_700_000_000, 1_700_000_000)
    assert found.parameters["transient_lastDdlTime"] == "1700000000"
    offset = metastore.facts().clock_offset_s
    assert offset is not None
    assert offset < 0
