"""Many clients at once who load views over REST for minutes, and what that leaves in the server."""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from hive_views.views.catalog import ViewCatalog
from tests.benchmarks.figures import MEBIBYTES, PIECES, Figure
from tests.benchmarks.rest_client import RestClient
from tests.support.processes.rest_server import rest_server

READERS = 200
REQUESTS, SECONDS = 100_000, 180.0
VERSIONS = (1, 10, 100)
_WARM_UP_S, _LOOK_EVERY_S = 30.0, 3.0
_NAMESPACE = "readers"
# What is closed and opened again makes numbers differ by a few.
_FLAT = 1.05


@dataclass
class Seen:
    """What the processes of a server had, each time that was looked at: memory in bytes, threads, open files."""

    memory: list[float] = field(default_factory=list)
    threads: list[float] = field(default_factory=list)
    files: list[float] = field(default_factory=list)

    def look(self, processes: Sequence[int]) -> None:
        stated = [Path(f"/proc/{process}/status").read_text().splitlines() for process in processes]
        of_all = [dict(line.split(":", 1) for line in lines) for lines in stated]
        self.memory.append(sum(int(one["VmRSS"].split()[0]) * 1024 for one in of_all))
        self.threads.append(sum(int(one["Threads"]) for one in of_all))
        self.files.append(sum(len(list(Path(f"/proc/{process}/fd").iterdir())) for process in processes))

    def figures(self) -> Iterator[Figure]:
        """The last quarter beside the first."""
        quarter = len(self.memory) // 4
        for what, values, unit in (
            ("memory", self.memory, MEBIBYTES),
            ("threads", self.threads, PIECES),
            ("open files and connections", self.files, PIECES),
        ):
            figure = f"REST: {READERS} readers: {what} at the end, beside the beginning"
            yield Figure(figure, values[-quarter:], values[:quarter], _FLAT, unit)


def measure_readers(uri: str, directory: Path) -> Iterator[Figure]:
    """All figures on the metastore at ``uri``, with files under ``directory``."""
    with rest_server(uri, directory / "serve") as server, ViewCatalog.connect(uri) as catalog:
        catalog.create_namespace(_NAMESPACE, location=f"file:{directory}/{_NAMESPACE}")
        with RestClient(server.address, _NAMESPACE) as client:
            paths = [f"/v1{client.view(_make(client, versions))}" for versions in VERSIONS]
        crowd = _Crowd(server.address, paths)
        asyncio.run(crowd.read())
        yield Figure(f"REST: a load of {READERS} readers at once", crowd.seconds, [], None)
        # That none of them waits for long while others are served.
        yield Figure(f"REST: loads of each of {READERS} readers", crowd.of_each, [], None, PIECES)
        yield from crowd.seen.figures()


def _make(client: RestClient, versions: int) -> str:
    name = f"of_{versions}"
    client.create(name, versions_kept=versions)
    for number in range(1, versions):
        client.commit(name, number)
    return name


class _Crowd:
    def __init__(self, address: str, paths: Sequence[str]) -> None:
        split = urlsplit(address)
        self._host, self._port, self._paths = split.hostname, split.port, paths
        self._processes = _processes()
        self.seen = Seen()
        self.seconds: list[float] = []
        self.of_each: list[float] = [0.0] * READERS

    async def read(self) -> None:
        self._started_s = time.monotonic()
        await asyncio.gather(self._look(), *(self._load(number) for number in range(READERS)))

    async def _look(self) -> None:
        await asyncio.sleep(_WARM_UP_S)
        while self._goes_on():
            self.seen.look(self._processes)
            await asyncio.sleep(_LOOK_EVERY_S)

    def _goes_on(self) -> bool:
        return len(self.seconds) < REQUESTS or time.monotonic() - self._started_s < SECONDS

    async def _load(self, number: int) -> None:
        reader, writer = await asyncio.open_connection(self._host, self._port, limit=2**24)
        while self._goes_on():
            path = self._paths[(number + int(self.of_each[number])) % len(self._paths)]
            started = time.perf_counter()
            writer.write(f"GET {path} HTTP/1.1\r\nHost: {self._host}\r\n\r\n".encode())
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            assert head.startswith("http/1.1 200 "), head
            await reader.readexactly(int(head.partition("content-length: ")[2].partition("\r\n")[0]))
            self.seconds.append(time.perf_counter() - started)
            self.of_each[number] += 1
        writer.close()
        await writer.wait_closed()


def _processes() -> list[int]:
    """The server that was started here, and its workers."""
    listed = subprocess.run(["ps", "-ww", "-e", "-o", "pid=,ppid=,args="], check=True, capture_output=True, text=True)
    found: set[int] = set()
    for line in sorted(listed.stdout.splitlines(), key=lambda line: int(line.split()[0])):
        process, parent, arguments = line.split(maxsplit=2)
        if (int(parent) == os.getpid() and " serve " in arguments) or int(parent) in found:
            found.add(int(process))
    return sorted(found)
