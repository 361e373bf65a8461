"""Partitions that an ALTER left behind: their names have other keys than the view has partition columns.

A metastore accepts any new keys for a view, whatever partitions it has. Orphaned partitions are listed, loaded and
dropped by name only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from hive_views.errors import CommitStateUnknownError, HiveViewsError, InvalidPartitionError, PartitionColumnsError
from hive_views.hive.limits import PARTITIONS_IN_A_CALL
from hive_views.hive.partition_names import parse_partition_name
from hive_views.hive.row import POINTER, Column, Row
from hive_views.messages.enumerated import first_of
from hive_views.messages.logs import logger_of
from hive_views.metastore.port import Partitions
from hive_views.spec.identifiers import TableIdentifier

log = logger_of(__name__)


def keys_of(name: str) -> tuple[str, ...]:
    """The keys in the name of a partition, in lower case; () if it is not a valid name."""
    try:
        return tuple(parse_partition_name(name))
    except InvalidPartitionError:
        return ()


def orphans_among(names: Iterable[str], keys: Sequence[Column]) -> list[str]:
    """The names of partitions that do not fit a view with these partition columns."""
    fitting = tuple(key.name.lower() for key in keys)
    return [name for name in names if keys_of(name) != fitting]


def drop_orphans(metastore: Partitions, row: Row, declared: Sequence[str]) -> list[str]:
    """Drop those declared partitions that would prevent the row from being dropped; returns their names.

    Hive 2.3 does not fail when it is asked to drop a view with partitions of other keys: it searches for the same names
    for ever, and blocks all other writers.

    Raises:
        MetastoreUnavailableError, UnsupportedFeatureError: dropping the view again continues from here.
    """
    names = orphans_among(declared, row.partition_keys)
    for start in range(0, len(names), PARTITIONS_IN_A_CALL):
        metastore.drop_partitions(row.identifier, names[start : start + PARTITIONS_IN_A_CALL], if_exists=True)
    if names:
        log.warning("view %s: dropped %d partitions that an ALTER had left behind", row.identifier, len(names))
    return names


def with_other_keys(
    metastore: Partitions, identifier: TableIdentifier, keys: Sequence[Column], new: Sequence[Column]
) -> Sequence[str]:
    """The names of the partitions of a view whose keys change to the new ones; () if the keys stay the same.

    Hive's SQL also requires the same comments. But partitions do not have them, and Iceberg engines omit them from a
    new version, and it must still be possible to repair and roll back such a view.

    Raises:
        NoSuchTableError, MetastoreUnavailableError
    """
    if not keys or [(key.name, key.type) for key in keys] == [(key.name, key.type) for key in new]:
        return ()
    return metastore.partition_names(identifier)


def refuse_orphans(metastore: Partitions, identifier: TableIdentifier, keys: Sequence[Column], row: Row) -> None:
    """
    Raises:
        PartitionColumnsError: the partition keys change while the view has partitions (Hive's error 10217).
    """
    names = with_other_keys(metastore, identifier, keys, row.partition_keys)
    if names:
        raise would_orphan(names, identifier, keys, row.partition_keys)


def would_orphan(
    names: Sequence[str], identifier: TableIdentifier, keys: Sequence[Column], new: Sequence[Column]
) -> PartitionColumnsError:
    """The error for a change of the keys of a view with these partitions."""
    return PartitionColumnsError(
        f"View {identifier} has {len(names)} partitions, so that its partition columns must stay as they "
        f"are in name, type and order (Hive error 10217): they are {_listed(keys)}, the change makes "
        f"them {_listed(new)}. Drop the partitions first, or keep the columns.",
        identifier=str(identifier),
    )


def has_orphaned(names: Sequence[str], row: Row, failure: HiveViewsError) -> CommitStateUnknownError:
    """The error if the keys of a view were changed while these partitions were added, and the change stays.

    Args:
        names: the partitions.
        row: the row after the change.
        failure: why the change was not reverted.
    """
    listed = first_of(names, 5)
    way_out = (
        "drop these partitions (drop_orphans), and add them again" if row.partition_keys else "partition it as before"
    )
    message = (
        f"The partition columns of {row.identifier} were changed while partitions were added that do not fit the new "
        f"columns (Hive error 10217): {listed}. The change could not be reverted: "
        f"{failure.message} Load the view; if its partition columns are {_listed(row.partition_keys)}, {way_out}."
    )
    if isinstance(failure, CommitStateUnknownError):
        return replace(failure, message=message, uncertain=list(names))
    return CommitStateUnknownError(
        message,
        identifier=str(row.identifier),
        metadata_location=row.parameters.get(POINTER),
        uncertain=list(names),
    )


def _listed(columns: Sequence[Column]) -> str:
    return "(" + ", ".join(f"{c.name} {c.type}" + (f" '{c.comment}'" if c.comment else "") for c in columns) + ")"
