"""Iceberg tables that Spark writes: what only Iceberg's Java code does to tables, read by us beside Spark.

What lives here: deletes by files, compaction, changed specs, transforms, expired snapshots. What must not: what
pyiceberg can write too (tests/contract/test_iceberg_base_table.py).
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote_plus

import pytest

from hive_views.base_tables.iceberg.table import IcebergBaseTable
from hive_views.base_tables.port import Changes, PartitionListing, PartitionValues, Snapshot
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.files import Files
from tests.contract.history_contract import grown, sizes
from tests.interop.iceberg_java import Iceberg

pytestmark = [
    pytest.mark.peer("iceberg-spark"),
    # PySpark leaves the socket of every collect() and first() to the garbage collector.
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),
]

A, B, C = ("2026-08-21", "7"), ("2026-08-21", "8"), ("2026-08-22", "7")


class Lake:
    """A table in Spark's catalog ``ice``, and our reader of it."""

    def __init__(self, iceberg: Iceberg, hms: HiveMetastore, namespace: str, columns: str, clauses: str) -> None:
        self.identifier = TableIdentifier(namespace, f"t_{uuid.uuid4().hex[:12]}")
        self._iceberg = iceberg
        self._hms = hms
        self.run(f"CREATE TABLE {{t}} ({columns}) USING iceberg {clauses}")

    def run(self, statement: str) -> list[tuple[Any, ...]]:
        """Run a statement in which ``{t}`` is the table."""
        return self._iceberg.sql(statement.replace("{t}", f"ice.{self.identifier}"))

    def call(self, procedure: str, arguments: str = "") -> list[tuple[Any, ...]]:
        return self.run(f"CALL ice.system.{procedure}(table => '{self.identifier}'{arguments and ', '}{arguments})")

    def open(self, branch: str | None = None) -> IcebergBaseTable:
        def metadata_location() -> str:
            return self._hms.load_row(self.identifier).parameters["metadata_location"]

        return IcebergBaseTable(str(self.identifier), metadata_location, Files(), branch)

    def list(self) -> PartitionListing:
        return self.open().list_partitions()

    def snapshot(self) -> Snapshot:
        snapshot = self.list().snapshot
        assert snapshot is not None
        return snapshot

    def changes(self, since: PartitionListing | Snapshot) -> Changes:
        snapshot = since.snapshot if isinstance(since, PartitionListing) else since
        assert snapshot is not None
        return self.open().changes(snapshot, self.snapshot())

    def files(self) -> dict[PartitionValues, tuple[int, int]]:
        """Data files and bytes by partition, as Spark's metadata table says."""
        rows = self.run("SELECT partition, file_count, total_data_file_size_in_bytes FROM {t}.partitions")
        return {_values(row[0]): (row[1], row[2]) for row in rows if row[1]}

    def records(self, keys: str) -> dict[PartitionValues, int]:
        """Rows by partition, counted by Spark."""
        rows = self.run(f"SELECT {keys}, count(*) FROM {{t}} GROUP BY {keys}")
        return {tuple(map(_text, row[:-1])): row[-1] for row in rows}


def _values(struct: Any) -> PartitionValues:
    return tuple(_text(struct.get(index)) for index in range(struct.size()))


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def told(listing: PartitionListing) -> dict[PartitionValues, tuple[int | None, int | None]]:
    assert listing.statistics is not None
    return {one: (told.files, told.bytes) for one, told in zip(listing.values, listing.statistics, strict=True)}


def records(listing: PartitionListing) -> dict[PartitionValues, int | None]:
    return {values: size[1] for values, size in sizes(listing).items()}


MakeLake = Callable[[str, str], Lake]


@pytest.fixture
def make_lake(iceberg: Iceberg, hms: HiveMetastore, namespace: str) -> MakeLake:
    return lambda columns, clauses: Lake(iceberg, hms, namespace, columns, clauses)


