"""What a listing and changes of a Paimon table count: files, rows that are deleted, times.

The tables are those of paimon_tables/, which Java wrote, changed by hand.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

import pytest

from hive_views.base_tables.paimon.table import PaimonBaseTable
from hive_views.base_tables.port import PartitionListing, Snapshot, Statistics
from tests.unit.base_tables.paimon.paimon_by_hand import Table

_HOUR_MS = 3_600_000
HR_0, HR_1 = ("2024-01-01", "0"), ("2024-01-01", "1")
OLD, OLDER, COMPACTED, OF_HR_1 = (
    f"data-{name}-0.parquet"
    for name in (
        "8bede435-f451-4356-829a-a086799cba1a",
        "aed45e94-679a-46db-8561-002ca86bbf07",
        "c3f575cc-bdff-4f55-ba00-a11875c1ce7e",
        "75b09ed6-2add-406f-87de-955bf6e162f1",
    )
)


def _sizes(listing: PartitionListing) -> dict[Any, tuple[int | None, int | None]]:
    assert listing.statistics is not None
    return {v: (one.files, one.records) for v, one in zip(listing.values, listing.statistics, strict=True)}


def _statistics(listing: PartitionListing) -> Mapping[Any, Statistics]:
    assert listing.statistics is not None
    return dict(zip(listing.values, listing.statistics, strict=True))


def _newest(table: PaimonBaseTable) -> Snapshot:
    newest = table.current_state().snapshot
    assert newest
    return newest


def test_a_file_that_is_given_another_level_under_its_name_stays(pk: Table) -> None:
    """Paimon's compaction upgrades a file without writing it again: deleted from level 0 and added to level 5."""
    [compacted] = [path for path in pk.manifests() if any(record["_FILE"]["_LEVEL"] == 5 for record in pk.read(path))]

    def upgrade(record: dict[str, Any]) -> None:
        if record["_KIND"] == 0:
            record["_FILE"] = {**record["_FILE"], "_FILE_NAME": OLD}

    pk.rewrite(compacted, upgrade)
    assert _sizes(pk.open().list_partitions()) == {HR_0: (1, 3), HR_1: (1, 1)}


def test_rows_that_a_file_itself_deletes_are_not_counted(pk: Table) -> None:
    def delete(record: dict[str, Any]) -> None:
        record["_FILE"]["_DELETE_ROW_COUNT"] = record["_FILE"]["_ROW_COUNT"]

    for path in pk.manifests():
        pk.rewrite(path, delete)
    assert _sizes(pk.open().list_partitions()) == {HR_0: (1, 0), HR_1: (1, 0)}


def test_where_files_are_merged_rows_are_reported_of_one_sorted_run_whose_writer_counted_deletions(pk: Table) -> None:
    pk.forget_after(3)
    assert _sizes(pk.open().list_partitions()) == {HR_0: (3, None), HR_1: (1, 1)}, "three files of level 0"

    def of_level(level: int) -> Callable[[dict[str, Any]], None]:
        def change(record: dict[str, Any]) -> None:
            record["_FILE"]["_LEVEL"] = level

        return change

    for level, records in ((1, 3), (0, None)):
        for path in pk.manifests():
            pk.rewrite(path, of_level(level))
        assert _sizes(pk.open().list_partitions())[HR_0] == (3, records)

    def uncounted(record: dict[str, Any]) -> None:
        record["_FILE"]["_DELETE_ROW_COUNT"] = None

    for path in pk.manifests():
        pk.rewrite(path, uncounted)
    assert _sizes(pk.open().list_partitions()) == {HR_0: (3, None), HR_1: (1, None)}


def test_rows_in_deletion_vectors_are_not_counted(pk: Table) -> None:
    pk.delete_rows(4, {COMPACTED: 2, OF_HR_1: 1})
    assert _sizes(pk.open().list_partitions()) == {HR_0: (1, 1), HR_1: (1, 0)}
    pk.delete_rows(4, {COMPACTED: None})
    assert _sizes(pk.open().list_partitions()) == {HR_0: (1, None), HR_1: (1, 1)}, "not recorded by this writer"


