"""Addresses, time-outs, and servers that are no metastore."""

from __future__ import annotations

import random
import socket
import struct
import sys
import threading
import time
import tracemalloc
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.transport.TTransport import TBufferedTransport, TMemoryBuffer, TTransportException

from hive_views.errors import AuthenticationError, HiveViewsError, InvalidInputError, MetastoreUnavailableError
from hive_views.metastore.thrift._bindings.hms import HiveViewsMetastore
from hive_views.metastore.thrift._bindings.hms.ttypes import Database
from hive_views.metastore.thrift.failures import ANSWERS, WIRE_FAILURES
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.metastore.thrift.wire import Endpoint, MetastoreProtocol, MetastoreSocket, Timeouts, parse_uris
from tests.support.failing.scripted_metastore import ScriptedMetastore
from tests.support.failing.wire import PATIENCE_S, LoopbackServer, message

_SOON_S = 0.3


class _AnyServer(LoopbackServer):
    """Answers the first bytes it gets with these, and then keeps silent or closes."""

    def __init__(self, answer: bytes, *, closes: bool = False) -> None:
        super().__init__()
        self._answer = answer
        self._closes = closes

    def serve(self, connection: socket.socket) -> None:
        connection.recv(1 << 16)
        connection.sendall(self._answer)
        while not self._closes and connection.recv(1 << 16):
            pass


def _failure(uri: str) -> HiveViewsError:
    with closing(HiveMetastore(uri, connect_timeout_s=1, read_timeout_s=_SOON_S)) as metastore:
        with pytest.raises(HiveViewsError) as caught:
            metastore.list_namespaces()
        return caught.value


@pytest.mark.parametrize(
    ("uris", "endpoints"),
    [
        ("thrift://a:9083,thrift://b:9084", [("a", 9083), ("b", 9084)]),
        ("thrift://a:9083,b:9084", [("a", 9083), ("b", 9084)]),
        ("thrift://a", [("a", 9083)]),
        ("a", [("a", 9083)]),
        (" thrift://a:1 ,\n thrift://b:2, ", [("a", 1), ("b", 2)]),
        ("thrift://[::1]:9083/", [("::1", 9083)]),
        ("thrift://[2001:db8::2]", [("2001:db8::2", 9083)]),
        (["thrift://a", "thrift://b:1"], [("a", 9083), ("b", 1)]),
        ("thrift+http://a", [("a", 9083, "thrift+http", "/metastore")]),
        ("thrift+http://a:1/", [("a", 1, "thrift+http", "/")]),
        (
            "thrift+https://[::1]:443/x/y,thrift://b",
            [("::1", 443, "thrift+https", "/x/y"), ("b", 9083, "thrift", "")],
        ),
    ],
)
def test_addresses_are_read_as_hive_writes_them(uris: str | list[str], endpoints: list[Any]) -> None:
    assert parse_uris(uris) == tuple(Endpoint(*one) for one in endpoints)


@pytest.mark.parametrize(
    "uri",
    [
        "",
        " , ",
        "http://a:9083",
        "thrift+http://",
        "thrift+https://a/metastore?x=1",
        "thrift+https://a/metastore#x",
        "thrift+https://a/m t",
        "thrift+https://a/mét",
        "thrift+https://me:secret@a/metastore",
        "thrift://",
        "thrift://a:port",
        "thrift://a:99999",
        "thrift://me@a",
        "thrift://a/path",
        "thrift://a..b",
        f"thrift://{'a' * 64}",
    ],
)
def test_what_is_no_address_of_a_metastore_is_refused_before_anything_is_connected(uri: str) -> None:
    with pytest.raises(InvalidInputError, match="thrift://host:9083"):
        HiveMetastore(uri)


def test_an_address_without_a_scheme_beside_one_over_http_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="each needs its scheme and path"):
        parse_uris("thrift+https://a/metastore,b:9083")


def test_an_endpoint_is_written_as_it_is_read() -> None:
    for uri in ("thrift://a:9083", "thrift://[::1]:1", "thrift+https://[::1]:1/metastore"):
        assert str(parse_uris(uri)[0]) == uri


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
def test_a_time_out_is_more_than_nothing(seconds: float) -> None:
    with pytest.raises(InvalidInputError, match="read_s"):
        Timeouts(read_s=seconds)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "HTTP server"),
        (b"\x15\x03\x01\x00\x02\x02\x46", "this port requires TLS. Give tls=TLS(...)."),
        (b"\xde\xad\xbe\xef" * 100, "not a metastore"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", "not a metastore"),
        (b"\x7f\xff\xff\xff", "not a metastore"),
        (message(b"get_table", b"\0"), "'get_table' to 'set_ugi'"),
    ],
)
def test_a_server_that_is_no_metastore_is_recognised_by_its_first_bytes(answer: bytes, says: str) -> None:
    with _AnyServer(answer) as server:
        failure = _failure(server.uri)
    assert isinstance(failure, MetastoreUnavailableError)
    assert says in str(failure)
    assert server.uri in str(failure)
    assert not failure.sent


