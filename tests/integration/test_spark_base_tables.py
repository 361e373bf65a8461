"""Base tables through a real Spark report what the readers without it do: partitions, statistics, marks, identity."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hive_views.base_tables.hive import HiveBaseTable
from hive_views.base_tables.opening import open_base_table
from hive_views.base_tables.port import PartitionListing, TableWithHistory
from hive_views.errors import NoSuchTableError, UnsupportedFeatureError
from hive_views.hive.row import Partition
from hive_views.spark import SparkHiveTable, spark_base_tables
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.files import Files
from tests.integration.lake import SparkLake, each

# PySpark leaves the socket of every collect() to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")

MERGE_ON_READ = "'write.delete.mode' = 'merge-on-read'"


def reported(listing: PartitionListing) -> tuple[Any, ...]:
    keys = [(key.name, key.type) for key in listing.keys]
    statistics = listing.statistics or [None] * len(listing.values)
    found = dict(zip(listing.values, statistics, strict=True))
    return listing.table, listing.format, listing.snapshot, listing.table_id, keys, found


def check_same(lake: SparkLake, name: str, *, path: str | None = None) -> PartitionListing:
    """What Spark lists, after it was found to be what the own reader lists."""
    by_spark = spark_base_tables(lake.spark, path or name)[name].list_partitions()
    own = open_base_table(lake.catalog.metastore, name).list_partitions()
    assert reported(by_spark) == reported(own)
    assert len(by_spark.values) == len(own.values)
    return by_spark


def records(listing: PartitionListing) -> dict[Any, int | None]:
    assert listing.statistics is not None
    return {values: one.records for values, one in zip(listing.values, listing.statistics, strict=True)}


@pytest.fixture
def name(lake: SparkLake) -> str:
    return lake.name(f"t_{uuid.uuid4().hex[:12]}")


@pytest.mark.parametrize("table", each("clicks", "lines", "users", "ice", "events"))
def test_spark_lists_what_the_own_reader_lists(lake: SparkLake, table: str) -> None:
    check_same(lake, lake.name(table))


@pytest.mark.parametrize("table", each("delta", "hourly_clicks"))
def test_what_spark_cannot_list_without_opening_data_is_refused(lake: SparkLake, table: str) -> None:
    with pytest.raises(UnsupportedFeatureError, match="base_tables="):
        spark_base_tables(lake.spark, lake.name(table))


def test_an_unknown_table_is_refused(lake: SparkLake) -> None:
    with pytest.raises(NoSuchTableError, match="no_such"):
        spark_base_tables(lake.spark, lake.name("no_such"))


@pytest.mark.connectors
class TestIceberg:
    @pytest.fixture
    def make(self, lake: SparkLake, name: str) -> Callable[[str, str], Callable[[str], PartitionListing]]:
        """Creates a table; what comes back runs a statement on it, ``{t}``, and checks that both readers agree."""

        def make(columns: str, clauses: str) -> Callable[[str], PartitionListing]:
            lake.spark.sql(f"CREATE TABLE ice.{name} ({columns}) USING iceberg {clauses}")

            def step(statement: str) -> PartitionListing:
                lake.spark.sql(statement.replace("{t}", f"ice.{name}").replace("{name}", name)).collect()
                return check_same(lake, name, path=f"ice.{name}")

            return step

        return make

    def test_a_listing_is_of_the_newest_snapshot_after_each_change(self, lake: SparkLake, name: str) -> None:
        lake.spark.sql(f"CREATE TABLE ice.{name} (n INT, ds STRING) USING iceberg PARTITIONED BY (ds)")
        reader = spark_base_tables(lake.spark, f"ice.{name}")[name]
        empty = reader.list_partitions()
        assert (empty.snapshot, list(empty.values)) == (None, [])
        lake.spark.sql(f"INSERT INTO ice.{name} VALUES (1, 'a'), (2, NULL)")
        first = reader.list_partitions()
        lake.spark.sql(f"DELETE FROM ice.{name} WHERE ds = 'a'")
        second = reader.list_partitions()
        assert (set(first.values), set(second.values)) == ({("a",), (None,)}, {(None,)})
        assert isinstance(reader, TableWithHistory)
        assert first.snapshot
        assert second.snapshot
        assert set(reader.changes(first.snapshot, second.snapshot).partitions) == {("a",)}

    @pytest.mark.parametrize("version", [2, 3])
    def test_deleted_rows_are_taken_off_before_and_after_a_compaction(self, make: Any, version: int) -> None:
        """Version 2 deletes rows by position delete files, here one for each data file; version 3 by vectors."""
        step = make(
            "id BIGINT, ds STRING",
            f"PARTITIONED BY (ds) TBLPROPERTIES ('format-version' = '{version}', {MERGE_ON_READ}, "
            f"'write.delete.granularity' = 'file')",
        )
        step("INSERT INTO {t} SELECT /*+ COALESCE(1) */ id, IF(id < 6, 'a', 'b') FROM range(10)")
        step("INSERT INTO {t} VALUES (10, 'a'), (11, 'a'), (12, 'c')")
        step("DELETE FROM {t} WHERE id IN (1, 10)")
        assert records(step("DELETE FROM {t} WHERE id IN (2, 7)")) == {("a",): 5, ("b",): 3, ("c",): 1}
        step("CALL ice.system.rewrite_manifests(table => '{name}')")
        options = "options => map('rewrite-all', 'true', 'remove-dangling-deletes', 'false')"
        before = step("DELETE FROM {t} WHERE id = 12")
        after = step(f"CALL ice.system.rewrite_data_files(table => '{{name}}', {options})")
        assert records(after) == records(before) == {("a",): 5, ("b",): 3}
        assert after.statistics is not None
        assert before.snapshot is not None
        timestamps = [one.modified_at_ms or 0 for one in after.statistics]
        assert max(timestamps) <= (before.snapshot.committed_at_ms or 0), "a compaction brings no data"

    def test_deletes_of_a_partition_count_until_that_is_unknown(self, make: Any) -> None:
        step = make(
            "id BIGINT, ds STRING",
            f"PARTITIONED BY (ds) TBLPROPERTIES ('format-version' = '2', {MERGE_ON_READ}, "
            f"'write.delete.granularity' = 'partition')",
        )
        step("INSERT INTO {t} VALUES (1, 'a'), (2, 'a'), (3, 'a'), (4, 'b')")
        step("INSERT INTO {t} VALUES (5, 'a'), (6, 'a')")
        assert records(step("DELETE FROM {t} WHERE id IN (1, 5)")) == {("a",): 3, ("b",): 1}
        options = "options => map('rewrite-all', 'true', 'remove-dangling-deletes', 'false')"
        compacted = step(f"CALL ice.system.rewrite_data_files(table => '{{name}}', {options})")
        assert records(compacted) == {("a",): None, ("b",): 1}

    def test_equality_deletes_make_records_unknown_where_they_may_count(
        self, lake: SparkLake, name: str, make: Any
    ) -> None:
        """Flink writes them; Iceberg's own API commits them here, without the files that nobody reads."""
        step = make("id BIGINT, ds STRING", "PARTITIONED BY (ds) TBLPROPERTIES ('format-version' = '2')")
        step("INSERT INTO {t} VALUES (1, 'a'), (2, 'b')")
        add_equality_delete(lake, f"ice.{name}", "ds=a")
        assert records(step("INSERT INTO {t} VALUES (3, 'c')")) == {("a",): None, ("b",): 1, ("c",): 1}
        step("ALTER TABLE {t} DROP PARTITION FIELD ds")
        add_equality_delete(lake, f"ice.{name}", "")
        step("ALTER TABLE {t} ADD PARTITION FIELD ds")
        listing = step("INSERT INTO {t} VALUES (4, 'd')")
        assert records(listing) == {("a",): None, ("b",): None, ("c",): None, ("d",): 1}

    @pytest.mark.parametrize("version", [1, 2])
    def test_files_of_older_partition_specs_are_counted_where_they_belong(self, make: Any, version: int) -> None:
        step = make(
            "id BIGINT, at TIMESTAMP, site STRING",
            f"PARTITIONED BY (days(at), site) TBLPROPERTIES ('format-version' = '{version}')",
        )
        row = "(1, TIMESTAMP '2026-08-21 07:30:00Z', 'x'), (2, NULL, NULL)"
        step(f"INSERT INTO {{t}} VALUES {row}")
        step("ALTER TABLE {t} REPLACE PARTITION FIELD at_day WITH hours(at) AS at_hour")
        step(f"INSERT INTO {{t}} VALUES {row}")
        step("ALTER TABLE {t} DROP PARTITION FIELD site")
        step(f"INSERT INTO {{t}} VALUES {row}")
        step("ALTER TABLE {t} ADD PARTITION FIELD site")
        assert len(step(f"INSERT INTO {{t}} VALUES {row}").values) > 2

    def test_partition_fields_of_one_name_are_refused_because_spark_shows_nothing_of_them(
        self, lake: SparkLake, name: str
    ) -> None:
        lake.spark.sql(f"CREATE TABLE ice.{name} (at TIMESTAMP) USING iceberg PARTITIONED BY (days(at))")
        lake.spark.sql(f"ALTER TABLE ice.{name} REPLACE PARTITION FIELD at_day WITH hours(at) AS at_day")
        lake.spark.sql(f"INSERT INTO ice.{name} VALUES (NULL)")
        assert list(open_base_table(lake.catalog.metastore, name).list_partitions().values) == [(None,)]
        with pytest.raises(UnsupportedFeatureError, match=r"through Spark.*one name.*base_tables="):
            spark_base_tables(lake.spark, f"ice.{name}")[name].list_partitions()

    def test_values_are_spelled_alike_in_every_zone(self, make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        """Two of these timestamps are one on the clocks of Berlin."""
        monkeypatch.setenv("TZ", "Europe/Berlin")
        time.tzset()
        try:
            step = make(
                "a TIMESTAMP, b TIMESTAMP_NTZ, c BINARY, d DATE, e DECIMAL(10,2), f DOUBLE, `g.h` STRING",
                "PARTITIONED BY (a, b, c, d, e, f, `g.h`, truncate(2, `g.h`), bucket(4, c), years(d))",
            )
            rest = "TIMESTAMP_NTZ '2026-10-25 02:30:00.125', X'00FF', DATE '2026-08-21', 1.50, 0.1, 'a/b'"
            listing = step(
                f"INSERT INTO {{t}} VALUES (TIMESTAMP '2026-10-25 00:30:00Z', {rest}), "
                f"(TIMESTAMP '2026-10-25 01:30:00Z', {rest}), (NULL, NULL, NULL, NULL, NULL, NULL, NULL)"
            )
        finally:
            monkeypatch.undo()
            time.tzset()
        assert len(listing.values) == 3

    def test_a_snapshot_that_expires_while_it_is_read_is_left_for_the_next_one(
        self, lake: SparkLake, name: str
    ) -> None:
        table = f"ice.{name}"
        lake.spark.sql(f"CREATE TABLE {table} (n INT, ds STRING) USING iceberg PARTITIONED BY (ds)")
        lake.spark.sql(f"INSERT INTO {table} VALUES (1, 'a')")

        class Expiring(Files):
            def read(self, location: str) -> bytes:
                content = super().read(location)
                if not moved:
                    moved.append(location)
                    lake.spark.sql(f"INSERT INTO {table} VALUES (2, 'b')")
                    older = "older_than => TIMESTAMP '2100-01-01 00:00:00', retain_last => 1"
                    lake.spark.sql(f"CALL ice.system.expire_snapshots(table => '{name}', {older})").collect()
                return content

        moved: list[str] = []
        listing = spark_base_tables(lake.spark, table, files=Expiring())[name].list_partitions()
        assert sorted(listing.values) == [("a",), ("b",)]
        assert len(moved) == 1


def add_equality_delete(lake: SparkLake, table: str, partition: str) -> None:
    iceberg = lake.spark._jvm.org.apache.iceberg
    loaded = iceberg.spark.Spark3Util.loadIcebergTable(lake.spark._jsparkSession, table)
    ids = lake.spark.sparkContext._gateway.new_array(lake.spark._jvm.int, 1)
    ids[0] = 1
    file = iceberg.FileMetadata.deleteFileBuilder(loaded.spec()).ofEqualityDeletes(ids)
    file = file.withPath(f"{loaded.location()}/{uuid.uuid4().hex}.parquet").withFileSizeInBytes(10).withRecordCount(1)
    loaded.newRowDelta().addDeletes((file.withPartitionPath(partition) if partition else file).build()).commit()


class TestHive:
    @pytest.fixture
    def both(self, lake: SparkLake, name: str, tmp_path: Path) -> tuple[SparkHiveTable, HiveBaseTable]:
        """Of a table with partitions that were written and counted by Spark, and added by another writer."""
        lake.spark.sql(
            f"CREATE TABLE {name} (n INT) PARTITIONED BY (Ds STRING, hr INT) STORED AS PARQUET LOCATION '{tmp_path}/t'"
        )
        lake.spark.sql(f"INSERT INTO {name} VALUES (1, 'a', 7), (2, 'a', 8), (3, 'b c/d''e\"%ü', 1), (4, NULL, NULL)")
        lake.spark.sql(f"ANALYZE TABLE {name} PARTITION (ds = 'a', hr = 7) COMPUTE STATISTICS")
        parameters = {"quality": "checked", "numRows": "5", "numFiles": "2", "a]b, c=d": "x=y, {"}
        added = [Partition(("a", "07"), parameters, has_descriptor=True)]
        added += [Partition(("many", str(hour)), {"numRows": str(hour)}, has_descriptor=True) for hour in range(24)]
        added.append(Partition(("a", "8.done"), has_descriptor=True))
        lake.catalog.metastore.add_partitions(TableIdentifier.of(name), added, if_not_exists=False)
        return open_both(lake, name)

    def test_all_that_is_reported_of_partitions_is_reported_alike(
        self, both: tuple[SparkHiveTable, HiveBaseTable]
    ) -> None:
        by_spark, own = both
        listing = by_spark.list_partitions()
        assert reported(listing) == reported(own.list_partitions())
        assert listing.table_id is not None
        assert len(listing.values) == 30
        for asked in (listing.values, [("a", "7"), ("a", "07"), (None, None), ("no", "1")], []):
            assert by_spark.load_statistics(asked) == own.load_statistics(asked)
            assert by_spark.load_parameters(asked) == own.load_parameters(asked)
            assert by_spark.registered(asked) == own.registered(asked)
        found = by_spark.load_statistics(listing.values)
        assert len(found) == 30
        assert (found["a", "7"].records, found["a", "07"].records, found["many", "23"].records) == (1, 5, 23)

    def test_marks_are_reported_alike_and_what_spark_does_not_see_is_refused(
        self, both: tuple[SparkHiveTable, HiveBaseTable], tmp_path: Path
    ) -> None:
        by_spark, own = both
        [odd] = [values for values in own.list_partitions().values if (values[0] or "").startswith("b")]
        for values in (("a", "7"), odd):
            [location] = [one.location for one in own._load([values])]
            assert location
            Path(location.removeprefix("file:"), "_SUCCESS").touch()
        asked = [("a", "7"), ("a", "8"), odd]
        assert by_spark.done_files(asked) == own.done_files(asked) == {("a", "7"), odd}
        assert by_spark.done_partitions(asked) == own.done_partitions(asked) == {("a", "8")}
        with pytest.raises(UnsupportedFeatureError, match=r"through Spark.*LOAD_DONE.*base_tables="):
            by_spark.done_events([("a", "7")])

    def test_a_list_within_bounds_finds_values_as_they_are_spelled(
        self, both: tuple[SparkHiveTable, HiveBaseTable]
    ) -> None:
        by_spark, own = both
        for bounds in ([{"ds": "a"}], [{"ds": "a", "hr": "07"}], [{"ds": "many"}, {"ds": "b c/d'e\"%ü"}]):
            assert reported(by_spark.list_within(bounds)) == reported(own.list_within(bounds))
        assert list(by_spark.list_within([{"ds": "a", "hr": "07"}]).values) == [("a", "07")]

    def test_tables_of_many_partition_columns_and_of_none_report_the_same(
        self, lake: SparkLake, name: str, tmp_path: Path
    ) -> None:
        keys = [f"k{number}" for number in range(6)]
        lake.spark.sql(
            f"CREATE TABLE {name} (n INT, {', '.join(f'{key} STRING' for key in keys)}) USING parquet "
            f"PARTITIONED BY ({', '.join(keys)})"
        )
        lake.spark.sql(f"INSERT INTO {name} VALUES (1, {', '.join(repr(key) for key in keys)})")
        by_spark, own = open_both(lake, name)
        assert by_spark.registered([tuple(keys)]) == own.registered([tuple(keys)]) != {}
        whole = f"{name}_whole"
        lake.spark.sql(f"CREATE TABLE {whole} (n INT) STORED AS PARQUET LOCATION '{tmp_path}/a b%2Fc'")
        lake.spark.sql(f"ANALYZE TABLE {whole} COMPUTE STATISTICS")
        by_spark, own = open_both(lake, whole)
        assert by_spark.load_statistics([()]) == own.load_statistics([()])
        assert by_spark.load_statistics([()])[()].records == 0
        assert by_spark.load_parameters([()]) == own.load_parameters([()])
        assert by_spark.registered([()]) == own.registered([()])

    def test_a_recreated_table_under_an_open_reader_has_another_id(self, lake: SparkLake, name: str) -> None:
        lake.spark.sql(f"CREATE TABLE {name} (n INT) PARTITIONED BY (ds STRING) STORED AS PARQUET")
        readers = open_both(lake, name)
        before = [reported(reader.list_partitions()) for reader in readers]
        lake.spark.sql(f"DROP TABLE {name}")
        wait_for_another_second()
        lake.spark.sql(f"CREATE TABLE {name} (n INT) PARTITIONED BY (day DATE) STORED AS PARQUET")
        after = [reported(reader.list_partitions()) for reader in readers]
        assert before[0] == before[1]
        assert after[0] == after[1] == reported(open_base_table(lake.catalog.metastore, name).list_partitions())
        assert after != before
        lake.spark.sql(f"DROP TABLE {name}")
        for reader in readers:
            with pytest.raises(NoSuchTableError):
                reader.list_partitions()

    def test_null_is_none(self, lake: SparkLake, name: str) -> None:
        lake.spark.sql(f"CREATE TABLE {name} (n INT) PARTITIONED BY (ds STRING) STORED AS PARQUET")
        lake.spark.sql(f"INSERT INTO {name} VALUES (1, NULL), (2, 'a/b')")
        assert set(check_same(lake, name).values) == {("a/b",), (None,)}


def open_both(lake: SparkLake, name: str) -> tuple[SparkHiveTable, HiveBaseTable]:
    by_spark, own = spark_base_tables(lake.spark, name)[name], open_base_table(lake.catalog.metastore, name)
    assert isinstance(by_spark, SparkHiveTable)
    assert isinstance(own, HiveBaseTable)
    return by_spark, own


def wait_for_another_second() -> None:
    """A metastore counts the times of tables in seconds."""
    before = int(time.time())
    while int(time.time()) == before:
        time.sleep(0.01)
