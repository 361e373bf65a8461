"""Several servers of one database behind one pool: which of them a call goes to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from hive_views.errors import Answer, CommitFailedError
from hive_views.metastore.thrift.auth import NoAuth
from hive_views.metastore.thrift.connection import ConnectionPool
from hive_views.metastore.thrift.failures import Call
from hive_views.metastore.thrift.wire import Endpoint, Timeouts, parse_uris
from tests.faults.scripted import ScriptedMetastore

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
