"""Hive tables and views as base tables, on the embedded metastore and on the in-memory one."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from hive_views.base_tables.hive import HiveBaseTable
from hive_views.base_tables.opening import open_base_table
from hive_views.base_tables.port import BaseTable, PartitionValues
from hive_views.errors import UnsupportedFeatureError
from hive_views.hive.partition_names import DEFAULT_PARTITION, partition_name
from hive_views.hive.row import Column, Partition, Row
from hive_views.hive.value_range import ValueRange
from hive_views.metastore.memory import MemoryMetastore
from hive_views.metastore.port import Metastore
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.persisted import PENDING_KEYS
from tests.contract.base_table_contract import BaseTableContract
from tests.support.tables.hive_setup import table_row, view_row
from tests.support.tables.writable import DS, HR, TableMaker, WritableTable


class _Table(WritableTable):
    def __init__(self, metastore: Metastore, row: Row) -> None:
        metastore.create_row(row)
        self._metastore = metastore
        self._row = row

    def open(self) -> BaseTable:
        return open_base_table(self._metastore, str(self._row.identifier))

    def add(self, *values: PartitionValues) -> None:
        partitions = [Partition(self._spelled(one), has_descriptor=not self._row.is_view) for one in values]
        self._metastore.add_partitions(self._row.identifier, partitions, if_not_exists=False)

    def drop(self, *values: PartitionValues) -> None:
        keys = [key.name for key in self._row.partition_keys]
        names = [partition_name(keys, self._spelled(one)) for one in values]
        self._metastore.drop_partitions(self._row.identifier, names, if_exists=False)

    @staticmethod
    def _spelled(values: PartitionValues) -> tuple[str, ...]:
        return tuple(DEFAULT_PARTITION if value is None else value for value in values)


class _Maker(TableMaker):
    def __init__(self, metastore: Metastore, new_row: Callable[[Sequence[Column]], Row]) -> None:
        self._metastore = metastore
        self._new_row = new_row

    def make(self, keys: Sequence[Column]) -> WritableTable:
        return _Table(self._metastore, self._new_row(keys))


class TestTablesOfTheEmbeddedMetastore(BaseTableContract):
    @pytest.fixture
    def maker(self, hms: HiveMetastore, namespace: str, tmp_path: Path) -> TableMaker:
        return _Maker(hms, lambda keys: table_row(namespace, keys, f"file:{tmp_path}/{uuid.uuid4().hex}"))


class TestViewsOfTheEmbeddedMetastore(BaseTableContract):
    @pytest.fixture
    def maker(self, hms: HiveMetastore, namespace: str) -> TableMaker:
        return _Maker(hms, lambda keys: view_row(namespace, keys))


class TestTablesOfTheMemoryMetastore(BaseTableContract):
    @pytest.fixture
    def maker(self) -> TableMaker:
        return _Maker(MemoryMetastore(), lambda keys: table_row("default", keys, "memory://t"))


class TestViewsOfTheMemoryMetastore(BaseTableContract):
    @pytest.fixture
    def maker(self) -> TableMaker:
        return _Maker(MemoryMetastore(), lambda keys: view_row("default", keys))


@pytest.mark.parametrize(("keys", "calls"), [([DS, HR], ["load_row", "partition_names"]), ([], ["load_row"])])
def test_a_table_is_opened_by_one_call_and_listed_by_one(keys: list[Column], calls: list[str]) -> None:
    made: list[str] = []
    metastore = MemoryMetastore(on_call=made.append)
    row = table_row("default", keys, "memory://t")
    metastore.create_row(row)
    made.clear()
    open_base_table(metastore, str(row.identifier)).list_partitions()
    assert made == calls


def test_a_recreated_table_under_an_open_reader_is_reported_by_the_next_listing_for_one_more_call() -> None:
    made: list[str] = []
    now = [1_700_000_000.0]
    metastore = MemoryMetastore(on_call=made.append, clock=lambda: now[0])
    row = table_row("default", [DS, HR], "memory://t")
    metastore.create_row(row)
    reader = open_base_table(metastore, str(row.identifier))
    first = reader.list_partitions()
    made.clear()
    assert reader.list_partitions().table_id == first.table_id
    assert made == ["partition_names", "load_row"]

    metastore.drop_row(row.identifier)
    now[0] += 1
    metastore.create_row(replace(row, partition_keys=(HR,)))
    metastore.add_partitions(row.identifier, [Partition(("7",), has_descriptor=True)], if_not_exists=False)
    recreated = reader.list_partitions()
    assert recreated.table_id not in (None, first.table_id)
    assert (recreated.keys, list(recreated.values)) == ((HR,), [("7",)])


@pytest.mark.parametrize("part", [ValueRange("2026"), [{"ds": "2026-08-21"}]], ids=["range", "values"])
def test_what_part_of_a_table_is_enough_says_nothing_of_a_recreated_table_with_other_columns(
    part: ValueRange | list[dict[str, str]],
) -> None:
    metastore = MemoryMetastore()
    row = table_row("default", [DS, HR], "memory://t")
    metastore.create_row(row)
    metastore.add_partitions(row.identifier, [Partition(("2026-08-21", "7"), has_descriptor=True)], if_not_exists=False)
    reader = open_base_table(metastore, str(row.identifier))
    assert isinstance(reader, HiveBaseTable)
    for _ in range(2):
        assert list(reader.list_within(part).values) == [("2026-08-21", "7")]
    metastore.drop_row(row.identifier)
    metastore.create_row(replace(row, partition_keys=(Column("region", "string"), HR)))
    metastore.add_partitions(row.identifier, [Partition(("1", "7"), has_descriptor=True)], if_not_exists=False)
    assert list(reader.list_within(part).values) == [("1", "7")]


def test_partitions_of_a_table_that_is_recreated_while_it_is_listed_do_not_pass_for_those_of_the_old_one() -> None:
    now = [1_700_000_000.0]
    row = table_row("default", [DS], "memory://t")

    def replace_it(call: str) -> None:
        if call == "load_row" and armed:
            armed.clear()
            metastore.drop_row(row.identifier)
            now[0] += 1
            metastore.create_row(row)

    armed: list[str] = []
    metastore = MemoryMetastore(on_call=replace_it, clock=lambda: now[0])
    metastore.create_row(row)
    metastore.add_partitions(row.identifier, [Partition(("old",), has_descriptor=True)], if_not_exists=False)
    reader = open_base_table(metastore, str(row.identifier))
    first = reader.list_partitions()
    armed.append("now")
    second = reader.list_partitions()
    assert (list(first.values), list(second.values)) == ([("old",)], [])
    assert second.table_id != first.table_id


def test_a_view_between_two_swaps_still_has_its_partition_columns() -> None:
    """Its row seems to have none then, and would count as a view that merely exists."""
    metastore = MemoryMetastore()
    row = view_row("default", [DS, HR])
    metastore.create_row(row)
    metastore.add_partitions(row.identifier, [Partition(("2026-08-21", "7"))], if_not_exists=False)
    pending = json.dumps([[key.name, key.type, key.comment] for key in (DS, HR)])
    between = replace(row, partition_keys=(), parameters={PENDING_KEYS: pending})
    metastore.swap_row(between, expected=None)
    listing = open_base_table(metastore, str(row.identifier)).list_partitions()
    assert (listing.keys, list(listing.values)) == ((DS, HR), [("2026-08-21", "7")])


def test_a_partition_from_before_the_columns_were_changed_is_not_misread() -> None:
    metastore = MemoryMetastore()
    row = view_row("default", [DS, HR])
    metastore.create_row(row)
    metastore.add_partitions(row.identifier, [Partition(("2026-08-21", "7"))], if_not_exists=False)
    with pytest.raises(UnsupportedFeatureError, match=r"ds=2026-08-21/hr=7.*\(hr, ds\)"):
        HiveBaseTable(metastore, replace(row, partition_keys=(HR, DS))).list_partitions()
