"""Paimon tables that Java wrote, and what Java's own reader finds in them at each of their snapshots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from pathlib import Path

import pytest

from hive_views.base_tables.port import PartitionChange, PartitionListing, PartitionValues
from tests.unit.base_tables.paimon.paimon_by_hand import Table

Rows = dict[str, int]
_Changed = Mapping[PartitionValues, PartitionChange]

# By snapshot: the rows of each partition, as a scan by Java counts them.
READ_BY_JAVA: dict[str, list[Rows]] = {
    # Appended and compacted; rows of a and b deleted by vectors; a compacted, which leaves its vector; c not compacted.
    "dv": [{}, {"a": 5, "b": 3}, {"a": 5, "b": 3}, {"a": 4, "b": 2}, {"a": 4, "b": 2}, {"a": 4, "b": 2}],
    # Appended; another column of b's rows, then of a's; more rows of a; b overwritten.
    "evolve": [{"a": 5, "b": 3}, {"a": 5, "b": 3}, {"a": 5, "b": 3}, {"a": 7, "b": 3}, {"a": 7, "b": 2}],
    # Two files of BLOBs beside the one of the other columns of a, and one beside that of b.
    "blob": [{"a": 4, "b": 2}],
}


def _listings(name: str, directory: Path) -> list[PartitionListing]:
    table = Table(name, directory)
    listings = []
    for number in range(len(READ_BY_JAVA[name]), 0, -1):
        table.forget_after(number)
        listings.insert(0, table.open().list_partitions())
    return listings


def _changes(name: str, directory: Path) -> Iterator[tuple[PartitionListing, PartitionListing, _Changed]]:
    """What came between each two snapshots, which is always reported."""
    (directory / "whole").mkdir()
    table = Table(name, directory / "whole").open()
    for since, until in combinations(_listings(name, directory), 2):
        assert since.snapshot
        assert until.snapshot
        changes = table.changes(since.snapshot, until.snapshot)
        assert changes.unknown is None
        yield since, until, changes.partitions


def _rows(listing: PartitionListing) -> dict[str | None, int | None]:
    assert listing.statistics is not None
    return {values[0]: one.records for values, one in zip(listing.values, listing.statistics, strict=True)}


@pytest.mark.parametrize("name", READ_BY_JAVA)
def test_at_each_snapshot_partitions_have_the_rows_that_java_reads(tmp_path: Path, name: str) -> None:
    assert [_rows(one) for one in _listings(name, tmp_path)] == READ_BY_JAVA[name]


def test_from_each_snapshot_to_each_later_one_rows_grow_as_java_reads_them(tmp_path: Path) -> None:
    for since, until, changes in _changes("dv", tmp_path):
        rows = _rows(since)
        for values, change in changes.items():
            assert change.records is not None
            rows[values[0]] = (rows.get(values[0]) or 0) + change.records
        assert rows == _rows(until)


def test_how_many_rows_came_is_not_reported_where_files_may_hold_columns_of_the_same(tmp_path: Path) -> None:
    for _, _, changes in _changes("evolve", tmp_path):
        assert {change.records for change in changes.values()} == {None}


def test_bytes_and_files_of_columns_are_those_of_the_partition(tmp_path: Path) -> None:
    [listing] = _listings("blob", tmp_path)
    assert listing.statistics is not None
    assert {v[0]: one.files for v, one in zip(listing.values, listing.statistics, strict=True)} == {"a": 3, "b": 2}
