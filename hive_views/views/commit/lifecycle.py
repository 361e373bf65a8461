"""Where a view's row begins, moves and ends: creating, registering, renaming and dropping.

No two rows point to one file: a row that is registered points to a copy, so that each can be purged whatever becomes of
the other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from types import MappingProxyType

from hive_views.errors import CommitStateUnknownError, HiveViewsError, NoSuchIcebergViewError, ReplacedViewError
from hive_views.hive.row import DDL_TIME, OWNER, POINTER, Row
from hive_views.messages.logs import logger_of
from hive_views.persisted import OWN_PREFIX, PENDING_KEYS
from hive_views.spec.identifiers import MAX_NAME_LENGTH, TableIdentifier
from hive_views.spec.metadata import ViewMetadata
from hive_views.spec.serde import metadata_directory, next_location
from hive_views.storage.metadata_files import Listed, is_metadata_file
from hive_views.views import remedies
from hive_views.views.changes.lost_row import foreign_parameters, gone_on_from
from hive_views.views.changes.on_drift import Drift, refuse_drift
from hive_views.views.changes.relocation import owned_as, with_storage_of
from hive_views.views.commit.adoption import PlainViews, after_all
from hive_views.views.commit.inherited_metadata import directories_taken_over
from hive_views.views.commit.loading import SameView
from hive_views.views.commit.locking import Protection
from hive_views.views.commit.outcome import refuse_taken, stamped
from hive_views.views.commit.partition_orphans import drop_orphans
from hive_views.views.row.file_references import without_files
from hive_views.views.row.projection import project
from hive_views.views.view import View, check_iceberg_view, is_lost

log = logger_of("hive_views.views.commit.engine")

Recorded = Callable[[ViewMetadata], ViewMetadata]
"""From the metadata of a file to those of its copy, which say something more."""


class ViewOperations(PlainViews):
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
            self.whereabouts.following(identifier, metadata, file),
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
            found: the row of the other one; its owner, and the parameters that foreign writers set, are taken over, but
                for those that say where a table has files.
            former: the metadata that ``found`` stood for.

        Raises:
            AlreadyExistsError, NoSuchNamespaceError, CommitStateUnknownError, UnavailableError
        """
        metadata, location, commit_id, _ = self._beside_others(owned_as(found, metadata), None, identifier)
        kept = without_files(found).parameters
        foreign = {key: value for key, value in kept.items() if not key.startswith(OWN_PREFIX)}
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
            self.whereabouts.following(identifier, metadata, file),
        ):
            self._writes.create_row(row, file, protection)
        return self._committed(row, metadata, None)

    def create_plain(self, row: Row) -> None:
        """Create the row of a plain view as it was found elsewhere, but for what points to files.

        Raises:
            AlreadyExistsError, NoSuchNamespaceError, CommitStateUnknownError, UnavailableError
        """
        with self.exclusive.protect(row.identifier) as protection:
            self._writes.create_row(without_files(row), None, protection)

    def register(
        self,
        identifier: TableIdentifier,
        location: str,
        recorded: Recorded = lambda former: former,
        declared: Collection[str] | None = None,
        read: ViewMetadata | None = None,
    ) -> View:
        """Create a row that points to a copy of a metadata file, which is left to whoever has it.

        The copy is as ``recorded`` makes it. Where it is known which partitions were ``declared`` in the end, the
        journal begins with these. What was ``read`` of the file a while ago is not read again if it is still there.

        Raises:
            AlreadyExistsError, NoSuchNamespaceError, CorruptMetadataError, CommitStateUnknownError, UnavailableError
        """
        former = with_storage_of(location, read or self.storage.read(location, cached=False))
        with self.exclusive.protect(identifier) as protection:
            metadata, copy, commit_id, listed = self._beside_others(recorded(former), location, identifier, former)
            self._ensure_there(location, listed)
            row = self._project(metadata, identifier, copy, owns=True)
            is_all = declared is not None
            with (
                self._writes.new_file(copy, metadata, commit_id) as file,
                self.whereabouts.following(identifier, metadata, file),
                self._taking_over(former, metadata, row, file, declared or (), is_all=is_all, listed=listed),
            ):
                self._writes.create_row(row, file, protection)
        return self._committed(row, metadata, None)

    def register_over(
        self,
        identifier: TableIdentifier,
        location: str,
        recorded: Recorded = lambda former: former,
        expected: Row | None = None,
    ) -> View:
        """Make the view row that has the name point to a copy of a metadata file, whatever it was before.

        The copy is as ``recorded`` makes it. Where a row is ``expected``, no other one is replaced.

        Raises:
            NoSuchViewError, CorruptMetadataError, CommitFailedError, CommitStateUnknownError, UnavailableError
        """
        former = with_storage_of(location, self.storage.read(location, cached=False))
        return self._put_over(identifier, recorded(former), location, former, expected)

    def bring_back(self, judged: Row, location: str, former: ViewMetadata, on_drift: Drift) -> View:
        """Make a view row that has lost its file point to a copy of it.

        Args:
            judged: the row, as it was when the file was found; nothing that it says since is overwritten.
            location: of the file.
            former: what was read of it, which is not read again if it is still there.
            on_drift: about what the row says besides.

        Raises:
            AlreadyExistsError: the row has not lost its file, or is a table.
            ViewDriftedError: it says something else, and nobody has decided about that.
            NoSuchViewError, CorruptMetadataError, CommitFailedError, CommitStateUnknownError, UnavailableError
        """
        identifier = judged.identifier
        current = self.reader.load_row(identifier)
        if not is_lost(current):
            refuse_taken(current)
        if on_drift == "overwrite":
            current = self.reader.load_row_again(judged)
        now_ms = max([self.settings.clock_ms(), *(entry.timestamp_ms for entry in former.version_log)])
        gone_on = gone_on_from(current, location, former, on_drift, now_ms)
        return self._put_over(identifier, gone_on, location, former, current, foreign_parameters(current))

    def replace_lost(self, identifier: TableIdentifier, metadata: ViewMetadata, expected: Row) -> View:
        """Make a view row one of this metadata, whatever file it pointed to, which is not read.

        Args:
            identifier: the view.
            metadata: what it is to be.
            expected: its row, as it was when it was found that its file cannot be read.

        Raises:
            NoSuchViewError, CommitStateUnknownError, UnavailableError
            CommitFailedError: it has another row by now.
            InvalidSchemaError: the row has partitions, and the metadata has other partition columns.
        """
        return self._put_over(identifier, metadata, None, None, expected)

    def _put_over(
        self,
        identifier: TableIdentifier,
        metadata: ViewMetadata,
        base_location: str | None,
        former: ViewMetadata | None,
        expected: Row | None = None,
        foreign: Mapping[str, str] = MappingProxyType({}),
    ) -> View:
        """Make a row that has the name one of a copy of this metadata, with these ``foreign`` parameters.

        Args:
            identifier: the name.
            metadata: for the row.
            base_location: the file that it was read from.
            former: what was in that file; the row takes over what belongs to it.
            expected: the row that has the name.
            foreign: parameters that the row gets besides.

        Raises:
            CommitFailedError: it is not the ``expected`` one, or was changed since it was read.
        """
        with self.exclusive.protect_swap(identifier) as protection:
            metadata, location, commit_id, listed = self._beside_others(metadata, base_location, identifier, former)
            if base_location is not None:
                self._ensure_there(base_location, listed)
            current = expected or self.reader.load_row(identifier)
            if not current.is_view:
                refuse_taken(current)
            metadata = owned_as(current, metadata)
            row = self._project(metadata, identifier, location, owns=True)
            row = replace(row, parameters={**foreign, **row.parameters})
            row = replace(row, owner=current.owner or row.owner, create_time_s=current.create_time_s)
            self._refuse_orphaned_partitions(identifier, current.partition_keys, row)
            declared = self.reader.partition_names(current)
            with (
                self._writes.new_file(location, metadata, commit_id) as file,
                self.whereabouts.following(identifier, metadata, file),
                self._taking_over(former or metadata, metadata, row, file, declared, listed=listed),
            ):
                # Writing the files may have taken long.
                self._refuse_orphaned_partitions(identifier, current.partition_keys, row)
                # No writer swaps the pointer of a row that nobody takes for a view with a file.
                compared = DDL_TIME if is_lost(current) else POINTER
                self._swap_judged(current, row, protection, file, parameter=compared)
        return self._committed(row, metadata, None)

    def _beside_others(
        self,
        metadata: ViewMetadata,
        base_location: str | None,
        identifier: TableIdentifier,
        former: ViewMetadata | None = None,
    ) -> tuple[ViewMetadata, str, str, Listed]:
        """The metadata of a file as it is written for a new row, where, the id of that commit, and what is in its
        directory and in those that it takes over from the ``former`` one.

        No two rows point to one file, so that each of them can be purged whatever becomes of the other.
        """
        commit_id = self.settings.new_uuid()
        copy = stamped(self._of_new_row(metadata, identifier, base_location), commit_id)
        directory = metadata_directory(copy)
        listed = self.storage.list_together((directory, *(directories_taken_over(former) if former else ())))
        # After all that are there: of a view that was dropped twice the later life has the higher number.
        files = [info.location for info in listed[directory] if is_metadata_file(info.location)]
        files += [base_location] if base_location else []
        return copy, after_all(files, copy, commit_id), commit_id, listed

    def _ensure_there(self, location: str, listed: Listed) -> None:
        """
        Raises:
            CorruptMetadataError, StorageUnavailableError: of a file that was read there is none any more.
        """
        if not any(info.location == location for infos in listed.values() for info in infos):
            self.storage.read(location, cached=False)

    def rename(
        self,
        identifier: TableIdentifier,
        to: TableIdentifier,
        parameters: Mapping[str, str] | None = None,
        is_meant: Callable[[Row], bool] = lambda _: True,
    ) -> View:
        """Give a view another name; its partitions, its file and its directory stay.

        The row is given ``parameters`` beside its own.

        Raises:
            ReplacedViewError: the row that has the name is none that is meant.
            NoSuchViewError, AlreadyExistsError, NoSuchNamespaceError, ViewDriftedError, CommitFailedError,
            CommitStateUnknownError, UnavailableError
        """
        is_same = SameView(identifier)
        return self._again_after_lost_races(
            lambda protection: self._rename_once(identifier, to, parameters or {}, is_same, is_meant, protection),
            partial(self.exclusive.protect_swap, identifier, to),
        )

    def _rename_once(
        self,
        identifier: TableIdentifier,
        to: TableIdentifier,
        parameters: Mapping[str, str],
        is_same: SameView,
        is_meant: Callable[[Row], bool],
        protection: Protection,
    ) -> View:
        seen = self.reader.read(identifier)
        view = is_same.check(seen.view)
        _refuse_another(view.row, is_meant)
        if any(difference.kind == "drifted" for difference in view.differences):
            refuse_drift(view, 0)
        row = self._project(view.metadata, to, view.metadata_location, view)
        row = replace(row, parameters={**row.parameters, **parameters})
        with self.whereabouts.renaming(view, to):
            self._ensure_unchanged(seen)
            self._writes.rename_row(view.row, row, protection)
        log.info("renamed %s to %s", identifier, to)
        return View(to, view.metadata, view.metadata_location, row)

    def drop(self, identifier: TableIdentifier, is_meant: Callable[[Row], bool] = lambda _: True) -> None:
        """Drop a view's row and partitions; its files stay, and need not be readable.

        Which of them is the last, and which partitions were declared, is noted before, so that nothing of it has to be
        guessed when the view is brought back.

        Raises:
            StorageUnavailableError: that cannot be noted; nothing was done.
            ReplacedViewError: the row that has the name is none that is meant.
            NoSuchViewError, NoSuchIcebergViewError, CommitStateUnknownError, UnavailableError
        """
        with self.exclusive.protect(identifier) as protection:
            row = self.reader.load_row(identifier)
            _refuse_another(row, is_meant)
            with _refusing_plain():
                check_iceberg_view(row)
            if PENDING_KEYS in row.parameters:
                # A metastore cannot drop partitions whose values do not fit the keys of the row.
                row = self._put_keys_back(self.reader.view_of(row), protection).row
            declared = self._without_orphans(row)
            noted = declared if row.partition_keys else None
            with self.whereabouts.ending(row, "drop", partitions=noted, is_locked=bool(protection.locks)):
                self._writes.drop_row(row, protection)
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
        with _refusing_plain():
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
            self._without_orphans(known_to_us)
            self._writes.drop_row(known_to_us, Protection())
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

    def _without_orphans(self, row: Row) -> Sequence[str]:
        """The names of a row's partitions, without those of other keys, which are dropped.

        A Hive 2.3 never ends a drop of a view that has such, and blocks all who write.
        """
        names = self.metastore.partition_names(row.identifier)
        orphans = drop_orphans(self.metastore, row, names)
        return [name for name in names if name not in orphans] if orphans else names


@contextmanager
def _refusing_plain() -> Iterator[None]:
    """Say in the error for a plain view who drops it: one that contradicts itself cannot even be adopted.

    Raises:
        NoSuchIcebergViewError: as raised inside.
    """
    try:
        yield
    except NoSuchIcebergViewError as error:
        if error.remedy != remedies.adopt(str(error.identifier)):
            raise
        drop = "Only views of this library are dropped here. Drop it in Hive or Spark, or adopt it first:"
        raise replace(error, message=f"{error.message} {drop}") from error


def _refuse_another(row: Row, is_meant: Callable[[Row], bool]) -> None:
    if not is_meant(row):
        raise ReplacedViewError(f"{row.identifier} now refers to a different view.", identifier=str(row.identifier))


def _dropped_name(identifier: TableIdentifier, new_uuid: str) -> TableIdentifier:
    suffix = f"_dropped_{new_uuid.replace('-', '')[:8]}"
    return TableIdentifier(identifier.namespace, identifier.name[: MAX_NAME_LENGTH - len(suffix)] + suffix)
