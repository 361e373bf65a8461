"""Putting views that were read elsewhere into a catalog: as new ones, in place of others, or not at all.

A view that already is as it should be is left alone, so a later run finishes an interrupted one.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Literal, get_args

from hive_views.errors import CorruptMetadataError, HiveViewsError, InvalidInputError, NoSuchViewError
from hive_views.estate.each.outcomes import Outcome, State, in_sentences
from hive_views.estate.transfer.existing import Existing, Occupant, existing_at, version_list
from hive_views.estate.transfer.snapshot import RowSnapshot, ViewSnapshot, compare, read_plain, read_snapshots
from hive_views.hive.limits import PARTITIONS_IN_A_CALL
from hive_views.hive.partition_names import parse_partition_name
from hive_views.hive.row import POINTER, Partition, Row
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.metadata import ViewMetadata
from hive_views.spec.tags import tags_of
from hive_views.views.catalog import ViewCatalog
from hive_views.views.changes.metadata_copies import refuse_lost_tags, versions_without
from hive_views.views.commit.creation import create_plain_view, import_view
from hive_views.views.commit.rows_in_bulk import rows_of_names
from hive_views.views.conversions import import_over
from hive_views.views.partitions.view_partitions import ViewPartitions
from hive_views.views.row.drift import is_as_written
from hive_views.views.row.file_references import left_out, without_files
from hive_views.views.view import View

OnConflict = Literal["refuse", "skip", "replace"]
"""What is done with a view whose name is taken in the target, by something else than its own copy."""


class _Action(Enum):
    CREATE = auto()
    LEAVE = auto()
    COMPLETE = auto()
    REPLACE = auto()
    SKIP = auto()
    REFUSE = auto()


# What is done, by what has the name, and by ``on_conflict``.
_ACTIONS: Mapping[Occupant, Mapping[OnConflict, _Action]] = {
    Occupant.NOTHING: dict.fromkeys(get_args(OnConflict), _Action.CREATE),
    Occupant.SAME: dict.fromkeys(get_args(OnConflict), _Action.LEAVE),
    Occupant.INCOMPLETE: dict.fromkeys(get_args(OnConflict), _Action.COMPLETE),
    Occupant.REPLACEABLE: {"refuse": _Action.REFUSE, "skip": _Action.SKIP, "replace": _Action.REPLACE},
    Occupant.OTHER: {"refuse": _Action.REFUSE, "skip": _Action.SKIP, "replace": _Action.REFUSE},
}


def conflict_choice(verb: str, on_conflict: OnConflict, former: OnConflict | None) -> OnConflict:
    """The choice that a verb was called with, by its former name ``if_exists`` too; with both, the former yields."""
    if former is None:
        return on_conflict
    warnings.warn(f"The argument if_exists= of {verb}() is now called on_conflict=.", DeprecationWarning, stacklevel=3)
    return former if on_conflict == "refuse" else on_conflict


@dataclass(frozen=True)
class Importer:
    """Puts views into a catalog, each with its whole history in a file of its own, and with its partitions.

    A plain view is put there without what points to files: no archive proves that, and it would go with the view.

    Attributes:
        catalog: where they are to be.
        on_conflict: what to do where a name is taken by something that is not as wanted. ``replace`` is for views of
            this library, which keep their uuid and directory, and whose files stay.
        with_partitions: declare their partitions too; of a view that is replaced, others are dropped.
        dry_run: only say what would be done.

    Raises:
        InvalidInputError: ``on_conflict`` is none of the three.
    """

    catalog: ViewCatalog
    on_conflict: OnConflict
    with_partitions: bool
    dry_run: bool

    def __post_init__(self) -> None:
        if self.on_conflict not in get_args(OnConflict):
            known = ", ".join(get_args(OnConflict))
            raise InvalidInputError(f"Cannot use on_conflict={self.on_conflict!r}: it is one of {known}.")

    def put(self, wanted: RowSnapshot, current: Row | None, *, location: str = "", keep_uuid: bool = False) -> Outcome:
        """Have a view as ``wanted``.

        Args:
            wanted: the view under the name that it is to have.
            current: the row that has the name; None where none has.
            location: the directory for its files, if it is created.
            keep_uuid: whether it is the same view, in a new place, or another one that is alike.

        Returns:
            ``DONE``, ``UNCHANGED`` where it is there already, ``LEFT`` where it is skipped, ``PLANNED``.

        Raises:
            ViewAlreadyExistsError, TableAlreadyExistsError: the name is taken; or a version that has a tag would go.
            Any error of creating or changing a view, and of declaring partitions: what was done by then is completed by
            doing the same again.
        """
        name = str(wanted.identifier)
        existing = existing_at(self.catalog, current, wanted, keep_uuid=keep_uuid, with_partitions=self.with_partitions)
        action = _ACTIONS[existing.occupant][self.on_conflict]
        if action is _Action.LEAVE:
            return Outcome(name, State.UNCHANGED, "It already exists.")
        if action is _Action.SKIP and existing.error:
            return Outcome(name, State.LEFT, existing.error.message)
        if action is _Action.REFUSE and existing.error:
            raise existing.error
        if action is _Action.CREATE:
            reason = self._create(wanted, location, keep_uuid=keep_uuid)
        elif action is _Action.COMPLETE:
            reason = self._complete(wanted, existing)
        else:
            assert current is not None
            assert isinstance(wanted, ViewSnapshot)
            reason = self._replace(wanted, existing, current, location, keep_uuid=keep_uuid)
        return Outcome(name, State.PLANNED if self.dry_run else State.DONE, reason)

    def verify(
        self, wanted: Sequence[RowSnapshot], *, keep_uuid: bool = False
    ) -> dict[TableIdentifier, list[str] | HiveViewsError]:
        """In what each of these views is not as it should be, as the metastore and the storage say now.

        Nothing that was kept in memory is trusted: rows are read a hundred in a call, files several at once.
        """
        result: dict[TableIdentifier, list[str] | HiveViewsError] = {}
        try:
            rows = rows_of_names(self.catalog.metastore, [one.identifier for one in wanted], result.__setitem__)
        except HiveViewsError as error:
            return {one.identifier: error for one in wanted}
        of_ours = [rows[one.identifier] for one in wanted if isinstance(one, ViewSnapshot) and one.identifier in rows]
        read = read_snapshots(self.catalog, of_ours, with_partitions=self.with_partitions, cached=False)
        found: dict[TableIdentifier, RowSnapshot | HiveViewsError] = {}
        found |= {row.identifier: one for row, one in zip(of_ours, read, strict=True)}
        for one in [one for one in wanted if one.identifier not in result]:
            name = one.identifier
            if name not in rows:
                result[name] = NoSuchViewError(f"View {name} no longer exists.", identifier=str(name))
                continue
            if name not in found:
                found[name] = read_plain(self.catalog, rows[name], one, with_partitions=self.with_partitions)
            there = found[name]
            if isinstance(there, HiveViewsError):
                result[name] = there
            else:
                result[name] = compare(one, there, uuid=keep_uuid, partitions=self.with_partitions)
        return result

    def _create(self, wanted: RowSnapshot, location: str, *, keep_uuid: bool) -> str | None:
        if not isinstance(wanted, ViewSnapshot):
            if not self.dry_run:
                create_plain_view(self.catalog.engine, without_files(wanted.row))
                self._declare(wanted, None)
            omitted = left_out(wanted.row, is_ours=False, dry_run=self.dry_run)
            return in_sentences("It is a plain view.", omitted)
        if not self.dry_run:
            uuid = wanted.metadata.view_uuid if keep_uuid else None
            view = import_view(
                self.catalog.engine,
                wanted.identifier,
                wanted.metadata,
                row=wanted.row,
                location=location,
                view_uuid=uuid,
            )
            self._declare(wanted, view)
        return left_out(wanted.row, is_ours=True, dry_run=self.dry_run)

    def _complete(self, wanted: RowSnapshot, existing: Existing) -> str:
        if not self.dry_run:
            assert isinstance(existing.view, RowSnapshot)
            view = self.catalog.load_view(wanted.identifier) if isinstance(wanted, ViewSnapshot) else None
            self._declare(wanted, view, existing.view.partitions_by_name)
        return "Its partitions were completed."

    def _replace(
        self, wanted: ViewSnapshot, existing: Existing, current: Row, location: str, *, keep_uuid: bool
    ) -> str:
        there = existing.view
        if isinstance(there, HiveViewsError):
            if not isinstance(there, CorruptMetadataError):
                raise there
            if not is_as_written(current):
                name = str(wanted.identifier)
                message = (
                    f"{there.message} The row of {name} was changed without updating that file, and the change exists "
                    f"nowhere else."
                )
                raise replace(there, message=message, identifier=name)
        judged = there.metadata if isinstance(there, ViewSnapshot) else None
        reason = _replaced(judged, current, wanted.metadata, self.dry_run)
        if not self.dry_run:
            uuid = wanted.metadata.view_uuid if keep_uuid else None
            view = import_over(
                self.catalog.engine, current, wanted.metadata, location=location, view_uuid=uuid, judged=judged
            )
            self._drop_others(wanted, view)
            self._declare(wanted, view)
        return reason

    def _declare(self, wanted: RowSnapshot, view: View | None, there: Collection[str] = ()) -> None:
        """Declare the partitions that a view should have and that fit it; what does not fit is found by ``verify``."""
        missing = {name: one for name, one in wanted.partitions_by_name.items() if name not in there}
        if not self.with_partitions or not missing:
            return
        if view is None:
            self._declare_plain(wanted.identifier, list(missing.values()))
            return
        of_view = ViewPartitions(self.catalog.engine, view)
        of_view.add(
            [parse_partition_name(name) for name in missing if of_view.fits(name)],
            if_not_exists=True,
            parameters=lambda name: missing[name].parameters,
        )

    def _declare_plain(self, name: TableIdentifier, partitions: Sequence[Partition]) -> None:
        for start in range(0, len(partitions), PARTITIONS_IN_A_CALL):
            batch = partitions[start : start + PARTITIONS_IN_A_CALL]
            if self.catalog.metastore.add_partitions(name, batch, if_not_exists=True).needs_descriptors:
                batch = [replace(one, has_descriptor=True) for one in batch]
                self.catalog.metastore.add_partitions(name, batch, if_not_exists=True)

    def _drop_others(self, wanted: ViewSnapshot, view: View) -> None:
        """Drop the partitions that the view should not have, or not with these parameters."""
        if not self.with_partitions or not view.partition_keys:
            return
        should = wanted.partitions_by_name
        (there,) = read_snapshots(self.catalog, [view.row])
        if isinstance(there, HiveViewsError):
            raise there
        others = [
            name
            for name, partition in there.partitions_by_name.items()
            if name not in should or should[name].parameters != partition.parameters
        ]
        if others:
            ViewPartitions(self.catalog.engine, view).drop(
                [parse_partition_name(name) for name in others], if_exists=True
            )


def _replaced(base: ViewMetadata | None, current: Row, metadata: ViewMetadata, dry_run: bool) -> str:
    """What a view takes the place of: what of that is no part of it any more, and where it still is.

    Raises:
        ViewAlreadyExistsError: a version that has a tag would go.
    """
    it = "It would replace" if dry_run else "It replaced"
    if base is None:
        return f"{it} a view whose file cannot be read."
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
    what = f"{version_list(gone)}, which {are} still in {current.parameters[POINTER]}" if gone else "what was there"
    return " ".join([f"{it} {what}.", *others])
