"""Proxies before HTTP servers: one loses what a test chooses, one only passes encrypted connections on."""

from __future__ import annotations

import base64
import re
import selectors
import socket
import struct
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
        self.methods: list[str] = []
        """The Thrift methods of the calls that came, in their order."""
        self.connections = 0
        self.keeps_alive = True
        """Whether connections stay open after an answer."""

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def lose(self, what: str, is_chosen: Callable[[str], bool] = lambda _: True) -> None:
        """Lose the ``request``, the ``answer``, or half of it (``half``), of the next request that is chosen: by its
        line, or by the Thrift method that it calls."""
        self._fault = (what, is_chosen)

    def is_lost(self) -> bool:
        """Whether what was to be lost has come, and is."""
        return self._fault is None

    def serve(self, connection: socket.socket) -> None:
        self.connections += 1
        while True:
            request = _read_http(connection)
            line = request.partition(b"\r\n")[0].decode()
            method = _method_in(request.partition(b"\r\n\r\n")[2])
            found = re.search(rb"(?i)\r\nidempotency-key: *([^\r]+)", request)
            with self._state:
                self.requests.append((line, found[1].decode() if found else None))
                self.methods += [method] if method else []
                fault, self._turn = self._fault, self._turn + 1
                lost = fault[0] if fault and fault[1](method or line) else None
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
            if not self.keeps_alive:
                answer = answer.replace(b"\r\n", b"\r\nConnection: close\r\n", 1)
            connection.sendall(answer[: len(answer) // 2] if lost == "half" else answer)
            if lost == "half" or not self.keeps_alive:
                return


def _read_http(connection: socket.socket, is_answer_to: str = "") -> bytes:
    """A whole message: its head, and as much as that says."""
    content = bytearray()
    while b"\r\n\r\n" not in content:
        content += _some(connection)
    head, _, body = bytes(content).partition(b"\r\n\r\n")
    found = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
    length = int(found[1]) if found and not is_answer_to.startswith("HEAD ") else 0
    is_chunked = re.search(rb"(?i)\r\ntransfer-encoding: *chunked", head) is not None
    while len(body) < length or (is_chunked and not body.endswith(b"0\r\n\r\n")):
        body += _some(connection)
    return head + b"\r\n\r\n" + body


def _some(connection: socket.socket) -> bytes:
    content = connection.recv(1 << 16)
    if not content:
        raise EOFError
    return content


def _method_in(body: bytes) -> str:
    if not body.startswith(b"\x80\x01\x00\x01"):
        return ""
    (length,) = struct.unpack("!i", body[4:8])
    return body[8 : 8 + length].decode()


class ConnectProxy(LoopbackServer):
    """A proxy that takes CONNECT alone, from ada with the password ``üs3cret``, and notes where to."""

    def __init__(self) -> None:
        super().__init__()
        self.asked_for: list[str] = []

    @property
    def address(self) -> str:
        return f"http://ada:%C3%BCs3cret@127.0.0.1:{self.port}"

    def serve(self, connection: socket.socket) -> None:
        head = _read_http(connection)
        _, target, _ = head.decode().split(" ", 2)
        self.asked_for.append(target)
        if base64.b64encode("ada:üs3cret".encode()) not in head:
            connection.sendall(b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n")
            return
        host, _, port = target.rpartition(":")
        with socket.create_connection((host, int(port)), PATIENCE_S) as server, selectors.DefaultSelector() as selector:
            connection.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            for one, other in ((connection, server), (server, connection)):
                selector.register(one, selectors.EVENT_READ, other)
            while True:
                for ready, _ in selector.select():
                    ready.data.sendall(_some(ready.fileobj))  # type: ignore[arg-type]
