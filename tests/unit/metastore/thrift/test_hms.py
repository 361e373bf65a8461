"""The Thrift adapter before servers that cannot be had here: other versions of Hive, and failing ones."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest
from thrift.Thrift import TApplicationException

from hive_views.errors import (
    Answer,
    CommitFailedError,
    MetastoreUnavailableError,
    NoSuchTableError,
    UnsupportedFeatureError,
)
from hive_views.hive.row import Row
from hive_views.hive.value_range import ValueRange
from hive_views.metastore.port import AddedPartitions, Swap
from hive_views.metastore.thrift._bindings.hms import ttypes
from hive_views.metastore.thrift.auth import NoAuth
from hive_views.metastore.thrift.connection import ConnectionPool
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.metastore.thrift.lock import TableLocks
from hive_views.metastore.thrift.wire import Timeouts, parse_uris
from hive_views.spec.identifiers import TableIdentifier
from tests.support.failing.scripted_metastore import ScriptedMetastore, shown_lock
from tests.support.failing.wire import PATIENCE_S, WireProxy

_VIEW = TableIdentifier("Sales", "Daily")
_ROW = Row(_VIEW, "VIRTUAL_VIEW", parameters={"metadata_location": "s3://lake/2.json"})
_ALTER = "alter_table_with_environment_context"
_NULL_POINTER = ttypes.MetaException("java.lang.NullPointerException")
_CONFUSED = ttypes.MetaException('Object with id "" is managed by a different persistence manager')
_REFUSED = ttypes.MetaException(
    "The table has been modified. The parameter value for key 'metadata_location' is 'x'. "
    "The expected was value was 'y'"
)
_NO_DATABASE = ttypes.InvalidOperationException("Unable to change partition or table. Database hive.x doesn't exist.")
_ACQUIRED = ttypes.LockResponse(lockid=7, state=ttypes.LockState.ACQUIRED)
_WAITING = ttypes.LockResponse(lockid=7, state=ttypes.LockState.WAITING)
_NO_SUCH_LOCK = ttypes.NoSuchLockException("No such lock lockid:7")


def _table(location: str = "s3://lake/1.json") -> ttypes.GetTableResult:
    parameters = {"metadata_location": location}
    table = ttypes.Table(dbName="sales", tableName="daily", tableType="VIRTUAL_VIEW", parameters=parameters)
    table.partitionKeys = [ttypes.FieldSchema("ds", "string"), ttypes.FieldSchema("hr", "int")]
    return ttypes.GetTableResult(table)


def _internal(method: str) -> TApplicationException:
    return TApplicationException(TApplicationException.INTERNAL_ERROR, f"Internal error processing {method}")


@contextmanager
def _before(**answers: Any) -> Iterator[tuple[HiveMetastore, ScriptedMetastore]]:
    with ScriptedMetastore(**answers) as server, closing(HiveMetastore(server.uri, read_timeout_s=5)) as metastore:
        yield metastore, server


def _until(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not happened():
        assert time.monotonic() < deadline, "it did not happen in time"
        threading.Event().wait(0.01)


# -- calls as they are sent


def test_a_swap_sends_the_expected_value_and_never_cascades() -> None:
    with _before(**{_ALTER: None}) as (metastore, server):
        metastore.swap_row(_ROW, expected="s3://lake/1.json")
        metastore.swap_row(_ROW, expected=None)
    (_, checked), (_, unchecked) = server.calls[1:]
    assert checked[:2] == ("sales", "daily")
    assert checked[3].properties == {
        "DO_NOT_UPDATE_STATS": "true",
        "expected_parameter_key": "metadata_location",
        "expected_parameter_value": "s3://lake/1.json",
    }
    assert unchecked[3].properties == {"DO_NOT_UPDATE_STATS": "true"}


def test_insert_only_tables_are_shown_to_us() -> None:
    """Hive 3 and later hide them from clients that do not say they understand them."""
    with _before(get_table_req=_table(), get_table_objects_by_name_req=ttypes.GetTablesResult([])) as (
        metastore,
        server,
    ):
        metastore.load_row(_VIEW)
        metastore.load_rows("sales", ["daily"])
    assert server.methods[1:] == ["get_table_req", "get_table_objects_by_name_req"]
    for _, (request,) in server.calls[1:]:
        assert request.capabilities.values == [ttypes.ClientCapability.INSERT_ONLY_TABLES]


def test_nothing_to_do_is_no_call() -> None:
    with _before() as (metastore, server):
        assert metastore.load_rows("sales", []) == []
        assert metastore.load_partitions(_VIEW, []) == []
        assert metastore.add_partitions(_VIEW, [], if_not_exists=False) == AddedPartitions()
        metastore.alter_partitions(_VIEW, [])
        metastore.drop_partitions(_VIEW, [], if_exists=False)
    assert server.calls == []


def test_a_call_that_the_server_does_not_know_is_an_unsupported_feature() -> None:
    with _before() as (metastore, _), pytest.raises(UnsupportedFeatureError, match="get_table_req"):
        metastore.load_row(_VIEW)


# -- failing servers


def test_a_read_that_a_hive_3_server_confused_is_repeated() -> None:
    with _before(get_table_req=iter([_CONFUSED, _CONFUSED, _table()])) as (metastore, server):
        assert metastore.load_row(_VIEW).parameters == {"metadata_location": "s3://lake/1.json"}
    assert server.methods.count("get_table_req") == 3


def test_a_read_that_fails_over_a_closed_session_of_a_hive_4_server_is_repeated_on_another_connection() -> None:
    """The session belongs to the thread that serves the connection."""
    closed = ttypes.MetaException("JDOFatalUserException: Persistence Manager has been closed")
    with _before(get_table_req=iter([closed, _table()])) as (metastore, server):
        assert metastore.load_row(_VIEW).parameters == {"metadata_location": "s3://lake/1.json"}
    assert server.methods == ["set_ugi", "get_table_req", "set_ugi", "get_table_req"]


def test_a_server_that_stays_confused_is_given_up() -> None:
    trouble = pytest.raises(MetastoreUnavailableError, match="persistence manager")
    with _before(get_table_req=_CONFUSED) as (metastore, server), trouble:
        metastore.load_row(_VIEW)
    assert server.methods.count("get_table_req") == 5


def test_a_write_that_a_hive_3_server_confused_is_not_repeated_and_may_have_happened() -> None:
    with _before(**{_ALTER: _CONFUSED}) as (metastore, server), pytest.raises(MetastoreUnavailableError) as caught:
        metastore.swap_row(_ROW, expected="s3://lake/1.json")
    assert caught.value.sent
    assert server.methods.count(_ALTER) == 1


def test_a_nameless_null_in_a_swap_may_be_hive_3s_trouble_with_partitions_and_proves_nothing() -> None:
    """Java before 14 does not say what was null, and a listener fails after the change was committed."""
    with _before(**{_ALTER: _NULL_POINTER}) as (metastore, _):
        assert metastore.swap_row(_ROW, expected="s3://lake/1.json") is Swap.CANNOT_CHANGE_COLUMNS


# -- listing partitions on other versions


def test_a_missing_table_is_reported_where_the_server_says_so() -> None:
    """Hive 3.1; its exception has the number that MetaException has in 2.3."""
    missing = ttypes.NoSuchObjectException("hive.sales.daily table not found")
    with _before(get_partition_names=missing) as (metastore, _), pytest.raises(NoSuchTableError):
        metastore.partition_names(_VIEW)


def test_a_listing_that_failed_on_a_table_that_exists_is_a_failure() -> None:
    answers = {"get_partition_names": _internal("get_partition_names"), "get_table_req": _table()}
    with _before(**answers) as (metastore, _), pytest.raises(MetastoreUnavailableError, match="get_partition_names"):
        metastore.partition_names(_VIEW)


def test_values_with_characters_of_patterns_are_not_given_to_the_server_to_match() -> None:
    names = ["ds=a+b/hr=1", "ds=aab/hr=1"]
    with _before(get_partition_names=names, get_table_req=_table()) as (metastore, server):
        assert metastore.partition_names(_VIEW, {"ds": "a+b"}) == ["ds=a+b/hr=1"]
    assert "get_partition_names_ps" not in server.methods


def test_a_partition_that_was_dropped_while_it_was_read_is_left_out() -> None:
    """It comes without values, which the server reads in a statement of their own."""
    found = [ttypes.Partition(values=["a", "1"], parameters={}), ttypes.Partition(values=[], parameters={})]
    with _before(get_partitions_by_names=found) as (metastore, _):
        loaded = metastore.load_partitions(_VIEW, ["ds=a/hr=1", "ds=b/hr=1"])
    assert [one.values for one in loaded] == [("a", "1")]


# -- whether swaps are enforced


@pytest.mark.parametrize(("answer", "enforced"), [(_REFUSED, True), (_NO_DATABASE, False)])
def test_whether_swaps_are_enforced_is_proved_once_by_what_is_refused_first(answer: Exception, enforced: bool) -> None:
    with _before(**{_ALTER: answer}, get_table_req=_table()) as (metastore, server):
        assert [metastore.enforces_swap(_VIEW) for _ in range(3)] == [enforced] * 3
    assert server.methods == ["set_ugi", "get_table_req", _ALTER]
    database, name, table, environment = server.calls[-1][1]
    assert (database, name) == ("sales", "daily")
    assert table.dbName.startswith("hive_views_probe_"), "a rename into a namespace that cannot exist"
    assert environment.properties["expected_parameter_value"].startswith("hive-views probe ")


def test_a_server_that_takes_the_probe_for_a_success_is_not_trusted() -> None:
    with _before(**{_ALTER: None}, get_table_req=_table()) as (metastore, _), pytest.raises(UnsupportedFeatureError):
        metastore.enforces_swap(_VIEW)


def test_each_server_is_proved_for_itself() -> None:
    with ScriptedMetastore(**{_ALTER: _NO_DATABASE}, get_table_req=_table()) as old:
        with ScriptedMetastore(**{_ALTER: _REFUSED}, get_table_req=_table()) as new:
            metastore = HiveMetastore([new.uri, old.uri])
            assert metastore.enforces_swap(_VIEW)
        with closing(metastore):
            metastore.load_row(_VIEW)
            assert not metastore.enforces_swap(_VIEW)


def test_the_proof_holds_for_the_server_that_gave_it_and_not_for_the_first_of_the_list() -> None:
    with ScriptedMetastore() as gone:
        uri = gone.uri
    server = ScriptedMetastore(**{_ALTER: _REFUSED}, get_table_req=_table())
    with server, closing(HiveMetastore([uri, server.uri])) as metastore:
        assert [metastore.enforces_swap(_VIEW) for _ in range(2)] == [True, True]
    assert server.methods.count(_ALTER) == 1


def test_a_swap_that_only_the_check_protects_is_not_sent_to_a_server_that_took_the_place_of_the_proved_one() -> None:
    """A fail-over between the proof and the swap; the other server of the same database ignores what is expected."""
    with ScriptedMetastore(**{_ALTER: None}, get_table_req=_table()) as old:
        with ScriptedMetastore(**{_ALTER: _REFUSED}, get_table_req=_table()) as new:
            metastore = HiveMetastore([new.uri, old.uri])
            assert metastore.enforces_swap(_VIEW)
        with closing(metastore):
            with pytest.raises(CommitFailedError) as refused:
                metastore.swap_row(_ROW, expected="s3://lake/1.json", only_checked=True)
            assert refused.value.answer is Answer.NOT_SENT
            assert old.methods.count(_ALTER) == 0
            metastore.swap_row(_ROW, expected="s3://lake/1.json")
            assert old.methods.count(_ALTER) == 1


# -- locks


def test_a_free_lock_is_one_call_and_its_release_another() -> None:
    with _before(lock=_ACQUIRED, unlock=None) as (metastore, server):
        lock = metastore.lock(_VIEW)
        assert lock
        lock.ensure_held()
        lock.release()
        lock.release()
    assert server.methods == ["set_ugi", "lock", "unlock"]
    request = server.calls[1][1][0]
    (component,) = request.component
    assert (component.dbname, component.tablename) == ("sales", "daily"), "2.3 does not fold the case"
    assert component.type == ttypes.LockType.EXCLUSIVE
    assert component.operationType == ttypes.DataOperationType.NO_TXN
    assert request.agentInfo.startswith("hive-views-")


@pytest.mark.parametrize(
    "answers", [{}, {"lock": _internal("lock"), "show_locks": _internal("show_locks")}], ids=["no call", "no tables"]
)
def test_a_server_without_a_lock_manager_grants_none_and_is_asked_once(answers: dict[str, Any]) -> None:
    with _before(**answers) as (metastore, server):
        assert metastore.lock(_VIEW) is None
        asked = len(server.calls)
        assert metastore.lock(_VIEW) is None
    assert len(server.calls) == asked


def test_a_lock_manager_that_fails_once_is_not_taken_for_none() -> None:
    """Writing without the lock would let Iceberg's Java writers overwrite us."""
    answers = {"lock": iter([_internal("lock"), _ACQUIRED]), "show_locks": ttypes.ShowLocksResponse([]), "unlock": None}
    with _before(**answers) as (metastore, _):
        with pytest.raises(MetastoreUnavailableError):
            metastore.lock(_VIEW)
        lock = metastore.lock(_VIEW)
        assert lock
        lock.release()


