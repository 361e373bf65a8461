"""What the files of an Iceberg table come to, by partition: of one snapshot, and of what one commit did."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from hive_views.base_tables.iceberg.keys import PartitionKeys
from hive_views.base_tables.iceberg.manifests import Content, Entry, ManifestEntries, Status
from hive_views.base_tables.port import PartitionValues, Statistics


@dataclass
class _PositionDeletes:
    """Deletes of a partition that do not say of which file."""

    sequence_number: int
    records: int


@dataclass
class Deletes:
    """The deletes of a snapshot. ``equality`` has, for partitions, the highest sequence number of such a delete.

    A data file with a deletion vector has its older position deletes in it, so that these do not count, whether they
    say of which file they are or not (table spec, "Deletion Vectors").
    """

    of_file: Counter[str] = field(default_factory=Counter)
    vectors: dict[str, int] = field(default_factory=dict)
    of_partition: defaultdict[PartitionValues, list[_PositionDeletes]] = field(
        default_factory=lambda: defaultdict(list)
    )
    equality: dict[PartitionValues, int] = field(default_factory=dict)
    equality_everywhere: int = 0

    def add(self, entry: Entry, values: PartitionValues, *, is_partitioned: bool) -> None:
        if entry.content == Content.EQUALITY_DELETES and not is_partitioned:
            # Those of an unpartitioned spec are for all partitions (table spec, "Scan Planning").
            self.equality_everywhere = max(self.equality_everywhere, entry.sequence_number)
        elif entry.content == Content.EQUALITY_DELETES:
            self.equality[values] = max(self.equality.get(values, 0), entry.sequence_number)
        elif entry.deletes_from is None:
            self.of_partition[values].append(_PositionDeletes(entry.sequence_number, entry.records))
        elif entry.is_vector:
            self.vectors[entry.deletes_from] = entry.records
        else:
            self.of_file[entry.deletes_from] += entry.records

    def from_file(self, location: str) -> int:
        """How many rows of a data file are deleted by its own deletes."""
        return self.vectors[location] if location in self.vectors else self.of_file[location]


@dataclass
class _Tally:
    files: int = 0
    records: int = 0
    bytes: int = 0
    modified_at_ms: int = 0
    oldest_plain: int | None = None
    oldest_with_vector: int | None = None
    rewritten: set[tuple[int, int]] = field(default_factory=set)

    def without(self, deletes: Deletes, values: PartitionValues) -> int | None:
        """The records that are left; None where metadata does not show it."""
        oldest = min(one for one in (self.oldest_plain, self.oldest_with_vector) if one is not None)
        if oldest < max(deletes.equality.get(values, 0), deletes.equality_everywhere):
            return None
        records = self.records
        for one in deletes.of_partition.get(values, ()):
            if self.oldest_plain is None or one.sequence_number < self.oldest_plain:
                continue
            if self.oldest_with_vector is not None and self.oldest_with_vector <= one.sequence_number:
                # Some of it may be in the deletion vector.
                return None
            if any(stands_for <= one.sequence_number < written_at for stands_for, written_at in self.rewritten):
                # A compaction may have applied it: then it names files that are gone.
                return None
            records -= one.records
        return records


def listed(
    deletes: Iterable[ManifestEntries],
    data: Iterable[ManifestEntries],
    keys: PartitionKeys,
    written_at_ms: Callable[[int], int],
) -> Mapping[PartitionValues, Statistics]:
    """The partitions that have data files, and what is known of them.

    Args:
        deletes, data: the delete manifests and the data manifests of one snapshot.
        written_at_ms: of a snapshot's id, when the rows of its files were written.
    """
    deleted = Deletes()
    for manifest, field_ids, entries in deletes:
        values_of = keys.reader(manifest.spec_id, field_ids)
        is_partitioned = manifest.spec_id not in keys.unpartitioned
        for entry in entries:
            if entry.status != Status.DELETED:
                deleted.add(entry, values_of(entry.partition), is_partitioned=is_partitioned)
    tallies: defaultdict[PartitionValues, _Tally] = defaultdict(_Tally)
    known_ms: dict[int, int] = {}
    for manifest, field_ids, entries in data:
        values_of = keys.reader(manifest.spec_id, field_ids)
        for entry in entries:
            if entry.status == Status.DELETED:
                continue
            at_ms = known_ms.get(entry.snapshot_id)
            if at_ms is None:
                at_ms = known_ms[entry.snapshot_id] = written_at_ms(entry.snapshot_id)
            _count(tallies[values_of(entry.partition)], entry, at_ms, deleted)
    return {
        values: Statistics(tally.files, tally.without(deleted, values), tally.bytes, tally.modified_at_ms)
        for values, tally in tallies.items()
    }


def _count(tally: _Tally, entry: Entry, at_ms: int, deletes: Deletes) -> None:
    tally.files += entry.files
    tally.records += entry.records - deletes.from_file(entry.location)
    tally.bytes += entry.bytes
    tally.modified_at_ms = max(tally.modified_at_ms, at_ms)
    if entry.location in deletes.vectors:
        tally.oldest_with_vector = _smaller(tally.oldest_with_vector, entry.sequence_number)
    else:
        tally.oldest_plain = _smaller(tally.oldest_plain, entry.sequence_number)
    if entry.written_at != entry.sequence_number:
        tally.rewritten.add((entry.sequence_number, entry.written_at))


def _smaller(one: int | None, other: int) -> int:
    return other if one is None or other < one else one


@dataclass
class Growth:
    """What one commit did to a partition; ``records`` is None where metadata does not show it.

    ``vectors_of`` are files that got a deletion vector, ``replaced_of`` those that lost one.
    """

    files: int = 0
    records: int | None = 0
    bytes: int = 0
    has_new_data: bool = False
    vectors_of: set[str | None] = field(default_factory=set)
    replaced_of: set[str | None] = field(default_factory=set)

    def add(self, entry: Entry, *, is_rewrite: bool, has_deletes: bool) -> None:
        """Count a file that the commit added or removed.

        Args:
            is_rewrite: the commit has the rows of the one before, so that the number of records stays.
            has_deletes: there may be deletes for the data files that the commit removed.
        """
        sign = 1 if entry.status == Status.ADDED else -1
        is_data = entry.content == Content.DATA
        if is_data:
            self.files += sign * entry.files
            self.bytes += sign * entry.bytes
            self.has_new_data |= sign > 0 and not is_rewrite
        if is_rewrite:
            return
        if entry.content == Content.EQUALITY_DELETES or (is_data and sign < 0 and has_deletes):
            self.records = None
        elif self.records is not None:
            self.records += sign * entry.records if is_data else -sign * entry.records
        if entry.is_vector:
            (self.vectors_of if sign > 0 else self.replaced_of).add(entry.deletes_from)

    def settle(self, *, had_deletes: bool) -> None:
        """Once all is added: rows in a first deletion vector may be deleted already, by position deletes of before."""
        if had_deletes and self.vectors_of - self.replaced_of:
            self.records = None
