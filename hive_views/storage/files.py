"""Files on any fsspec storage: read, write new, copy from and to the local disk, delete, list."""

from __future__ import annotations

import contextlib
import shutil
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from hive_views.errors import AlreadyExistsError, InvalidInputError, StorageFailure, StorageUnavailableError
from hive_views.storage.allowed_locations import AllowedLocations
from hive_views.storage.atomic_writes import (
    call,
    copy_durably,
    create_whole,
    file_exists,
    has_directories,
    make_directory,
    protocols_of,
    put_and_rename,
    read_whole,
    write_again,
    write_durably,
)
from hive_views.storage.bulk_deletes import delete_together, deletes_together
from hive_views.storage.client_errors import is_without_container, is_without_file, unavailable
from hive_views.storage.file_systems import FileSystems
from hive_views.storage.fsspec_listings import (
    at_ms,
    entries_of,
    files_among,
    inside_of,
    is_directory,
    is_without_bucket,
    modified_at_ms,
    names_of,
    page_of,
    tag_of,
    tree_of,
)

# Storages answer in tens of milliseconds, and a table can have thousands of metadata files.
_READ_AT_ONCE = 16
_COPIED_AT_ONCE = 1 << 20
# A file that is put there gets its name only when it is complete, and a rename would copy it.
_PUTS_WHOLE = frozenset(("s3", "gs", "gcs", "abfs", "az", "memory", "webhdfs"))
_Item = TypeVar("_Item")
_Answer = TypeVar("_Answer")


@dataclass(frozen=True)
class FileInfo:
    """A file, its size, when it was written, by the clock of the storage, and the tag that an object store gave to its
    content; None where the storage does not say.
    """

    location: str
    size: int | None
    modified_at_ms: int | None
    tag: str | None = None