@pytest.mark.parametrize("version", [2, 3])
def test_deletes_and_compactions_are_told_as_spark_tells_them(make_lake: MakeLake, version: int) -> None:
    """Format version 2 deletes rows by position delete files, version 3 by deletion vectors."""
    lake = make_lake(
        "id BIGINT, ds STRING, hr INT",
        f"PARTITIONED BY (ds, hr) TBLPROPERTIES ('format-version' = '{version}', "
        "'write.delete.mode' = 'merge-on-read')",
    )

    def step(do: Callable[[], object], touched: set[PartitionValues], *, rewrite: bool = False) -> None:
        before = lake.list()
        do()
        after, changes = lake.list(), lake.changes(before)
        assert told(after) == lake.files()
        assert records(after) == lake.records("ds, hr")
        assert set(changes.partitions) == touched
        assert all(one.rewrites_only == rewrite for one in changes.partitions.values())
        assert grown(before, changes) == sizes(after)

    rows = (
        "(1, '2026-08-21', 7), (2, '2026-08-21', 7), (3, '2026-08-21', 7), (4, '2026-08-21', 8), (5, '2026-08-21', 8)"
    )
    lake.run(f"INSERT INTO {{t}} VALUES {rows}")
    step(lambda: lake.run("INSERT INTO {t} VALUES (6, '2026-08-21', 7), (7, '2026-08-22', 7)"), {A, C})
    step(lambda: lake.run("DELETE FROM {t} WHERE id IN (1, 4)"), {A, B})
    step(lambda: lake.run("DELETE FROM {t} WHERE id = 2"), {A})
    step(lambda: lake.call("rewrite_manifests"), set(), rewrite=True)
    where = "where => 'hr = 7', options => map('rewrite-all', 'true', 'remove-dangling-deletes', 'false')"
    step(lambda: lake.call("rewrite_data_files", where), {A, C}, rewrite=True)

    before = lake.list()
    lake.run("DELETE FROM {t} WHERE ds = '2026-08-21' AND hr = 8")
    change = lake.changes(before).partitions[B]
    assert (change.files, change.records, change.rewrites_only) == (-1, None, False), "rows of it were deleted before"
    assert told(lake.list()) == lake.files()
    assert records(lake.list()) == lake.records("ds, hr")
    kinds = [one.operation for one in lake.open().commits(lake.snapshot())]
    assert kinds == ["delete", "replace", "replace", "delete", "delete", "append", "append"]


def test_position_deletes_of_a_whole_partition_are_subtracted_until_they_are_compacted(make_lake: MakeLake) -> None:
    """Such a delete file does not say which data file it is for, and after a compaction it may still be there."""
    lake = make_lake(
        "id BIGINT, ds STRING",
        "PARTITIONED BY (ds) TBLPROPERTIES ('format-version' = '2', 'write.delete.mode' = 'merge-on-read', "
        "'write.delete.granularity' = 'partition')",
    )
    lake.run("INSERT INTO {t} VALUES (1, 'a'), (2, 'a'), (3, 'a'), (4, 'b')")
    lake.run("INSERT INTO {t} VALUES (5, 'a'), (6, 'a')")
    lake.run("DELETE FROM {t} WHERE id IN (1, 5)")
    assert records(lake.list()) == lake.records("ds") == {("a",): 3, ("b",): 1}
    options = "options => map('rewrite-all', 'true', 'remove-dangling-deletes', 'false')"
    lake.call("rewrite_data_files", f"where => 'ds = \"a\"', {options}")
    assert lake.run("SELECT count(*) FROM {t}.delete_files") == [(1,)]
    assert records(lake.list()) == {("a",): None, ("b",): 1}, "whether it was applied is not told"
    lake.run("INSERT INTO {t} VALUES (7, 'a')")
    lake.call("rewrite_data_files", f"where => 'ds = \"a\"', {options}")
    assert records(lake.list()) == lake.records("ds") == {("a",): 4, ("b",): 1}, "all data is newer than the delete"


