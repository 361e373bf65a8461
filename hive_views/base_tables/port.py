"""Base tables as publishing sees them: partitions, states, and what changed between two of them.

Every implementation passes ``tests/contract/base_table_contract.py``, those with a history ``history_contract.py`` too.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, Self, overload

from hive_views.hive.row import Column, Partition, Row
from hive_views.hive.value_range import ValueRange
from hive_views.spec.identifiers import TableIdentifier

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
        committed_at_ms: milliseconds since 1970, by the writer's clock or the storage's, whichever is later: the
            writer's may run backwards.
        watermark_ms: the event time up to which the writer says that all data has arrived, in milliseconds since 1970.
        commit_id: what distinguishes the commit from another of the same id in the same table; None where ids do not
            repeat within a table, or the format no longer has it.
    """

    id: str
    table_id: str
    committed_at_ms: int | None = None
    watermark_ms: int | None = None
    commit_id: str | None = None

    def is_same_as(self, other: Snapshot) -> bool:
        return self.without_times() == other.without_times()

    def without_times(self) -> Snapshot:
        """What distinguishes it from others, which is all that has to be stored."""
        return Snapshot(self.id, self.table_id, commit_id=self.commit_id)


@dataclass(frozen=True)
class Statistics:
    """What is known of one partition without opening its data. None: unknown.

    Attributes:
        files: data files.
        records: rows, without deleted ones as far as the metadata shows.
        bytes: size of the data files.
        modified_at_ms: when data was last added, in milliseconds since 1970. Removing files does not move it.
    """

    files: int | None = None
    records: int | None = None
    bytes: int | None = None
    modified_at_ms: int | None = None


@dataclass(frozen=True)
class Registered:
    """What the metastore knows about one partition.

    Attributes:
        fingerprint: changes when the partition's statistics or DDL time change. It is weak: a writer that bypasses the
            metastore, as Spark does, does not change it.
        directory: where its files are; None for a partition without files of its own, as a view's.
    """

    fingerprint: str
    directory: str | None = None


class StatisticsByColumn(Sequence[Statistics]):
    """Statistics of many partitions, stored by column; a value is created when it is asked for."""

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
        snapshot: what was read; None for a format without snapshots (Hive), and for a table without commits.
        statistics: one for each of ``values``; None where the format does not list them with its partitions.
        table_id: what distinguishes the table from a later one of its name, where snapshots do not; None where nothing
            does.
        note: that of ``TableState``.
        definition: changes when the query of a view changes; None for tables.
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
        snapshot: None for a table without commits.
        keys: as in ``PartitionListing.keys``.
        note: what the reader wants to have back with the rest.
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
        is_first: the table certainly had no commit before it; False where older commits may have been forgotten.
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
        unknown: why that can no longer be known (expired snapshots, a cleaned-up log, a recreated table, a roll-back);
            ``partitions`` is then empty and means nothing.
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


class MetastoreReader(Protocol):
    """What is asked of a metastore here: verbs of ``hive_views.metastore.port``, and of a session of Spark."""

    def load_row(self, identifier: TableIdentifier) -> Row: ...

    def partition_names(self, identifier: TableIdentifier, prefix: Mapping[str, str] | None = None) -> list[str]: ...

    def partition_names_within(
        self, identifier: TableIdentifier, keys: Sequence[str], texts: ValueRange
    ) -> list[str]: ...

    def load_partitions(self, identifier: TableIdentifier, names: Sequence[str]) -> list[Partition]: ...

    def is_load_done(self, identifier: TableIdentifier, name: str) -> bool: ...


class BaseTable(ABC):
    """A table or view that partitions of a view depend on; what a reader of your own derives from.

    A reader that reports more than its partitions derives from ``TableWithHistory``, ``TableWithFingerprints``,
    ``TableWithMarkers`` or ``FilterableTable`` as well. Each of them makes one of the properties below return the
    reader itself, typed as what it can do.

    What reads it raises NoSuchTableError or NotFoundError if it is not there, CorruptMetadataError if its metadata are
    damaged, UnsupportedFeatureError if they need a newer reader or a package that is missing, and UnavailableError if
    they cannot be read now.

    Attributes:
        name: as messages call it: ``namespace.name``, or its location.
        format: ``hive``, ``view``, ``delta``, ``iceberg``, ``paimon``.
        read_through: what it is read through (``Spark Connect``), where another reader could report more; else None.
    """

    name: str
    format: str
    read_through: str | None = None

    @abstractmethod
    def list_partitions(self) -> PartitionListing:
        """The partitions of the newest state, without opening data files or asking for each partition."""

    @property
    def history(self) -> TableWithHistory | None:
        return None

    @property
    def fingerprints(self) -> TableWithFingerprints | None:
        return None

    @property
    def markers(self) -> TableWithMarkers | None:
        return None

    @property
    def filterable(self) -> FilterableTable | None:
        return None