class Files:
    """The files of one storage; thread-safe.

    Every verb raises StorageUnavailableError if the storage failed or refused.

    Args:
        options: passed to fsspec for every location (``key``, ``secret``, ``endpoint_url``, ...); never logged.
    """

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        self.options = dict(options or {})
        self._file_systems = FileSystems(self.options)
        self.allowed: AllowedLocations | None = None

    def __repr__(self) -> str:
        return f"Files(options={sorted(self.options)})"

    def read(self, location: str) -> bytes:
        """The content of a file.

        Raises:
            FileNotFoundError: there is none.
        """
        with self._at("read", location) as (fs, path):
            return read_whole(fs, path)

    def read_all(self, locations: Iterable[str]) -> Iterator[bytes]:
        """The contents of files, in their order, fetched ahead of their use.

        Raises:
            FileNotFoundError: as ``read``, when it is the turn of the file.
        """
        return fetch_ahead(self.read, locations)

    def write(self, location: str, content: bytes) -> None:
        """Write a new file; when this returns it is durable.

        Raises:
            AlreadyExistsError: there is a file of this name with another content.
        """
        try:
            with self._at("write", location) as (fs, path):
                if "file" in protocols_of(fs):
                    write_durably(Path(path), content)
                else:
                    make_directory(fs, path.rpartition("/")[0])
                    create_whole(fs, path, content)
        except FileNotFoundError as e:
            # Not this file is missing: its directory cannot be made.
            raise unavailable("write", location, e, self.options) from e
        except FileExistsError as e:
            # A client that repeats a request after a lost answer meets its own first one.
            try:
                found = self.read(location)
            except FileNotFoundError:
                # Not this file is in the way: a file is where its directory should be.
                raise unavailable("write", location, e, self.options) from e
            if found != content:
                raise AlreadyExistsError(
                    f"The file {location} already exists; files of a view are never overwritten."
                ) from e

    def check_destination(self, location: str, *, overwrite: bool = False) -> bool:
        """Refuse a destination of ``upload`` early; returns whether a file would be replaced.

        Raises:
            InvalidInputError: it is in a local directory that does not exist, as after a slip of the pen, or is one.
            AlreadyExistsError: there is a file of this name, and ``overwrite`` is not set.
        """
        fs, path = self._resolve(location)
        if "file" in protocols_of(fs):
            if not Path(path).parent.is_dir():
                raise InvalidInputError(
                    f"Cannot write {location}: there is no directory {Path(path).parent}. Create it first, or choose "
                    f"another place.",
                    location=location,
                )
            if Path(path).is_dir():
                raise InvalidInputError(
                    f"Cannot write {location}: it is a directory. Name a file in it.", location=location
                )
        exists = self.exists(location)
        if exists and not overwrite:
            raise file_exists(location)
        return exists

    def upload(self, source: Path, location: str, *, overwrite: bool = False) -> None:
        """Copy a local file of any size; the destination has all of it or what was there before, whatever happens.

        When this returns it is durable. Where a client has no rename that replaces (libhdfs, WebDAV, FTP, SMB), a
        process that is killed between two renames leaves what was there before beside it, as ``NAME.<process>.old``.

        Raises:
            InvalidInputError, AlreadyExistsError: as ``check_destination``, also if another writer has created the file
                meanwhile.
        """
        if self.has_directories(location):
            self.check_destination(location, overwrite=overwrite)
        try:
            with self._at("write", location) as (fs, path):
                if "file" in protocols_of(fs):
                    copy_durably(source, Path(path), overwrite=overwrite)
                    return
                make_directory(fs, path.rpartition("/")[0])
                if _PUTS_WHOLE.intersection(protocols_of(fs)):
                    write_again(fs, "put_file", str(source), path, mode="overwrite" if overwrite else "create")
                else:
                    put_and_rename(fs, source, path, overwrite=overwrite)
        except FileNotFoundError as e:
            raise unavailable("write", location, e, self.options) from e
        except FileExistsError as e:
            # Else not this file is in the way: a file is where its directory should be.
            raise (
                file_exists(location) if self.exists(location) else unavailable("write", location, e, self.options)
            ) from e

    def download(self, location: str, into: BinaryIO) -> None:
        """Copy a file of any size into an open local one.

        Raises:
            FileNotFoundError: there is none.
            StorageUnavailableError: the storage failed or refused, or there is no room for the copy.
        """
        with self._at("read", location) as (fs, path), fs.open(path, "rb") as source:
            shutil.copyfileobj(source, into, _COPIED_AT_ONCE)

    def delete(self, location: str) -> None:
        """Delete a file; a missing one does not matter."""
        with contextlib.suppress(FileNotFoundError), self._at("delete", location) as (fs, path):
            call(fs, "rm_file", path)

    def deletes_together(self, location: str) -> bool:
        """Whether files of this storage are deleted by ``delete_together``."""
        return deletes_together(self._resolve(location)[0])

    def delete_together(self, locations: Sequence[str]) -> dict[str, StorageUnavailableError]:
        """Delete files of one bucket, many by a request; gives those that are left, each with the error."""
        paths = {self._resolve(one)[1]: one for one in locations}
        left = delete_together(self._resolve(locations[0])[0], list(paths))
        return {paths[path]: unavailable("delete", paths[path], error, self.options) for path, error in left}

    def list(self, directory: str) -> list[str]:
        """The locations of all entries of a directory, sorted by name; [] if there is no such directory."""
        with contextlib.suppress(FileNotFoundError), self._at("list", directory) as (fs, path):
            return [f"{directory.rstrip('/')}/{name}" for name in names_of(fs, path)]
        return []

    def list_infos(self, directory: str) -> Sequence[FileInfo]:
        """All files of a directory, sorted by name; [] if there is no such directory."""
        listed = files_among(self._entries(directory))
        return self._infos({f"{directory.rstrip('/')}/{str(one['name']).rsplit('/', 1)[-1]}": one for one in listed})

    def has_directories(self, location: str) -> bool:
        """Whether the storage of a location has real directories, and not only prefixes of names."""
        return has_directories(self._resolve(location)[0])

    def list_tree(self, directory: str, is_left_out: Callable[[str], bool]) -> Sequence[FileInfo]:
        """All files of a directory and of those in it, however deep, sorted by location.

        It takes one listing on an object store, else one for each directory.

        Args:
            directory: where they are; a file is listed alone.
            is_left_out: given a name; what has it is left out, with all that is in it.

        Raises:
            FileNotFoundError: there is no such directory.
            StorageUnavailableError: the storage failed or refused; an object store has no such bucket.
        """
        with self._at("list", directory) as (fs, path):
            root = path.rstrip("/")
            found = tuple(tree_of(fs, root, is_left_out, has_directories=has_directories(fs)))
        entries = {
            f"{directory.rstrip('/')}/{inside}" if inside else directory: entry
            for inside, entry in inside_of(root, found)
            if not any(map(is_left_out, inside.split("/")))
        }
        if not entries and not self.is_listable(directory):
            raise FileNotFoundError(directory)
        return self._infos(entries)

    def list_at_once(self, directory: str) -> Sequence[FileInfo] | None:
        """As ``list_tree``, if one request lists everything; None if there is too much, or no such request."""
        found = None
        with contextlib.suppress(FileNotFoundError), self._at("list", directory) as (fs, path):
            root = path.rstrip("/")
            found = page_of(fs, root)
        if found is None:
            return None
        return self._infos({f"{directory.rstrip('/')}/{inside}": entry for inside, entry in inside_of(root, found)})

    def _infos(self, entries: Mapping[str, Mapping[str, Any]]) -> Sequence[FileInfo]:
        """What is known of files by their locations, sorted by these."""
        modified = {location: modified_at_ms(entry) for location, entry in entries.items()}
        unknown = [location for location, at_ms in modified.items() if at_ms is None]
        modified |= zip(unknown, self.all_modified_at_ms(unknown, missing_ok=True), strict=True)
        return [FileInfo(one, entries[one].get("size"), modified[one], tag_of(entries[one])) for one in sorted(entries)]

    def list_directories(self, directory: str) -> Sequence[str]:
        """The locations of all directories in a directory, sorted by name; [] if there is no such directory."""
        listed = self._entries(directory)
        names = sorted(str(entry["name"]).rstrip("/").rsplit("/", 1)[-1] for entry in listed if is_directory(entry))
        return [f"{directory.rstrip('/')}/{name}" for name in names]

    def _entries(self, directory: str) -> Sequence[Mapping[str, Any]]:
        with contextlib.suppress(FileNotFoundError), self._at("list", directory) as (fs, path):
            return tuple(entries_of(fs, path))
        return ()

    def exists(self, location: str) -> bool:
        """Whether there is a file or directory."""
        # Not fs.exists: to that a storage that fails has no files.
        with (
            contextlib.suppress(FileNotFoundError),
            self._at("look for", location) as (fs, path),
            contextlib.suppress(NotADirectoryError),
        ):
            call(fs, "info", path)
            return True
        return False

    def is_listable(self, directory: str) -> bool:
        """Whether a directory in which no file is listed is empty: it exists, or on an object store its bucket does.

        A missing directory proves nothing of files that were in it: another storage may be mounted there again.

        Raises:
            StorageUnavailableError: the storage failed or refused; a bucket that is not shown is none.
        """
        fs, path = self._resolve(directory)
        if has_directories(fs):
            return self.exists(directory)
        with contextlib.suppress(FileNotFoundError, StorageUnavailableError), self._at("look for", directory):
            call(fs, "info", path.lstrip("/").partition("/")[0])
            return True
        return False

    def modified_at_ms(self, location: str, *, missing_ok: bool = False) -> int | None:
        """When a file was written, in milliseconds since 1970; None where the storage does not say.

        Args:
            missing_ok: give None for a file that does not exist.

        Raises:
            FileNotFoundError: there is none.
        """
        try:
            with self._at("look at", location) as (fs, path):
                modified = fs.modified(path)
        except FileNotFoundError:
            if missing_ok:
                return None
            raise
        except StorageUnavailableError as e:
            if isinstance(e.__cause__, NotImplementedError):
                return None
            raise
        return at_ms(modified)

    def all_modified_at_ms(self, locations: Iterable[str], *, missing_ok: bool = False) -> Iterator[int | None]:
        """When files were written, in their order, asked for ahead of their use.

        Raises:
            FileNotFoundError: as ``modified_at_ms``, when it is the turn of the file.
        """
        return fetch_ahead(partial(self.modified_at_ms, missing_ok=missing_ok), locations)

    def _resolve(self, location: str) -> tuple[Any, str]:
        if self.allowed is not None:
            self.allowed.check(location)
        try:
            fs, path = self._file_systems.open(location)
        except Exception as e:
            # Some connect here, and then nothing they raise says anything of a file, FileNotFoundError included.
            raise unavailable("reach", location, e, self.options) from e
        # For hdfs the NameNodes are configured here, and what they redirect to is known.
        if self.allowed is not None and location.lower().startswith("webhdfs:"):
            fs.session.hooks["response"] = [self.allowed.check_redirect]
        return fs, path

    @contextlib.contextmanager
    def _at(self, verb: str, location: str) -> Iterator[tuple[Any, str]]:
        """The file system of a location and its path there; errors of the client become errors of this library."""
        fs, path = self._resolve(location)
        try:
            yield fs, path
        except FileExistsError:
            raise
        except FileNotFoundError as e:
            # To clients of object stores nothing is there where the bucket is not.
            if is_without_container(e) or (not is_without_file(e) and is_without_bucket(fs, path)):
                raise unavailable(verb, location, e, self.options, failure=StorageFailure.NO_CONTAINER) from e
            raise
        except Exception as e:
            # Every fsspec backend raises its own client's exceptions; nothing of them may leave this room.
            raise unavailable(verb, location, e, self.options) from e


def fetch_ahead(
    ask: Callable[[_Item], _Answer], items: Iterable[_Item], at_once: int = _READ_AT_ONCE
) -> Iterator[_Answer]:
    """What ``ask`` returns for each item, a location for example, in their order; the next ones are fetched ahead."""
    rest = iter(items)
    # Neither `with` nor `finally`: what stops half way is ended by the garbage collector, which runs in any thread,
    # even in one that holds a lock of its own start, and would wait for ever. Threads of a lost pool end anyway.
    pool = ThreadPoolExecutor(at_once)
    ahead = deque(pool.submit(ask, one) for one in islice(rest, at_once))
    while ahead:
        yield ahead.popleft().result()
        ahead.extend(pool.submit(ask, one) for one in islice(rest, 1))
    pool.shutdown(wait=False)
