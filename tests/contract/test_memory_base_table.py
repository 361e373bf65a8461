"""The in-memory base table: the contract, and what it refuses."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hive_views.base_tables.memory import MemoryBaseTable
from hive_views.base_tables.port import BaseTable, PartitionValues
from hive_views.errors import InvalidInputError
from hive_views.hive.row import Column
from tests.contract.base_table_contract import DS, HR, BaseTableContract, TableMaker, WritableTable


class _Table(WritableTable):
    def __init__(self, table: MemoryBaseTable) -> None:
        self._table = table

    def open(self) -> BaseTable:
        return self._table

    def add(self, *values: PartitionValues) -> None:
        self._table.add(*values)

    def drop(self, *values: PartitionValues) -> None:
        self._table.drop(*values)


class _Maker(TableMaker):
    def make(self, keys: Sequence[Column]) -> WritableTable:
        return _Table(MemoryBaseTable("web.clicks", keys))


class TestMemoryBaseTable(BaseTableContract):
    @pytest.fixture
    def maker(self) -> TableMaker:
        return _Maker()


@pytest.mark.parametrize("keys", [(DS, HR), ()])
def test_a_partition_with_another_number_of_values_is_refused(keys: tuple[Column, ...]) -> None:
    with pytest.raises(InvalidInputError, match=rf"web\.clicks: it has {len(keys)} partition columns"):
        MemoryBaseTable("web.clicks", keys, [("2026-08-21",)])
    table = MemoryBaseTable("web.clicks", [DS, HR])
    with pytest.raises(InvalidInputError):
        table.add(("a", "1"), ("b",))
    assert list(table.list_partitions().values) == [], "all or nothing"


def test_a_partition_is_listed_once_however_often_it_is_added() -> None:
    table = MemoryBaseTable("web.clicks", [DS], [("a",)])
    table.add(("a",), ("b",))
    assert list(table.list_partitions().values) == [("a",), ("b",)]
