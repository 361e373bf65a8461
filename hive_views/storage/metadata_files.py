"""Metadata files on any fsspec storage: read, write new, delete, list.

A metadata file is written once under a unique name and never changed; so it can be cached by its location, and an
incomplete one is never read, because nothing points to it yet.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from hive_views.errors import CorruptMetadataError, HiveViewsError, InvalidInputError, StorageUnavailableError
from hive_views.fork_safe_lock import ForkSafeLock
from hive_views.spec.metadata import ViewMetadata
from hive_views.spec.serde import is_compressed, parse_metadata, write_metadata
from hive_views.storage.allowed_locations import AllowedLocations
from hive_views.storage.files import FileInfo, Files, fetch_ahead
from hive_views.storage.locations import is_uri, parent_of

Listed = Mapping[str, Sequence[FileInfo]]
"""What was found in directories, by these."""


class MetadataStorage:
    """Reads and writes metadata files; thread-safe.

    Every verb raises StorageUnavailableError if the storage failed or refused.

    Args:
        options: passed to fsspec for every location (``key``, ``secret``, ``endpoint_url``, ...); never logged.
        cached: for how many directories the last file is kept in memory, parsed. Older files are not asked for again: a
            server would keep hundreds of a view that changes often.
    """

    def __init__(self, options: Mapping[str, Any] | None = None, *, cached: int = 256) -> None:
        self.files = Files(options)
        self._cached = cached
        self._cache: OrderedDict[str, tuple[str, ViewMetadata]] = OrderedDict()
        self._guard = ForkSafeLock()

    def __repr__(self) -> str:
        return f"MetadataStorage(options={sorted(self.files.options)})"

    def __getstate__(self) -> dict[str, Any]:
        return {"_options": self.files.options, "_cached": self._cached, "_allowed": self.files.allowed}

    def __setstate__(self, state: dict[str, Any]) -> None:
        # The cache stays behind.
        self.__init__(state["_options"], cached=state["_cached"])  # type: ignore[misc]
        self.files.allowed = state["_allowed"]

    def read(self, location: str, *, cached: bool = True) -> ViewMetadata:
        """The metadata in the file at ``location``; without ``cached`` only if the file exists now.

        Raises:
            CorruptMetadataError: the file is missing, truncated or no view of the spec.
        """
        directory = parent_of(location)
        with self._guard:
            known, metadata = self._cache.get(directory, ("", None))
            if cached and known == location and metadata is not None:
                self._cache.move_to_end(directory)
                return metadata
        # Nothing is fetched that has another name.
        is_compressed(location)
        return self._remember(location, parse_metadata(self.read_bytes(location), location))

    def read_each(self, locations: Iterable[str], *, cached: bool = True) -> Iterator[ViewMetadata | HiveViewsError]:
        """The metadata in files, in their order, or why it cannot be read; several are read concurrently.

        Local files are not: a file that is in memory is parsed in less time than a thread takes to hand it over.
        """
        wanted = list(locations)

        def read(location: str) -> ViewMetadata | HiveViewsError:
            try:
                return self.read(location, cached=cached)
            except HiveViewsError as error:
                return error

        is_local = all(one.startswith(("/", "file:")) for one in wanted)
        return map(read, wanted) if is_local else fetch_ahead(read, wanted)

    def write(self, location: str, metadata: ViewMetadata) -> None:
        """Write a new file; when this returns it is durable.

        Raises:
            InvalidInputError: the location is not ASCII (a latin1 metastore would lose it) or relative, or the view is
                unusable.
            AlreadyExistsError: there is a file of this name.
        """
        if not location.isascii():
            raise InvalidInputError(
                f"Cannot write to {location}: a metastore on MySQL or MariaDB stores only ASCII safely, and a changed "
                f"pointer would lose the view. Use a location of ASCII characters.",
                location=location,
            )
        if location.startswith("/"):
            raise InvalidInputError(
                f"Cannot write to {location}: a path without a scheme is a different file to each program. Name the "
                f"storage (file://{location}) in the location of the view, or in write.metadata.path.",
                location=location,
            )
        if not is_uri(location):
            raise InvalidInputError(
                f"Cannot write to {location}: a relative path is a different file to each program. Give the "
                f"view a location (and write.metadata.path) that is a URI, such as s3://bucket/views.",
                location=location,
            )
        self.write_bytes(location, write_metadata(metadata, location))
        self._remember(location, metadata)

    def read_bytes(self, location: str) -> bytes:
        """The content of a file.

        Raises:
            CorruptMetadataError: it is missing.
        """
        try:
            return self.files.read(location)
        except FileNotFoundError as e:
            raise CorruptMetadataError(
                f"The file {location} does not exist. Restore it, or register an older file of the same directory.",
                location=location,
            ) from e

    def read_all(self, locations: Iterable[str]) -> Iterator[bytes]:
        """The contents of files, in their order; several are read concurrently.

        Raises:
            FileNotFoundError: one is missing.
        """
        return self.files.read_all(locations)

    def write_bytes(self, location: str, content: bytes) -> None:
        """Write a new file; when this returns it is durable.

        Raises:
            AlreadyExistsError: there is a file of this name.
        """
        self.files.write(location, content)

    def delete(self, location: str) -> None:
        """Delete a file, and the checksum file that Hadoop puts beside it; a missing one does not matter."""
        self._forget(location)
        self.files.delete(location)
        # Hadoop has them for local files, which are looked at through whatever mounts them.
        if self.files.has_directories(location):
            directory, _, name = location.rpartition("/")
            self.files.delete(f"{directory}/.{name}.crc")

    def delete_all(self, locations: Sequence[str]) -> dict[str, StorageUnavailableError]:
        """Delete files, each as ``delete`` does; many by one request where the storage takes them.

        Returns:
            Those that are left, each with the error.
        """
        together: dict[str, list[str]] = {}
        alone: list[str] = []
        for location in locations:
            bucket = location.partition("://")[2].partition("/")[0]
            several = together.setdefault(bucket, []) if self.files.deletes_together(location) else alone
            several.append(location)
        left = self._delete_in_turn(alone)
        for several in together.values():
            for location in several:
                self._forget(location)
            left |= self.files.delete_together(several)
        return left

    def _delete_in_turn(self, locations: Sequence[str]) -> dict[str, StorageUnavailableError]:
        deleted = 0
        try:
            for location in locations:
                self.delete(location)
                deleted += 1
        except StorageUnavailableError as error:
            return dict.fromkeys(locations[deleted:], error)
        return {}

    def _forget(self, location: str) -> None:
        directory = parent_of(location)
        with self._guard:
            if self._cache.get(directory, ("",))[0] == location:
                del self._cache[directory]

    def list_metadata_files(self, directory: str) -> list[str]:
        """The locations of all metadata files in a directory, sorted by name; [] if there is no such directory."""
        return [location for location in self.list_files(directory) if is_metadata_file(location)]

    def list_files(self, directory: str) -> list[str]:
        """The locations of all files in a directory, sorted by name; [] if there is no such directory."""
        return self.files.list(directory)

    def list_infos(self, directory: str) -> Sequence[FileInfo]:
        """All files of a directory with their sizes and times, sorted by name; [] if there is no such directory."""
        return self.files.list_infos(directory)

    def list_together(self, directories: Collection[str]) -> Listed:
        """The files of each of several directories, as ``list_infos`` gives them.

        Of those that lie side by side, as a view's do, a store tells in one request, unless there is much beside them.
        """
        wanted = [one.rstrip("/") for one in dict.fromkeys(directories)]
        beside: dict[str, list[str]] = {}
        for one in wanted:
            beside.setdefault(parent_of(one), []).append(one)
        parents = [parent for parent, several in beside.items() if len(several) > 1]
        found: dict[str, Sequence[FileInfo]] = {}
        for parent, below in zip(parents, fetch_ahead(self._list_at_once, parents), strict=True):
            if below is not None:
                found |= {one: [info for info in below if parent_of(info.location) == one] for one in beside[parent]}
        rest = [one for one in wanted if one not in found]
        listed = found | dict(zip(rest, fetch_ahead(self.list_infos, rest), strict=True))
        return {one: listed[one.rstrip("/")] for one in directories}

    def _list_at_once(self, directory: str) -> Sequence[FileInfo] | None:
        try:
            return self.files.list_at_once(directory)
        except StorageUnavailableError:
            # The permissions may cover its subdirectories alone.
            return None

    def list_directories(self, directory: str) -> Sequence[str]:
        """The locations of all directories in a directory, sorted by name; [] if there is no such directory."""
        return self.files.list_directories(directory)

    def is_listable(self, directory: str) -> bool:
        """Whether a directory in which no file is listed is really empty, and not just unavailable."""
        return self.files.is_listable(directory)

    def allow_only(self, allowed: AllowedLocations) -> None:
        """Use no other locations from now on."""
        self.files.allowed = allowed

    def check_named(self, location: str, own: Callable[[], Iterable[str]]) -> None:
        """As ``AllowedLocations.check_named``, if only some locations are allowed.

        Raises:
            InvalidInputError: this storage does not use such a location if a client names it.
        """
        if self.files.allowed is not None:
            self.files.allowed.check_named(location, own)

    def _remember(self, location: str, metadata: ViewMetadata) -> ViewMetadata:
        with self._guard:
            directory = parent_of(location)
            self._cache[directory] = location, metadata
            self._cache.move_to_end(directory)
            while len(self._cache) > self._cached:
                self._cache.popitem(last=False)
        return metadata


def is_metadata_file(location: str) -> bool:
    """Whether a file has the name of a metadata file; Hadoop's hidden checksum files have not."""
    try:
        is_compressed(location)
    except CorruptMetadataError:
        return False
    return not location.rsplit("/", 1)[-1].startswith(".")