@pytest.mark.parametrize(
    "body",
    [
        b"\x0f\0\0\x0b\x7f\xff\xff\xff",
        b"\x0f\0\0\x0b\xff\xff\xff\xff",
        b"\x0f\0\0\x0b\0\0\0\x01\x7f\xff\xff\xff",
        b"\x0b\0\x05\x7f\xff\xff\xff",
        b"\xc7\0\x05",
    ],
    ids=["huge list", "negative list", "huge string", "huge unknown field", "unknown type"],
)
def test_lengths_made_of_garbage_neither_hang_nor_allocate(body: bytes) -> None:
    with _AnyServer(message(b"set_ugi", body + b"\0")) as server:
        tracemalloc.start()
        try:
            failure = _failure(server.uri)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert isinstance(failure, MetastoreUnavailableError)
    assert "its response" in str(failure), "not only after the time-out"
    assert not failure.sent
    assert peak < 64 << 20


def test_a_text_above_thrifts_own_limit_of_16_mb_is_read() -> None:
    text = "x" * 20_000_000
    database = Database(name="a", locationUri=text)
    with ScriptedMetastore(get_database=database) as server, closing(HiveMetastore(server.uri)) as metastore:
        assert metastore.load_namespace("a").location == text


@pytest.mark.parametrize("make", [lambda: _AnyServer(b""), lambda: _AnyServer(b"\x80\x01")], ids=["nothing", "2 bytes"])
def test_a_server_that_keeps_silent_is_given_up_after_the_read_time_out(make: Callable[[], _AnyServer]) -> None:
    with make() as server:
        start = time.monotonic()
        failure = _failure(server.uri)
        took = time.monotonic() - start
    assert isinstance(failure, MetastoreUnavailableError)
    assert "no data arrived within 0.3 s" in str(failure)
    assert _SOON_S <= took < PATIENCE_S


def test_a_server_that_closes_at_the_first_call_may_want_authentication() -> None:
    with _AnyServer(b"", closes=True) as server:
        failure = _failure(server.uri)
    assert isinstance(failure, MetastoreUnavailableError)
    assert "auth=Kerberos()" in str(failure)
    assert "TLS" in str(failure)


def test_a_server_that_says_it_wants_authentication_is_believed() -> None:
    text = b"Invalid status -128"
    with _AnyServer(b"\x04" + struct.pack("!i", len(text)) + text, closes=True) as server:
        failure = _failure(server.uri)
    assert isinstance(failure, AuthenticationError)
    assert str(failure).endswith("requires authentication. Give auth=Kerberos() or auth=Plain(user, password).")


def test_nothing_listening_is_reported_with_the_address() -> None:
    with LoopbackServer() as gone:
        uri = gone.uri
    failure = _failure(uri)
    assert isinstance(failure, MetastoreUnavailableError)
    assert uri in str(failure)
    assert "refused" in str(failure)
    assert not failure.sent


def test_the_first_metastore_that_really_answers_is_used() -> None:
    with LoopbackServer() as gone:
        pass
    with (
        _AnyServer(b"HTTP/1.1 400") as web,
        ScriptedMetastore(get_databases=["a"]) as alive,
        closing(HiveMetastore([gone.uri, web.uri, alive.uri], read_timeout_s=_SOON_S)) as metastore,
    ):
        assert metastore.list_namespaces() == ["a"]


def test_the_one_that_answered_is_asked_first_the_next_time() -> None:
    with ScriptedMetastore(get_databases=["b"]) as second:
        with ScriptedMetastore(get_databases=["a"]) as first:
            metastore = HiveMetastore([first.uri, second.uri])
            assert metastore.list_namespaces() == ["a"]
        with closing(metastore):
            assert metastore.list_namespaces() == ["b"], "the first one is gone"
            second.disconnect()
            assert metastore.list_namespaces() == ["b"]


def test_each_address_is_tried_once() -> None:
    """Trying again at once would only double the wait for a server that is away."""
    tries: list[int] = []

    class Counting(_AnyServer):
        def serve(self, connection: socket.socket) -> None:
            tries.append(self.port)
            super().serve(connection)

    with Counting(b"", closes=True) as first, Counting(b"", closes=True) as second:
        _failure(f"{first.uri},{second.uri}")
    assert tries == [first.port, second.port]


def test_when_none_answers_all_are_named() -> None:
    with LoopbackServer() as gone:
        uri = gone.uri
    with _AnyServer(b"HTTP/1.1 400") as web:
        failure = _failure(f"{uri},{web.uri}")
    assert uri in str(failure)
    assert web.uri in str(failure)


def test_a_stopped_server_takes_connections_and_is_passed_over_within_the_time_for_connecting() -> None:
    with (
        _AnyServer(b"") as stopped,
        ScriptedMetastore(get_databases=["a"]) as alive,
        closing(HiveMetastore([stopped.uri, alive.uri], connect_timeout_s=_SOON_S)) as metastore,
    ):
        start = time.monotonic()
        assert metastore.list_namespaces() == ["a"]
        assert time.monotonic() - start < PATIENCE_S, "not the 60 s of an answer"


