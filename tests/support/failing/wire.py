"""Faults at the wire: a loopback proxy between a client and a real metastore, and the server that it is built on."""

from __future__ import annotations

import socket
import struct
import threading
from collections import defaultdict, deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum, auto
from types import TracebackType
from typing import Any, TypeVar
from urllib.parse import urlsplit

from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.Thrift import TType
from thrift.transport.TTransport import TTransportBase

PATIENCE_S = 30.0
"""No test waits longer than this for anything that should come at once."""


_Server = TypeVar("_Server", bound="LoopbackServer")


class LoopbackServer:
    """A server on a free port of this machine that serves each connection in a thread of its own.

    Subclasses say how with ``serve``; it ends a connection by returning. What it raises, apart from broken connections,
    is raised again at the end of the ``with`` block, so that no test passes over it.
    """

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._threads: list[threading.Thread] = []
        self._connections: set[socket.socket] = set()
        self._state = threading.Condition()
        self._failures: list[BaseException] = []

    @property
    def uri(self) -> str:
        return f"thrift://127.0.0.1:{self.port}"

    def serve(self, connection: socket.socket) -> None:
        raise NotImplementedError

    def disconnect(self) -> None:
        """Close all connections that are open now."""
        for connection in self._open():
            _shut(connection)

    def refuse(self) -> None:
        """Take no new connections; those that are open stay so."""
        _shut(self._listener)

    def reset(self) -> None:
        """Reset all connections that are open now, as a server does that is killed in the middle of something."""
        connections = self._open()
        for connection in connections:
            _reset_when_closed(connection)
            with suppress(OSError):  # gone meanwhile
                connection.shutdown(socket.SHUT_RD)
        with self._state:
            ended = self._state.wait_for(lambda: self._connections.isdisjoint(connections), PATIENCE_S)
        assert ended, "a connection of the test's server has not ended"

    def wait_until_connected(self, number: int) -> None:
        """Return when so many connections are open."""
        with self._state:
            reached = self._state.wait_for(lambda: len(self._connections) == number, PATIENCE_S)
        assert reached, f"{len(self._connections)} connections of the test's server are open"

    def __enter__(self: _Server) -> _Server:
        self._accepting = self._start(self._accept)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _shut(self._listener)
        # Only when nothing is accepted any more does the cutting of all connections reach the last of them.
        self._accepting.join(PATIENCE_S)
        self._listener.close()
        self.disconnect()
        for thread in list(self._threads):
            thread.join(PATIENCE_S)
        assert not any(thread.is_alive() for thread in self._threads), "a connection of the test's server has not ended"
        if error is None and self._failures:
            raise self._failures[0]

    def _open(self) -> set[socket.socket]:
        with self._state:
            return set(self._connections)

    def _start(self, work: Callable[..., None], *arguments: Any) -> threading.Thread:
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()
        return thread

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with self._state:
                self._connections.add(connection)
            self._start(self._serve, connection)

    def _serve(self, connection: socket.socket) -> None:
        try:
            self.serve(connection)
        except (OSError, EOFError):
            pass  # one of the two ends has gone
        except BaseException as error:  # noqa: BLE001 - raised again by __exit__
            self._failures.append(error)
        finally:
            connection.close()
            with self._state:
                self._connections.discard(connection)
                self._state.notify_all()


class _Fault(Enum):
    DROP_REQUEST = auto()
    CUT_REQUEST = auto()
    DROP_ANSWER = auto()
    CUT_ANSWER = auto()


@dataclass
class Delay:
    """An answer that the proxy holds back until ``release``."""

    arrived: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)

    def wait_until_arrived(self) -> None:
        """Return when the metastore has answered, so that what the call does is done."""
        assert self.arrived.wait(PATIENCE_S), "the delayed answer never came"

    def release(self) -> None:
        self.released.set()


