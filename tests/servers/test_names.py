"""Names of partitions, where servers filter them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import closing

from hive_views.hive.row import Column, Partition
from hive_views.hive.value_range import ValueRange
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.spec.identifiers import TableIdentifier
from tests.servers.conftest import new_namespace
from tests.support.containers.metastores import MetastoreServer, MetastoreServers
from tests.support.tables.hive_setup import table_row

KEYS = [Column("ds", "string"), Column("hr", "int")]
DAYS = [f"2026-08-{day:02d}" for day in range(1, 21)]
FILTERED = ["get_partition_values"] * 2


def table_of(server: MetastoreServer, namespace: str, values: Sequence[str]) -> TableIdentifier:
    row = table_row(namespace, KEYS, f"file:{server.warehouse}/{namespace}/t{len(values)}")
    server.client.create_row(row)
    partitions = [Partition((text, "7"), has_descriptor=True) for text in values]
    server.client.add_partitions(row.identifier, partitions, if_not_exists=False)
    return row.identifier


def test_every_server_filters_names_by_a_range_of_the_first_value(server: MetastoreServer, namespace: str) -> None:
    table, calls = table_of(server, namespace, DAYS), list[str]()
    with closing(HiveMetastore(server.uri, on_call=calls.append)) as metastore:
        names = metastore.partition_names_within(table, ["ds", "hr"], ValueRange("2026-08-19"))
    assert sorted(names) == ["ds=2026-08-19/hr=7", "ds=2026-08-20/hr=7"]
    assert calls == FILTERED


def test_names_are_found_in_a_database_that_orders_texts_by_a_language(metastore_servers: MetastoreServers) -> None:
    """PostgreSQL is often made with such a collation; it puts ``_`` before ``-``."""
    with metastore_servers.own("4.0.1", "postgres") as server:
        namespace = new_namespace(server)
        plain, mixed = (table_of(server, namespace, values) for values in (DAYS, [*DAYS, "2026_08_19"]))
        for column, table in (("PART_NAME", "PARTITIONS"), ("PART_KEY_VAL", "PARTITION_KEY_VALS")):
            statement = f'alter table "{table}" alter "{column}" type varchar(767) collate "en-x-icu"'
            metastore_servers.execute(server, statement)
        calls: list[str] = []

        def found(table: TableIdentifier) -> list[str]:
            calls.clear()
            return sorted(metastore.partition_names_within(table, ["ds", "hr"], ValueRange("2026-08-19")))

        with closing(HiveMetastore(server.uri, on_call=calls.append)) as metastore:
            deadline = time.monotonic() + 30
            # The server's statements from before fail once.
            while found(plain) != ["ds=2026-08-19/hr=7", "ds=2026-08-20/hr=7"] or calls != FILTERED:
                assert time.monotonic() < deadline, f"the server does not filter any more: {calls}"
            assert found(mixed) == ["ds=2026-08-19/hr=7", "ds=2026-08-20/hr=7", "ds=2026_08_19/hr=7"]
            assert calls == [*FILTERED, "get_partition_names"], "what the filter missed was noticed"
