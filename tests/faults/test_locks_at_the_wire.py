"""A lock that is lost sight of on the wire: no failure and no Ctrl-C may keep others out until the server's timeout."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest
from thrift.Thrift import TApplicationException

from hive_views.errors import CommitFailedError, MetastoreUnavailableError
from hive_views.metastore.thrift._bindings.hms import ttypes
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.spec.identifiers import TableIdentifier
from tests.support.failing.scripted_metastore import ScriptedMetastore, shown_lock
from tests.support.failing.wire import PATIENCE_S, WireProxy


class _Interrupted(BaseException):
    """As KeyboardInterrupt is, but of these tests."""


@pytest.fixture
def identifier(namespace: str) -> TableIdentifier:
    return TableIdentifier(namespace, "v")


@pytest.fixture
def interrupt() -> Iterator[Callable[[], None]]:
    """What interrupts the test's own thread, as Ctrl-C does."""
    main = threading.main_thread().ident
    assert main

    def raise_it(*_: object) -> None:
        raise _Interrupted

    before = signal.signal(signal.SIGINT, raise_it)
    yield lambda: signal.pthread_kill(main, signal.SIGINT)
    signal.signal(signal.SIGINT, before)


def is_free(metastore: HiveMetastore, identifier: TableIdentifier) -> bool:
    try:
        lock = metastore.lock(identifier, timeout_s=0)
    except CommitFailedError:
        return False
    assert lock
    lock.release()
    return True


def test_an_interrupt_while_the_lock_is_asked_for_gives_it_back(
    proxy: WireProxy,
    behind_proxy: HiveMetastore,
    hms: HiveMetastore,
    identifier: TableIdentifier,
    interrupt: Callable[[], None],
) -> None:
    proxy.after("lock", interrupt)
    proxy.delay_answer("lock")
    with pytest.raises(_Interrupted):
        behind_proxy.lock(identifier)
    assert is_free(hms, identifier)


def test_a_lock_is_given_back_that_is_granted_only_after_it_was_looked_for(
    proxy: WireProxy,
    behind_proxy: HiveMetastore,
    hms: HiveMetastore,
    identifier: TableIdentifier,
    interrupt: Callable[[], None],
) -> None:
    """The request that was interrupted may still be on its way."""
    looked = threading.Event()
    proxy.after("show_locks", looked.set)

    def after_the_first_look() -> None:
        interrupt()
        looked.wait(PATIENCE_S)

    proxy.before("lock", after_the_first_look)
    with pytest.raises(_Interrupted):
        behind_proxy.lock(identifier)
    assert proxy.methods.count("show_locks") > 1
    assert is_free(hms, identifier)


def test_an_interrupt_while_the_lock_is_waited_for_leaves_the_queue(
    proxy: WireProxy,
    behind_proxy: HiveMetastore,
    hms: HiveMetastore,
    identifier: TableIdentifier,
    interrupt: Callable[[], None],
) -> None:
    held = hms.lock(identifier)
    assert held
    proxy.after("check_lock", interrupt)
    proxy.delay_answer("check_lock")
    with pytest.raises(_Interrupted):
        behind_proxy.lock(identifier, timeout_s=PATIENCE_S)
    held.release()
    assert is_free(hms, identifier)


def test_an_interrupt_while_a_lock_is_released_releases_it(
    proxy: WireProxy,
    behind_proxy: HiveMetastore,
    hms: HiveMetastore,
    identifier: TableIdentifier,
    interrupt: Callable[[], None],
) -> None:
    lock = behind_proxy.lock(identifier)
    assert lock
    again = threading.Event()

    def until_it_is_asked_again() -> None:
        interrupt()
        again.wait(5)

    proxy.before("unlock", until_it_is_asked_again)
    proxy.before("unlock", again.set)
    proxy.drop_request("unlock")
    with pytest.raises(_Interrupted):
        lock.release()
    assert is_free(hms, identifier)


def test_an_interrupt_goes_on_though_the_metastore_is_gone(
    behind_proxy: HiveMetastore, proxy: WireProxy, identifier: TableIdentifier, interrupt: Callable[[], None]
) -> None:
    lock = behind_proxy.lock(identifier)
    assert lock
    proxy.before("unlock", interrupt)
    proxy.before("unlock", proxy.refuse)
    proxy.drop_request("unlock", times=5)
    with pytest.raises(_Interrupted):
        lock.release()


@pytest.mark.parametrize("fault", ["drop_answer", "cut_answer"])
def test_a_lock_whose_grant_was_lost_is_given_back(
    proxy: WireProxy, behind_proxy: HiveMetastore, hms: HiveMetastore, identifier: TableIdentifier, fault: str
) -> None:
    getattr(proxy, fault)("lock")
    with pytest.raises(MetastoreUnavailableError):
        behind_proxy.lock(identifier)
    assert is_free(hms, identifier)


def test_a_lock_that_a_server_granted_and_then_failed_over_is_given_back() -> None:
    """Hive writes the lock first and looks for others then, in another transaction."""

    def locks(_: object) -> ttypes.ShowLocksResponse:
        request: ttypes.LockRequest = server.calls[server.methods.index("lock")][1][0]
        return ttypes.ShowLocksResponse([shown_lock(7, request.agentInfo), shown_lock(8, "somebody")])

    failure = ttypes.MetaException("Unable to update transaction database")
    with (
        ScriptedMetastore(get_config_value="300s", lock=failure, show_locks=locks, unlock=None) as server,
        closing(HiveMetastore(server.uri)) as metastore,
    ):
        with pytest.raises(MetastoreUnavailableError, match="failed inside lock"):
            metastore.lock(TableIdentifier("sales", "daily"))
        assert server.calls[-1] == ("unlock", (ttypes.UnlockRequest(lockid=7),))
        assert server.methods.count("unlock") == 1, "nobody else's"


def test_a_server_without_locks_is_asked_for_none_to_give_back() -> None:
    unknown = TApplicationException(TApplicationException.UNKNOWN_METHOD, "Invalid method name: 'lock'")
    with (
        ScriptedMetastore(get_config_value="300s", lock=unknown) as server,
        closing(HiveMetastore(server.uri)) as metastore,
    ):
        assert metastore.lock(TableIdentifier("sales", "daily")) is None
    assert server.methods[-1] == "lock"


def test_an_abandoned_lock_is_neither_released_nor_kept_alive(
    metastore_uri: str, hms: HiveMetastore, identifier: TableIdentifier
) -> None:
    asked: list[str] = []
    with closing(HiveMetastore(metastore_uri, on_call=asked.append)) as metastore:
        lock = metastore.lock(identifier)
        assert lock
        keeper = next(one for one in threading.enumerate() if one.name == f"lock of {identifier}")
        lock.abandon()
        lock.release()
        keeper.join(PATIENCE_S)
        assert not keeper.is_alive()
        with pytest.raises(CommitFailedError):
            lock.ensure_held()
        assert not is_free(hms, identifier), "until the server's time-out"
    assert asked == ["get_config_value", "lock"]
