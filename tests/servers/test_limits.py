"""Much of everything: partitions, text, parameters."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from hive_views.errors import InvalidPartitionError
from hive_views.hive.row import Partition
from hive_views.metastore.thrift._bindings.hms import ttypes
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.engine import CommitSettings
from hive_views.views.partitions.batches import BATCH, batches
from tests.servers.conftest import catalog_on, new_namespace
from tests.support.containers.metastores import MetastoreServer, MetastoreServers
from tests.support.views.catalog_setup import create

MANY = 8_000
# What a client keeps of each partition is its name; objects with parameters are there for a batch, on both sides of it.
MOST_OBJECTS = 4 * BATCH


def test_8_000_partitions_are_added_listed_and_dropped_and_the_client_keeps_names_only(
    metastore_servers: MetastoreServers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the server that is quickest at adding."""
    server = metastore_servers.shared("4.2.1", "postgres")
    catalog = catalog_on(server, tmp_path)
    view = create(catalog, f"{new_namespace(server)}.many", partitioned_on=["ds"])
    partitions = catalog.partitions(view.identifier)
    specs = ({"ds": f"day {number:06d}"} for number in range(MANY))
    text = "x" * 200
    while_written, while_loaded = Census(), Census()

    def watched_batches(names: Sequence[str]) -> Iterator[Sequence[str]]:
        for batch in batches(names):
            while_written()
            yield batch

    monkeypatch.setattr("hive_views.views.partitions.view_partitions.batches", watched_batches)

    def parameters(name: str) -> dict[str, str]:
        return {"note": f"{text} {name}"}

    assert len(partitions.add(specs, parameters=parameters)) == MANY
    for number, (_, found) in enumerate(partitions.load(), 1):
        assert found.parameters["note"].startswith(text)
        if number % BATCH == 0:
            while_loaded()
    assert number == MANY
    dropped = partitions.drop(where=lambda values: values["ds"] >= "day 000500")
    assert len(dropped) == MANY - 500
    assert len(partitions.names()) == 500
    assert 0 < while_written.most <= MOST_OBJECTS
    assert 0 < while_loaded.most <= MOST_OBJECTS


class Census:
    """Counts the objects of partitions that this process holds, ours and those of the wire, at every 4th call."""

    def __init__(self) -> None:
        self.most = self._calls = 0

    def __call__(self) -> None:
        self._calls += 1
        if self._calls % 4 == 0:
            alive = sum(isinstance(found, (Partition, ttypes.Partition)) for found in gc.get_objects())
            self.most = max(self.most, alive)


def test_a_text_of_200_kb_is_created_replaced_and_loaded(
    server: MetastoreServer, catalog: ViewCatalog, namespace: str
) -> None:
    cases = " ".join(f"WHEN user_id = {number} THEN '{'x' * 4_000} {number}'" for number in range(50))
    text = f"SELECT user_id, CASE {cases} END AS clicks, ds FROM web.clicks"
    assert len(text) > 200_000
    columns = [("user_id", "bigint"), ("clicks", "string"), ("ds", "string")]
    created = catalog.create_view(f"{namespace}.v", sql={"hive": text, "trino": text}, schema=columns)
    longer = text.replace("END AS", "ELSE 'none' END AS")
    catalog.replace_view(created.identifier, sql={"hive": longer, "trino": longer})
    loaded = ViewCatalog(server.client).load_view(created.identifier)
    assert loaded.original_sql("hive") == loaded.original_sql("trino") == longer
    assert loaded.row.original_text == longer
    assert loaded.differences == ()


def test_a_parameter_of_4000_characters_is_stored_with_a_partition_and_a_longer_one_refused_in_advance(
    server: MetastoreServer, catalog: ViewCatalog, namespace: str
) -> None:
    """MariaDB before Hive 4 would cut it silently, PostgreSQL fail."""
    view = create(catalog, f"{namespace}.v", partitioned_on=["ds"])
    partitions = catalog.partitions(view.identifier)
    with pytest.raises(InvalidPartitionError, match="4000"):
        partitions.add([{"ds": "a"}], parameters={"long": "x" * 4001})
    assert partitions.names() == []
    partitions.add([{"ds": "a"}], parameters={"long": "x" * 4000})
    with pytest.raises(InvalidPartitionError, match="4000"):
        partitions.set_parameters(["ds=a"], {"long": "y" * 4001})
    ((_, found),) = partitions.load()
    assert found.parameters["long"] == "x" * 4000


def test_a_property_of_a_view_may_be_as_long_as_its_text(
    server: MetastoreServer, catalog: ViewCatalog, namespace: str
) -> None:
    long = "x" * 200_000
    created = create(catalog, f"{namespace}.v", properties={"long": long})
    loaded = ViewCatalog(server.client).load_view(created.identifier)
    assert loaded.properties["long"] == loaded.row.parameters["long"] == long
    assert loaded.differences == ()


def test_a_call_that_takes_the_server_20_seconds_is_waited_for_by_default(
    metastore_servers: MetastoreServers, tmp_path: Path
) -> None:
    """So long a metastore repeats a failing statement before it reports it; a shorter wait makes unknown outcomes."""
    server = metastore_servers.shared("4.2.1", "postgres")
    with closing(HiveMetastore(server.uri)) as metastore:
        settings = CommitSettings(lock="never")
        catalog = ViewCatalog(metastore, warehouse=str(tmp_path), settings=settings)
        view = create(catalog, f"{new_namespace(server)}.v")
        catalog.alter_view(view.identifier, comment="nobody is in the way")
        held = 'BEGIN; LOCK TABLE "TABLE_PARAMS" IN EXCLUSIVE MODE; SELECT pg_sleep(21)'
        holder = threading.Thread(target=metastore_servers.execute, args=(server, held))
        holder.start()
        sleeping = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()"
        deadline = time.monotonic() + 30
        while metastore_servers.execute(server, sleeping) == "0":
            assert time.monotonic() < deadline
        start_s = time.monotonic()
        catalog.alter_view(view.identifier, comment="after a long wait")
        took_s = time.monotonic() - start_s
        holder.join()
        assert took_s > 15, "it has waited"
        assert catalog.load_view(view.identifier).comment == "after a long wait"
