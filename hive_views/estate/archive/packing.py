"""Writing an archive: a zip file on the local disk, copied to its storage once it is complete."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import SpooledTemporaryFile, gettempdir
from typing import BinaryIO, cast
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from hive_views.errors import InvalidInputError, StorageUnavailableError
from hive_views.estate.archive.documents import write_partitions, write_row
from hive_views.estate.archive.manifest import (
    MANIFEST_SUM,
    MOST_BYTES_OF_MANIFEST,
    MOST_BYTES_OF_PARTITIONS,
    ArchivedView,
    Manifest,
    Member,
    directory_of,
    id_of,
    write_manifest,
)
from hive_views.hive.row import POINTER, VIEW_UUID, Partition, Row
from hive_views.messages.credentials import hide_credentials
from hive_views.persisted import ARCHIVE_MANIFEST
from hive_views.spec.serde import MOST_BYTES

# Of the partitions of one view, before they are on the disk.
_IN_MEMORY = 2**20
_AT_ONCE = 2**20
_START_OF_GZIP = b"\x1f\x8b"


@dataclass(frozen=True)
class SpooledPartitions:
    """Partitions as an archive holds them, kept until their view is put in.

    Attributes:
        count: how many there are.
        content: a line for each; on the local disk where that is much.
    """

    count: int
    content: BinaryIO


@contextmanager
def spooled(partitions: Iterable[tuple[str, Partition]]) -> Iterator[SpooledPartitions]:
    """Partitions by their names, as long as this is open.

    Raises:
        StorageUnavailableError: there is no room for them.
        Any error of reading.
    """
    with SpooledTemporaryFile(_IN_MEMORY) as file:
        content = cast("BinaryIO", file)
        with _on_disk():
            count = write_partitions(partitions, content)
        yield SpooledPartitions(count, content)


class ArchiveWriter:
    """An archive while it is written.

    Args:
        path: the local file.
        earlier: the views of an earlier archive by name, whose content is not written again where it is the same;
            each names in ``held_by`` the archive that has it.
    """

    def __init__(self, path: Path, earlier: Mapping[str, ArchivedView]) -> None:
        with _on_disk():
            self._zip = ZipFile(path, "w", ZIP_DEFLATED)
        self._earlier = earlier

    def has_row(self, row: Row) -> bool:
        """Whether the earlier archive has the view with this very row, so that its file is in that one too."""
        earlier = self._earlier.get(str(row.identifier))
        return earlier is not None and earlier.row.sha256 == hashlib.sha256(write_row(row)).hexdigest()

    def add(self, row: Row, metadata: Callable[[], bytes] | None, partitions: SpooledPartitions) -> ArchivedView:
        """Put a view in, unless the earlier archive has it; returns it as the manifest has it.

        Args:
            row: of the view.
            metadata: reads the file that it points to, where that is needed; None for a plain view.
            partitions: those of the view.

        Raises:
            InvalidInputError: a part is larger than can be read back; nothing of it was written.
            StorageUnavailableError: there is no room for it.
            Any error of reading.
        """
        name, directory = str(row.identifier), directory_of(row.identifier)
        content = write_row(row)
        of_row = _member(f"{directory}/row.json", content)
        with _on_disk():
            of_partitions = _member_of_file(f"{directory}/partitions.jsonl", partitions) if partitions.count else None
        earlier = self._earlier.get(name)
        if earlier is not None and (earlier.row, earlier.partitions) == (of_row, of_partitions):
            return earlier
        file = metadata() if metadata else None
        suffix = ".gz" if file and file.startswith(_START_OF_GZIP) else ""
        of_file = _member(f"{directory}/metadata.json{suffix}", file) if file is not None else None
        with _on_disk():
            for member, each in ((of_row, content), (of_file, file)):
                if member is not None and each is not None:
                    self._zip.writestr(_info(member.name), each)
            if of_partitions:
                self._copy(of_partitions, partitions.content)
        return ArchivedView(
            view=name,
            uuid=row.parameters.get(VIEW_UUID) if metadata else None,
            metadata_location=hide_credentials(row.parameters[POINTER]) if metadata else None,
            number_of_partitions=partitions.count,
            row=of_row,
            metadata=of_file,
            partitions=of_partitions,
        )

    def finish(self, manifest: Manifest) -> str:
        """Write the manifest, which ends the archive; returns the archive's id.

        Raises:
            InvalidInputError: it is larger than can be read back.
        """
        content = write_manifest(manifest)
        if len(content) > MOST_BYTES_OF_MANIFEST:
            raise InvalidInputError(
                f"Cannot put {len(manifest.views):,} views into one archive: its manifest would have {len(content):,} "
                f"bytes, and at most {MOST_BYTES_OF_MANIFEST:,} can be read back. Back up each namespace by "
                f"itself."
            )
        with _on_disk():
            self._zip.writestr(_info(ARCHIVE_MANIFEST), content)
            self._zip.writestr(_info(MANIFEST_SUM), f"{id_of(content)}  {ARCHIVE_MANIFEST}\n")
            self._zip.close()
        return id_of(content)

    def _copy(self, member: Member, content: BinaryIO) -> None:
        info = _info(member.name)
        info.file_size = member.bytes
        content.seek(0)
        with self._zip.open(info, "w") as target:
            shutil.copyfileobj(content, target, _AT_ONCE)


@contextmanager
def _on_disk() -> Iterator[None]:
    try:
        yield
    except OSError as e:
        raise StorageUnavailableError(
            f"Cannot write the archive below {gettempdir()}: {e}. Set TMPDIR to use another directory.",
            location=gettempdir(),
        ) from e


def _info(name: str) -> ZipInfo:
    # Without a time the same views give the same bytes.
    info = ZipInfo(name)
    info.compress_type = ZIP_STORED if name.endswith(".gz") else ZIP_DEFLATED
    info.external_attr = 0o600 << 16
    return info


def _member(name: str, content: bytes) -> Member:
    return _bounded(Member(name=name, bytes=len(content), sha256=hashlib.sha256(content).hexdigest()), MOST_BYTES)


def _member_of_file(name: str, partitions: SpooledPartitions) -> Member:
    partitions.content.seek(0)
    digest = hashlib.sha256()
    while block := partitions.content.read(_AT_ONCE):
        digest.update(block)
    member = Member(name=name, bytes=partitions.content.tell(), sha256=digest.hexdigest())
    return _bounded(member, MOST_BYTES_OF_PARTITIONS)


def _bounded(member: Member, most_bytes: int) -> Member:
    if member.bytes > most_bytes:
        raise InvalidInputError(
            f"Cannot put {member.name} in an archive: it has {member.bytes:,} bytes, and at most "
            f"{most_bytes:,} can be read back."
        )
    return member
