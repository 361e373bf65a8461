"""Metadata files on any fsspec storage: read, write new, delete, list.

What lives here: the only code that knows fsspec. What must not: the content of the files (spec/serde.py), the pointer
to them (commit.py).

A metadata file is written once under a name nobody else uses and never changed; so it can be cached by its location,
and a half-written one is never seen, because nothing points to it yet.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import fsspec

from hive_views.errors import AlreadyExistsError, CorruptMetadataError, InvalidInputError, StorageUnavailableError
from hive_views.spec.metadata import ViewMetadata
from hive_views.spec.serde import is_compressed, parse_metadata, write_metadata

# Hadoop's names for file systems that fsspec knows under one name.
_SCHEMES = {"s3a": "s3", "s3n": "s3", "viewfs": "hdfs", "wasb": "abfs", "wasbs": "abfs", "abfss": "abfs"}


class MetadataStorage:
    """Reads and writes metadata files; thread-safe.

    Args:
        options: passed to fsspec for every location (``key``, ``secret``, ``endpoint_url``, ...); never logged.
        cached: how many parsed files are kept in memory.
    """

    def __init__(self, options: Mapping[str, Any] | None = None, *, cached: int = 256) -> None:
        self._options = dict(options or {})
        self._cached = cached
        self._cache: OrderedDict[str, ViewMetadata] = OrderedDict()
        self._guard = threading.Lock()

    def __repr__(self) -> str:
        return f"MetadataStorage(options={sorted(self._options)})"

    def __getstate__(self) -> dict[str, Any]:
        return {"_options": self._options, "_cached": self._cached}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["_options"], cached=state["_cached"])  # type: ignore[misc]  # the cache stays behind

    def read(self, location: str, *, cached: bool = True) -> ViewMetadata:
        """The metadata in the file at ``location``; not ``cached`` where it matters that the file is there now.

        Raises:
            CorruptMetadataError: the file is missing, truncated or no view of the spec.
            StorageUnavailableError: the storage failed or refused.
        """
        with self._guard:
            if cached and location in self._cache:
                self._cache.move_to_end(location)
                return self._cache[location]
        return self._remember(location, parse_metadata(self.read_bytes(location), location))

    def write(self, location: str, metadata: ViewMetadata) -> None:
        """Write a new file; when this returns it is durable.

        Raises:
            InvalidInputError: the location is not ASCII (a latin1 metastore would lose it), or the view is unusable.
            AlreadyExistsError: there is a file of this name.
            StorageUnavailableError: the storage failed or refused.
        """
        if not location.isascii():
            raise InvalidInputError(
                f"Cannot write to {location}: a metastore on MySQL or MariaDB stores only ASCII safely, and a changed "
                f"pointer would lose the view. Use a location of ASCII characters.",
                location=location,
            )
        self.write_bytes(location, write_metadata(metadata, location))
        self._remember(location, metadata)

    def read_bytes(self, location: str) -> bytes:
        """The content of a file.

        Raises:
            CorruptMetadataError: it is missing.
            StorageUnavailableError: the storage failed or refused.
        """
        fs, path = self._resolve(location)
        try:
            with _translated("read", location):
                return bytes(fs.cat_file(path))
        except FileNotFoundError as e:
            raise CorruptMetadataError(
                f"The file {location} does not exist, although the view points to it. "
                f"Restore it, or register an older file of the same directory.",
                location=location,
            ) from e

    def write_bytes(self, location: str, content: bytes) -> None:
        """Write a new file; when this returns it is durable.

        Raises:
            AlreadyExistsError: there is a file of this name.
            StorageUnavailableError: the storage failed or refused.
        """
        fs, path = self._resolve(location)
        try:
            with _translated("write", location):
                if "file" in _protocols(fs):
                    _write_durably(Path(path), content)
                else:
                    fs.makedirs(fs._parent(path), exist_ok=True)  # noqa: SLF001  # fsspec's own name for "dirname"
                    fs.pipe_file(path, content, mode="create")
        except FileExistsError as e:
            # A client that repeats a request after a lost answer meets its own first one.
            if self.read_bytes(location) == content:
                return
            raise AlreadyExistsError(
                f"The file {location} exists already; files of a view are never overwritten."
            ) from e

    def delete(self, location: str) -> None:
        """Delete a file, and the checksum file that Hadoop puts beside it; a missing one does not matter.

        Raises:
            StorageUnavailableError: the storage failed or refused.
        """
        with self._guard:
            self._cache.pop(location, None)
        fs, path = self._resolve(location)
        directory, _, name = path.rpartition("/")
        for victim in (path, f"{directory}/.{name}.crc"):
            with contextlib.suppress(FileNotFoundError), _translated("delete", location):
                fs.rm_file(victim)

    def list_metadata_files(self, directory: str) -> list[str]:
        """The locations of all metadata files in a directory, sorted by name; [] if there is no such directory.

        Raises:
            StorageUnavailableError: the storage failed or refused.
        """
        return [location for location in self.list_files(directory) if is_metadata_file(location)]

    def list_files(self, directory: str) -> list[str]:
        """The locations of all files in a directory, sorted by name; [] if there is no such directory.

        Raises:
            StorageUnavailableError: the storage failed or refused.
        """
        fs, path = self._resolve(directory)
        try:
            with _translated("list", directory):
                fs.invalidate_cache(path)
                names = sorted(str(entry).rsplit("/", 1)[-1] for entry in fs.ls(path, detail=False))
        except FileNotFoundError:
            return []
        return [f"{directory.rstrip('/')}/{name}" for name in names]

    def check_writable(self, directory: str) -> None:
        """Write and delete a small file in ``directory``.

        Raises:
            StorageUnavailableError: that failed.
        """
        fs, path = self._resolve(directory)
        probe = f"{path.rstrip('/')}/.hive-views-{os.getpid()}-{threading.get_ident()}"
        with _translated("write", directory):
            fs.makedirs(path, exist_ok=True)
            fs.pipe_file(probe, b"")
            fs.rm_file(probe)

    def _resolve(self, location: str) -> tuple[Any, str]:
        scheme, separator, rest = location.partition(":")
        if separator and scheme in _SCHEMES:
            location = f"{_SCHEMES[scheme]}:{rest}"
        elif location.startswith("file:/") and not location.startswith("file://"):
            # Hadoop writes local URIs with one slash.
            location = f"file://{location.removeprefix('file:')}"
        try:
            fs, path = fsspec.core.url_to_fs(location, **self._options)
        except (ImportError, ValueError) as e:
            raise StorageUnavailableError(f"Cannot reach {location}: {e}.", location=location) from e
        return fs, str(path)

    def _remember(self, location: str, metadata: ViewMetadata) -> ViewMetadata:
        with self._guard:
            self._cache[location] = metadata
            while len(self._cache) > self._cached:
                self._cache.popitem(last=False)
        return metadata


def absolute_location(location: str) -> str:
    """A directory as a URI without a trailing slash; a plain path becomes a ``file:`` URI.

    Raises:
        InvalidInputError: empty, or not ASCII.
    """
    if not location or not location.isascii():
        raise InvalidInputError(f"Cannot use {location!r} as a location: it must be a path or URI of ASCII characters.")
    if ":/" not in location:
        # Not as_uri(): neither fsspec nor Hadoop decodes percent signs in a path.
        return f"file://{Path(location).expanduser().absolute()}"
    return location.rstrip("/")


def _protocols(fs: Any) -> tuple[str, ...]:
    return (fs.protocol,) if isinstance(fs.protocol, str) else tuple(fs.protocol)


def is_metadata_file(location: str) -> bool:
    """Whether a file has the name of a metadata file; Hadoop's hidden checksum files have not."""
    try:
        is_compressed(location)
    except CorruptMetadataError:
        return False
    return not location.rsplit("/", 1)[-1].startswith(".")


def _write_durably(path: Path, content: bytes) -> None:
    missing = [directory for directory in path.parents if not directory.exists()]
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except FileExistsError:
        raise
    except OSError:
        path.unlink(missing_ok=True)
        raise
    # A new name is durable only when its directory is, and a new directory only when its parent is.
    for directory in (path.parent, *(made.parent for made in missing)):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextlib.contextmanager
def _translated(verb: str, location: str) -> Iterator[None]:
    try:
        yield
    except (FileNotFoundError, FileExistsError):
        raise
    except Exception as e:
        # Every fsspec backend raises its own client's exceptions; nothing of them may leave this file.
        raise StorageUnavailableError(f"Cannot {verb} {location}: {e or type(e).__name__}.", location=location) from e
