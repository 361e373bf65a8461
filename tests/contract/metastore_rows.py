"""What every metastore does with rows."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from hive_views.errors import (
    AlreadyExistsError,
    NoSuchTableError,
)
from hive_views.hive.row import Column, Partition, Row
from hive_views.metastore.port import Metastore
from hive_views.spec.identifiers import TableIdentifier
from tests.support.views.metastore_setup import (
    DS,
    HR,
    MetastoreSetup,
    contents,
    location,
    pointing_to,
    view_row,
)


def _rename(metastore: Metastore, row: Row) -> None:
    other = TableIdentifier(row.identifier.namespace, "other")
    metastore.rename_row(row.identifier, replace(row, identifier=other), expected=location(0))


_NEEDING_A_ROW: dict[str, Callable[[Metastore, Row, Partition], Any]] = {
    "load_row": lambda server, row, _: server.load_row(row.identifier),
    "swap_row": lambda server, row, _: server.swap_row(row, expected=location(0)),
    "swap_row unchecked": lambda server, row, _: server.swap_row(row, expected=None),
    "rename_row": lambda server, row, _: _rename(server, row),
    "drop_row": lambda server, row, _: server.drop_row(row.identifier),
    "add_partitions": lambda server, row, new: server.add_partitions(row.identifier, [new], if_not_exists=True),
    "alter_partitions": lambda server, row, new: server.alter_partitions(row.identifier, [new]),
    "drop_partitions": lambda server, row, _: server.drop_partitions(row.identifier, ["ds=a/hr=1"], if_exists=False),
    "load_partitions": lambda server, row, _: server.load_partitions(row.identifier, ["ds=a/hr=1"]),
}


class RowsOfAMetastore(MetastoreSetup):
    def test_a_row_comes_back_as_it_was_created(self, metastore: Metastore, namespace: str) -> None:
        row = view_row(namespace, partition_keys=(DS, HR))
        metastore.create_row(row)
        assert contents(metastore.load_row(row.identifier)) == row

    def test_names_and_types_of_columns_are_folded_and_empty_comments_are_none(
        self, metastore: Metastore, namespace: str
    ) -> None:
        row = view_row(
            namespace, columns=(Column("UserId", "BIGINT", ""),), partition_keys=(Column("DS", "String", ""),)
        )
        metastore.create_row(row)
        found = metastore.load_row(row.identifier)
        assert found.columns == (Column("userid", "bigint"),)
        assert found.partition_keys == (Column("ds", "string"),)

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
    def test_a_missing_row_is_reported(self, metastore: Metastore, namespace: str, verb: str) -> None:
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

    def test_the_server_describes_itself(self, metastore: Metastore) -> None:
        assert metastore.facts().address
        known = metastore.capabilities()
        assert (known.grants_locks, known.takes_bare_partitions) == (self.grants_locks, self.takes_bare_partitions)