def test_a_changed_partition_spec_leaves_old_files_without_a_value(make_lake: MakeLake) -> None:
    lake = make_lake("id BIGINT, ts TIMESTAMP, site STRING", "PARTITIONED BY (days(ts), site)")
    lake.run("INSERT INTO {t} VALUES (1, TIMESTAMP '2026-08-21 07:30:00Z', 'x')")
    assert [(key.name, key.type) for key in lake.list().keys] == [("ts_day", "date"), ("site", "string")]
    assert list(lake.list().values) == [("2026-08-21", "x")]
    before = lake.snapshot()
    lake.run("ALTER TABLE {t} REPLACE PARTITION FIELD ts_day WITH hours(ts)")
    assert lake.list().snapshot != before
    assert lake.open().current_state().keys == lake.list().keys
    lake.run("INSERT INTO {t} VALUES (2, TIMESTAMP '2026-08-21 08:30:00Z', 'x'), (3, NULL, 'y')")
    listing = lake.list()
    # Spark 4.1's connector puts the new field where the old one was, or last: the names tell.
    at = {key.name: index for index, key in enumerate(listing.keys)}
    assert set(at) == {"ts_hour", "site"}
    found = {(values[at["ts_hour"]], values[at["site"]]) for values in listing.values}
    assert found == {(None, "x"), ("2026-08-21-08", "x"), (None, "y")}
    assert sum(size[0] or 0 for size in sizes(listing).values()) == sum(files for files, _ in lake.files().values())
    assert "partition columns" in str(lake.changes(before).unknown)


def test_transforms_are_spelled_as_in_the_directories_that_spark_writes(make_lake: MakeLake) -> None:
    lake = make_lake(
        "y DATE, m DATE, d TIMESTAMP, h TIMESTAMP, b STRING, s STRING, n BIGINT, e DECIMAL(10,2), k BOOLEAN",
        "PARTITIONED BY (years(y), months(m), days(d), hours(h), bucket(16, b), truncate(2, s), truncate(10, n), e, k)",
    )
    lake.run(
        "INSERT INTO {t} VALUES (DATE '2026-08-21', DATE '1969-12-31', TIMESTAMP '1969-12-31 23:59:59Z', "
        "TIMESTAMP '2026-08-21 07:30:00Z', 'web', 'abc', -7, 1.50, true), "
        "(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)"
    )
    listing = lake.list()
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
        for row in lake.run("SELECT file_path FROM {t}.files")
    }
    spelled = {tuple(part.partition("=")[2] for part in name.split("/")) for name in names}
    # Hive drops the zeros at the end of a decimal, and Iceberg keeps them.
    assert {
        tuple(None if text == "null" else "1.5" if text == "1.50" else text for text in values) for values in spelled
    } == set(listing.values)


def test_timestamps_are_those_of_utc_and_binary_is_base64(make_lake: MakeLake) -> None:
    lake = make_lake("id BIGINT, a TIMESTAMP, b TIMESTAMP_NTZ, c BINARY", "PARTITIONED BY (a, b, c)")
    lake.run(
        "INSERT INTO {t} VALUES (1, TIMESTAMP '2026-08-21 09:30:00+02:00', TIMESTAMP_NTZ '2026-08-21 07:30:00.125', "
        "X'00FF')"
    )
    listing = lake.list()
    assert [key.type for key in listing.keys] == ["timestamp", "timestamp", "string"]
    assert list(listing.values) == [("2026-08-21 07:30:00.0", "2026-08-21 07:30:00.125", "AP8=")]


def test_branches_roll_backs_and_expired_snapshots(make_lake: MakeLake) -> None:
    lake = make_lake("id BIGINT, ds STRING", "PARTITIONED BY (ds)")
    lake.run("INSERT INTO {t} VALUES (1, 'a')")
    first = lake.snapshot()
    lake.run("ALTER TABLE {t} CREATE BRANCH audit")
    lake.run("INSERT INTO {t}.branch_audit VALUES (2, 'b')")
    assert list(lake.list().values) == [("a",)]
    assert sorted(lake.open("audit").list_partitions().values) == [("a",), ("b",)]
    lake.run("INSERT INTO {t} VALUES (3, 'c')")
    second = lake.snapshot()
    lake.call("rollback_to_snapshot", f"snapshot_id => {first.id}")
    assert lake.snapshot().is_same_as(first)
    lake.run("INSERT INTO {t} VALUES (4, 'd')")
    assert "rolled back" in str(lake.changes(second).unknown)
    assert set(lake.changes(first).partitions) == {("d",)}
    third = lake.snapshot()
    lake.run("INSERT INTO {t} VALUES (5, 'e')")
    lake.run("INSERT INTO {t} VALUES (6, 'f')")
    lake.call("expire_snapshots", "older_than => TIMESTAMP '2100-01-01 00:00:00', retain_last => 1")
    assert "expired" in str(lake.changes(third).unknown)
    assert told(lake.list()) == lake.files()
    assert sorted(lake.list().values) == [("a",), ("d",), ("e",), ("f",)]
