"""The road from one version of a view to the next.

A commit is: lock (locking.py), load the row, read its file, apply the change, write the new file, look at the row
again if that took long, swap the pointer, settle the outcome (outcome.py), unlock.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar, get_args

import tenacity

from hive_views.errors import (
    CommitFailedError,
    HiveViewsError,
    InvalidInputError,
    InvalidSchemaError,
    LockTimeoutError,
    NoSuchTableError,
    UnavailableError,
    ViewDriftedError,
)
from hive_views.hive.row import OWNER, POINTER, PREVIOUS_POINTER, Column, Row
from hive_views.messages.logs import logger_of
from hive_views.metastore.port import Metastore, Swap
from hive_views.metastore.thrift.auth import os_user
from hive_views.persisted import PENDING_KEYS
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewMetadata
from hive_views.spec.serde import next_location
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.storage.ownership import directories, metadata_for_new_row, owned_incarnation, with_former_directories
from hive_views.views.changes.on_drift import OnDrift, refuse_drift
from hive_views.views.changes.relocation import owned_as
from hive_views.views.changes.verbs import Change
from hive_views.views.commit.inherited_metadata import taking_over
from hive_views.views.commit.loading import SameView, Seen, ViewReader
from hive_views.views.commit.locking import Exclusive, LockMode, Protection
from hive_views.views.commit.lookup import ViewNames
from hive_views.views.commit.outcome import NewFile, SettledWrites, stamped
from hive_views.views.commit.partition_orphans import has_orphaned, with_other_keys, would_orphan
from hive_views.views.commit.whereabouts import Whereabouts
from hive_views.views.row.drift import differences
from hive_views.views.row.projection import is_ascii, is_same_row, project, with_keys, without_keys
from hive_views.views.row.reader_warnings import warnings_of
from hive_views.views.view import View

_Result = TypeVar("_Result")

log = logger_of("hive_views.views.commit.engine")


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _random_uuid() -> str:
    return str(uuid.uuid4())


@dataclass(frozen=True)
class CommitSettings:
    """How commits behave.

    Attributes:
        lock: ``auto`` takes the metastore's table lock around a commit wherever the server grants one, beside the swap
            (needed where any other writer, as Iceberg Java by default, relies on locks alone); ``always`` refuses to
            write without it; ``never`` relies on the swap alone.
        retry_timeout_s: how long a change is run again that lost races.
        settle_timeout_s: how long an outcome is searched for after a missing answer.
        mend_lock_timeout_s: how long a load waits for the lock to finish a change of columns that was interrupted.
        look_again_after_s: a row read longer ago is read again before its swap, which sees no ALTER VIEW of Spark.
        owner: of new views.
        clock_ms: the time, in milliseconds since 1970.
        new_uuid: makes the ids of views and commits.
    """

    lock: LockMode = "auto"
    retry_timeout_s: float = 60.0
    settle_timeout_s: float = 5.0
    mend_lock_timeout_s: float = 2.0
    look_again_after_s: float = 0.02
    owner: str = field(default_factory=os_user)
    clock_ms: Callable[[], int] = _now_ms
    new_uuid: Callable[[], str] = _random_uuid

    def __post_init__(self) -> None:
        if self.lock not in get_args(LockMode):
            modes = ", ".join(get_args(LockMode))
            raise InvalidInputError(f"Cannot use {self.lock!r} as the setting lock: it is one of {modes}.")


class ViewCommits:
    """Loads and changes views on one metastore and one storage; thread-safe."""

    def __init__(self, metastore: Metastore, storage: MetadataStorage, settings: CommitSettings, names: ViewNames):
        self.metastore = metastore
        self.storage = storage
        self.settings = settings
        self.whereabouts = Whereabouts(storage, names, settings.clock_ms, metastore.identity)
        self.reader = ViewReader(metastore, storage)
        self.exclusive = Exclusive(metastore, settings.lock)
        self._writes = SettledWrites(metastore, storage, settings.settle_timeout_s)
        self._taking_over = partial(taking_over, storage=storage, new_uuid=settings.new_uuid)

    # -- reading -----------------------------------------------------------------------------------------------------

    def load(self, identifier: TableIdentifier) -> View:
        """The view as it is now: one metastore call, and one file if it is not known yet.

        Raises:
            NoSuchViewError, NoSuchIcebergViewError, CorruptMetadataError, UnavailableError
        """
        view = self.reader.read(identifier).view
        if PENDING_KEYS in view.row.parameters:
            view = self._mend_interrupted(view)
        for difference in view.differences:
            log.warning("view %s: %s", identifier, difference)
        return view

    # -- writing -----------------------------------------------------------------------------------------------------

    def _of_new_row(self, metadata: ViewMetadata, name: TableIdentifier, copied: str | None = None) -> ViewMetadata:
        token, metastore = self.settings.new_uuid(), self.metastore.identity()
        return self.whereabouts.noted(
            name, metadata_for_new_row(metadata, name, token, metastore=metastore, copied=copied)
        )

    def commit(
        self,
        identifier: TableIdentifier,
        change: Change,
        on_drift: OnDrift = refuse_drift,
        view_uuid: str | None = None,
        is_done: Callable[[ViewMetadata], bool] = lambda _: False,
        check: Callable[..., None] = lambda *_: None,
    ) -> View:
        """Run ``change`` on the view as it is, and make its result the view; again on the new base after a lost race.

        A row that needs repair, or drifted and given a base by ``on_drift``, is repaired in the same swap. Where
        ``view_uuid`` is given, it must be the view's. Nothing happens to a view that ``is_done`` says has it already.

        Raises:
            NoSuchViewError (ReplacedViewError: another view has the name), ViewDriftedError, CommitFailedError,
            CommitStateUnknownError, UnavailableError, and whatever ``change``, and ``check`` of what it changes, raise.
        """
        is_same = SameView(identifier, view_uuid)
        return self._again_after_lost_races(
            lambda protection: self._commit_once(identifier, change, on_drift, is_same, is_done, check, protection),
            partial(self.exclusive.protect_swap, identifier),
        )

    def _again_after_lost_races(
        self, once: Callable[[Protection], _Result], protect: Callable[[], AbstractContextManager[Protection]]
    ) -> _Result:
        for attempt in tenacity.Retrying(
            retry=tenacity.retry_if_exception(_is_lost_race),
            wait=tenacity.wait_random_exponential(multiplier=0.05, max=2),
            stop=tenacity.stop_after_delay(self.settings.retry_timeout_s),
            reraise=True,
        ):
            with attempt, protect() as protection:
                return once(protection)
        raise AssertionError("tenacity returns or raises")  # pragma: no cover

    def _commit_once(
        self,
        identifier: TableIdentifier,
        change: Change,
        on_drift: OnDrift,
        is_same: SameView,
        is_done: Callable[[ViewMetadata], bool],
        check: Callable[..., None],
        protection: Protection,
    ) -> View:
        seen = self.reader.read(identifier)
        if is_done(seen.view.metadata):
            return seen.view
        view = is_same.check(seen.view)
        now_ms = max([self.settings.clock_ms(), *(entry.timestamp_ms for entry in view.history)])
        drifted = any(difference.kind == "drifted" for difference in view.differences)
        base = on_drift(view, now_ms) if drifted else view.metadata
        metadata = change(base, now_ms)
        check(view.row, base, metadata)
        if metadata is view.metadata and not view.differences:
            return view
        commit_id = self.settings.new_uuid()
        keys = _declared_keys(view)
        declared: tuple[str, ...] = ()
        if owned_incarnation(view.row, view.metadata) is None:
            metadata = self._of_new_row(metadata, identifier, view.metadata_location)
            declared = tuple(self.metastore.partition_names(identifier)) if keys else ()
        metadata = self.whereabouts.noted(identifier, stamped(owned_as(view.row, metadata), commit_id))
        metadata = with_former_directories(metadata, directories(self.whereabouts.knowing_former(view.metadata)))
        location = next_location(metadata, view.metadata_location, commit_id)
        row = self._project(metadata, identifier, location, view, owns=True)
        self._refuse_orphaned_partitions(identifier, keys, row)
        with (
            self._writes.new_file(location, metadata, commit_id) as file,
            self.whereabouts.following(identifier, metadata, file, view.metadata),
            self._taking_over(view.metadata, metadata, row, file, declared),
        ):
            self._ensure_unchanged(seen)
            self._swap(seen, row, file, protection)
        committed = self._committed(row, metadata, view)
        self._undo_if_orphaned(committed, keys, view, protection)
        return committed

    def _ensure_unchanged(self, seen: Seen) -> None:
        """
        Raises:
            CommitFailedError: the row was read long ago, and is another one by now.
        """
        if time.monotonic() - seen.at_s > self.settings.look_again_after_s:
            self.reader.load_row_again(seen.view.row)

    def _swap_judged(
        self, judged: Row, row: Row, protection: Protection, file: NewFile | None, *, parameter: str = POINTER
    ) -> None:
        """Replace a row that is read once more right before, and is still the very one that was judged.

        An ALTER of Hive or Spark leaves the pointer alone, and the DDL time counts seconds: no swap surely sees it.

        Raises: as ``ViewReader.load_row_again`` and ``SettledWrites.swap_row``.
        """
        found = self.reader.load_row_again(judged)
        self._writes.swap_row(found, replace(row, native=found.native), protection, file, parameter=parameter)

    def _swap(self, seen: Seen, row: Row, file: NewFile, protection: Protection) -> None:
        view = seen.view
        if not view.row.partition_keys:
            self._writes.swap_row(view.row, row, protection, file)
        elif self._writes.try_swap_row(view.row, row, protection, file) is Swap.CANNOT_CHANGE_COLUMNS:
            self._swap_twice(seen, row, file, protection)

    def _swap_twice(self, seen: Seen, row: Row, file: NewFile, protection: Protection) -> None:
        """Change the columns of a view that has partitions where one alter fails inside the metastore (Hive 3 and 4).

        The first swap takes the partition keys away and leaves a marker; the pointer moves to a copy of the file, so
        that a writer who read before is refused. The second puts the keys back with the new columns.
        """
        view, copy_id = seen.view, self.settings.new_uuid()
        copy = next_location(view.metadata, view.metadata_location, copy_id)
        between = without_keys(view.row, copy)
        with self._writes.new_file(copy, view.metadata, copy_id) as copied:
            self._ensure_unchanged(seen)
            self._writes.swap_row(view.row, between, protection, copied)
        # Engines that neither lock nor swap are seen here at least; their ALTER leaves the pointer alone.
        is_same = is_same_row(self.reader.load_row(view.identifier), between)
        # The keys stay where somebody put them back, on a server that does not check what a swap expects.
        if not is_same or self._writes.try_swap_row(between, row, protection, file) is Swap.CANNOT_CHANGE_COLUMNS:
            raise _changed_between_swaps(view.identifier)

    # -- the parts of a commit ---------------------------------------------------------------------------------------

    def _project(
        self,
        metadata: ViewMetadata,
        identifier: TableIdentifier,
        location: str,
        view: View | None = None,
        *,
        owns: bool = False,
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
            owns=owns,
        )

    def _refuse_orphaned_partitions(self, identifier: TableIdentifier, keys: tuple[Column, ...], row: Row) -> None:
        """
        Raises:
            PartitionColumnsError: the partition keys change while the view has partitions (Hive's error 10217).
        """
        names = with_other_keys(self.metastore, identifier, keys, row.partition_keys)
        if names:
            raise would_orphan(names, identifier, keys, row.partition_keys)

    def _undo_if_orphaned(
        self, committed: View, keys: tuple[Column, ...], before: View, protection: Protection
    ) -> None:
        """Take a change of the partition keys back if a partition was added after they were looked for.

        Raises:
            InvalidSchemaError: it was; the view is as before, with what others have added to its row since.
            CommitStateUnknownError: it was, and the change could not be taken back. Never an error that has the change
                run again, which would find its keys there, and succeed.
        """
        identifier = committed.identifier
        try:
            names = with_other_keys(self.metastore, identifier, keys, committed.row.partition_keys)
        except (NoSuchTableError, UnavailableError) as e:
            log.warning("view %s: whether a partition was added while its keys changed is not known: %s", identifier, e)
            return
        if not names:
            return
        try:
            self._take_back(committed, before, protection)
        except HiveViewsError as failure:
            raise has_orphaned(names, committed.row, failure) from failure
        raise would_orphan(names, identifier, keys, committed.row.partition_keys)

    def _take_back(self, committed: View, before: View, protection: Protection) -> None:
        """
        Raises:
            CommitFailedError, CommitStateUnknownError: another writer has changed the view since.
        """
        commit_id = self.settings.new_uuid()
        metadata = stamped(before.metadata, commit_id)
        location = next_location(metadata, committed.metadata_location, commit_id)
        with self._writes.new_file(location, metadata, commit_id) as file:
            found = self.reader.view_of(self.reader.load_row(committed.identifier))
            is_ours = found.metadata_location == committed.metadata_location
            # What is no difference from a file stays where another file is put into the row.
            if not is_ours or any(difference.kind == "drifted" for difference in found.differences):
                raise CommitFailedError(f"Another writer has changed {committed.identifier} since.")
            row = self._project(metadata, committed.identifier, location, found)
            self._writes.swap_row(found.row, row, protection, file)

    def _mend_interrupted(self, view: View) -> View:
        """Put back the keys that a writer killed between its two swaps left away; a reader never fails over it."""
        try:
            with self.exclusive.protect(view.identifier, timeout_s=self.settings.mend_lock_timeout_s) as protection:
                view = self.reader.view_of(self.reader.load_row(view.identifier))
                return self._put_keys_back(view, protection) if PENDING_KEYS in view.row.parameters else view
        except HiveViewsError as e:
            _log_failed_repair(view, e)
            return view

    def _put_keys_back(self, view: View, protection: Protection) -> View:
        row = self._project(view.metadata, view.identifier, view.metadata_location, view)
        if any(difference.kind == "drifted" for difference in view.differences):
            row = with_keys(view.row, row.partition_keys)
        try:
            self.exclusive.ensure_swap_is_safe(view.identifier, protection)
            self._swap_judged(view.row, row, protection, None)
        except HiveViewsError as e:
            _log_failed_repair(view, e)
            return view
        log.warning("view %s: put back the partition keys that an interrupted change had left away", view.identifier)
        return replace(view, row=row, differences=differences(row, view.metadata))

    def _committed(self, row: Row, metadata: ViewMetadata, before: View | None) -> View:
        location = row.parameters[POINTER]
        former = before.metadata_location if before else None
        log.info("committed %s: version %d, %s -> %s", row.identifier, metadata.current_version_id, former, location)
        if before is None or row.expanded_text != before.row.expanded_text:
            for warning in warnings_of(row):
                log.warning("view %s: %s", row.identifier, warning)
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


def _declared_keys(view: View) -> tuple[Column, ...]:
    try:
        return view.partition_keys
    except InvalidSchemaError:
        # A foreign writer's columns do not end in the keys; the row still has them.
        return view.row.partition_keys


def _is_lost_race(failure: BaseException) -> bool:
    """Whether to run a change again: the wait for somebody else's lock has been long enough."""
    return isinstance(failure, CommitFailedError) and not isinstance(failure, (ViewDriftedError, LockTimeoutError))


def _log_failed_repair(view: View, error: HiveViewsError) -> None:
    log.warning("view %s: the partition keys of an interrupted change were not put back: %s", view.identifier, error)


def _changed_between_swaps(identifier: TableIdentifier) -> CommitFailedError:
    return CommitFailedError(
        f"{identifier} was changed by another writer between the two swaps that change the columns of a view with "
        f"partitions. Load it again and repeat the change.",
        identifier=str(identifier),
    )
