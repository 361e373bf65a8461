"""What a new row takes over from the files of a dropped view, of another row, or of a row that does not own its files.

They are copied, because the row that the files were written for may still exist and change independently.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager

from hive_views.errors import HiveViewsError
from hive_views.hive.row import Row
from hive_views.messages.logs import logger_of
from hive_views.spec.metadata import ViewMetadata
from hive_views.storage.metadata_files import Listed, MetadataStorage
from hive_views.storage.ownership import (
    former_directories,
    incarnation_of,
    is_note_of,
    journal_directories,
    publishing_directory,
)
from hive_views.views.commit.writes import NewFile
from hive_views.views.journal.partition_journal import Journal, State, in_doubt

log = logger_of(__name__)


@contextmanager
def taking_over(
    former: ViewMetadata,
    metadata: ViewMetadata,
    row: Row,
    file: NewFile,
    declared: Collection[str] = (),
    *,
    storage: MetadataStorage,
    new_uuid: Callable[[], str],
    is_all: bool = False,
    listed: Listed | None = None,
) -> Iterator[None]:
    """Have what belongs to ``metadata`` beside its ``file``; it goes again if the file does.

    The journal begins with what the former one knows, and with the partitions ``declared`` on the ``row``. Where these
    were all of them (``is_all``), another one that the former journal has was dropped by another program, or added in
    that very moment: it is declared again, and said to be uncertain; so is one of these of which it says that it was
    dropped, perhaps after it had been noted which there were. Nothing is written for a row that goes on as it was.
    What is in the ``directories_taken_over`` is ``listed``, unless that was done just now.

    Raises:
        CorruptMetadataError: a file of the former journal was changed.
        StorageUnavailableError: the storage failed or refused.
    """
    if incarnation_of(former) == incarnation_of(metadata):
        yield
        return
    written: list[str] = []
    there = frozenset(declared)
    try:
        listed = storage.list_together(directories_taken_over(former)) if listed is None else listed
        known = Journal(former, row, storage, new_uuid).read(listed)
        if is_all:
            doubted = {
                name for name, one in known.items() if one.state is (State.DROPPED if name in there else State.DECLARED)
            }
            known = {name: in_doubt(one) if name in doubted else one for name, one in known.items()}
            declared = there - doubted
        begun = Journal(metadata, row, storage, new_uuid).inherit(known, declared)
        written += [begun] if begun else []
        written += _copy_notes(former, metadata, storage, listed)
        yield
    except HiveViewsError:
        if not file.is_needed:
            _delete(written, storage)
        raise


def directories_taken_over(former: ViewMetadata) -> tuple[str, ...]:
    """Where that is which a row takes over from a former one."""
    return (*journal_directories(former), publishing_directory(former), *former_directories(former))


def _copy_notes(
    former: ViewMetadata, metadata: ViewMetadata, storage: MetadataStorage, listed: Listed
) -> Iterator[str]:
    """Which partitions a run that was killed has still to report, and to whom, or to declare again."""
    before, after = incarnation_of(former), incarnation_of(metadata)
    for directory in dict.fromkeys((publishing_directory(former), *former_directories(former))):
        for location in [info.location for info in listed[directory]]:
            if is_note_of(before, location):
                name = location.rpartition("/")[2].removeprefix(before)
                copy = f"{publishing_directory(metadata)}/{after}{name}"
                storage.write_bytes(copy, storage.read_bytes(location))
                yield copy


def _delete(written: Iterable[str], storage: MetadataStorage) -> None:
    try:
        for location in written:
            storage.delete(location)
    except HiveViewsError as e:
        log.warning("unused files could not be deleted (%s): %s", ", ".join(written), e)
