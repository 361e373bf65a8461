"""Commits of Delta tables that come twice: tried again by their writer, or recreated after a copy was restored."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from deltalake import DeltaTable

from hive_views.base_tables.port import Changes, PartitionListing, TableState
from tests.support.tables.delta_writer import DeltaWriter, try_again
from tests.support.tables.writable import DS, HR, A, B, C, grown, sizes
from tests.unit.base_tables.delta.delta_logs import (
    Action,
    LogWriter,
    add,
    deletion_vector,
    info,
    metadata,
    protocol,
    remove,
)

IN_A, IN_B = ({"ds": ds, "hr": hr} for ds, hr in (A, B))
VECTOR, OTHER_VECTOR = deletion_vector(0), deletion_vector(0, 1)
UUID = "f47ac10b-58cc-4372-a567-0e02b2c3d479"


@pytest.fixture
def table(tmp_path: Path) -> DeltaWriter:
    return DeltaWriter([DS, HR], tmp_path / "t")


@pytest.mark.parametrize(
    "commit",
    [
        pytest.param(lambda table: table.append(A, rows=5), id="append"),
        pytest.param(lambda table: table.overwrite(A, rows=5), id="overwrite"),
        pytest.param(lambda table: table.drop(A), id="drop"),
        pytest.param(lambda table: table.compact(A), id="compact"),
    ],
)
def test_a_commit_that_is_tried_again_changes_nothing(
    table: DeltaWriter, commit: Callable[[DeltaWriter], None]
) -> None:
    table.append(A, B, rows=2)
    table.append(A)
    before = table.list()
    commit(table)
    once = table.list()
    try_again(table)
    twice = table.list()
    assert sizes(once) == sizes(twice)
    for listing in (before, once):
        assert grown(listing, _changes(table, listing, twice)) == sizes(twice)


_HEAD = (protocol("deletionVectors"), metadata(delta_enableDeletionVectors="true"))


@pytest.mark.parametrize(
    "commits",
    [
        pytest.param([[add("a", IN_A, 5)], [add("a", IN_A, 7)]], id="other statistics"),
        pytest.param([[add("a", IN_A, 5)], [add("a", IN_A, 5, modificationTime=9_000)]], id="written again"),
        pytest.param([[add("a", IN_A, 5), add("b", IN_A, 5)], [remove("a", IN_A), add("a2", IN_A, 3)] * 2], id="merge"),
        pytest.param([[add("a", IN_A, 5)], [remove("a", IN_A)], [remove("a", IN_A)]], id="removed twice"),
        pytest.param(
            [[add("a", IN_A, 5)], [remove("a", IN_A)], [add("a", IN_A, 5)], [add("a", IN_A, 5)]], id="back twice"
        ),
        pytest.param(
            [[add("a", IN_A, 5)], *[[remove("a", IN_A), add("a", IN_A, 5, deletionVector=VECTOR)]] * 2],
            id="deletion vector",
        ),
        pytest.param(
            [
                [add("a", IN_A, 5)],
                [remove("a", IN_A), add("a", IN_A, 5, deletionVector=VECTOR)],
                *[
                    [
                        remove("a", IN_A, deletionVector=VECTOR),
                        add("a", IN_A, 5, deletionVector=OTHER_VECTOR),
                    ]
                ]
                * 2,
            ],
            id="second deletion vector",
        ),
        pytest.param([[add("a", IN_A, 5)], [add("a", IN_B, 5)]], id="to another partition"),
    ],
)
def test_the_newest_action_on_a_file_replaces_the_older_ones(tmp_path: Path, commits: list[list[Action]]) -> None:
    """From wherever it is looked at; and deltalake lists the same, from commits and from a checkpoint."""
    log = LogWriter(tmp_path / "t")
    log.commit(info(), *_HEAD, add("z", IN_B, 1))
    listings = [log.list()]
    for at, actions in enumerate(commits, 2):
        log.commit(info(timestamp=at * 1_000), *actions)
        listings.append(log.list())
        for before in listings:
            assert grown(before, _changes_of_log(log, before)) == sizes(listings[-1])
    DeltaTable(log.directory).create_checkpoint()
    assert sizes(log.list()) == sizes(listings[-1])


def test_files_that_are_certainly_new_are_not_looked_for_in_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An append costs no listing: its files have names that no other has, and are younger than the last commit."""
    log = LogWriter(tmp_path / "t")
    log.commit(info(), protocol(), metadata(), add("a", IN_A, 5))
    log.commit(info(timestamp=3_000), add(f"part-00000-{UUID}-c000.parquet", IN_A, 2, modificationTime=2_000))
    monkeypatch.setattr("hive_views.base_tables.delta.table.DeltaState", None)
    assert log.changes(0, 1).partitions[A].records == 2


