"""Servers of object stores as fixtures, each started when it is first asked for; what asks has the mark ``peer``.

And the patience of their clients, which nobody waits for.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.processes.azure_server import AzureServer, azure_server
from tests.support.processes.gcs_server import GcsServer, gcs_server
from tests.support.processes.s3_server import S3Server, s3_server

# Else the newest client of GCS asks for the kind of each bucket by gRPC, which the server does not speak, for minutes.
# It looks at this when it is imported, whoever imports it first.
os.environ["GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT"] = "false"
_PEERS = {"s3": "moto", "azure": "azurite", "gcs": "fake-gcs-server"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for name in _PEERS.keys() & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.peer(_PEERS[name]))


@pytest.fixture(scope="session")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    with s3_server(tmp_path_factory.mktemp("s3")) as server:
        yield server


@pytest.fixture(scope="session")
def azure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AzureServer]:
    with azure_server(tmp_path_factory.mktemp("azure")) as server:
        yield server


@pytest.fixture(scope="session")
def gcs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GcsServer]:
    with gcs_server(tmp_path_factory.mktemp("gcs")) as server:
        yield server


@pytest.fixture
def waited(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """For how long clients would have waited before they repeated a request; they do not wait."""
    really, waits = asyncio.sleep, list[float]()

    async def sleep(delay: float, result: Any = None) -> Any:
        waits.append(delay)
        return await really(0, result)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    return waits