def test_waiting_for_a_lock_ends_with_the_name_of_its_holder() -> None:
    answers = {
        "lock": _WAITING,
        "check_lock": _WAITING,
        "show_locks": ttypes.ShowLocksResponse([shown_lock(3, "Iceberg-1")]),
        "unlock": None,
    }
    with _before(**answers) as (metastore, server), pytest.raises(CommitFailedError) as caught:
        metastore.lock(_VIEW, timeout_s=0.2)
    assert caught.value.holder == "eve@night (Iceberg-1, lock 3)"
    assert "check_lock" in server.methods
    assert server.methods[-1] == "unlock", "we leave the queue"


def test_a_holder_that_the_server_does_not_name_is_another_writer() -> None:
    answers = {"lock": _WAITING, "check_lock": _WAITING, "show_locks": _internal("show_locks"), "unlock": None}
    with _before(**answers) as (metastore, _), pytest.raises(CommitFailedError, match="locked by another writer"):
        metastore.lock(_VIEW, timeout_s=0)


def test_a_lost_grant_that_cannot_be_given_back_is_logged(proxy: WireProxy, caplog: pytest.LogCaptureFixture) -> None:
    proxy.drop_answer("lock")
    with closing(HiveMetastore(proxy.uri)) as metastore, pytest.raises(MetastoreUnavailableError) as caught:
        metastore.lock(_VIEW)
    assert caught.value.sent
    assert "a lock of sales.daily may be left behind" in caplog.text


