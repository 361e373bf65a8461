"""Base tables as publishing sees them: partitions, states, and what changed between two of them.

Every implementation passes ``tests/contract/base_table_contract.py``, those with a history ``history_contract.py`` too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, overload, runtime_checkable

from hive_views.hive.row import Column

PartitionValues = tuple[str | None, ...]
"""One text for each partition column, spelled as Hive spells values of its type; None is NULL."""


@dataclass(frozen=True)
class Snapshot:
    """One state of a table that was committed as a whole.

    Ids repeat when a table is dropped and recreated, rolled back (Paimon), or restored from a copy (Delta): two states
    are one and the same only if ``id``, ``table_id`` and ``commit_id`` are all equal.

    Attributes:
        id: as the format's users write it: Delta's version, Iceberg's and Paimon's snapshot id.
        table_id: what distinguishes this table, and this line of history, from another with the same name and ids.
        committed_at_ms: milliseconds since 1970; the later of what the writer's clock said and the storage's, as the
            first may run back.
        watermark_ms: up to which event time the writer says that everything is there, in milliseconds since 1970.
        commit_id: what distinguishes the commit from another of the same id in the same table; None where ids do not
            repeat within a table, or the format does not have it any more.
    """

    id: str
    table_id: str
    committed_at_ms: int | None = None
    watermark_ms: int | None = None
    commit_id: str | None = None

    def is_same_as(self, other: Snapshot) -> bool:
        return self.without_times() == other.without_times()

    def without_times(self) -> Snapshot:
        """What distinguishes it from others, which is all that need be stored."""
        return Snapshot(self.id, self.table_id, commit_id=self.commit_id)


@dataclass(frozen=True)
class Statistics:
    """What is known of one partition without opening its data. None: unknown.

    Attributes:
        files: data files.
        records: rows, without those that are deleted, as far as the metadata shows.
        bytes: size of the data files.
        modified_at_ms: when data was last added, in milliseconds since 1970. Removing files does not move it.
    """

    files: int | None = None
    records: int | None = None
    bytes: int | None = None
    modified_at_ms: int | None = None


@dataclass(frozen=True)
class Registered:
    """What the metastore has of one partition.

    Attributes:
        fingerprint: differs once the partition's statistics or DDL time do. It is weak: what writes files behind the
            metastore's back, as Spark does, does not change it.
        directory: where its files are; None where it has none of its own: of a view, or without a location.
    """

    fingerprint: str
    directory: str | None = None


class StatisticsByColumn(Sequence[Statistics]):
    """Statistics of many partitions, held by their fields; a value is made when it is asked for."""

    def __init__(
        self,
        files: Sequence[int | None],
        records: Sequence[int | None],
        bytes: Sequence[int | None],  # noqa: A002 - the field's name
        modified_at_ms: Sequence[int | None],
    ) -> None:
        self.columns = (files, records, bytes, modified_at_ms)

    def __len__(self) -> int:
        return len(self.columns[0])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # as of a list

    @overload
    def __getitem__(self, at: int) -> Statistics: ...
    @overload
    def __getitem__(self, at: slice) -> StatisticsByColumn: ...
    def __getitem__(self, at: int | slice) -> Statistics | StatisticsByColumn:
        if isinstance(at, slice):
            return StatisticsByColumn(*(column[at] for column in self.columns))
        return Statistics(*(column[at] for column in self.columns))


@dataclass(frozen=True)
class PartitionListing:
    """All partitions of one table, read at one time.

    A table without partition columns is one partition without values: ``keys`` is ``()`` and ``values`` ``[()]``.

    Attributes:
        snapshot: what was read, where the format has snapshots; Hive has none. None for a table without any commit too.
        statistics: beside ``values``, one for each; None where the format does not list them with its partitions.
        table_id: what distinguishes the table from a later one of its name, where snapshots do not; None where nothing
            does.
        note: that of ``TableState``.
        definition: differs once the query of a view does; None of what is no view.
    """

    table: str
    format: str
    keys: tuple[Column, ...]
    values: Sequence[PartitionValues]
    snapshot: Snapshot | None = None
    statistics: Sequence[Statistics] | None = None
    table_id: str | None = field(default=None, compare=False)
    note: str = field(default="", compare=False)
    definition: str | None = field(default=None, compare=False)


@dataclass(frozen=True)
class TableState:
    """The newest state of a table and its partition columns in it, without its partitions.

    Attributes:
        snapshot: None for a table without any commit.
        keys: as in ``PartitionListing.keys``.
        note: of the reader to itself, to be handed back with the rest.
    """

    snapshot: Snapshot | None
    keys: tuple[Column, ...]
    note: str = field(default="", compare=False)


@dataclass(frozen=True)
class Commit:
    """One commit of a table.

    Attributes:
        operation: in the format's own word (``WRITE``, ``append``, ``COMPACT``, ...); "" where it is unknown.
        properties: what the writer said about it: Delta's commit info (``userMetadata``, and its keys where it is a
            JSON object) and transaction ids (``txn.<app-id>``), Iceberg's summary, Paimon's properties.
        is_first: the table certainly had no commit before it. Where it is not known whether the table has forgotten
            some, no commit is the first.
    """

    snapshot: Snapshot
    operation: str
    properties: Mapping[str, str]
    is_first: bool = False


@dataclass(frozen=True)
class PartitionChange:
    """What commits did to one partition between two states.

    Attributes:
        commits: ids of the snapshots that touched it, ascending in history.
        rewrites_only: none of them changed its rows: compaction, clustering, rewritten metadata.
        files, records, bytes: by how much the partition grew (or shrank, below 0); None where that is unknown.
        modified_at_ms: when data was last added by these commits; None where none added any.
    """

    commits: tuple[str, ...]
    rewrites_only: bool
    files: int
    records: int | None = None
    bytes: int | None = None
    modified_at_ms: int | None = None

    def then(self, later: PartitionChange) -> PartitionChange:
        """What these commits and later ones did together."""
        return PartitionChange(
            commits=(*self.commits, *later.commits),
            rewrites_only=self.rewrites_only and later.rewrites_only,
            files=self.files + later.files,
            records=_sum(self.records, later.records),
            bytes=_sum(self.bytes, later.bytes),
            # A writer's clock may run back.
            modified_at_ms=max((one.modified_at_ms for one in (self, later) if one.modified_at_ms), default=None),
        )


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


@dataclass(frozen=True)
class Changes:
    """What changed in a table between two states, by partition; partitions without any change are left out.

    Attributes:
        unknown: why that cannot be known any more (expired snapshots, a cleaned-up log, a table made anew, a
            roll-back); then ``partitions`` is empty and means nothing.
    """

    partitions: Mapping[PartitionValues, PartitionChange] = field(default_factory=dict)
    unknown: str | None = None

    @classmethod
    def of_commits(cls, commits: Iterable[Mapping[PartitionValues, PartitionChange]]) -> Changes:
        """What commits did together, from what each of them did, in their order."""
        together: dict[PartitionValues, PartitionChange] = {}
        for commit in commits:
            for values, change in commit.items():
                before = together.get(values)
                together[values] = before.then(change) if before else change
        return cls(together)


class BaseTable(Protocol):
    """A table or view that partitions of a view depend on."""

    @property
    def name(self) -> str:
        """As messages call it: ``namespace.name``, or its location."""
        ...

    @property
    def format(self) -> str:
        """``hive``, ``view``, ``delta``, ``iceberg``, ``paimon``."""
        ...

    def list_partitions(self) -> PartitionListing:
        """The partitions of the newest state, without opening data files or asking for each partition."""
        ...


@runtime_checkable
class ListedTable(BaseTable, Protocol):
    """A table of which another reader could report more: this one only lists its partitions."""

    @property
    def read_through(self) -> str:
        """What it is read through, as messages call it: ``Spark Connect``."""
        ...


@runtime_checkable
class TableWithHistory(BaseTable, Protocol):
    """A table whose past states are known: Delta, Iceberg, Paimon."""

    def current_state(self, known: TableState | None = None) -> TableState:
        """The newest state, found without looking at partitions: it costs far less than ``list_partitions``.

        ``known`` is an earlier one, of a listing or of this; what is the same since need not be read again.
        """
        ...

    def changes(self, since: Snapshot, until: Snapshot) -> Changes:
        """What the commits after ``since`` up to and with ``until`` did, by partitions as ``until`` spells them.

        Both are of listings or ``current_state`` of this table, of any time; of those that were stored and read back,
        only ``id``, ``table_id`` and ``commit_id`` are certain. Added to a listing at ``since``, ``PartitionChange``
        gives that at ``until``: partitions are there while they have files. What cannot be known is ``Changes.unknown``
        (also when ``until`` does not come after ``since``, or a commit between them changed the partition columns),
        never an error and never a guess.
        """
        ...

    def commits(self, until: Snapshot) -> Iterator[Commit]:
        """The commits up to and with ``until``, newest first, as far back as the table still has them."""
        ...


@runtime_checkable
class TableWithFingerprints(BaseTable, Protocol):
    """A table without history whose partitions can be distinguished from what they were: Hive tables, and views."""

    def load_statistics(self, values: Iterable[PartitionValues]) -> Mapping[PartitionValues, Statistics]:
        """What the metastore knows of these partitions; missing ones are left out. Asks for their objects."""
        ...

    def registered(self, values: Iterable[PartitionValues]) -> Mapping[PartitionValues, Registered]:
        """What the metastore has of each of these partitions; missing ones are left out. Asks for their objects."""
        ...

    def load_parameters(self, values: Iterable[PartitionValues]) -> Mapping[PartitionValues, Mapping[str, str]]:
        """The parameters that writers have set on these partitions; missing ones are left out."""
        ...


@runtime_checkable
class TableWithMarkers(BaseTable, Protocol):
    """A table whose writers mark partitions that are complete, beside the data: Hive tables, Paimon tables.

    Each method takes partitions of a listing and returns those of them that are marked, in as few calls as the server
    allows. Parameters of partitions are read by ``TableWithFingerprints.load_parameters``.
    """

    def done_events(self, values: Iterable[PartitionValues]) -> frozenset[PartitionValues]:
        """Those that the metastore knows to be LOAD_DONE (``markPartitionForEvent``); it forgets after days."""
        ...

    def done_files(self, values: Iterable[PartitionValues], name: str = "_SUCCESS") -> frozenset[PartitionValues]:
        """Those that have a file of this name in their directory."""
        ...

    def done_partitions(self, values: Iterable[PartitionValues]) -> frozenset[PartitionValues]:
        """Those beside which Paimon has put a partition of the metastore whose last value ends in ``.done``."""
        ...
