"""Connections to a Hive Metastore: addresses, the socket with its time-outs, the Thrift client, and the shared pool.

What lives here: everything between a Thrift call and the wire, and whether a failed request had been sent.
What must not: views, rows, the meaning of a server's texts (thrift_errors.py).
"""

from __future__ import annotations

import os
import socket
import ssl
import struct
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import tenacity
from hmsclient import HMSClient
from thrift.protocol.TBinaryProtocol import TBinaryProtocolAccelerated
from thrift.protocol.TProtocol import TProtocolException
from thrift.transport.TTransport import TTransportBase, TTransportException

from hive_views.errors import (
    AuthenticationError,
    HiveViewsError,
    InvalidInputError,
    MetastoreUnavailableError,
)
from hive_views.metastore._thrift.hms import HiveViewsMetastore
from hive_views.metastore.auth import TLS, Auth
from hive_views.metastore.thrift_errors import ANSWERS, WIRE_FAILURES, Call, is_passing, text_of, translate

DEFAULT_PORT = 9083
# Above all that a metastore sends, and small enough that a length made of garbage allocates nothing worth speaking of.
_LONGEST_STRING_BYTES = 1 << 27
_LONGEST_CONTAINER = 1 << 24
_READ_BYTES = 1 << 20
_MOST_IDLE = 8


@dataclass(frozen=True)
class Endpoint:
    """Host and port of a metastore."""

    host: str
    port: int = DEFAULT_PORT

    def __str__(self) -> str:
        return f"thrift://[{self.host}]:{self.port}" if ":" in self.host else f"thrift://{self.host}:{self.port}"


def parse_uris(uris: str | Sequence[str]) -> tuple[Endpoint, ...]:
    """The endpoints of ``thrift://a:9083,thrift://b``, ``thrift://a:9083,b:9083`` or a list of such, in their order.

    Raises:
        InvalidInputError: there is none, or one is no Thrift address.
    """
    texts = [uris] if isinstance(uris, str) else uris
    parts = [part.strip() for text in texts for part in text.split(",") if part.strip()]
    if not parts:
        raise InvalidInputError("No metastore is given: write its address as thrift://host:9083.", uris=uris)
    return tuple(_parse_uri(part) for part in parts)


def _parse_uri(uri: str) -> Endpoint:
    split = urlsplit(uri if "://" in uri else f"thrift://{uri}")
    try:
        host, port = split.hostname, split.port
    except ValueError:
        host, port = None, None
    if split.scheme != "thrift" or not host or split.username or split.path.strip("/"):
        raise InvalidInputError(
            f"Cannot use {uri!r} as the address of a metastore: write thrift://host:9083, several with commas between.",
            uri=uri,
        )
    return Endpoint(host, DEFAULT_PORT if port is None else port)


@dataclass(frozen=True)
class Timeouts:
    """Seconds to wait for a connection, for the next bytes of an answer, and for room to send the next bytes.

    The answer's default is above the 20 s that servers spend on repeating a failed statement before they tell.
    """

    connect_s: float = 10.0
    read_s: float = 60.0
    write_s: float = 60.0

    def __post_init__(self) -> None:
        for name, seconds in vars(self).items():
            if not seconds > 0:
                raise InvalidInputError(f"Cannot use a time-out of {seconds!r} seconds ({name}): give more than 0.")


class MetastoreSocket(TTransportBase):  # type: ignore[misc]
    """A socket with a time-out of its own for each of its three jobs, which knows whether a request has left.

    ``sent`` is set when all bytes of a request were taken by the network; a caller resets it before each request.
    """

    def __init__(self, endpoint: Endpoint, timeouts: Timeouts, tls: TLS | None) -> None:
        self._endpoint = endpoint
        self._timeouts = timeouts
        self._tls = tls
        self._socket: socket.socket | None = None
        self.sent = False

    def open(self) -> None:
        address = (self._endpoint.host, self._endpoint.port)
        plain = socket.create_connection(address, self._timeouts.connect_s)
        try:
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            self._socket = plain if self._tls is None else self._tls.wrap(plain, self._endpoint.host)
        except BaseException:
            plain.close()
            raise

    def isOpen(self) -> bool:  # noqa: N802 - Thrift's name
        """Whether the other end is still there: a server that went away has left an end of file to read."""
        if self._socket is None:
            return False
        if isinstance(self._socket, ssl.SSLSocket):
            return True  # cannot be peeked into
        self._socket.settimeout(0)
        try:
            self._socket.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return True
        except OSError:
            return False
        # End of file, or bytes that nobody has asked for.
        return False

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def read(self, size: int) -> bytes:
        wire = self._opened()
        wire.settimeout(self._timeouts.read_s)
        try:
            data = wire.recv(min(size, _READ_BYTES))
        except TimeoutError as error:
            message = f"nothing came within {self._timeouts.read_s:g} s"
            raise TTransportException(TTransportException.TIMED_OUT, message) from error
        if not data:
            raise TTransportException(TTransportException.END_OF_FILE, "it closed the connection")
        return data

    def readAll(self, sz: int) -> bytes:  # noqa: N802 - Thrift's name; its own version copies once for every chunk
        chunks = []
        while sz:
            chunks.append(self.read(sz))
            sz -= len(chunks[-1])
        return b"".join(chunks)

    def write(self, data: bytes) -> None:
        wire = self._opened()
        wire.settimeout(self._timeouts.write_s)
        try:
            wire.sendall(data)
        except TimeoutError as error:
            message = f"it took nothing for {self._timeouts.write_s:g} s"
            raise TTransportException(TTransportException.TIMED_OUT, message) from error

    def flush(self) -> None:
        self.sent = True

    def _opened(self) -> socket.socket:
        if self._socket is None:
            raise TTransportException(TTransportException.NOT_OPEN, "the connection is closed")
        return self._socket


