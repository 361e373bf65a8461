"""Restoring: views come back from an archive, with history, uuid and partitions, and are compared with it.

A view that already equals the archive is left alone, so a later restore finishes an interrupted one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace

from hive_views.errors import (
    AlreadyExistsError,
    CommitFailedError,
    CorruptArchiveError,
    HiveViewsError,
    NoSuchTableError,
    NoSuchViewError,
    NotFoundError,
)
from hive_views.estate.archive.manifest import ArchivedView, EarlierArchive, Manifest
from hive_views.estate.archive.verified_archive import Archive, archive_location, damage, open_archive
from hive_views.estate.each.missing_namespaces import provide_namespaces
from hive_views.estate.each.outcomes import (
    OnOutcome,
    Outcome,
    Outcomes,
    State,
    each,
    ignore,
    in_sentences,
    written_at_once,
)
from hive_views.estate.each.selection import ALL_VIEWS, select_names
from hive_views.estate.transfer.importing import Importer, OnConflict, conflict_choice
from hive_views.estate.transfer.renaming import (
    checked_names,
    new_names,
    plain_with_other_namespaces,
    with_other_namespaces,
)
from hive_views.estate.transfer.snapshot import RowSnapshot, ViewSnapshot, plain_partition
from hive_views.messages.credentials import has_hidden_credentials
from hive_views.messages.remedy import Remedy
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.serde import parse_metadata
from hive_views.storage.files import Files
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.rows_in_bulk import rows_of_names
from hive_views.views.view import is_plain

_SKIP_DAMAGED = Remedy(
    in_python="Use another copy of it, or restore the undamaged views with skip_damaged=True.",
    in_shell="Use another copy of it, or restore the undamaged views with --skip-damaged.",
)


def restore(
    catalog: ViewCatalog,
    archive: str,
    *patterns: str,
    bases: Sequence[str] = (),
    names: Mapping[str, str] | None = None,
    metastore_catalogs: Sequence[str] = (),
    on_conflict: OnConflict = "refuse",
    partitions: bool = True,
    create_namespaces: bool = False,
    skip_damaged: bool = False,
    dry_run: bool = False,
    on_outcome: OnOutcome = ignore,
    if_exists: OnConflict | None = None,
) -> Outcomes:
    """Restore views from an archive that ``backup`` wrote, as they were then: history, uuid, properties, partitions.

    Their files go where this catalog puts those of new views. All checksums are verified before anything is written,
    and every view is read back and compared afterwards.

    Args:
        catalog: where the views are to be.
        archive: a path or any URI that fsspec knows.
        patterns: names, or patterns such as ``"sales.*"``; by default all views of the archive.
        bases: the earlier archives that it depends on, if they were moved.
        names: new names of databases by their old ones, also replaced in every text, plain views included. A view that
            gets another name gets another uuid.
        metastore_catalogs: what engines call the catalog that is the metastore, besides ``spark_catalog``, ``hive`` and
            the setting ``trino_catalog``: names in it are replaced too.
        on_conflict: what to do if the name is taken by something that differs from the archive.
        partitions: declare the partitions too.
        create_namespaces: create missing databases, where the metastore puts them.
        skip_damaged: restore the undamaged views although the archive, or an earlier one that it depends on, is damaged
            or missing.
        dry_run: verify the archive and report what would be done.
        on_outcome: called with each outcome as soon as it is known.
        if_exists: the former name of ``on_conflict``, deprecated.

    Raises:
        CorruptArchiveError: an archive is damaged, or is not one; nothing was written.
        UnsupportedFeatureError: it was written by a later release.
        NotFoundError: there is no such archive, one that it depends on is missing, no view in it matches a pattern, or
            (NoSuchNamespaceError) a database is missing.
        InvalidInputError: a pattern is invalid, or two views would get one name.
        StorageUnavailableError: the archive cannot be read.
    """
    choice = conflict_choice("restore", on_conflict, if_exists)
    importer = Importer(catalog, choice, with_partitions=partitions, dry_run=dry_run)
    with _opened(archive, bases, patterns or (ALL_VIEWS,), catalog.storage.files) as (found, views):
        for error in () if skip_damaged else found.lost.values():
            raise replace(error, message=f"{error.message} Nothing was written.")
        damaged = found.damaged(views)
        for id_, members in damaged.items():
            if members and not skip_damaged:
                raise damage(found.by_id[id_].location, members, _SKIP_DAMAGED)
        renaming = checked_names(names)
        catalogs = (*metastore_catalogs, *catalog.settings.trino_catalogs)
        targets = new_names((view.identifier for view in views), renaming)
        missing = provide_namespaces(
            catalog, targets.values(), renaming.values(), create=create_namespaces, dry_run=dry_run
        )
        there = [name for name in targets.values() if not dry_run or name.namespace not in missing]
        unreadable: dict[TableIdentifier, HiveViewsError] = {}
        rows = rows_of_names(catalog.metastore, there, unreadable.__setitem__)
        locations = catalog.engine.lookup.locations_of_new(there)

        def put(wanted: RowSnapshot, *, keep_uuid: bool) -> Outcome:
            name = wanted.identifier
            if name in unreadable:
                raise unreadable[name]
            location, before = locations.get(name, ""), rows.get(name)
            outcome: Outcome | HiveViewsError
            try:
                outcome = importer.put(wanted, before, location=location, keep_uuid=keep_uuid)
            except (AlreadyExistsError, NoSuchTableError, NoSuchViewError) as error:
                outcome = error
            if isinstance(outcome, HiveViewsError) or outcome.state in (State.UNCHANGED, State.LEFT):
                # All rows were read before the first view was written, and this one may be another or gone by now.
                now = rows_of_names(catalog.metastore, [name]).get(name)
                if now != before:
                    return importer.put(wanted, now, location=location, keep_uuid=keep_uuid)
            if isinstance(outcome, HiveViewsError):
                raise outcome
            return outcome

        def do(view: ArchivedView) -> Outcome:
            holder = found.holder(view)
            why = damaged[holder.id]
            if members := {one.name: why[one.name] for one in view.members if one.name in why}:
                raise damage(holder.location, members)
            archived = _snapshot(holder, view, with_partitions=partitions)
            if isinstance(archived, ViewSnapshot):
                wanted: RowSnapshot = with_other_namespaces(archived, renaming, catalogs)
            else:
                row = plain_with_other_namespaces(archived.row, renaming, catalogs)
                wanted = replace(archived, identifier=row.identifier, row=row)
            keep_uuid = wanted.identifier == view.identifier
            outcome = put(wanted, keep_uuid=keep_uuid)
            if outcome.state is State.DONE:
                _check(importer, wanted, keep_uuid=keep_uuid)
            return _named(outcome, view, archived, wanted.identifier)

        outcomes = each(
            views, lambda view: view.view, do, on_outcome, catalog, at_once=written_at_once(locations.values())
        )
        return Outcomes("restored", outcomes, dry_run)


def read_archive(catalog: ViewCatalog, archive: str, *patterns: str) -> Manifest:
    """The contents of an archive (a table in a notebook); its members are not verified.

    Args:
        catalog: whose storage is used; its metastore is not asked.
        archive: a path or any URI that fsspec knows.
        patterns: names, or patterns such as ``"sales.*"``; by default all views of the archive.

    Raises:
        InvalidInputError: a pattern is invalid.
        CorruptArchiveError: it is not an archive, was truncated, or its manifest is damaged.
        UnsupportedFeatureError: it was written by a later release.
        NotFoundError: it does not exist, or no view in it matches a pattern.
        StorageUnavailableError: it cannot be read.
    """
    with open_archive(archive_location(archive), catalog.storage.files) as opened:
        manifest = opened.manifest
    names = set(select_names([view.view for view in manifest.views], patterns or (ALL_VIEWS,), missing_ok=not patterns))
    return manifest.model_copy(update={"views": tuple(view for view in manifest.views if view.view in names)})


@dataclass(frozen=True)
class _Archives:
    """An archive, with the earlier ones that hold what had not changed, by their ids.

    Attributes:
        main: the archive itself.
        by_id: those that could be opened.
        lost: why the others could not.
    """

    main: Archive
    by_id: Mapping[str, Archive]
    lost: Mapping[str, HiveViewsError]

    def holder(self, view: ArchivedView) -> Archive:
        """
        Raises:
            NotFoundError, CorruptArchiveError: it could not be opened.
        """
        id_ = view.held_by or self.main.id
        if id_ in self.lost:
            raise self.lost[id_]
        return self.by_id[id_]

    def damaged(self, views: Sequence[ArchivedView]) -> dict[str, dict[str, str]]:
        """By archive, the members that are damaged: all of the archive itself, of earlier ones those of these views."""
        return {
            id_: archive.damaged(
                archive.manifest.members.values()
                if archive is self.main
                else [member for view in views if view.held_by == id_ for member in view.members]
            )
            for id_, archive in self.by_id.items()
        }


@contextmanager
def _opened(
    location: str, bases: Sequence[str], patterns: Sequence[str], files: Files
) -> Iterator[tuple[_Archives, list[ArchivedView]]]:
    """An archive with the earlier ones that it needs for the views that are selected."""
    with ExitStack() as stack:
        main = stack.enter_context(open_archive(archive_location(location), files))
        selected = set(select_names([view.view for view in main.manifest.views], patterns))
        views = [view for view in main.manifest.views if view.view in selected]
        needed = {view.held_by for view in views if view.held_by}
        opened, lost = {main.id: main}, {}
        for base in bases:
            archive = stack.enter_context(open_archive(archive_location(base), files))
            opened[archive.id] = archive
        for earlier in main.manifest.earlier:
            if earlier.id in needed and earlier.id not in opened:
                try:
                    opened[earlier.id] = stack.enter_context(_opened_earlier(main, earlier, files))
                except (NotFoundError, CorruptArchiveError) as error:
                    lost[earlier.id] = error
        yield _Archives(main, {id_: one for id_, one in opened.items() if id_ in {*needed, main.id}}, lost), views


@contextmanager
def _opened_earlier(main: Archive, earlier: EarlierArchive, files: Files) -> Iterator[Archive]:
    """
    Raises:
        NotFoundError: it is not where it was.
    """

    def missing(what: str) -> NotFoundError:
        return NotFoundError(
            f"The archive {main.location} depends on {earlier.location}, {what}.",
            remedy=Remedy(
                in_python="Pass its current location with bases=[...]; it holds the views that had not changed.",
                in_shell="Pass its current location with --base; it holds the views that had not changed.",
            ),
            location=earlier.location,
        )

    if has_hidden_credentials(earlier.location):
        raise missing("whose password is not stored")
    with ExitStack() as stack:
        try:
            archive = stack.enter_context(open_archive(earlier.location, files))
        except NotFoundError as e:
            raise missing("which does not exist") from e
        if archive.id != earlier.id:
            raise missing("which has been replaced")
        yield archive


def _snapshot(holder: Archive, view: ArchivedView, *, with_partitions: bool) -> RowSnapshot:
    """
    Raises:
        CorruptArchiveError: the archive has the row of another view, or of one that is not plain without its file.
    """
    row = holder.row(view)
    if row.identifier != view.identifier:
        raise damage(holder.location, {view.row.name: "it is the row of another view"})
    partitions = tuple(plain_partition(one) for _, one in holder.partitions(view)) if with_partitions else ()
    if view.metadata is not None:
        metadata = parse_metadata(holder.metadata(view), view.metadata_location or view.metadata.name)
        return ViewSnapshot(view.identifier, row, partitions, metadata=metadata)
    if not is_plain(row):
        raise damage(holder.location, {view.row.name: "it is not the row of a plain view"})
    return RowSnapshot(view.identifier, row, partitions)


def _named(outcome: Outcome, view: ArchivedView, archived: RowSnapshot, target: TableIdentifier) -> Outcome:
    """The outcome under the name that the archive has."""
    reason = in_sentences(f"Its name is {target}." if target != view.identifier else None, outcome.reason)
    details = {"plain": not view.metadata, "partitions": len(archived.partitions), "to": str(target)}
    return replace(outcome, view=view.view, reason=reason, details={**outcome.details, **details})


def _check(importer: Importer, wanted: RowSnapshot, *, keep_uuid: bool) -> None:
    """
    Raises:
        CommitFailedError: the view is not as the archive has it.
    """
    found = importer.verify([wanted], keep_uuid=keep_uuid)[wanted.identifier]
    if isinstance(found, HiveViewsError):
        raise found
    if found:
        raise CommitFailedError(
            f"{wanted.identifier} was restored, but differs from the archive: {'; '.join(found)}.",
            identifier=str(wanted.identifier),
        )
