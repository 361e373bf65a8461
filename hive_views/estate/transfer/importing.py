"""Putting views that were read elsewhere into a catalog: new ones, in place of others, or not at all.

A view that is there as it should be is left alone, so that a run that was interrupted is finished by the next one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from hive_views.errors import (
    CorruptMetadataError,
    HiveViewsError,
    NoSuchViewError,
    TableAlreadyExistsError,
    ViewAlreadyExistsError,
)
from hive_views.estate.each.outcomes import Outcome, State
from hive_views.estate.transfer.snapshot import PortableView, compare, listed, read_portable
from hive_views.hive.partition_names import parse_partition_name
from hive_views.hive.row import POINTER, VIEW_UUID, Row
from hive_views.messages.enumerated import all_of
from hive_views.messages.remedy import Remedy
from hive_views.persisted import OWNS
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewMetadata
from hive_views.spec.tags import tags_of
from hive_views.views.catalog import ViewCatalog
from hive_views.views.changes.metadata_copies import refuse_lost_tags, versions_without
from hive_views.views.commit.creation import import_view
from hive_views.views.commit.readable_rows import rows_of_names
from hive_views.views.intake import import_over
from hive_views.views.partitions.view_partitions import ViewPartitions
from hive_views.views.row.drift import is_as_written
from hive_views.views.row.file_references import left_out
from hive_views.views.view import View, is_iceberg_view

IfExists = Literal["refuse", "skip", "replace"]
"""What is done with a view whose name is taken in the target, by something else than its own copy."""

REPLACE_OR_SKIP = Remedy(
    in_python="With if_exists='replace' it is replaced, with if_exists='skip' it stays.",
    in_shell="With --if-exists replace it is replaced, with --if-exists skip it stays.",
)
"""The way out where another view has the name that a view is to have."""


def place(
    catalog: ViewCatalog,
    wanted: PortableView,
    *,
    location: str,
    current: Row | None,
    if_exists: IfExists = "refuse",
    keep_uuid: bool = False,
    with_partitions: bool = True,
    dry_run: bool = False,
) -> Outcome:
    """Have a view as ``wanted``, with its whole history in a file of its own, and its partitions.

    Args:
        catalog: where it is to be.
        wanted: the view under the name that it is to have.
        location: the directory for its files, if it is created.
        current: the row that has the name; None where none has.
        if_exists: what to do where the name is taken by something that is not as ``wanted``. ``replace`` is for views
            of this library, which keep their uuid and directory, and whose files stay.
        keep_uuid: whether it is the same view, in a new place, or another one that is alike.
        with_partitions: declare its partitions too; of a view that is replaced, others are dropped.
        dry_run: only say what would be done.

    Returns:
        ``DONE``, ``UNCHANGED`` where it is there already, ``LEFT`` where it is skipped, ``PLANNED``.

    Raises:
        ViewAlreadyExistsError, TableAlreadyExistsError: the name is taken; or a version that has a tag would go.
        Any error of creating or changing a view, and of declaring partitions: what was done by then is completed by
        doing the same again.
    """
    name = str(wanted.identifier)
    if current is None:
        if not dry_run:
            uuid = wanted.metadata.view_uuid if keep_uuid else None
            view = import_view(
                catalog.engine, wanted.identifier, wanted.metadata, row=wanted.row, location=location, view_uuid=uuid
            )
            _declare(catalog, view, wanted, {}) if with_partitions else None
        return Outcome(name, _done(dry_run), left_out(wanted.row, is_ours=True, dry_run=dry_run))
    there = _there(catalog, current, with_partitions=with_partitions)
    differing = _differing(wanted, there, uuid=keep_uuid, partitions=with_partitions)
    if not differing:
        return Outcome(name, State.UNCHANGED, "It is there already.")
    if isinstance(there, PortableView) and _is_begun(wanted, there, uuid=keep_uuid):
        if not dry_run:
            _declare(catalog, catalog.load_view(wanted.identifier), wanted, there.partitions_by_name)
        return Outcome(name, _done(dry_run), "Its partitions were completed.")
    if there is not None and current.parameters.get(VIEW_UUID) == wanted.metadata.view_uuid:
        taken: HiveViewsError = _changed_since(wanted, there, differing)
    else:
        taken = name_taken(current, listed(differing), is_replaceable=there is not None)
    if if_exists == "skip":
        return Outcome(name, State.LEFT, taken.message)
    if if_exists == "refuse" or there is None:
        raise taken
    if isinstance(there, HiveViewsError) and not isinstance(there, CorruptMetadataError):
        raise there
    if isinstance(there, CorruptMetadataError) and not is_as_written(current):
        message = f"{there.message} The row of {name} was changed behind it, and what it says is nowhere else."
        raise replace(there, message=message, identifier=name)
    reason = _replaced(there, current, wanted.metadata, dry_run)
    if not dry_run:
        uuid = wanted.metadata.view_uuid if keep_uuid else None
        judged = there.metadata if isinstance(there, PortableView) else None
        view = import_over(catalog.engine, current, wanted.metadata, location=location, view_uuid=uuid, judged=judged)
        if with_partitions:
            _drop_others(catalog, view, wanted)
            _declare(catalog, view, wanted, {})
    return Outcome(name, _done(dry_run), reason)


def verify(
    catalog: ViewCatalog, wanted: Sequence[PortableView], *, keep_uuid: bool = False, with_partitions: bool = True
) -> dict[TableIdentifier, list[str] | HiveViewsError]:
    """In what each of these views is not as it should be, as the metastore and the storage say now.

    Nothing that was kept in memory is trusted: rows are read a hundred in a call, files several at once.
    """
    result: dict[TableIdentifier, list[str] | HiveViewsError] = {}
    try:
        rows = rows_of_names(catalog.metastore, [one.identifier for one in wanted], result.__setitem__)
    except HiveViewsError as error:
        return {one.identifier: error for one in wanted}
    read = read_portable(catalog, list(rows.values()), with_partitions=with_partitions, cached=False)
    found = dict(zip(rows, read, strict=True))
    for one in [one for one in wanted if one.identifier not in result]:
        there = found.get(one.identifier)
        if there is None:
            name = str(one.identifier)
            result[one.identifier] = NoSuchViewError(f"View {name} is gone again.", identifier=name)
        elif isinstance(there, HiveViewsError):
            result[one.identifier] = there
        else:
            result[one.identifier] = compare(one, there, uuid=keep_uuid, partitions=with_partitions)
    return result


def _done(dry_run: bool) -> State:
    return State.PLANNED if dry_run else State.DONE


def _changed_since(
    wanted: PortableView, there: PortableView | HiveViewsError, differing: Sequence[str]
) -> ViewAlreadyExistsError:
    """The error for a name that the same view has, by its uuid, in another state."""
    how = f"is not the same: {listed(differing)}"
    besides = versions_without(there.metadata, wanted.metadata) if isinstance(there, PortableView) else []
    if besides and isinstance(there, PortableView):
        current, before = there.metadata.current_version_id, wanted.metadata.current_version_id
        implied = {"history", f"current version: {current}, not {before}"}
        implied |= {f"version {version_id} is unexpected" for version_id in besides}
        others = [one for one in differing if one not in implied]
        how = f"has changed since: it also has {listed([_versions(besides), *others])}"
    name = str(wanted.identifier)
    return ViewAlreadyExistsError(f"{name} already exists, and {how}.", remedy=REPLACE_OR_SKIP, identifier=name)


def _replaced(there: PortableView | HiveViewsError, current: Row, metadata: ViewMetadata, dry_run: bool) -> str:
    """What a view takes the place of: what of that is no part of it any more, and where it still is.

    Raises:
        ViewAlreadyExistsError: a version that has a tag would go.
    """
    it = "It would take the place of" if dry_run else "It took the place of"
    if isinstance(there, HiveViewsError):
        return f"{it} a view whose file cannot be read."
    base = there.metadata
    refuse_lost_tags(current.identifier, base, metadata)
    verb = "would no longer name" if dry_run else "no longer names"
    tags = tags_of(metadata)
    others = [
        f"Tag {tag} {verb} version {version_id}."
        for tag, version_id in tags_of(base).items()
        if tags.get(tag) != version_id
    ]
    gone = versions_without(base, metadata)
    are = "is" if len(gone) == 1 else "are"
    what = f"{_versions(gone)}, which {are} still in {current.parameters[POINTER]}" if gone else "what was there"
    return " ".join([f"{it} {what}.", *others])


def _versions(ids: Sequence[int]) -> str:
    """Some versions, as in ``version 3`` and ``versions 3, 4 and 5``."""
    return f"{'version' if len(ids) == 1 else 'versions'} {all_of([str(one) for one in ids])}"


def _there(catalog: ViewCatalog, current: Row, *, with_partitions: bool) -> PortableView | HiveViewsError | None:
    """The view that has the name, or why it cannot be read; None where that is a table, or a plain view."""
    if not is_iceberg_view(current):
        return None
    return next(iter(read_portable(catalog, [current], with_partitions=with_partitions)))


def _differing(
    wanted: PortableView, there: PortableView | HiveViewsError | None, *, uuid: bool, partitions: bool
) -> list[str]:
    if there is None:
        return ["it is a plain view"]
    if isinstance(there, HiveViewsError):
        return [f"its file cannot be read ({there.message})"]
    return compare(wanted, there, uuid=uuid, partitions=partitions)


def _is_begun(wanted: PortableView, there: PortableView, *, uuid: bool) -> bool:
    """Whether the view was created, and not all of its partitions were declared."""
    should = wanted.partitions_by_name
    return not compare(wanted, there, uuid=uuid, partitions=False) and all(
        name in should and should[name].parameters == partition.parameters
        for name, partition in there.partitions_by_name.items()
    )


def _declare(catalog: ViewCatalog, view: View, wanted: PortableView, there: Mapping[str, object]) -> None:
    """Declare the partitions that the view should have and that fit it; what does not fit is found by ``verify``."""
    partitions = wanted.partitions_by_name
    if not partitions:
        return
    of_view = ViewPartitions(catalog.engine, view)
    missing = [name for name in partitions if name not in there and of_view.fits(name)]
    of_view.add(
        [parse_partition_name(name) for name in missing],
        if_not_exists=True,
        parameters=lambda name: partitions[name].parameters,
    )


def _drop_others(catalog: ViewCatalog, view: View, wanted: PortableView) -> None:
    """Drop the partitions that the view should not have, or not with these parameters."""
    if not view.partition_keys:
        return
    should = wanted.partitions_by_name
    (there,) = read_portable(catalog, [view.row])
    if isinstance(there, HiveViewsError):
        raise there
    others = [
        name
        for name, partition in there.partitions_by_name.items()
        if name not in should or should[name].parameters != partition.parameters
    ]
    if others:
        ViewPartitions(catalog.engine, view).drop([parse_partition_name(name) for name in others], if_exists=True)


def is_one_row(current: Row, source: Row) -> bool:
    """Whether a row of the target is that of the source, which was read later and may be newer.

    Two addresses may be one metastore. Every row that is made here has a token of its own; of others the uuid decides.
    """
    if not is_iceberg_view(current):
        return False
    of_both = (current.parameters, source.parameters)
    pointers, owned, uuids = ([one.get(key) for one in of_both] for key in (POINTER, OWNS, VIEW_UUID))
    if pointers[0] == pointers[1] or (owned[0] is not None and owned[0] == owned[1]):
        return True
    return owned[0] is None and uuids[0] == uuids[1]


def name_taken(current: Row, how: str, *, is_replaceable: bool = False) -> HiveViewsError:
    """The error for a name that something else has.

    Args:
        current: its row.
        how: in what it is not what it should be.
        is_replaceable: whether it is a view of this library.
    """
    name = str(current.identifier)
    if not current.is_view:
        return TableAlreadyExistsError(
            f"The name {name} is taken by a table ({current.table_type}), which is never replaced. Rename one of the "
            f"two.",
            identifier=name,
        )
    if not is_replaceable:
        return ViewAlreadyExistsError(
            f"The name {name} is taken by another view, which is never replaced: {how}. Drop or rename it first.",
            identifier=name,
        )
    return ViewAlreadyExistsError(
        f"The name {name} is taken by another view, which is not the same: {how}.",
        remedy=REPLACE_OR_SKIP,
        identifier=name,
    )
