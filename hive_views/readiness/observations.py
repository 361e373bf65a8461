"""What rules judge by: what was read of the tables, and what they ask for beyond the listings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from hive_views.base_tables.port import Commit, PartitionChange, PartitionListing, PartitionValues, Statistics
from hive_views.hive.partition_values import typed_value
from hive_views.hive.row import Column
from hive_views.readiness.coverage import Coverage
from hive_views.readiness.matching.links import Candidate

Need = Literal["statistics", "parameters", "marks", "commits", "snapshot"]
"""What a table must report beside its partitions."""


@dataclass(frozen=True)
class TableReference:
    """A table in a rule, with the format that the user says it has, and what it must report besides its partitions."""

    name: str
    format: str | None = None
    needs: Need | None = None


@dataclass(frozen=True)
class Mark:
    """What marks a partition as done.

    Attributes:
        by: what kind of mark it is.
        name: of the parameter or the file; "" for the others.
        value: of the parameter, in lower case.
    """

    by: Literal["parameter", "event", "success-file", "paimon"]
    name: str = ""
    value: str = ""

    def __str__(self) -> str:
        return {
            "parameter": f"{self.name}={self.value}",
            "event": "event LOAD_DONE",
            "success-file": f"file {self.name}",
            "paimon": "partition .done",
        }[self.by]


@dataclass
class DetailRequest:
    """What is to be read beyond the listings: of which partitions of which tables."""

    statistics: dict[str, dict[PartitionValues, None]] = field(default_factory=dict)
    marks: dict[tuple[str, Mark], dict[PartitionValues, None]] = field(default_factory=dict)
    commits: set[str] = field(default_factory=set)
    changes: set[tuple[str, int]] = field(default_factory=set)

    def __bool__(self) -> bool:
        return bool(self.statistics or self.marks or self.commits or self.changes)

    def add_statistics(self, table: str, values: Iterable[PartitionValues]) -> None:
        self.statistics.setdefault(table, {}).update(dict.fromkeys(values))

    def add_mark(self, table: str, mark: Mark, values: Iterable[PartitionValues]) -> None:
        self.marks.setdefault((table, mark), {}).update(dict.fromkeys(values))


@dataclass(frozen=True)
class LateChanges:
    """What the last commits of a table did; ``is_all`` of those that were asked for."""

    partitions: Mapping[PartitionValues, PartitionChange] = field(default_factory=dict)
    is_all: bool = False


@dataclass(frozen=True)
class Details:
    """The answers to what was asked.

    Attributes:
        statistics: by table and partition, where the listing does not report them.
        marked: those of the partitions asked about that have the mark.
        commits: of the pinned state and before it, newest first.
        changes: by table and timestamp, what the commits after that timestamp did up to the pinned state.
    """

    statistics: Mapping[str, Mapping[PartitionValues, Statistics]] = field(default_factory=dict)
    marked: Mapping[tuple[str, Mark], frozenset[PartitionValues]] = field(default_factory=dict)
    commits: Mapping[str, Sequence[Commit]] = field(default_factory=dict)
    changes: Mapping[tuple[str, int], LateChanges] = field(default_factory=dict)


@dataclass(frozen=True)
class Observations:
    """All that rules judge by.

    Attributes:
        keys: the partition columns of the view.
        listings: what the tables hold, by the names the rules call them.
        coverages: what they hold of each rule that asks for partitions of one.
        listed_at_ms: when they were listed, at the earliest, in milliseconds since 1970.
        details: what was asked for beyond the listings.
    """

    keys: tuple[Column, ...]
    listings: Mapping[str, PartitionListing]
    coverages: Mapping[Any, Coverage]
    listed_at_ms: int
    details: Details = Details()

    def typed(self, candidate: Candidate) -> dict[str, Any]:
        """A candidate's values by partition column, as Python's values of the columns' types."""
        return {key.name: typed_value(text, key.type) for key, text in zip(self.keys, candidate, strict=True)}
