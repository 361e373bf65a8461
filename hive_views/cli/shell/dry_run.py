"""A catalog on copies, to see what a change would do without doing it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from hive_views.errors import AlreadyExistsError, NoSuchNamespaceError, NoSuchTableError, StorageUnavailableError
from hive_views.hive.partition_names import parse_partition_name
from hive_views.hive.row import Column, NamespaceRow, Partition, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.metastore.port import Capabilities, Metastore, ServerFacts
from hive_views.spec.identifiers import Identifier, TableIdentifier
from hive_views.storage.files import Files
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.views.catalog import ViewCatalog


def dry_run_of(catalog: ViewCatalog, *identifiers: Identifier) -> ViewCatalog:
    """A catalog whose verbs do to copies of these views what those of ``catalog`` would do, or refuse as they would.

    Other views and tables are copied when a verb looks at them for the first time. What a change would find out only
    by writing stays unknown: whether somebody else is faster, and whether the storage can be written.

    Raises:
        NoSuchNamespaceError: the namespace of a name does not exist.
    """
    copies = _Copies(catalog.metastore)
    for identifier in map(TableIdentifier.of, identifiers):
        copies.copy(identifier)
    return ViewCatalog(copies, UnwrittenFiles(catalog.storage), warehouse=catalog.warehouse, settings=catalog.settings)


class UnwrittenFiles(MetadataStorage):
    """The files of another storage, and those written here, which stay in memory.

    ``deleted`` lists the files of the other storage that were to be deleted.
    """

    def __init__(self, real: MetadataStorage) -> None:
        super().__init__()
        self._kept = _KeptFiles(real.files)
        self.files = self._kept
        self.deleted = self._kept.deleted

    def delete(self, location: str) -> None:
        # Without the checksum file of Hadoop's, which nobody asked about.
        self._kept.delete(location)


class _KeptFiles(Files):
    """Here and not one floor above, so that no verb of the storage, however it deletes or lists, gets past it."""

    def __init__(self, real: Files) -> None:
        super().__init__(real.options)
        self.allowed = real.allowed
        self.deleted: list[str] = []
        self._written: dict[str, bytes] = {}

    def read(self, location: str) -> bytes:
        return self._written[location] if location in self._written else super().read(location)

    def write(self, location: str, content: bytes) -> None:
        self._written[location] = content

    def delete(self, location: str) -> None:
        if self._written.pop(location, None) is None:
            self.deleted.append(location)

    def delete_together(self, locations: Sequence[str]) -> dict[str, StorageUnavailableError]:
        for location in locations:
            self.delete(location)
        return {}


class _Copies(MemoryMetastore):
    """What the other metastore has, copied when it is looked at; the server that it describes is the other's."""

    def __init__(self, real: Metastore) -> None:
        super().__init__(warehouse=real.load_namespace("default").location or "")
        self._real = real
        self._copied: set[TableIdentifier] = set()

    def facts(self) -> ServerFacts:
        return self._real.facts()

    def capabilities(self) -> Capabilities:
        return self._real.capabilities()

    def identity(self) -> str | None:
        return self._real.identity()

    def list_namespaces(self) -> list[str]:
        return self._real.list_namespaces()

    def load_namespace(self, namespace: str) -> NamespaceRow:
        found = self._real.load_namespace(namespace)
        with suppress(AlreadyExistsError):
            self.create_namespace(found.name, found.location)
        return found

    def load_row(self, identifier: TableIdentifier) -> Row:
        with suppress(NoSuchNamespaceError):
            self.copy(identifier)
        return super().load_row(identifier)

    def load_rows(self, namespace: str, names: Sequence[str]) -> list[Row]:
        for name in names:
            self.copy(TableIdentifier(namespace, name))
        return super().load_rows(namespace, names)

    def list_view_names(self, namespace: str) -> list[str]:
        real = {TableIdentifier(namespace, name) for name in self._real.list_view_names(namespace)}
        return sorted({*super().list_view_names(namespace), *(one.name for one in real - self._copied)})

    def copy(self, identifier: TableIdentifier) -> None:
        """Have what the other metastore has under this name, with its partitions, unless it was copied before.

        Raises:
            NoSuchNamespaceError: there is no such namespace.
        """
        self.load_namespace(identifier.namespace)
        if identifier in self._copied:
            return
        self._copied.add(identifier)
        try:
            row = self._real.load_row(identifier)
        except NoSuchTableError:
            return
        names = self._real.partition_names(identifier)
        values = [parse_partition_name(name) for name in names]
        # A foreign writer may have set a location, which refuses partitions, or taken the keys away that they were of.
        keys = tuple(Column(key, "string") for key in values[0]) if values else ()
        self.create_row(replace(row, location=None, partition_keys=keys))
        self.add_partitions(identifier, [Partition(tuple(each.values())) for each in values], if_not_exists=False)
        self.swap_row(row, expected=None)