class TableWithHistory(BaseTable):
    """A table whose past states are known: Delta, Iceberg, Paimon."""

    @property
    def history(self) -> Self:
        return self

    @abstractmethod
    def current_state(self, known: TableState | None = None) -> TableState:
        """The newest state, found without reading partitions, which costs far less than ``list_partitions``.

        ``known`` is an earlier one, of a listing or of this verb; what has not changed since need not be read again.
        """

    def stamp(self) -> str:
        """What changes whenever the newest state does, found without a listing while that stays as it was.

        To be compared with what this very reader returned before.
        """
        state = self.current_state()
        return repr(state.snapshot and state.snapshot.without_times())

    @abstractmethod
    def changes(self, since: Snapshot, until: Snapshot) -> Changes:
        """What the commits after ``since`` up to and including ``until`` did, by partitions as ``until`` spells them.

        Both come from ``list_partitions`` or ``current_state`` of this table, at any time; those that were stored and
        read back have ``id``, ``table_id`` and ``commit_id`` alone. The listing at ``since`` and these changes together
        give the listing at ``until``: a partition exists while it has files. What cannot be known is
        ``Changes.unknown`` (also if ``until`` does not come after ``since``, or a commit between them changed the
        partition columns), never an error and never a guess.
        """

    @abstractmethod
    def commits(self, until: Snapshot) -> Iterator[Commit]:
        """The commits up to and including ``until``, newest first, as far back as the table still has them."""


class TableWithFingerprints(BaseTable):
    """A table without history whose partitions can be distinguished from what they were: Hive tables, and views."""

    @property
    def fingerprints(self) -> Self:
        return self

    @abstractmethod
    def load_statistics(self, values: Iterable[PartitionValues]) -> Mapping[PartitionValues, Statistics]:
        """What the metastore knows of the data of these partitions; missing ones are left out."""

    @abstractmethod
    def registered(self, values: Iterable[PartitionValues]) -> Mapping[PartitionValues, Registered]:
        """What the metastore knows about each of these partitions; missing ones are left out."""

    @abstractmethod
    def load_parameters(self, values: Iterable[PartitionValues]) -> Mapping[PartitionValues, Mapping[str, str]]:
        """The parameters that writers have set on these partitions; missing ones are left out."""


class TableWithMarkers(BaseTable):
    """A table whose writers mark partitions that are complete, beside the data: Hive tables, Paimon tables.

    Each method takes partitions of a listing and returns those of them that are marked, in as few calls as the server
    allows. Parameters of partitions are read by ``TableWithFingerprints.load_parameters``.
    """

    @property
    def markers(self) -> Self:
        return self

    @abstractmethod
    def done_events(self, values: Iterable[PartitionValues]) -> frozenset[PartitionValues]:
        """Those with the metastore's event LOAD_DONE (``markPartitionForEvent``), which it forgets after days."""

    @abstractmethod
    def done_files(self, values: Iterable[PartitionValues], name: str = "_SUCCESS") -> frozenset[PartitionValues]:
        """Those that have a file of this name in their directory."""

    @abstractmethod
    def done_partitions(self, values: Iterable[PartitionValues]) -> frozenset[PartitionValues]:
        """Those beside which Paimon has added a partition to the metastore whose last value ends in ``.done``."""


class FilterableTable(BaseTable):
    """A table of which a server can list some partitions by their values: Hive tables, and views.

    Attributes:
        keys: its partition columns when they were read last.
    """

    keys: tuple[Column, ...]

    @property
    def filterable(self) -> Self:
        return self

    @abstractmethod
    def list_within(self, part: Iterable[Mapping[str, str]] | ValueRange) -> PartitionListing:
        """Only some of the partitions, which the server filters: cheaper in a table of 100,000 partitions and more.

        Args:
            part: a range of values of the first partition column, which must be of strings; or sets of values of the
                first partition columns, one of which a partition has: in a call for each, by column and spelled exactly
                as the partitions' names have them, so that ``7`` does not find ``07``.

        Raises:
            InvalidPartitionError: the table has no such partition column.
            as ``list_partitions``
        """
