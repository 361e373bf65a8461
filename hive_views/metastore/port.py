"""The metastore as the rest of the library sees it: four small ports, and one type that composes them.

Every implementation maps its failures to hive_views.errors and passes ``tests/contract/metastore_contract.py``. What an
error proves about a write is not said by its class but by its ``answer`` (``hive_views.errors.Answer``). A write is
never repeated by an adapter. Beside what a verb documents, each raises:

- NoSuchNamespaceError, NoSuchTableError, NoSuchPartitionError: what it names does not exist
- MetastoreUnavailableError: no answer came, or one without any meaning
- AuthenticationError: the server rejected the credentials
- UnsupportedFeatureError: the server knows the call but cannot do it; where a view can be written in another way then,
  the verb returns that as a value (``Swap``, ``AddedPartitions``)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from hive_views.hive.row import POINTER, NamespaceRow, Partition, Row
from hive_views.hive.value_range import ValueRange
from hive_views.spec.identifiers import TableIdentifier


@dataclass(frozen=True)
class Capabilities:
    """What a server can do, as far as it has been found out: None is not yet, or not reported by the server."""

    checks_swaps: bool | None = None
    """Refuses a swap whose expected value differs (HIVE-26882). Asked before the first commit without a lock, by a
    rename that has to fail."""
    compares_pointers: bool | None = None
    """Its database can compare parameters; not so a Derby whose parameters are CLOBs, or a server without direct SQL.
    False when a swap has failed over it; only a lock protects then."""
    grants_locks: bool | None = None
    """Has a lock manager. Asked by the first lock."""
    lock_timeout_s: float | None = None
    """Takes a lock back that sent no heartbeat for so long (hive.txn.timeout). Asked before the first lock."""
    takes_bare_partitions: bool | None = None
    """Takes partitions without a storage descriptor; not so where DbNotificationListener is on. Asked by the setting of
    the listeners, where it is reported, and by the first partitions that are added."""
    changes_columns_in_one_call: bool | None = None
    """Changes the columns of a view that has bare partitions (Hive 2.3; 4.x only if they are appended). False when
    such a change has failed; two swaps do it then."""


@dataclass(frozen=True)
class ServerFacts:
    """What a server reports about itself. None: not reported."""

    address: str
    version: str | None
    clock_offset_s: float | None
    """By how many seconds its clock is ahead of ours at least."""
    listeners: tuple[str, ...] | None = None
    """Classes that it calls when a change is over: where one fails, its error is the answer to a change that landed."""


class Namespaces(Protocol):
    """The databases of a metastore."""

    def list_namespaces(self) -> list[str]:
        """Names of all databases, sorted; those that ``TableIdentifier`` would refuse are logged and left out."""
        ...

    def load_namespace(self, namespace: str) -> NamespaceRow:
        """What the metastore says of a database."""
        ...

    def create_namespace(
        self,
        namespace: str,
        location: str | None = None,
        *,
        owner: str | None = None,
        comment: str | None = None,
        parameters: Mapping[str, str] | None = None,
    ) -> None:
        """Create a database, by default below the server's warehouse, owned by the user who asks.

        Raises:
            AlreadyExistsError: there is one.
        """
        ...

    def alter_namespace(self, row: NamespaceRow) -> None:
        """Replace the owner, the comment and the parameters of a database; its directory stays.

        Raises:
            UnsupportedFeatureError: this server cannot change the comment; nothing has changed.
        """
        ...

    def drop_namespace(self, namespace: str) -> None:
        """Drop an empty database; its directory stays.

        Raises:
            NamespaceNotEmptyError: there are tables, views or functions in it.
            InvalidInputError: it is the one that every metastore has.
        """
        ...


class Swap(Enum):
    """How a server answered a swap.

    Any answer but ``DONE`` says what to try next, and proves nothing: a listener that fails after the change was
    committed gives the same.
    """

    DONE = "done"
    CANNOT_COMPARE = "the database of this metastore cannot compare the parameter with its expected value"
    CANNOT_CHANGE_COLUMNS = (
        "this metastore fails with a NullPointerException, as Hive does when the columns of a view are changed that "
        "has partition columns, and partitions without a storage descriptor"
    )


class Rows(Protocol):
    """The tables and views of a metastore."""

    def list_table_names(self, namespace: str) -> list[str]:
        """Names of all tables, without views, as ``list_view_names`` gives those of views."""
        ...

    def list_view_names(self, namespace: str) -> list[str]:
        """Names of all VIRTUAL_VIEW rows, sorted, in one call.

        Those that ``TableIdentifier`` would refuse are logged and left out. Not every server reports that there is no
        such database.
        """
        ...

    def load_rows(self, namespace: str, names: Sequence[str]) -> list[Row]:
        """The rows of these names, in one call; missing ones are left out, and on some servers a missing database."""
        ...

    def load_row(self, identifier: TableIdentifier) -> Row:
        """The row of a table or view."""
        ...

    def create_row(self, row: Row) -> None:
        """Create a table or view, never any data.

        Raises:
            TableAlreadyExistsError: the name is taken.
        """
        ...

    def swap_row(self, row: Row, *, expected: str | None, parameter: str = POINTER, only_checked: bool = False) -> Swap:
        """Replace the row of ``row.identifier``, if a parameter still has the expected value.

        Args:
            expected: the value; None replaces without a check.
            parameter: whose value it is, by default the pointer's.
            only_checked: send nothing to a server that was not proved to check (``Locks.enforces_swap``), as another
                one of the same database may be that took its place meanwhile.

        Raises:
            CommitFailedError: the value differs, on servers that check; or nothing was sent (``only_checked``).
            InvalidInputError: the new row has no such parameter.
        """
        ...

    def rename_row(
        self, identifier: TableIdentifier, row: Row, *, expected: str | None, only_checked: bool = False
    ) -> Swap:
        """Replace the row of ``identifier`` by ``row``, which has another name, under the same check.

        Raises:
            TableAlreadyExistsError: the new name is taken.
            CommitFailedError, InvalidInputError: as ``swap_row``.
        """
        ...

    def drop_row(self, identifier: TableIdentifier) -> None:
        """Drop row and partitions, never any data."""
        ...


@dataclass(frozen=True)
class Lock:
    """A granted exclusive lock of one table. ``release`` never raises; ``ensure_held`` raises when it was lost.

    After ``abandon`` nobody says any more that its holder is alive, and ``release`` does nothing: the server takes the
    lock back when its time-out has passed, and until then nobody else gets it.
    """

    lock_id: int
    ensure_held: Callable[[], None]
    release: Callable[[], None]
    abandon: Callable[[], None]


class Locks(Protocol):
    """What keeps two writers of a row apart: locks, and swaps that the server checks."""

    def lock(self, identifier: TableIdentifier, *, timeout_s: float | None = None) -> Lock | None:
        """The exclusive lock of the table, which need not exist; None where the server grants no locks.

        ``timeout_s`` is how long to wait for another's lock; None: as configured.

        Raises:
            LockTimeoutError: the wait is over.
        """
        ...

    def enforces_swap(self, identifier: TableIdentifier, server: str | None = None) -> bool:
        """Whether this server refuses a swap with a wrong expected value, proved without writing anything.

        The proof is made once for each server and remembered.

        Args:
            identifier: any view that exists.
            server: one that an error names (field ``server``); of one that is not asked any more only what was proved
                before is known.

        Raises:
            UnsupportedFeatureError: the server's answer proves nothing.
        """
        ...

    def capabilities(self) -> Capabilities:
        """What is known so far of the server that answered last; no call is made."""
        ...


@dataclass(frozen=True)
class AddedPartitions:
    """The outcome of adding partitions.

    Attributes:
        partitions: those that were really added.
        needs_descriptors: the server fails on partitions without a storage descriptor, which a notification listener
            of it reads; what was added, if anything, only reading says.
    """

    partitions: tuple[Partition, ...] = ()
    needs_descriptors: bool = False


class Partitions(Protocol):
    """The partitions of tables and views, by escaped names such as ``ds=2026-08-21/hr=0``."""

    def partition_names(self, identifier: TableIdentifier, prefix: Mapping[str, str] | None = None) -> list[str]:
        """All names in the order of the server, in one call; with ``prefix`` those with these values of some columns.

        Raises:
            InvalidPartitionError: the table has no such partition column.
        """
        ...

    def partition_names_within(self, identifier: TableIdentifier, keys: Sequence[str], texts: ValueRange) -> list[str]:
        """Names of the partitions whose value of the first partition column is in the range.

        Where the server proves that it lists all of them, the different values of that column and then only these names
        are read, in two calls; else all names are.

        Args:
            keys: all its partition columns; the first is of strings.
        """
        ...

    def load_partitions(self, identifier: TableIdentifier, names: Sequence[str]) -> list[Partition]:
        """The partitions of these names, in one call; missing ones are left out."""
        ...

    def add_partitions(
        self, identifier: TableIdentifier, partitions: Sequence[Partition], *, if_not_exists: bool
    ) -> AddedPartitions:
        """All or nothing, in one call.

        Raises:
            PartitionAlreadyExistsError: one exists, and ``if_not_exists`` is not given.
            InvalidPartitionError: one does not fit the table.
            UnsupportedFeatureError: the table has a location, below which no partition without a storage descriptor can
                be put.
        """
        ...

    def alter_partitions(self, identifier: TableIdentifier, partitions: Iterable[Partition]) -> None:
        """Replace the parameters of these partitions, in one call; none is changed where one is missing."""
        ...

    def drop_partitions(self, identifier: TableIdentifier, names: Sequence[str], *, if_exists: bool) -> None:
        """All or nothing, in one call, never any data; ``if_exists`` passes over missing ones."""
        ...

    def mark_load_done(self, identifier: TableIdentifier, name: str) -> None:
        """Note that this partition is loaded (Hive's partition event LOAD_DONE); it need not exist.

        The note is of the table's name and the partition's values alone: it outlives both, and a rename leaves it
        behind. Values are separated by commas only: ``a,b`` and ``c`` are ``a`` and ``b,c``.

        Raises:
            InvalidPartitionError: the name does not fit the table's partition columns.
        """
        ...

    def is_load_done(self, identifier: TableIdentifier, name: str) -> bool:
        """Whether ``mark_load_done`` was called for this partition, by whomever; raises as that does."""
        ...


class Metastore(Namespaces, Rows, Locks, Partitions, Protocol):
    """A Hive Metastore. Implementations are thread-safe and survive a fork.

    Code that needs one of the four ports asks for that one.
    """

    def facts(self) -> ServerFacts:
        """Ask the server about itself, and whether it grants locks and takes bare partitions."""
        ...

    def identity(self) -> str | None:
        """The identity of this metastore's database; None if its server does not report one (before Hive 3).

        It is read once and cached, unless the server does not answer. A copy of the database has the same identity.
        """
        ...

    def close(self) -> None:
        """Close the connections; a later call connects again."""
        ...
