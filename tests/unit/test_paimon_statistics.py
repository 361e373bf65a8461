"""What a listing and changes of a Paimon table count: files, rows that are deleted, times.

The tables are those of paimon_tables/, which Java wrote, changed by hand.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from hive_views.base_tables.port import PartitionListing, Statistics
from tests.unit.paimon_by_hand import Table

_HOUR_MS = 3_600_000
HR_0, HR_1 = ("2024-01-01", "0"), ("2024-01-01", "1")


@pytest.fixture
def pk(tmp_path: Path) -> Table:
    """Its snapshots: 1 appends to both hours, 2 and 3 to hour 0, 4 compacts that."""
    return Table("pk", tmp_path)


def _sizes(listing: PartitionListing) -> dict[Any, tuple[int | None, int | None]]:
    assert listing.statistics
    return {v: (one.files, one.records) for v, one in zip(listing.values, listing.statistics, strict=True)}


def _statistics(listing: PartitionListing) -> Mapping[Any, Statistics]:
    assert listing.statistics
    return dict(zip(listing.values, listing.statistics, strict=True))


def test_a_file_that_is_given_another_level_under_its_name_stays(pk: Table) -> None:
    """Paimon's compaction upgrades a file without writing it again: deleted from level 0 and added to level 5."""
    [compacted] = [path for path in pk.manifests() if any(record["_FILE"]["_LEVEL"] == 5 for record in pk.read(path))]
    old = "data-8bede435-f451-4356-829a-a086799cba1a-0.parquet"

    def upgrade(record: dict[str, Any]) -> None:
        if record["_KIND"] == 0:
            record["_FILE"] = {**record["_FILE"], "_FILE_NAME": old}

    pk.rewrite(compacted, upgrade)
    assert _sizes(pk.open().list_partitions()) == {HR_0: (1, 3), HR_1: (1, 1)}


def test_rows_that_a_file_itself_deletes_are_not_counted(pk: Table) -> None:
    def delete(record: dict[str, Any]) -> None:
        record["_FILE"]["_DELETE_ROW_COUNT"] = record["_FILE"]["_ROW_COUNT"]

    for path in pk.manifests():
        pk.rewrite(path, delete)
    assert _sizes(pk.open().list_partitions()) == {HR_0: (1, 0), HR_1: (1, 0)}


def test_rows_in_deletion_vectors_are_not_counted(pk: Table) -> None:
    before = _sizes(pk.open().list_partitions())
    pk.delete_rows(4, one=[1, 1], hash=[7])
    after = _sizes(pk.open().list_partitions())
    assert sum(n or 0 for _, n in before.values()) - sum(n or 0 for _, n in after.values()) == 2
    pk.delete_rows(4, one=[1, None])
    assert None in [n for _, n in _sizes(pk.open().list_partitions()).values()], "not told by this writer"


def test_a_commit_that_only_writes_deletion_vectors_is_a_change(pk: Table) -> None:
    empty = pk.told(1)["baseManifestList"]
    pk.delete_rows(3, one=[1])
    pk.delete_rows(4, two=[2, 1])
    pk.change(4, deltaManifestList=empty, deltaManifestListSize=None, commitKind="OVERWRITE")
    changes = pk.open().changes(pk.snapshot(3), pk.snapshot(4))
    [change] = changes.partitions.values()
    assert (change.files, change.records, change.rewrites_only) == (0, -2, False)
    assert change.modified_at_ms is None
    pk.change(4, commitKind="COMPACT")
    [change] = pk.open().changes(pk.snapshot(3), pk.snapshot(4)).partitions.values()
    assert change.rewrites_only


@pytest.mark.parametrize("hours", [-12, -3.5, 0, 5.75, 8, 14])
def test_the_time_zone_of_the_writer_does_not_move_what_was_modified_when(pk: Table, hours: float) -> None:
    """Files are created by the wall clock of their writer, which is read as UTC for lack of a zone."""
    expected = _statistics(pk.open().list_partitions())

    def move(record: dict[str, Any]) -> None:
        record["_FILE"]["_CREATION_TIME"] += timedelta(hours=hours)

    for path in pk.manifests():
        pk.rewrite(path, move)
    assert _statistics(pk.open().list_partitions()) == expected


