"""What every reader of base tables does."""

from __future__ import annotations

import pytest

from tests.support.tables.writable import DS, HR, TableMaker


class BaseTableContract:
    """Inherit it, and give a fixture ``maker``."""

    @pytest.fixture
    def maker(self) -> TableMaker:
        raise NotImplementedError

    def test_a_new_table_lists_no_partitions_but_reports_its_columns(self, maker: TableMaker) -> None:
        listing = maker.make([DS, HR]).open().list_partitions()
        assert list(listing.values) == []
        assert [(key.name, key.type) for key in listing.keys] == [("ds", "string"), ("hr", "int")]

    def test_partitions_are_listed_with_one_value_for_each_column_in_their_order(self, maker: TableMaker) -> None:
        table = maker.make([HR, DS])
        table.add(("7", "2026-08-21"), ("8", "2026-08-21"), ("7", "2026-08-22"))
        assert sorted(table.open().list_partitions().values) == [
            ("7", "2026-08-21"),
            ("7", "2026-08-22"),
            ("8", "2026-08-21"),
        ]

    def test_the_listing_says_which_table_it_is_of(self, maker: TableMaker) -> None:
        table = maker.make([DS]).open()
        listing = table.list_partitions()
        assert (listing.table, listing.format) == (table.name, table.format)
        assert table.name.count(".") == 1

    @pytest.mark.parametrize(
        "value", ["a/b", "a=b", "100%", "%41", "x y", "2026-08-21 10:00:00", "Grün", "日本", "[]{}^\\"]
    )
    def test_values_come_as_they_were_written(self, maker: TableMaker, value: str) -> None:
        table = maker.make([DS, HR])
        table.add((value, "1"))
        assert list(table.open().list_partitions().values) == [(value, "1")]

    def test_null_is_none(self, maker: TableMaker) -> None:
        table = maker.make([DS, HR])
        table.add(("2026-08-21", None))
        assert list(table.open().list_partitions().values) == [("2026-08-21", None)]

    def test_a_table_without_partition_columns_is_one_partition_without_values(self, maker: TableMaker) -> None:
        listing = maker.make([]).open().list_partitions()
        assert (listing.keys, list(listing.values)) == ((), [()])

    def test_a_listing_is_of_one_state_and_the_next_one_of_the_next(self, maker: TableMaker) -> None:
        table = maker.make([DS, HR])
        table.add(("a", "1"), ("b", "1"))
        reader = table.open()
        before = reader.list_partitions()
        table.add(("c", "1"))
        table.drop(("a", "1"))
        assert sorted(before.values) == [("a", "1"), ("b", "1")]
        assert sorted(reader.list_partitions().values) == [("b", "1"), ("c", "1")]
        assert sorted(table.open().list_partitions().values) == [("b", "1"), ("c", "1")]