class MetastoreProtocol(TBinaryProtocolAccelerated):  # type: ignore[misc]
    """The binary protocol, strict: an answer has to begin like one, to the call that was made."""

    def __init__(self, transport: TTransportBase) -> None:
        super().__init__(
            transport, string_length_limit=_LONGEST_STRING_BYTES, container_length_limit=_LONGEST_CONTAINER
        )
        self._asked = ""

    def writeMessageBegin(self, name: str, type: int, seqid: int) -> None:  # noqa: A002, N802 - Thrift's names
        self._asked = name
        super().writeMessageBegin(name, type, seqid)

    def readMessageBegin(self) -> tuple[str, int, int]:  # noqa: N802 - Thrift's name
        opening = self.trans.readAll(4)
        (version,) = struct.unpack("!i", opening)
        if version & self.VERSION_MASK != self.VERSION_1:
            raise TProtocolException(TProtocolException.BAD_VERSION, _what_answers(opening))
        name, seqid = self.readString(), self.readI32()
        if name != self._asked:
            message = f"it answered {name[:80]!r} when asked {self._asked!r}"
            raise TProtocolException(TProtocolException.INVALID_DATA, message)
        return name, version & self.TYPE_MASK, seqid


def _what_answers(opening: bytes) -> str:
    if opening == b"HTTP":
        return "this is an HTTP server, not a metastore's Thrift port"
    if opening[0] in (0x15, 0x16) and opening[1] == 3:
        return "this port wants TLS: give tls=TLS(...)"
    if opening[0] in (1, 2, 3, 4, 5) and opening[1:3] == b"\0\0":
        return "this metastore wants authentication: give auth=Kerberos() or auth=Plain(user, password)"
    return f"this is no metastore, its answer begins with {opening!r}"


class MetastoreClient(HiveViewsMetastore.Client, HMSClient):  # type: ignore[misc]
    """Our calls, with structs as complete as the newest Hive's, over hmsclient's, which has all other calls of 2.3."""

    def __init__(self, protocol: MetastoreProtocol) -> None:
        HMSClient.__init__(self, iprot=protocol)


class Connection:
    """One open and introduced connection. Not for two threads at once.

    Raises:
        MetastoreUnavailableError: nothing answers there, or something that is no metastore (``sent`` is False).
        AuthenticationError: it does not accept who we are.
    """

    def __init__(self, endpoint: Endpoint, *, auth: Auth, tls: TLS | None, timeouts: Timeouts) -> None:
        self.endpoint = endpoint
        self._socket = MetastoreSocket(endpoint, timeouts, tls)
        try:
            self._socket.open()
            self._client: Any = MetastoreClient(MetastoreProtocol(auth.open(self._socket, endpoint.host)))
            if auth.ugi is not None:
                self.ask("set_ugi", auth.ugi)
        except ssl.SSLCertVerificationError as error:
            self.close()
            raise AuthenticationError(
                f"Cannot trust the metastore at {endpoint}: {error.verify_message}. "
                f"Give the authority that signed its certificate as TLS(ca_file=...).",
                endpoint=str(endpoint),
            ) from error
        except (*ANSWERS, *WIRE_FAILURES) as error:
            self.close()
            raise _not_connected(endpoint, error) from error
        except BaseException:
            self.close()
            raise

    @property
    def sent(self) -> bool:
        """Whether the last request has left completely."""
        return self._socket.sent

    @property
    def is_usable(self) -> bool:
        return self._socket.isOpen()

    def ask(self, method: str, arguments: Sequence[Any]) -> Any:
        self._socket.sent = False
        return getattr(self._client, method)(*arguments)

    def close(self) -> None:
        self._socket.close()


def _not_connected(endpoint: Endpoint, error: Exception) -> HiveViewsError:
    reason = text_of(error).rstrip(". ")
    if "wants authentication" in reason:
        return AuthenticationError(f"Cannot use the metastore at {endpoint}: {reason}.", endpoint=str(endpoint))
    hint = "Check the address, and that a metastore runs there."
    if isinstance(error, TTransportException) and error.type == TTransportException.END_OF_FILE:
        hint = (
            "It may want Kerberos (auth=Kerberos()), a password (auth=Plain(user, password)) or TLS (tls=TLS(...)), "
            "or be no metastore."
        )
    return MetastoreUnavailableError(
        f"The metastore at {endpoint} cannot be used: {reason}. {hint}", endpoint=str(endpoint), sent=False
    )


