"""The end of a server, of a worker and of a client in the midst of a commit: what has begun is done, or not at all."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest

from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from tests.support.failing.killing import SWAP, Halt
from tests.support.failing.wire import PATIENCE_S, WireProxy
from tests.support.processes.rest_client import creation, key, replacement
from tests.support.processes.rest_server import Server, rest_server


class Site:
    """A view that is committed to through servers, on a metastore whose wire a test can halt."""

    def __init__(self, hms: HiveMetastore, namespace: str, wire: WireProxy, directory: Path) -> None:
        self.hms, self.namespace, self.wire = hms, namespace, wire
        self.name = TableIdentifier(namespace, "daily")
        self._directory = directory

    @contextmanager
    def serving(self, workers: str) -> Iterator[Server]:
        """A server whose commits no lock of a dead one keeps waiting."""
        with rest_server(self.wire.uri, self._directory, "--workers", workers, HIVE_VIEWS_LOCK="never") as server:
            yield server

    def create(self, server: Server) -> dict[str, Any]:
        """Create the view; the body that replaces it."""
        url = f"{server.address}/v1/hive/namespaces/{self.namespace}/views"
        answer = httpx2.post(url, json=creation(), timeout=PATIENCE_S)
        assert answer.status_code == 200, answer.text
        return replacement(answer.json()["metadata"]["view-uuid"], "SELECT 5 AS id, '' AS ds")

    def commit(
        self, server: Server, body: dict[str, Any], headers: dict[str, str] | None = None, timeout: float = PATIENCE_S
    ) -> httpx2.Response:
        url = f"{server.address}/v1/hive/namespaces/{self.namespace}/views/daily"
        return httpx2.post(url, json=body, headers=headers, timeout=timeout)

    def versions(self) -> int:
        view = ViewCatalog(self.hms).load_view(self.name)
        assert view.differences == ()
        return len(view.versions)

    def halt(self) -> Halt:
        """Halt the next commit before the metastore sees it."""
        halt = Halt()
        self.wire.before(SWAP, halt)
        return halt


@pytest.fixture
def site(hms: HiveMetastore, metastore_uri: str, namespace: str, tmp_path: Path) -> Iterator[Site]:
    with WireProxy.before_uri(metastore_uri) as wire:
        yield Site(hms, namespace, wire, tmp_path / "servers")


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.05)


def accepts(server: Server) -> bool:
    """Whether somebody new can connect."""
    split = urlsplit(server.address)
    try:
        socket.create_connection((split.hostname, split.port), 1).close()
    except OSError:
        return False
    return True


@pytest.mark.parametrize(("workers", "end"), [("1", signal.SIGTERM), ("2", signal.SIGTERM), ("1", signal.SIGINT)])
def test_an_end_finishes_what_has_begun_and_takes_nothing_new(site: Site, workers: str, end: signal.Signals) -> None:
    with site.serving(workers) as server:
        body, halt = site.create(server), site.halt()
        answers: list[httpx2.Response] = []
        client = threading.Thread(target=lambda: answers.append(site.commit(server, body)))
        client.start()
        assert halt.reached.wait(PATIENCE_S)
        server.process.send_signal(end)
        wait_until(lambda: not accepts(server))
        assert server.process.poll() is None
        halt.release()
        client.join(PATIENCE_S)
        assert [answer.status_code for answer in answers] == [200]
        assert server.process.wait(PATIENCE_S) == 0
    assert site.versions() == 2


@pytest.mark.parametrize("point", ["before", "after"])
def test_a_worker_that_is_killed_is_replaced_and_its_commit_can_come_again(site: Site, point: str) -> None:
    with site.serving("2") as server:
        body, sent = site.create(server), key()
        wait_until(lambda: len(server.workers()) == 2)
        killed = server.workers()

        def kill() -> None:
            for worker in killed:
                os.kill(worker, signal.SIGKILL)
            if point == "before":
                site.wire.drop_request(SWAP)

        at = getattr(site.wire, point)
        # The first is the question whether the metastore checks swaps.
        at(SWAP, lambda: None)
        at(SWAP, kill)
        with pytest.raises(httpx2.TransportError):
            site.commit(server, body, sent)
        wait_until(lambda: len(server.workers()) == 2 and not set(killed) & set(server.workers()))
        assert site.versions() == (1 if point == "before" else 2)
        assert site.commit(server, body, sent).status_code == 200
        assert site.versions() == 2
        assert server.end() == 0


def test_workers_end_when_nobody_is_left_who_could_end_them(site: Site) -> None:
    with site.serving("2") as server:
        wait_until(lambda: len(server.workers()) == 2)
        server.process.kill()
        server.process.wait(PATIENCE_S)
        wait_until(lambda: not accepts(server))


def test_a_commit_whose_client_has_gone_is_done_whole(site: Site) -> None:
    with site.serving("1") as server:
        body, halt = site.create(server), site.halt()
        with pytest.raises(httpx2.TimeoutException):
            site.commit(server, body, timeout=1)
        assert halt.reached.wait(PATIENCE_S)
        halt.release()
        # It ends when what has begun is done.
        assert server.end() == 0
        assert site.versions() == 2
