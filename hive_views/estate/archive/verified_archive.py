"""Reading an archive: its manifest first, and of its members only what their checksums prove.

An archive may come from anywhere, and be cut off, changed or made up. It is copied to the local disk first, so that
what is read later is what was verified; no name in it becomes that of a file, and nothing is unpacked beyond the size
that the manifest gives, which is bounded.
"""

from __future__ import annotations

import hashlib
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO, cast
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

from hive_views.errors import CorruptArchiveError, NotFoundError
from hive_views.estate.archive.documents import read_partitions, read_row
from hive_views.estate.archive.manifest import (
    MANIFEST_SUM,
    MOST_BYTES_OF_MANIFEST,
    ArchivedView,
    Manifest,
    Member,
    id_of,
    read_manifest,
)
from hive_views.hive.row import Partition, Row
from hive_views.messages.enumerated import first_of
from hive_views.messages.remedy import Remedy
from hive_views.persisted import ARCHIVE_MANIFEST
from hive_views.storage.files import Files
from hive_views.storage.locations import is_uri

_AT_ONCE = 2**20
_START_OF_ZIP = b"PK\x03\x04"
# What zipfile raises for bytes that are no zip file's; some of it by accident.
_NO_ZIP = (
    *(BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError),
    *(ValueError, KeyError, IndexError, OverflowError, MemoryError),
)
_NAMED = 3


@dataclass(frozen=True)
class Archive:
    """An archive that is open.

    Attributes:
        location: where it came from.
        id: the SHA-256 of its manifest.
        manifest: what is in it.
    """

    location: str
    id: str
    manifest: Manifest
    _zip: ZipFile

    def damaged(self, members: Iterable[Member], on_verified: Callable[[], None] = lambda: None) -> dict[str, str]:
        """The members that are not what the manifest says, and why; {} for an archive that is whole.

        Args:
            members: those to look at; what the archive has beside those of its manifest is named too.
            on_verified: called after each.
        """
        there = Counter(info.filename for info in self._zip.infolist())
        known = {ARCHIVE_MANIFEST, MANIFEST_SUM, *self.manifest.members}
        found = {name: "the manifest does not name it" for name in there if name not in known}
        found |= {name: "it appears twice" for name, count in there.items() if count > 1}
        for member in members:
            try:
                with self._open(member) as content:
                    _check_sum(content, member)
            except _NO_ZIP as e:
                found[member.name] = str(e) or type(e).__name__
            on_verified()
        return found

    def row(self, view: ArchivedView) -> Row:
        """
        Raises:
            CorruptArchiveError: the member is not what the manifest says, or no row.
        """
        return read_row(self._read(view.row), view.row.name, self.location)

    def metadata(self, view: ArchivedView) -> bytes:
        """
        Raises:
            CorruptArchiveError: the member is not what the manifest says.
        """
        assert view.metadata is not None
        return self._read(view.metadata)

    def partitions(self, view: ArchivedView) -> Iterator[tuple[str, Partition]]:
        """
        Raises:
            CorruptArchiveError: the member is not what the manifest says, or a line of it no partition.
        """
        if view.partitions is None:
            return
        try:
            with self._open(view.partitions) as content:
                yield from read_partitions(content, view.partitions.name, self.location)
        except _NO_ZIP as e:
            raise damage(self.location, {view.partitions.name: str(e)}) from e

    def _open(self, member: Member) -> BinaryIO:
        info = self._zip.getinfo(member.name)
        if info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise BadZipFile("it uses a compression that no release writes")
        if info.file_size != member.bytes:
            raise BadZipFile(f"it has {info.file_size:,} bytes, not {member.bytes:,}")
        return cast("BinaryIO", self._zip.open(info))

    def _read(self, member: Member) -> bytes:
        try:
            with self._open(member) as content:
                found = content.read(member.bytes + 1)
        except _NO_ZIP as e:
            raise damage(self.location, {member.name: str(e)}) from e
        if hashlib.sha256(found).hexdigest() != member.sha256:
            raise damage(self.location, {member.name: "its SHA-256 differs"})
        return found


@contextmanager
def open_archive(location: str, files: Files) -> Iterator[Archive]:
    """The archive at a location, with its manifest verified; whether its members are whole is not looked at yet.

    Raises:
        NotFoundError: there is none.
        CorruptArchiveError: it is no archive, was cut off, or its manifest is not what it was.
        UnsupportedFeatureError: a later release wrote it.
        StorageUnavailableError: the storage failed or refused.
    """
    with TemporaryFile() as copy:
        try:
            files.download(location, cast("BinaryIO", copy))
        except FileNotFoundError as e:
            raise NotFoundError(f"There is no archive {location}.", location=location) from e
        with _unzipping(cast("BinaryIO", copy), location) as zip_file:
            content = _content_of_manifest(zip_file, location)
            yield Archive(location, id_of(content), read_manifest(content, location), zip_file)


def archive_location(location: str) -> str:
    """An archive's place as a URI; a path becomes an absolute one."""
    return location if is_uri(location) else f"file://{Path(location).expanduser().resolve()}"


def damage(location: str, members: dict[str, str], remedy: Remedy | None = None) -> CorruptArchiveError:
    """The error that names the members which are damaged.

    Args:
        location: of the archive.
        members: why each is, by name.
        remedy: of what is refused for them alone; without one, another copy is what helps.
    """
    named = first_of([f"{name} ({why})" for name, why in members.items()], _NAMED)
    return CorruptArchiveError(
        f"The archive {location} is damaged: {named}."
        f"{' Nothing was written.' if remedy else ' Use another copy of it.'}",
        remedy=remedy,
        location=location,
        members=tuple(members),
    )


@contextmanager
def _unzipping(content: BinaryIO, location: str) -> Iterator[ZipFile]:
    content.seek(0)
    is_zip = content.read(len(_START_OF_ZIP)) == _START_OF_ZIP
    try:
        zip_file = ZipFile(content)
    except _NO_ZIP as e:
        how = "is damaged: it was cut off or changed" if is_zip else "is not an archive of views"
        raise CorruptArchiveError(f"The file {location} {how} ({e}). Use another copy of it.", location=location) from e
    with zip_file:
        yield zip_file


def _content_of_manifest(zip_file: ZipFile, location: str) -> bytes:
    try:
        for name, most in ((ARCHIVE_MANIFEST, MOST_BYTES_OF_MANIFEST), (MANIFEST_SUM, _AT_ONCE)):
            if zip_file.getinfo(name).file_size > most:
                raise damage(location, {name: f"it has more than {most:,} bytes"})
        content, noted = zip_file.read(ARCHIVE_MANIFEST), zip_file.read(MANIFEST_SUM)
    except KeyError as e:
        raise CorruptArchiveError(
            f"The file {location} is not an archive of views: it has no {ARCHIVE_MANIFEST} with its {MANIFEST_SUM}.",
            location=location,
        ) from e
    except _NO_ZIP as e:
        raise damage(location, {ARCHIVE_MANIFEST: str(e)}) from e
    if noted.split()[:1] != [id_of(content).encode()]:
        raise damage(location, {ARCHIVE_MANIFEST: "its SHA-256 differs"})
    return content


def _check_sum(content: BinaryIO, member: Member) -> None:
    digest, left = hashlib.sha256(), member.bytes
    while left > 0 and (block := content.read(min(_AT_ONCE, left))):
        digest.update(block)
        left -= len(block)
    if left or digest.hexdigest() != member.sha256:
        raise BadZipFile("its SHA-256 differs")