def _is_broken(error: HiveViewsError) -> bool:
    """Whether a connection was lost, which another one may mend; a server that keeps silent will do so again."""
    cause = error.__cause__
    timed_out = isinstance(cause, TTransportException) and cause.type == TTransportException.TIMED_OUT
    return isinstance(cause, WIRE_FAILURES) and not timed_out


_AGAIN_IF_PASSING = tenacity.Retrying(
    retry=tenacity.retry_if_exception(lambda error: error.__cause__ is not None and is_passing(error.__cause__)),
    wait=tenacity.wait_random_exponential(multiplier=0.05, max=1),
    stop=tenacity.stop_after_attempt(5),
    reraise=True,
)


class ConnectionPool:
    """Connections for any number of threads and processes, opened when needed, the youngest used first.

    Args:
        endpoints: the metastores, all of one database; the first that really answers is used.
        on_call: told the method of each request; introductions of new connections are not counted.
    """

    def __init__(
        self,
        endpoints: Sequence[Endpoint],
        *,
        auth: Auth,
        tls: TLS | None = None,
        timeouts: Timeouts = Timeouts(),
        on_call: Callable[[str], None] | None = None,
    ) -> None:
        self._endpoints = tuple(endpoints)
        self._auth = auth
        self._tls = tls
        self._timeouts = timeouts
        self._on_call = on_call
        self._answering = 0
        # By process: a child of a fork starts with none. It leaves its parent's alone, not even closing them.
        self._idle_of: dict[int, deque[Connection]] = {}
        self._closed = False

    @property
    def endpoint(self) -> Endpoint:
        """The metastore that answered last."""
        return self._endpoints[self._answering]

    def call(self, call: Call, *arguments: Any) -> Any:
        """Make a call and give its answer. A read is repeated where that may help, a write never.

        Raises:
            HiveViewsError: as thrift_errors.RULES say.
        """
        if call.writes:
            return self._ask(self._take(), call, arguments)
        return _AGAIN_IF_PASSING(self._read, call, arguments)

    def close(self) -> None:
        """Close what is idle now and, when it comes back, what is in use. A later call connects again, for itself."""
        self._closed = True
        self._drop_idle()

    def _read(self, call: Call, arguments: Sequence[Any]) -> Any:
        try:
            return self._ask(self._take(), call, arguments)
        except MetastoreUnavailableError as error:
            if not _is_broken(error):
                raise
        # The idle connections have probably lost the same server.
        self._drop_idle()
        return self._ask(self._connect(), call, arguments)

    def _ask(self, connection: Connection, call: Call, arguments: Sequence[Any]) -> Any:
        if self._on_call is not None:
            self._on_call(call.method)
        try:
            answer = connection.ask(call.method, arguments)
        except ANSWERS as error:
            self._give_back(connection)
            raise translate(error, call) from error
        except WIRE_FAILURES as error:
            connection.close()
            raise translate(error, call, sent=connection.sent) from error
        except BaseException:
            # Half an answer may still be on its way; whoever used this connection next would read it as theirs.
            connection.close()
            raise
        self._give_back(connection)
        return answer

    @property
    def _idle(self) -> deque[Connection]:
        return self._idle_of.setdefault(os.getpid(), deque())

    def _take(self) -> Connection:
        idle = self._idle
        with suppress(IndexError):
            while True:
                connection = idle.pop()
                if connection.is_usable:
                    return connection
                connection.close()
        return self._connect()

    def _give_back(self, connection: Connection) -> None:
        idle = self._idle
        if self._closed or len(idle) >= _MOST_IDLE:
            connection.close()
        else:
            idle.append(connection)

    def _drop_idle(self) -> None:
        idle = self._idle
        with suppress(IndexError):
            while True:
                idle.pop().close()

    def _connect(self) -> Connection:
        failures: list[HiveViewsError] = []
        first = self._answering
        for offset in range(len(self._endpoints)):
            number = (first + offset) % len(self._endpoints)
            try:
                connection = Connection(
                    self._endpoints[number], auth=self._auth, tls=self._tls, timeouts=self._timeouts
                )
            except (MetastoreUnavailableError, AuthenticationError) as error:
                failures.append(error)
            else:
                self._answering = number
                return connection
        # A refusal says more than a silence.
        failures.sort(key=lambda failure: not isinstance(failure, AuthenticationError))
        if len(failures) == 1 or isinstance(failures[0], AuthenticationError):
            raise failures[0]
        raise MetastoreUnavailableError(
            "No metastore can be used. " + " ".join(map(str, failures)), sent=False
        ) from failures[0]
