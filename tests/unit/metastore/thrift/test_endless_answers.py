"""Answers without an end: the size of one and its time are bounded, however it is spread over both."""

from __future__ import annotations

import socket
import struct
import threading
import time
from contextlib import closing

import pytest

from hive_views.errors import Answer, MetastoreUnavailableError
from hive_views.metastore.thrift import wire
from hive_views.metastore.thrift._bindings.hms.ttypes import Database
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.metastore.thrift.wire import Timeouts
from tests.support.failing.scripted_metastore import ScriptedMetastore
from tests.support.failing.wire import PATIENCE_S, LoopbackServer, message

_LIST, _STRUCT, _STRING = 15, 12, 11
_TEXT = struct.pack("!i", 1 << 20) + b"x" * (1 << 20)
_KNOWN, _UNKNOWN = 0, 99
"""Fields of an answer: its value, and one that no version has, whose content is read and forgotten."""


class _Endless(LoopbackServer):
    """Lets itself be introduced to, and then gives an answer that begins like this and goes on with that for ever.

    Slow, it pauses before each piece.
    """

    def __init__(self, beginning: bytes, piece: bytes, *, pause_s: float = 0.0) -> None:
        super().__init__()
        self._beginning = beginning
        self._piece = piece
        self._pause_s = pause_s
        self._ended = threading.Event()
        self.answers = 0

    def serve(self, connection: socket.socket) -> None:
        connection.recv(1 << 16)
        connection.sendall(message(b"set_ugi", b"\x0f\0\0\x0b\0\0\0\0\0"))
        connection.recv(1 << 16)
        self.answers += 1
        connection.sendall(message(b"get_databases", self._beginning))
        while not self._ended.wait(self._pause_s):
            connection.sendall(self._piece)

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        super().__exit__(*error)  # type: ignore[arg-type]


def _list(field: int, kind: int, count: int) -> bytes:
    return struct.pack("!bhbi", _LIST, field, kind, count)


@pytest.fixture
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test may hold in memory without harm."""
    monkeypatch.setattr(wire, "_LARGEST_ANSWER_BYTES", 8 << 20)


@pytest.mark.parametrize(
    ("beginning", "piece"),
    [
        (_list(_KNOWN, _STRING, 1 << 20), _TEXT),
        (_list(_UNKNOWN, _STRING, 1 << 20), _TEXT),
        (b"", struct.pack("!bh", _STRING, _UNKNOWN) + _TEXT),
        (_list(_UNKNOWN, _STRUCT, 1 << 24), bytes(1 << 16)),
        (_list(_UNKNOWN, _LIST, 1 << 24), struct.pack("!bi", _STRING, 0) * (1 << 16)),
    ],
    ids=["list", "unknown list", "unknown fields", "empty structs", "empty lists"],
)
@pytest.mark.usefixtures("_small")
def test_an_answer_that_does_not_end_is_given_up_and_not_asked_for_again(beginning: bytes, piece: bytes) -> None:
    with _Endless(beginning, piece) as server, closing(HiveMetastore(server.uri)) as metastore:
        with pytest.raises(MetastoreUnavailableError, match=r"its response is larger than 8 MiB") as failure:
            metastore.list_namespaces()
        assert server.answers == 1
    assert failure.value.answer is Answer.NONE


def test_the_largest_answer_is_of_one_gibibyte() -> None:
    """In a field that is forgotten, so that it costs no memory."""
    fields = struct.pack("!bh", _STRING, _UNKNOWN) + _TEXT
    with (
        _Endless(b"", fields) as server,
        closing(HiveMetastore(server.uri)) as metastore,
        pytest.raises(MetastoreUnavailableError, match="larger than 1024 MiB"),
    ):
        metastore.list_namespaces()


@pytest.mark.usefixtures("_small")
def test_many_answers_may_be_larger_together_than_one_may_be() -> None:
    text = "x" * (3 << 20)
    database = Database(name="a", locationUri=text)
    with ScriptedMetastore(get_database=database) as server, closing(HiveMetastore(server.uri)) as metastore:
        for _ in range(4):
            assert metastore.load_namespace("a").location == text
    assert server.methods.count("set_ugi") == 1


def test_an_answer_that_drips_is_given_up_after_ten_times_the_time_for_its_next_byte() -> None:
    with (
        _Endless(_list(_KNOWN, _STRING, 1 << 20), b"\0", pause_s=0.02) as server,
        closing(HiveMetastore(server.uri, read_timeout_s=0.2)) as metastore,
    ):
        start = time.monotonic()
        with pytest.raises(MetastoreUnavailableError, match=r"incomplete after 2 s, 10 times read_timeout_s"):
            metastore.list_namespaces()
        assert 2 <= time.monotonic() - start < PATIENCE_S
        assert server.answers == 1


def test_an_answer_that_stops_is_given_up_after_the_time_for_its_next_byte() -> None:
    with (
        _Endless(_list(_KNOWN, _STRING, 1 << 20), b"\0", pause_s=30) as server,
        closing(HiveMetastore(server.uri, read_timeout_s=0.2)) as metastore,
        pytest.raises(MetastoreUnavailableError, match=r"no data arrived within 0.2 s"),
    ):
        metastore.list_namespaces()


@pytest.mark.parametrize(("piece", "pause_s"), [(_TEXT, 0.0), (b"\0", 0.02)], ids=["more and more", "dripping"])
@pytest.mark.usefixtures("_small")
def test_where_one_server_finds_no_end_the_next_one_is_asked(piece: bytes, pause_s: float) -> None:
    with (
        _Endless(_list(_KNOWN, _STRING, 1 << 20), piece, pause_s=pause_s) as endless,
        ScriptedMetastore(get_databases=["a"]) as alive,
        closing(HiveMetastore([endless.uri, alive.uri], read_timeout_s=0.3)) as metastore,
    ):
        assert metastore.list_namespaces() == ["a"]
        assert endless.answers == 1


def test_the_time_of_an_answer_begins_with_its_request() -> None:
    """A connection may be used for longer than one answer may take."""
    unhurried = threading.Event()

    def names(*_: object) -> list[str]:
        unhurried.wait(0.05)
        return ["a"]

    with (
        ScriptedMetastore(get_databases=names) as server,
        closing(HiveMetastore(server.uri, read_timeout_s=0.3)) as metastore,
    ):
        end = time.monotonic() + Timeouts(read_s=0.3).answer_s
        while time.monotonic() < end:
            assert metastore.list_namespaces() == ["a"]
    assert server.methods.count("set_ugi") == 1
