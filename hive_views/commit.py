"""The road from one version of a view to the next.

What lives here: loading, creating, committing, renaming and dropping a view, with locks and retries. What must not:
what a change means (spec/updates.py, catalog.py), how a row is made (hive/projection.py), Thrift, fsspec.

A commit is: lock, load the row, read its file, apply the change, write the new file, swap the pointer, settle the
outcome (outcome.py), unlock.
"""

from __future__ import annotations

import getpass
import logging
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

import tenacity

from hive_views.errors import (
    CommitFailedError,
    HiveViewsError,
    InvalidInputError,
    InvalidSchemaError,
    NoSuchTableError,
    NoSuchViewError,
    UnsupportedFeatureError,
    ViewDriftedError,
)
from hive_views.hive.directories import remembering_directories
from hive_views.hive.drift import differences
from hive_views.hive.projection import (
    COMMITS,
    OWNER,
    PENDING_KEYS,
    POINTER,
    PREVIOUS_POINTER,
    TEXT_DIALECT,
    is_ascii,
    is_same_row,
    project,
    with_keys,
    without_keys,
)
from hive_views.hive.row import Column, Row
from hive_views.metastore.port import Lock, Metastore
from hive_views.on_drift import OnDrift, refuse_drift
from hive_views.outcome import COMMIT_ID_LENGTH, SettledWrites, refuse_taken
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewMetadata
from hive_views.spec.serde import next_location
from hive_views.sql.dialects import literals_that_coral_misreads
from hive_views.storage import MetadataStorage
from hive_views.view import View, check_iceberg_view, view_of

log = logging.getLogger("hive_views.commit")

LockMode = Literal["auto", "always", "never"]
Change = Callable[[ViewMetadata, int], ViewMetadata]
"""From the base metadata and the time in ms to the next metadata; the same object back means nothing to do."""

# Longer than the number of commits that can land while one outcome is being settled.
_REMEMBERED_COMMITS = 64

# A row that is never the same twice is committed to without pause; then the last look has to do.
_LOOKS = 10


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _random_uuid() -> str:
    return str(uuid.uuid4())


@dataclass(frozen=True)
class CommitSettings:
    """How commits behave.

    ``lock``: ``auto`` takes the metastore's table lock around a commit wherever the server grants one, beside the swap
    (needed where any other writer, as Iceberg Java by default, relies on locks alone); ``always`` refuses to write
    without it; ``never`` relies on the swap alone. ``retry_timeout_s`` bounds running a change again after lost races,
    ``settle_timeout_s`` the search for an outcome after a missing answer.
    """

    lock: LockMode = "auto"
    retry_timeout_s: float = 60.0
    settle_timeout_s: float = 5.0
    mend_lock_timeout_s: float = 2.0
    owner: str = field(default_factory=getpass.getuser)
    clock_ms: Callable[[], int] = _now_ms
    new_uuid: Callable[[], str] = _random_uuid

    def __post_init__(self) -> None:
        if self.lock not in get_args(LockMode):
            raise InvalidInputError(f"Cannot use lock={self.lock!r}: it is one of {', '.join(get_args(LockMode))}.")


