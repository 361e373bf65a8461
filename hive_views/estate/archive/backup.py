"""Backing up: rows, metadata files and partitions of many views into one archive.

Each view is consistent in itself: the row is read again after the file that it points to and the partitions, and must
be unchanged. The archive is written to the local disk first and gets its name only when it is complete, so an
interrupted backup changes nothing.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, nullcontext, suppress
from dataclasses import dataclass, replace
from importlib.metadata import version as installed_version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hive_views.errors import (
    BrokenViewError,
    CommitFailedError,
    CorruptMetadataError,
    HiveViewsError,
    InvalidInputError,
    NoSuchTableError,
    NoSuchViewError,
)
from hive_views.estate.archive.earlier_archives import check_base, held_views, lost_views
from hive_views.estate.archive.manifest import ArchivedView, EarlierArchive, Manifest
from hive_views.estate.archive.packing import ArchiveWriter, SpooledPartitions, spooled
from hive_views.estate.archive.rotation import ArchiveNames, Rotation, refuse_needed, rotate
from hive_views.estate.archive.verified_archive import Archive, archive_location, damage, open_archive
from hive_views.estate.each.outcomes import (
    OnOutcome,
    Outcome,
    Outcomes,
    State,
    each,
    ignore,
    in_sentences,
    is_unreachable,
)
from hive_views.estate.each.selection import ALL_VIEWS, select_names, select_rows
from hive_views.estate.transfer.snapshot import fitting_partitions
from hive_views.hive.row import POINTER, TABLE_TYPE, Row
from hive_views.messages.credentials import hide_credentials
from hive_views.messages.enumerated import first_of
from hive_views.persisted import PENDING_KEYS
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.serde import parse_metadata
from hive_views.storage.files import fetch_ahead
from hive_views.views import remedies
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.rows_in_bulk import ROWS_IN_A_CALL, rows_of_names
from hive_views.views.row.drift import is_as_written
from hive_views.views.row.released import is_half_released
from hive_views.views.view import has_lost_pointer, is_iceberg_view, pointer_of, view_at

# Each look but the first is after a commit of somebody else.
_LOOKS = 10
_NAMED = 3


@dataclass(frozen=True)
class BackupOutcomes(Outcomes):
    """The result of a backup.

    Attributes:
        archive: where the archive is; None if none was written.
        archive_id: the id by which later archives refer to it; None likewise.
        gone: views of the earlier archive that no longer exist.
        left_as_it_was: why no archive was written; None if one was, and for a dry run.
        rotation: which archives were kept and deleted; None without ``keep``, and if a view failed.
    """

    archive: str | None = None
    archive_id: str | None = None
    gone: tuple[str, ...] = ()
    left_as_it_was: str | None = None
    rotation: Rotation | None = None

    def summary(self) -> str:
        """How many views are in which state, and what became of the archives."""
        said = super().summary()
        return said if self.rotation is None else f"{said} {self.rotation.summary(dry_run=self.dry_run)}"

    def document(self) -> dict[str, Any]:
        """All of it as JSON holds it, without a password of the archive's location."""
        return {
            **super().document(),
            "archive": None if self.archive is None else hide_credentials(self.archive),
            "archive_id": self.archive_id,
            "gone": list(self.gone),
            "left_as_it_was": self.left_as_it_was,
            "rotation": None if self.rotation is None else self.rotation.document(),
        }


