"""Restoring: views come back from an archive, with history, uuid and partitions, and are compared with it.

A view that is there as the archive has it is left alone, so that an interrupted restore is finished by the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any

from hive_views.errors import (
    AlreadyExistsError,
    CommitFailedError,
    CorruptArchiveError,
    HiveViewsError,
    InvalidInputError,
    NoSuchTableError,
    NoSuchViewError,
    NotFoundError,
)
from hive_views.estate.archive.manifest import ArchivedView, EarlierArchive, Manifest
from hive_views.estate.archive.verified_archive import Archive, archive_location, damage, open_archive
from hive_views.estate.each.missing_namespaces import provide_namespaces
from hive_views.estate.each.outcomes import OnOutcome, Outcome, Outcomes, State, each, ignore, in_sentences
from hive_views.estate.each.selection import ALL_VIEWS, select_names
from hive_views.estate.transfer.importing import IfExists, place, verify
from hive_views.estate.transfer.importing_plain import place_plain
from hive_views.estate.transfer.renaming import (
    checked_names,
    plain_with_other_namespaces,
    renamed,
    with_other_namespaces,
)
from hive_views.estate.transfer.snapshot import PortableView, plain_partition
from hive_views.hive.row import Row
from hive_views.messages.credentials import has_hidden_credentials
from hive_views.messages.remedy import Remedy
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.serde import parse_metadata
from hive_views.storage.files import Files
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.readable_rows import rows_of_names
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
    if_exists: IfExists = "refuse",
    partitions: bool = True,
    create_namespaces: bool = False,
    skip_damaged: bool = False,
    dry_run: bool = False,
    on_outcome: OnOutcome = ignore,
) -> Outcomes:
    """Bring views back from an archive that ``backup`` wrote, as they were then: history, uuid, properties, partitions.

    They get files of their own where this catalog has new views. All checksums are verified before anything is written,
    and every view is read back and compared afterwards.

    Args:
        catalog: where the views are to be.
        archive: a path or any URI that fsspec knows.
        patterns: names, or patterns such as ``"sales.*"``; by default all views of the archive.
        bases: the earlier archives that it was made since, where they are not where they were then.
        names: new names of databases by their old ones, replaced in every text too, of plain views as well. A view that
            gets another name gets another uuid.
        metastore_catalogs: what engines call the catalog that is the metastore, beside ``spark_catalog`` and ``hive``:
            names there are replaced too.
        if_exists: what to do where the name is taken by something that is not as in the archive.
        partitions: declare the partitions too.
        create_namespaces: create databases that are missing, where the metastore puts them.
        skip_damaged: restore the views whose members are whole, although the archive is damaged, or an earlier one that
            it was made since is damaged or missing.
        dry_run: verify the archive and say what would be done.
        on_outcome: called with each outcome when it is there.

    Raises:
        CorruptArchiveError: an archive is damaged, or none; nothing was written.
        UnsupportedFeatureError: a later release wrote it.
        NotFoundError: there is no such archive, one that it needs is missing, it has no view that matches a pattern, or
            (NoSuchNamespaceError) a database is missing.
        InvalidInputError: a pattern is none, or two views would get one name.
        StorageUnavailableError: the archive cannot be read.
    """
    if if_exists not in ("refuse", "skip", "replace"):
        raise InvalidInputError(f"Cannot use {if_exists!r} as if_exists: it is refuse, skip or replace.")
    with _opened(archive, bases, patterns or (ALL_VIEWS,), catalog.storage.files) as (found, views):
        for error in () if skip_damaged else found.lost.values():
            raise replace(error, message=f"{error.message} Nothing was written.")
        damaged = found.damaged(views)
        for id_, members in damaged.items():
            if members and not skip_damaged:
                raise damage(found.by_id[id_].location, members, _SKIP_DAMAGED)
        new_names = checked_names(names)
        targets = _targets(views, new_names)
        named = new_names.values()
        missing = provide_namespaces(catalog, targets.values(), named, create=create_namespaces, dry_run=dry_run)
        there = [name for name in targets.values() if not dry_run or name.namespace not in missing]
        unreadable: dict[TableIdentifier, HiveViewsError] = {}
        rows = rows_of_names(catalog.metastore, there, unreadable.__setitem__)
        locations = catalog.engine.lookup.locations_of_new(there)

        def placed(put: Callable[[Row | None], Outcome], target: TableIdentifier) -> Outcome:
            outcome: Outcome | HiveViewsError
            if target in unreadable:
                raise unreadable[target]
            try:
                outcome = put(rows.get(target))
            except (AlreadyExistsError, NoSuchTableError, NoSuchViewError) as error:
                outcome = error
            if isinstance(outcome, HiveViewsError) or outcome.state in (State.UNCHANGED, State.LEFT):
                # All rows were read before the first view was written, and this one may be another or gone by now.
                now = rows_of_names(catalog.metastore, [target]).get(target)
                if now != rows.get(target):
                    return put(now)
            if isinstance(outcome, HiveViewsError):
                raise outcome
            return outcome

        def do(view: ArchivedView) -> Outcome:
            holder = found.holder(view)
            why = damaged[holder.id]
            if hurt := {one.name: why[one.name] for one in view.members if one.name in why}:
                raise damage(holder.location, hurt)
            row = holder.row(view)
            if row.identifier != view.identifier:
                raise damage(holder.location, {view.row.name: "it is the row of another view"})
            declared = {name: plain_partition(one) for name, one in holder.partitions(view)} if partitions else {}
            target = targets[view.view]
            keeps_name, details = target == view.identifier, {"plain": not view.metadata, "partitions": len(declared)}
            if view.metadata is None:
                if not is_plain(row):
                    raise damage(holder.location, {view.row.name: "it is not the row of a plain view"})
                row = plain_with_other_namespaces(row, new_names, metastore_catalogs)

                def put_plain(current: Row | None) -> Outcome:
                    wanted = declared if partitions else None
                    return place_plain(catalog, row, wanted, current, if_exists, dry_run=dry_run)

                return _named(placed(put_plain, target), view, target, details)
            wanted = PortableView(
                view.identifier,
                parse_metadata(holder.metadata(view), view.metadata_location or view.metadata.name),
                row,
                tuple(declared.values()),
            )
            wanted = with_other_namespaces(wanted, new_names, metastore_catalogs)

            def put(current: Row | None) -> Outcome:
                return place(
                    catalog,
                    wanted,
                    location=locations.get(target, ""),
                    current=current,
                    if_exists=if_exists,
                    keep_uuid=keeps_name,
                    with_partitions=partitions,
                    dry_run=dry_run,
                )

            outcome = placed(put, target)
            if outcome.state is State.DONE:
                _check(catalog, wanted, keep_uuid=keeps_name, with_partitions=partitions)
            return _named(outcome, view, target, details)

        return Outcomes("restored", each(views, lambda view: view.view, do, on_outcome, catalog.metastore), dry_run)


def read_archive(catalog: ViewCatalog, archive: str, *patterns: str) -> Manifest:
    """What is in an archive, a table in a notebook; its members are not verified.

    Args:
        catalog: whose storage is used; its metastore is not asked.
        archive: a path or any URI that fsspec knows.
        patterns: names, or patterns such as ``"sales.*"``; by default all views of the archive.

    Raises:
        InvalidInputError: a pattern is none.
        CorruptArchiveError: it is no archive, was cut off, or its manifest is damaged.
        UnsupportedFeatureError: a later release wrote it.
        NotFoundError: it is not there, or has no view that matches a pattern.
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
            f"The archive {main.location} was made since {earlier.location}, {what}.",
            remedy=Remedy(
                in_python="Name its current place with bases=[...]; it has the views that had not changed.",
                in_shell="Name its current place with --base; it has the views that had not changed.",
            ),
            location=earlier.location,
        )

    if has_hidden_credentials(earlier.location):
        raise missing("of which the password is not kept")
    with ExitStack() as stack:
        try:
            archive = stack.enter_context(open_archive(earlier.location, files))
        except NotFoundError as e:
            raise missing("which is not there") from e
        if archive.id != earlier.id:
            raise missing("where another one is now")
        yield archive


