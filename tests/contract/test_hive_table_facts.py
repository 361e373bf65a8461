"""What the metastore reports of single partitions of Hive tables: statistics, fingerprints, parameters, marks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from hive_views.base_tables.hive import HiveBaseTable
from hive_views.base_tables.opening import open_base_table
from hive_views.base_tables.port import PartitionValues, Statistics, TableWithFingerprints, TableWithMarkers
from hive_views.errors import InvalidPartitionError, UnsupportedFeatureError
from hive_views.hive.partition_names import DEFAULT_PARTITION
from hive_views.hive.row import Column, Partition, Row
from hive_views.hive.value_range import ValueRange
from hive_views.metastore.memory import MemoryMetastore
from hive_views.metastore.port import Metastore
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.files import Files
from hive_views.views.catalog import ViewCatalog
from tests.support.tables.hive_setup import table_row, view_row
from tests.support.tables.writable import DS, HR

A, B, NULL = ("2026-08-21", "7"), ("2026-08-21", "8"), ("2026-08-22", None)
A_NAME = "ds=2026-08-21/hr=7"
MISSING = ("2026-08-23", "7")


class FactsOfPartitions:
    @pytest.fixture
    def metastore(self) -> Metastore:
        raise NotImplementedError

    @pytest.fixture
    def row(self, metastore: Metastore, namespace: str, tmp_path: Path) -> Row:
        """A table with the partitions A, B and NULL."""
        row = table_row(namespace, [DS, HR], f"file:{tmp_path}/t")
        metastore.create_row(row)
        texts = [tuple(DEFAULT_PARTITION if text is None else text for text in values) for values in (A, B, NULL)]
        given = [Partition(one, {"quality": "checked"}, has_descriptor=True) for one in texts]
        metastore.add_partitions(row.identifier, given, if_not_exists=False)
        return row

    @pytest.fixture
    def table(self, metastore: Metastore, row: Row) -> HiveBaseTable:
        table = open_base_table(metastore, str(row.identifier), files=Files())
        assert isinstance(table, HiveBaseTable)
        return table

    def test_a_hive_table_has_fingerprints_and_marks(self, table: HiveBaseTable) -> None:
        assert isinstance(table, TableWithFingerprints)
        assert isinstance(table, TableWithMarkers)

    def test_facts_come_for_the_partitions_that_are_there(self, table: HiveBaseTable) -> None:
        for facts in (table.load_statistics, table.registered, table.load_parameters):
            assert set(facts([A, NULL, MISSING])) == {A, NULL}
            assert facts([]) == {}

    def test_parameters_are_those_that_writers_have_set(self, table: HiveBaseTable) -> None:
        loaded = table.load_parameters([A, NULL])
        assert {values: parameters["quality"] for values, parameters in loaded.items()} == {
            A: "checked",
            NULL: "checked",
        }

    def test_a_fingerprint_stays_until_its_partition_is_touched(
        self, table: HiveBaseTable, metastore: Metastore, row: Row
    ) -> None:
        before = table.registered([A, B])
        assert before == table.registered([B, A])
        [found] = metastore.load_partitions(row.identifier, [A_NAME])
        metastore.alter_partitions(row.identifier, [replace(found, parameters={**found.parameters, "numRows": "7"})])
        after = table.registered([A, B])
        assert after[A] != before[A]
        assert after[B] == before[B]
        assert table.load_statistics([A])[A].records == 7

    def test_events_are_found(self, table: HiveBaseTable, metastore: Metastore, row: Row) -> None:
        assert table.done_events([A, B]) == frozenset()
        metastore.mark_load_done(row.identifier, A_NAME)
        metastore.mark_load_done(row.identifier, f"ds=2026-08-22/hr={DEFAULT_PARTITION}")
        assert table.done_events([A, B, NULL]) == {A, NULL}

    def test_a_success_file_counts_in_the_directory_of_the_partition_alone(
        self, table: HiveBaseTable, tmp_path: Path
    ) -> None:
        """Spark and Hive put one beside all partitions after a dynamic insert, whichever it has written."""
        directory = tmp_path / "t" / A_NAME
        directory.mkdir(parents=True, exist_ok=True)
        (tmp_path / "t" / "_SUCCESS").touch()
        assert table.done_files([A, B]) == frozenset()
        (directory / "_SUCCESS").touch()
        assert table.done_files([A, B, MISSING]) == {A}
        assert table.done_files([A], "_DONE") == frozenset()

    def test_a_partition_that_ends_in_done_is_a_mark(
        self, table: HiveBaseTable, metastore: Metastore, row: Row
    ) -> None:
        metastore.add_partitions(
            row.identifier, [Partition(("2026-08-21", "7.done"), has_descriptor=True)], if_not_exists=False
        )
        assert table.done_partitions([A, B]) == {A}

    def test_a_list_within_bounds_is_the_part_of_the_whole_list(self, table: HiveBaseTable) -> None:
        listing = table.list_within([{"ds": "2026-08-21"}, {"ds": "2026-08-23"}, {"ds": "2026-08-21"}])
        assert (sorted(listing.values), listing.keys) == ([A, B], (DS, HR))
        assert list(table.list_within([{"ds": "2026-08-21", "hr": "8"}]).values) == [B]
        with pytest.raises(InvalidPartitionError):
            table.list_within([{"day": "2026-08-21"}])

    def test_a_list_within_a_range_is_the_part_of_the_whole_list(self, table: HiveBaseTable) -> None:
        listing = table.list_within(ValueRange("2026-08-21", "2026-08-21x"))
        assert (sorted(listing.values), listing.keys) == ([A, B], (DS, HR))
        assert (listing.table_id, listing.format) == (table.list_partitions().table_id, "hive")
        assert list(table.list_within(ValueRange("2026-08-22")).values) == [NULL]
        assert list(table.list_within(ValueRange("2026-08-23")).values) == []

    def test_a_table_without_partition_columns_is_known_by_its_row(
        self, metastore: Metastore, namespace: str, tmp_path: Path
    ) -> None:
        row = replace(table_row(namespace, [], f"file:{tmp_path}/u"), parameters={"quality": "checked"})
        metastore.create_row(row)
        table = HiveBaseTable(metastore, metastore.load_row(row.identifier))
        assert table.load_parameters([()])[()]["quality"] == "checked"
        assert set(table.load_statistics([()])) == set(table.registered([()])) == {()}
        (tmp_path / "u").mkdir(exist_ok=True)
        (tmp_path / "u" / "_SUCCESS").touch()
        assert table.done_files([()]) == {()}

    @pytest.mark.parametrize("keys", [(), (DS,)])
    def test_a_view_of_ours_is_a_base_table_partitioned_or_not(
        self, metastore: Metastore, namespace: str, tmp_path: Path, keys: tuple[Column, ...]
    ) -> None:
        catalog = ViewCatalog(metastore, warehouse=f"{tmp_path}/views")
        columns = [("n", "bigint"), *((key.name, key.type) for key in keys)]
        query = "SELECT 1 AS n" + "".join(f", '2026-08-21' AS {key.name}" for key in keys)
        catalog.create_view(
            f"{namespace}.v", sql={"hive": query}, schema=columns, partitioned_on=[key.name for key in keys]
        )
        values: list[PartitionValues] = [()]
        if keys:
            catalog.partitions(f"{namespace}.v").add([{"ds": "2026-08-21"}])
            values = [("2026-08-21",)]
        table = open_base_table(metastore, f"{namespace}.v")
        assert isinstance(table, HiveBaseTable)
        assert (table.format, list(table.list_partitions().values)) == ("view", values)
        assert set(table.registered(values)) == set(values)
        assert table.done_files(values) == frozenset()


class TestOnTheMemoryMetastore(FactsOfPartitions):
    @pytest.fixture
    def metastore(self) -> Metastore:
        return MemoryMetastore()

    @pytest.fixture
    def namespace(self) -> str:
        return "default"


class TestOnTheEmbeddedMetastore(FactsOfPartitions):
    @pytest.fixture
    def metastore(self, hms: HiveMetastore) -> Metastore:
        return hms


def table_with(metastore: MemoryMetastore, partitions: Mapping[PartitionValues, Mapping[str, str]]) -> HiveBaseTable:
    row = table_row("default", [DS, HR], "memory://t")
    metastore.create_row(row)
    given = [
        Partition(tuple(map(str, values)), parameters, has_descriptor=True) for values, parameters in partitions.items()
    ]
    metastore.add_partitions(row.identifier, given, if_not_exists=False)
    return HiveBaseTable(metastore, row)


ACCURATE = {"COLUMN_STATS_ACCURATE": '{"BASIC_STATS":"true"}'}


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"numFiles": "3", "totalSize": "10", "numRows": "7"}, Statistics(3, 7, 10)),
        ({"numFiles": "0", "totalSize": "0", "numRows": "0", **ACCURATE}, Statistics(0, 0, 0)),
        ({"numFiles": "1", "totalSize": "10", "numRows": "0"}, Statistics(1, None, 10)),
        ({"numFiles": "1", "totalSize": "10", "numRows": "-1"}, Statistics(1, None, 10)),
        (
            {"numRows": "0", "spark.sql.statistics.numRows": "7", "spark.sql.statistics.totalSize": "10"},
            Statistics(None, 7, 10),
        ),
        ({"numFiles": "many"}, Statistics()),
        ({}, Statistics()),
    ],
    ids=["by Hive", "empty", "not counted", "not known", "by Spark", "nonsense", "none"],
)
def test_statistics_are_what_engines_have_written(parameters: dict[str, str], expected: Statistics) -> None:
    table = table_with(MemoryMetastore(clock=lambda: 1_700_000_000.5), {A: parameters})
    assert table.load_statistics([A]) == {A: replace(expected, modified_at_ms=1_700_000_000_000)}


def test_a_partition_that_is_dropped_and_added_again_has_another_fingerprint() -> None:
    now = [1_700_000_000.0]
    metastore = MemoryMetastore(clock=lambda: now[0])
    table = table_with(metastore, {A: {"transient_lastDdlTime": "1"}})
    before = table.registered([A])
    now[0] += 1
    identifier = TableIdentifier.of(table.name)
    metastore.drop_partitions(identifier, [A_NAME], if_exists=False)
    metastore.add_partitions(
        identifier, [Partition(A, {"transient_lastDdlTime": "1"}, has_descriptor=True)], if_not_exists=False
    )
    assert table.registered([A]) != before


def test_partitions_are_asked_for_in_batches() -> None:
    calls: list[str] = []
    metastore = MemoryMetastore(on_call=calls.append)
    partitions: dict[PartitionValues, dict[str, str]] = {(f"d{n:04}", "0"): {} for n in range(2_500)}
    table = table_with(metastore, partitions)
    calls.clear()
    assert set(table.load_statistics(partitions)) == set(partitions)
    assert calls == ["load_partitions"] * 3


def test_bounds_cost_a_call_for_each_set_of_values() -> None:
    calls: list[str] = []
    metastore = MemoryMetastore(on_call=calls.append)
    table = table_with(metastore, {A: {}, B: {}})
    calls.clear()
    table.list_within([{"ds": "2026-08-21"}, {"ds": "2026-08-22"}, {"ds": "2026-08-21"}])
    assert calls == ["partition_names"] * 2


def test_an_event_that_may_be_of_another_partition_is_no_event() -> None:
    metastore = MemoryMetastore()
    table = table_with(metastore, {("a,b", "1"): {}})
    with pytest.raises(UnsupportedFeatureError, match=r"LOAD_DONE for ds=a,b/hr=1.*commas"):
        table.done_events([("a,b", "1")])


def test_an_event_of_a_partition_with_one_value_may_have_a_comma_in_it() -> None:
    metastore = MemoryMetastore()
    row = view_row("default", [DS])
    metastore.create_row(row)
    metastore.mark_load_done(row.identifier, "ds=a,b")
    assert HiveBaseTable(metastore, row).done_events([("a,b",), ("a",)]) == {("a,b",)}
