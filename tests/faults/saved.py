"""What a test has prepared in memory, kept to begin from again: the rows of a metastore, and all files."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from fsspec.implementations.memory import MemoryFile

from hive_views.metastore.memory import MemoryMetastore
from hive_views.metastore.port import Capabilities
from tests.support.failing.faulty_storage import FaultyFileSystem


@dataclass(frozen=True)
class Saved:
    identity: str | None
    found: Capabilities
    tables: dict[Any, Any]
    files: dict[str, bytes]

    @classmethod
    def of(cls, metastore: MemoryMetastore) -> Saved:
        files = {path: file.getvalue() for path, file in FaultyFileSystem.store.items()}
        return cls(metastore.identity(), metastore._found, _copied(metastore._tables), files)

    def put_into(self, metastore: MemoryMetastore, *, is_known: bool = True) -> None:
        """The rows into a metastore with the same namespaces, the files into a file system that is empty.

        Where it is known, what its clients found out about it while they prepared this is remembered.
        """
        # A copy of a database is the same metastore.
        metastore._identity, metastore._tables = self.identity, _copied(self.tables)
        if is_known:
            metastore._found = self.found
        fs = FaultyFileSystem()
        for path, content in self.files.items():
            FaultyFileSystem.store[path] = MemoryFile(fs, path, content)


def no_files() -> None:
    FaultyFileSystem.store.clear()
    FaultyFileSystem.pseudo_dirs[:] = [""]


def _copied(tables: dict[Any, Any]) -> dict[Any, Any]:
    return {name: replace(table, partitions=dict(table.partitions)) for name, table in tables.items()}
