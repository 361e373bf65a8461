"""The connections of the Thrift adapter to a real Hive 2.3.10 server, with a proxy between that fails on demand."""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace

import pytest

from hive_views.errors import (
    CommitFailedError,
    HiveViewsError,
    MetastoreUnavailableError,
    NoSuchTableError,
    TableAlreadyExistsError,
)
from hive_views.hive.row import Column, Partition, Row
from hive_views.hive.value_range import ValueRange
from hive_views.metastore.thrift.auth import NoAuth
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.spec.identifiers import TableIdentifier
from tests.support.failing.wire import PATIENCE_S, LoopbackServer, WireProxy
from tests.support.views.metastore_setup import location, pointing_to, view_row

_READ, _WRITE, _ALTER = "get_table_req", "create_table", "alter_table_with_environment_context"


def _swapped(row: Row) -> Row:
    return pointing_to(row, location(1))


def _pointer(metastore: HiveMetastore, row: Row) -> str:
    return metastore.load_row(row.identifier).parameters["metadata_location"]


# -- reads are repeated once, writes never


@pytest.mark.parametrize("fault", ["drop_request", "cut_request", "drop_answer", "cut_answer"])
def test_a_read_whose_connection_breaks_is_repeated_once_on_a_new_one(
    proxy: WireProxy, behind_proxy: HiveMetastore, row: Row, calls: list[str], fault: str
) -> None:
    getattr(proxy, fault)(_READ)
    assert behind_proxy.load_row(row.identifier) == row
    assert calls == [_READ, _READ]
    assert proxy.methods == ["set_ugi", _READ, "set_ugi", _READ], "the second on a connection of its own"


def test_a_read_is_repeated_on_a_new_connection_though_others_are_idle(
    proxy: WireProxy, behind_proxy: HiveMetastore, row: Row
) -> None:
    """They were opened to the same server, which has probably died for all of them."""
    proxy.before(_READ, lambda: behind_proxy.load_row(row.identifier))
    behind_proxy.load_row(row.identifier)
    assert proxy.methods.count("set_ugi") == 2
    proxy.drop_answer(_READ)
    behind_proxy.load_row(row.identifier)
    assert proxy.methods.count("set_ugi") == 3


def test_a_read_that_fails_twice_is_a_failure(
    proxy: WireProxy, behind_proxy: HiveMetastore, row: Row, calls: list[str]
) -> None:
    proxy.drop_answer(_READ, times=2)
    with pytest.raises(MetastoreUnavailableError, match="it closed the connection"):
        behind_proxy.load_row(row.identifier)
    assert calls == [_READ, _READ]


@pytest.mark.parametrize(
    ("fault", "happened"),
    [("drop_request", False), ("cut_request", False), ("drop_answer", True), ("cut_answer", True)],
)
def test_a_write_is_never_repeated_and_may_have_happened(
    proxy: WireProxy,
    behind_proxy: HiveMetastore,
    hms: HiveMetastore,
    row: Row,
    calls: list[str],
    fault: str,
    happened: bool,
) -> None:
    getattr(proxy, fault)(_ALTER)
    with pytest.raises(MetastoreUnavailableError) as caught:
        behind_proxy.swap_row(_swapped(row), expected=location(0))
    assert caught.value.sent
    assert calls == proxy.methods[1:] == [_ALTER]
    assert _pointer(hms, row) == location(1 if happened else 0)


def test_a_write_for_which_there_is_no_connection_was_certainly_not_sent(metastore_uri: str, row: Row) -> None:
    with WireProxy.before_uri(metastore_uri) as proxy:
        metastore = HiveMetastore(proxy.uri)
        metastore.load_row(row.identifier)
    with closing(metastore), pytest.raises(MetastoreUnavailableError) as caught:
        metastore.swap_row(_swapped(row), expected=location(0))
    assert not caught.value.sent


def test_an_answer_that_comes_too_late_is_given_up_and_never_taken_for_the_next_one(
    proxy: WireProxy, hms: HiveMetastore, row: Row
) -> None:
    with closing(HiveMetastore(proxy.uri, read_timeout_s=0.5)) as metastore:
        delay = proxy.delay_answer(_ALTER)
        start = time.monotonic()
        with pytest.raises(MetastoreUnavailableError, match="no data arrived within") as caught:
            metastore.swap_row(_swapped(row), expected=location(0))
        assert time.monotonic() - start < PATIENCE_S, "not the 60 s of the default"
        assert caught.value.sent
        delay.wait_until_arrived()
        delay.release()
    assert _pointer(hms, row) == location(1), "it had happened"


