"""The file system in memory, which all tests of a process share."""

from __future__ import annotations

from fsspec.implementations.memory import MemoryFileSystem


def forget_files_in_memory() -> None:
    """Files would stay until the process ends, and fsspec looks through all of them for each that it opens."""
    MemoryFileSystem.store.clear()
    MemoryFileSystem.pseudo_dirs[:] = [""]