def test_a_lock_that_could_not_be_asked_for_leaves_nothing_to_give_back() -> None:
    with ScriptedMetastore() as gone:
        uri = gone.uri
    with closing(HiveMetastore(uri)) as metastore, pytest.raises(MetastoreUnavailableError) as caught:
        metastore.lock(_VIEW)
    assert not caught.value.sent


@pytest.mark.parametrize("end", [ttypes.LockResponse(lockid=7, state=ttypes.LockState.ABORT), _NO_SUCH_LOCK])
def test_a_lock_that_is_aborted_while_we_wait_is_a_failed_commit(end: Any) -> None:
    with _before(lock=_WAITING, check_lock=end, unlock=None) as (metastore, server), pytest.raises(CommitFailedError):
        metastore.lock(_VIEW, timeout_s=5)
    assert server.methods[-1] == "unlock"


def test_a_lock_is_granted_when_the_one_before_goes() -> None:
    answers = {"lock": _WAITING, "check_lock": iter([_WAITING, _ACQUIRED]), "unlock": None}
    with _before(**answers) as (metastore, server):
        lock = metastore.lock(_VIEW, timeout_s=5)
        assert lock
        lock.release()
    assert server.methods == ["set_ugi", "lock", "check_lock", "check_lock", "unlock"]