class WireProxy(LoopbackServer):
    """A proxy before a metastore that loses, cuts and delays what a test chooses.

    Rules name a Thrift method and hold for its next ``times`` calls, whichever connection they come on. An answer is
    lost only after the metastore has given it: what the call does is done by then.

        with WireProxy.before_uri(metastore_uri) as proxy, closing(HiveMetastore(proxy.uri)) as metastore:
            proxy.drop_answer("create_table")
    """

    def __init__(self, target_host: str, target_port: int) -> None:
        super().__init__()
        self._target = (target_host, target_port)
        self._rules: dict[tuple[str, str], deque[Any]] = defaultdict(deque)
        self._delays: list[Delay] = []
        self._forgetful: dict[socket.socket, bool] = {}
        self.methods: list[str] = []
        """The methods of all calls that came, in their order."""
        self.forgotten: list[str] = []
        """The methods of those that came on a connection which was lost silently."""

    @classmethod
    def before_uri(cls, uri: str) -> WireProxy:
        split = urlsplit(uri)
        assert split.hostname
        assert split.port
        return cls(split.hostname, split.port)

    def drop_request(self, method: str, *, times: int = 1) -> None:
        """Close the connection when the request came; the metastore never sees it."""
        self._add("fault", method, _Fault.DROP_REQUEST, times)

    def cut_request(self, method: str, *, times: int = 1) -> None:
        """Give the metastore one half of the request and close."""
        self._add("fault", method, _Fault.CUT_REQUEST, times)

    def drop_answer(self, method: str, *, times: int = 1) -> None:
        """Close when the metastore has answered, silently."""
        self._add("fault", method, _Fault.DROP_ANSWER, times)

    def cut_answer(self, method: str, *, times: int = 1) -> None:
        """Give the client one half of the answer and close."""
        self._add("fault", method, _Fault.CUT_ANSWER, times)

    def forget(self, *, silently: bool = False) -> None:
        """Lose the connections that are open now silently, as load balancers and firewalls do with idle ones.

        What the client sends on them never arrives: it is answered with a reset or, ``silently``, with nothing.
        """
        self._forgetful |= dict.fromkeys(self._open(), silently)

    def hold_request(self, method: str) -> Delay:
        """Close the connection when the next request came, and give it to the metastore when the delay is released."""
        delay = Delay()
        self._delays.append(delay)
        self._add("hold", method, delay, 1)
        return delay

    def faults_to_come(self) -> int:
        """How many requests and answers are still to be lost or cut."""
        with self._state:
            return sum(len(rules) for (kind, _), rules in self._rules.items() if kind == "fault")

    def clear(self) -> None:
        """No call that comes from now on is disturbed."""
        with self._state:
            self._rules.clear()

    def delay_answer(self, method: str) -> Delay:
        """Hold the answer of the next call back until the returned delay is released."""
        delay = Delay()
        self._delays.append(delay)
        self._add("delay", method, delay, 1)
        return delay

    def before(self, method: str, callback: Callable[[], object], *, times: int = 1) -> None:
        """Run this between the arrival of a request and its forwarding."""
        self._add("before", method, callback, times)

    def after(self, method: str, callback: Callable[[], object], *, times: int = 1) -> None:
        """Run this between the metastore's answer and its relaying."""
        self._add("after", method, callback, times)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for delay in self._delays:
            delay.release()
        super().__exit__(kind, error, trace)

    def serve(self, connection: socket.socket) -> None:
        with socket.create_connection(self._target, PATIENCE_S) as metastore:
            while self._relay(connection, metastore):
                pass

    def _relay(self, client: socket.socket, metastore: socket.socket) -> bool:
        """Pass one call through; False when its connection is to be closed."""
        method, request = _read_message(client)
        silently = self._forgetful.get(client)
        if silently is not None:
            self.forgotten.append(method)
            if silently:
                _wait_for_end(client)
            _reset_when_closed(client)
            return False
        self.methods.append(method)
        self._run("before", method)
        held: Delay | None = self._take("hold", method)
        if held is not None:
            _shut(client)
            held.released.wait(PATIENCE_S)
            metastore.sendall(request)
            _read_message(metastore)
            held.arrived.set()
            return False
        fault = self._take("fault", method)
        if fault is _Fault.DROP_REQUEST:
            return False
        if fault is _Fault.CUT_REQUEST:
            metastore.sendall(request[: len(request) // 2])
            return False
        metastore.sendall(request)
        _, answer = _read_message(metastore)
        self._run("after", method)
        if fault is _Fault.DROP_ANSWER:
            return False
        if fault is _Fault.CUT_ANSWER:
            client.sendall(answer[: len(answer) // 2])
            return False
        delay: Delay | None = self._take("delay", method)
        if delay is not None:
            delay.arrived.set()
            delay.released.wait(PATIENCE_S)
        client.sendall(answer)
        return True

    def _add(self, kind: str, method: str, rule: object, times: int) -> None:
        with self._state:
            self._rules[kind, method].extend([rule] * times)

    def _take(self, kind: str, method: str) -> Any:
        with self._state:
            rules = self._rules[kind, method]
            return rules.popleft() if rules else None

    def _run(self, kind: str, method: str) -> None:
        callback = self._take(kind, method)
        if callback is not None:
            callback()


def message(name: bytes, body: bytes, kind: int = 2) -> bytes:
    """The bytes of a Thrift message, by default of an answer."""
    return b"\x80\x01\x00" + bytes([kind]) + struct.pack("!i", len(name)) + name + struct.pack("!i", 0) + body


class _Recorder(TTransportBase):  # type: ignore[misc]
    """What Thrift's own parser reads of a socket, kept."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self.data = bytearray()

    def readAll(self, sz: int) -> bytes:  # noqa: N802 - Thrift's name
        read = bytearray()
        while len(read) < sz:
            chunk = self._connection.recv(sz - len(read))
            if not chunk:
                raise EOFError
            read += chunk
        self.data += read
        return bytes(read)


def _read_message(connection: socket.socket) -> tuple[str, bytes]:
    recorder = _Recorder(connection)
    protocol = TBinaryProtocol(recorder, strictRead=True)
    method, _, _ = protocol.readMessageBegin()
    protocol.skip(TType.STRUCT)
    return method, bytes(recorder.data)


def _wait_for_end(connection: socket.socket) -> None:
    while connection.recv(1 << 16):
        pass


def _reset_when_closed(connection: socket.socket) -> None:
    with suppress(OSError):  # closed already
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def _shut(connection: socket.socket) -> None:
    # A thread that waits in recv or accept is woken by shutdown, not by close.
    with suppress(OSError):  # not connected any more
        connection.shutdown(socket.SHUT_RDWR)