def backup(
    catalog: ViewCatalog,
    archive: str,
    *patterns: str,
    base: str | None = None,
    keep: int | None = None,
    overwrite: bool = False,
    dry_run: bool = False,
    on_outcome: OnOutcome = ignore,
    since: str | None = None,
) -> BackupOutcomes:
    """Back up views into one archive, with their whole history and their partitions; plain views as their rows.

    Views that cannot be read are reported, and the others are backed up. An existing archive is replaced only if no
    view failed, because it may be the only copy of those that did.

    Args:
        catalog: where the views are.
        archive: the file to write, a path or any URI that fsspec knows.
        patterns: names, or patterns such as ``"sales.*"``; by default all views.
        base: an earlier archive. What has not changed since is only referred to, so ``restore`` needs that archive too.
            What it refers to in still earlier archives, and they no longer hold, is included again.
        keep: how many archives remain, the new one included. ``archive`` then has the date in its name, as in
            ``"s3://backups/views-%Y-%m-%d.zip"`` (UTC). If no view failed, and the new archive has been read back,
            older archives of the same name and the same ``patterns`` are deleted. Those in which a view failed do not
            count; those that a remaining one is based on are kept, and so is what is not a whole archive.
        overwrite: replace an existing archive.
        dry_run: read everything; write nothing.
        on_outcome: called with each outcome as soon as it is known.
        since: the former name of ``base``, deprecated.

    Raises:
        InvalidInputError: ``archive`` would replace an archive that it or, with ``keep``, another one needs, or is in a
            local directory that does not exist; a pattern is invalid; or ``keep`` is less than 1, or ``archive`` then
            has no date in its name.
        AlreadyExistsError: the file ``archive`` exists, and ``overwrite`` is not set.
        NotFoundError: there is no archive ``base``, no view that matches a pattern, or no such namespace.
        CorruptArchiveError: the archive ``base`` is damaged.
        UnsupportedFeatureError: the archive ``base`` was written by a later release.
        StorageUnavailableError: the archive cannot be written, or ``base`` cannot be read.
    """
    if since is not None:
        warnings.warn("The argument since= of backup() is now called base=.", DeprecationWarning, stacklevel=2)
        base = base or since
    names = None if keep is None else ArchiveNames(archive)
    if keep is not None and keep < 1:
        raise InvalidInputError(f"keep must be 1 or more, not {keep}.")
    target = names.at(catalog.settings.clock_ms()) if names else archive_location(archive)
    files = catalog.storage.files
    exists = files.check_destination(target, overwrite=overwrite)
    if names and exists:
        refuse_needed(names, target, files)
    selected = patterns or (ALL_VIEWS,)
    opened = nullcontext() if base is None else open_archive(archive_location(base), files)
    with opened as earlier, TemporaryDirectory() as directory:
        if earlier:
            check_base(earlier, target if exists else None, files)
        unreadable: dict[TableIdentifier, HiveViewsError] = {}
        rows = select_rows(catalog.metastore, selected, unreadable.__setitem__)
        path = Path(directory) / "archive.zip"
        lost = lost_views(earlier, selected, files) if earlier else {}
        run = _Run(catalog, earlier, lost, path, dry_run=dry_run)
        done = each(
            rows,
            lambda row: str(row.identifier),
            run.putting(rows),
            on_outcome,
            catalog,
            unreadable=unreadable,
        )
        found = Outcomes("backed up", done, dry_run)
        manifest = run.manifest(found, selected)
        reason = _reason_to_leave(found, manifest, target, exists=exists)
        outcomes = BackupOutcomes(*(found.verb, found.outcomes, dry_run), gone=manifest.gone, left_as_it_was=reason)
        if not (reason or dry_run):
            outcomes = replace(outcomes, archive=target, archive_id=run.writer.finish(manifest))
            with open_archive(str(path), files) as written:
                if damaged := written.damaged(written.manifest.members.values()):
                    raise damage(str(path), damaged)
            files.upload(path, target, overwrite=overwrite)
    if names is None or keep is None or reason or found.failed:
        return outcomes
    return replace(outcomes, rotation=rotate(names, manifest, outcomes.archive_id, target, keep, files))


def _reason_to_leave(found: Outcomes, manifest: Manifest, target: str, *, exists: bool) -> str | None:
    if found.of(State.NOT_TRIED):
        return "The metastore became unavailable, so no archive was written."
    if found.failed and exists:
        return (
            f"The archive {hide_credentials(target)} was left unchanged, because it may hold views that could not "
            f"be read now. Use another name to back up the other views."
        )
    return None if manifest.views else "There is nothing to back up."


@dataclass(frozen=True)
class _Read:
    """What was read of a view beside its file.

    Attributes:
        row: its row.
        partitions: those that were there after the row was read.
        orphans: names of partitions that do not fit it, and that nothing could declare again.
        is_certain: whether the row is known to have been the same after that.
    """

    row: Row
    partitions: SpooledPartitions
    orphans: tuple[str, ...] = ()
    is_certain: bool = False


