"""What already has the name that a view is to get, as far as it decides what is done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from hive_views.errors import HiveViewsError, TableAlreadyExistsError, ViewAlreadyExistsError
from hive_views.estate.transfer.snapshot import RowSnapshot, ViewSnapshot, compare, listed, read_plain, read_snapshots
from hive_views.hive.row import POINTER, VIEW_UUID, Row
from hive_views.messages.enumerated import all_of
from hive_views.messages.remedy import Remedy
from hive_views.persisted import OWNS
from hive_views.views.catalog import ViewCatalog
from hive_views.views.changes.metadata_copies import versions_without
from hive_views.views.view import is_iceberg_view

REPLACE_OR_SKIP = Remedy(
    in_python="With on_conflict='replace' it is replaced, with on_conflict='skip' it stays.",
    in_shell="With --on-conflict replace it is replaced, with --on-conflict skip it stays.",
)
"""The way out where another view has the name that a view is to have."""


class Occupant(Enum):
    """What has a name."""

    NOTHING = "nothing"
    SAME = "the view as it is to be"
    INCOMPLETE = "the view as it is to be, but for partitions that are missing"
    REPLACEABLE = "another view of this library, or the same in another state"
    OTHER = "a table or another plain view, which nothing would bring back"


@dataclass(frozen=True)
class Existing:
    """What has a name.

    Attributes:
        occupant: what it is.
        view: the view that has it, or why it cannot be read; None where it is nothing, or a plain view is not to be
            there.
        error: why the name is taken, where it is.
    """

    occupant: Occupant
    view: RowSnapshot | HiveViewsError | None = None
    error: HiveViewsError | None = None


def existing_at(
    catalog: ViewCatalog, current: Row | None, wanted: RowSnapshot, *, keep_uuid: bool, with_partitions: bool
) -> Existing:
    """What has the name of a view that is to be put into a catalog.

    Args:
        catalog: where it is to be.
        current: the row that has the name; None where none has.
        wanted: what is to be there.
        keep_uuid: whether it is to be the same view, and not only be alike.
        with_partitions: whether its partitions are looked at.
    """
    if current is None:
        return Existing(Occupant.NOTHING)
    is_managed = isinstance(wanted, ViewSnapshot)
    view: RowSnapshot | HiveViewsError
    if not is_managed:
        view = read_plain(catalog, current, wanted, with_partitions=with_partitions)
    elif is_iceberg_view(current):
        (view,) = read_snapshots(catalog, [current], with_partitions=with_partitions)
    else:
        return Existing(Occupant.OTHER, error=_name_taken(current, "it is a plain view"))
    if isinstance(view, HiveViewsError):
        differing = [f"its file cannot be read ({view.message})"]
    else:
        differing = compare(wanted, view, uuid=keep_uuid, partitions=with_partitions)
        if not differing:
            return Existing(Occupant.SAME, view)
        if _lacks_partitions_only(wanted, view, uuid=keep_uuid):
            return Existing(Occupant.INCOMPLETE, view)
    if isinstance(wanted, ViewSnapshot) and current.parameters.get(VIEW_UUID) == wanted.metadata.view_uuid:
        return Existing(Occupant.REPLACEABLE, view, _changed_since(wanted, view, differing))
    error = _name_taken(current, listed(differing), is_replaceable=is_managed)
    return Existing(Occupant.REPLACEABLE if is_managed else Occupant.OTHER, view, error)


def version_list(ids: Sequence[int]) -> str:
    """Some versions, as in ``version 3`` and ``versions 3, 4 and 5``."""
    return f"{'version' if len(ids) == 1 else 'versions'} {all_of([str(one) for one in ids])}"


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


def _lacks_partitions_only(wanted: RowSnapshot, there: RowSnapshot, *, uuid: bool) -> bool:
    should = wanted.partitions_by_name
    return not compare(wanted, there, uuid=uuid, partitions=False) and all(
        name in should and should[name].parameters == partition.parameters
        for name, partition in there.partitions_by_name.items()
    )


def _changed_since(
    wanted: ViewSnapshot, there: RowSnapshot | HiveViewsError, differing: Sequence[str]
) -> ViewAlreadyExistsError:
    """The error for a name that the same view has, by its uuid, in another state."""
    how = f"differs: {listed(differing)}"
    besides = versions_without(there.metadata, wanted.metadata) if isinstance(there, ViewSnapshot) else []
    if besides and isinstance(there, ViewSnapshot):
        current, before = there.metadata.current_version_id, wanted.metadata.current_version_id
        implied = {"history", f"current version: {current}, not {before}"}
        implied |= {f"version {version_id} is unexpected" for version_id in besides}
        others = [one for one in differing if one not in implied]
        how = f"has changed since: it also has {listed([version_list(besides), *others])}"
    name = str(wanted.identifier)
    return ViewAlreadyExistsError(f"{name} already exists, and {how}.", remedy=REPLACE_OR_SKIP, identifier=name)


def _name_taken(current: Row, how: str, *, is_replaceable: bool = False) -> HiveViewsError:
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
        f"The name {name} is taken by another view, which differs: {how}.",
        remedy=REPLACE_OR_SKIP,
        identifier=name,
    )
