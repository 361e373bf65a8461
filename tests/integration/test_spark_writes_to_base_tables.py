"""Spark writes into a partition and leaves its row in the metastore as it is: revalidate sees it in the directory."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hive_views import apply_republish_plan, column, publish, requires, revalidate
from hive_views.hive.partition_names import parse_partition_name
from hive_views.publishing.revalidation import RevalidationReport
from hive_views.readiness.rules import Rule
from hive_views.spark import plan_republish, spark_base_tables
from hive_views.spark import revalidate as revalidate_by_executors
from hive_views.spec.identifiers import TableIdentifier
from tests.integration.lake import SparkLake

# PySpark leaves the socket of every collect() to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")

KINDS = {
    "hive": "(n INT) PARTITIONED BY (ds STRING) STORED AS PARQUET",
    "datasource": "(n INT, ds STRING) USING parquet PARTITIONED BY (ds)",
    "csv": "(n INT, ds STRING) USING csv PARTITIONED BY (ds)",
}
WRITES = {
    "INSERT INTO": "INSERT INTO {} PARTITION (ds = 'a') VALUES (7)",
    "INSERT INTO, dynamic": "INSERT INTO {} VALUES (7, 'a')",
    "INSERT OVERWRITE": "INSERT OVERWRITE {} PARTITION (ds = 'a') VALUES (7)",
    "TRUNCATE": "TRUNCATE TABLE {} PARTITION (ds = 'a')",
}


class Published:
    """A table with two days, of which the first has a location of its own, and a view published on it."""

    def __init__(self, lake: SparkLake, path: Path, kind: str) -> None:
        base, self.view = f"t_{uuid.uuid4().hex[:12]}", lake.name(f"v_{uuid.uuid4().hex[:12]}")
        self.lake, self.table = lake, lake.name(base)
        self.rule: Rule = requires(self.table, ds=column("ds"))
        lake.spark.sql(f"CREATE TABLE {self.table} {KINDS[kind]}")
        lake.spark.sql(f"ALTER TABLE {self.table} ADD PARTITION (ds = 'a') LOCATION '{path}/a day'")
        lake.spark.sql(f"INSERT INTO {self.table} VALUES (1, 'a'), (2, 'b')")
        query = f"SELECT n, ds FROM {{}}.{base}"
        lake.view(self.view.rpartition(".")[2], query, [("n", "int"), ("ds", "string")], "ds")

    def publish(self, **options: Any) -> Published:
        assert len(publish(self.lake.catalog, self.view, self.rule, **options).added) == 2
        return self

    def states(self, look: Callable[..., RevalidationReport] = revalidate, **options: Any) -> dict[str, str]:
        report = look(self.lake.catalog, self.view, **options)
        return {parse_partition_name(name)["ds"]: one.state for name, one in report.partitions.items()}


@pytest.mark.parametrize(
    ("kind", "write"), [*((kind, write) for kind in ("hive", "datasource") for write in WRITES), ("csv", "INSERT INTO")]
)
def test_what_spark_writes_into_a_partition_is_a_change(lake: SparkLake, tmp_path: Path, kind: str, write: str) -> None:
    published = Published(lake, tmp_path, kind).publish()
    assert published.states() == {"a": "current", "b": "current"}
    lake.spark.sql(WRITES[write].format(published.table))
    assert published.states() == {"a": "changed", "b": "current"}
    by_the_metastore = published.states(metastore_only=True)
    assert by_the_metastore["b"] == "current by the metastore"
    assert by_the_metastore["a"] in ("changed", "current by the metastore"), "never current"


def test_repairing_a_table_is_no_change_and_statistics_are_one(lake: SparkLake, tmp_path: Path) -> None:
    published = Published(lake, tmp_path, "hive").publish()
    lake.spark.sql(f"MSCK REPAIR TABLE {published.table}")
    assert published.states() == {"a": "current", "b": "current"}
    lake.spark.sql(f"ANALYZE TABLE {published.table} PARTITION (ds = 'a') COMPUTE STATISTICS")
    assert published.states() == {"a": "changed", "b": "current"}


@pytest.mark.parametrize("kind", ["hive", "datasource"])
def test_what_was_published_through_spark_is_known_again_without_and_by_the_executors(
    lake: SparkLake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr("hive_views.spark.publishing.revalidate_with_spark._FEW", 1)
    published = Published(lake, tmp_path, kind)
    published.publish(base_tables=spark_base_tables(lake.spark, published.table))

    def by_executors(*arguments: Any, **options: Any) -> RevalidationReport:
        return revalidate_by_executors(lake.spark, *arguments, **options)

    for look in (revalidate, by_executors):
        assert published.states(look) == {"a": "current", "b": "current"}
    lake.spark.sql(WRITES["INSERT OVERWRITE"].format(published.table))
    for look in (revalidate, by_executors):
        assert published.states(look) == {"a": "changed", "b": "current"}
    assert apply_republish_plan(lake.catalog, plan_republish(lake.spark, lake.catalog, published.view))[0].marked
    for look in (revalidate, by_executors):
        assert published.states(look) == {"a": "current", "b": "current"}
    for path in (tmp_path / "a day").iterdir():
        path.unlink()
    (tmp_path / "a day").rmdir()
    assert published.states(by_executors)["a"] in ("changed", "unknown")


@pytest.mark.parametrize("kind", ["STORED AS PARQUET", "USING parquet", "USING csv"])
def test_what_spark_writes_into_a_table_without_partitions_is_a_change(lake: SparkLake, kind: str) -> None:
    table, view = (lake.name(f"{letter}_{uuid.uuid4().hex[:12]}") for letter in "tv")
    lake.spark.sql(f"CREATE TABLE {table} (n INT, ds STRING) {kind}")
    lake.spark.sql(f"INSERT INTO {table} VALUES (1, 'a')")
    name = TableIdentifier.of(table).name
    lake.view(TableIdentifier.of(view).name, f"SELECT n, ds FROM {{}}.{name}", [("n", "int"), ("ds", "string")], "ds")
    publish(lake.catalog, view, requires(table), candidates=[{"ds": "a"}])

    def state() -> str:
        [found] = revalidate(lake.catalog, view, requires(table)).partitions.values()
        return found.state

    assert state() == "current"
    lake.spark.sql(f"INSERT INTO {table} VALUES (2, 'a')")
    assert state() == "changed"
