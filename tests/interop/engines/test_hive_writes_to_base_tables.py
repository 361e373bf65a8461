"""Hive writes into a partition of a base table: revalidate says what became of the day that was published on it."""

from __future__ import annotations

from hive_views import ViewCatalog, column, publish, requires, revalidate
from tests.support.containers.engines import Hive


def test_what_hive_inserts_is_a_change_and_so_are_statistics(
    catalog: ViewCatalog, namespace: str, hive: Hive, web: str
) -> None:
    table, view = f"{web}.written_{namespace}", f"{namespace}.daily"
    hive.rows(f"CREATE EXTERNAL TABLE {table} (user_id BIGINT) PARTITIONED BY (ds STRING) STORED AS TEXTFILE")
    hive.rows(f"ALTER TABLE {table} ADD PARTITION (ds = 'a') PARTITION (ds = 'b') PARTITION (ds = 'c')")
    schema = [("user_id", "bigint"), ("ds", "string")]
    query = f"SELECT user_id, ds FROM {table}"
    catalog.create_view(view, sql={"hive": query}, schema=schema, partitioned_on=["ds"])
    publish(catalog, view, requires(table, ds=column("ds")))
    hive.rows(f"INSERT INTO {table} PARTITION (ds = 'a') VALUES (1)")
    hive.rows(f"ANALYZE TABLE {table} PARTITION (ds = 'b') COMPUTE STATISTICS")
    states = {name: one.state for name, one in revalidate(catalog, view).partitions.items()}
    assert states == {"ds=a": "changed", "ds=b": "changed", "ds=c": "current"}
