"""The same clicks in a Hive, a Delta and an Iceberg table, for tests of what Spark makes of views over them."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hive_views import View, ViewCatalog

HIVE = ("clicks", "lines")
"""Tables of one content: parquet that Spark reads itself, text that Hive's code reads."""

FORMATS = (*HIVE, "delta", "ice")
"""The same, and as Delta and Iceberg tables."""

CLICKS = [(1, "/", "2026-08-21", 0), (1, "/a", "2026-08-21", 1), (2, "/", "2026-08-22", 0), (2, "/b", "2026-08-23", 7)]
NAMES = ("ds=2026-08-21/hr=0", "ds=2026-08-21/hr=1", "ds=2026-08-22/hr=0", "ds=2026-08-23/hr=7")
COLUMNS, KEYS = "user_id BIGINT, page STRING", "ds STRING, hr INT"
HOURLY = [("clicks", "bigint"), ("ds", "string"), ("hr", "int")]


@dataclass(frozen=True)
class SparkLake:
    """A namespace with the tables of ``FORMATS``, ``users`` (not partitioned), and ``events`` (Iceberg, transforms).

    Where Spark has no connectors, with the tables of ``HIVE`` and ``users``.
    """

    spark: Any
    catalog: ViewCatalog
    namespace: str

    def name(self, table: str) -> str:
        return f"{self.namespace}.{table}"

    def view(self, name: str, query: str, schema: list[tuple[str, str]], *keys: str) -> View:
        """A view; ``{}`` in the query is the namespace."""
        text = query.replace("{}", self.namespace)
        return self.catalog.create_view(self.name(name), sql={"hive": text}, schema=schema, partitioned_on=keys)


def each(*tables: str) -> list[Any]:
    """Tables as the parameters of a test; what needs connectors is marked so."""
    marks = dict.fromkeys(("delta", "ice", "events"), pytest.mark.connectors)
    return [pytest.param(table, marks=marks.get(table, ())) for table in tables]


def make_lake(spark: Any, catalog: ViewCatalog, path: Path, *, has_connectors: bool) -> SparkLake:
    """The tables of Hive, those of Delta and Iceberg where there are connectors for them, and a view over each."""
    lake = SparkLake(spark, catalog, f"lake_{uuid.uuid4().hex[:12]}")
    catalog.metastore.create_namespace(lake.namespace, location=f"file:{path}")
    rows = ", ".join(map(str, CLICKS))
    for table, format_ in (("clicks", "PARQUET"), ("lines", "TEXTFILE")):
        spark.sql(f"CREATE TABLE {lake.name(table)} ({COLUMNS}) PARTITIONED BY ({KEYS}) STORED AS {format_}")
        spark.sql(f"INSERT INTO {lake.name(table)} VALUES {rows}")
    spark.sql(f"CREATE TABLE {lake.name('users')} (user_id BIGINT, name STRING) STORED AS PARQUET")
    if has_connectors:
        _make_delta_table(lake, f"{path}/delta")
        _make_iceberg_tables(lake, rows)
    for table in FORMATS if has_connectors else HIVE:
        query = f"SELECT count(*) AS clicks, ds, hr FROM {{}}.{table} GROUP BY ds, hr"
        lake.view(f"hourly_{table}", query, HOURLY, "ds", "hr")
    return lake


def _make_delta_table(lake: SparkLake, location: str) -> None:
    clicks = lake.spark.table(lake.name("clicks")).coalesce(1)
    clicks.write.format("delta").partitionBy("ds", "hr").save(location)
    lake.spark.sql(f"CREATE TABLE {lake.name('delta')} USING delta LOCATION 'file:{location}'")


def _make_iceberg_tables(lake: SparkLake, rows: str) -> None:
    keys = "USING iceberg PARTITIONED BY (ds, hr)"
    lake.spark.sql(f"CREATE TABLE ice.{lake.name('ice')} ({COLUMNS}, {KEYS}) {keys}")
    lake.spark.sql(f"INSERT INTO {lake.name('ice')} VALUES {rows}")
    transforms = "USING iceberg PARTITIONED BY (days(at), bucket(4, user_id))"
    lake.spark.sql(f"CREATE TABLE ice.{lake.name('events')} (user_id BIGINT, at TIMESTAMP) {transforms}")
    times = ", ".join(f"({user}, timestamp'{ds} {hr:02d}:30:00')" for user, _, ds, hr in CLICKS)
    lake.spark.sql(f"INSERT INTO {lake.name('events')} VALUES {times}")
