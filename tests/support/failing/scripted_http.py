"""An HTTP server that answers as it is told, alone or in front of another one: how object stores fail."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

_FORWARDED_IN_S = 60.0
_DRIP_S = 0.02


@dataclass(frozen=True)
class Said:
    """An answer.

    Attributes:
        missing_bytes: how many fewer are sent than the head of the answer says.
        ends_by_reset: the connection is reset after the body, and not closed.
        is_silent: nothing is sent until the server is closed.
        drips: the body is sent byte by byte, so slowly that no client notices silence, and none sees its end.
    """

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    missing_bytes: int = 0
    ends_by_reset: bool = False
    is_silent: bool = False
    drips: bool = False


class ScriptedHttp:
    """A running server.

    Args:
        behind: the address of the server behind it.
        host: where it listens; containers reach it at 0.0.0.0.
        tls: what it encrypts connections by.

    Attributes:
        says: what is answered to a method and path; None where the server behind it is asked.
        forwards: with which headers the server behind is asked, given those of a request.
        spoils: what is answered to a method, given what the server behind has answered.
        requests: each method with its path, in their order.
        headers: those of each request.
        bodies: what each request carries.
    """

    def __init__(
        self, behind: str | None = None, host: str = "127.0.0.1", *, tls: ssl.SSLContext | None = None
    ) -> None:
        self._behind = behind
        self.reset()
        self.closed = threading.Event()
        scripted = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                scripted.requests.append(f"{self.command} {self.path}")
                scripted.headers.append(self.headers)
                scripted.bodies.append(body)
                said = scripted.says(self.command, self.path)
                if said is None:
                    answer = _asked(behind, self, body, scripted.forwards(dict(self.headers)))
                    said = scripted.spoils(self.command, answer)
                if said.is_silent:
                    scripted.closed.wait()
                    self.close_connection = True
                    return
                self.send_response(said.status)
                for name, value in said.headers.items():
                    self.send_header(name, value)
                if "content-length" not in map(str.lower, said.headers):
                    self.send_header("Content-Length", str(len(said.body) + said.missing_bytes))
                self.end_headers()
                for byte in said.body if said.drips else b"":
                    self.wfile.write(bytes([byte]))
                    scripted.closed.wait(_DRIP_S)
                if self.command != "HEAD" and not said.drips:
                    self.wfile.write(said.body)
                if said.missing_bytes:
                    self.close_connection = True
                if said.ends_by_reset:
                    self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    self.connection.close()

            do_GET = do_PUT = do_HEAD = do_POST = do_DELETE = _answer  # noqa: N815 - as http.server calls them

            def log_message(self, *arguments: Any) -> None:
                pass

        self._server = ThreadingHTTPServer((host, 0), Handler)
        if tls is not None:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)
        self.url = f"http{'s' if tls else ''}://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def reset(self) -> None:
        """Be as a new server is, at the same address: a client of it can be used again, and takes long to make."""
        behind = self._behind
        self.says: Callable[[str, str], Said | None] = lambda method, path: None if behind else Said()
        self.forwards: Callable[[dict[str, str]], Mapping[str, str]] = lambda headers: headers
        self.spoils: Callable[[str, Said], Said] = lambda method, answer: answer
        self.requests: list[str] = []
        self.headers: list[Message] = []
        self.bodies: list[bytes] = []

    def always(self, said: Said) -> None:
        """Answer everything so."""
        self.says = lambda method, path: said

    def close(self) -> None:
        self.closed.set()
        self._server.shutdown()
        self._server.server_close()


def _asked(behind: str | None, handler: BaseHTTPRequestHandler, body: bytes, headers: Mapping[str, str]) -> Said:
    connection = http.client.HTTPConnection(urlsplit(str(behind)).netloc, timeout=_FORWARDED_IN_S)
    try:
        connection.request(handler.command, handler.path, body, headers)
        answer = connection.getresponse()
        left_out = ("connection", "transfer-encoding", "server", "date")
        answered = {name: value for name, value in answer.getheaders() if name.lower() not in left_out}
        return Said(answer.status, answer.read(), answered)
    finally:
        connection.close()


def s3_error(status: int, code: str, **headers: str) -> Said:
    """What S3 refuses by."""
    body = f"<Error><Code>{code}</Code><Message>as told</Message></Error>" if code else ""
    return Said(status, body.encode(), headers)


def gcs_error(status: int, code: str) -> Said:
    """What Google's JSON interface refuses by."""
    error = {"code": status, "message": "as told", "errors": [{"reason": code}]}
    return Said(status, json.dumps({"error": error}).encode(), {"Content-Type": "application/json"})


def azure_error(status: int, code: str) -> Said:
    """What Azure's blob storage refuses by."""
    body = f'<?xml version="1.0" encoding="utf-8"?><Error><Code>{code}</Code><Message>as told</Message></Error>'
    return Said(status, body.encode(), {"x-ms-error-code": code, "Content-Type": "application/xml"})