class _Run:
    """One backup: what it knows of the earlier archive, and what it has put in by now.

    Args:
        catalog: where the views are.
        earlier: the archive that it is made since.
        lost: views whose content that archive does not lead to any more, and why.
        path: the file to write.
        dry_run: whether it will be thrown away.
    """

    def __init__(
        self, catalog: ViewCatalog, earlier: Archive | None, lost: Mapping[str, str], path: Path, *, dry_run: bool
    ) -> None:
        self._catalog = catalog
        self._earlier = earlier
        self._lost = lost
        self._began_at_ms = catalog.settings.clock_ms()
        self._done = State.PLANNED if dry_run else State.DONE
        self._known = held_views(earlier)
        self._views: list[ArchivedView] = []
        self.writer = ArchiveWriter(path, {name: one for name, one in self._known.items() if name not in lost})

    def putting(self, rows: Sequence[Row]) -> Callable[[Row], Outcome]:
        """What puts one view after the other into the archive; of the next ones the files are read meanwhile."""
        # Of a row that somebody else wrote, the file says whether it has drifted.
        known = [row for row in rows if self.writer.has_row(row) and is_as_written(row)]
        unneeded = {row.identifier for row in known}
        needed = [row for row in rows if is_iceberg_view(row) and row.identifier not in unneeded]
        contents = fetch_ahead(self._read, [row.parameters.get(POINTER, "") for row in needed])
        ahead = {row.identifier for row in needed}
        partitions = self._read_ahead(rows)

        def put(row: Row) -> Outcome:
            read = next(partitions)
            if not row.is_view:
                return Outcome(str(row.identifier), State.LEFT, f"It is a table ({row.table_type}).")
            found = next(contents) if row.identifier in ahead else None
            for _ in range(_LOOKS):
                outcome = self._put_unless_changed(row, read, found)
                if isinstance(outcome, Outcome):
                    return outcome
                row, read, found = outcome, None, None
            raise CommitFailedError(
                f"View {row.identifier} changed each of the {_LOOKS} times it was read. Try again.",
                identifier=str(row.identifier),
            )

        return put

    def manifest(self, found: Outcomes, patterns: Sequence[str]) -> Manifest:
        """What is in the archive when all views have been put in."""
        there = {one.view for one in found}
        held_by = {one.held_by for one in self._views}
        archives: list[EarlierArchive] = []
        if self._earlier:
            archives.append(EarlierArchive(id=self._earlier.id, location=hide_credentials(self._earlier.location)))
            archives += self._earlier.manifest.earlier
        return Manifest(
            created_at_ms=self._began_at_ms,
            created_by=f"hive_views {installed_version('hive_views')}",
            patterns=tuple(patterns),
            views=tuple(self._views),
            gone=tuple(name for name in select_names(self._known, patterns, missing_ok=True) if name not in there),
            failed={one.view: one.reason or "" for one in found.failed},
            left={one.view: one.reason or "" for one in found.of(State.LEFT)},
            earlier=tuple(one for one in archives if one.id in held_by),
        )

    def _read(self, location: str) -> bytes | HiveViewsError:
        try:
            return self._catalog.storage.read_bytes(location)
        except HiveViewsError as error:
            return error

    def _put_unless_changed(
        self, row: Row, read: _Read | HiveViewsError | None, found: bytes | HiveViewsError | None
    ) -> Outcome | Row:
        """What came of it; the row as it is now where that is another one."""
        with ExitStack() as spools:
            try:
                if PENDING_KEYS in row.parameters:
                    # A change of its columns was interrupted, which a load completes.
                    row, read, found = self._catalog.load_view(row.identifier).row, None, None
                read = read or self._read_partitions(row, spools)
                if isinstance(read, HiveViewsError):
                    raise read
                if not read.is_certain and (current := self._catalog.metastore.load_row(row.identifier)) != row:
                    return current
                return self._put(read, found)
            except (BrokenViewError, CorruptMetadataError, NoSuchTableError, NoSuchViewError):
                # Of a view that was changed or dropped meanwhile, the file may be gone; one may be being released.
                try:
                    current = self._catalog.metastore.load_row(row.identifier)
                except NoSuchTableError:
                    return Outcome(str(row.identifier), State.LEFT, "It was dropped or renamed in the meantime.")
                if current == row:
                    raise
                return current

    def _put(self, read: _Read, found: bytes | HiveViewsError | None) -> Outcome:
        row = read.row
        _refuse_unfinished(row)
        reasons: list[str] = []

        def metadata() -> bytes:
            location = pointer_of(row)
            content = self._read(location) if found is None else found
            if isinstance(content, HiveViewsError):
                raise content
            # What cannot be read is no backup of the view.
            view = view_at(row, parse_metadata(content, location))
            if drifted := [str(one) for one in view.differences if one.kind == "drifted"]:
                said = "; ".join(drifted)
                reasons.append(f"Its row differs from its metadata file, and a restore follows the file: {said}.")
            return content

        is_plain = not is_iceberg_view(row)
        archived = self.writer.add(row, None if is_plain else metadata, read.partitions)
        self._views.append(archived)
        if is_plain and not archived.held_by:
            reasons.append("It is a plain view.")
        if archived.held_by:
            if not is_plain and not is_as_written(row):
                # What the earlier archive has is whole, whatever became of the file.
                with suppress(HiveViewsError):
                    metadata()
            reasons.append("The earlier archive has it.")
        if archived.view in self._lost:
            reasons.append(self._lost[archived.view])
        if read.orphans:
            named = first_of(read.orphans, _NAMED)
            reasons.append(f"Partitions with other columns than the view were left out: {named}.")
        details = {"plain": is_plain, "partitions": archived.number_of_partitions}
        state = State.UNCHANGED if archived.held_by else self._done
        return Outcome(archived.view, state, in_sentences(*reasons), details=details)

    def _read_ahead(self, rows: Sequence[Row]) -> Iterator[_Read | HiveViewsError | None]:
        """What was read of each view, in their order; None where that is still to be done.

        A hundred views at a time, since one call shows of that many whether their rows are still the same.
        """
        for start in range(0, len(rows), ROWS_IN_A_CALL):
            batch = rows[start : start + ROWS_IN_A_CALL]
            with ExitStack() as spools:
                found: list[_Read | HiveViewsError | None] = []
                for row in batch:
                    found.append(self._read_partitions(row, spools))
                    if isinstance(found[-1], HiveViewsError) and is_unreachable(found[-1], self._catalog):
                        # The next view would wait for it in vain; where it answers by then, each is read by itself.
                        found += [None] * (len(batch) - len(found))
                        break
                partitioned = [row for row in batch if row.is_view and row.partition_keys]
                try:
                    # One that cannot be read any more fails when it is looked at by itself.
                    names = [row.identifier for row in partitioned]
                    now = rows_of_names(self._catalog.metastore, names, lambda *_: None)
                except HiveViewsError:
                    now = {}
                for row, read in zip(batch, found, strict=True):
                    if isinstance(read, _Read) and now.get(row.identifier) == row:
                        yield replace(read, is_certain=True)
                    else:
                        yield read

    def _read_partitions(self, row: Row, spools: ExitStack) -> _Read | HiveViewsError:
        """In an order that does not depend on the server; they are kept as long as ``spools``."""
        orphans: list[str] = []
        has_partitions = row.is_view and bool(row.partition_keys)
        partitions = fitting_partitions(self._catalog.metastore, row, orphans) if has_partitions else ()
        try:
            read = spools.enter_context(spooled(partitions))
        except HiveViewsError as error:
            return error
        # What has no partitions is one row, and files do not change.
        return _Read(row, read, tuple(orphans), is_certain=not has_partitions)


def _refuse_unfinished(row: Row) -> None:
    """
    Raises:
        BrokenViewError: the row is no view of ours any more, and not a plain one either; as that, its history would be
            left out of the archive, and what is restored from it would say that it owns the files of this one.
    """
    name = str(row.identifier)
    if is_half_released(row):
        raise BrokenViewError(
            f"Handing back {name} was interrupted: finish or undo it, then back up the view.",
            remedy=remedies.finish_release(name),
            identifier=name,
        )
    if has_lost_pointer(row):
        file = row.parameters.get(POINTER)
        raise BrokenViewError(
            f"The row of {name} shows that it was a managed view, but it has lost its parameter "
            f"{TABLE_TYPE if file else POINTER}: backed up as a plain view, it would lose its history.",
            remedy=remedies.register(name, file) if file else remedies.undrop(name),
            identifier=name,
        )
