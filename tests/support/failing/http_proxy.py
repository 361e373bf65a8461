"""A proxy before HTTP servers that loses the requests and answers that a test chooses."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable
from urllib.parse import urlsplit

from tests.support.failing.wire import PATIENCE_S, LoopbackServer


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
