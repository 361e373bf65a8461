"""How writers mark a partition as complete: an event of the metastore, a file in its directory, a partition beside it.

Every partition comes with the names, or directories, that its table may know it by; one that is marked is enough. Marks
are looked for one by one, since no server answers for many; a few at a time, since each takes milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from hive_views.base_tables.port import MetastoreReader, PartitionValues
from hive_views.errors import UnsupportedFeatureError
from hive_views.spec.identifiers import TableIdentifier
from hive_views.storage.files import Files

_DONE_SUFFIX = ".done"
_AT_ONCE = 8

Names = Mapping[PartitionValues, Sequence[str]]


def done_events(metastore: MetastoreReader, identifier: TableIdentifier, names: Names) -> frozenset[PartitionValues]:
    """Those with the partition event LOAD_DONE.

    Raises:
        UnsupportedFeatureError: a value has a comma, so that the event may be another partition's (see
            ``Metastore.mark_load_done``).
        InvalidPartitionError: the metastore knows the table with other partition columns, or with none.
    """
    for name in (one for several in names.values() for one in several):
        if "," in name and "/" in name:
            raise UnsupportedFeatureError(
                f"Cannot determine whether {identifier} has the event LOAD_DONE for {name}: the metastore joins values "
                f"with commas, and one of these has a comma in it. Use another marker.",
                identifier=str(identifier),
            )
    return _marked(names, lambda name: metastore.is_load_done(identifier, name))


def done_files(files: Files, directories: Names, file: str) -> frozenset[PartitionValues]:
    """Those with a file of this name in their directory."""
    return _marked(directories, lambda directory: files.exists(f"{directory.rstrip('/')}/{file}"))


def done_partitions(
    metastore: MetastoreReader, identifier: TableIdentifier, names: Names
) -> frozenset[PartitionValues]:
    """Those beside which the metastore has the same partition with ``.done`` after its last value."""
    listed = set(metastore.partition_names(identifier))
    return frozenset(values for values, several in names.items() if any(n + _DONE_SUFFIX in listed for n in several))


def _marked(names: Names, is_marked: Callable[[str], bool]) -> frozenset[PartitionValues]:
    def any_marked(several: Iterable[str]) -> bool:
        return any(map(is_marked, several))

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        marked = pool.map(any_marked, names.values())
        return frozenset(values for values, is_one in zip(names, marked, strict=True) if is_one)
