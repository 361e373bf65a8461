"""When files in memory were written, as a test wants it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timezone

from fsspec.implementations.memory import MemoryFileSystem


def files_below(directory: str) -> list[str]:
    """The locations of all files in memory below a directory, sorted."""
    below = directory.removeprefix("memory:/").rstrip("/") + "/"
    return sorted(f"memory:/{path}" for path in MemoryFileSystem.store if path.startswith(below))


def set_written(locations: Iterable[str], at_ms: int) -> None:
    """Have these files written then."""
    for location in locations:
        written = datetime.fromtimestamp(at_ms / 1000, timezone.utc)
        MemoryFileSystem.store[location.removeprefix("memory:/")].modified = written
