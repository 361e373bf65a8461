"""The same clicks in a Hive, a Delta and an Iceberg table, for tests of what Spark makes of views over them.

What lives here: the tables and their names. What must not: tests.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hive_views import View, ViewCatalog

FORMATS = ("clicks", "lines", "delta", "ice")
"""Tables of one content: parquet that Spark reads itself, text that Hive's code reads, Delta, Iceberg."""

CLICKS = [(1, "/", "2026-08-21", 0), (1, "/a", "2026-08-21", 1), (2, "/", "2026-08-22", 0), (2, "/b", "2026-08-23", 7)]
NAMES = ("ds=2026-08-21/hr=0", "ds=2026-08-21/hr=1", "ds=2026-08-22/hr=0", "ds=2026-08-23/hr=7")
HOURLY = [("clicks", "bigint"), ("ds", "string"), ("hr", "int")]


@dataclass(frozen=True)
class Lake:
    """A namespace with the tables of ``FORMATS``, ``users`` (not partitioned), and ``events`` (Iceberg, transforms)."""

    spark: Any
    catalog: ViewCatalog
    namespace: str

    def name(self, table: str) -> str:
        return f"{self.namespace}.{table}"

    def view(self, name: str, query: str, schema: list[tuple[str, str]], *keys: str) -> View:
        """A view; ``{}`` in the query is the namespace."""
        text = query.replace("{}", self.namespace)
        return self.catalog.create_view(self.name(name), sql={"hive": text}, schema=schema, partitioned_on=keys)


def make_lake(spark: Any, catalog: ViewCatalog, path: Path) -> Lake:
    lake = Lake(spark, catalog, f"lake_{uuid.uuid4().hex[:12]}")
    catalog.metastore.create_namespace(lake.namespace, location=f"file:{path}")
    columns, keys = "user_id BIGINT, page STRING", "PARTITIONED BY (ds STRING, hr INT)"
    spark.sql(f"CREATE TABLE {lake.name('clicks')} ({columns}) {keys} STORED AS PARQUET")
    spark.sql(f"CREATE TABLE {lake.name('lines')} ({columns}) {keys} STORED AS TEXTFILE")
    spark.sql(f"CREATE TABLE {lake.name('users')} (user_id BIGINT, name STRING) STORED AS PARQUET")
    iceberg = f"({columns}, ds STRING, hr INT) USING iceberg PARTITIONED BY (ds, hr)"
    spark.sql(f"CREATE TABLE ice.{lake.name('ice')} {iceberg}")
    transforms = "PARTITIONED BY (days(at), bucket(4, user_id))"
    spark.sql(f"CREATE TABLE ice.{lake.name('events')} (user_id BIGINT, at TIMESTAMP) USING iceberg {transforms}")
    rows = ", ".join(map(str, CLICKS))
    for table in ("clicks", "lines", "ice"):
        spark.sql(f"INSERT INTO {lake.name(table)} VALUES {rows}")
    times = ", ".join(f"({user}, timestamp'{ds} {hr:02d}:30:00')" for user, _, ds, hr in CLICKS)
    spark.sql(f"INSERT INTO {lake.name('events')} VALUES {times}")
    location = f"{path}/delta"
    clicks = spark.table(lake.name("clicks")).coalesce(1)
    clicks.write.format("delta").partitionBy("ds", "hr").save(location)
    spark.sql(f"CREATE TABLE {lake.name('delta')} USING delta LOCATION 'file:{location}'")
    for table in FORMATS:
        query = f"SELECT count(*) AS clicks, ds, hr FROM {{}}.{table} GROUP BY ds, hr"
        lake.view(f"hourly_{table}", query, HOURLY, "ds", "hr")
    return lake
