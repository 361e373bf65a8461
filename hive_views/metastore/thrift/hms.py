"""A Hive Metastore over Thrift."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from hive_views.errors import (
    Answer,
    CommitFailedError,
    MetastoreUnavailableError,
    NoSuchNamespaceError,
    UnsupportedFeatureError,
)
from hive_views.hive.durations import parse_duration_s
from hive_views.hive.partition_names import parse_partition_name
from hive_views.hive.row import POINTER, VIRTUAL_VIEW, NamespaceRow, Partition, Row
from hive_views.hive.value_range import ValueRange
from hive_views.messages.logs import logger_of
from hive_views.metastore.port import AddedPartitions, Capabilities, Lock, ServerFacts, Swap
from hive_views.metastore.thrift._bindings.hms import ttypes
from hive_views.metastore.thrift.auth import TLS, Auth, NoAuth, os_user
from hive_views.metastore.thrift.connection import ConnectionPool
from hive_views.metastore.thrift.databases import Databases
from hive_views.metastore.thrift.failures import Call
from hive_views.metastore.thrift.lock import DEFAULT_LOCK_TIMEOUT_S, HEARTBEAT_S, TableLocks
from hive_views.metastore.thrift.name_filters import PartitionNames
from hive_views.metastore.thrift.proxy_user import acting_for
from hive_views.metastore.thrift.structs import from_partition, from_row, to_partition, to_row
from hive_views.metastore.thrift.wire import Endpoint, Timeouts, parse_uris
from hive_views.spec.identifiers import TableIdentifier, check_namespace, split_usable_names

log = logger_of(__name__)

_MOST_SHOWN = 5
_LISTENERS = "hive.metastore.transactional.event.listeners"
# Called when the transaction is over; the shorter names are those of Hive 3 and later, which 2.3 does not report.
_AFTER_COMMIT = tuple(
    f"{prefix}metastore.{listeners}"
    for prefix in ("hive.", "")
    for listeners in ("event.listeners", "end.function.listeners")
)
_LOCK_TIMEOUT = "hive.txn.timeout"
_LOAD_DONE = ttypes.PartitionEventType.LOAD_DONE
# No table has to be there for a lock to be granted.
_CLOCK = TableIdentifier("default", "hive_views_clock")
_TABLE_TYPES = ("EXTERNAL_TABLE", "MANAGED_TABLE")
# Without it Hive 3 and later hide the insert-only tables, which are their default kind of managed table.
_CAPABILITIES = ttypes.ClientCapabilities([ttypes.ClientCapability.INSERT_ONLY_TABLES])


class HiveMetastore:
    """The metastore at one or several addresses of one database. Thread-safe, survives a fork, and can be pickled.

    Args:
        uris: ``thrift://host:9083``, or over HTTP ``thrift+https://host:9083/metastore``, several with commas between;
            the first that really answers is used.
        auth: how to authenticate; by default as the user of this process, without credentials.
        tls: given, the connection is encrypted.
        connect_timeout_s: seconds to wait for a connection to each address.
        read_timeout_s: seconds to wait for an answer, or for more of it; a whole one may take ten times as long, and
            be of 1 GiB.
        write_timeout_s: seconds to wait for the server to take more of a request.
        lock_timeout_s: seconds that ``lock`` waits for another holder.
        user: the name that others see on our locks, and that owns new namespaces; by default that of ``proxy_user``,
            else of ``auth``.
        proxy_user: the user for whom we act, with Kerberos or without authentication; by default nobody.
        http_headers: sent with each request to ``thrift+http://`` and ``thrift+https://``.
        on_call: called with the Thrift method of each request, but for those that a connection needs for itself.

    Raises:
        InvalidInputError: an address cannot be read, or ``auth`` permits no ``proxy_user``. Nothing is connected before
            the first call.
    """

    def __init__(
        self,
        uris: str | Sequence[str],
        *,
        auth: Auth | None = None,
        tls: TLS | None = None,
        connect_timeout_s: float = 10.0,
        read_timeout_s: float = 60.0,
        write_timeout_s: float = 60.0,
        lock_timeout_s: float = 180.0,
        user: str | None = None,
        proxy_user: str | None = None,
        http_headers: Mapping[str, str] | None = None,
        on_call: Callable[[str], None] | None = None,
    ) -> None:
        self._remake = partial(
            type(self),
            uris,
            auth=auth,
            tls=tls,
            connect_timeout_s=connect_timeout_s,
            read_timeout_s=read_timeout_s,
            write_timeout_s=write_timeout_s,
            lock_timeout_s=lock_timeout_s,
            user=user,
            proxy_user=proxy_user,
            http_headers=http_headers,
            on_call=on_call,
        )
        auth = auth or NoAuth()
        if proxy_user is not None:
            auth = acting_for(auth, proxy_user)
        timeouts = Timeouts(connect_timeout_s, read_timeout_s, write_timeout_s)
        self._user = user or proxy_user or (auth.ugi[0] if auth.ugi else os_user())
        self._lock_timeout_s = lock_timeout_s
        self._pool = ConnectionPool(
            parse_uris(uris), auth=auth, tls=tls, timeouts=timeouts, http_headers=http_headers, on_call=on_call
        )
        self._locks = TableLocks(self._pool.call, user=self._user)
        self._names = PartitionNames(self._pool.call, self.load_row)
        self._databases = Databases(self._pool.call)
        self._found: dict[Endpoint, Capabilities] = {}
        self._identity: list[str | None] = []

    def __reduce__(self) -> tuple[Callable[[], HiveMetastore], tuple[()]]:
        return self._remake, ()

    def __repr__(self) -> str:
        return f"HiveMetastore({self._remake.args[0]!r})"

    # -- namespaces --------------------------------------------------------------------------------------------------

    def list_namespaces(self) -> list[str]:
        return _usable("namespaces", self._ask(Call("get_databases", "*"), "*"))

    def load_namespace(self, namespace: str) -> NamespaceRow:
        return self._databases.load(check_namespace(namespace))

    def create_namespace(
        self,
        namespace: str,
        location: str | None = None,
        *,
        owner: str | None = None,
        comment: str | None = None,
        parameters: Mapping[str, str] | None = None,
    ) -> None:
        name = check_namespace(namespace)
        self._databases.create(NamespaceRow(name, location, owner or self._user, comment, parameters or {}))

    def alter_namespace(self, row: NamespaceRow) -> None:
        self._databases.alter(check_namespace(row.name), row)

    def drop_namespace(self, namespace: str) -> None:
        self._databases.drop(check_namespace(namespace))

    # -- rows --------------------------------------------------------------------------------------------------------

    def list_view_names(self, namespace: str) -> list[str]:
        name = check_namespace(namespace)
        return _usable(f"views of {name}", self._ask(Call("get_tables_by_type", name), name, "*", VIRTUAL_VIEW))

    def list_table_names(self, namespace: str) -> list[str]:
        name = check_namespace(namespace)
        call = Call("get_tables_by_type", name)
        # One whose type changes meanwhile is found twice.
        names = {found for type_ in _TABLE_TYPES for found in self._ask(call, name, "*", type_)}
        return _usable(f"tables of {name}", names)

    def load_rows(self, namespace: str, names: Sequence[str]) -> list[Row]:
        wanted = list(dict.fromkeys(TableIdentifier(namespace, name).name for name in names))
        if not wanted:
            return []  # an empty list means all tables to Hive 4
        name = check_namespace(namespace)
        request = ttypes.GetTablesRequest(dbName=name, tblNames=wanted, capabilities=_CAPABILITIES)
        return [to_row(table) for table in self._ask(Call("get_table_objects_by_name_req", name), request).tables]

    def load_row(self, identifier: TableIdentifier) -> Row:
        request = ttypes.GetTableRequest(
            dbName=identifier.namespace, tblName=identifier.name, capabilities=_CAPABILITIES
        )
        return to_row(self._ask(Call("get_table_req", str(identifier)), request).table)

    def create_row(self, row: Row) -> None:
        self._ask(Call("create_table", str(row.identifier), writes=True), from_row(row))

    def swap_row(self, row: Row, *, expected: str | None, parameter: str = POINTER, only_checked: bool = False) -> Swap:
        return self._alter(row.identifier, row, expected, parameter, only_checked=only_checked)

    def rename_row(
        self, identifier: TableIdentifier, row: Row, *, expected: str | None, only_checked: bool = False
    ) -> Swap:
        return self._alter(identifier, row, expected, POINTER, only_checked=only_checked)

    def drop_row(self, identifier: TableIdentifier) -> None:
        # Deleting data would remove the folder that a foreign writer may have set as the view's location.
        self._ask(Call("drop_table", str(identifier), writes=True), identifier.namespace, identifier.name, False)

    def _alter(
        self, identifier: TableIdentifier, row: Row, expected: str | None, parameter: str, *, only_checked: bool
    ) -> Swap:
        only_if = self._checks if only_checked else None
        swapped = self._alter_table(identifier, from_row(row), expected, parameter, only_if)
        if swapped is Swap.CANNOT_COMPARE:
            self._note(compares_pointers=False)
        elif swapped is Swap.CANNOT_CHANGE_COLUMNS:
            self._note(changes_columns_in_one_call=False)
        return swapped

    def _checks(self, endpoint: Endpoint) -> bool:
        return self._found.get(endpoint, Capabilities()).checks_swaps is True

    def _alter_table(
        self,
        identifier: TableIdentifier,
        table: ttypes.Table,
        expected: str | None,
        parameter: str = POINTER,
        only_if: Callable[[Endpoint], bool] | None = None,
    ) -> Swap:
        properties = {"DO_NOT_UPDATE_STATS": "true"}
        if expected is not None:
            # HIVE-26882
            properties |= {"expected_parameter_key": parameter, "expected_parameter_value": expected}
        answer = self._pool.call(
            Call("alter_table_with_environment_context", str(identifier), writes=True),
            identifier.namespace,
            identifier.name,
            table,
            ttypes.EnvironmentContext(properties),
            only_if=only_if,
        )
        return answer if isinstance(answer, Swap) else Swap.DONE

    def enforces_swap(self, identifier: TableIdentifier, server: str | None = None) -> bool:
        if server is not None and server != str(self._pool.endpoint):
            return any(found.checks_swaps is True for endpoint, found in self._found.items() if str(endpoint) == server)
        known = self.capabilities().checks_swaps
        return self._prove_swap(identifier) if known is None else known

    def _prove_swap(self, identifier: TableIdentifier) -> bool:
        """Ask for a rename into a missing namespace, expecting the impossible, and see which of the two it refuses."""
        table = from_row(self.load_row(identifier))
        # The proof holds for the very server that gives it, and another one may take its place meanwhile.
        server = self._pool.endpoint
        table.dbName = f"hive_views_probe_{uuid.uuid4().hex}"
        table.parameters.setdefault(POINTER, "")
        expected = f"hive-views probe {uuid.uuid4()}"
        try:
            swapped = self._alter_table(identifier, table, expected, only_if=lambda one: one == server)
        except CommitFailedError as refusal:
            if refusal.answer is Answer.NOT_SENT:
                raise
            checks = True
        except NoSuchNamespaceError:
            checks = False
        else:
            raise UnsupportedFeatureError(
                f"Cannot determine whether the metastore at {server} checks the expected value of a swap: it was asked "
                f"to rename {identifier} into a missing namespace, and responded: {swapped.value}.",
                identifier=str(identifier),
            )
        self._found[server] = replace(self._found.get(server, Capabilities()), checks_swaps=checks)
        return checks

    def lock(self, identifier: TableIdentifier, *, timeout_s: float | None = None) -> Lock | None:
        if self.capabilities().grants_locks is False:
            return None
        timeout_s = self._lock_timeout_s if timeout_s is None else timeout_s
        lock = self._locks.acquire(identifier, timeout_s, heartbeat_s=self._heartbeat_s())
        self._note(grants_locks=lock is not None)
        return lock

    def _heartbeat_s(self) -> float:
        known = self.capabilities().lock_timeout_s
        if known is None:
            setting = None
            with suppress(UnsupportedFeatureError):
                setting = self._ask(Call("get_config_value", _LOCK_TIMEOUT), _LOCK_TIMEOUT, "")
            known = parse_duration_s(setting or "") or DEFAULT_LOCK_TIMEOUT_S
            self._note(lock_timeout_s=known)
        # Two heartbeats may be lost, or late.
        return min(HEARTBEAT_S, known / 4)

    # -- partitions --------------------------------------------------------------------------------------------------

    def partition_names(self, identifier: TableIdentifier, prefix: Mapping[str, str] | None = None) -> list[str]:
        return self._names.with_values(identifier, prefix) if prefix else self._names.all(identifier)

    def partition_names_within(self, identifier: TableIdentifier, keys: Sequence[str], texts: ValueRange) -> list[str]:
        return self._names.within(identifier, keys, texts)

    def load_partitions(self, identifier: TableIdentifier, names: Sequence[str]) -> list[Partition]:
        if not names:
            return []
        call = Call("get_partitions_by_names", str(identifier))
        found = self._ask(call, identifier.namespace, identifier.name, list(names))
        # A server reads a partition and its values in two statements: one without values was dropped between them.
        return [to_partition(one) for one in found if one.values]

    def add_partitions(
        self, identifier: TableIdentifier, partitions: Sequence[Partition], *, if_not_exists: bool
    ) -> AddedPartitions:
        if not partitions:
            return AddedPartitions()
        request = ttypes.AddPartitionsRequest(
            dbName=identifier.namespace,
            tblName=identifier.name,
            parts=[from_partition(identifier, partition) for partition in partitions],
            ifNotExists=if_not_exists,
            needResult=True,
        )
        answer = self._ask(Call("add_partitions_req", str(identifier), writes=True), request)
        if isinstance(answer, AddedPartitions):
            self._note(takes_bare_partitions=False)
            return answer
        return AddedPartitions(tuple(to_partition(partition) for partition in answer.partitions or ()))

    def alter_partitions(self, identifier: TableIdentifier, partitions: Iterable[Partition]) -> None:
        structs = [from_partition(identifier, partition) for partition in partitions]
        if structs:
            call = Call("alter_partitions", str(identifier), writes=True)
            self._ask(call, identifier.namespace, identifier.name, structs)

    def drop_partitions(self, identifier: TableIdentifier, names: Sequence[str], *, if_exists: bool) -> None:
        if not names:
            return
        request = ttypes.DropPartitionsRequest(
            dbName=identifier.namespace,
            tblName=identifier.name,
            parts=ttypes.RequestPartsSpec(names=list(names)),
            deleteData=False,
            ifExists=if_exists,
            needResult=False,
        )
        self._ask(Call("drop_partitions_req", str(identifier), writes=True), request)

    def mark_load_done(self, identifier: TableIdentifier, name: str) -> None:
        call = Call("markPartitionForEvent", str(identifier), writes=True)
        self._ask(call, identifier.namespace, identifier.name, parse_partition_name(name), _LOAD_DONE)

    def is_load_done(self, identifier: TableIdentifier, name: str) -> bool:
        call = Call("isPartitionMarkedForEvent", str(identifier))
        marked: bool = self._ask(call, identifier.namespace, identifier.name, parse_partition_name(name), _LOAD_DONE)
        return marked

    # -- the server --------------------------------------------------------------------------------------------------

    def facts(self) -> ServerFacts:
        version = self._ask(Call("getVersion", "the server"))
        with suppress(UnsupportedFeatureError):
            listeners = self._ask(Call("get_config_value", _LISTENERS), _LISTENERS, "")
            self._note(takes_bare_partitions="DbNotificationListener" not in listeners)
        return ServerFacts(
            address=str(self._pool.endpoint),
            version=version,
            clock_offset_s=self._clock_offset_s(),
            listeners=self._listeners_after_commit(),
        )

    def _listeners_after_commit(self) -> tuple[str, ...] | None:
        reported = []
        for setting in _AFTER_COMMIT:
            with suppress(UnsupportedFeatureError):
                reported.append(self._ask(Call("get_config_value", setting), setting, ""))
        classes = (name.strip() for text in reported for name in text.split(","))
        return tuple(dict.fromkeys(name for name in classes if name)) if reported else None

    def _clock_offset_s(self) -> float | None:
        asked_s = time.time()
        try:
            lock = self.lock(_CLOCK, timeout_s=0)
            if lock is None:
                return None
            granted_s = time.time()
            try:
                acquired_s = self._locks.acquired_s(_CLOCK, lock)
            finally:
                lock.release()
        except (CommitFailedError, MetastoreUnavailableError):
            return None
        if acquired_s is None:
            return None
        # Granted at some time during the call, which a busy server answers late: only what is outside of it is certain.
        return acquired_s - min(max(acquired_s, asked_s), granted_s)

    def identity(self) -> str | None:
        if not self._identity:
            try:
                self._identity = [str(self._ask(Call("get_metastore_db_uuid", "the server")))]
            except (UnsupportedFeatureError, MetastoreUnavailableError) as error:
                if error.answer is not Answer.FAILED and not isinstance(error, UnsupportedFeatureError):
                    log.warning("the identity of the metastore is unknown: %s", error)
                    return None
                self._identity = [None]
        return self._identity[0]

    def capabilities(self) -> Capabilities:
        return self._found.get(self._pool.endpoint, Capabilities())

    def _note(self, **found: bool | float) -> None:
        # After an answer only is it certain which of the servers gave it.
        self._found[self._pool.endpoint] = replace(self.capabilities(), **found)  # type: ignore[arg-type]

    def close(self) -> None:
        self._pool.close()

    def _ask(self, call: Call, *arguments: Any) -> Any:
        return self._pool.call(call, *arguments)


def _usable(what: str, names: Iterable[str]) -> list[str]:
    """Sorted, without the names that engines with other rules have given: one of them must not hide all the others."""
    usable, others = split_usable_names(names)
    if others:
        shown = ", ".join(map(repr, others[:_MOST_SHOWN])) + (", ..." if len(others) > _MOST_SHOWN else "")
        rule = "not of ASCII letters, digits and _, or longer than 128 characters"
        log.warning("%d names are left out of the %s, because they are %s: %s", len(others), what, rule, shown)
    return usable