def _targets(views: Sequence[ArchivedView], names: Mapping[str, str]) -> dict[str, TableIdentifier]:
    """The name that each view is to have.

    Raises:
        InvalidInputError: two would have one.
    """
    found: dict[str, TableIdentifier] = {}
    of: dict[TableIdentifier, str] = {}
    for view in views:
        target = renamed(view.identifier, names)
        if target in of:
            raise InvalidInputError(f"Both {of[target]} and {view.view} would be restored as {target}.")
        of[target], found[view.view] = view.view, target
    return found


def _named(outcome: Outcome, view: ArchivedView, target: TableIdentifier, details: Mapping[str, Any]) -> Outcome:
    """The outcome under the name that the archive has."""
    reason = in_sentences(f"Its name is {target}." if target != view.identifier else None, outcome.reason)
    details = {**outcome.details, **details, "to": str(target)}
    return replace(outcome, view=view.view, reason=reason, details=details)


def _check(catalog: ViewCatalog, wanted: PortableView, *, keep_uuid: bool, with_partitions: bool) -> None:
    """
    Raises:
        CommitFailedError: the view is not as the archive has it.
    """
    found = verify(catalog, [wanted], keep_uuid=keep_uuid, with_partitions=with_partitions)[wanted.identifier]
    if isinstance(found, HiveViewsError):
        raise found
    if found:
        raise CommitFailedError(
            f"{wanted.identifier} was restored, and is not as it was: {'; '.join(found)}.",
            identifier=str(wanted.identifier),
        )
