"""Where a view's row begins, moves and ends: creating, registering, renaming and dropping.

What lives here: these verbs, with locks and retries. What must not: changing what a view is (commit.py), the
outcome of a write (outcome.py).

No two rows point to one file: a row that is registered points to a copy, so that each can be purged whatever becomes of
the other.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial

from hive_views.errors import (
    Answer,
    CommitFailedError,
    CommitStateUnknownError,
    CorruptMetadataError,
    HiveViewsError,
    NoSuchIcebergViewError,
    UnsupportedFeatureError,
)
from hive_views.hive.row import DDL_TIME, OWNER, POINTER, Row
from hive_views.persisted import OWN_PREFIX, PENDING_KEYS
from hive_views.spec.identifiers import LONGEST, TableIdentifier
from hive_views.spec.metadata import ViewMetadata
from hive_views.spec.serde import metadata_directory, next_location, sequence_number
from hive_views.views.commit import ViewCommits, stamped
from hive_views.views.exclusive import Protection
from hive_views.views.loading import SameView
from hive_views.views.lost_row import foreign_parameters, gone_on_from
from hive_views.views.on_drift import Drift, refuse_drift
from hive_views.views.outcome import refuse_taken
from hive_views.views.partition_orphans import drop_orphans
from hive_views.views.plain_view import PlainView, plain_view_of
from hive_views.views.projection import project
from hive_views.views.released_row import half_released, is_half_released, released
from hive_views.views.view import View, check_iceberg_view, is_lost

log = logging.getLogger("hive_views.views.commit")

Check = Callable[[PlainView], None]
"""Raises where a plain view must not be adopted."""


class ViewOperations(ViewCommits):
    """All that is done to views on one metastore and one storage; thread-safe."""

    def create(self, identifier: TableIdentifier, metadata: ViewMetadata) -> View:
        """Write the first file of a view and create its row.

        Raises:
            AlreadyExistsError, NoSuchNamespaceError, CommitStateUnknownError, UnavailableError
        """
        commit_id = self.settings.new_uuid()
        metadata = stamped(self._of_new_row(metadata, identifier), commit_id)
        location = next_location(metadata, None, commit_id)
        row = self._project(metadata, identifier, location, owns=True)
        with (
            self.exclusive.protect(identifier) as protection,
            self._writes.new_file(location, metadata, commit_id) as file,
        ):
            self._writes.create_row(row, file, protection)
        return self._committed(row, metadata, None)

    def create_from(
        self, identifier: TableIdentifier, metadata: ViewMetadata, found: Row, former: ViewMetadata
    ) -> View:
        """Create a view whose metadata was another's, of this metastore or any other.

        Args:
            identifier: its name.
            metadata: as it is to be, at a location of its own.
            found: the row of the other one; its owner, and the parameters that foreign writers set, are taken over.
            former: the metadata that ``found`` stood for.

        Raises:
            AlreadyExistsError, NoSuchNamespaceError, CommitStateUnknownError, UnavailableError
        """
        metadata, location, commit_id = self._beside_others(metadata, None, identifier)
        foreign = {key: value for key, value in found.parameters.items() if not key.startswith(OWN_PREFIX)}
        row = project(
            metadata,
            identifier=identifier,
            location=location,
            previous_location=None,
            owner=metadata.properties.get(OWNER) or self.settings.owner,
            current=replace(found, parameters=foreign, native=None, create_time_s=0),
            replaced=former,
            owns=True,
        )
        with (
            self.exclusive.protect(identifier) as protection,
            self._writes.new_file(location, metadata, commit_id) as file,
        ):
            self._writes.create_row(row, file, protection)
        return self._committed(row, metadata, None)

    def register(self, identifier: TableIdentifier, location: str) -> View:
        """Create a row that points to a copy of a metadata file, which is left to whoever has it.

        Raises:
            AlreadyExistsError, NoSuchNamespaceError, CorruptMetadataError, CommitStateUnknownError, UnavailableError
        """
        former = self.storage.read(location, cached=False)
        metadata, copy, commit_id = self._beside_others(former, location, identifier)
        row = self._project(metadata, identifier, copy, owns=True)
        with (
            self.exclusive.protect(identifier) as protection,
            self._writes.new_file(copy, metadata, commit_id) as file,
            self._taking_over(former, metadata, row, file),
        ):
            self._writes.create_row(row, file, protection)
        return self._committed(row, metadata, None)

    def register_over(self, identifier: TableIdentifier, location: str) -> View:
        """Make the view row that has the name point to a copy of a metadata file, whatever it was before.

        Raises:
            NoSuchViewError, CorruptMetadataError, CommitFailedError, CommitStateUnknownError, UnavailableError
        """
        former = self.storage.read(location, cached=False)
        metadata, copy, commit_id = self._beside_others(former, location, identifier)
        return self._put_over(identifier, metadata, copy, commit_id, former)

    def bring_back(self, identifier: TableIdentifier, location: str, on_drift: Drift) -> View:
        """Make a view row that has lost its file point to a copy of it.

        Raises:
            AlreadyExistsError: the row has not lost its file, or is a table.
            ViewDriftedError: it says something else, and nobody has decided about that.
            NoSuchViewError, CorruptMetadataError, CommitFailedError, CommitStateUnknownError, UnavailableError
        """
        former = self.storage.read(location, cached=False)
        current = self.reader.load_row(identifier)
        if not is_lost(current):
            refuse_taken(current)
        now_ms = max([self.settings.clock_ms(), *(entry.timestamp_ms for entry in former.version_log)])
        gone_on = gone_on_from(current, location, former, on_drift, now_ms)
        metadata, copy, commit_id = self._beside_others(gone_on, location, identifier)
        return self._put_over(identifier, metadata, copy, commit_id, former, expected=current)

    def replace_lost(self, identifier: TableIdentifier, metadata: ViewMetadata) -> View:
        """Make the view row that has the name one of this metadata, whatever file it pointed to, which is not read.

        Raises:
            NoSuchViewError, CommitFailedError, CommitStateUnknownError, UnavailableError
            InvalidSchemaError: the row has partitions, and the metadata has other partition columns.
        """
        metadata, location, commit_id = self._beside_others(metadata, None, identifier)
        return self._put_over(identifier, metadata, location, commit_id, metadata)

    def _put_over(
        self,
        identifier: TableIdentifier,
        metadata: ViewMetadata,
        location: str,
        commit_id: str,
        former: ViewMetadata,
        *,
        expected: Row | None = None,
    ) -> View:
        with self.exclusive.protect_swap(identifier) as protection:
            current = self.reader.load_row(identifier)
            if expected is not None and current != expected:
                raise CommitFailedError(
                    f"{identifier} was changed by another writer meanwhile, so that nothing was done. Do it again.",
                    answer=Answer.NOT_SENT,
                    identifier=str(identifier),
                )
            row = replace(self._project(metadata, identifier, location, owns=True), native=current.native)
            if expected is not None:
                row = replace(row, parameters={**foreign_parameters(current), **row.parameters})
            row = replace(row, owner=current.owner or row.owner, create_time_s=current.create_time_s)
            self._refuse_orphaned_partitions(identifier, current.partition_keys, row)
            declared = self.metastore.partition_names(identifier) if current.partition_keys else ()
            with (
                self._writes.new_file(location, metadata, commit_id) as file,
                self._taking_over(former, metadata, row, file, declared),
            ):
                compared = POINTER if POINTER in current.parameters else DDL_TIME
                self._writes.swap_row(current, row, protection, file, parameter=compared)
        return self._committed(row, metadata, None)

    def _beside_others(
        self, metadata: ViewMetadata, base_location: str | None, identifier: TableIdentifier
    ) -> tuple[ViewMetadata, str, str]:
        """The metadata of a file as it is written for a new row, where, and the id of that commit.

        No two rows point to one file, so that each of them can be purged whatever becomes of the other.
        """
        commit_id = self.settings.new_uuid()
        copy = stamped(self._of_new_row(metadata, identifier), commit_id)
        files = [
            *([base_location] if base_location else []),
            *self.storage.list_metadata_files(metadata_directory(copy)),
        ]
        return copy, _after_all(files, copy, commit_id), commit_id

    def adopt(self, identifier: TableIdentifier, location: str, judged: PlainView | None, check: Check) -> View:
        """Make a plain view one of ours where it is; only parameters of ours are added to its row.

        A server that checks swaps compares the time of the row's last change, which every engine sets: no lock is
        needed, because no writer of plain views takes one. Two changes in one second bear the same time, so that the
        row is read again right before the swap.

        Args:
            identifier: the view.
            location: the directory for its metadata files.
            judged: what its row was when it was read.
            check: called where there are metadata files already; raises where the view must not be adopted.

        Raises:
            NoSuchViewError, NotAdoptableError, BrokenViewError, CommitFailedError, CommitStateUnknownError,
            UnavailableError, and whatever ``check`` raises.
        """
        once = partial(self._adopt_once, identifier, location, judged, check)
        protect = partial(self.exclusive.protect_plain_view, identifier)
        try:
            return self._again_after_lost_races(once, protect)
        except UnsupportedFeatureError:
            if self.exclusive.mode == "never" or self.metastore.capabilities().compares_pointers is not False:
                raise
            # It has just been found out that only a lock protects here.
            return self._again_after_lost_races(once, protect)

    def _adopt_once(
        self,
        identifier: TableIdentifier,
        location: str,
        judged: PlainView | None,
        check: Check,
        protection: Protection,
    ) -> View:
        current = self.reader.load_row(identifier)
        plain = judged if judged and current == judged.row else plain_view_of(current)
        begun, file_location, commit_id = self._begun(plain, location, check)
        metadata = stamped(self._of_new_row(begun, identifier), commit_id)
        row = self._project_over(current, metadata, file_location, owns=True)
        declared = self.metastore.partition_names(identifier) if current.partition_keys else ()
        with self._writes.new_file(file_location, metadata, commit_id) as file, ExitStack() as beside:
            if declared:
                beside.enter_context(self._taking_over(begun, metadata, row, file, declared))
            self._writes.swap_row(current, row, protection, file, parameter=DDL_TIME)
        log.info("adopted %s: %s", identifier, file_location)
        return View(identifier, metadata, file_location, row)

    def would_adopt(self, plain: PlainView, location: str, check: Check) -> View:
        """The view that ``adopt`` would make; no call to the metastore is made, and nothing is written.

        Raises:
            BrokenViewError, StorageUnavailableError, and whatever ``check`` raises.
        """
        metadata, file_location, _ = self._begun(plain, location, check)
        row = self._project_over(plain.row, metadata, file_location, owns=False)
        return View(plain.row.identifier, metadata, file_location, row)

    def _begun(self, plain: PlainView, location: str, check: Check) -> tuple[ViewMetadata, str, str]:
        """The metadata of a plain view before it has a row, where its file goes, and the id of that commit."""
        commit_id = self.settings.new_uuid()
        metadata = plain.metadata(location, view_uuid=self.settings.new_uuid(), now_ms=self.settings.clock_ms())
        files = self.storage.list_metadata_files(metadata_directory(metadata))
        if files:
            check(plain)
        return metadata, _after_all(files, metadata, commit_id), commit_id

    def _project_over(self, current: Row, metadata: ViewMetadata, location: str, *, owns: bool) -> Row:
        """The row of a view of ours in the place of a plain one."""
        return project(
            metadata,
            identifier=current.identifier,
            location=location,
            previous_location=None,
            owner=self.settings.owner,
            current=current,
            owns=owns,
        )

    def release(self, identifier: TableIdentifier) -> Row:
        """Make a view a plain one again, in two swaps; its files and partitions stay.

        The first swap is checked by the pointer, and leaves a row that is none of ours to everybody; a parameter that
        is compared cannot go at once, so that the second one takes the pointer away. Killed between them, the view is a
        plain one, and releasing it again ends the work.

        Raises:
            NoSuchViewError, NoSuchIcebergViewError, CommitFailedError, CommitStateUnknownError, UnavailableError
        """
        protect = partial(self.exclusive.protect_swap, identifier)
        return self._again_after_lost_races(partial(self._release_once, identifier), protect)

    def _release_once(self, identifier: TableIdentifier, protection: Protection) -> Row:
        row = self.reader.load_row(identifier)
        if not is_half_released(row):
            check_iceberg_view(row)
            if PENDING_KEYS in row.parameters:
                row = self._put_keys_back(self.reader.view_of(row), protection).row
            half = half_released(self._as_read(row))
            if POINTER in row.parameters:
                self._writes.swap_row(row, half, protection, None)
                row = self.reader.load_row(identifier)
                if not is_half_released(row):
                    raise CommitFailedError(
                        f"{identifier} was changed by another writer while it was being released. Release it again.",
                        identifier=str(identifier),
                    )
                half = row
        else:
            half = row
        plain = released(half)
        self._writes.swap_row(row, plain, protection, None, parameter=DDL_TIME)
        log.info("released %s", identifier)
        return plain

    def _as_read(self, row: Row) -> Row:
        """The row that readers should have: repaired, where another engine has spoilt it, else as it is."""
        try:
            view = self.reader.view_of(row)
        except (CorruptMetadataError, NoSuchIcebergViewError) as e:
            log.warning("view %s is released as its row is: %s", row.identifier, e)
            return row
        if not view.differences or any(one.kind == "drifted" for one in view.differences):
            return row
        return self._project(view.metadata, view.identifier, view.metadata_location, view)

    def rename(self, identifier: TableIdentifier, to: TableIdentifier) -> View:
        """Give a view another name; its partitions, its file and its directory stay.

        Raises:
            NoSuchViewError, AlreadyExistsError, NoSuchNamespaceError, ViewDriftedError, CommitFailedError,
            CommitStateUnknownError, UnavailableError
        """
        is_same = SameView(identifier)
        return self._again_after_lost_races(
            lambda protection: self._rename_once(identifier, to, is_same, protection),
            partial(self.exclusive.protect_swap, identifier, to),
        )

    def _rename_once(
        self, identifier: TableIdentifier, to: TableIdentifier, is_same: SameView, protection: Protection
    ) -> View:
        seen = self.reader.read(identifier)
        view = is_same.check(seen.view)
        if any(difference.kind == "drifted" for difference in view.differences):
            refuse_drift(view, 0)
        row = self._project(view.metadata, to, view.metadata_location, view)
        self._ensure_unchanged(seen)
        self._writes.rename_row(view.row, row, protection)
        log.info("renamed %s to %s", identifier, to)
        return View(to, view.metadata, view.metadata_location, row)

    def drop(self, identifier: TableIdentifier) -> None:
        """Drop a view's row and partitions; its files stay, and need not be readable.

        Raises:
            NoSuchViewError, NoSuchIcebergViewError, CommitStateUnknownError, UnavailableError
        """
        with self.exclusive.protect(identifier) as protection:
            row = self.reader.load_row(identifier)
            check_iceberg_view(row)
            if PENDING_KEYS in row.parameters:
                # A metastore cannot drop partitions whose values do not fit the keys of the row.
                row = self._put_keys_back(self.reader.view_of(row), protection).row
            self._drop_row(row, protection)
        log.info("dropped %s; its last file is %s", identifier, row.parameters.get(POINTER))

    def drop_to_purge(self, identifier: TableIdentifier) -> View:
        """Drop a view in such a way that it is certain which one was dropped: the one that is returned.

        A drop is by name, and a name that is free after a lost answer may be that of a view that was renamed away. So
        the view gets a name first that nobody else knows, by a swap that is refused where another view has its name.

        Raises:
            NoSuchViewError, CorruptMetadataError, CommitFailedError, UnavailableError
            CommitStateUnknownError: nothing of its files may be deleted.
        """
        is_same = SameView(identifier)
        return self._again_after_lost_races(
            lambda protection: self._drop_to_purge_once(identifier, is_same, protection),
            partial(self.exclusive.protect_swap, identifier),
        )

    def _drop_to_purge_once(self, identifier: TableIdentifier, is_same: SameView, protection: Protection) -> View:
        view = is_same.check(self.reader.read(identifier).view)
        if PENDING_KEYS in view.row.parameters:
            view = self._put_keys_back(view, protection)
        name = _dropped_name(identifier, self.settings.new_uuid())
        known_to_us = replace(view.row, identifier=name, location=None)
        try:
            self._writes.rename_row(view.row, known_to_us, protection)
        except CommitStateUnknownError as failure:
            message = f"{failure.message} It was to be renamed to {name} before it is dropped; no file was deleted."
            raise replace(failure, message=message, renamed_to=str(name)) from failure
        try:
            # Nobody waits for a lock of this name.
            self._drop_row(known_to_us, Protection())
        except HiveViewsError as failure:
            message = (
                f"{identifier} was renamed to {name} to be purged, and dropping that failed. No file was deleted; drop "
                f"{name}, or rename it back. {failure.message}"
            )
            if isinstance(failure, CommitStateUnknownError):
                failure = replace(failure, renamed_to=str(name))
            raise replace(failure, message=message, identifier=str(name)) from failure
        log.info("dropped %s; its last file is %s", identifier, view.metadata_location)
        return view

    def _drop_row(self, row: Row, protection: Protection) -> None:
        # A Hive 2.3 never ends a drop of a view with partitions that have other keys, and blocks all who write.
        drop_orphans(self.metastore, row)
        self._writes.drop_row(row, protection)


def _after_all(files: Sequence[str], metadata: ViewMetadata, commit_id: str) -> str:
    """Where a file goes: after all that are there, so that the last of several lives has the highest number."""
    last = max(files, key=lambda file: sequence_number(file) or 0, default=None)
    return next_location(metadata, last, commit_id)


def _dropped_name(identifier: TableIdentifier, new_uuid: str) -> TableIdentifier:
    suffix = f"_dropped_{new_uuid.replace('-', '')[:8]}"
    return TableIdentifier(identifier.namespace, identifier.name[: LONGEST - len(suffix)] + suffix)
