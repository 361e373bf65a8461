"""The in-memory base tables: the contracts, and what they refuse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from hive_views.base_tables.memory import MemoryBaseTable, MemoryTableWithHistory
from hive_views.base_tables.port import BaseTable, PartitionValues, TableWithHistory
from hive_views.errors import InvalidInputError
from hive_views.hive.row import Column
from tests.contract.base_table_contract import BaseTableContract
from tests.contract.history_contract import HistoryContract
from tests.support.tables.writable import DS, HR, HistoryMaker, TableMaker, WritableTable, WritableTableWithHistory


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


class _TableWithHistory(WritableTableWithHistory):
    def __init__(self, table: MemoryTableWithHistory) -> None:
        self._table = table

    def open(self) -> TableWithHistory:
        return self._table

    def append(self, *values: PartitionValues, rows: int = 1, properties: Mapping[str, str] | None = None) -> None:
        self._table.append(*values, records=rows, properties=properties)

    def overwrite(self, values: PartitionValues, rows: int = 1) -> None:
        self._table.overwrite(values, records=rows)

    def compact(self, values: PartitionValues) -> None:
        self._table.compact(values)

    def drop(self, *values: PartitionValues) -> None:
        self._table.delete(*values)

    def expire(self) -> None:
        self._table.expire()

    def recreate(self) -> None:
        self._table.recreate()


class _HistoryMaker(HistoryMaker):
    def make(self, keys: Sequence[Column]) -> WritableTableWithHistory:
        return _TableWithHistory(MemoryTableWithHistory("web.clicks", keys))


class TestMemoryTableWithHistory(HistoryContract):
    # It reads no files; a listing of it is made at once.
    test_commits_that_land_during_a_listing_are_not_in_it = None  # type: ignore[assignment]
    test_commits_are_read_several_at_once = None  # type: ignore[assignment]

    @pytest.fixture
    def maker(self) -> HistoryMaker:
        return _HistoryMaker()


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


def test_a_commit_on_partitions_with_another_number_of_values_changes_nothing() -> None:
    table = MemoryTableWithHistory("web.clicks", [DS, HR])
    with pytest.raises(InvalidInputError, match=r"web\.clicks: it has 2 partition columns"):
        table.append(("a", "1"), ("b",))
    assert table.list_partitions().snapshot is None


def test_a_table_that_nothing_was_committed_to_has_no_snapshot() -> None:
    table = MemoryTableWithHistory("web.users")
    assert (table.list_partitions().snapshot, table.list_partitions().values) == (None, [()])
    made = table.append((), watermark_ms=7)
    assert table.list_partitions().snapshot == made
    assert made.watermark_ms == 7


def test_what_touches_partitions_that_are_not_there_changes_none() -> None:
    table = MemoryTableWithHistory("web.clicks", [DS])
    since = table.append(("a",))
    table.delete(("b",))
    until = table.compact(("b",))
    assert dict(table.changes(since, until).partitions) == {}
