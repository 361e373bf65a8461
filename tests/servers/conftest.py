"""Every metastore that people run, in containers, one after the other for each test."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest

from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.engine import CommitSettings
from hive_views.views.commit.locking import LockMode
from tests.support.containers.metastores import MetastoreServer, MetastoreServers

SERVERS = [
    ("2.3.10", "postgres"),
    ("3.1.3", "postgres"),
    ("4.2.1", "postgres"),
    ("4.0.1", "mariadb"),
]


@pytest.fixture(scope="module", params=SERVERS, ids="-".join)
def server(request: pytest.FixtureRequest, metastore_servers: MetastoreServers) -> MetastoreServer:
    """A server that the whole session shares; tests leave it as it is."""
    return metastore_servers.shared(*request.param)


@pytest.fixture
def namespace(server: MetastoreServer) -> str:
    """A new namespace of the server."""
    return new_namespace(server)


@pytest.fixture
def catalog(server: MetastoreServer, tmp_path: Path) -> ViewCatalog:
    return catalog_on(server, tmp_path)


def new_namespace(server: MetastoreServer) -> str:
    name = f"test_{uuid.uuid4().hex[:12]}"
    server.client.create_namespace(name)
    return name


def catalog_on(server: MetastoreServer, directory: Path, lock: LockMode = "auto") -> ViewCatalog:
    """A catalog over the server's own client, whose files are below a directory of this machine."""
    settings = CommitSettings(lock=lock, mend_lock_timeout_s=0.5)
    return ViewCatalog(server.client, warehouse=str(directory / "views"), settings=settings)


def checks_swaps(server: MetastoreServer) -> bool:
    """What is known of the versions (HIVE-26882), and never given to the library."""
    return server.version != "3.1.3"
