"""The wire to a Hive Metastore: its addresses, the socket with its time-outs, and the strict binary protocol."""

from __future__ import annotations

import selectors
import socket
import struct
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from thrift.protocol.TBinaryProtocol import TBinaryProtocolAccelerated
from thrift.protocol.TProtocol import TProtocolException
from thrift.transport.TTransport import TTransportBase, TTransportException

from hive_views.errors import InvalidInputError
from hive_views.metastore.thrift.auth import JWT, TLS, Auth
from hive_views.metastore.thrift.http_messages import identity_of

DEFAULT_PORT = 9083
BINARY, HTTP, HTTPS = "thrift", "thrift+http", "thrift+https"
_DEFAULT_PATH = "/metastore"  # metastore.client.thrift.http.path, which servers read too
# Above all that a metastore sends, and small enough that a length made of garbage allocates nothing worth speaking of.
_LONGEST_STRING_BYTES = 1 << 27
_LONGEST_CONTAINER = 1 << 24
# As much as Hive's own clients take (HIVE-26633), and ten times the names of a million partitions.
_LARGEST_ANSWER_BYTES = 1 << 30
# An answer that comes without a pause may take so many times the longest pause: by default ten minutes, in which the
# largest one comes over 15 Mbit/s. One setting is enough, because who knows of a slow line or a slow server raises it.
_PAUSES = 10
_READ_BYTES = 1 << 20