@pytest.fixture
def proxy() -> Iterator[WireProxy]:
    server = ScriptedMetastore(lock=_ACQUIRED, show_locks=_internal("show_locks"))
    with server, WireProxy.before_uri(server.uri) as proxy:
        yield proxy


@contextmanager
def _locks(**answers: Any) -> Iterator[tuple[TableLocks, ScriptedMetastore]]:
    with ScriptedMetastore(lock=_ACQUIRED, unlock=None, **answers) as server:
        endpoints = parse_uris(server.uri)
        pool = ConnectionPool(endpoints, auth=NoAuth(), tls=None, timeouts=Timeouts(read_s=5))
        with closing(pool):
            yield TableLocks(pool.call, user="ada"), server


def test_a_held_lock_sends_heartbeats_until_it_is_released() -> None:
    with _locks(heartbeat=None) as (locks, server):
        lock = locks.acquire(_VIEW, 5, heartbeat_s=0.02)
        assert lock
        _until(lambda: server.methods.count("heartbeat") >= 3)
        lock.release()
        _until(lambda: not any(thread.name == f"lock of {_VIEW}" for thread in threading.enumerate()))


def test_a_lock_that_the_server_has_reaped_is_lost_and_stays_so() -> None:
    with _locks(heartbeat=iter([_NO_SUCH_LOCK])) as (locks, server):
        lock = locks.acquire(_VIEW, 5, heartbeat_s=0.02)
        assert lock
        _until(lambda: not any(thread.name == f"lock of {_VIEW}" for thread in threading.enumerate()))
        for _ in range(2):
            with pytest.raises(CommitFailedError, match="was lost"):
                lock.ensure_held()
        lock.release()
    assert server.methods.count("heartbeat") == 1


