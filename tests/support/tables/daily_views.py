"""A Hive table of clicks by day and views on it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from hive_views.hive.row import Column, Partition, Row
from hive_views.metastore.port import Metastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog

DAYS = ("2026-08-20", "2026-08-21", "2026-08-22")


def make_clicks(metastore: Metastore, namespace: str, path: Path, days: Iterable[str] = DAYS) -> str:
    """The table, with a partition for each of the days; returns its name."""
    table = TableIdentifier(namespace, "clicks")
    metastore.create_row(
        Row(
            identifier=table,
            table_type="MANAGED_TABLE",
            owner="ada",
            location=f"file:{path}/clicks",
            columns=(Column("user_id", "bigint"),),
            partition_keys=(Column("ds", "string"),),
            input_format="org.apache.hadoop.mapred.TextInputFormat",
            output_format="org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat",
            serde_library="org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe",
        )
    )
    loaded = [Partition((day,), has_descriptor=True) for day in days]
    metastore.add_partitions(table, loaded, if_not_exists=False)
    return str(table)


def make_daily_view(catalog: ViewCatalog, name: str, table: str) -> None:
    """A view that counts the table's clicks, partitioned by day; it has no partition yet."""
    catalog.create_view(
        name,
        sql={"hive": f"SELECT count(*) AS clicks, ds FROM {table} GROUP BY ds"},
        schema=[("clicks", "bigint"), ("ds", "string")],
        partitioned_on=["ds"],
    )