def test_nothing_is_reported_where_nobody_knows_whether_a_file_was_there(tmp_path: Path) -> None:
    log = LogWriter(tmp_path / "t")
    log.commit(info(), protocol(), metadata(), add("a", IN_A, 5))
    since = log.commit(info(), metadata())
    log.commit(info(), add("a", IN_A, 5))
    log.path(0).unlink()
    log.path(2, "crc").write_text(json.dumps({"metadata": metadata()["metaData"], "protocol": protocol()["protocol"]}))
    assert log.changes(since, 2).unknown


def test_a_partition_is_still_there_after_a_compaction_whose_state_before_has_expired(table: DeltaWriter) -> None:
    table.append(A, B, rows=2)
    table.append(A, B, rows=2)
    since = table.list()
    table.compact(A)
    table.expire(keep=2)
    changes = _changes(table, since, table.list())
    assert changes.unknown is None
    assert {values: change.files for values, change in changes.partitions.items()} == {A: -1}


class TestRestoredFromACopy:
    """The same table id, and versions used again by other commits."""

    @pytest.fixture
    def copy(self, tmp_path: Path) -> Path:
        return tmp_path / "copy"

    def restore(self, table: DeltaWriter, copy: Path) -> None:
        shutil.rmtree(table.directory)
        shutil.copytree(copy, table.directory)

    def test_what_changed_since_a_commit_that_was_replaced_is_unknown(self, table: DeltaWriter, copy: Path) -> None:
        table.append(A, rows=2)
        shared = table.list()
        shutil.copytree(table.directory, copy)
        table.append(B, rows=3)
        lost = table.list()
        self.restore(table, copy)
        table.append(C)
        same_version = table.list()
        table.append(C)
        later = table.list()
        assert _version(same_version) == _version(lost)
        assert lost.snapshot is not None
        assert same_version.snapshot is not None
        assert not lost.snapshot.is_same_as(same_version.snapshot)
        for newer in (same_version, later):
            assert "is now another commit" in str(_changes(table, lost, newer).unknown)
            assert grown(shared, _changes(table, shared, newer)) == sizes(newer)

    def test_a_known_state_that_was_replaced_does_not_give_the_columns(self, table: DeltaWriter, copy: Path) -> None:
        table.append(A)
        shutil.copytree(table.directory, copy)
        DeltaTable(table.directory).alter.set_table_properties({"delta.appendOnly": "false"})
        lost = table.list()
        self.restore(table, copy)
        DeltaTable(table.directory).alter.set_table_properties({"delta.appendOnly": "true"})
        state = table.open().current_state(TableState(lost.snapshot, lost.keys, lost.note))
        assert state.snapshot == table.list().snapshot != lost.snapshot

    def test_a_version_whose_commit_was_cleaned_up_is_no_version_that_is_known(self, tmp_path: Path) -> None:
        log = LogWriter(tmp_path / "t")
        log.commit(info(), protocol(), metadata(), add("a", IN_A, 5))
        before = log.list()
        DeltaTable(log.directory).create_checkpoint()
        log.path(0).unlink()
        after = log.list()
        assert before.snapshot is not None
        assert after.snapshot is not None
        assert not before.snapshot.is_same_as(after.snapshot)
        assert log.reader().changes(before.snapshot, after.snapshot).unknown


def _changes(table: DeltaWriter, since: PartitionListing, until: PartitionListing) -> Changes:
    assert since.snapshot is not None
    assert until.snapshot is not None
    return table.open().changes(since.snapshot, until.snapshot)


def _changes_of_log(log: LogWriter, since: PartitionListing) -> Changes:
    reader = log.reader()
    until = reader.current_state().snapshot
    assert since.snapshot is not None
    assert until is not None
    return reader.changes(since.snapshot, until)


def _version(listing: PartitionListing) -> str:
    assert listing.snapshot is not None
    return listing.snapshot.id
