"""A Hive Metastore over Thrift.

What lives here: the port's verbs as calls, one each, and what a server can do. What must not: sockets and retries
(connection.py), the meaning of failures (thrift_errors.py), rules about views.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from hive_views.errors import (
    CommitFailedError,
    MetastoreUnavailableError,
    NoSuchNamespaceError,
    UnsupportedFeatureError,
)
from hive_views.hive.partition_names import parse_partition_name
from hive_views.hive.projection import POINTER
from hive_views.hive.row import VIRTUAL_VIEW, NamespaceRow, Partition, Row
from hive_views.hive.value_range import ValueRange
from hive_views.metastore._thrift.hms import ttypes
from hive_views.metastore.auth import TLS, Auth, NoAuth, os_user
from hive_views.metastore.capabilities import Capabilities
from hive_views.metastore.connection import ConnectionPool
from hive_views.metastore.port import Lock, ServerFacts
from hive_views.metastore.thrift_errors import Call, is_bare_null_pointer
from hive_views.metastore.thrift_lock import DEFAULT_LOCK_TIMEOUT_S, HEARTBEAT_S, TableLocks, seconds
from hive_views.metastore.thrift_names import PartitionNames
from hive_views.metastore.thrift_rows import from_partition, from_row, to_partition, to_row
from hive_views.metastore.thrift_wire import Endpoint, Timeouts, parse_uris
from hive_views.spec.identifiers import TableIdentifier, check_namespace

_LISTENERS = "hive.metastore.transactional.event.listeners"
_LOCK_TIMEOUT = "hive.txn.timeout"
_LOAD_DONE = ttypes.PartitionEventType.LOAD_DONE
# No table has to be there for a lock to be granted.
_CLOCK = TableIdentifier("default", "hive_views_clock")
# Without it Hive 3 and later hide the insert-only tables, which are their default kind of managed table.
_CAPABILITIES = ttypes.ClientCapabilities([ttypes.ClientCapability.INSERT_ONLY_TABLES])


class HiveMetastore:
    """The metastore at one or several addresses of one database. Thread-safe, survives a fork, and can be pickled.

    Args:
        uris: ``thrift://host:9083``, several with commas between; the first that really answers is used.
        auth: who we are; by default the user of this process, without proof.
        tls: given, the connection is encrypted.
        connect_timeout_s: seconds to wait for a connection to each address.
        read_timeout_s: seconds to wait for an answer, or for more of it.
        write_timeout_s: seconds to wait for the server to take more of a request.
        lock_timeout_s: seconds that ``lock`` waits for somebody else's lock.
        user: the name that others see on our locks, and that owns new namespaces; by default that of ``auth``.
        on_call: told the Thrift method of each request that is sent; the introduction of a connection does not count.

    Raises:
        InvalidInputError: an address cannot be read. Nothing is connected before the first call.
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
            on_call=on_call,
        )
        auth = auth or NoAuth()
        timeouts = Timeouts(connect_timeout_s, read_timeout_s, write_timeout_s)
        self._user = user or (auth.ugi[0] if auth.ugi else os_user())
        self._lock_timeout_s = lock_timeout_s
        self._pool = ConnectionPool(parse_uris(uris), auth=auth, tls=tls, timeouts=timeouts, on_call=on_call)
        self._locks = TableLocks(self._pool.call, user=self._user)
        self._names = PartitionNames(self._pool.call, self.load_row)
        self._found: dict[Endpoint, Capabilities] = {}

    def __reduce__(self) -> tuple[Callable[[], HiveMetastore], tuple[()]]:
        return self._remake, ()

    def __repr__(self) -> str:
        return f"HiveMetastore({self._remake.args[0]!r})"

    # -- namespaces --------------------------------------------------------------------------------------------------

    def list_namespaces(self) -> list[str]:
        return sorted(self._ask(Call("get_databases", "*"), "*"))

    def load_namespace(self, namespace: str) -> NamespaceRow:
        name = check_namespace(namespace)
        database = self._ask(Call("get_database", name), name)
        return NamespaceRow(database.name, database.locationUri or None)

    def create_namespace(self, namespace: str, location: str | None = None) -> None:
        name = check_namespace(namespace)
        database = ttypes.Database(
            name=name,
            locationUri=location,
            parameters={},
            ownerName=self._user,
            ownerType=ttypes.PrincipalType.USER,
        )
        self._ask(Call("create_database", name, writes=True), database)

    # -- rows --------------------------------------------------------------------------------------------------------

    def list_view_names(self, namespace: str) -> list[str]:
        name = check_namespace(namespace)
        return sorted(self._ask(Call("get_tables_by_type", name), name, "*", VIRTUAL_VIEW))

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

    def swap_row(self, row: Row, *, expected: str | None) -> None:
        self._alter(row.identifier, row, expected)

    def rename_row(self, identifier: TableIdentifier, row: Row, *, expected: str | None) -> None:
        self._alter(identifier, row, expected)

    def drop_row(self, identifier: TableIdentifier) -> None:
        # Deleting data would remove the folder that a foreign writer may have set as the view's location.
        self._ask(Call("drop_table", str(identifier), writes=True), identifier.namespace, identifier.name, False)

    def _alter(self, identifier: TableIdentifier, row: Row, expected: str | None) -> None:
        try:
            self._alter_table(identifier, from_row(row), expected)
        except UnsupportedFeatureError as failure:
            if failure.fields.get("swap"):
                self._note(compares_pointers=False)
            if failure.fields.get("null_descriptor"):
                self._note(changes_columns_in_one_call=False)
            raise
        except MetastoreUnavailableError as failure:
            if expected is None or not is_bare_null_pointer(failure.__cause__):
                raise
            # A server on Java before 14 does not say which null it met; the row says whether it has been changed.
            if self.load_row(identifier).parameters.get(POINTER) != expected:
                raise
            self._note(changes_columns_in_one_call=False)
            raise UnsupportedFeatureError(
                f"This metastore cannot change {identifier} in one call: it fails over a null, as Hive 3 does when the "
                f"partitions of a view have no storage descriptor.",
                identifier=str(identifier),
                null_descriptor=True,
            ) from failure

    def _alter_table(self, identifier: TableIdentifier, table: ttypes.Table, expected: str | None) -> None:
        properties = {"DO_NOT_UPDATE_STATS": "true"}
        if expected is not None:
            # HIVE-26882
            properties |= {"expected_parameter_key": POINTER, "expected_parameter_value": expected}
        self._ask(
            Call("alter_table_with_environment_context", str(identifier), writes=True),
            identifier.namespace,
            identifier.name,
            table,
            ttypes.EnvironmentContext(properties),
        )

    def enforces_swap(self, identifier: TableIdentifier) -> bool:
        known = self.capabilities().checks_swaps
        if known is None:
            known = self._prove_swap(identifier)
            self._note(checks_swaps=known)
        return known

    def _prove_swap(self, identifier: TableIdentifier) -> bool:
        """Ask for a rename into a missing namespace, expecting the impossible, and see which of the two it refuses."""
        table = from_row(self.load_row(identifier))
        table.dbName = f"hive_views_probe_{uuid.uuid4().hex}"
        table.parameters.setdefault(POINTER, "")
        try:
            self._alter_table(identifier, table, f"hive-views probe {uuid.uuid4()}")
        except CommitFailedError:
            return True
        except NoSuchNamespaceError:
            return False
        raise UnsupportedFeatureError(
            f"The metastore at {self._pool.endpoint} answered a rename into a missing namespace as if it had worked; "
            f"look at {identifier}.",
            identifier=str(identifier),
        )

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
            told = None
            with suppress(UnsupportedFeatureError):
                told = self._ask(Call("get_config_value", _LOCK_TIMEOUT), _LOCK_TIMEOUT, "")
            known = seconds(told or "") or DEFAULT_LOCK_TIMEOUT_S
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
        return [to_partition(one) for one in self._ask(call, identifier.namespace, identifier.name, list(names))]

    def add_partitions(
        self, identifier: TableIdentifier, partitions: Sequence[Partition], *, if_not_exists: bool
    ) -> list[Partition]:
        if not partitions:
            return []
        request = ttypes.AddPartitionsRequest(
            dbName=identifier.namespace,
            tblName=identifier.name,
            parts=[from_partition(identifier, partition) for partition in partitions],
            ifNotExists=if_not_exists,
            needResult=True,
        )
        try:
            answer = self._ask(Call("add_partitions_req", str(identifier), writes=True), request)
        except UnsupportedFeatureError as failure:
            if failure.fields.get("listener"):
                self._note(takes_bare_partitions=False)
            raise
        return [to_partition(partition) for partition in answer.partitions or ()]

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
        return ServerFacts(address=str(self._pool.endpoint), version=version, clock_offset_s=self._clock_offset_s())

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
        # Granted at some moment of the call, which a busy server answers late: only what is outside of it is certain.
        return acquired_s - min(max(acquired_s, asked_s), granted_s)

    def capabilities(self) -> Capabilities:
        return self._found.get(self._pool.endpoint, Capabilities())

    def _note(self, **found: bool | float) -> None:
        # After an answer only is it certain which of the servers gave it.
        self._found[self._pool.endpoint] = replace(self.capabilities(), **found)  # type: ignore[arg-type]

    def close(self) -> None:
        self._pool.close()

    def _ask(self, call: Call, *arguments: Any) -> Any:
        return self._pool.call(call, *arguments)