def test_a_read_that_times_out_is_not_repeated(proxy: WireProxy, row: Row) -> None:
    with closing(HiveMetastore(proxy.uri, read_timeout_s=0.5)) as metastore:
        proxy.delay_answer(_READ)
        with pytest.raises(MetastoreUnavailableError):
            metastore.load_row(row.identifier)
    assert proxy.methods.count(_READ) == 1


def test_a_refusal_leaves_the_connection_in_use(proxy: WireProxy, behind_proxy: HiveMetastore, row: Row) -> None:
    with pytest.raises(NoSuchTableError):
        behind_proxy.load_row(replace(row, identifier=TableIdentifier("nowhere", "v")).identifier)
    with pytest.raises(CommitFailedError):
        behind_proxy.swap_row(_swapped(row), expected="s3://other")
    behind_proxy.load_row(row.identifier)
    assert proxy.methods.count("set_ugi") == 1


def test_an_interrupted_call_leaves_no_answer_behind_for_the_next_one(
    proxy: WireProxy, behind_proxy: HiveMetastore, hms: HiveMetastore, namespace: str
) -> None:
    for name in ("v", "w"):
        hms.create_row(view_row(namespace, name))
    proxy.delay_answer(_READ)
    main = threading.main_thread().ident
    assert main
    proxy.after(_READ, lambda: signal.pthread_kill(main, signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        behind_proxy.load_row(TableIdentifier(namespace, "v"))
    assert behind_proxy.load_row(TableIdentifier(namespace, "w")).identifier.name == "w"


# -- several writers, threads and processes


def test_what_a_writer_between_read_and_swap_did_is_not_overwritten(
    proxy: WireProxy, behind_proxy: HiveMetastore, hms: HiveMetastore, row: Row
) -> None:
    proxy.before(_ALTER, lambda: hms.swap_row(pointing_to(row, location(2)), expected=location(0)))
    with pytest.raises(CommitFailedError) as caught:
        behind_proxy.swap_row(_swapped(row), expected=location(0))
    assert caught.value.found_location == location(2)
    assert _pointer(hms, row) == location(2)


def test_a_row_created_between_looking_and_creating_is_kept(
    proxy: WireProxy, behind_proxy: HiveMetastore, hms: HiveMetastore, namespace: str
) -> None:
    theirs, ours = view_row(namespace, owner="eve"), view_row(namespace, owner="ada")
    proxy.before(_WRITE, lambda: hms.create_row(theirs))
    with pytest.raises(TableAlreadyExistsError):
        behind_proxy.create_row(ours)
    assert hms.load_row(ours.identifier).owner == "eve"


def test_threads_share_connections_and_never_each_others_answers(
    proxy: WireProxy, behind_proxy: HiveMetastore, hms: HiveMetastore, namespace: str
) -> None:
    names = [f"v{n}" for n in range(8)]
    for name in names:
        hms.create_row(view_row(namespace, name))

    def load(name: str) -> set[str]:
        return {behind_proxy.load_row(TableIdentifier(namespace, name)).identifier.name for _ in range(20)}

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(load, names)) == [{name} for name in names]
    assert proxy.methods.count("set_ugi") <= 8


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_of_a_fork_uses_connections_of_its_own_and_leaves_its_parents_open(
    proxy: WireProxy, behind_proxy: HiveMetastore, row: Row
) -> None:
    behind_proxy.load_row(row.identifier)
    child = os.fork()
    if child == 0:
        # A child that fails must not run the tests of its parent.
        status = 1
        try:
            status = 0 if behind_proxy.load_row(row.identifier) == row else 1
            behind_proxy.close()
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    assert proxy.methods.count("set_ugi") == 2
    behind_proxy.load_row(row.identifier)
    assert proxy.methods.count("set_ugi") == 2, "the parent's connection is still good"


def test_it_goes_to_another_process_by_its_settings(behind_proxy: HiveMetastore, proxy: WireProxy, row: Row) -> None:
    behind_proxy.load_row(row.identifier)
    original = HiveMetastore(proxy.uri, auth=NoAuth("ada"), lock_timeout_s=7)
    with closing(pickle.loads(pickle.dumps(original))) as copy:
        assert copy.load_row(row.identifier) == row
        assert repr(copy) == repr(original)


def test_a_closed_metastore_connects_again_when_it_is_used_and_keeps_nothing_open(
    proxy: WireProxy, behind_proxy: HiveMetastore, row: Row
) -> None:
    behind_proxy.load_row(row.identifier)
    behind_proxy.close()
    for _ in range(2):
        behind_proxy.load_row(row.identifier)
    assert proxy.methods == ["set_ugi", _READ] * 3


# -- several addresses


def test_the_first_address_that_answers_serves(metastore_uri: str, row: Row) -> None:
    with LoopbackServer() as gone:
        uri = gone.uri
    with closing(HiveMetastore(f"{uri},{metastore_uri}")) as metastore:
        assert metastore.load_row(row.identifier) == row
        assert metastore.facts().address == metastore_uri


def test_a_read_goes_to_the_second_address_when_the_first_dies_under_it(metastore_uri: str, row: Row) -> None:
    with WireProxy.before_uri(metastore_uri) as second:
        with WireProxy.before_uri(metastore_uri) as first:
            metastore = HiveMetastore([first.uri, second.uri])
            metastore.load_row(row.identifier)
        with closing(metastore):
            assert metastore.load_row(row.identifier) == row
        assert second.methods == ["set_ugi", _READ]


# -- round trips


@pytest.mark.parametrize(
    ("use", "expected"),
    [
        (lambda m, row: m.load_row(row.identifier), [_READ]),
        (lambda m, row: m.load_rows(row.identifier.namespace, ["v", "w"]), ["get_table_objects_by_name_req"]),
        (lambda m, row: m.list_view_names(row.identifier.namespace), ["get_tables_by_type"]),
        (lambda m, row: m.swap_row(_swapped(row), expected=location(0)), [_ALTER]),
        (lambda m, row: m.partition_names(row.identifier), ["get_partition_names"]),
        (lambda m, row: m.enforces_swap(row.identifier), [_READ, _ALTER]),
        (lambda m, row: m.lock(row.identifier).release(), ["get_config_value", "lock", "unlock"]),
        (lambda m, row: m.drop_row(row.identifier), ["drop_table"]),
    ],
)
def test_a_verb_is_as_many_calls_as_it_says(
    behind_proxy: HiveMetastore,
    row: Row,
    calls: list[str],
    use: Callable[[HiveMetastore, Row], object],
    expected: list[str],
) -> None:
    use(behind_proxy, row)
    assert calls == expected


def test_the_proof_of_enforced_swaps_leaves_the_row_as_it_is(hms: HiveMetastore, metastore_uri: str, row: Row) -> None:
    before = hms.load_row(row.identifier)
    with closing(HiveMetastore(metastore_uri)) as metastore:
        assert metastore.enforces_swap(row.identifier)
    assert hms.load_row(row.identifier).native == before.native


# -- partitions


@pytest.fixture
def partitioned(hms: HiveMetastore, namespace: str) -> TableIdentifier:
    row = view_row(namespace, "p", partition_keys=(Column("ds", "string"), Column("hr", "int")))
    hms.create_row(row)
    days = [Partition((f"2026-08-{day:02d}", str(hour))) for day in (1, 2) for hour in (0, 1)]
    hms.add_partitions(row.identifier, days, if_not_exists=False)
    return row.identifier


@pytest.mark.parametrize(
    ("keys", "texts", "count", "expected"),
    [
        (["ds", "hr"], ValueRange("2026-08-08"), 2, ["get_partition_values"] * 2),
        (["ds", "hr"], ValueRange("2026-08-03", "2026-08-04"), 4, ["get_partition_values"] * 2),
        (["ds", "hr"], ValueRange("2026-09"), 0, ["get_partition_values"]),
        (["ds", "hr"], ValueRange("2026-08-02"), 14, ["get_partition_values", "get_partition_names"]),
        (["ds", "hr"], ValueRange("2026-08-08", "z"), 2, ["get_partition_names"]),
        (["ds"], ValueRange("2026-08-08"), 2, ["get_partition_names"]),
        (["nope", "hr"], ValueRange("2026"), 0, ["get_partition_values", "get_partition_names"]),
    ],
    ids=["open", "closed", "nothing", "most of all", "no plain bound", "one column", "another column"],
)
def test_names_in_a_range_are_two_calls_where_that_is_cheaper_and_sure(
    behind_proxy: HiveMetastore,
    hms: HiveMetastore,
    partitioned: TableIdentifier,
    calls: list[str],
    keys: list[str],
    texts: ValueRange,
    count: int,
    expected: list[str],
) -> None:
    more = [Partition((f"2026-08-{day:02d}", str(hour))) for day in range(3, 9) for hour in (0, 1)]
    hms.add_partitions(partitioned, more, if_not_exists=False)
    assert len(behind_proxy.partition_names_within(partitioned, keys, texts)) == count
    assert calls == expected


@pytest.mark.parametrize(
    ("values", "count", "expected"),
    [
        ({"ds": "2026-08-01"}, 2, ["get_partition_names_ps"]),
        ({"ds": "2026-08-01", "hr": "1"}, 1, ["get_partition_names_ps"]),
        ({"hr": "1"}, 2, ["get_partition_names_ps", _READ, "get_partition_names"]),
        ({"ds": "2027-01-01"}, 0, ["get_partition_names_ps", _READ]),
    ],
)
def test_names_by_leading_values_are_one_call_and_by_others_a_bounded_number(
    behind_proxy: HiveMetastore,
    partitioned: TableIdentifier,
    calls: list[str],
    values: dict[str, str],
    count: int,
    expected: list[str],
) -> None:
    assert len(behind_proxy.partition_names(partitioned, values)) == count
    assert calls == expected


def test_fields_of_a_row_that_are_not_ours_survive_a_swap(hms: HiveMetastore, namespace: str) -> None:
    """Bucketing and serde parameters are in Hive's rows and in none of ours."""
    row = view_row(namespace)
    hms.create_row(row)
    found = hms.load_row(row.identifier)
    found.native.sd.parameters = {"their": "own"}
    found.native.sd.serdeInfo.name = "daily"
    found.native.retention = 2147483647
    hms.swap_row(found, expected=location(0))
    hms.swap_row(_swapped(hms.load_row(row.identifier)), expected=location(0))
    native = hms.load_row(row.identifier).native
    assert (native.sd.parameters, native.sd.serdeInfo.name, native.retention) == ({"their": "own"}, "daily", 2147483647)


# -- locks


def test_the_holder_of_a_lock_is_named(hms: HiveMetastore, behind_proxy: HiveMetastore, row: Row) -> None:
    with closing(HiveMetastore(hms.facts().address, user="grace")) as hers:
        held = hers.lock(row.identifier)
        assert held
        with pytest.raises(CommitFailedError, match="grace@") as caught:
            behind_proxy.lock(row.identifier, timeout_s=0.2)
        assert f"lock {held.lock_id}" in caught.value.holder
        held.release()


def test_locks_meet_whatever_the_case_of_the_names(hms: HiveMetastore, row: Row) -> None:
    """Hive 2.3 compares them as they are sent."""
    upper = TableIdentifier(row.identifier.namespace.upper(), "V")
    held = hms.lock(row.identifier)
    assert held
    with pytest.raises(CommitFailedError):
        hms.lock(upper, timeout_s=0)
    held.release()


def test_a_lock_keeps_others_waiting_only_until_its_release(
    hms: HiveMetastore, behind_proxy: HiveMetastore, proxy: WireProxy, row: Row
) -> None:
    held = hms.lock(row.identifier)
    assert held
    proxy.after("check_lock", held.release)
    waited = behind_proxy.lock(row.identifier, timeout_s=PATIENCE_S)
    assert waited
    waited.release()
    assert proxy.methods.count("check_lock") == 2


# -- the proxy itself


def test_a_fault_in_a_test_hook_fails_the_test(metastore_uri: str) -> None:
    def broken() -> None:
        raise ZeroDivisionError

    def run() -> None:
        with WireProxy.before_uri(metastore_uri) as proxy, closing(HiveMetastore(proxy.uri)) as metastore:
            proxy.before("get_databases", broken, times=2)
            with pytest.raises(HiveViewsError):
                metastore.list_namespaces()

    with pytest.raises(ZeroDivisionError):
        run()


def test_rules_are_used_up(proxy: WireProxy, behind_proxy: HiveMetastore) -> None:
    seen: list[int] = []
    proxy.before("get_databases", lambda: seen.append(threading.get_ident()), times=2)
    for _ in range(3):
        behind_proxy.list_namespaces()
    assert len(seen) == 2
    assert proxy.methods == ["set_ugi", *["get_databases"] * 3]


def test_the_clock_of_a_server_on_this_machine_is_ours(hms: HiveMetastore) -> None:
    offset_s = hms.facts().clock_offset_s
    assert offset_s is not None
    assert abs(offset_s) < 5
