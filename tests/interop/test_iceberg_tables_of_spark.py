"""Iceberg tables that Spark writes: what only Iceberg's Java code does to tables, read by us beside Spark."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import unquote_plus

import pytest

from hive_views.base_tables.port import PartitionListing, PartitionValues
from hive_views.metastore.thrift.hms import HiveMetastore
from tests.interop.iceberg_table import IcebergTable, records
from tests.support.java.iceberg_java import Iceberg
from tests.support.tables.writable import grown, sizes

pytestmark = [
    pytest.mark.peer("iceberg-spark"),
    # PySpark leaves the socket of every collect() and first() to the garbage collector.
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),
]

A, B, C = ("2026-08-21", "7"), ("2026-08-21", "8"), ("2026-08-22", "7")


def reported(listing: PartitionListing) -> dict[PartitionValues, tuple[int | None, int | None]]:
    assert listing.statistics is not None
    return {
        one: (statistics.files, statistics.bytes)
        for one, statistics in zip(listing.values, listing.statistics, strict=True)
    }


MakeTable = Callable[[str, str], IcebergTable]


@pytest.fixture
def make_table(iceberg: Iceberg, hms: HiveMetastore, namespace: str) -> MakeTable:
    return lambda columns, clauses: IcebergTable(iceberg, hms, namespace, columns, clauses)


@pytest.mark.parametrize("version", [2, 3])
def test_deletes_and_compactions_are_reported_as_spark_reports_them(make_table: MakeTable, version: int) -> None:
    """Format version 2 deletes rows by position delete files, version 3 by deletion vectors."""
    table = make_table(
        "id BIGINT, ds STRING, hr INT",
        f"PARTITIONED BY (ds, hr) TBLPROPERTIES ('format-version' = '{version}', "
        "'write.delete.mode' = 'merge-on-read')",
    )

    def step(do: Callable[[], object], touched: set[PartitionValues], *, rewrite: bool = False) -> None:
        before = table.list()
        do()
        after, changes = table.list(), table.changes(before)
        assert reported(after) == table.files()
        assert records(after) == table.records("ds, hr")
        assert set(changes.partitions) == touched
        assert all(one.rewrites_only == rewrite for one in changes.partitions.values())
        assert grown(before, changes) == sizes(after)

    rows = (
        "(1, '2026-08-21', 7), (2, '2026-08-21', 7), (3, '2026-08-21', 7), (4, '2026-08-21', 8), (5, '2026-08-21', 8)"
    )
    table.run(f"INSERT INTO {{t}} VALUES {rows}")
    step(lambda: table.run("INSERT INTO {t} VALUES (6, '2026-08-21', 7), (7, '2026-08-22', 7)"), {A, C})
    step(lambda: table.run("DELETE FROM {t} WHERE id IN (1, 4)"), {A, B})
    step(lambda: table.run("DELETE FROM {t} WHERE id = 2"), {A})
    step(lambda: table.call("rewrite_manifests"), set(), rewrite=True)
    where = "where => 'hr = 7', options => map('rewrite-all', 'true', 'remove-dangling-deletes', 'false')"
    step(lambda: table.call("rewrite_data_files", where), {A, C}, rewrite=True)

    before = table.list()
    table.run("DELETE FROM {t} WHERE ds = '2026-08-21' AND hr = 8")
    change = table.changes(before).partitions[B]
    assert (change.files, change.records, change.rewrites_only) == (-1, None, False), "rows of it were deleted before"
    assert reported(table.list()) == table.files()
    assert records(table.list()) == table.records("ds, hr")
    kinds = [one.operation for one in table.open().commits(table.snapshot())]
    assert kinds == ["delete", "replace", "replace", "delete", "delete", "append", "append"]


def test_position_deletes_of_a_whole_partition_are_subtracted_until_they_are_compacted(make_table: MakeTable) -> None:
    """Such a delete file does not say which data file it is for, and after a compaction it may still be there."""
    table = make_table(
        "id BIGINT, ds STRING",
        "PARTITIONED BY (ds) TBLPROPERTIES ('format-version' = '2', 'write.delete.mode' = 'merge-on-read', "
        "'write.delete.granularity' = 'partition')",
    )
    table.run("INSERT INTO {t} VALUES (1, 'a'), (2, 'a'), (3, 'a'), (4, 'b')")
    table.run("INSERT INTO {t} VALUES (5, 'a'), (6, 'a')")
    table.run("DELETE FROM {t} WHERE id IN (1, 5)")
    assert records(table.list()) == table.records("ds") == {("a",): 3, ("b",): 1}
    options = "options => map('rewrite-all', 'true', 'remove-dangling-deletes', 'false')"
    table.call("rewrite_data_files", f"where => 'ds = \"a\"', {options}")
    assert table.run("SELECT count(*) FROM {t}.delete_files") == [(1,)]
    assert records(table.list()) == {("a",): None, ("b",): 1}, "whether it was applied is not recorded"
    table.run("INSERT INTO {t} VALUES (7, 'a')")
    table.call("rewrite_data_files", f"where => 'ds = \"a\"', {options}")
    assert records(table.list()) == table.records("ds") == {("a",): 4, ("b",): 1}, "all data is newer than the delete"


def test_a_changed_partition_spec_leaves_old_files_without_a_value(make_table: MakeTable) -> None:
    table = make_table("id BIGINT, ts TIMESTAMP, site STRING", "PARTITIONED BY (days(ts), site)")
    table.run("INSERT INTO {t} VALUES (1, TIMESTAMP '2026-08-21 07:30:00Z', 'x')")
    assert [(key.name, key.type) for key in table.list().keys] == [("ts_day", "date"), ("site", "string")]
    assert list(table.list().values) == [("2026-08-21", "x")]
    before = table.snapshot()
    table.run("ALTER TABLE {t} REPLACE PARTITION FIELD ts_day WITH hours(ts)")
    assert table.list().snapshot != before
    assert table.open().current_state().keys == table.list().keys
    table.run("INSERT INTO {t} VALUES (2, TIMESTAMP '2026-08-21 08:30:00Z', 'x'), (3, NULL, 'y')")
    listing = table.list()
    # Spark 4.1's connector puts the new field where the old one was, or last: the names decide.
    at = {key.name: index for index, key in enumerate(listing.keys)}
    assert set(at) == {"ts_hour", "site"}
    found = {(values[at["ts_hour"]], values[at["site"]]) for values in listing.values}
    assert found == {(None, "x"), ("2026-08-21-08", "x"), (None, "y")}
    assert sum(size[0] or 0 for size in sizes(listing).values()) == sum(files for files, _ in table.files().values())
    assert "partition columns" in str(table.changes(before).unknown)


def test_transforms_are_spelled_as_in_the_directories_that_spark_writes(make_table: MakeTable) -> None:
    table = make_table(
        "y DATE, m DATE, d TIMESTAMP, h TIMESTAMP, b STRING, s STRING, n BIGINT, e DECIMAL(10,2), k BOOLEAN",
        "PARTITIONED BY (years(y), months(m), days(d), hours(h), bucket(16, b), truncate(2, s), truncate(10, n), e, k)",
    )
    table.run(
        "INSERT INTO {t} VALUES (DATE '2026-08-21', DATE '1969-12-31', TIMESTAMP '1969-12-31 23:59:59Z', "
        "TIMESTAMP '2026-08-21 07:30:00Z', 'web', 'abc', -7, 1.50, true), "
        "(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)"
    )
    listing = table.list()
    assert [(key.name, key.type) for key in listing.keys] == [
        ("y_year", "string"),
        ("m_month", "string"),
        ("d_day", "date"),
        ("h_hour", "string"),
        ("b_bucket", "int"),
        ("s_trunc", "string"),
        ("n_trunc", "bigint"),
        ("e", "decimal(10,2)"),
        ("k", "boolean"),
    ]
    names = {
        unquote_plus(row[0]).split("/data/")[1].rpartition("/")[0]
        for row in table.run("SELECT file_path FROM {t}.files")
    }
    spelled = {tuple(part.partition("=")[2] for part in name.split("/")) for name in names}
    # Hive drops the zeros at the end of a decimal, and Iceberg keeps them.
    assert {
        tuple(None if text == "null" else "1.5" if text == "1.50" else text for text in values) for values in spelled
    } == set(listing.values)


def test_timestamps_are_those_of_utc_and_binary_is_base64(make_table: MakeTable) -> None:
    table = make_table("id BIGINT, a TIMESTAMP, b TIMESTAMP_NTZ, c BINARY", "PARTITIONED BY (a, b, c)")
    table.run(
        "INSERT INTO {t} VALUES (1, TIMESTAMP '2026-08-21 09:30:00+02:00', TIMESTAMP_NTZ '2026-08-21 07:30:00.125', "
        "X'00FF')"
    )
    listing = table.list()
    assert [key.type for key in listing.keys] == ["timestamp", "timestamp", "string"]
    assert list(listing.values) == [("2026-08-21 07:30:00.0", "2026-08-21 07:30:00.125", "AP8=")]


def test_branches_roll_backs_and_expired_snapshots(make_table: MakeTable) -> None:
    table = make_table("id BIGINT, ds STRING", "PARTITIONED BY (ds)")
    table.run("INSERT INTO {t} VALUES (1, 'a')")
    first = table.snapshot()
    table.run("ALTER TABLE {t} CREATE BRANCH audit")
    table.run("INSERT INTO {t}.branch_audit VALUES (2, 'b')")
    assert list(table.list().values) == [("a",)]
    assert sorted(table.open("audit").list_partitions().values) == [("a",), ("b",)]
    table.run("INSERT INTO {t} VALUES (3, 'c')")
    second = table.snapshot()
    table.call("rollback_to_snapshot", f"snapshot_id => {first.id}")
    assert table.snapshot().is_same_as(first)
    table.run("INSERT INTO {t} VALUES (4, 'd')")
    assert "rolled back" in str(table.changes(second).unknown)
    assert set(table.changes(first).partitions) == {("d",)}
    third = table.snapshot()
    table.run("INSERT INTO {t} VALUES (5, 'e')")
    table.run("INSERT INTO {t} VALUES (6, 'f')")
    table.call("expire_snapshots", "older_than => TIMESTAMP '2100-01-01 00:00:00', retain_last => 1")
    assert "expired" in str(table.changes(third).unknown)
    assert reported(table.list()) == table.files()
    assert sorted(table.list().values) == [("a",), ("d",), ("e",), ("f",)]
