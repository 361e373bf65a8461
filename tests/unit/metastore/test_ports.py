"""The four ports of the metastore: small enough to be written by hand, and enough for who asks for one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from hive_views.errors import NamespaceNotEmptyError, NoSuchNamespaceError
from hive_views.hive.row import NamespaceRow
from hive_views.metastore.memory import MemoryMetastore
from hive_views.metastore.port import Capabilities, Lock, Locks, Metastore, Namespaces, Partitions, Rows
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.commit import namespace_changes
from hive_views.views.commit.locking import Locking

PORTS = (Namespaces, Rows, Locks, Partitions)
OF_THE_SERVER = {"close", "facts", "identity"}
NAME = TableIdentifier("sales", "daily")


def verbs(of: type) -> set[str]:
    return {name for name in dir(of) if not name.startswith("_")}


def test_a_metastore_is_its_ports_and_what_is_asked_of_its_server() -> None:
    assert verbs(Metastore) == set().union(OF_THE_SERVER, *map(verbs, PORTS))


def test_no_verb_is_of_two_ports() -> None:
    assert len(verbs(Metastore)) == len(OF_THE_SERVER) + sum(len(verbs(port)) for port in PORTS)


@pytest.mark.parametrize("port", PORTS)
def test_a_port_has_a_handful_of_verbs(port: type) -> None:
    assert len(verbs(port)) <= 8


def test_a_metastore_of_ours_has_every_verb() -> None:
    assert verbs(Metastore) <= verbs(MemoryMetastore)


class FewNamespaces:
    """Namespaces by hand."""

    def __init__(self) -> None:
        self.rows = {"default": NamespaceRow("default")}

    def list_namespaces(self) -> list[str]:
        return sorted(self.rows)

    def load_namespace(self, namespace: str) -> NamespaceRow:
        if namespace not in self.rows:
            raise NoSuchNamespaceError(f"There is no namespace {namespace}.")
        return self.rows[namespace]

    def create_namespace(
        self,
        namespace: str,
        location: str | None = None,
        *,
        owner: str | None = None,
        comment: str | None = None,
        parameters: Mapping[str, str] | None = None,
    ) -> None:
        self.alter_namespace(NamespaceRow(namespace, location, owner, comment, parameters or {}))

    def alter_namespace(self, row: NamespaceRow) -> None:
        self.rows[row.name] = row

    def drop_namespace(self, namespace: str) -> None:
        if namespace == "default":
            raise NamespaceNotEmptyError("Namespace default is not empty.")
        del self.rows[namespace]


def test_changes_of_namespaces_need_the_port_of_namespaces_alone() -> None:
    metastore = FewNamespaces()
    namespace_changes.create(metastore, NamespaceRow("sales", comment="ours"))
    namespace_changes.alter(metastore, metastore.load_namespace("sales"), NamespaceRow("sales", comment="theirs"))
    assert metastore.load_namespace("sales").comment == "theirs"
    with pytest.raises(NamespaceNotEmptyError):
        namespace_changes.drop(metastore, "default")
    namespace_changes.drop(metastore, "sales")
    assert metastore.list_namespaces() == ["default"]


class FewLocks:
    """Locks by hand, which notes who holds one."""

    def __init__(self) -> None:
        self.held: list[TableIdentifier] = []

    def lock(self, identifier: TableIdentifier, *, timeout_s: float | None = None) -> Lock:
        self.held.append(identifier)
        return Lock(len(self.held), lambda: None, lambda: self.held.remove(identifier), lambda: None)

    def enforces_swap(self, identifier: TableIdentifier, server: str | None = None) -> bool:
        return False

    def capabilities(self) -> Capabilities:
        return Capabilities(grants_locks=True)


@pytest.mark.parametrize("names", [[NAME], [NAME, TableIdentifier("sales", "weekly")]])
def test_protection_needs_the_port_of_locks_alone(names: Sequence[TableIdentifier]) -> None:
    metastore = FewLocks()
    with Locking(metastore, "always").protect(*names):
        assert metastore.held == sorted(names)
    assert metastore.held == []
