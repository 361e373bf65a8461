"""Iceberg's compatibility kit on our server over REST: 50 of its 51 tests of views pass, and those of namespaces."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.interop.iceberg_kit.kit import JARS, Kit, Server, iceberg_kit
from tests.support.containers.engines import copy_files
from tests.support.containers.metastores import MetastoreServers
from tests.support.java.connectors import fetch_jars
from tests.support.processes.rest_server import rest_server

pytestmark = pytest.mark.connectors

# The others need names with dots or slashes, or more or fewer levels than the one that a metastore has.
NAMESPACE_TESTS = [
    "testCreateNamespace",
    "testCreateExistingNamespace",
    "testCreateNamespaceWithProperties",
    "testLoadNamespaceMetadata",
    "testSetNamespaceProperties",
    "testUpdateNamespaceProperties",
    "testUpdateAndSetNamespaceProperties",
    "testSetNamespacePropertiesNamespaceDoesNotExist",
    "testRemoveNamespaceProperties",
    "testRemoveNamespacePropertiesNamespaceDoesNotExist",
    "testDropNamespace",
    "testDropNonexistentNamespace",
    "testDropNonEmptyNamespace",
    "testListNamespaces",
    "testLoadTableWithNonExistingNamespace",
    "testListNonExistingNamespace",
]


_CLIENT_OF_HIVE_4 = "/opt/metastore/lib/hive-standalone-metastore-common-4.0.1.jar"


@pytest.fixture(scope="module")
def kit_jars(java: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    try:
        return fetch_jars(java, tmp_path_factory.mktemp("kit_jars"), JARS)
    except subprocess.SubprocessError as error:
        pytest.skip(f"Iceberg's tests cannot be fetched: {error}")


@pytest.fixture(scope="module")
def kit(java: Path, kit_jars: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kit]:
    with iceberg_kit(java, kit_jars, tmp_path_factory.mktemp("kit")) as started:
        yield started


def test_on_the_embedded_metastore(kit: Kit, metastore_uri: str, tmp_path: Path) -> None:
    _check(kit, metastore_uri, tmp_path)


def test_on_hive_3_1(kit: Kit, metastore_servers: MetastoreServers, tmp_path: Path) -> None:
    _check(kit, metastore_servers.shared("3.1.3", "postgres").uri, tmp_path)


def test_on_hive_4_0(java: Path, kit_jars: list[Path], metastore_servers: MetastoreServers, tmp_path: Path) -> None:
    metastore = metastore_servers.shared("4.0.1", "mariadb")
    client = copy_files(metastore.container, _CLIENT_OF_HIVE_4, tmp_path)
    with iceberg_kit(java, kit_jars, tmp_path, client) as kit:
        _check(kit, metastore.uri, tmp_path)


def _check(kit: Kit, metastore: str, scratch: Path) -> None:
    with rest_server(metastore, scratch) as ours:
        server = Server(ours.address, metastore, scratch / "tables")
        views = kit.test_views(server)
        namespaces = kit.test_namespaces(server, NAMESPACE_TESTS)
    # That one always aborts itself: no catalog of one level has a namespace without levels.
    assert (len(views.passed), views.aborted, views.failed) == (50, {"listViewsInEmptyNamespace"}, {}), str(views)
    assert (namespaces.passed, namespaces.aborted, namespaces.failed) == (set(NAMESPACE_TESTS), set(), {}), str(
        namespaces
    )
