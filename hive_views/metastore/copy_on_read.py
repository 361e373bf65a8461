"""The metastore of a dry run: rows of another one are copied into memory when they are read, and changed there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from hive_views.errors import NamespaceNotEmptyError, NoSuchNamespaceError, NoSuchTableError
from hive_views.hive.partition_names import parse_partition_name
from hive_views.hive.row import Column, NamespaceRow, Partition, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.metastore.port import Capabilities, Metastore, ServerFacts, Swap
from hive_views.spec.identifiers import TableIdentifier, check_namespace


class CopyOnReadMetastore(MemoryMetastore):
    """What another metastore has, each row with its partitions as they were when it was first looked at.

    Nothing is written to the other metastore, and no lock of it is taken. Capabilities are those of the other one.
    Parameters of partitions are not copied.
    """

    def __init__(self, real: Metastore) -> None:
        super().__init__(warehouse=real.load_namespace("default").location or "")
        self._real = real
        self._copied: set[TableIdentifier] = set()
        self._namespaces.clear()
        self._dropped_namespaces: set[str] = set()

    def facts(self) -> ServerFacts:
        return self._real.facts()

    def capabilities(self) -> Capabilities:
        return self._real.capabilities()

    def identity(self) -> str | None:
        return self._real.identity()

    # -- namespaces --------------------------------------------------------------------------------------------------

    def list_namespaces(self) -> list[str]:
        return sorted({*self._real.list_namespaces(), *self._namespaces} - self._dropped_namespaces)

    def load_namespace(self, namespace: str) -> NamespaceRow:
        name = check_namespace(namespace)
        if name not in self._namespaces and name not in self._dropped_namespaces:
            found = self._real.load_namespace(name)
            self._namespaces.setdefault(name, found)
        return super().load_namespace(name)

    def create_namespace(
        self,
        namespace: str,
        location: str | None = None,
        *,
        owner: str | None = None,
        comment: str | None = None,
        parameters: Mapping[str, str] | None = None,
    ) -> None:
        with suppress(NoSuchNamespaceError):
            self.load_namespace(namespace)
        super().create_namespace(namespace, location, owner=owner, comment=comment, parameters=parameters)
        self._dropped_namespaces.discard(check_namespace(namespace))

    def alter_namespace(self, row: NamespaceRow) -> None:
        self.load_namespace(row.name)
        super().alter_namespace(row)

    def drop_namespace(self, namespace: str) -> None:
        name = self.load_namespace(namespace).name
        if self.list_view_names(name) or self.list_table_names(name):
            raise NamespaceNotEmptyError(f"Namespace {name} is not empty.")
        super().drop_namespace(name)
        self._dropped_namespaces.add(name)

    # -- rows --------------------------------------------------------------------------------------------------------

    def load_row(self, identifier: TableIdentifier) -> Row:
        with suppress(NoSuchNamespaceError):
            self.copy(identifier)
        return super().load_row(identifier)

    def load_rows(self, namespace: str, names: Sequence[str]) -> list[Row]:
        for name in names:
            self.copy(TableIdentifier(namespace, name))
        return super().load_rows(namespace, names)

    def list_view_names(self, namespace: str) -> list[str]:
        return self._with_copied(namespace, super().list_view_names(namespace), self._real.list_view_names)

    def list_table_names(self, namespace: str) -> list[str]:
        return self._with_copied(namespace, super().list_table_names(namespace), self._real.list_table_names)

    def enforces_swap(self, identifier: TableIdentifier, server: str | None = None) -> bool:
        # Where no lock is taken, this is the first question about a row.
        self.copy(identifier)
        return super().enforces_swap(identifier, server)

    def create_row(self, row: Row) -> None:
        self.copy(row.identifier)
        super().create_row(row)

    def rename_row(
        self, identifier: TableIdentifier, row: Row, *, expected: str | None, only_checked: bool = False
    ) -> Swap:
        self.copy(row.identifier)
        return super().rename_row(identifier, row, expected=expected, only_checked=only_checked)

    def _with_copied(self, namespace: str, copied: list[str], list_real: Callable[[str], list[str]]) -> list[str]:
        names = set(copied)
        with suppress(NoSuchNamespaceError):
            names |= {name for name in list_real(namespace) if TableIdentifier(namespace, name) not in self._copied}
        return sorted(names)

    def copy(self, identifier: TableIdentifier) -> None:
        """Have what the other metastore has under this name, with its partitions, unless it was copied before.

        Raises:
            NoSuchNamespaceError: there is no such namespace.
        """
        self.load_namespace(identifier.namespace)
        with self._state:
            if identifier not in self._copied:
                self._copy(identifier)
                self._copied.add(identifier)

    def _copy(self, identifier: TableIdentifier) -> None:
        try:
            row = self._real.load_row(identifier)
        except NoSuchTableError:
            return
        names = self._real.partition_names(identifier)
        values = [parse_partition_name(name) for name in names]
        # A foreign writer may have set a location, which refuses partitions, or taken the keys away that they were of.
        keys = tuple(Column(key, "string") for key in values[0]) if values else ()
        super().create_row(replace(row, location=None, partition_keys=keys))
        self.add_partitions(identifier, [Partition(tuple(each.values())) for each in values], if_not_exists=False)
        self.swap_row(row, expected=None)