def test_a_slow_commit_makes_files_seem_younger_and_never_older(pk: Table) -> None:
    created = {v: one.modified_at_ms or 0 for v, one in _statistics(pk.open().list_partitions()).items()}
    for number in range(1, 5):
        pk.change(number, timeMillis=pk.told(number)["timeMillis"] + _HOUR_MS)
    seen = {v: one.modified_at_ms or 0 for v, one in _statistics(pk.open().list_partitions()).items()}
    assert all(created[v] <= seen[v] <= created[v] + _HOUR_MS + 900_000 for v in created)


def test_a_clock_that_is_some_seconds_ahead_is_in_no_other_zone(pk: Table) -> None:
    for number in range(1, 5):
        pk.change(number, timeMillis=pk.told(number)["timeMillis"] - 20_000)
    seen = {one.modified_at_ms for one in _statistics(pk.open().list_partitions()).values()}
    assert seen == {pk.told(4)["timeMillis"]}


def test_where_no_commit_tells_the_zone_files_are_taken_for_the_youngest_they_can_be(pk: Table) -> None:
    newest = pk.told(4)
    pk.path(4).unlink()
    expected = {
        v: (one.modified_at_ms or 0) + 12 * _HOUR_MS for v, one in _statistics(pk.open().list_partitions()).items()
    }
    nothing = pk.told(1)["baseManifestList"]
    for number in range(1, 4):
        pk.path(number).unlink()
    nothing_new = {"deltaManifestList": nothing, "deltaManifestListSize": None}
    pk.path(4).write_text(json.dumps({**newest, **nothing_new, "timeMillis": 2**42}))
    assert {v: one.modified_at_ms for v, one in _statistics(pk.open().list_partitions()).items()} == expected
    pk.change(4, timeMillis=newest["timeMillis"])
    seen = {one.modified_at_ms for one in _statistics(pk.open().list_partitions()).values()}
    assert seen == {newest["timeMillis"]}, "no file is younger than the snapshot it is in"


@pytest.mark.parametrize("options", [{"deletion-vectors.enabled": "true"}, {"merge-engine": "first-row"}])
def test_files_that_readers_see_only_after_compaction_are_no_partition_before(
    pk: Table, options: dict[str, str]
) -> None:
    path = pk.directory / "schema" / "schema-0"
    path.write_text(json.dumps({**json.loads(path.read_text()), "options": options}))
    assert _sizes(pk.open().list_partitions()) == {HR_0: (1, 3)}
    assert pk.open().changes(pk.snapshot(1), pk.snapshot(3)).partitions == {}
    [(values, change)] = pk.open().changes(pk.snapshot(3), pk.snapshot(4)).partitions.items()
    assert (values, change.files, change.records, change.rewrites_only) == (HR_0, 1, 3, False)
    assert change.modified_at_ms == pk.told(4)["timeMillis"]
    path.write_text(json.dumps({**json.loads(path.read_text()), "primaryKeys": []}))
    assert _sizes(pk.open().list_partitions()) == {HR_0: (1, 3), HR_1: (1, 1)}, "append tables have no levels"


def test_files_without_a_bucket_so_far_are_no_partition_before_they_have_one(pk: Table) -> None:
    def postpone(record: dict[str, Any]) -> None:
        if record["_FILE"]["_LEVEL"] == 0:
            record["_BUCKET"] = -2

    for path in pk.manifests():
        pk.rewrite(path, postpone)
    assert _sizes(pk.open().list_partitions()) == {HR_0: (1, 3)}
    [change] = pk.open().changes(pk.snapshot(1), pk.snapshot(4)).partitions.values()
    assert (change.commits, change.files, change.rewrites_only) == (("4",), 1, False)
