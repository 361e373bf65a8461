"""Connections that are lost while nothing is asked on them: closed, reset, or forgotten by what is on the way."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from contextlib import closing

import pytest

from hive_views.hive.row import Row
from hive_views.metastore.thrift import connection
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.views.commit.locking import LockMode
from tests.faults.conftest import Site, a_text
from tests.support.failing.wire import WireProxy
from tests.support.views.metastore_setup import location, pointing_to

SOON_S = 1.0
READ, SWAP = "get_table_req", "alter_table_with_environment_context"

LOST: dict[str, Callable[[WireProxy], None]] = {
    "closed": lambda proxy: proxy.disconnect(),
    "reset": lambda proxy: proxy.reset(),
    "forgotten on the way": lambda proxy: proxy.forget(),
    "forgotten on the way, which nobody notices": lambda proxy: proxy.forget(silently=True),
}
"""What becomes of an idle connection. The last two show nothing before something is sent."""


@pytest.fixture
def after_a_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every idle connection has been so for long."""
    monkeypatch.setattr(connection, "_FRESH_S", 0.0)


def pointer(metastore: HiveMetastore, row: Row) -> str:
    return metastore.load_row(row.identifier).parameters["metadata_location"]


@pytest.mark.parametrize("lose", LOST.values(), ids=LOST)
@pytest.mark.usefixtures("after_a_pause")
def test_a_call_does_not_fail_over_a_connection_that_was_lost_while_it_was_idle(
    proxy: WireProxy, hms: HiveMetastore, row: Row, calls: list[str], lose: Callable[[WireProxy], None]
) -> None:
    """Metastores are restarted, and what is between forgets who is silent; what was never sent needs no repeating."""
    with closing(HiveMetastore(proxy.uri, connect_timeout_s=SOON_S, on_call=calls.append)) as metastore:
        metastore.load_row(row.identifier)
        lose(proxy)
        metastore.swap_row(pointing_to(row, location(1)), expected=location(0))
        assert pointer(hms, row) == location(1)
        lose(proxy)
        assert metastore.load_row(row.identifier).parameters["metadata_location"] == location(1)
        lose(proxy)
        lock = metastore.lock(row.identifier, timeout_s=0)
        assert lock
        lock.release()
    assert calls == [READ, SWAP, READ, "get_config_value", "lock", "unlock"], "none of them was repeated"


@pytest.mark.usefixtures("after_a_pause")
def test_when_one_idle_connection_is_lost_the_others_are_not_asked_one_by_one(proxy: WireProxy, row: Row) -> None:
    """Each of them would cost the time-out for connecting."""
    with closing(HiveMetastore(proxy.uri, connect_timeout_s=SOON_S)) as metastore:
        proxy.before(READ, lambda: metastore.load_row(row.identifier))
        metastore.load_row(row.identifier)
        proxy.forget(silently=True)
        metastore.swap_row(pointing_to(row, location(1)), expected=location(0))
    assert len(proxy.forgotten) == 1
    assert proxy.methods.count("set_ugi") == 3


def test_a_client_at_work_sends_no_request_of_its_own(proxy: WireProxy, behind_proxy: HiveMetastore, row: Row) -> None:
    behind_proxy.load_row(row.identifier)
    behind_proxy.swap_row(pointing_to(row, location(1)), expected=location(0))
    assert proxy.methods == ["set_ugi", READ, SWAP]


@pytest.mark.usefixtures("after_a_pause")
def test_after_a_pause_one_question_is_asked_that_costs_the_metastore_nothing(
    proxy: WireProxy, behind_proxy: HiveMetastore, row: Row, calls: list[str]
) -> None:
    behind_proxy.load_row(row.identifier)
    behind_proxy.swap_row(pointing_to(row, location(1)), expected=location(0))
    assert proxy.methods == ["set_ugi", READ, "getName", SWAP]
    assert calls == [READ, SWAP]


@pytest.mark.usefixtures("after_a_pause")
def test_an_interrupted_question_leaves_no_answer_behind_for_the_next_call(
    proxy: WireProxy, behind_proxy: HiveMetastore, row: Row
) -> None:
    behind_proxy.load_row(row.identifier)
    proxy.delay_answer("getName")
    main = threading.main_thread().ident
    assert main
    proxy.after("getName", lambda: signal.pthread_kill(main, signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        behind_proxy.load_row(row.identifier)
    assert behind_proxy.load_row(row.identifier) == row


@pytest.mark.parametrize("lock", ["auto", "never"])
@pytest.mark.parametrize("lose", LOST.values(), ids=LOST)
@pytest.mark.usefixtures("after_a_pause")
def test_no_verb_fails_over_a_connection_that_was_lost_since_the_last_one(
    site: Site, lose: Callable[[WireProxy], None], lock: LockMode
) -> None:
    catalog = site.catalog(site.proxy.uri, lock=lock, connect_timeout_s=SOON_S)
    partitions = catalog.partitions(site.name)
    lose(site.proxy)
    assert catalog.replace_view(site.name, sql={"hive": a_text(1)}).current_version.version_id == 2
    lose(site.proxy)
    assert partitions.add([{"ds": "2026-08-21"}]) == ["ds=2026-08-21"]
    lose(site.proxy)
    partitions.drop([{"ds": "2026-08-21"}])
    lose(site.proxy)
    catalog.drop_view(site.name)
    assert not site.second.view_exists(site.name)
