"""Names of partitions, where servers filter them."""

from __future__ import annotations

from contextlib import closing

from hive_views.hive.row import Column, Partition
from hive_views.hive.value_range import ValueRange
from hive_views.metastore.hms import HiveMetastore
from tests.containers.metastores import MetastoreServer
from tests.contract.hive_setup import table_row


def test_every_server_filters_names_by_a_range_of_the_first_value(server: MetastoreServer, namespace: str) -> None:
    calls: list[str] = []
    row = table_row(namespace, [Column("ds", "string"), Column("hr", "int")], f"file:{server.warehouse}/{namespace}/t")
    with closing(HiveMetastore(server.uri, on_call=calls.append)) as metastore:
        metastore.create_row(row)
        days = [Partition((f"2026-08-{day:02d}", "7"), has_descriptor=True) for day in range(1, 21)]
        metastore.add_partitions(row.identifier, days, if_not_exists=False)
        calls.clear()
        names = metastore.partition_names_within(row.identifier, ["ds", "hr"], ValueRange("2026-08-19"))
    assert sorted(names) == ["ds=2026-08-19/hr=7", "ds=2026-08-20/hr=7"]
    assert calls == ["get_partition_values"] * 2
