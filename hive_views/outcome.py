"""What is known when the answer to a write is missing or is a refusal.

What lives here: writing a row under a file that it points to, and the verdict on it. What must not: what is written.

    the write                       read back                    verdict                    our new file
    answered                        not needed                   committed                  kept
    never sent                      not needed                   not applied                deleted
    refused: the value differs      ours *                       committed (call repeated)  kept
    refused: the value differs      another                      not applied: run again     deleted
    no answer                       ours *                       committed                  kept
    no answer                       the base, or another         unknown: may still land    kept
    refused or no answer            unreadable, or gone          unknown                    kept
    refused: no such row            not needed                   dropped or renamed         kept

    * the row points to our file, or names it as the previous one, or the current file lists our commit id.

Only proof of failure deletes a file, and nothing below this module repeats a write (apache/iceberg 11814, 17074).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn

import tenacity

from hive_views.errors import (
    AlreadyExistsError,
    CommitFailedError,
    CommitStateUnknownError,
    HiveViewsError,
    MetastoreUnavailableError,
    NoSuchTableError,
    NoSuchViewError,
    StorageUnavailableError,
    TableAlreadyExistsError,
    UnavailableError,
    UnsupportedFeatureError,
    ViewAlreadyExistsError,
)
from hive_views.hive.projection import COMMITS, POINTER, PREVIOUS_POINTER
from hive_views.hive.row import Row
from hive_views.metastore.port import Lock, Metastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewMetadata
from hive_views.storage import MetadataStorage
from hive_views.view import is_iceberg_view

log = logging.getLogger("hive_views.commit")

# So many digits of a commit's uuid tell the commits of one view apart.
COMMIT_ID_LENGTH = 12


class SettledWrites:
    """Writes of rows whose outcome is certain when they return or raise, unless they raise CommitStateUnknownError."""

    def __init__(self, metastore: Metastore, storage: MetadataStorage, settle_timeout_s: float) -> None:
        self._metastore = metastore
        self._storage = storage
        self._settle_timeout_s = settle_timeout_s

    @contextmanager
    def new_file(self, location: str, metadata: ViewMetadata) -> Iterator[None]:
        """A file that stays, unless it is certain that nothing points to it."""
        try:
            self._storage.write(location, metadata)
        except StorageUnavailableError:
            # Some of it may be there.
            self._delete(location)
            raise
        try:
            yield
        except (CommitStateUnknownError, NoSuchViewError):
            raise
        except HiveViewsError:
            self._delete(location)
            raise

    def _delete(self, location: str) -> None:
        try:
            self._storage.delete(location)
        except StorageUnavailableError as e:
            log.warning("the unused file %s could not be deleted: %s", location, e)

    def create_row(self, row: Row, commit_id: str | None) -> None:
        """Create a row: return when it landed, raise the failure when it certainly did not.

        ``commit_id`` is that of a new file; None where a row may have pointed to the file before.

        Raises:
            AlreadyExistsError, NoSuchNamespaceError, MetastoreUnavailableError
            CommitStateUnknownError: neither is certain.
        """
        self._settle(lambda: self._metastore.create_row(row), row, commit_id, None)

    def replace_row(
        self,
        row: Row,
        expected: str | None,
        commit_id: str | None,
        lock: Lock | None,
        *,
        source: TableIdentifier | None = None,
    ) -> None:
        """Replace the row of ``source``, by default that of the same name, if its pointer has the expected value.

        Raises:
            CommitFailedError, AlreadyExistsError, UnsupportedFeatureError, MetastoreUnavailableError
            NoSuchViewError: the row that was to be replaced is gone.
            CommitStateUnknownError: neither is certain.
        """
        if lock:
            lock.ensure_held()
            expected = None if self._metastore.capabilities().compares_pointers is False else expected

        def write() -> None:
            if source:
                self._metastore.rename_row(source, row, expected=expected)
            else:
                self._metastore.swap_row(row, expected=expected)

        try:
            self._settle(write, row, commit_id, source)
        except UnsupportedFeatureError as failure:
            if not (failure.fields.get("swap") and lock):
                raise
            # A Derby whose parameters are CLOBs cannot compare them, after trying for long; the lock alone protects.
            self.replace_row(row, None, commit_id, lock, source=source)

    def drop_row(self, row: Row) -> None:
        """Drop a row.

        Raises:
            NoSuchViewError, MetastoreUnavailableError
            CommitStateUnknownError: there is no answer, and the row is there.
        """
        name = str(row.identifier)
        try:
            self._metastore.drop_row(row.identifier)
        except NoSuchTableError as e:
            raise NoSuchViewError(f"There is no view {name}.", identifier=name) from e
        except MetastoreUnavailableError as failure:
            if not failure.sent:
                raise
            if self._read_back(row, row.identifier, failure) is not None:
                raise _unknown(row, failure) from failure

    def _settle(
        self, write: Callable[[], None], row: Row, commit_id: str | None, source: TableIdentifier | None
    ) -> None:
        try:
            write()
        except NoSuchTableError as failure:
            renamed = self._read_back(row, row.identifier, failure) if source else None
            if renamed and self._is_ours(renamed, row, commit_id, source, failure):
                return
            name = str(source or row.identifier)
            raise NoSuchViewError(f"View {name} was dropped or renamed meanwhile.", identifier=name) from failure
        except (CommitFailedError, AlreadyExistsError) as failure:
            # A refusal of a call that was repeated on its way has met its own first attempt.
            found = self._found(row, failure, source)
            if not self._is_ours(found, row, commit_id, source, failure):
                if isinstance(failure, AlreadyExistsError):
                    refuse_taken(found, failure)
                raise
        except MetastoreUnavailableError as failure:
            if not failure.sent:
                raise
            if not self._is_ours(self._found(row, failure, source), row, commit_id, source, failure):
                raise _unknown(row, failure) from failure

    def _found(self, row: Row, failure: HiveViewsError, source: TableIdentifier | None) -> Row:
        found = self._read_back(row, row.identifier, failure)
        if found is None and source:
            found = self._read_back(row, source, failure)
        if found is None:
            raise _unknown(row, failure) from failure
        return found

    def _is_ours(
        self, found: Row, row: Row, commit_id: str | None, source: TableIdentifier | None, failure: HiveViewsError
    ) -> bool:
        location, pointer = row.parameters[POINTER], found.parameters.get(POINTER)
        told = (pointer, found.parameters.get(PREVIOUS_POINTER)) if commit_id or source else (pointer,)
        landed = found.identifier == row.identifier and location in told
        if not landed and pointer and commit_id and is_iceberg_view(found):
            try:
                commits = self._storage.read(pointer).properties.get(COMMITS, "").split(",")
            except HiveViewsError as e:
                raise _unknown(row, failure) from e
            landed = commit_id[:COMMIT_ID_LENGTH] in commits
        if landed:
            log.info("the write of %s had landed although: %s", row.identifier, failure)
        return landed

    def _read_back(self, row: Row, identifier: TableIdentifier, failure: HiveViewsError) -> Row | None:
        """The row of a name after a failed write of ``row``, None if it is gone; waits a bounded time for a metastore
        that is away.
        """
        try:
            for attempt in tenacity.Retrying(
                retry=tenacity.retry_if_exception_type(UnavailableError),
                wait=tenacity.wait_exponential(multiplier=0.1, max=1),
                stop=tenacity.stop_after_delay(self._settle_timeout_s),
                reraise=True,
            ):
                with attempt:
                    return self._metastore.load_row(identifier)
        except NoSuchTableError:
            return None
        except HiveViewsError as e:
            raise _unknown(row, failure) from e
        raise AssertionError("tenacity returns or raises")  # pragma: no cover


def _unknown(row: Row, failure: HiveViewsError) -> CommitStateUnknownError:
    location = row.parameters.get(POINTER)
    return CommitStateUnknownError(
        f"It is not known whether the change of {row.identifier} was applied, and it may still be: {failure} "
        f"Do not delete {location or 'its files'}, and load the view before you run the change again.",
        identifier=str(row.identifier),
        metadata_location=location,
    )


def refuse_taken(row: Row, cause: Exception | None = None) -> NoReturn:
    name = str(row.identifier)
    if row.is_view:
        raise ViewAlreadyExistsError(f"Cannot create {name}: a view has this name.", identifier=name) from cause
    raise TableAlreadyExistsError(
        f"Cannot create {name}: a table has this name ({row.table_type}); tables and views share one name space.",
        identifier=name,
    ) from cause
