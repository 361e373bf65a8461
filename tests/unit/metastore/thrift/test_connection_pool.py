"""Several servers of one database behind one pool: which of them a call goes to, and over which connection."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from hive_views.errors import Answer, CommitFailedError, MetastoreUnavailableError
from hive_views.metastore.thrift import connection
from hive_views.metastore.thrift.auth import NoAuth
from hive_views.metastore.thrift.connection import ConnectionPool
from hive_views.metastore.thrift.failures import Call
from hive_views.metastore.thrift.wire import Endpoint, Timeouts, parse_uris
from tests.support.failing.scripted_metastore import ScriptedMetastore
from tests.support.failing.wire import PATIENCE_S

READ, WRITE = Call("get_databases", "*"), Call("drop_table", "sales.daily", writes=True)
WRITE_ARGUMENTS = "sales", "daily", False


@pytest.fixture
def second() -> Iterator[ScriptedMetastore]:
    with ScriptedMetastore(get_databases=["second"], drop_table=None) as server:
        yield server


def pool_of(*servers: ScriptedMetastore) -> ConnectionPool:
    endpoints = parse_uris([server.uri for server in servers])
    return ConnectionPool(endpoints, auth=NoAuth(), tls=None, timeouts=Timeouts())


def only(server: ScriptedMetastore) -> Callable[[Endpoint], bool]:
    return lambda endpoint: endpoint.port == server.port


def test_a_write_is_not_sent_to_a_server_that_took_the_place_of_the_one_it_is_meant_for(
    second: ScriptedMetastore,
) -> None:
    with ScriptedMetastore(get_databases=["first"], drop_table=None) as first:
        pool = pool_of(first, second)
        assert pool.call(READ, "*") == ["first"]
        pool.call(WRITE, *WRITE_ARGUMENTS, only_if=only(first))
    with closing(pool):
        for _ in range(2):
            with pytest.raises(CommitFailedError, match=second.uri) as refusal:
                pool.call(WRITE, *WRITE_ARGUMENTS, only_if=only(first))
            assert refusal.value.answer is Answer.NOT_SENT
        assert second.methods == ["set_ugi"], "and the connection is kept"
        pool.call(WRITE, *WRITE_ARGUMENTS, only_if=only(second))
    assert first.methods == ["set_ugi", "get_databases", "drop_table"]
    assert second.methods == ["set_ugi", "drop_table"]


def test_what_is_known_of_the_server_that_answered_last_holds_for_the_next_call(second: ScriptedMetastore) -> None:
    """A call that was under way at the other one while it went away brings its connection back."""

    def while_the_second_takes_over(*_: object) -> list[str]:
        first.refuse()
        assert pool.call(READ, "*") == ["second"]
        return ["first"]

    with ScriptedMetastore(get_databases=while_the_second_takes_over) as first, closing(pool_of(first, second)) as pool:
        assert pool.call(READ, "*") == ["first"]
        assert pool.endpoint.port == second.port
        assert pool.call(READ, "*") == ["second"]
    assert first.methods == ["set_ugi", "get_databases"]


AT_ONCE = 20


@pytest.fixture
def meeting() -> Iterator[threading.Barrier]:
    """Where calls wait for each other, until it is broken up."""
    barrier = threading.Barrier(AT_ONCE)
    yield barrier
    barrier.abort()


@pytest.fixture
def crowded(meeting: threading.Barrier) -> Iterator[ScriptedMetastore]:
    """A server that answers when so many ask at once."""

    def answer(*_: object) -> list[str]:
        if not meeting.broken:
            meeting.wait(PATIENCE_S)
        return ["all"]

    with ScriptedMetastore(get_databases=answer, getName="crowded") as server:
        yield server


def ask_at_once(pool: ConnectionPool) -> None:
    with ThreadPoolExecutor(AT_ONCE) as threads:
        assert list(threads.map(lambda _: pool.call(READ, "*"), range(AT_ONCE))) == [["all"]] * AT_ONCE


def test_threads_at_work_connect_once_each(crowded: ScriptedMetastore) -> None:
    """Also where more are at work than connections are kept in quiet times."""
    with closing(pool_of(crowded)) as pool:
        for _ in range(3):
            ask_at_once(pool)
    assert crowded.methods.count("set_ugi") == AT_ONCE


def test_what_a_burst_has_left_is_closed_soon_after(
    crowded: ScriptedMetastore, meeting: threading.Barrier, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(pool_of(crowded)) as pool:
        ask_at_once(pool)
        crowded.wait_until_connected(AT_ONCE)
        meeting.abort()
        monkeypatch.setattr(connection, "_FRESH_S", 0.0)
        assert pool.call(READ, "*") == ["all"]
        crowded.wait_until_connected(connection._KEPT_IDLE)


def test_a_metastore_that_is_started_again_elsewhere_is_found_once_the_first_place_is_empty(
    second: ScriptedMetastore,
) -> None:
    """As an embedded one, which has another port each time."""
    asked = []

    def find_again() -> tuple[Endpoint, ...]:
        asked.append(1)
        return parse_uris(second.uri)

    with ScriptedMetastore(get_databases=["first"], drop_table=None) as first:
        pool = pool_of(first)
        pool.find_again = find_again
        assert pool.call(READ, "*") == ["first"]
        assert asked == []
    with closing(pool):
        pool.call(WRITE, *WRITE_ARGUMENTS)
        assert pool.call(READ, "*") == ["second"]
    assert asked == [1]
    assert second.methods == ["set_ugi", "drop_table", "get_databases"]


def test_a_metastore_that_nobody_has_started_again_is_away() -> None:
    with ScriptedMetastore() as first:
        pool = pool_of(first)
    for found in ((), parse_uris(first.uri)):
        pool.find_again = lambda found=found: found  # type: ignore[misc]
        with closing(pool), pytest.raises(MetastoreUnavailableError) as away:
            pool.call(WRITE, *WRITE_ARGUMENTS)
        assert away.value.answer is Answer.NOT_SENT
