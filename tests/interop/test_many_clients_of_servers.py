"""Eight clients of two servers that lose answers, Iceberg Java's HiveCatalog and this library change one view."""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx2
import pytest

from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.spec.metadata import ViewMetadata
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.engine import CommitSettings
from hive_views.views.view import View
from tests.interop.racing_writers import LOCKS, VERSION_EVERY, Write, java, ours, raced_view, text
from tests.support.failing.http_proxy import HttpProxy
from tests.support.java.iceberg_java import Iceberg
from tests.support.processes.rest_client import key, replacement
from tests.support.processes.rest_server import rest_server

pytestmark = pytest.mark.peer("iceberg-spark")

CLIENTS = 8
COMMITS_EACH = int(os.environ.get("COMMITS_EACH", "5"))
# Of every so many requests the answer is lost, and of others the request.
LOST_EVERY = 7
PATIENCE_S = 180.0
_NUMBER = re.compile(r"/(\d+)-[^/]*$")
_STEP = re.compile(r"'([a-z]+-?\d?) (\d+)'")
NAMES = [*(f"client-{number}" for number in range(CLIENTS)), "java", "ours"]


class _LosingProxy(HttpProxy):
    """It loses every so many commits or their answers, by turns."""

    def __init__(self, *addresses: str) -> None:
        super().__init__(*addresses)
        self.count = 0
        self.lost = 0

    def lose_some(self) -> None:
        with self._state:
            self.count += 1
            if self.count % LOST_EVERY == 0 and self._fault is None:
                self.lost += 1
                self._fault = (("answer", "request", "half")[self.lost % 3], lambda line: line.startswith("POST"))


def _client(client: httpx2.Client, proxy: _LosingProxy, name: str, view: View) -> Write:
    url = f"{proxy.address}/v1/hive/namespaces/{view.identifier.namespace}/views/{view.identifier.name}"

    def body(step: int) -> dict[str, Any]:
        if step % VERSION_EVERY == 0:
            namespace = {"default-namespace": [view.identifier.namespace]}
            return replacement(view.uuid, text(f"{name} {step}"), "hive", **namespace)
        updates = [{"action": "set-properties", "updates": {name: str(step)}}]
        return {"requirements": [{"type": "assert-view-uuid", "uuid": view.uuid}], "updates": updates}

    def write(step: int) -> None:
        sent, deadline = key(), time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            proxy.lose_some()
            try:
                answer = client.post(url, json=body(step), headers=sent)
            except httpx2.TransportError:
                # It may be done: the same again.
                continue
            if answer.status_code == 200:
                return
            # A certain refusal; anything else is no answer that a server may give here.
            assert answer.status_code == 409, answer.text
            sent = key()
        raise AssertionError(f"{name} does not come to step {step}")

    return write


def _steps(metadata: ViewMetadata) -> Mapping[str, int]:
    """The steps that were taken last, as a file records them: properties, and the texts of its versions."""
    reported = {name: int(metadata.properties[name]) for name in NAMES}
    for version in metadata.versions:
        found = _STEP.search(version.representations[0].model_dump()["sql"])
        if found:
            reported[found[1]] = max(reported[found[1]], int(found[2]))
    return reported


def test_every_commit_of_all_is_in_the_history_exactly_once(
    metastore_uri: str, namespace: str, tmp_path: Path, iceberg: Iceberg
) -> None:
    metastore = HiveMetastore(metastore_uri, lock_timeout_s=PATIENCE_S)
    settings = CommitSettings(retry_timeout_s=PATIENCE_S)
    with ExitStack() as stack:
        catalog = stack.enter_context(ViewCatalog(metastore, warehouse=str(tmp_path / "views"), settings=settings))
        view = raced_view(catalog, namespace, dict.fromkeys(NAMES, "0"))
        servers = [stack.enter_context(rest_server(metastore_uri, tmp_path, "--workers", "2")) for _ in range(2)]
        proxy = stack.enter_context(_LosingProxy(*(server.address for server in servers)))
        clients = {name: stack.enter_context(httpx2.Client(timeout=PATIENCE_S)) for name in NAMES[:CLIENTS]}
        writers = {name: _client(client, proxy, name, view) for name, client in clients.items()}
        writers |= {"java": java(iceberg, view, LOCKS), "ours": ours(catalog, view)}
        failed = threading.Event()

        def run(write: Write) -> None:
            try:
                for step in range(1, COMMITS_EACH + 1):
                    if failed.is_set():
                        return
                    write(step)
            except BaseException:
                failed.set()
                raise

        started = time.monotonic()
        with ThreadPoolExecutor(len(writers)) as pool:
            for future in [pool.submit(run, write) for write in writers.values()]:
                future.result()
        took = time.monotonic() - started

        storage = MetadataStorage()
        files = storage.list_metadata_files(view.metadata_location.rsplit("/", 1)[0])
        total = len(NAMES) * COMMITS_EACH
        print(f"{total} commits in {took:.0f} s, {proxy.lost} requests or answers lost")
        # A file is numbered one above its base: a number that is there twice was written over a commit.
        assert [int(match[1]) for match in map(_NUMBER.search, files) if match] == list(range(total + 1))
        taken: dict[str, list[int]] = {name: [] for name in NAMES}
        for before, after in pairwise(map(_steps, map(storage.read, files))):
            ((name, step),) = after.items() - before.items()
            taken[name].append(step)
        assert taken == {name: list(range(1, COMMITS_EACH + 1)) for name in NAMES}
        assert proxy.lost >= CLIENTS * COMMITS_EACH // LOST_EVERY
        current = catalog.load_view(view.identifier)
        assert current.metadata_location.rsplit("/", 1)[1] == files[-1].rsplit("/", 1)[1]
        # What Java has written last may need repair; nothing in it is unknown.
        assert [one for one in current.differences if one.kind == "drifted"] == []