class ViewOperations:
    """Loads and commits views on one metastore and one storage; thread-safe."""

    def __init__(self, metastore: Metastore, storage: MetadataStorage, settings: CommitSettings) -> None:
        self.metastore = metastore
        self.storage = storage
        self.settings = settings
        self._writes = SettledWrites(metastore, storage, settings.settle_timeout_s)

    # -- reading -----------------------------------------------------------------------------------------------------

    def load(self, identifier: TableIdentifier) -> View:
        """The view as it is now: one metastore call, and one file if it is not known yet.

        Raises:
            NoSuchViewError, NoSuchIcebergViewError, CorruptMetadataError, UnavailableError
        """
        view = self._read(identifier)
        if PENDING_KEYS in view.row.parameters:
            view = self._mend_interrupted(view)
        for difference in view.differences:
            log.warning("view %s: %s", identifier, difference)
        return view

    def _read(self, identifier: TableIdentifier) -> View:
        """The view; a difference between row and file counts only if a second look finds the same row.

        A metastore reads a row in several statements, and a commit between two of them gives a mixture of both.
        """
        row = self._load_row(identifier)
        view = self._view_of(row)
        for _ in range(_LOOKS):
            if not view.differences:
                break
            seen, row = row, self._load_row(identifier)
            if row == seen:
                break
            view = self._view_of(row)
        return view

    def _view_of(self, row: Row) -> View:
        return view_of(row, self.storage)

    def _load_row(self, identifier: TableIdentifier) -> Row:
        try:
            return self.metastore.load_row(identifier)
        except NoSuchTableError as e:
            raise NoSuchViewError(f"There is no view {identifier}.", identifier=str(identifier)) from e

    # -- writing -----------------------------------------------------------------------------------------------------

    def check_absent(self, identifier: TableIdentifier) -> None:
        """
        Raises:
            ViewAlreadyExistsError, TableAlreadyExistsError: the name is taken.
        """
        with suppress(NoSuchTableError):
            refuse_taken(self.metastore.load_row(identifier))

    def create(self, identifier: TableIdentifier, metadata: ViewMetadata) -> View:
        """Write the first file of a view and create its row.

        Raises:
            AlreadyExistsError, NoSuchNamespaceError, CommitStateUnknownError, UnavailableError
        """
        commit_id = self.settings.new_uuid()
        metadata = _stamped(metadata, commit_id)
        location = next_location(metadata, None, commit_id)
        row = self._project(metadata, identifier, location)
        with self._writes.new_file(location, metadata):
            self._writes.create_row(row, commit_id)
        return self._committed(row, metadata, None)

    def register(self, identifier: TableIdentifier, location: str) -> View:
        """Create a row that points to a metadata file which exists; the file is never deleted.

        Raises:
            AlreadyExistsError, NoSuchNamespaceError, CorruptMetadataError, CommitStateUnknownError, UnavailableError
        """
        metadata = self.storage.read(location, cached=False)
        row = self._project(metadata, identifier, location)
        self._writes.create_row(row, None)
        return self._committed(row, metadata, None)

    def register_over(self, identifier: TableIdentifier, location: str) -> View:
        """Make the view row that has the name point to a metadata file which exists, whatever it was before.

        Raises:
            NoSuchViewError, CorruptMetadataError, CommitFailedError, CommitStateUnknownError, UnavailableError
        """
        metadata = self.storage.read(location, cached=False)
        with self._exclusive(identifier) as lock:
            current = self._load_row(identifier)
            row = replace(self._project(metadata, identifier, location), native=current.native)
            row = replace(row, owner=current.owner or row.owner, create_time_s=current.create_time_s)
            self._refuse_orphaned_partitions(identifier, current.partition_keys, row)
            # A row without a pointer cannot be compared; on a server that checks, such a swap would be refused.
            self._writes.replace_row(row, current.parameters.get(POINTER), None, lock)
        return self._committed(row, metadata, None)

    def commit(self, identifier: TableIdentifier, change: Change, on_drift: OnDrift = refuse_drift) -> View:
        """Run ``change`` on the view as it is, and make its result the view; again on the new base after a lost race.

        A row that is spoiled, or drifted and given a base by ``on_drift``, is mended in the same swap.

        Raises:
            NoSuchViewError, ViewDriftedError, CommitFailedError, CommitStateUnknownError, UnavailableError, and
            whatever ``change`` raises.
        """
        return self._again_after_lost_races(
            lambda lock: self._commit_once(identifier, change, on_drift, lock), identifier
        )

    def _again_after_lost_races(self, once: Callable[[Lock | None], View], identifier: TableIdentifier) -> View:
        for attempt in tenacity.Retrying(
            retry=tenacity.retry_if_exception(_is_lost_race),
            wait=tenacity.wait_random_exponential(multiplier=0.05, max=2),
            stop=tenacity.stop_after_delay(self.settings.retry_timeout_s),
            reraise=True,
        ):
            with attempt, self._exclusive(identifier) as lock:
                return once(lock)
        raise AssertionError("tenacity returns or raises")  # pragma: no cover

    def _commit_once(self, identifier: TableIdentifier, change: Change, on_drift: OnDrift, lock: Lock | None) -> View:
        view = self._read(identifier)
        now_ms = max([self.settings.clock_ms(), *(entry.timestamp_ms for entry in view.history)])
        drifted = any(difference.kind == "drifted" for difference in view.differences)
        base = on_drift(view, now_ms) if drifted else view.metadata
        metadata = change(base, now_ms)
        if metadata is view.metadata and not view.differences:
            return view
        commit_id = self.settings.new_uuid()
        metadata = remembering_directories(_stamped(metadata, commit_id), view.metadata)
        location = next_location(metadata, view.metadata_location, commit_id)
        row = self._project(metadata, identifier, location, view)
        self._refuse_orphaned_partitions(identifier, _declared_keys(view), row)
        with self._writes.new_file(location, metadata):
            self._swap(view, row, commit_id, lock)
        return self._committed(row, metadata, view)

    def _swap(self, view: View, row: Row, commit_id: str, lock: Lock | None) -> None:
        try:
            self._writes.replace_row(row, view.metadata_location, commit_id, lock)
        except UnsupportedFeatureError as failure:
            if not (failure.fields.get("null_descriptor") and view.row.partition_keys):
                raise
            self._swap_twice(view, row, commit_id, lock)

    def _swap_twice(self, view: View, row: Row, commit_id: str, lock: Lock | None) -> None:
        """Change the columns of a view that has partitions where one alter fails inside the metastore (Hive 3 and 4).

        The first swap takes the partition keys away and leaves a marker; the pointer moves to a copy of the file, so
        that a writer who read before is refused. The second puts the keys back with the new columns.
        """
        copy_id = self.settings.new_uuid()
        copy = next_location(view.metadata, view.metadata_location, copy_id)
        between = without_keys(view.row, copy)
        with self._writes.new_file(copy, view.metadata):
            self._writes.replace_row(between, view.metadata_location, copy_id, lock)
        # Engines that neither lock nor swap are seen here at least; their ALTER leaves the pointer alone.
        if not is_same_row(self._load_row(view.identifier), between):
            raise _changed_between_swaps(view.identifier)
        try:
            self._writes.replace_row(row, copy, commit_id, lock)
        except UnsupportedFeatureError as failure:
            if not failure.fields.get("null_descriptor"):
                raise
            # Somebody put the keys back, on a server that does not check what a swap expects.
            raise _changed_between_swaps(view.identifier) from failure

    def rename(self, identifier: TableIdentifier, to: TableIdentifier) -> View:
        """Give a view another name; its partitions, its file and its directory stay.

        Raises:
            NoSuchViewError, AlreadyExistsError, NoSuchNamespaceError, ViewDriftedError, CommitFailedError,
            CommitStateUnknownError, UnavailableError
        """
        return self._again_after_lost_races(lambda lock: self._rename_once(identifier, to, lock), identifier)

    def _rename_once(self, identifier: TableIdentifier, to: TableIdentifier, lock: Lock | None) -> View:
        view = self._read(identifier)
        if any(difference.kind == "drifted" for difference in view.differences):
            refuse_drift(view, 0)
        row = self._project(view.metadata, to, view.metadata_location, view)
        self._writes.replace_row(row, view.metadata_location, None, lock, source=identifier)
        log.info("renamed %s to %s", identifier, to)
        return View(to, view.metadata, view.metadata_location, row)

    def drop(self, identifier: TableIdentifier) -> None:
        """Drop a view's row and partitions; its files stay, and need not be readable.

        Raises:
            NoSuchViewError, NoSuchIcebergViewError, CommitStateUnknownError, UnavailableError
        """
        row = self._load_row(identifier)
        check_iceberg_view(row)
        if PENDING_KEYS in row.parameters:
            # A metastore cannot drop partitions whose values do not fit the keys of the row.
            self._mend_interrupted(self._view_of(row))
        self._writes.drop_row(row)
        log.info("dropped %s; its last file is %s", identifier, row.parameters.get(POINTER))

    # -- the parts of a commit ---------------------------------------------------------------------------------------

    @contextmanager
    def _exclusive(self, identifier: TableIdentifier, timeout_s: float | None = None) -> Iterator[Lock | None]:
        """The protection against other writers that the settings ask for and the server has.

        Raises:
            UnsupportedFeatureError: there is none, so that a commit could overwrite somebody else's.
        """
        mode = self.settings.lock
        lock = None if mode == "never" else self.metastore.lock(identifier, timeout_s=timeout_s)
        try:
            if lock is None and mode == "always":
                raise UnsupportedFeatureError(
                    "This metastore grants no locks, and the setting lock='always' asks for them. "
                    "Give it a lock manager, or use lock='auto'."
                )
            if lock is None and not self._enforces_swap(identifier):
                raise UnsupportedFeatureError(
                    "Refused to write: this metastore does not check the expected pointer of a swap (servers before "
                    "HIVE-26882 ignore it), and no lock protects the commit: two writers could overwrite each other. "
                    + ("Use lock='auto'." if mode == "never" else "Give the metastore a lock manager.")
                )
            yield lock
        finally:
            if lock:
                lock.release()

    def _enforces_swap(self, identifier: TableIdentifier) -> bool:
        try:
            return self.metastore.enforces_swap(identifier)
        except NoSuchTableError as e:
            raise NoSuchViewError(f"There is no view {identifier}.", identifier=str(identifier)) from e

    def _project(
        self, metadata: ViewMetadata, identifier: TableIdentifier, location: str, view: View | None = None
    ) -> Row:
        same_file = view is not None and location == view.metadata_location
        previous = view.row.parameters.get(PREVIOUS_POINTER) if same_file and view else None
        return project(
            metadata,
            identifier=identifier,
            location=location,
            previous_location=previous if same_file else view.metadata_location if view else None,
            owner=metadata.properties.get(OWNER) or self.settings.owner,
            current=view.row if view else None,
            replaced=view.metadata if view else None,
        )

    def _refuse_orphaned_partitions(self, identifier: TableIdentifier, keys: tuple[Column, ...], row: Row) -> None:
        """
        Raises:
            InvalidSchemaError: the partition keys change while the view has partitions (Hive's error 10217).
        """
        # Hive's SQL wants the same comments as well. No partition has them, and Iceberg engines leave them out of a
        # new version: a view must be mended, and rolled back, all the same.
        if not keys or [(k.name, k.type) for k in keys] == [(k.name, k.type) for k in row.partition_keys]:
            return
        names = self.metastore.partition_names(identifier)
        if names:
            raise InvalidSchemaError(
                f"View {identifier} has {len(names)} partitions, so that its partition columns must stay as they "
                f"are in name, type and order (Hive error 10217): they are {_told(keys)}, the change makes "
                f"them {_told(row.partition_keys)}. Drop the partitions first, or keep the columns.",
                identifier=str(identifier),
            )

    def _mend_interrupted(self, view: View) -> View:
        """Put back the keys that a writer killed between its two swaps left away; a reader never fails over it."""
        identifier = view.identifier
        try:
            with self._exclusive(identifier, timeout_s=self.settings.mend_lock_timeout_s) as lock:
                view = self._view_of(self._load_row(identifier))
                if PENDING_KEYS not in view.row.parameters:
                    return view
                row = self._project(view.metadata, identifier, view.metadata_location, view)
                if any(difference.kind == "drifted" for difference in view.differences):
                    row = with_keys(view.row, row.partition_keys)
                self._writes.replace_row(row, view.metadata_location, None, lock)
        except HiveViewsError as e:
            log.warning("view %s: the partition keys of an interrupted change were not put back: %s", identifier, e)
            return view
        log.warning("view %s: put back the partition keys that an interrupted change had left away", identifier)
        return replace(view, row=row, differences=differences(row, view.metadata))

    def _committed(self, row: Row, metadata: ViewMetadata, before: View | None) -> View:
        location = row.parameters[POINTER]
        log.info(
            "committed %s: version %d, %s -> %s",
            row.identifier,
            metadata.current_version_id,
            before.metadata_location if before else None,
            location,
        )
        if before is None or row.expanded_text != before.row.expanded_text:
            self._tell_of_escapes(row)
        view = View(row.identifier, metadata, location, row)
        if is_ascii(row):
            return view
        # The metastore's official MySQL schema is latin1: other characters become "?", and the call succeeds.
        try:
            stored = self.metastore.load_row(row.identifier)
        except HiveViewsError as e:
            log.warning("view %s: whether the metastore's database kept the row is not known: %s", row.identifier, e)
            return view
        if stored.parameters.get(POINTER) == location:
            view = replace(view, row=stored, differences=differences(stored, metadata))
        for difference in view.differences:
            log.warning("view %s: the metastore's database did not keep %s", row.identifier, difference)
        return view

    def _tell_of_escapes(self, row: Row) -> None:
        # Nothing else would tell: Trino gives other rows, without an error.
        misread = literals_that_coral_misreads(row.expanded_text or "", row.parameters.get(TEXT_DIALECT, "hive"))
        if misread:
            log.warning(
                "view %s: Trino takes the back-slashes in %s as they stand, unless its catalog has "
                "hive.hive-views.legacy-translation=true; Hive and Spark read them as escapes",
                row.identifier,
                ", ".join(misread),
            )