def test_a_heartbeat_that_fails_is_tried_again() -> None:
    with _locks(heartbeat=iter([_internal("heartbeat"), *[None] * 10_000])) as (locks, server):
        lock = locks.acquire(_VIEW, 5, heartbeat_s=0.02)
        assert lock
        _until(lambda: server.methods.count("heartbeat") >= 3)
        lock.ensure_held()
        lock.release()


def test_after_a_long_silence_the_server_is_asked_whether_the_lock_is_held() -> None:
    """A process that was stopped finds the lock reaped before its own thread has noticed."""
    with _locks(heartbeat=_internal("heartbeat")) as (locks, server):
        lock = locks.acquire(_VIEW, 5, heartbeat_s=0.02)
        assert lock
        _until(lambda: server.methods.count("heartbeat") >= 3)
        with pytest.raises(MetastoreUnavailableError):
            lock.ensure_held()
        lock.release()


def test_a_release_that_fails_is_silent(caplog: pytest.LogCaptureFixture) -> None:
    with _before(lock=_ACQUIRED, unlock=_internal("unlock")) as (metastore, _):
        lock = metastore.lock(_VIEW)
        assert lock
        lock.release()
    assert "lock 7 of sales.daily" in caplog.text


@pytest.mark.parametrize(
    ("setting", "timeout_s", "heartbeat_s"),
    [("300s", 300, 60), ("8s", 8, 2), ("2m", 120, 30), ("2000ms", 2, 0.5), ("60", 60, 15), ("1 day", 86400, 60)]
    + [(setting, 300, 60) for setting in ("", "soon", "5 moons", "0s")],
)
def test_a_lock_sends_four_heartbeats_within_the_server_s_time_out(
    setting: str, timeout_s: float, heartbeat_s: float
) -> None:
    with _before(get_config_value=setting, lock=_ACQUIRED, unlock=None) as (metastore, server):
        for _ in range(2):
            metastore.lock(_VIEW).release()
        assert metastore.capabilities().lock_timeout_s == timeout_s
        assert metastore._heartbeat_s() == heartbeat_s
    assert server.methods == ["set_ugi", "get_config_value", *["lock", "unlock"] * 2]


# -- the server's own account


def test_a_busy_server_is_not_taken_for_one_with_a_wrong_clock() -> None:
    asked_s: list[float] = []

    def late(_: Any) -> Any:
        asked_s.append(time.time())
        time.sleep(0.1)
        return _ACQUIRED

    for later_s, expected_s in ((0.05, 0), (-3600, -3600), (3600, 3600)):

        def shown(_: Any, later_s: float = later_s) -> Any:
            acquired_ms = int((asked_s[-1] + later_s) * 1000)
            return ttypes.ShowLocksResponse([ttypes.ShowLocksResponseElement(lockid=7, acquiredat=acquired_ms)])

        answers = {"show_locks": shown, "unlock": None, "get_config_value": ""}
        with _before(getVersion="4.0.1", lock=late, **answers) as (metastore, _):
            assert metastore.facts().clock_offset_s == pytest.approx(expected_s, abs=60 if expected_s else 0)


@pytest.mark.parametrize(
    ("answer", "listener"),
    [
        ("", False),
        ("org.example.Other", False),
        ("org.example.Other,org.apache.hive.hcatalog.listener.DbNotificationListener", True),
        (ttypes.ConfigValSecurityException("For security reasons, the config key cannot be accessed"), None),
    ],
)
def test_a_notification_listener_is_reported_if_the_server_reports(answer: Any, listener: bool | None) -> None:
    with _before(getVersion="4.0.1", get_config_value=answer) as (metastore, server):
        facts = metastore.facts()
    assert (facts.address, facts.version) == (server.uri, "4.0.1")
    assert metastore.capabilities().takes_bare_partitions is (None if listener is None else not listener)