def test_the_deletion_vector_of_a_file_that_is_gone_deletes_nothing(pk: Table) -> None:
    pk.alter(0, primaryKeys=[])
    pk.delete_rows(3, {OLD: 1})
    pk.delete_rows(4, {OLD: 1, OLDER: 1, OF_HR_1: 1})
    assert _sizes(pk.open().list_partitions()) == {HR_0: (1, 3), HR_1: (1, 0)}
    changes = pk.open().changes(pk.snapshot(3), pk.snapshot(4)).partitions
    assert {values: one.records for values, one in changes.items()} == {HR_0: 1, HR_1: -1}
    pk.forget_after(3)
    assert _sizes(pk.open().list_partitions()) == {HR_0: (3, 2), HR_1: (1, 1)}


def test_a_commit_that_only_writes_deletion_vectors_is_a_change(pk: Table) -> None:
    pk.alter(0, primaryKeys=[])
    empty = pk.content(1)["baseManifestList"]
    pk.delete_rows(3, {OF_HR_1: 1, OLD: 1})
    pk.delete_rows(4, {OF_HR_1: 3, OLD: 1})
    pk.change(4, deltaManifestList=empty, deltaManifestListSize=None, commitKind="OVERWRITE")
    [(values, change)] = pk.open().changes(pk.snapshot(3), pk.snapshot(4)).partitions.items()
    assert (values, change.files, change.records, change.rewrites_only) == (HR_1, 0, -2, False)
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
        pk.change(number, timeMillis=pk.content(number)["timeMillis"] + _HOUR_MS)
    seen = {v: one.modified_at_ms or 0 for v, one in _statistics(pk.open().list_partitions()).items()}
    assert all(created[v] <= seen[v] <= created[v] + _HOUR_MS + 900_000 for v in created)


def test_a_clock_that_is_some_seconds_ahead_is_in_no_other_zone(pk: Table) -> None:
    for number in range(1, 5):
        pk.change(number, timeMillis=pk.content(number)["timeMillis"] - 20_000)
    seen = {one.modified_at_ms for one in _statistics(pk.open().list_partitions()).values()}
    assert seen == {pk.content(4)["timeMillis"]}


def test_a_writer_whose_clock_is_behind_the_storages_added_data_when_the_storage_says(pk: Table) -> None:
    before = {v: one.modified_at_ms or 0 for v, one in _statistics(pk.open().list_partitions()).items()}
    pk.touch(4, pk.content(4)["timeMillis"] + 90 * 60_000)
    after = {v: one.modified_at_ms or 0 for v, one in _statistics(pk.open().list_partitions()).items()}
    assert all(90 * 60_000 <= after[v] - before[v] <= 105 * 60_000 for v in before)
    pk.touch(3, pk.content(3)["timeMillis"] + 1000)
    pk.touch(2, pk.content(2)["timeMillis"] - 1000)
    table = pk.open()
    assert table.changes(pk.snapshot(2), pk.snapshot(3)).partitions[HR_0].modified_at_ms == (
        pk.content(3)["timeMillis"] + 1000
    )
    assert [one.snapshot.committed_at_ms for one in table.commits(_newest(table))] == [
        pk.content(4)["timeMillis"] + 90 * 60_000,
        pk.content(3)["timeMillis"] + 1000,
        pk.content(2)["timeMillis"],
        pk.content(1)["timeMillis"],
    ]


def test_where_no_commit_records_the_zone_files_are_taken_for_the_youngest_they_can_be(pk: Table) -> None:
    newest = pk.content(4)
    pk.path(4).unlink()
    expected = {
        v: (one.modified_at_ms or 0) + 12 * _HOUR_MS for v, one in _statistics(pk.open().list_partitions()).items()
    }
    nothing = pk.content(1)["baseManifestList"]
    for number in range(1, 4):
        pk.path(number).unlink()
    nothing_new = {"deltaManifestList": nothing, "deltaManifestListSize": None}
    pk.path(4).write_text(json.dumps({**newest, **nothing_new, "timeMillis": 2**42}))
    assert {v: one.modified_at_ms for v, one in _statistics(pk.open().list_partitions()).items()} == expected
    pk.change(4, timeMillis=newest["timeMillis"])
    seen = {one.modified_at_ms for one in _statistics(pk.open().list_partitions()).values()}
    assert seen == {newest["timeMillis"]}, "no file is younger than the snapshot it is in"