def _stamped(metadata: ViewMetadata, commit_id: str) -> ViewMetadata:
    """The metadata with one more id in its list of commits, by which a commit is found after others came on top."""
    earlier = [id_ for id_ in metadata.properties.get(COMMITS, "").split(",") if id_]
    commits = ",".join([*earlier, commit_id[:COMMIT_ID_LENGTH]][-_REMEMBERED_COMMITS:])
    return metadata.model_copy(update={"properties": {**metadata.properties, COMMITS: commits}})


def _declared_keys(view: View) -> tuple[Column, ...]:
    try:
        return view.partition_keys
    except InvalidSchemaError:
        # A foreign writer's columns do not end in the keys; the row still has them.
        return view.row.partition_keys


def _is_lost_race(failure: BaseException) -> bool:
    """Whether to run a change again: the wait for somebody else's lock (field ``holder``) has been long enough."""
    return (
        isinstance(failure, CommitFailedError)
        and not isinstance(failure, ViewDriftedError)
        and "holder" not in failure.fields
    )


def _changed_between_swaps(identifier: TableIdentifier) -> CommitFailedError:
    return CommitFailedError(
        f"{identifier} was changed by another writer between the two swaps that change the columns of a view with "
        f"partitions. Load it again and repeat the change.",
        identifier=str(identifier),
    )


def _told(columns: tuple[Column, ...]) -> str:
    return "(" + ", ".join(f"{c.name} {c.type}" + (f" '{c.comment}'" if c.comment else "") for c in columns) + ")"