def test_listeners_that_are_called_after_the_commit_are_reported_under_any_name_of_their_settings() -> None:
    settings = {"hive.metastore.event.listeners": "org.example.A, org.example.B", "metastore.event.listeners": ""}
    settings |= {"metastore.end.function.listeners": "org.example.A,org.example.C"}
    refusal = ttypes.ConfigValSecurityException("For security reasons, the config key cannot be accessed")
    with _before(getVersion="4.0.1", get_config_value=lambda name, _: settings.get(name, refusal)) as (metastore, _):
        assert metastore.facts().listeners == ("org.example.A", "org.example.B", "org.example.C")
    with _before(getVersion="2.3.10", get_config_value=refusal) as (metastore, _):
        assert metastore.facts().listeners is None


# -- names of partitions in a range


def _values(*rows: tuple[str, ...]) -> ttypes.PartitionValuesResponse:
    return ttypes.PartitionValuesResponse([ttypes.PartitionValuesRow(list(row)) for row in rows])


_DAYS = tuple((f"2026-08-{day:02d}",) for day in range(1, 21))
_LAST = ("2026-08-20", "7")


@pytest.mark.parametrize(
    "answers",
    [
        {},
        {"get_partition_values": ttypes.MetaException("Filtering is supported only on partition keys of type string")},
        {"get_partition_values": iter([_values(*_DAYS), ttypes.MetaException("cannot filter")])},
        {"get_partition_values": iter([_values(*_DAYS), _internal("get_partition_values")])},
        {"get_partition_values": iter([_values(*_DAYS, ("2026_08_19",)), _values(_LAST)])},
        {"get_partition_values": iter([_values(*_DAYS, ("A",)), _values(_LAST)])},
        {"get_partition_values": iter([_values(*_DAYS, ("2026-08-19 ",)), _values(_LAST)])},
        {"get_partition_values": iter([_values(*_DAYS), _values(*_DAYS[-1:])])},
    ],
    ids=[
        "does not know the call",
        "does not filter",
        "does not filter by this column",
        "breaks over the filter",
        "orders texts by a collation that puts _ before -",
        "may take A for a",
        "takes a text with blanks at its end for the one without",
        "reports other values than are asked for",
    ],
)
def test_all_names_are_asked_for_where_a_server_may_leave_some_out(answers: dict[str, Any]) -> None:
    names = ["ds=2026-08-19/hr=7", "ds=2026-08-20/hr=7", "ds=2026_08_19/hr=1", "ds=a/hr=1"]
    with _before(get_partition_names=names, **answers) as (metastore, server):
        assert metastore.partition_names_within(_VIEW, ["ds", "hr"], ValueRange("2026-08-20")) == names[1:]
    assert server.methods[-1] == "get_partition_names"


def test_a_range_is_filtered_once_more_for_a_server_that_reports_too_many() -> None:
    rows = [("2026-08-19", "7"), _LAST, ("__HIVE_DEFAULT_PARTITION__", "7"), ("2026-08-20", "a/b")]
    answers = iter([_values(*_DAYS, ("__HIVE_DEFAULT_PARTITION__",)), _values(*rows)])
    with _before(get_partition_values=answers) as (metastore, server):
        names = metastore.partition_names_within(_VIEW, ["ds", "hr"], ValueRange("2026-08-20", "2026-08-21"))
    assert names == ["ds=2026-08-20/hr=7", "ds=2026-08-20/hr=a%2Fb"]
    (_, [different]), (_, [filtered]) = server.calls[1:]
    assert ([key.name for key in different.partitionKeys], different.applyDistinct) == (["ds"], True)
    assert filtered.filter == "ds >= '2026-08-20' and ds <= '2026-08-21'"


@pytest.mark.parametrize("name", ["web/logs", "x" * 129])
def test_a_foreign_namespace_that_we_would_not_allow_hides_no_other(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Of a server with other rules; Hive 2.3 refuses such databases."""
    with _before(get_databases=["web", name, "default"]) as (metastore, _):
        assert metastore.list_namespaces() == ["default", "web"]
    assert "1 names are left out of the namespaces" in caplog.text
