"""Finds metadata files in the directories of a name; each is listed and read once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from hive_views.errors import CorruptMetadataError, HiveViewsError, UnsupportedFeatureError
from hive_views.persisted import COPIED_FROM
from hive_views.spec.metadata import ViewMetadata
from hive_views.spec.serde import sequence_number
from hive_views.storage.files import FileInfo, fetch_ahead
from hive_views.storage.locations import distinct_locations
from hive_views.storage.metadata_files import MetadataStorage, is_metadata_file
from hive_views.storage.ownership import commits_in, incarnation_of

# Kept in memory at the same time; the last file of a view is among those written last.
_MOST_FILES = 100


@dataclass(frozen=True)
class LeftFile:
    """A metadata file, and when it was written."""

    location: str
    written_ms: int
    metadata: ViewMetadata

    @property
    def number(self) -> int:
        """The number of the commit that wrote it; -1 if its name has none."""
        number = sequence_number(self.location)
        return -1 if number is None else number

    @property
    def changed_ms(self) -> int:
        """When its version was created, by the clock of the writer."""
        return self.metadata.version_log[-1].timestamp_ms

    @property
    def commits(self) -> list[str]:
        """The ids of the last commits that led to it."""
        return commits_in(self.metadata.properties)

    @property
    def incarnation(self) -> str:
        """The row that it was written for."""
        return incarnation_of(self.metadata)

    @property
    def copied_from(self) -> str | None:
        """The name of the file that the first file of its row was copied from."""
        return self.metadata.properties.get(COPIED_FROM)

    def follows(self, location: str) -> bool:
        """Whether it descends from the file at this location."""
        name = name_of(location)
        is_made_of_it = self.copied_from == name or any(map(name.partition("-")[2].startswith, self.commits))
        return self.location != location and is_made_of_it

    def is_after(self, location: str) -> bool:
        """Whether it is later than the file of the same row at this location, which Iceberg Java may have written."""
        return self.follows(location) or self.number > (sequence_number(location) or 0)

    def is_named_by(self, commit: str) -> bool:
        """Whether the commit of this id wrote it."""
        return name_of(self.location).partition("-")[2].startswith(commit)


class LeftFiles:
    """Lists and reads metadata files.

    Args:
        storage: where they are.
    """

    def __init__(self, storage: MetadataStorage) -> None:
        self._storage = storage
        self._listed: dict[str, Sequence[FileInfo]] = {}
        self._read: dict[str, LeftFile] = {}

    def infos(self, directories: Iterable[str]) -> list[FileInfo]:
        """All files of these directories.

        Raises:
            StorageUnavailableError: the storage failed or refused.
        """
        wanted = distinct_locations(directories)
        new = [one for one in wanted if one not in self._listed]
        self._listed |= dict(zip(new, fetch_ahead(self._storage.list_infos, new), strict=True))
        return [info for one in wanted for info in self._listed[one]]

    def newest(
        self, directories: Iterable[str], is_wanted: Callable[[LeftFile], bool], since_ms: int = 0
    ) -> list[LeftFile]:
        """The wanted files that can be read, newest first; at most a hundred.

        Raises:
            StorageUnavailableError: the storage failed or refused.
        """
        infos = [one for one in self.infos(directories) if is_metadata_file(one.location)]
        infos = [one for one in infos if (one.modified_at_ms or 0) >= since_ms]
        infos.sort(key=lambda one: (one.modified_at_ms or 0, sequence_number(one.location) or -1), reverse=True)

        written_ms = {one.location: one.modified_at_ms or 0 for one in infos}

        def read(location: str) -> LeftFile | HiveViewsError | None:
            if location not in self._read:
                try:
                    metadata = self._storage.read(location)
                except (CorruptMetadataError, UnsupportedFeatureError):
                    # Incomplete files, and those that are not of a view, are skipped.
                    return None
                except HiveViewsError as error:
                    return error
                self._read[location] = LeftFile(location, written_ms[location], metadata)
            return self._read[location]

        def of_views() -> Iterable[LeftFile]:
            for file in fetch_ahead(read, written_ms):
                if isinstance(file, HiveViewsError):
                    raise file
                if file is not None and file.metadata.version_log:
                    yield file

        # Only wanted files count: a renamed view still writes into this directory.
        return list(islice(filter(is_wanted, of_views()), _MOST_FILES))


def rank(file: LeftFile) -> tuple[int, int, int, str]:
    """A sort key by which the last file of a row is the greatest."""
    return file.number, file.written_ms, file.changed_ms, file.location


def name_of(location: str) -> str:
    """The name of a file within its directory."""
    return location.rpartition("/")[2]
