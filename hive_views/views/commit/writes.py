"""Writes a row that points to a new file, and finds out whether the write was applied.

A server's answer proves nothing: Hive calls listeners after its transaction, and an exception in one of them becomes
the answer. So after any answer but success to a request that was sent, the row is read back before anything is deleted
or raised.

A failure to read never replaces the error of the write. Nothing below this module repeats a write
(apache/iceberg 11814, 17074).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import NoReturn

from hive_views.errors import (
    AlreadyExistsError,
    Answer,
    CommitStateUnknownError,
    HiveViewsError,
    NoSuchTableError,
    NoSuchViewError,
    StorageUnavailableError,
    TableAlreadyExistsError,
    UnsupportedFeatureError,
    ViewAlreadyExistsError,
)
from hive_views.hive.row import DDL_TIME, POINTER, PREVIOUS_POINTER, VIEW_UUID, Row
from hive_views.messages.logs import logger_of
from hive_views.metastore.port import Metastore, Swap
from hive_views.persisted import COMMITS, PENDING_KEYS
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewMetadata
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.storage.ownership import commits_in
from hive_views.views.commit.locking import Protection
from hive_views.views.commit.reading_back import read_until_answered
from hive_views.views.commit.verdict import Found, Verdict, settled
from hive_views.views.row.projection import is_same_row
from hive_views.views.view import is_iceberg_view

log = logger_of(__name__)

# This many digits of a commit's uuid distinguish the commits of one view.
COMMIT_ID_LENGTH = 12
# Longer than the number of commits that can land while one outcome is being settled.
_REMEMBERED_COMMITS = 64

# The clocks of machines that share a metastore are assumed to differ by less.
_CLOCKS_DIFFER_BY_S = 60


@dataclass
class NewFile:
    """A metadata file that was just written. ``is_needed``: a row points to it, or may do so later."""

    location: str
    commit_id: str
    is_needed: bool = False


@dataclass(frozen=True)
class _Write:
    """One write: what is sent, and how to find out its outcome.

    ``look`` returns what is found, and the row that has the new name after a creation or rename. ``may_overwrite_late``
    tells whether a write with an unknown outcome could still replace another writer's change.
    """

    about: TableIdentifier
    row: Row
    send: Callable[[], Swap | None]
    look: Callable[[HiveViewsError], tuple[Found, Row | None]]
    may_overwrite_late: Callable[[HiveViewsError], bool]
    file: NewFile | None = None


class SettledWrites:
    """Writes rows. The outcome is certain when a method returns or raises anything but CommitStateUnknownError."""

    def __init__(self, metastore: Metastore, storage: MetadataStorage, settle_timeout_s: float) -> None:
        self._metastore = metastore
        self._storage = storage
        self._settle_timeout_s = settle_timeout_s

    @contextmanager
    def new_file(self, location: str, metadata: ViewMetadata, commit_id: str) -> Iterator[NewFile]:
        """A new file, deleted again if it is certain that no row points to it or will."""
        file = NewFile(location, commit_id)
        try:
            self._storage.write(location, metadata)
        except StorageUnavailableError:
            # A part of it may have been written.
            self._delete(location)
            raise
        try:
            yield file
        except HiveViewsError:
            if not file.is_needed:
                self._delete(location)
            raise

    def _delete(self, location: str) -> None:
        try:
            self._storage.delete(location)
        except StorageUnavailableError as e:
            log.warning("the unused file %s could not be deleted: %s", location, e)

    def create_row(self, row: Row, file: NewFile | None, protection: Protection) -> None:
        """Create a row: returns if it was created, raises the failure if it certainly was not.

        ``file`` is None for the row of a plain view.

        Raises:
            AlreadyExistsError, NoSuchNamespaceError, MetastoreUnavailableError
            CommitStateUnknownError: neither is certain.
        """

        def look(failure: HiveViewsError) -> tuple[Found, Row | None]:
            found = self._read_back(row.identifier)
            if found is None:
                return (Found.NOTHING if isinstance(failure, AlreadyExistsError) else Found.NOT_OURS), None
            return (Found.OURS if self._is_ours(found, row, file) else Found.NOT_OURS), found

        # A creation that arrives late is refused if the name is taken.
        create = partial(self._metastore.create_row, row)
        write = _Write(row.identifier, row, create, look, lambda _: False, file)
        self._settle(write, protection)

    def swap_row(
        self, base: Row, row: Row, protection: Protection, file: NewFile | None, *, parameter: str = POINTER
    ) -> None:
        """Replace ``base`` by a row of the same name, if the pointer, or another parameter, is still that of ``base``.

        ``file`` is the new file that the row points to, None if it points to that of ``base``. A DDL time that is
        compared
        is replaced by a later one and never goes back: without a pointer nothing else shows which write came first.

        Raises:
            CommitFailedError, MetastoreUnavailableError
            UnsupportedFeatureError: this metastore cannot do it in one step, or has neither a value to compare nor a
                lock.
            NoSuchViewError: the row to be replaced is gone.
            CommitStateUnknownError: neither is certain.
        """
        swapped = self.try_swap_row(base, row, protection, file, parameter=parameter)
        if swapped is not Swap.DONE:
            raise _cannot(swapped, base.identifier)

    def try_swap_row(
        self, base: Row, row: Row, protection: Protection, file: NewFile | None, *, parameter: str = POINTER
    ) -> Swap:
        """As ``swap_row``, but returns ``CANNOT_CHANGE_COLUMNS``, with nothing written, if the metastore answers so."""
        row = _with_ddl_time(row, base, later=parameter == DDL_TIME)

        def look(_: HiveViewsError) -> tuple[Found, Row | None]:
            found = self._read_back(row.identifier)
            if found is None:
                return Found.NOTHING, None
            if self._is_ours(found, row, file):
                return Found.OURS, None
            return (Found.NOT_OURS if _is_of_same_view(found, base) else Found.ANOTHER_VIEW), None

        def swap(expected: str | None) -> Swap:
            only_checked = not protection.locks
            return self._metastore.swap_row(row, expected=expected, parameter=parameter, only_checked=only_checked)

        return self._replace(base, row, swap, look, protection, file, expected=base.parameters.get(parameter))

    def rename_row(self, base: Row, row: Row, protection: Protection) -> None:
        """Replace ``base`` by a row of another name, if its pointer is still the same.

        Raises: as ``swap_row``, and AlreadyExistsError.
        """
        row = _with_ddl_time(row, base)

        def look(failure: HiveViewsError) -> tuple[Found, Row | None]:
            taken = self._read_back(row.identifier)
            if taken is not None and self._is_ours(taken, row, None):
                return Found.OURS, taken
            if taken is not None and isinstance(failure, AlreadyExistsError):
                return Found.NOT_OURS, taken
            old = self._read_back(base.identifier)
            if old is None:
                return Found.NOTHING, taken
            return (Found.NOT_OURS if _is_of_same_view(old, base) else Found.ANOTHER_VIEW), taken

        def rename(expected: str | None) -> Swap:
            only_checked = not protection.locks
            return self._metastore.rename_row(base.identifier, row, expected=expected, only_checked=only_checked)

        expected = base.parameters.get(POINTER)
        renamed = self._replace(base, row, rename, look, protection, None, expected=expected)
        if renamed is not Swap.DONE:
            raise _cannot(renamed, base.identifier)

    def drop_row(self, row: Row, protection: Protection) -> None:
        """Drop a row.

        Raises:
            NoSuchViewError, MetastoreUnavailableError, UnsupportedFeatureError
            CommitStateUnknownError: there is no answer, and the row exists.
        """

        def look(failure: HiveViewsError) -> tuple[Found, Row | None]:
            found = self._read_back(row.identifier)
            if found is not None and _is_of_same_view(found, row):
                return Found.NOT_OURS, None
            return (Found.NOTHING if isinstance(failure, NoSuchTableError) else Found.OURS), None

        drop = partial(self._metastore.drop_row, row.identifier)
        self._settle(_Write(row.identifier, row, drop, look, lambda _: True), protection)

    def _replace(
        self,
        base: Row,
        row: Row,
        send: Callable[[str | None], Swap],
        look: Callable[[HiveViewsError], tuple[Found, Row | None]],
        protection: Protection,
        file: NewFile | None,
        *,
        expected: str | None,
    ) -> Swap:
        if expected is None and not protection.locks:
            raise UnsupportedFeatureError(
                f"Cannot change {base.identifier}: its row has nothing that a swap could compare, and no lock protects "
                f"the change. Use the setting lock = always.",
                answer=Answer.NOT_SENT,
                identifier=str(base.identifier),
            )
        if protection.locks and self._metastore.capabilities().compares_pointers is False:
            expected = None

        def may_overwrite_late(failure: HiveViewsError) -> bool:
            return expected is None or not self._is_checked(base.identifier, failure)

        write = _Write(base.identifier, row, partial(send, expected), look, may_overwrite_late, file)
        swapped = self._settle(write, protection)
        if swapped is not Swap.CANNOT_COMPARE:
            return swapped
        if not protection.locks or expected is None:
            raise _cannot(swapped, base.identifier)
        # A Derby whose parameters are CLOBs cannot compare them, and takes long to say so; only the lock protects.
        return self._replace(base, row, send, look, protection, file, expected=None)

    def _settle(self, write: _Write, protection: Protection) -> Swap:
        """Send a write, and turn anything but success into a verdict: what is returned or raised is certain."""
        protection.ensure_held()
        self._need(write, is_needed=True)
        try:
            swapped = write.send() or Swap.DONE
        except HiveViewsError as failure:
            if self._has_landed(write, failure, protection):
                return Swap.DONE
            raise
        if swapped is Swap.DONE or self._has_landed(write, _cannot(swapped, write.about), protection):
            return Swap.DONE
        return swapped

    def _has_landed(self, write: _Write, failure: HiveViewsError, protection: Protection) -> bool:
        """Whether a write that ended in ``failure`` was applied; if not, it never will be.

        Raises:
            NoSuchViewError: the row to be changed is gone. AlreadyExistsError: another row has the name.
            CommitStateUnknownError: it is not certain whether it was applied.
        """

        def unreadable(error: HiveViewsError) -> Found:
            log.warning("%s could not be read back after: %s: %s", write.about, failure, error)
            return Found.UNREADABLE

        outcome = settled(failure, lambda: write.look(failure), unreadable)
        verdict = outcome.verdict
        if verdict is Verdict.APPLIED:
            log.info("the change of %s was applied despite: %s", write.about, failure)
            return True
        if verdict is Verdict.GONE:
            raise gone(write.about) from failure
        if verdict is Verdict.NOT_APPLIED:
            self._need(write, is_needed=False)
            if outcome.seen is not None and isinstance(failure, AlreadyExistsError):
                refuse_taken(outcome.seen, failure)
            return False
        left = bool(protection.locks) and (outcome.found is Found.UNREADABLE or write.may_overwrite_late(failure))
        if left:
            protection.abandon()
        raise _unknown(write, failure, lock_left=left) from failure

    @staticmethod
    def _need(write: _Write, *, is_needed: bool) -> None:
        if write.file:
            write.file.is_needed = is_needed

    def _is_checked(self, view: TableIdentifier, failure: HiveViewsError) -> bool:
        """Whether the server that received a swap refuses it if another change came first."""
        try:
            return self._metastore.enforces_swap(view, failure.server)
        except HiveViewsError as e:
            log.warning("whether the metastore checks a late change of %s is unknown: %s", view, e)
            return False

    def _is_ours(self, found: Row, row: Row, file: NewFile | None) -> bool:
        if POINTER not in row.parameters:
            return is_same_row(found, row)
        pointer = found.parameters.get(POINTER)
        is_named = row.parameters[POINTER] in (pointer, found.parameters.get(PREVIOUS_POINTER))
        if file is None:
            # The row pointed to the file before; after an interrupted change it also has a marker.
            return is_named and PENDING_KEYS not in found.parameters
        if is_named or not pointer or not is_iceberg_view(found):
            return is_named
        return file.commit_id[:COMMIT_ID_LENGTH] in commits_in(self._storage.read(pointer).properties)

    def _read_back(self, identifier: TableIdentifier) -> Row | None:
        """The row of a name, None if it is gone; retries for a bounded time after any other answer."""
        try:
            return read_until_answered(
                lambda: self._metastore.load_row(identifier),
                lambda failure: not isinstance(failure, NoSuchTableError),
                self._settle_timeout_s,
            )
        except NoSuchTableError:
            return None


def _is_of_same_view(found: Row, base: Row) -> bool:
    """Whether two rows may be of the same view; a row that has lost its uuid may be of any view."""
    uuids = {found.parameters.get(VIEW_UUID), base.parameters.get(VIEW_UUID)}
    return None in uuids or len(uuids) == 1


def _with_ddl_time(row: Row, base: Row, *, later: bool = False) -> Row:
    """The row with the DDL time to write: none, so that the server sets it, or one that does not go back.

    It counts seconds by the clock of the last writer, so two changes in the same second, or by two clocks, could have
    the same time.
    """
    before_s, now_s = base.ddl_time_s, int(time.time())
    parameters = {key: value for key, value in row.parameters.items() if key != DDL_TIME}
    if later or abs(now_s - before_s) < _CLOCKS_DIFFER_BY_S:
        parameters[DDL_TIME] = str(max(now_s, before_s + later))
    return replace(row, parameters=parameters)


def stamped(metadata: ViewMetadata, commit_id: str) -> ViewMetadata:
    """The metadata with the id of this commit added to its list, by which it is recognised under later commits."""
    commits = ",".join([*commits_in(metadata.properties), commit_id[:COMMIT_ID_LENGTH]][-_REMEMBERED_COMMITS:])
    return metadata.model_copy(update={"properties": {**metadata.properties, COMMITS: commits}})


def gone(identifier: TableIdentifier) -> NoSuchViewError:
    """The error for a change of a view that no longer exists."""
    return NoSuchViewError(f"View {identifier} was dropped or renamed meanwhile.", identifier=str(identifier))


def _cannot(swapped: Swap, view: TableIdentifier) -> UnsupportedFeatureError:
    """What a server cannot do, as an error; it was answered, and only the row says whether it was done."""
    advice = " Use the metastore's lock instead (lock='auto')." if swapped is Swap.CANNOT_COMPARE else ""
    message = f"Cannot change {view}: {swapped.value}.{advice}"
    return UnsupportedFeatureError(message, answer=Answer.FAILED, identifier=str(view))


def _unknown(write: _Write, failure: HiveViewsError, *, lock_left: bool) -> CommitStateUnknownError:
    location = write.row.parameters.get(POINTER)
    locked = (
        " Its lock is left to expire on the server (hive.txn.timeout), since until then it could overwrite a later one."
    )
    return CommitStateUnknownError(
        f"It is unknown whether the change of {write.about} was applied, and it may still be: {failure} "
        f"Do not delete {location or 'its files'}, and load the view before you run the change again."
        f"{locked if lock_left else ''}",
        identifier=str(write.about),
        metadata_location=location,
        lock_left=lock_left,
    )


def refuse_taken(row: Row, cause: Exception | None = None) -> NoReturn:
    name = str(row.identifier)
    if row.is_view:
        raise ViewAlreadyExistsError(f"Cannot create {name}: a view has this name.", identifier=name) from cause
    raise TableAlreadyExistsError(
        f"Cannot create {name}: a table has this name ({row.table_type}); tables and views share one namespace.",
        identifier=name,
    ) from cause