@dataclass(frozen=True)
class Endpoint:
    """Host and port of a metastore; over HTTP with the path of its address, which begins with a slash."""

    host: str
    port: int = DEFAULT_PORT
    scheme: str = BINARY
    path: str = ""

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}{self.path}"

    @property
    def authority(self) -> str:
        """Host and port, as in a URI."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_uris(uris: str | Sequence[str]) -> tuple[Endpoint, ...]:
    """The endpoints of ``thrift://a:9083,thrift://b``, ``thrift://a:9083,b:9083`` or a list of such, in their order.

    Over HTTP they are ``thrift+http://a:9083/path`` or ``thrift+https://...``; the path is ``/metastore`` by default.

    Raises:
        InvalidInputError: there is none, or one is not a Thrift address.
    """
    texts = [uris] if isinstance(uris, str) else uris
    parts = [part.strip() for text in texts for part in text.split(",") if part.strip()]
    if not parts:
        raise InvalidInputError("No metastore is given: write its address as thrift://host:9083.")
    for text in texts:
        if "@" in text:
            # What stands before it may be a password, commas and slashes included.
            shown = f"***@{text.rpartition('@')[2]}"
            raise InvalidInputError(
                f"Cannot use {shown!r} as the address of a metastore: it must not contain a user or a password. Write "
                f"thrift://host:9083, and give them as auth=Plain(user, password), or as the settings of these names.",
            )
    endpoints = tuple(_parse_uri(part) for part in parts)
    if any(endpoint.scheme != BINARY for endpoint in endpoints) and not all("://" in part for part in parts):
        raise InvalidInputError(
            f"Cannot use {','.join(parts)!r} as addresses of a metastore: over HTTP each needs its scheme and path."
        )
    return endpoints


def _parse_uri(uri: str) -> Endpoint:
    split = urlsplit(uri if "://" in uri else f"{BINARY}://{uri}")
    path = (split.path or _DEFAULT_PATH) if split.scheme in (HTTP, HTTPS) else ""
    try:
        host, port = split.hostname, split.port
        (host or "").encode("idna")  # as it is looked up
        path.encode("ascii")
    except ValueError:
        host, port = None, None
    is_clean = path.isprintable() and " " not in path and not split.query and not split.fragment
    if split.scheme not in (BINARY, HTTP, HTTPS) or not host or not is_clean or (not path and split.path.strip("/")):
        raise InvalidInputError(
            f"Cannot use {uri!r} as the address of a metastore: write thrift://host:9083, or over HTTP "
            f"thrift+http://host:9083/path or thrift+https://host:9083/path; several with commas between.",
        )
    return Endpoint(host, DEFAULT_PORT if port is None else port, split.scheme, path)


def check_ways(endpoints: Sequence[Endpoint], auth: Auth, tls: TLS | None) -> None:
    """Whether addresses, authentication and encryption go together.

    Raises:
        InvalidInputError: they do not; before anything is sent.
    """
    for endpoint in endpoints:
        if endpoint.scheme == HTTP and tls is not None:
            raise InvalidInputError(f"{endpoint} is not encrypted: write {HTTPS}:// to use TLS.")
        if endpoint.scheme == BINARY and isinstance(auth, JWT):
            auth.open(None, endpoint.host)
        if endpoint.scheme != BINARY and not isinstance(auth, JWT):
            identity_of(auth)


@dataclass(frozen=True)
class Timeouts:
    """Seconds to wait for a connection, for the next bytes of an answer, and for room to send a request.

    The answer's default is above the 20 s that servers spend on repeating a failed statement before they answer. A
    whole answer may take ten times as long, however its bytes are spread over that time.
    """

    connect_s: float = 10.0
    read_s: float = 60.0
    write_s: float = 60.0

    def __post_init__(self) -> None:
        for name, seconds in vars(self).items():
            if not seconds > 0:
                raise InvalidInputError(f"Cannot use a time-out of {seconds!r} seconds ({name}): give more than 0.")

    @property
    def answer_s(self) -> float:
        """Seconds to wait for the last byte of an answer."""
        return _PAUSES * self.read_s


class MetastoreSocket(TTransportBase):  # type: ignore[misc]
    """A socket with a time-out of its own for each of its three jobs, which knows whether a request has left.

    ``sent`` is set when all bytes of a request were taken by the network; a caller resets it before each request. What
    comes then, until the next request, is one answer, and bounded as a whole, in bytes and in time.
    """

    def __init__(self, endpoint: Endpoint, timeouts: Timeouts, tls: TLS | None) -> None:
        self._endpoint = endpoint
        self.timeouts = timeouts
        self._tls = tls
        self._socket: socket.socket | None = None
        self.sent = False
        self._expect_answer()

    def open(self) -> None:
        self.close()
        plain = self._connect()
        try:
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            self._socket = plain if self._tls is None else self._tls.wrap(plain, self._endpoint.host)
        except BaseException:
            plain.close()
            raise

    def _connect(self) -> socket.socket:
        return socket.create_connection((self._endpoint.host, self._endpoint.port), self.timeouts.connect_s)

    def isOpen(self) -> bool:  # noqa: N802 - Thrift's name
        """Whether nothing unexpected has arrived; a server that has gone away has left an end of file."""
        if self._socket is None:
            return False
        with selectors.DefaultSelector() as selector:
            selector.register(self._socket, selectors.EVENT_READ)
            return not selector.select(0)

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def read(self, size: int) -> bytes:
        wire = self._opened()
        left_s = self._answer_ends_s - time.monotonic()
        try:
            if left_s <= 0:
                raise TimeoutError
            wire.settimeout(min(self.timeouts.read_s, left_s))
            data = wire.recv(min(size, _READ_BYTES))
        except TimeoutError as error:
            message = (
                f"its response was incomplete after {self.timeouts.answer_s:g} s, {_PAUSES} times read_timeout_s"
                if left_s < self.timeouts.read_s
                else f"no data arrived within {self.timeouts.read_s:g} s"
            )
            raise TTransportException(TTransportException.TIMED_OUT, message) from error
        if not data:
            raise TTransportException(TTransportException.END_OF_FILE, "it closed the connection")
        self._answer_bytes += len(data)
        self._check_size(0)
        return data

    def readAll(self, sz: int) -> bytes:  # noqa: N802 - Thrift's name; its own version copies once for every chunk
        self._check_size(sz)
        chunks = []
        while sz > 0:
            chunks.append(self.read(sz))
            sz -= len(chunks[-1])
        return b"".join(chunks)

    def write(self, data: bytes) -> None:
        wire = self._opened()
        wire.settimeout(self.timeouts.write_s)
        try:
            wire.sendall(data)
        except TimeoutError as error:
            message = f"it accepted no data for {self.timeouts.write_s:g} s"
            raise TTransportException(TTransportException.TIMED_OUT, message) from error

    def flush(self) -> None:
        self.sent = True
        self._expect_answer()

    def _expect_answer(self) -> None:
        self._answer_bytes = 0
        self._answer_ends_s = time.monotonic() + self.timeouts.answer_s

    def _check_size(self, more: int) -> None:
        if self._answer_bytes + more > _LARGEST_ANSWER_BYTES:
            message = f"its response is larger than {_LARGEST_ANSWER_BYTES >> 20} MiB"
            raise TTransportException(TTransportException.SIZE_LIMIT, message)

    def _opened(self) -> socket.socket:
        if self._socket is None:
            raise TTransportException(TTransportException.NOT_OPEN, "the connection is closed")
        return self._socket


class MetastoreProtocol(TBinaryProtocolAccelerated):  # type: ignore[misc]
    """The binary protocol, strict: an answer must begin like one, and answer the call that was made."""

    def __init__(self, transport: TTransportBase) -> None:
        super().__init__(
            transport, string_length_limit=_LONGEST_STRING_BYTES, container_length_limit=_LONGEST_CONTAINER
        )
        self._asked = ""
        fast = getattr(self, "_fast_decode", None)
        if fast is not None:
            self._fast_decode = partial(_decode, fast)

    def writeMessageBegin(self, name: str, type: int, seqid: int) -> None:  # noqa: A002, N802 - Thrift's names
        self._asked = name
        super().writeMessageBegin(name, type, seqid)

    def readMessageBegin(self) -> tuple[str, int, int]:  # noqa: N802 - Thrift's name
        opening = self.trans.readAll(4)
        (version,) = struct.unpack("!i", opening)
        if version & self.VERSION_MASK != self.VERSION_1:
            raise TProtocolException(TProtocolException.BAD_VERSION, _describe(opening))
        name, seqid = self.readString(), self.readI32()
        if name != self._asked:
            message = f"it responded with {name[:80]!r} to {self._asked!r}"
            raise TProtocolException(TProtocolException.INVALID_DATA, message)
        return name, version & self.TYPE_MASK, seqid


def _decode(fast: Callable[..., None], *arguments: Any) -> None:
    try:
        fast(*arguments)
    except (TypeError, ValueError, OverflowError) as error:
        # What the decoder in C raises over unknown types and impossible lengths.
        raise TProtocolException(TProtocolException.INVALID_DATA, f"its response cannot be read: {error}") from error


WANTS_AUTHENTICATION = "this metastore requires authentication"
WANTS_TLS = "this port requires TLS"


def _describe(opening: bytes) -> str:
    if opening == b"HTTP":
        return f"this is an HTTP server; write {HTTP}:// or {HTTPS}:// if it is a metastore in HTTP mode"
    if opening[0] in (0x15, 0x16) and opening[1] == 3:
        return WANTS_TLS
    if opening[0] in (1, 2, 3, 4, 5) and opening[1:3] == b"\0\0":
        return WANTS_AUTHENTICATION
    return f"this is not a metastore: its response begins with {opening!r}"
