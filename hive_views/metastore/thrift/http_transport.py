"""Thrift over HTTP: one POST for each call, through a proxy where the environment names one."""

from __future__ import annotations

import base64
import http.client
import io
import socket
import urllib.request
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit

from thrift.transport.TTransport import TTransportException

from hive_views.errors import UnsupportedFeatureError
from hive_views.metastore.thrift.auth import TLS, Auth
from hive_views.metastore.thrift.http_messages import describe, identity_of, status_error, text_of_body
from hive_views.metastore.thrift.wire import HTTPS, Endpoint, MetastoreSocket, Timeouts

_CONTENT_TYPE = "application/x-thrift"
_READ_BYTES = 1 << 20
_ERROR_BYTES = 1 << 12


class HttpTransport(MetastoreSocket):
    """A connection that sends each request once, and has read its whole answer when ``flush`` returns.

    The standard library's HTTP client repeats nothing, follows no redirection and connects no second time by itself;
    time-outs and limits are those of the socket below it. A server that ends each connection with its answer gets the
    next request on another one.
    """

    def __init__(
        self, endpoint: Endpoint, timeouts: Timeouts, tls: TLS | None, *, auth: Auth, headers: Mapping[str, str]
    ) -> None:
        super().__init__(endpoint, timeouts, (tls or TLS()) if endpoint.scheme == HTTPS else None)
        self._auth = auth
        self._headers = {"Content-Type": _CONTENT_TYPE, "Accept": _CONTENT_TYPE, "User-Agent": "hive_views", **headers}
        self._target = endpoint.path
        self._request = bytearray()
        self._answer = io.BytesIO()
        self._http = http.client.HTTPConnection(endpoint.host, endpoint.port)
        self._http.auto_open = 0
        self._ended_with_answer = False

    def open(self) -> None:
        super().open()
        self._ended_with_answer = False
        self._http.sock = _HttpSocket(super().write, self._receive)

    def isOpen(self) -> bool:  # noqa: N802 - Thrift's name
        """Whether a request can be sent."""
        return self._ended_with_answer or super().isOpen()

    def write(self, data: bytes) -> None:
        self._request += data

    def read(self, size: int) -> bytes:
        data = self._answer.read(size)
        if not data:
            raise TTransportException(TTransportException.END_OF_FILE, "its response is shorter than its message")
        return data

    def flush(self) -> None:
        """Send what was written, and read the answer.

        Raises:
            HttpStatusError: it has another status than 200.
            TTransportException: none came, or not as a whole.
            AuthenticationError: a token cannot be read; nothing was sent.
        """
        request, self._request = bytes(self._request), bytearray()
        identity = identity_of(self._auth)
        if self._ended_with_answer:
            self.open()
        self._opened()
        try:
            self._http.request("POST", self._target, request, {**self._headers, **identity})
            super().flush()
            self._answer = io.BytesIO(self._read_answer(identity))
        except http.client.HTTPException as error:
            raise _unreadable(error) from error

    def _read_answer(self, identity: Mapping[str, str]) -> bytes:
        response = self._http.getresponse()
        if response.status != http.HTTPStatus.OK:
            said = text_of_body(response.getheader("Content-Type", ""), response.read(_ERROR_BYTES), identity)
            raise status_error(response.status, response.reason, said, describe(self._auth))
        # Never as much at once as the server says it sends.
        parts = iter(lambda: response.read(_READ_BYTES), b"")
        answer = b"".join(parts)
        if response.length:
            raise http.client.IncompleteRead(b"")
        if response.will_close:
            self.close()
            self._ended_with_answer = True
        return answer

    def _receive(self, size: int) -> bytes:
        try:
            return super().read(size)
        except TTransportException as error:
            if error.type == TTransportException.END_OF_FILE:
                return b""  # which ends an answer that does not say how long it is
            raise

    def _connect(self) -> socket.socket:
        proxy = _proxy_of(self._endpoint)
        if proxy is None:
            return super()._connect()
        credentials = _credentials_of(proxy)
        through = http.client.HTTPConnection(proxy.hostname or "", proxy.port, timeout=self.timeouts.connect_s)
        if self._endpoint.scheme == HTTPS:
            through.set_tunnel(self._endpoint.host, self._endpoint.port, credentials)
        else:
            self._target = f"http://{self._endpoint.authority}{self._endpoint.path}"
            self._headers |= credentials
        try:
            through.connect()
        except OSError as error:
            text = f"the proxy {proxy.hostname}:{proxy.port} (environment) does not connect: {error.strerror or error}"
            raise TTransportException(TTransportException.NOT_OPEN, text) from error
        return through.sock


class _HttpSocket:
    """As much of a socket as the standard library's HTTP client needs of one."""

    def __init__(self, send: Callable[[bytes], None], receive: Callable[[int], bytes]) -> None:
        self.sendall = send
        self._receive = receive

    def makefile(self, mode: str) -> io.BufferedReader:  # noqa: ARG002 - always to read
        return io.BufferedReader(_Received(self._receive))

    def close(self) -> None:
        """The transport closes its socket itself, once it has read the answer."""


class _Received(io.RawIOBase):
    def __init__(self, receive: Callable[[int], bytes]) -> None:
        self._receive = receive

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._receive(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def _unreadable(error: http.client.HTTPException) -> TTransportException:
    if isinstance(error, http.client.RemoteDisconnected | http.client.IncompleteRead):
        return TTransportException(TTransportException.END_OF_FILE, "it closed the connection")
    if isinstance(error, http.client.BadStatusLine):
        text = f"this is no HTTP server: its response begins with {error.args[0][:20]!r}"
        return TTransportException(TTransportException.UNKNOWN, text)
    return TTransportException(TTransportException.UNKNOWN, f"its response is not HTTP ({type(error).__name__})")


def _proxy_of(endpoint: Endpoint) -> SplitResult | None:
    """The proxy of the usual variables (``HTTPS_PROXY``, ``HTTP_PROXY``, ``NO_PROXY``), or of the system."""
    kind = "https" if endpoint.scheme == HTTPS else "http"
    found = urllib.request.getproxies().get(kind)
    if not found or urllib.request.proxy_bypass(endpoint.authority):
        return None
    proxy = urlsplit(found if "://" in found else f"http://{found}")
    if proxy.scheme != "http" or not proxy.hostname:
        raise UnsupportedFeatureError(
            f"Cannot use the proxy of {kind.upper()}_PROXY for {endpoint}: it must be http://host:port. Leave it out "
            f"by NO_PROXY={endpoint.host}."
        )
    return proxy


def _credentials_of(proxy: SplitResult) -> dict[str, str]:
    if proxy.username is None:
        return {}
    pair = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}".encode()
    return {"Proxy-Authorization": f"Basic {base64.b64encode(pair).decode()}"}
