"""Adopts plain views and releases views in place, so that the view exists at every moment."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from functools import partial

from hive_views.errors import (
    Answer,
    CommitFailedError,
    CorruptMetadataError,
    NoSuchIcebergViewError,
    UnsupportedFeatureError,
)
from hive_views.hive.row import DDL_TIME, POINTER, VIEW_UUID, Row
from hive_views.messages.logs import logger_of
from hive_views.persisted import PENDING_KEYS
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewMetadata
from hive_views.spec.serde import metadata_directory
from hive_views.storage.metadata_files import is_metadata_file
from hive_views.views.commit.engine import Engine, after_all
from hive_views.views.commit.loading import SameView
from hive_views.views.commit.locking import Protection
from hive_views.views.commit.row_swap import put_keys_back
from hive_views.views.commit.writes import stamped
from hive_views.views.journal.location_notes import is_note
from hive_views.views.row.hive_iceberg_view import read_from_row
from hive_views.views.row.plain_view import PlainView, plain_view_of
from hive_views.views.row.projection import UNREADABLE_TEXT, is_ascii, is_same_row, project
from hive_views.views.row.released import half_released, is_half_released, released
from hive_views.views.view import View, check_iceberg_view

log = logger_of(__name__)

Check = Callable[[PlainView], None]
"""Raises where a plain view must not be adopted."""


def adopt(engine: Engine, identifier: TableIdentifier, location: str, judged: PlainView | None, check: Check) -> View:
    """Adopt a plain view in place; only parameters of this library are added to its row.

    A server that checks swaps compares the time of the row's last change, which most engines set; no lock is needed,
    because no writer of plain views takes one. Two changes in the same second have the same time, and a writer that
    sends back a row as it read it keeps the earlier time: the row is therefore read again right before the swap.

    Args:
        identifier: the view.
        location: the directory for its metadata files.
        judged: the view as it was read; if its row has changed since, the new row is judged.
        check: called if there are files of former views of the name, or notes about them; raises if the view must not
            be adopted.

    Raises:
        NoSuchViewError, NotAdoptableError, BrokenViewError, CommitFailedError, CommitStateUnknownError,
        UnavailableError, and whatever ``check`` raises.
    """
    protect = partial(engine.locking.protect_plain_view, identifier)

    def once(protection: Protection) -> View:
        nonlocal judged
        plain, judged = judged or plain_view_of(engine.reader.load_row(identifier)), None
        return _adopt_once(engine, plain, location, check, protection)

    try:
        return engine.again_after_lost_races(once, protect)
    except UnsupportedFeatureError:
        if engine.locking.mode == "never" or engine.metastore.capabilities().compares_pointers is not False:
            raise
        # The first attempt has shown that only a lock protects here.
        return engine.again_after_lost_races(once, protect)


def _adopt_once(engine: Engine, plain: PlainView, location: str, check: Check, protection: Protection) -> View:
    current, identifier = plain.row, plain.row.identifier
    begun, file_location, commit_id = _begun(engine, plain, location, check)
    metadata = stamped(engine.of_new_row(begun, identifier), commit_id)
    row = _project_over(engine, current, metadata, file_location, owns=True)
    declared = engine.reader.partition_names(current)
    with (
        engine.new_file(identifier, metadata, file_location, commit_id) as file,
        engine.taking_over(begun, metadata, row, file, declared) if declared else nullcontext(),
    ):
        engine.swap_judged(current, row, protection, file, parameter=DDL_TIME)
    log.info("adopted %s: %s", identifier, file_location)
    return View(identifier, metadata, file_location, row)


def would_adopt(engine: Engine, plain: PlainView, location: str, check: Check) -> View:
    """The view that ``adopt`` would create; the metastore is not called, and nothing is written.

    Raises:
        BrokenViewError, StorageUnavailableError, and whatever ``check`` raises.
    """
    metadata, file_location, _ = _begun(engine, plain, location, check)
    row = _project_over(engine, plain.row, metadata, file_location, owns=False)
    return View(plain.row.identifier, metadata, file_location, row)


def _begun(engine: Engine, plain: PlainView, location: str, check: Check) -> tuple[ViewMetadata, str, str]:
    """The metadata of a plain view before it has a row, where its file goes, and the id of that commit."""
    commit_id = engine.settings.new_uuid()
    metadata = plain.metadata(location, view_uuid=engine.settings.new_uuid(), now_ms=engine.settings.clock_ms())
    files = engine.storage.list_files(metadata_directory(metadata))
    # Notes without files say that the files of a former view are elsewhere (note_writer.py).
    if any(is_metadata_file(file) or is_note(file) for file in files):
        check(plain)
    return metadata, after_all(list(filter(is_metadata_file, files)), metadata, commit_id), commit_id


def _project_over(engine: Engine, current: Row, metadata: ViewMetadata, location: str, *, owns: bool) -> Row:
    """The row of an adopted view, in place of the plain one."""
    return project(
        metadata,
        identifier=current.identifier,
        location=location,
        previous_location=None,
        owner=engine.settings.owner,
        current=current,
        owns=owns,
    )


def release(engine: Engine, identifier: TableIdentifier, expected: Row | None = None) -> Row:
    """Turn a view back into a plain one, in two swaps; its files and partitions stay.

    The first swap compares the pointer, and leaves a row that no writer takes for a view of this library. A parameter
    that is compared cannot be removed by the same swap, so the second one removes the pointer. If the process is killed
    between them, the view is a plain one, and releasing it again completes the work.

    Args:
        identifier: the view.
        expected: its row, if the view may be released only in this state.

    Raises:
        NoSuchViewError, NoSuchIcebergViewError, CommitStateUnknownError, UnavailableError
        CommitFailedError: it was not released, or it was not as expected.
    """
    is_same = SameView(identifier)
    protect = partial(engine.locking.protect_swap, identifier)
    row = engine.again_after_lost_races(partial(_release_once, engine, identifier, expected, is_same), protect)
    if row is None:
        raise CommitFailedError(
            f"{identifier} was changed by another writer in the meantime, and was left unchanged.",
            identifier=str(identifier),
        )
    return row


def _release_once(
    engine: Engine, identifier: TableIdentifier, expected: Row | None, is_same: SameView, protection: Protection
) -> Row | None:
    """The plain row; None if the view is not as expected."""
    row = engine.reader.load_row(identifier)
    if PENDING_KEYS in row.parameters:
        row = _with_keys_back(engine, row, protection)
    if not is_half_released(row):
        if expected not in (None, row):
            return None
        check_iceberg_view(row)
        is_same.check_uuid(row.parameters.get(VIEW_UUID, ""))
        if POINTER in row.parameters:
            with engine.notes.tombstone(row, "release", partitions=None, is_locked=bool(protection.locks)):
                row = _half_released(engine, row, protection)
    # A row without a pointer needs no first swap.
    half = row if is_half_released(row) else half_released(row)
    if expected is not None and not _is_begun_from(engine, half, expected):
        return None
    plain = released(half)
    engine.swap_judged(row, plain, protection, None, parameter=DDL_TIME)
    log.info("released %s", identifier)
    return plain


def _with_keys_back(engine: Engine, row: Row, protection: Protection) -> Row:
    put_keys_back(engine, engine.reader.view_of(row), protection)
    row = engine.reader.load_row(row.identifier)
    if PENDING_KEYS in row.parameters:
        raise CommitFailedError(
            f"The partition columns that an interrupted change has removed from the row of {row.identifier} could "
            f"not be restored, and handing it back now would lose them.",
            answer=Answer.NOT_SENT,
            identifier=str(row.identifier),
        )
    return row


def _half_released(engine: Engine, row: Row, protection: Protection) -> Row:
    """The row after the first of the two swaps."""
    engine.swap_judged(row, half_released(_as_read(engine, row)), protection, None)
    row = engine.reader.load_row(row.identifier)
    if not is_half_released(row):
        raise CommitFailedError(
            f"{row.identifier} was changed by another writer while it was being handed back. Hand it back again.",
            identifier=str(row.identifier),
        )
    return row


def _is_begun_from(engine: Engine, half: Row, expected: Row) -> bool:
    """Whether a row is what the first swap makes of the expected row."""
    if is_half_released(expected):
        return is_same_row(half, expected)
    readable = _as_read(engine, expected)
    wanted = half_released(readable)
    # A database that does not keep other characters has not kept those of a row that was repaired.
    return is_same_row(half, wanted) or (readable is not expected and not is_ascii(wanted))


def _as_read(engine: Engine, row: Row) -> Row:
    """The row that readers should have: repaired if another engine has damaged it, otherwise unchanged."""
    try:
        view = engine.reader.view_of(row)
    except (CorruptMetadataError, NoSuchIcebergViewError) as e:
        log.warning("view %s is released as its row is: %s", row.identifier, e)
        return row
    kept = read_from_row(row)
    if view.has_drifted or (kept is row and not view.differences):
        return row
    repaired = engine.project(view.metadata, view.identifier, view.metadata_location, replace(view, row=kept))
    if repaired.expanded_text == UNREADABLE_TEXT:
        # As plain readers had it before; the text is stored nowhere else.
        log.warning("view %s is released as its row is: %s", row.identifier, "; ".join(map(str, view.differences)))
        return row
    return repaired
