"""A table of the metastore in memory: its row, its partitions, and what Hive checks of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from hive_views.errors import (
    InvalidPartitionError,
    MetastoreUnavailableError,
    NoSuchPartitionError,
    UnsupportedFeatureError,
)
from hive_views.hive.limits import MAX_PARTITION_PARAMETER, MAX_PARTITION_VALUE, stored_length
from hive_views.hive.partition_names import parse_partition_name, partition_name
from hive_views.hive.row import Partition, Row


@dataclass
class MemoryTable:
    """A row, and its partitions by name: a name outlives the keys it was made of, as PARTITIONS.PART_NAME is text."""

    row: Row
    partitions: dict[str, Partition] = field(default_factory=dict)

    @property
    def key_names(self) -> list[str]:
        return [key.name for key in self.row.partition_keys]

    def name_of(self, partition: Partition) -> str:
        """The name that a partition has under the current keys.

        Raises:
            InvalidPartitionError: it does not have one value for each key.
        """
        keys = self.key_names
        if len(keys) != len(partition.values):
            raise InvalidPartitionError(
                f"Invalid partition key & values of {self.row.identifier}: keys {keys}, "
                f"values {list(partition.values)}.",
                identifier=str(self.row.identifier),
            )
        return partition_name(keys, partition.values)

    def names_with(self, wanted: Mapping[str, str]) -> list[str]:
        """The names of the partitions with these values, sorted.

        Raises:
            InvalidPartitionError: there is no such key.
        """
        unknown = sorted(set(wanted) - set(self.key_names))
        if unknown:
            raise InvalidPartitionError(
                f"{self.row.identifier} has no partition column {', '.join(unknown)}; it has {self._listed_keys()}.",
                identifier=str(self.row.identifier),
            )
        if not wanted:
            return sorted(self.partitions)
        # By name: one of a partition that an ALTER left behind is compared as it is.
        return sorted(name for name in self.partitions if wanted.items() <= parse_partition_name(name).items())

    def located(self, name: str) -> Partition:
        """The partition with its location, which is not kept: a million of them would take 100 MiB."""
        partition = self.partitions[name]
        if partition.location or not partition.has_descriptor or self.row.location is None:
            return partition
        return replace(partition, location=f"{self.row.location}/{name}")

    def check_new(self, name: str, partition: Partition) -> None:
        """
        Raises:
            UnsupportedFeatureError: it has no storage descriptor, and the table has a location.
            MetastoreUnavailableError: as ``check_sizes``.
        """
        if not partition.has_descriptor and self.row.location is not None:
            raise UnsupportedFeatureError(
                f"Cannot add {name}: {self.row.identifier} has a location ({self.row.location}), and a partition "
                f"without a storage descriptor cannot be put below it.",
                identifier=str(self.row.identifier),
            )
        self.check_sizes(name, partition)

    def check_sizes(self, name: str, partition: Partition) -> None:
        """
        Raises:
            MetastoreUnavailableError: a text is too long for the database. A 2.3 server answers with the same to
                anything that its database refuses.
        """
        too_long = [key for key, value in partition.parameters.items() if len(value) > MAX_PARTITION_PARAMETER]
        too_long += [value for value in partition.values if stored_length(value) > MAX_PARTITION_VALUE]
        if too_long:
            raise MetastoreUnavailableError(f"{name} could not be made persistent: too long is {too_long[0][:60]!r}.")

    def check_exist(self, names: Iterable[str]) -> None:
        """
        Raises:
            NoSuchPartitionError: one of them is missing.
        """
        missing = [name for name in names if name not in self.partitions]
        if missing:
            raise NoSuchPartitionError(
                f"{self.row.identifier} has no partition {missing[0]}.",
                identifier=str(self.row.identifier),
                partitions=missing,
            )

    def event_text(self, name: str) -> str:
        """How PARTITION_EVENTS names a partition: no column names, no escapes.

        Raises:
            InvalidPartitionError: the name does not fit the keys.
        """
        values = parse_partition_name(name)
        if set(values) != set(self.key_names):
            raise InvalidPartitionError(
                f"{name} is not a partition of {self.row.identifier}; its partition columns are {self._listed_keys()}.",
                identifier=str(self.row.identifier),
            )
        return ",".join(values[key] for key in self.key_names)

    def _listed_keys(self) -> str:
        return ", ".join(self.key_names) or "none"
