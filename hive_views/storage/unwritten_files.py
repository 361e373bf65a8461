"""The files of a dry run: reads come from another storage, and writes and deletions stay in this process."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from hive_views.errors import StorageUnavailableError
from hive_views.storage.files import Files
from hive_views.storage.metadata_files import MetadataStorage


class UnwrittenFiles(MetadataStorage):
    """The files of another storage, and those written here, which stay in memory; listings are of the former alone.

    ``deleted`` lists the files of the other storage that were to be deleted.
    """

    def __init__(self, real: MetadataStorage) -> None:
        super().__init__()
        self._kept = _KeptFiles(real.files)
        self.files = self._kept
        self.deleted = self._kept.deleted

    def delete(self, location: str) -> None:
        # Without Hadoop's checksum file, which was not asked for.
        self._kept.delete(location)


class _KeptFiles(Files):
    """Here and not one floor above, so that no verb of the storage, however it writes or deletes, gets past it."""

    def __init__(self, real: Files) -> None:
        super().__init__(real.options)
        self.allowed = real.allowed
        self.deleted: list[str] = []
        self._written: dict[str, bytes] = {}

    def read(self, location: str) -> bytes:
        return self._written[location] if location in self._written else super().read(location)

    def write(self, location: str, content: bytes) -> None:
        self._written[location] = content

    def upload(self, source: Path, location: str, *, overwrite: bool = False) -> None:
        self.check_destination(location, overwrite=overwrite)
        self._written[location] = source.read_bytes()

    def download(self, location: str, into: BinaryIO) -> None:
        if location in self._written:
            into.write(self._written[location])
        else:
            super().download(location, into)

    def delete(self, location: str) -> None:
        if self._written.pop(location, None) is None:
            self.deleted.append(location)

    def delete_together(self, locations: Sequence[str]) -> dict[str, StorageUnavailableError]:
        for location in locations:
            self.delete(location)
        return {}