def test_a_read_that_one_server_keeps_silent_over_goes_to_the_next_and_so_does_what_follows() -> None:
    released = threading.Event()

    def silence(*_: object) -> list[str]:
        released.wait(30)
        return []

    with (
        ScriptedMetastore(get_databases=silence) as silent,
        ScriptedMetastore(get_databases=["b"]) as alive,
        closing(HiveMetastore([silent.uri, alive.uri], read_timeout_s=_SOON_S)) as metastore,
    ):
        for _ in range(2):
            assert metastore.list_namespaces() == ["b"]
        released.set()
    assert silent.methods == ["set_ugi", "get_databases"]
    assert alive.methods == ["set_ugi", "get_databases", "get_databases"]


def test_a_write_that_one_server_keeps_silent_over_is_not_repeated_on_the_next() -> None:
    released = threading.Event()

    def silence(*_: object) -> None:
        released.wait(30)

    with (
        ScriptedMetastore(create_database=silence) as silent,
        ScriptedMetastore(create_database=None, get_databases=["b"]) as alive,
        closing(HiveMetastore([silent.uri, alive.uri], read_timeout_s=_SOON_S)) as metastore,
    ):
        with pytest.raises(MetastoreUnavailableError) as caught:
            metastore.create_namespace("a")
        assert caught.value.sent
        assert metastore.list_namespaces() == ["b"], "the next call goes to the other"
        released.set()
    assert alive.methods == ["set_ugi", "get_databases"]


def test_a_request_that_the_network_did_not_take_was_not_sent() -> None:
    class Deaf(LoopbackServer):
        def serve(self, connection: socket.socket) -> None:
            connection.recv(1)
            released.recv(1)

    released, release = socket.socketpair()
    with Deaf() as server, released, release:
        wire = MetastoreSocket(Endpoint("127.0.0.1", server.port), Timeouts(write_s=_SOON_S), None)
        wire.open()
        with closing(wire):
            with pytest.raises(TTransportException) as caught:
                wire.write(bytes(64 << 20))
            assert caught.value.type == TTransportException.TIMED_OUT
            assert not wire.sent
        release.send(b"x")


def test_a_request_that_the_network_took_was_sent() -> None:
    with _AnyServer(b"") as server:
        wire = MetastoreSocket(Endpoint("127.0.0.1", server.port), Timeouts(), None)
        wire.open()
        with closing(wire):
            wire.write(b"all of it")
            assert not wire.sent
            wire.flush()
            assert wire.sent


def test_a_connection_that_was_reset_is_not_open() -> None:
    class Resetting(LoopbackServer):
        def serve(self, connection: socket.socket) -> None:
            connection.recv(1)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    with Resetting() as server:
        wire = MetastoreSocket(Endpoint("127.0.0.1", server.port), Timeouts(), None)
        wire.open()
        with closing(wire):
            assert wire.isOpen()
            wire.write(b"x")
            deadline = time.monotonic() + PATIENCE_S
            while wire.isOpen():
                assert time.monotonic() < deadline


def test_it_works_where_thrift_was_built_without_its_accelerator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "thrift.protocol.fastbinary", None)
    with ScriptedMetastore(get_databases=["a", "b"]) as server, closing(HiveMetastore(server.uri)) as metastore:
        assert metastore.list_namespaces() == ["a", "b"]


def test_a_closed_socket_is_not_open_and_takes_nothing() -> None:
    wire = MetastoreSocket(Endpoint("127.0.0.1", 1), Timeouts(), None)
    assert not wire.isOpen()
    wire.close()
    for use in (lambda: wire.write(b"x"), lambda: wire.read(1)):
        with pytest.raises(TTransportException) as caught:
            use()
        assert caught.value.type == TTransportException.NOT_OPEN


def test_whatever_is_broken_in_an_answer_it_is_reported_as_a_failure_of_the_wire() -> None:
    names = [f"ds=2026-08-{day:02d}" for day in range(1, 29)]
    buffer = TMemoryBuffer()
    HiveViewsMetastore.get_partition_names_result(success=names).write(TBinaryProtocol(buffer))
    answer = message(b"get_partition_names", buffer.getvalue())
    chance = random.Random(20260821)
    broken = 0
    for _ in range(3000):
        garbage = bytearray(answer)
        for _ in range(chance.randint(1, 4)):
            garbage[chance.randrange(4, len(garbage))] = chance.randrange(256)
        protocol = MetastoreProtocol(TBufferedTransport(TMemoryBuffer(bytes(garbage))))
        protocol._asked = "get_partition_names"
        try:
            HiveViewsMetastore.Client(protocol).recv_get_partition_names()
        except (*WIRE_FAILURES, *ANSWERS):
            broken += 1
    assert broken > 1000
