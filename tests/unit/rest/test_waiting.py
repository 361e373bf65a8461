"""Requests that wait, and those that do not wait for them."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

from hive_views.metastore.memory import MemoryMetastore
from tests.support.failing.wire import PATIENCE_S
from tests.support.processes.rest_client import VIEW, VIEWS, creation, replacement, rest_client
from tests.support.views.quick_catalog import NAME


def test_readers_do_not_wait_for_writers_who_wait_for_a_lock() -> None:
    calls: list[str] = []
    metastore = MemoryMetastore(on_call=calls.append)
    with rest_client(metastore, threads=1) as client, ThreadPoolExecutor() as threads:
        view = client.post(VIEWS, json=creation()).json()["metadata"]["view-uuid"]
        lock = metastore.lock(NAME)
        assert lock
        calls.clear()
        try:
            commit = threads.submit(client.post, VIEW, json=replacement(view, "SELECT 1 AS id, '' AS ds"))
            deadline = time.monotonic() + PATIENCE_S
            while "lock" not in calls and time.monotonic() < deadline:
                time.sleep(0.001)
            load = threads.submit(client.get, VIEW)
            assert load.result(PATIENCE_S).status_code == 200
            assert not commit.done()
        finally:
            lock.release()
        assert commit.result(PATIENCE_S).status_code == 200
