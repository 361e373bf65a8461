"""``hive-views serve`` as processes that a test ends or kills, behind a proxy that loses what a test chooses."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx2

from tests.support.failing.wire import PATIENCE_S, LoopbackServer

_COMMAND = (sys.executable, "-c", "from hive_views.cli import main; main()")
_ROOT = Path(__file__).parents[3]


@dataclass
class Server:
    """A server: its process, where it listens, and its log."""

    process: subprocess.Popen[bytes]
    address: str
    log: Path

    def workers(self) -> list[int]:
        """The process ids of its workers."""
        listed = subprocess.run(
            ["ps", "-ww", "-o", "pid=,args=", "--ppid", str(self.process.pid)],
            capture_output=True,
            text=True,
            check=False,
        )
        return [int(line.split()[0]) for line in listed.stdout.splitlines() if "spawn_main" in line]

    def answers(self) -> bool:
        """Whether it answers a request on a new connection."""
        try:
            return httpx2.get(f"{self.address}/healthz", timeout=5).status_code == 200
        except httpx2.TransportError:
            return False

    def end(self) -> int:
        """End it, and return its exit code."""
        self.process.terminate()
        return self.process.wait(PATIENCE_S)


@contextmanager
def serving(uri: str, scratch: Path, *options: str, **variables: str) -> Iterator[Server]:
    """A server of the metastore at ``uri`` that answers; it is ended with the block if it still runs.

    ``variables`` are of its environment.
    """
    scratch.mkdir(parents=True, exist_ok=True)
    log = scratch / f"serve-{uuid.uuid4().hex[:8]}.log"
    # Settings of whoever runs the tests are not its own.
    own = {key: text for key, text in os.environ.items() if not key.startswith("HIVE_VIEWS_")}
    with log.open("wb") as file:
        process = subprocess.Popen(
            [*_COMMAND, "--uri", uri, "serve", "--port", "0", *options],
            env={**own, "PYTHONPATH": str(_ROOT), "XDG_CONFIG_HOME": str(scratch), **variables},
            cwd=scratch,
            stdout=subprocess.DEVNULL,
            stderr=file,
        )
    try:
        yield _started(process, log)
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(PATIENCE_S)
        process.kill()
        process.wait()


def _started(process: subprocess.Popen[bytes], log: Path) -> Server:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline and process.poll() is None:
        found = re.search(r"^Serving .* at (\S+) until ", log.read_text(), re.MULTILINE)
        if found:
            server = Server(process, found[1], log)
            while not server.answers() and time.monotonic() < deadline:
                time.sleep(0.05)
            return server
        time.sleep(0.05)
    process.kill()
    raise RuntimeError(f"the server does not start:\n{log.read_text()}")


class HttpProxy(LoopbackServer):
    """A proxy before servers of which it takes the next one for each request, and loses what a test chooses.

    Faults hold for the next requests that are chosen. An answer is lost only after the server has given it.
    """

    def __init__(self, *addresses: str) -> None:
        super().__init__()
        self._targets = [(urlsplit(one).hostname, urlsplit(one).port) for one in addresses]
        self._turn = 0
        self._fault: tuple[str, Callable[[str], bool]] | None = None
        self.requests: list[tuple[str, str | None]] = []
        """What came: the line of the request, and its Idempotency-Key."""

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def lose(self, what: str, is_chosen: Callable[[str], bool] = lambda _: True) -> None:
        """Lose the ``request``, the ``answer``, or half of it (``half``), of the next request whose line is chosen."""
        self._fault = (what, is_chosen)

    def is_lost(self) -> bool:
        """Whether what was to be lost has come, and is."""
        return self._fault is None

    def serve(self, connection: socket.socket) -> None:
        while True:
            request = _read_http(connection)
            line = request.partition(b"\r\n")[0].decode()
            found = re.search(rb"(?i)\r\nidempotency-key: *([^\r]+)", request)
            with self._state:
                self.requests.append((line, found[1].decode() if found else None))
                fault, self._turn = self._fault, self._turn + 1
                lost = fault[0] if fault and fault[1](line) else None
                if lost:
                    self._fault = None
                target = self._targets[self._turn % len(self._targets)]
            if lost == "request":
                return
            with socket.create_connection(target, PATIENCE_S) as server:
                server.sendall(request)
                answer = _read_http(server, is_answer_to=line)
            if lost == "answer":
                return
            connection.sendall(answer[: len(answer) // 2] if lost == "half" else answer)
            if lost == "half":
                return


def _read_http(connection: socket.socket, is_answer_to: str = "") -> bytes:
    """A whole message: its head, and as much as that says."""
    content = bytearray()
    while b"\r\n\r\n" not in content:
        content += _some(connection)
    head, _, body = bytes(content).partition(b"\r\n\r\n")
    found = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
    length = int(found[1]) if found and not is_answer_to.startswith("HEAD ") else 0
    while len(body) < length:
        body += _some(connection)
    return head + b"\r\n\r\n" + body


def _some(connection: socket.socket) -> bytes:
    content = connection.recv(1 << 16)
    if not content:
        raise EOFError
    return content
