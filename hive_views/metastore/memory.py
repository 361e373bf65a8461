"""A metastore in memory that behaves as Hive 2.3.10 does, for tests of programs that use this library."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from hive_views.errors import (
    AlreadyExistsError,
    Answer,
    CommitFailedError,
    HiveViewsError,
    InvalidInputError,
    InvalidPartitionError,
    MetastoreUnavailableError,
    NamespaceNotEmptyError,
    NoSuchNamespaceError,
    NoSuchTableError,
    PartitionAlreadyExistsError,
    TableAlreadyExistsError,
    UnsupportedFeatureError,
)
from hive_views.hive.row import DDL_TIME, POINTER, Column, NamespaceRow, Partition, Row
from hive_views.hive.value_range import ValueRange
from hive_views.messages.lost_race import CHANGED_BY_ANOTHER_WRITER
from hive_views.metastore.memory_locks import MemoryLocks
from hive_views.metastore.memory_table import MemoryTable
from hive_views.metastore.port import AddedPartitions, Capabilities, Lock, ServerFacts, Swap
from hive_views.spec.identifiers import TableIdentifier, check_namespace


class MemoryMetastore:
    """A metastore whose content lives as long as the object; one object is one server, and is thread-safe.

    Args:
        warehouse: where namespaces without a location of their own have theirs.
        enforces_swap: False models servers before HIVE-26882, which accept a swap with a wrong expected value.
        compares_swap: False models databases whose parameters are CLOBs, where a right expected value fails.
        grants_locks: False models a server without a lock manager.
        listener: True models a DbNotificationListener, which refuses partitions without a storage descriptor.
        null_descriptor_alter_fails: True models Hive 3, where the columns of a view cannot be changed while it has
            partition keys and partitions without a storage descriptor.
        alters_comments: True models Hive 3 and later, which change the comment of a namespace, but never remove it.
        tells_identity: False models Hive 2.3, which has no identity of its own.
        lock_timeout_s: how long ``lock`` waits by default.
        clock: the server's time in seconds since 1970.
        on_call: called with the name of each verb before it runs, outside of all locks.
    """

    def __init__(
        self,
        *,
        warehouse: str = "memory://warehouse",
        enforces_swap: bool = True,
        compares_swap: bool = True,
        grants_locks: bool = True,
        listener: bool = False,
        null_descriptor_alter_fails: bool = False,
        alters_comments: bool = False,
        tells_identity: bool = True,
        lock_timeout_s: float = 180.0,
        clock: Callable[[], float] = time.time,
        on_call: Callable[[str], None] | None = None,
    ) -> None:
        self._warehouse = warehouse.rstrip("/")
        self._enforces_swap = enforces_swap
        self._compares_swap = compares_swap
        self._grants_locks = grants_locks
        self._listener = listener
        self._null_descriptor_alter_fails = null_descriptor_alter_fails
        self._alters_comments = alters_comments
        self._identity = str(uuid.uuid4()) if tells_identity else None
        self._lock_timeout_s = lock_timeout_s
        self._clock = clock
        self._on_call = on_call
        self._found = Capabilities()
        self._state = threading.Condition(threading.RLock())
        self._namespaces = {"default": NamespaceRow("default", self._warehouse)}
        self._tables: dict[TableIdentifier, MemoryTable] = {}
        self._load_done: set[tuple[TableIdentifier, str]] = set()
        self._locks = MemoryLocks(self._state)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    # -- namespaces --------------------------------------------------------------------------------------------------

    def list_namespaces(self) -> list[str]:
        with self._call("list_namespaces"):
            return sorted(self._namespaces)

    def load_namespace(self, namespace: str) -> NamespaceRow:
        with self._call("load_namespace"):
            return self._namespace(check_namespace(namespace))

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
        with self._call("create_namespace"):
            if name in self._namespaces:
                raise AlreadyExistsError(f"Namespace {name} already exists.")
            location = location or f"{self._warehouse}/{name}.db"
            self._namespaces[name] = NamespaceRow(name, location, owner, comment or None, dict(parameters or {}))

    def alter_namespace(self, row: NamespaceRow) -> None:
        name = check_namespace(row.name)
        with self._call("alter_namespace"):
            found = self._namespace(name)
            comment = row.comment or None
            if comment != found.comment and not (comment and self._alters_comments):
                raise UnsupportedFeatureError(
                    f"This metastore keeps the comment of namespace {name}.", answer=Answer.FAILED
                )
            self._namespaces[name] = replace(found, owner=row.owner, comment=comment, parameters=dict(row.parameters))

    def drop_namespace(self, namespace: str) -> None:
        name = check_namespace(namespace)
        with self._call("drop_namespace"):
            self._namespace(name)
            if name == "default":
                raise InvalidInputError("Namespace default cannot be dropped: every metastore has one.")
            if any(identifier.namespace == name for identifier in self._tables):
                raise NamespaceNotEmptyError(f"Namespace {name} is not empty.")
            del self._namespaces[name]

    # -- rows --------------------------------------------------------------------------------------------------------

    def list_view_names(self, namespace: str) -> list[str]:
        name = check_namespace(namespace)
        with self._call("list_view_names"):
            return sorted(i.name for i, table in self._tables.items() if i.namespace == name and table.row.is_view)

    def list_table_names(self, namespace: str) -> list[str]:
        name = check_namespace(namespace)
        with self._call("list_table_names"):
            return sorted(i.name for i, table in self._tables.items() if i.namespace == name and not table.row.is_view)

    def load_rows(self, namespace: str, names: Sequence[str]) -> list[Row]:
        wanted = dict.fromkeys(TableIdentifier(namespace, name) for name in names)
        with self._call("load_rows"):
            self._namespace(check_namespace(namespace))
            return [self._tables[identifier].row for identifier in wanted if identifier in self._tables]

    def load_row(self, identifier: TableIdentifier) -> Row:
        with self._call("load_row"):
            return self._table(identifier).row

    def create_row(self, row: Row) -> None:
        with self._call("create_row"):
            self._namespace(row.identifier.namespace)
            self._refuse_taken(row.identifier)
            created = replace(self._stored(row), create_time_s=int(self._clock()))
            self._tables[row.identifier] = MemoryTable(created)

    def swap_row(self, row: Row, *, expected: str | None, parameter: str = POINTER, only_checked: bool = False) -> Swap:
        with self._call("swap_row"):
            self._refuse_unproved(row.identifier, only_checked=only_checked)
            return self._replace(row.identifier, row, expected, parameter)

    def rename_row(
        self, identifier: TableIdentifier, row: Row, *, expected: str | None, only_checked: bool = False
    ) -> Swap:
        with self._call("rename_row"):
            self._refuse_unproved(identifier, only_checked=only_checked)
            found = self._table(identifier).row
            self._refuse_taken(row.identifier)
            self._check_expected(found, row, expected, POINTER)
            self._namespace(row.identifier.namespace)
            swapped = self._replace(identifier, row, expected, POINTER)
            if swapped is Swap.DONE:
                self._tables[row.identifier] = self._tables.pop(identifier)
            return swapped

    def drop_row(self, identifier: TableIdentifier) -> None:
        with self._call("drop_row"):
            table = self._table(identifier)
            for name, partition in table.partitions.items():
                if table.name_of(partition) != name:
                    raise MetastoreUnavailableError(
                        f"A server would look for {table.name_of(partition)} instead of {name} until it is ended.",
                        answer=Answer.NONE,
                    )
            del self._tables[identifier]

    def _replace(self, identifier: TableIdentifier, row: Row, expected: str | None, parameter: str) -> Swap:
        table = self._table(identifier)
        is_compared = self._check_expected(table.row, row, expected, parameter)
        if is_compared and not self._compares_swap:
            self._note(compares_pointers=False)
            return Swap.CANNOT_COMPARE
        changes_columns = row.columns != table.row.columns and table.row.partition_keys
        # HiveAlterHandler compares the columns of every partition with those of the table.
        if self._null_descriptor_alter_fails and changes_columns and _are_bare(table.partitions.values()):
            self._note(changes_columns_in_one_call=False)
            return Swap.CANNOT_CHANGE_COLUMNS
        table.row = replace(self._stored(row), create_time_s=table.row.create_time_s)
        return Swap.DONE

    def _refuse_unproved(self, identifier: TableIdentifier, *, only_checked: bool) -> None:
        if only_checked and not self._found.checks_swaps:
            raise CommitFailedError(
                f"{identifier} was not changed: it is unknown whether this metastore checks the expected value of a "
                f"swap.",
                answer=Answer.NOT_SENT,
                identifier=str(identifier),
            )

    def _check_expected(self, found: Row, row: Row, expected: str | None, parameter: str) -> bool:
        """Whether anything is compared; a value that differs is refused."""
        if expected is None or not self._enforces_swap:
            return False
        value = found.parameters.get(parameter)
        if value != expected:
            raise CommitFailedError(
                CHANGED_BY_ANOTHER_WRITER.format(about=found.identifier),
                identifier=str(found.identifier),
                answer=Answer.REFUSED,
                expected_location=expected,
                found_location=value,
            )
        if parameter not in row.parameters:
            raise InvalidInputError(
                f"Cannot change {found.identifier}: its new row has no {parameter}.", identifier=str(found.identifier)
            )
        return True

    def enforces_swap(self, identifier: TableIdentifier, server: str | None = None) -> bool:  # noqa: ARG002 - it is one
        with self._call("enforces_swap"):
            self._table(identifier)
            self._note(checks_swaps=self._enforces_swap)
            return self._enforces_swap

    # -- locks -------------------------------------------------------------------------------------------------------

    def lock(self, identifier: TableIdentifier, *, timeout_s: float | None = None) -> Lock | None:
        timeout_s = self._lock_timeout_s if timeout_s is None else timeout_s
        with self._call("lock"):
            self._note(grants_locks=self._grants_locks)
            if not self._grants_locks:
                return None
            return self._locks.acquire(identifier, timeout_s)

    def expire_locks(self) -> None:
        """Take back all locks, as a server does with those that sent no heartbeat for its time-out."""
        self._locks.expire()

    # -- partitions --------------------------------------------------------------------------------------------------

    def partition_names(self, identifier: TableIdentifier, prefix: Mapping[str, str] | None = None) -> list[str]:
        with self._call("partition_names"):
            return self._table(identifier).names_with(prefix or {})

    def partition_names_within(self, identifier: TableIdentifier, keys: Sequence[str], texts: ValueRange) -> list[str]:
        with self._call("partition_names_within"):
            return sorted(texts.select(self._table(identifier).partitions, keys[0]))

    def load_partitions(self, identifier: TableIdentifier, names: Sequence[str]) -> list[Partition]:
        with self._call("load_partitions"):
            table = self._table(identifier)
            return [table.located(name) for name in sorted(set(names)) if name in table.partitions]

    def add_partitions(
        self, identifier: TableIdentifier, partitions: Sequence[Partition], *, if_not_exists: bool
    ) -> AddedPartitions:
        with self._call("add_partitions"):
            table = self._table(identifier)
            added: dict[str, Partition] = {}
            for partition in partitions:
                name = table.name_of(partition)
                if name in added:
                    raise InvalidPartitionError(f"Partition {name} is given twice in one call.", partitions=[name])
                table.check_new(name, partition)
                added[name] = replace(self._stored_partition(partition), create_time_s=int(self._clock()))
            if self._listener and _are_bare(partitions):
                self._note(takes_bare_partitions=False)
                return AddedPartitions(needs_descriptors=True)
            existing = [name for name in added if name in table.partitions]
            if existing and not if_not_exists:
                raise PartitionAlreadyExistsError(
                    f"{identifier} already has the partition {existing[0]}.", identifier=str(identifier)
                )
            new = {name: partition for name, partition in added.items() if name not in table.partitions}
            table.partitions.update(new)
            return AddedPartitions(tuple(table.located(name) for name in new))

    def alter_partitions(self, identifier: TableIdentifier, partitions: Iterable[Partition]) -> None:
        with self._call("alter_partitions"):
            table = self._table(identifier)
            changed = {table.name_of(partition): partition for partition in partitions}
            table.check_exist(changed)
            for name, partition in changed.items():
                table.check_sizes(name, partition)
            for name, partition in changed.items():
                # As the client for Thrift writes it: without, so that the server sets it to now.
                written = {key: value for key, value in partition.parameters.items() if key != DDL_TIME}
                parameters = self._with_ddl_time(written)
                table.partitions[name] = replace(table.partitions[name], parameters=parameters)

    def drop_partitions(self, identifier: TableIdentifier, names: Sequence[str], *, if_exists: bool) -> None:
        with self._call("drop_partitions"):
            table = self._table(identifier)
            if not if_exists:
                table.check_exist(names)
            for name in names:
                table.partitions.pop(name, None)

    def mark_load_done(self, identifier: TableIdentifier, name: str) -> None:
        with self._call("mark_load_done"):
            self._load_done.add((identifier, self._table(identifier).event_text(name)))

    def is_load_done(self, identifier: TableIdentifier, name: str) -> bool:
        with self._call("is_load_done"):
            return (identifier, self._table(identifier).event_text(name)) in self._load_done

    # -- the server --------------------------------------------------------------------------------------------------

    def facts(self) -> ServerFacts:
        with self._call("facts"):
            self._note(grants_locks=self._grants_locks, takes_bare_partitions=not self._listener)
            return ServerFacts(
                address=self._warehouse, version=None, clock_offset_s=self._clock() - time.time(), listeners=()
            )

    def identity(self) -> str | None:
        return self._identity

    def capabilities(self) -> Capabilities:
        return self._found

    def _note(self, **found: bool) -> None:
        self._found = replace(self._found, **found)

    def close(self) -> None:
        """Does nothing: as with a server, the content stays for the next client."""

    @contextmanager
    def _call(self, verb: str) -> Iterator[None]:
        if self._on_call:
            self._on_call(verb)
        with self._state:
            try:
                yield
            except HiveViewsError as error:
                # It has been asked and has answered, so that nothing is on its way any more.
                if error.answer is Answer.NONE:
                    error.answer = Answer.FAILED
                raise

    def _namespace(self, name: str) -> NamespaceRow:
        try:
            return self._namespaces[name]
        except KeyError:
            raise NoSuchNamespaceError(f"There is no namespace {name}.") from None

    def _table(self, identifier: TableIdentifier) -> MemoryTable:
        try:
            return self._tables[identifier]
        except KeyError:
            raise NoSuchTableError(f"There is no table or view {identifier}.", identifier=str(identifier)) from None

    def _refuse_taken(self, identifier: TableIdentifier) -> None:
        if identifier in self._tables:
            raise TableAlreadyExistsError(f"The name {identifier} is taken.", identifier=str(identifier))

    def _stored(self, row: Row) -> Row:
        return replace(
            row,
            columns=_folded(row.columns),
            partition_keys=_folded(row.partition_keys),
            parameters=self._with_ddl_time(row.parameters),
            native=None,
        )

    def _stored_partition(self, partition: Partition) -> Partition:
        return replace(partition, parameters=self._with_ddl_time(partition.parameters), native=None)

    def _with_ddl_time(self, parameters: Mapping[str, str]) -> dict[str, str]:
        return {DDL_TIME: str(int(self._clock())), **parameters}


def _are_bare(partitions: Iterable[Partition]) -> bool:
    return any(not partition.has_descriptor for partition in partitions)


def _folded(columns: Sequence[Column]) -> tuple[Column, ...]:
    return tuple(Column(column.name.lower(), column.type.lower(), column.comment or None) for column in columns)
