"""Partitions on a real metastore with listeners that throw after its commit: what is there is not sent again."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from hive_views.cli.doctor.metastore_checks import examine
from hive_views.errors import HiveViewsError
from hive_views.persisted import PARTITION_DESCRIPTOR
from tests.faults.conftest import Site
from tests.faults.listener import READS_LOCATIONS, THROWN, Orders
from tests.support.failing.wire import PATIENCE_S

DAYS = [{"ds": f"2026-08-{day}"} for day in (21, 22)]
NAMES = ["ds=2026-08-21", "ds=2026-08-22"]


@pytest.fixture
def heard(listening: tuple[str, Orders], tmp_path: Path) -> Iterator[tuple[Site, Orders]]:
    uri, orders = listening
    namespace = f"heard_{uuid.uuid4().hex[:12]}"
    site = Site(uri, namespace, tmp_path / "warehouse")
    site.second.create_namespace(namespace)
    site.create()
    with site.proxy:
        yield site, orders
        site.close()
    assert orders.left() == []


def test_doctor_names_the_listeners_that_are_called_after_a_change(heard: tuple[Site, Orders]) -> None:
    site, _ = heard
    reported = {check.name: check.found for check in examine(site.second)}["listeners after a change"]
    assert reported.startswith("Throwing$AfterCommit, Throwing$AtTheEnd: ")


@pytest.mark.parametrize("thrown", [thrown for thrown in THROWN if thrown != "an AlreadyExistsException"])
def test_partitions_that_landed_are_added_whatever_a_listener_throws(heard: tuple[Site, Orders], thrown: str) -> None:
    site, orders = heard
    orders.throw("add_partitions", THROWN[thrown])
    assert site.second.partitions(site.name).add(DAYS) == NAMES
    assert site.second.partitions(site.name).names() == NAMES


def test_partitions_that_a_listener_says_exist_already_are_reported_to_be_there(heard: tuple[Site, Orders]) -> None:
    """Whoever has declared them: the server says of a call that something on the way sent twice the same."""
    site, orders = heard
    orders.throw("add_partitions", THROWN["an AlreadyExistsException"])
    with pytest.raises(HiveViewsError) as refusal:
        site.second.partitions(site.name).add(DAYS)
    assert refusal.value.partitions == NAMES


def test_partitions_refused_inside_of_the_transaction_are_added_with_empty_descriptors(
    heard: tuple[Site, Orders],
) -> None:
    """The same words as after the commit; what is there distinguishes them."""
    site, orders = heard
    orders.throw("add_partitions", READS_LOCATIONS, kind="transactional")
    assert site.second.partitions(site.name).add(DAYS) == NAMES
    view = site.second.load_view(site.name)
    assert view.metadata.properties[PARTITION_DESCRIPTOR] == "empty"
    assert {partition.has_descriptor for _, partition in site.second.partitions(site.name).load()} == {True}


@pytest.mark.parametrize("thrown", ["a runtime exception", "a NoSuchObjectException", "a MetaException"])
def test_partitions_that_are_gone_are_dropped_whatever_a_listener_throws(
    heard: tuple[Site, Orders], thrown: str
) -> None:
    site, orders = heard
    partitions = site.second.partitions(site.name)
    partitions.add(DAYS)
    orders.throw("drop_partitions", THROWN[thrown])
    assert partitions.drop(DAYS) == NAMES
    assert partitions.names() == []
    assert partitions.restore().added == []


@pytest.mark.parametrize("thrown", ["a runtime exception", "an InvalidOperationException"])
def test_parameters_that_are_there_are_set_whatever_a_listener_throws(heard: tuple[Site, Orders], thrown: str) -> None:
    site, orders = heard
    partitions = site.second.partitions(site.name)
    partitions.add(DAYS)
    orders.throw("alter_partitions", THROWN[thrown])
    partitions.set_parameters(NAMES, {"k": "v"})
    assert {one.parameters["k"] for _, one in partitions.load()} == {"v"}


def test_parameters_of_two_writers_at_once_are_all_kept(heard: tuple[Site, Orders]) -> None:
    """The second one comes on the wire between the reading and the writing of the first."""
    site, _ = heard
    site.second.partitions(site.name).add(DAYS)
    first = site.catalog(site.proxy.uri, lock="always").partitions(site.name)
    rival = site.catalog(site.proxy.uri, lock="always").partitions(site.name)
    asked = threading.Event()
    other = threading.Thread(target=rival.set_parameters, args=(NAMES, {"theirs": "1"}))

    def between() -> None:
        site.proxy.before("lock", asked.set)
        other.start()
        assert asked.wait(PATIENCE_S), "the other one does not ask for the lock"

    site.proxy.before("alter_partitions", between)
    first.set_parameters(NAMES, {"ours": "1"})
    other.join(PATIENCE_S)
    reported = [(one.parameters.get("ours"), one.parameters.get("theirs")) for _, one in first.load()]
    assert reported == [("1", "1")] * 2
