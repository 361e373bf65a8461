"""Two metastores on one PostgreSQL: the one in use dies, or is stopped, before, during and after the swap.

It dies, and is started again, where a new connection is what finds that out, and within a transaction. A connection
that ends while a request is under way is the same on any server (faults/test_commit_at_the_wire.py,
faults/test_locks_at_the_wire.py), so that elsewhere one which is stopped is enough.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

from hive_views.errors import CommitStateUnknownError, MetastoreUnavailableError
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.engine import CommitSettings
from hive_views.views.commit.locking import LockMode
from hive_views.views.view import View
from tests.servers.conftest import new_namespace
from tests.support.containers.metastores import MetastoreServer, MetastoreServers
from tests.support.failing.killing import SWAP
from tests.support.failing.wire import WireProxy
from tests.support.views.catalog_setup import create

VERSION = "4.2.1"
CONNECT_S, READ_S = 2.0, 4.0
BOUND_S = 4 * (CONNECT_S + READ_S)
"""A missing answer, the way to the other server, and a slow machine."""

Blow = Literal["kill", "stop"]


@dataclass(frozen=True)
class Pair:
    """The metastore in use, and the other one of the same database."""

    used: MetastoreServer
    other: MetastoreServer
    servers: MetastoreServers

    def strike(self, blow: Blow) -> None:
        """Kill or stop the one in use: it does nothing more when this returns.

        Stopped by SIGSTOP, a server on a busy machine may still begin the next request, and the locks that this takes
        in the database keep the other one waiting; a container that is paused is frozen as a whole.
        """
        container = self.used.container.get_wrapped_container()
        if blow == "kill":
            container.kill()
        else:
            container.pause()

    def go_on(self) -> None:
        """End the stop, if it is stopped."""
        container = self.used.container.get_wrapped_container()
        container.reload()
        if container.status == "paused":
            container.unpause()

    def revive(self, blow: Blow) -> None:
        """Undo the blow."""
        if blow == "kill":
            container = self.used.container.get_wrapped_container()
            container.wait()
            container.start()
        else:
            self.go_on()
        self.used.wait_until_ready()

    def sql(self, statement: str) -> str:
        return self.servers.execute(self.used, statement)


@pytest.fixture(scope="module")
def pair(metastore_servers: MetastoreServers) -> Iterator[Pair]:
    # Otherwise each asks for locks by itself when it starts, and stopped meanwhile would let none be granted.
    settings = {"metastore.housekeeping.leader.election": "host"}
    with (
        metastore_servers.own(VERSION, "postgres", settings=settings) as used,
        metastore_servers.own(VERSION, "postgres", settings=settings, database=used.database) as other,
    ):
        yield Pair(used, other, metastore_servers)


@pytest.fixture
def blow(request: pytest.FixtureRequest, pair: Pair) -> Iterator[Blow]:
    """What happens to the metastore in use; afterwards it is there again."""
    yield request.param
    pair.revive(request.param)


dies_or_stops = pytest.mark.parametrize("blow", ["kill", "stop"], indirect=True)
stops = pytest.mark.parametrize("blow", ["stop"], indirect=True)


@pytest.fixture
def proxy(pair: Pair) -> Iterator[WireProxy]:
    with WireProxy.before_uri(pair.used.uri) as proxy:
        yield proxy


@pytest.fixture
def catalog(pair: Pair, tmp_path: Path) -> ViewCatalog:
    """A bystander on the other metastore."""
    return ViewCatalog(pair.other.client, warehouse=f"{tmp_path}/views", settings=CommitSettings(lock="never"))


@pytest.fixture
def view(pair: Pair, catalog: ViewCatalog) -> View:
    return create(catalog, f"{new_namespace(pair.other)}.v", properties={"n": "0"})


@contextmanager
def writer(pair: Pair, proxy: WireProxy, view: View, lock: LockMode = "never") -> Iterator[ViewCatalog]:
    """A writer that has a connection to the one in use, and knows what that can do."""
    metastore = HiveMetastore([proxy.uri, pair.other.uri], connect_timeout_s=CONNECT_S, read_timeout_s=READ_S)
    with closing(metastore):
        assert metastore.enforces_swap(view.identifier)
        yield ViewCatalog(metastore, MetadataStorage(), settings=CommitSettings(lock=lock))


@contextmanager
def bounded() -> Iterator[None]:
    start_s = time.monotonic()
    yield
    assert time.monotonic() - start_s < BOUND_S


def value_of(catalog: ViewCatalog, view: View) -> str:
    loaded = ViewCatalog(catalog.metastore).load_view(view.identifier)
    assert loaded.differences == ()
    return loaded.properties["n"]


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def in_background(act: Callable[[], object]) -> threading.Thread:
    def run() -> None:
        with suppress(RuntimeError):  # its connection is ended from outside
            act()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


@dies_or_stops
def test_before_a_commit_it_goes_to_the_other(
    pair: Pair, proxy: WireProxy, catalog: ViewCatalog, view: View, blow: Blow
) -> None:
    with writer(pair, proxy, view) as used:
        pair.strike(blow)
        with bounded():
            written = used.alter_view(view.identifier, set_properties={"n": "1"})
        assert written.properties["n"] == "1"
        with bounded():
            used.alter_view(view.identifier, set_properties={"n": "2"})
    assert value_of(catalog, view) == "2"


@stops
def test_before_a_lock_nothing_is_changed_and_the_next_try_goes_to_the_other(
    pair: Pair, proxy: WireProxy, catalog: ViewCatalog, view: View, blow: Blow
) -> None:
    """A stopped one may grant the lock later, to nobody, so that it is not asked twice by itself."""
    with writer(pair, proxy, view, "auto") as used:
        proxy.before("lock", lambda: pair.strike(blow))
        with bounded(), pytest.raises(MetastoreUnavailableError):
            used.alter_view(view.identifier, set_properties={"n": "1"})
        assert value_of(catalog, view) == "0"
        with bounded():
            used.alter_view(view.identifier, set_properties={"n": "2"})
    assert value_of(catalog, view) == "2"


@stops
def test_between_read_and_swap_the_outcome_is_reported_to_be_unknown_which_it_is(
    pair: Pair, proxy: WireProxy, catalog: ViewCatalog, view: View, blow: Blow
) -> None:
    """The request has left, and a stopped metastore will still read it."""
    with writer(pair, proxy, view) as used:
        proxy.before(SWAP, lambda: pair.strike(blow))
        with bounded(), pytest.raises(CommitStateUnknownError) as unknown:
            used.alter_view(view.identifier, set_properties={"n": "1"})
        assert value_of(catalog, view) == "0"
    pair.go_on()
    until(lambda: value_of(catalog, view) == "1")
    assert catalog.load_view(view.identifier).metadata_location == unknown.value.metadata_location
    assert Path(str(unknown.value.metadata_location).removeprefix("file://")).exists(), "it was not deleted"


def test_a_swap_that_arrives_late_is_refused_where_another_came_first(
    pair: Pair, proxy: WireProxy, catalog: ViewCatalog, view: View
) -> None:
    with writer(pair, proxy, view) as used:
        proxy.before(SWAP, lambda: pair.strike("stop"))
        with pytest.raises(CommitStateUnknownError):
            used.alter_view(view.identifier, set_properties={"n": "1"})
        used.alter_view(view.identifier, set_properties={"n": "2"})
    pair.revive("stop")
    assert value_of(catalog, view) == "2"


@dies_or_stops
def test_within_the_swap_the_outcome_is_reported_to_be_unknown(
    pair: Pair, proxy: WireProxy, catalog: ViewCatalog, view: View, blow: Blow
) -> None:
    """The metastore's transaction waits for a lock in the database when it is hit."""
    waits = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    ends = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
    locker = in_background(lambda: pair.sql('BEGIN; LOCK TABLE "TABLE_PARAMS" IN EXCLUSIVE MODE; SELECT pg_sleep(60)'))
    until(lambda: pair.sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") == "1")

    with writer(pair, proxy, view) as used:

        def hit() -> None:
            until(lambda: pair.sql(waits) != "0")
            pair.strike(blow)
            pair.sql(ends)

        thread = in_background(hit)
        with bounded(), pytest.raises(CommitStateUnknownError):
            used.alter_view(view.identifier, set_properties={"n": "1"})
        thread.join(30)
    assert value_of(catalog, view) == "0"
    locker.join(30)
    if blow == "stop":
        pair.go_on()
        until(lambda: value_of(catalog, view) == "1")
    else:
        catalog.alter_view(view.identifier, set_properties={"n": "2"})
        assert value_of(catalog, view) == "2"


@stops
def test_after_the_swap_it_is_recognised_on_the_other(
    pair: Pair, proxy: WireProxy, catalog: ViewCatalog, view: View, blow: Blow
) -> None:
    with writer(pair, proxy, view) as used:
        proxy.after(SWAP, lambda: pair.strike(blow))
        proxy.drop_answer(SWAP)
        with bounded():
            written = used.alter_view(view.identifier, set_properties={"n": "1"})
        with bounded():
            assert used.load_view(view.identifier).metadata == written.metadata
    assert value_of(catalog, view) == "1"
