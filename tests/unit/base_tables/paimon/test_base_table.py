"""Paimon tables whose metadata is not as tidy as a writer leaves it.

The tables are those of paimon_tables/, which Java wrote, changed by hand.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import fastavro
import pytest

from hive_views.base_tables.paimon.table import PaimonBaseTable
from hive_views.base_tables.port import PartitionChange, PartitionListing, Snapshot
from hive_views.errors import CorruptMetadataError, HiveViewsError, NoSuchTableError, UnsupportedFeatureError
from hive_views.storage.files import Files
from tests.unit.base_tables.paimon.paimon_by_hand import InterruptedFiles, Table

HR_0, HR_1 = ("2024-01-01", "0"), ("2024-01-01", "1")


def _sizes(listing: PartitionListing) -> dict[Any, tuple[int | None, int | None]]:
    assert listing.statistics
    return {v: (one.files, one.records) for v, one in zip(listing.values, listing.statistics, strict=True)}


@pytest.mark.parametrize(
    ("name", "snapshot", "sizes"),
    [("pk", "4", {HR_0: (1, 3), HR_1: (1, 1)}), ("ap", "3", {HR_0: (3, 3), HR_1: (1, 1)})],
)
def test_a_table_that_java_wrote_is_listed(
    tmp_path: Path, name: str, snapshot: str, sizes: dict[Any, tuple[int, int]]
) -> None:
    listing = Table(name, tmp_path).open().list_partitions()
    assert [(key.name, key.type) for key in listing.keys] == [("ds", "string"), ("hr", "int")]
    assert listing.snapshot
    assert listing.snapshot.id == snapshot
    assert _sizes(listing) == sizes


def test_a_compaction_by_java_is_only_a_rewrite(pk: Table) -> None:
    table = pk.open()
    assert table.changes(pk.snapshot(3), pk.snapshot(4)).partitions == {
        HR_0: PartitionChange(("4",), rewrites_only=True, files=-2, bytes=-2509)
    }
    change = table.changes(pk.snapshot(2), pk.snapshot(4)).partitions[HR_0]
    assert (change.commits, change.rewrites_only, change.files) == (("3", "4"), False, -1)
    assert change.records is None, "its files are merged when they are read"
    assert change.modified_at_ms == pk.content(3)["timeMillis"], "a compaction adds no data"


def test_commits_report_kind_user_and_properties(pk: Table) -> None:
    pk.change(4, properties={"job": "load-7"})
    table = pk.open()
    commits = list(table.commits(pk.snapshot(4)))
    assert [(one.snapshot.id, one.operation) for one in commits] == [
        ("4", "COMPACT"), ("3", "APPEND"), ("2", "APPEND"), ("1", "APPEND"),
    ]  # fmt: skip
    assert commits[0].properties == {
        "job": "load-7",
        "commitUser": pk.content(4)["commitUser"],
        "commitIdentifier": "9223372036854775807",
    }


@pytest.mark.parametrize("hint", ["LATEST", "EARLIEST"])
@pytest.mark.parametrize("content", [None, "", "abc", "1", "99", "-1"])
def test_hints_are_never_trusted(pk: Table, hint: str, content: str | None) -> None:
    path = pk.directory / "snapshot" / hint
    path.unlink()
    if content is not None:
        path.write_text(content)
    table = pk.open()
    listing = table.list_partitions()
    assert listing.snapshot
    assert listing.snapshot.id == "4"
    assert table.current_state().snapshot == listing.snapshot
    assert len(list(table.commits(listing.snapshot))) == 4


@pytest.mark.parametrize("name", [".snapshot-5.8f0e.tmp", "snapshot-5.tmp", "snapshot-", "snapshot-x", "xsnapshot-5"])
def test_a_file_that_is_being_written_is_no_snapshot(pk: Table, name: str) -> None:
    (pk.directory / "snapshot" / name).write_text("{")
    assert pk.open().current_state().snapshot == pk.open().list_partitions().snapshot
    assert pk.open().list_partitions().snapshot is not None


def test_snapshot_10_comes_after_snapshot_9(pk: Table) -> None:
    pk.path(3).rename(pk.path(9))
    pk.change(9, id=9)
    pk.path(4).rename(pk.path(10))
    pk.change(10, id=10)
    state = pk.open().current_state()
    assert state.snapshot
    assert state.snapshot.id == "10"


def test_what_changed_across_a_gap_is_unknown(pk: Table) -> None:
    pk.path(3).unlink()
    table = pk.open()
    assert _sizes(table.list_partitions()) == {HR_0: (1, 3), HR_1: (1, 1)}
    assert (
        table.changes(pk.snapshot(2), pk.snapshot(4)).unknown
        == "snapshot 3 of web.clicks has expired or was rolled back"
    )
    assert [one.snapshot.id for one in table.commits(pk.snapshot(4))] == ["4"]


@pytest.mark.parametrize(("since", "until"), [(1, 4), (3, 4), (2, 3)])
@pytest.mark.parametrize("file", ["snapshot", "manifest"])
def test_what_expired_files_recorded_is_unknown(pk: Table, since: int, until: int, file: str) -> None:
    states = [pk.snapshot(since), pk.snapshot(until)]
    if file == "snapshot":
        pk.path(since).unlink()
    else:
        (pk.directory / "manifest" / pk.content(until)["deltaManifestList"]).unlink()
    changes = pk.open().changes(*states)
    assert changes.unknown
    assert "has expired" in changes.unknown
    assert not changes.partitions


@pytest.mark.parametrize("identity", [{"uuid": "another"}, {"commitUser": "another"}, {"timeMillis": 1}])
@pytest.mark.parametrize("which", [2, 4])
def test_an_id_reused_after_a_roll_back_is_another_snapshot(pk: Table, which: int, identity: dict[str, object]) -> None:
    since, until = pk.snapshot(2), pk.snapshot(4)
    pk.change(which, **identity)
    assert not pk.snapshot(which).is_same_as({2: since, 4: until}[which])
    changes = pk.open().changes(since, until)
    assert changes.unknown == f"snapshot {which} of web.clicks is now another one after a roll-back or a recreation"
    assert bool(list(pk.open().commits(until))) is (which != 4)


def test_what_changed_since_a_snapshot_that_was_rolled_back_is_unknown(pk: Table) -> None:
    since = pk.snapshot(4)
    pk.path(4).unlink()
    table = pk.open()
    now = table.current_state().snapshot
    assert now
    assert now.id == "3"
    assert table.changes(since, now).unknown == "web.clicks was rolled back from snapshot 4 to 3"
    pk.path(3).with_name("snapshot-4").write_text(json.dumps({**pk.content(3), "id": 4, "uuid": "another"}))
    assert table.changes(since, pk.snapshot(4)).unknown


def test_a_table_is_known_by_the_time_of_its_first_schema(pk: Table) -> None:
    before = pk.open().current_state().snapshot
    assert before
    pk.alter(1, timeMillis=1)
    pk.alter(2, timeMillis=2)
    for number in (1, 2, 3):
        pk.path(number).unlink()
    after = pk.open().list_partitions().snapshot
    assert after
    assert after.is_same_as(before), "all that was recorded has expired"
    pk.alter(0, timeMillis=3)
    recreated = pk.open().list_partitions().snapshot
    assert recreated
    assert recreated.table_id != before.table_id
    assert pk.open().changes(before, recreated).unknown
    pk.alter(0, timeMillis=None)
    commits = list(pk.open().commits(pk.snapshot(4)))
    assert not commits, "a table that does not record when it was made is known by its commits only"
    [unreported] = [one for one in [pk.open().current_state().snapshot] if one]
    assert unreported.table_id == unreported.commit_id


def test_a_snapshot_of_another_format_is_unknown_and_no_error(pk: Table) -> None:
    foreign = Snapshot("00000000000000000001.json", "x")
    assert pk.open().changes(foreign, pk.snapshot(4)).unknown
    assert list(pk.open().commits(foreign)) == []


@pytest.mark.parametrize("version", [4, 99, -1, "3", True])
@pytest.mark.parametrize("file", ["snapshot", "schema"])
def test_a_version_that_is_not_known_is_refused_by_name(pk: Table, file: str, version: object) -> None:
    path = pk.directory / file / ("snapshot-4" if file == "snapshot" else "schema-0")
    path.write_text(json.dumps({**json.loads(path.read_text()), "version": version}))
    if version is True:
        pk.open().list_partitions()
        return
    with pytest.raises(UnsupportedFeatureError, match=rf"{file}-. of web\.clicks: it has version {version}"):
        pk.open().list_partitions()
    if file == "snapshot":
        assert f"version {version}" in str(pk.open().changes(pk.snapshot(3), pk.snapshot(4)).unknown)


def test_the_first_releases_wrote_no_version(pk: Table) -> None:
    pk.change(4, version=None)
    assert len(pk.open().list_partitions().values) == 2


def test_a_manifest_of_another_version_is_refused_by_name(pk: Table) -> None:
    for path in pk.manifests():
        pk.rewrite(path, lambda record: record.update(_VERSION=3))
    with pytest.raises(UnsupportedFeatureError, match=r"manifest-.* of web\.clicks: it has version 3"):
        pk.open().list_partitions()
    assert pk.open().changes(pk.snapshot(3), pk.snapshot(4)).unknown


def test_an_entry_that_neither_adds_nor_deletes_is_refused(pk: Table) -> None:
    for path in pk.manifests():
        pk.rewrite(path, lambda record: record.update(_KIND=2))
    with pytest.raises(UnsupportedFeatureError, match="an entry of kind 2"):
        pk.open().list_partitions()


def test_manifests_that_are_no_avro_are_refused_by_the_option(pk: Table) -> None:
    for path in pk.manifests():
        path.write_bytes(b"PAR1")
    with pytest.raises(UnsupportedFeatureError, match=r"manifest\.format"):
        pk.open().list_partitions()


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"version": 3}', b"\xff"])
@pytest.mark.parametrize("file", ["snapshot/snapshot-4", "schema/schema-0"])
def test_a_broken_file_is_named(pk: Table, file: str, content: bytes) -> None:
    since, until = pk.snapshot(3), pk.snapshot(4)
    (pk.directory / file).write_bytes(content)
    with pytest.raises(CorruptMetadataError, match=file):
        pk.open().list_partitions()
    assert file in str(pk.open().changes(since, until).unknown)


@pytest.mark.parametrize("end", [-100, 3, 0])
def test_a_broken_manifest_is_named(pk: Table, end: int) -> None:
    broken = pk.manifests()[0]
    broken.write_bytes(broken.read_bytes()[:end])
    with pytest.raises(CorruptMetadataError, match=broken.name):
        pk.open().list_partitions()


@pytest.mark.parametrize("which", ["manifest-list", "manifest"])
def test_avro_that_is_cut_between_two_blocks_is_named(pk: Table, which: str) -> None:
    newest = pk.directory / "manifest" / pk.content(4)["deltaManifestList"]
    broken = newest if which == "manifest-list" else newest.with_name(pk.read(newest)[0]["_FILE_NAME"])
    content = broken.read_bytes()
    broken.write_bytes(content[: content.index(content[-16:]) + 16])
    assert pk.read(broken) == [], "it looks whole"
    with pytest.raises(
        CorruptMetadataError, match=rf"{broken.name} of web\.clicks: it has \d+ of {len(content)} bytes"
    ):
        pk.open().list_partitions()


def test_a_directory_without_schema_is_no_table(tmp_path: Path) -> None:
    table = PaimonBaseTable("web.clicks", str(tmp_path), Files())
    for read in (table.list_partitions, table.current_state):
        with pytest.raises(NoSuchTableError, match=r"no Paimon table at .*schema-0"):
            read()


def test_a_table_without_commits_takes_its_columns_from_the_newest_schema(pk: Table) -> None:
    shutil.rmtree(pk.directory / "snapshot")
    schema = json.loads((pk.directory / "schema" / "schema-0").read_text())
    (pk.directory / "schema" / "schema-1").write_text(json.dumps({**schema, "partitionKeys": ["hr"]}))
    listing = pk.open().list_partitions()
    assert ([key.name for key in listing.keys], list(listing.values), listing.snapshot) == (["hr"], [], None)


def test_columns_are_those_of_the_snapshots_own_schema(pk: Table) -> None:
    schema = json.loads((pk.directory / "schema" / "schema-0").read_text())
    (pk.directory / "schema" / "schema-1").write_text(json.dumps({**schema, "partitionKeys": []}))
    assert [key.name for key in pk.open().current_state().keys] == ["ds", "hr"]
    pk.change(4, schemaId=1)
    assert pk.open().changes(pk.snapshot(3), pk.snapshot(4)).unknown


@pytest.mark.parametrize(("stored", "watermark_ms"), [(None, None), (-(2**63), None), (1795254042265, 1795254042265)])
def test_the_watermark_is_reported_unless_there_is_none(
    pk: Table, stored: int | None, watermark_ms: int | None
) -> None:
    pk.change(4, watermark=stored)
    snapshot = pk.open().current_state().snapshot
    assert snapshot
    assert snapshot.watermark_ms == watermark_ms


@pytest.mark.parametrize(
    ("kind", "rewrites_only"), [("OVERWRITE", False), ("APPEND", False), ("compact", True), ("ANALYZE", True)]
)
def test_the_kind_of_a_commit_says_whether_it_changed_data(pk: Table, kind: str, rewrites_only: bool) -> None:
    pk.change(4, commitKind=kind, deltaRecordCount=0)
    assert pk.open().changes(pk.snapshot(3), pk.snapshot(4)).partitions[HR_0].rewrites_only is rewrites_only


def test_what_a_commit_of_an_unknown_kind_did_is_unknown(pk: Table) -> None:
    pk.change(4, commitKind="MERGE")
    assert pk.open().changes(pk.snapshot(3), pk.snapshot(4)).unknown == "snapshot 4 of web.clicks is an unknown MERGE"
    assert len(pk.open().list_partitions().values) == 2


def test_a_snapshot_that_expires_while_it_is_read_is_replaced_by_the_then_newest(pk: Table) -> None:
    newest = pk.content(4)

    def commit(location: str) -> None:
        if location.endswith("snapshot-4"):
            pk.path(5).write_text(json.dumps({**newest, "id": 5}))
            pk.path(4).unlink(missing_ok=True)

    listing = pk.open(InterruptedFiles(commit)).list_partitions()
    assert listing.snapshot
    assert listing.snapshot.id == "5"
    assert len(listing.values) == 2


def test_manifests_that_expire_while_they_are_read_are_replaced_by_the_then_newest(pk: Table) -> None:
    newest = pk.content(4)
    old = pk.directory / "manifest" / newest["baseManifestList"]

    def commit(location: str) -> None:
        if location.endswith(old.name) and old.exists():
            pk.path(5).write_text(json.dumps({**newest, "id": 5, "baseManifestList": "base"}))
            pk.path(4).unlink()
            old.rename(old.with_name("base"))

    listing = pk.open(InterruptedFiles(commit)).list_partitions()
    assert listing.snapshot
    assert listing.snapshot.id == "5"
    assert len(listing.values) == 2


def test_a_file_that_is_missing_for_good_is_named_after_some_attempts(pk: Table) -> None:
    missing = pk.directory / "manifest" / pk.content(4)["baseManifestList"]
    missing.unlink()
    read: list[str] = []
    with pytest.raises(CorruptMetadataError, match=missing.name):
        pk.open(InterruptedFiles(read.append)).list_partitions()
    assert 1 < len([one for one in read if one.endswith(missing.name)]) <= 10


def test_the_current_state_is_found_without_manifests(pk: Table) -> None:
    read: list[str] = []
    state = pk.open(InterruptedFiles(read.append)).current_state()
    assert [key.name for key in state.keys] == ["ds", "hr"]
    assert [Path(one).name for one in read] == ["snapshot-4", "schema-0"]


def test_changes_read_only_what_the_commits_in_between_wrote(pk: Table) -> None:
    read: list[str] = []
    pk.open(InterruptedFiles(read.append)).changes(pk.snapshot(3), pk.snapshot(4))
    base = {pk.content(number)["baseManifestList"] for number in range(1, 5)}
    assert not base & {Path(one).name for one in read}
    assert len([one for one in read if "/manifest/" in one]) == 2, "a list and a manifest"


def test_without_fastavro_the_extra_is_named(pk: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastavro", None)
    with pytest.raises(UnsupportedFeatureError, match=r'pip install "hive_views\[paimon\]"'):
        pk.open().list_partitions()


def test_without_zstandard_the_extra_is_named(pk: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    def without(*_: object, **__: object) -> object:
        raise ValueError("zstandard codec is supported but you need to install one of: backports.zstd")

    monkeypatch.setattr(fastavro, "reader", without)
    with pytest.raises(HiveViewsError, match=r'pip install "hive_views\[paimon\]"'):
        pk.open().list_partitions()