@pytest.mark.parametrize(
    "options",
    [
        {"deletion-vectors.enabled": "true"},
        {"deletion-vectors.enabled": "true", "deletion-vectors.merge-on-read": "false"},
        {"merge-engine": "first-row"},
        {"merge-engine": "first-row", "deletion-vectors.merge-on-read": "true"},
    ],
)
def test_files_that_readers_see_only_after_compaction_are_no_partition_before(
    pk: Table, options: dict[str, str]
) -> None:
    pk.alter(0, options=options)
    states = {}
    for number in (4, 3, 1):
        pk.forget_after(number)
        states[number] = pk.open().list_partitions()
    assert [_sizes(states[number]) for number in (1, 3, 4)] == [{}, {}, {HR_0: (1, 3)}]


@pytest.mark.parametrize("options", [{"deletion-vectors.enabled": "true"}, {"merge-engine": "first-row"}])
def test_a_compaction_adds_what_readers_did_not_see_before(pk: Table, options: dict[str, str]) -> None:
    pk.alter(0, options=options)
    table = pk.open()
    [fourth, third, _, first] = [commit.snapshot for commit in table.commits(_newest(table))]
    assert table.changes(first, third).partitions == {}
    [(values, change)] = table.changes(third, fourth).partitions.items()
    assert (values, change.files, change.records, change.rewrites_only) == (HR_0, 1, 3, False)
    assert change.modified_at_ms == pk.content(4)["timeMillis"]
    pk.alter(0, options=options, primaryKeys=[])
    assert _sizes(pk.open().list_partitions()) == {HR_0: (1, 3), HR_1: (1, 1)}, "append tables have no levels"


def test_with_merge_on_read_readers_see_files_that_are_not_compacted(pk: Table) -> None:
    pk.alter(0, options={"deletion-vectors.enabled": "true", "deletion-vectors.merge-on-read": "TRUE"})
    assert _sizes(pk.open().list_partitions()) == {HR_0: (1, 3), HR_1: (1, 1)}
    assert pk.open().changes(pk.snapshot(3), pk.snapshot(4)).partitions[HR_0].rewrites_only


def test_what_readers_see_is_said_by_the_newest_schema_and_changes_without_a_commit(pk: Table) -> None:
    """ALTER TABLE ... SET writes a schema and no snapshot; Paimon's readers go by the newest schema at once."""
    pk.alter(0, options={"deletion-vectors.enabled": "true", "deletion-vectors.merge-on-read": "true"})
    before = pk.open().list_partitions()
    assert set(before.values) == {HR_0, HR_1}
    pk.alter(1, options={"deletion-vectors.enabled": "true"})
    table = pk.open()
    after = table.list_partitions()
    assert list(after.values) == [HR_0]
    assert before.snapshot
    assert after.snapshot
    assert before.snapshot.id == after.snapshot.id
    assert not before.snapshot.is_same_as(after.snapshot), "a remembered listing is of no use"
    assert table.current_state().snapshot == after.snapshot
    assert table.changes(before.snapshot, after.snapshot).unknown
    assert list(table.commits(before.snapshot)) == []


def test_files_without_a_bucket_so_far_are_no_partition_before_they_have_one(pk: Table) -> None:
    def postpone(record: dict[str, Any]) -> None:
        if record["_FILE"]["_LEVEL"] == 0:
            record["_BUCKET"] = -2

    for path in pk.manifests():
        pk.rewrite(path, postpone)
    assert _sizes(pk.open().list_partitions()) == {HR_0: (1, 3)}
    [change] = pk.open().changes(pk.snapshot(1), pk.snapshot(4)).partitions.values()
    assert (change.commits, change.files, change.rewrites_only) == (("4",), 1, False)
