"""Partitions that an ALTER left behind: their names have other keys than the view has partition columns.

What lives here: finding and dropping them. What must not: keeping keys and partitions together (commit.py).

A metastore takes any new keys for a view, whatever its partitions. It lists, loads and drops what is left behind by
name, and by nothing else.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence

from hive_views.errors import InvalidPartitionError
from hive_views.hive.limits import PARTITIONS_IN_A_CALL
from hive_views.hive.partition_names import parse_partition_name
from hive_views.hive.row import Column, Row
from hive_views.metastore.port import Metastore

log = logging.getLogger(__name__)


def keys_of(name: str) -> tuple[str, ...]:
    """The keys in the name of a partition, in lower case; () for what is no name."""
    try:
        return tuple(parse_partition_name(name))
    except InvalidPartitionError:
        return ()


def orphans_among(names: Iterable[str], keys: Sequence[Column]) -> list[str]:
    """The names of partitions that are none of a view with these partition columns."""
    fitting = tuple(key.name.lower() for key in keys)
    return [name for name in names if keys_of(name) != fitting]


def drop_orphans(metastore: Metastore, row: Row) -> list[str]:
    """Drop, by their names, the partitions that would keep a row from being dropped; returns these names.

    A Hive 2.3 that is asked to drop a view with partitions of other keys does not fail: it looks for the same names
    for ever, and answers nobody who writes meanwhile.

    Raises:
        MetastoreUnavailableError, UnsupportedFeatureError: dropping the view again goes on where this ended.
    """
    names = orphans_among(metastore.partition_names(row.identifier), row.partition_keys)
    for start in range(0, len(names), PARTITIONS_IN_A_CALL):
        metastore.drop_partitions(row.identifier, names[start : start + PARTITIONS_IN_A_CALL], if_exists=True)
    if names:
        log.warning("view %s: dropped %d partitions that an ALTER had left behind", row.identifier, len(names))
    return names
