"""Servers with DbNotificationListener, which fails on partitions without a storage descriptor: they are published all
the same, and the listener notifies its readers of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import closing

import pytest
from hmsclient.genthrift.hive_metastore.ttypes import NotificationEventRequest

from hive_views import column, publish, requires
from hive_views.cli.doctor.metastore_checks import examine
from hive_views.metastore.thrift.failures import Call
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.persisted import PARTITION_DESCRIPTOR
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from hive_views.views.view import View
from tests.support.containers.metastores import MetastoreServer, MetastoreServers
from tests.support.failing.killing import SWAP
from tests.support.views.catalog_setup import COLUMNS, WIDER, WIDER_COLUMNS, create


@pytest.fixture(scope="module", params=["3.1.3", "4.2.1"])
def server(request: pytest.FixtureRequest, metastore_servers: MetastoreServers) -> Iterator[MetastoreServer]:
    with metastore_servers.own(
        request.param,
        "postgres",
        environment={"NOTIFICATION_LISTENER": "true"},
        # Else only proxy users may ask for events.
        settings={"hive.metastore.event.db.notification.api.auth": "false"},
    ) as server:
        yield server


@pytest.fixture
def view(catalog: ViewCatalog, namespace: str) -> View:
    return create(catalog, f"{namespace}.by_day", partitioned_on=["ds"])


def events_of(server: MetastoreServer, namespace: str) -> Counter[str]:
    """How many events of which kind the listener has kept of a namespace."""
    call = Call("get_next_notification", namespace)
    answer = server.client._pool.call(call, NotificationEventRequest(lastEvent=0, maxEvents=10_000))
    return Counter(event.eventType for event in answer.events if event.dbName == namespace)


def test_the_listener_is_seen_before_anything_is_written_and_doctor_reports_it(
    server: MetastoreServer, catalog: ViewCatalog, view: View
) -> None:
    with closing(HiveMetastore(server.uri)) as newcomer:
        newcomer.facts()
        assert newcomer.capabilities().takes_bare_partitions is False
        checks = {check.name: check for check in examine(ViewCatalog(newcomer, warehouse=catalog.warehouse))}
    assert checks["notification listener"].found.startswith("on: ")
    assert [check for check in checks.values() if check.ok is not True] == []


def test_partitions_are_added_with_an_empty_descriptor_which_the_view_remembers(
    server: MetastoreServer, catalog: ViewCatalog, view: View
) -> None:
    partitions = catalog.partitions(view.identifier)
    days = [f"2026-08-{day:02d}" for day in range(1, 11)]
    partitions.add([{"ds": day} for day in days[:5]], parameters={"note": "1"})
    assert catalog.load_view(view.identifier).metadata.properties[PARTITION_DESCRIPTOR] == "empty"
    catalog.partitions(view.identifier).add([{"ds": day} for day in days[5:]], parameters={"note": "1"})
    found = dict(catalog.partitions(view.identifier).load())
    assert sorted(found) == [f"ds={day}" for day in days]
    assert {(each.has_descriptor, each.parameters["note"]) for each in found.values()} == {(True, "1")}

    catalog.partitions(view.identifier).set_parameters([f"ds={days[0]}"], {"note": "2"})
    catalog.partitions(view.identifier).drop([{"ds": days[9]}])
    found = dict(catalog.partitions(view.identifier).load())
    assert found[f"ds={days[0]}"].parameters["note"] == "2"
    assert len(found) == 9
    events = events_of(server, view.identifier.namespace)
    assert events["CREATE_TABLE"] == 1
    assert events["ADD_PARTITION"] >= 2, "one for each call at least"
    assert events["ALTER_PARTITION"] + events["ALTER_PARTITIONS"] >= 1, "4.2 notifies of them together"
    assert events["DROP_PARTITION"] >= 1
    assert events["ALTER_TABLE"] >= 1


def test_columns_change_in_one_swap_since_the_descriptors_are_there(
    server: MetastoreServer, catalog: ViewCatalog, view: View
) -> None:
    catalog.partitions(view.identifier).add([{"ds": "2026-08-21"}])
    calls: list[str] = []
    with closing(HiveMetastore(server.uri, on_call=calls.append)) as metastore:
        ViewCatalog(metastore, catalog.storage).replace_view(
            view.identifier, sql={"hive": WIDER, "trino": WIDER}, schema=WIDER_COLUMNS
        )
    assert calls.count(SWAP) == 1
    assert catalog.load_view(view.identifier).differences == ()
    assert catalog.partitions(view.identifier).names() == ["ds=2026-08-21"]


def test_publishing_declares_what_is_ready(server: MetastoreServer, catalog: ViewCatalog, namespace: str) -> None:
    """A partitioned view depends on another."""
    base = create(catalog, f"{namespace}.base", partitioned_on=["ds"])
    catalog.partitions(base.identifier).add([{"ds": "2026-08-20"}, {"ds": "2026-08-21"}])
    text = f"SELECT user_id, clicks, ds FROM {base.identifier}"
    top = create(catalog, f"{namespace}.top", sql={"hive": text}, schema=COLUMNS, partitioned_on=["ds"])
    report = publish(
        catalog, str(top.identifier), requires(str(base.identifier), ds=column("ds")), since={"ds": "2026-08-01"}
    )
    assert sorted(report.added) == ["ds=2026-08-20", "ds=2026-08-21"]
    assert sorted(catalog.partitions(top.identifier).names()) == sorted(report.added)
    assert (
        publish(
            catalog, str(top.identifier), requires(str(base.identifier), ds=column("ds")), since={"ds": "2026-08-01"}
        ).added
        == ()
    )
    catalog.rename_view(top.identifier, f"{namespace}.renamed")
    assert len(catalog.partitions(f"{namespace}.renamed").names()) == 2
    catalog.drop_view(TableIdentifier(namespace, "renamed"))
    assert not catalog.view_exists(f"{namespace}.renamed")
