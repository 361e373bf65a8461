"""Files on any fsspec storage: read, write new, delete, list.

What lives here: the only code that knows fsspec. What must not: what the files hold.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import fsspec

from hive_views.errors import AlreadyExistsError, StorageUnavailableError

# Hadoop's names for file systems that fsspec knows under one name.
_SCHEMES = {"s3a": "s3", "s3n": "s3", "viewfs": "hdfs", "wasb": "abfs", "wasbs": "abfs", "abfss": "abfs"}

# Storages answer in tens of milliseconds, and a table can have thousands of metadata files.
_READ_AT_ONCE = 16
_Answer = TypeVar("_Answer")

# What file systems call the time of the last change in a listing; "created" is something else in most of them.
_MODIFIED = ("mtime", "LastModified", "last_modified")


@dataclass(frozen=True)
class FileInfo:
    """A file, its size, and when it was written, by the clock of the storage; None where the storage does not say."""

    location: str
    size: int | None
    modified_at_ms: int | None


class Files:
    """The files of one storage; thread-safe.

    Args:
        options: passed to fsspec for every location (``key``, ``secret``, ``endpoint_url``, ...); never logged.
    """

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        self.options = dict(options or {})

    def __repr__(self) -> str:
        return f"Files(options={sorted(self.options)})"

    def read(self, location: str) -> bytes:
        """The content of a file.

        Raises:
            FileNotFoundError: there is none.
            StorageUnavailableError: the storage failed or refused.
        """
        fs, path = self._resolve(location)
        with _translated("read", location):
            return bytes(fs.cat_file(path))

    def read_all(self, locations: Iterable[str]) -> Iterator[bytes]:
        """The contents of files, in their order; the next ones are fetched meanwhile, so that waiting costs once.

        Raises:
            FileNotFoundError, StorageUnavailableError: as ``read``, when it is the turn of the file.
        """
        return asked_ahead(self.read, locations)

    def write(self, location: str, content: bytes) -> None:
        """Write a new file; when this returns it is durable.

        Raises:
            AlreadyExistsError: there is a file of this name with another content.
            StorageUnavailableError: the storage failed or refused.
        """
        fs, path = self._resolve(location)
        try:
            with _translated("write", location):
                if "file" in _protocols(fs):
                    _write_durably(Path(path), content)
                else:
                    fs.makedirs(path.rpartition("/")[0], exist_ok=True)
                    fs.pipe_file(path, content, mode="create")
        except FileNotFoundError as e:
            # Not this file is missing: its directory cannot be made.
            raise _unavailable("write", location, e) from e
        except FileExistsError as e:
            # A client that repeats a request after a lost answer meets its own first one.
            try:
                found = self.read(location)
            except FileNotFoundError:
                # Not this file is in the way: a file is where its directory should be.
                raise _unavailable("write", location, e) from e
            if found != content:
                raise AlreadyExistsError(
                    f"The file {location} exists already; files of a view are never overwritten."
                ) from e

    def delete(self, location: str) -> None:
        """Delete a file; a missing one does not matter.

        Raises:
            StorageUnavailableError: the storage failed or refused.
        """
        fs, path = self._resolve(location)
        with contextlib.suppress(FileNotFoundError), _translated("delete", location):
            fs.rm_file(path)

    def list(self, directory: str) -> list[str]:
        """The locations of all entries of a directory, sorted by name; [] if there is no such directory.

        Raises:
            StorageUnavailableError: the storage failed or refused.
        """
        fs, path = self._resolve(directory)
        try:
            with _translated("list", directory):
                fs.invalidate_cache(path)
                names = sorted(str(entry).rstrip("/").rsplit("/", 1)[-1] for entry in fs.ls(path, detail=False))
        except FileNotFoundError:
            return []
        return [f"{directory.rstrip('/')}/{name}" for name in names]

    def list_infos(self, directory: str) -> Sequence[FileInfo]:
        """All files of a directory, sorted by name; [] if there is no such directory.

        Raises:
            StorageUnavailableError: the storage failed or refused.
        """
        listed = [entry for entry in self._entries(directory) if entry.get("type") == "file"]
        entries = {f"{directory.rstrip('/')}/{str(entry['name']).rsplit('/', 1)[-1]}": entry for entry in listed}
        modified = {
            location: next((at_ms for key in _MODIFIED if (at_ms := _at_ms(entry.get(key))) is not None), None)
            for location, entry in entries.items()
        }
        unknown = [location for location, at_ms in modified.items() if at_ms is None]
        modified |= zip(unknown, self.all_modified_at_ms(unknown, missing_ok=True), strict=True)
        return [FileInfo(location, entries[location].get("size"), modified[location]) for location in sorted(entries)]

    def list_directories(self, directory: str) -> Sequence[str]:
        """The locations of all directories in a directory, sorted by name; [] if there is no such directory.

        Raises:
            StorageUnavailableError: the storage failed or refused.
        """
        listed = self._entries(directory)
        names = sorted(str(entry["name"]).rstrip("/").rsplit("/", 1)[-1] for entry in listed if _is_directory(entry))
        return [f"{directory.rstrip('/')}/{name}" for name in names]

    def _entries(self, directory: str) -> Sequence[Mapping[str, Any]]:
        fs, path = self._resolve(directory)
        try:
            with _translated("list", directory):
                fs.invalidate_cache(path)
                return tuple(fs.ls(path, detail=True))
        except FileNotFoundError:
            return ()

    def exists(self, location: str) -> bool:
        """Whether there is a file or directory.

        Raises:
            StorageUnavailableError: the storage failed or refused.
        """
        fs, path = self._resolve(location)
        # Not fs.exists: to that a storage that fails has no files.
        with _translated("look for", location):
            try:
                fs.info(path)
            except (FileNotFoundError, NotADirectoryError):
                return False
        return True

    def modified_at_ms(self, location: str, *, missing_ok: bool = False) -> int | None:
        """When a file was written, in milliseconds since 1970; None where the storage does not say.

        Args:
            location: the file.
            missing_ok: give None for a file that does not exist.

        Raises:
            FileNotFoundError: there is none.
            StorageUnavailableError: the storage failed or refused.
        """
        fs, path = self._resolve(location)
        try:
            with _translated("look at", location):
                modified = fs.modified(path)
        except FileNotFoundError:
            if missing_ok:
                return None
            raise
        except StorageUnavailableError as e:
            if isinstance(e.__cause__, NotImplementedError):
                return None
            raise
        return _at_ms(modified)

    def all_modified_at_ms(self, locations: Iterable[str], *, missing_ok: bool = False) -> Iterator[int | None]:
        """When files were written, in their order; the next ones are asked for meanwhile.

        Raises:
            FileNotFoundError, StorageUnavailableError: as ``modified_at_ms``, when it is the turn of the file.
        """
        return asked_ahead(partial(self.modified_at_ms, missing_ok=missing_ok), locations)

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
            # Some connect here, and then nothing they raise says anything of a file, FileNotFoundError included.
            fs, path = fsspec.core.url_to_fs(location, **self.options)
        except Exception as e:
            raise _unavailable("reach", location, e) from e
        return fs, str(path)


def asked_ahead(ask: Callable[[str], _Answer], locations: Iterable[str]) -> Iterator[_Answer]:
    """What ``ask`` says of each location, in their order; of the next ones it is asked meanwhile."""
    rest = iter(locations)
    pool = ThreadPoolExecutor(_READ_AT_ONCE)
    try:
        ahead = deque(pool.submit(ask, one) for one in islice(rest, _READ_AT_ONCE))
        while ahead:
            yield ahead.popleft().result()
            ahead.extend(pool.submit(ask, one) for one in islice(rest, 1))
    finally:
        pool.shutdown(cancel_futures=True)


def _is_directory(entry: Mapping[str, Any]) -> bool:
    return entry.get("type") == "directory"


def _at_ms(modified: Any) -> int | None:
    if isinstance(modified, (int, float)):
        return int(modified * 1000)
    if not isinstance(modified, datetime):
        return None
    # Local files have naive times of UTC.
    return int((modified if modified.tzinfo else modified.replace(tzinfo=timezone.utc)).timestamp() * 1000)


def _protocols(fs: Any) -> tuple[str, ...]:
    return (fs.protocol,) if isinstance(fs.protocol, str) else tuple(fs.protocol)


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
        raise _unavailable(verb, location, e) from e


def _unavailable(verb: str, location: str, e: Exception) -> StorageUnavailableError:
    return StorageUnavailableError(f"Cannot {verb} {location}: {str(e) or type(e).__name__}.", location=location)
