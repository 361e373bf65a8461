"""What users do to a process that has views on S3: run as ``python -m tests.stores.other_processes WHAT OPTIONS LAKE``.

Whatever waits for ever is ended by a signal, in children too, and leaves an exit status.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import signal
import sys
import threading
from concurrent.futures import ProcessPoolExecutor
from itertools import count

from hive_views import ViewCatalog
from hive_views.metastore.memory import MemoryMetastore
from hive_views.storage.file_systems import FileSystems
from hive_views.storage.files import fetch_ahead
from hive_views.storage.metadata_files import MetadataStorage

_DEADLINE_S = 120
_AZURE = {"account_name": "ada", "account_key": "bG92ZQ=="}


def commit(catalog: ViewCatalog, name: str) -> None:
    """Write two files, and read them from the store."""
    catalog.create_view(f"sales.{name}", sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")])
    view = catalog.alter_view(f"sales.{name}", comment="more")
    assert catalog.storage.read(view.metadata_location, cached=False) == view.metadata


def notebook(catalog: ViewCatalog) -> None:
    """Under a running event loop, and in threads that are at work when all ends."""
    commit(catalog, "first")
    location = catalog.load_view("sales.first").metadata_location
    begun = threading.Barrier(17)

    def work(number: int) -> None:
        for turn in count():
            commit(catalog, f"of_thread_{number}_{turn}")
            if not turn:
                begun.wait()

    async def cell() -> None:
        commit(catalog, "of_cell")
        for number in range(16):
            threading.Thread(target=work, args=(number,), daemon=True).start()
        await asyncio.to_thread(begun.wait)

    asyncio.run(cell())
    next(fetch_ahead(catalog.storage.read_bytes, [location] * 100))


def fork(catalog: ViewCatalog) -> None:
    commit(catalog, "before")
    # It needs no server to be opened, and to be closed at exit.
    FileSystems(_AZURE).open("abfs://lake/views")
    location = catalog.load_view("sales.before").metadata_location

    def ask() -> None:
        while True:
            catalog.storage.read_bytes(location)

    threading.Thread(target=ask, daemon=True).start()
    process = multiprocessing.get_context("fork").Process(target=_commit_in_time, args=(catalog, "of_process"))
    process.start()
    process.join()
    assert process.exitcode == 0
    # As a server does with its workers: they end as any program ends.
    child = os.fork()
    if not child:
        _commit_in_time(catalog, "of_child")
        return
    commit(catalog, "meanwhile")
    assert os.waitpid(child, 0)[1] == 0
    commit(catalog, "after")


def _commit_in_time(catalog: ViewCatalog, name: str) -> None:
    signal.alarm(_DEADLINE_S)
    commit(catalog, name)


def spawn(catalog: ViewCatalog) -> None:
    commit(catalog, "first")
    location = catalog.load_view("sales.first").metadata_location
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(catalog.storage.read_bytes, location).result() == catalog.storage.read_bytes(location)


PROCESSES = {one.__name__: one for one in (notebook, fork, spawn)}

if __name__ == "__main__":
    signal.alarm(_DEADLINE_S)
    what, options, lake = sys.argv[1:]
    metastore = MemoryMetastore()
    metastore.create_namespace("sales")
    PROCESSES[what](ViewCatalog(metastore, MetadataStorage(json.loads(options)), warehouse=f"{lake}/views"))
