"""The reader of Delta tables on small logs made by hand: each trap of the format once."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable

from hive_views.base_tables.port import (
    Changes,
    PartitionChange,
    PartitionListing,
    PartitionValues,
    TableState,
)
from hive_views.errors import (
    CorruptMetadataError,
    UnsupportedFeatureError,
)
from hive_views.hive.row import Column
from hive_views.storage.files import Files
from tests.unit.base_tables.delta.delta_logs import (
    LogWriter,
    add,
    deletion_vector,
    field,
    info,
    metadata,
    protocol,
    remove,
)

A, B = {"ds": "2026-08-21", "hr": "7"}, {"ds": "2026-08-22", "hr": "8"}
IN_A, IN_B = tuple(A.values()), tuple(B.values())


def counted(listing: PartitionListing) -> dict[PartitionValues, tuple[int | None, int | None]]:
    assert listing.statistics is not None
    return {values: (one.files, one.records) for values, one in zip(listing.values, listing.statistics, strict=True)}


def grown(changes: Changes) -> dict[PartitionValues, tuple[int, int | None]]:
    assert changes.unknown is None
    return {values: (one.files, one.records) for values, one in changes.partitions.items()}


class TestListing:
    def test_statistics_add_up_the_files_of_a_partition(self, log: LogWriter) -> None:
        log.commit(protocol(), metadata(), add("a", A, 3, modificationTime=9), add("b", A, 4), add("c", B, None))
        listing = log.list()
        assert listing.statistics is not None
        statistics = dict(zip(listing.values, listing.statistics, strict=True))
        assert (
            statistics[IN_A].files,
            statistics[IN_A].records,
            statistics[IN_A].bytes,
            statistics[IN_A].modified_at_ms,
        ) == (2, 7, 20, 9)
        assert (statistics[IN_B].files, statistics[IN_B].records) == (1, None), (
            "records that are not recorded are no zero"
        )

    def test_one_value_in_other_spellings_is_one_partition(self, log: LogWriter) -> None:
        """An int as '07', an empty text as NULL: the log has what its writer wrote."""
        log.commit(protocol(), metadata(), add("a", {"ds": "x", "hr": "7"}), add("b", {"ds": "x", "hr": "07"}))
        since = log.commit(add("c", {"ds": "", "hr": "1"}), add("d", {"ds": None, "hr": "1"}))
        until = log.commit(add("e", {"ds": "x", "hr": "007"}), add("f", {"ds": "", "hr": "01"}))
        assert counted(log.list()) == {("x", "7"): (3, 3), (None, "1"): (3, 3)}
        assert grown(log.changes(since, until)) == {("x", "7"): (1, 1), (None, "1"): (1, 1)}

    def test_times_in_iso_8601_are_the_same_as_others(self, log: LogWriter) -> None:
        log.commit(protocol(), metadata(field("ts", "timestamp")), add("a", {"ts": "2026-08-21 10:00:00"}))
        log.commit(add("b", {"ts": "2026-08-21T10:00:00.000000Z"}))
        assert counted(log.list()) == {("2026-08-21 10:00:00.0",): (2, 2)}
        assert grown(log.changes(0, 1)) == {("2026-08-21 10:00:00.0",): (1, 1)}

    def test_floats_are_spelled_alike_by_listing_and_changes(self, log: LogWriter) -> None:
        log.commit(protocol(), metadata(field("f", "float"), field("g", "double")))
        log.commit(add("a", {"f": "0.1", "g": "1e10"}))
        assert set(log.list().values) == set(log.changes(0, 1).partitions) == {("0.1", "1.0E10")}
        log.commit(add("b", {"f": "NaN", "g": "1"}), add("c", {"f": "NaN", "g": "1"}))
        assert counted(log.list())["NaN", "1.0"] == grown(log.changes(1, 2))["NaN", "1.0"] == (2, 2)

    def test_char_and_varchar_are_recorded_by_spark(self, log: LogWriter) -> None:
        char = field("c", "string", __CHAR_VARCHAR_TYPE_STRING="char(3)")
        log.commit(protocol(), metadata(char), add("a", {"c": "x"}))
        assert log.list().keys == (Column("c", "char(3)"),)
        assert list(log.list().values) == [("x  ",)]

    def test_texts_that_are_one_char_are_one_partition(self, log: LogWriter) -> None:
        char = field("c", "string", __CHAR_VARCHAR_TYPE_STRING="char(4)")
        log.commit(protocol(), metadata(char), add("a", {"c": "DE"}), add("b", {"c": "DE  "}, 2))
        log.commit(add("c", {"c": "DE "}, 4))
        assert counted(log.list()) == {("DE  ",): (3, 7)}
        assert grown(log.changes(0, 1)) == {("DE  ",): (1, 4)}

    def test_a_type_whose_values_have_no_text_is_refused_by_its_column(self, log: LogWriter) -> None:
        log.commit(protocol(), metadata(field("b", "binary")), add("a", {"b": "x"}))
        for ask in (log.reader().list_partitions, log.reader().current_state):
            with pytest.raises(UnsupportedFeatureError, match=r"partition column b has the Delta type binary"):
                ask()

    def test_with_column_mapping_the_names_are_those_of_users(self, log: LogWriter) -> None:
        key = field("ds", "string", **{"delta.columnMapping.id": 2, "delta.columnMapping.physicalName": "col-2"})
        number = {**field("n", "long", **{"delta.columnMapping.id": 1, "delta.columnMapping.physicalName": "col-1"})}
        mapped = metadata(key, delta_columnMapping_mode="name")
        mapped["metaData"]["schemaString"] = json.dumps({"type": "struct", "fields": [number, key]})
        log.commit(protocol(reader=2), mapped, add("a", {"col-2": "x"}))
        log.commit(add("b", {"col-2": "y"}))
        assert log.list().keys == log.reader().current_state().keys == (Column("ds", "string"),)
        assert sorted(log.list().values) == [("x",), ("y",)]
        assert grown(log.changes(0, 1)) == {("y",): (1, 1)}

    def test_a_hint_at_a_checkpoint_that_is_not_there_does_not_matter(self, log: LogWriter) -> None:
        log.commit(protocol(), metadata(), add("a", A))
        (log.log / "_last_checkpoint").write_text(json.dumps({"version": 10, "size": 1}))
        assert list(log.list().values) == [IN_A]

    def test_files_that_are_no_commits_do_not_matter(self, log: LogWriter) -> None:
        log.commit(protocol(), metadata(), add("a", A))
        for junk in ("junk.json", "00000000000000000007.json.tmp", "00000000000000000000.crc", "_commits"):
            (log.log / junk).write_text("junk")
        assert log.reader().current_state().snapshot == log.list().snapshot
        assert list(log.list().values) == [IN_A]

    def test_commits_after_a_checkpoint_count(self, log: LogWriter) -> None:
        log.commit(protocol(), metadata(), add("a", A))
        log.commit(add("b", A), info())
        DeltaTable(log.directory).create_checkpoint()
        log.path(0).unlink()
        until = log.commit(add("c", B), remove("a", A), info(timestamp=77))
        listing = log.list()
        assert counted(listing) == {IN_A: (1, 1), IN_B: (1, 1)}
        assert listing.snapshot is not None
        assert (listing.snapshot.id, listing.snapshot.committed_at_ms) == ("2", 77)
        assert log.reader().current_state().snapshot == listing.snapshot, "metaData is in the checkpoint only"
        assert grown(log.changes(1, until)) == {IN_A: (-1, -1), IN_B: (1, 1)}
        assert log.changes(0, until).unknown == "the log of web.clicks does not have version 0 any more"

    def test_a_checkpoint_in_several_parts_is_read(self, log: LogWriter) -> None:
        log.commit(protocol(), metadata(), add("a", A), add("b", B, 2))
        whole = _checkpoint(log)
        for part in (1, 2):
            rows = whole.slice(0, 2) if part == 1 else whole.slice(2)
            pq.write_table(rows, log.path(0, f"checkpoint.{part:010d}.{2:010d}.parquet"))
        log.commit(add("c", A, 3))
        log.path(0).unlink()
        assert counted(log.list()) == {IN_A: (2, 4), IN_B: (1, 2)}

    def test_a_checkpoint_with_sidecars_is_read(self, log: LogWriter) -> None:
        """Version 2 of checkpoints (Delta protocol, "V2 Spec")."""
        head = (protocol("v2Checkpoint"), metadata(delta_checkpointPolicy="v2"))
        log.commit(*head, add("a", A), add("b", B, 2))
        files = _checkpoint(log).select(["add"])
        sidecar = log.log / "_sidecars" / "1.parquet"
        sidecar.parent.mkdir()
        pq.write_table(files.filter(pc.is_valid(files["add"])), sidecar)
        size = sidecar.stat().st_size
        earlier = (
            {"checkpointMetadata": {"version": 0}},
            {"sidecar": {"path": sidecar.name, "sizeInBytes": size, "modificationTime": 1}},
        )
        name = "checkpoint.80a083e8-7026-4e79-81be-64bd76c43a11.json"
        log.path(0, name).write_text("".join(f"{json.dumps(action)}\n" for action in (*earlier, *head)))
        log.commit(add("c", A, 3))
        assert grown(log.changes(0, 1)) == {IN_A: (1, 3)}
        log.path(0).unlink()
        assert counted(log.list()) == {IN_A: (2, 4), IN_B: (1, 2)}


def _checkpoint(log: LogWriter) -> pa.Table:
    """What deltalake puts into a checkpoint of the newest version; the file itself is gone."""
    DeltaTable(log.directory).create_checkpoint()
    (log.log / "_last_checkpoint").unlink()
    (path,) = log.log.glob("*.checkpoint.parquet")
    with pq.ParquetFile(path) as file:
        rows = file.read()
    path.unlink()
    return rows


class TestTimes:
    def test_an_in_commit_timestamp_comes_before_all_others(self, log: LogWriter) -> None:
        log.commit(info(inCommitTimestamp=5_000), protocol(), metadata())
        assert log.commits(0)[0].snapshot.committed_at_ms == 5_000
        snapshot = log.list().snapshot
        assert snapshot is not None
        assert snapshot.committed_at_ms == 5_000

    def test_a_writer_whose_clock_is_behind_does_not_commit_in_the_past(self, log: LogWriter) -> None:
        log.commit(info(timestamp=9_000), protocol(), metadata())
        since = log.commit(info(timestamp=9_500))
        until = log.commit(info(timestamp=4_000), add("a", A))
        os.utime(log.path(until), (10, 10))
        snapshot = log.reader().current_state().snapshot
        assert snapshot is not None
        assert snapshot.committed_at_ms == log.commits(until)[0].snapshot.committed_at_ms == 10_000
        assert log.changes(since, until).partitions[IN_A].modified_at_ms == 10_000

    def test_the_time_of_the_file_stands_in_for_a_writer_that_says_nothing(self, log: LogWriter) -> None:
        log.commit(protocol(), metadata())
        os.utime(log.path(0), (1_700, 1_700))
        snapshot = log.list().snapshot
        assert snapshot is not None
        assert snapshot.committed_at_ms == log.commits(0)[0].snapshot.committed_at_ms == 1_700_000


class TestCommits:
    def test_a_commit_without_commit_info_does_not_shift_the_others(self, log: LogWriter) -> None:
        """The library's history() counts down from the newest, and calls version 0 version 1 here."""
        log.commit(info("CREATE TABLE"), protocol(), metadata())
        log.commit(add("a", A))
        log.commit(info("OPTIMIZE"))
        reported = [(one.snapshot.id, one.operation) for one in log.commits(2)]
        assert reported == [("2", "OPTIMIZE"), ("1", ""), ("0", "CREATE TABLE")]

    def test_properties_are_what_the_writer_said(self, log: LogWriter) -> None:
        user = json.dumps({"job": "load-7", "rows": 12})
        log.commit(info(userMetadata=user, userName="ada", operationParameters={"mode": "Append"}))
        log.commit(info(userMetadata="by hand"))
        second, first = log.commits(1)
        assert first.properties == {"userMetadata": user, "job": "load-7", "rows": "12", "userName": "ada"}
        assert second.properties == {"userMetadata": "by hand"}

    def test_transactions_are_reported_for_each_commit(self, log: LogWriter) -> None:
        """The library reports only the last one."""
        log.commit({"txn": {"appId": "etl", "version": 5}}, {"txn": {"appId": "b/c", "version": 1}})
        log.commit({"txn": {"appId": "etl", "version": 3}})
        assert [dict(one.properties) for one in log.commits(1)] == [
            {"txn.etl": "3"},
            {"txn.etl": "5", "txn.b/c": "1"},
        ]

    def test_unknown_actions_blank_lines_and_empty_commits_do_not_matter(self, log: LogWriter) -> None:
        log.commit(protocol(), metadata(), add("a", A))
        log.commit({"sorcery": {"path": "x"}}, info(wand=7))
        log.commit()
        log.path(1).write_text(f"\n{log.path(1).read_text()}\n\n")
        assert len(log.commits(2)) == 3
        assert log.changes(0, 2) == Changes()

    def test_they_end_where_another_table_begins(self, log: LogWriter) -> None:
        log.commit(info(), protocol(), metadata(id="old"))
        log.commit(info(), add("a", A))
        log.commit(info("CREATE OR REPLACE TABLE"), protocol(), metadata(id="new"))
        log.commit(info("SET TBLPROPERTIES"), metadata(id="new"))
        assert [one.snapshot.id for one in log.commits(3, "new")] == ["3", "2"]
        assert log.changes(1, 3, "new").unknown is None, "asked as if it had been the same; the caller compares ids"


class TestChanges:
    @pytest.fixture
    def log(self, tmp_path: Path) -> LogWriter:
        log = LogWriter(tmp_path / "t")
        log.commit(info(), protocol(), metadata(), add("a", A, 5), add("b", B, 6))
        return log

    def test_files_moved_without_a_change_of_data_are_a_rewrite(self, log: LogWriter) -> None:
        log.commit(info(), add("a2", A, 5, dataChange=False), remove("a", A, dataChange=False))
        log.commit(info(), remove("b", B), add("b2", B, 6))
        assert log.changes(0, 2).partitions == {
            IN_A: PartitionChange(("1",), True, 0, 0, 0, None),
            IN_B: PartitionChange(("2",), False, 0, 0, 0, 1_000),
        }

    def test_data_come_by_their_commit_or_later_if_its_clock_is_behind(self, log: LogWriter) -> None:
        """A job may commit files that it wrote an hour ago."""
        log.commit(info(timestamp=9_000), add("c", A, modificationTime=7), add("d", B, modificationTime=9_500))
        log.commit(info(timestamp=9_900), remove("c", A, dataChange=False), add("e", A, dataChange=False))
        reported = log.changes(0, 2).partitions
        assert (reported[IN_A].modified_at_ms, reported[IN_B].modified_at_ms) == (9_000, 9_500)

    def test_a_vacuum_is_no_change(self, log: LogWriter) -> None:
        log.commit(info("VACUUM START"))
        log.commit(info("VACUUM END"))
        assert log.changes(0, 2) == Changes()

    def test_what_a_remove_does_not_say_is_looked_up(self, log: LogWriter) -> None:
        """partitionValues, size and statistics of a remove are optional."""
        log.commit(info(), remove("a"), add("c", B, 1))
        log.commit(info(), remove("c"))
        assert log.changes(0, 2).partitions == {
            IN_A: PartitionChange(("1",), False, -1, -5, -10, None),
            IN_B: PartitionChange(("1", "2"), False, 0, 0, 0, 1_000),
        }

    def test_it_is_unknown_where_it_cannot_be_looked_up(self, log: LogWriter) -> None:
        log.commit(protocol(), metadata(), add("c", B))
        DeltaTable(log.directory).create_checkpoint()
        log.commit(remove("a"))
        log.commit(remove("b", B))
        log.path(0).unlink()
        (checkpoint,) = log.log.glob("*.checkpoint.parquet")
        assert grown(log.changes(1, 2)) == {IN_A: (-1, -5)}
        checkpoint.unlink()
        checksum = {"metadata": metadata()["metaData"], "protocol": protocol()["protocol"]}
        for version in (2, 3):
            log.path(version, "crc").write_text(json.dumps(checksum))
        assert log.changes(1, 2).unknown == "version 1 of web.clicks cannot be read any more"
        assert grown(log.changes(2, 3)) == {IN_B: (-1, None)}, "the place is reported, the rows are not"

    def test_rows_that_a_deletion_vector_marks_are_gone(self, log: LogWriter) -> None:
        log.commit(protocol("deletionVectors"), metadata(delta_enableDeletionVectors="true"))
        one, two = deletion_vector(0), deletion_vector(0, 3)
        log.commit(remove("a", A), add("a", A, 5, deletionVector=one))
        assert counted(log.list()) == {IN_A: (1, 4), IN_B: (1, 6)}
        log.commit(remove("a", A, deletionVector=one), add("a", A, 5, deletionVector=two))
        assert counted(log.list()) == {IN_A: (1, 3), IN_B: (1, 6)}
        for since, records in ((0, -2), (1, -2), (2, -1)):
            assert grown(log.changes(since, 3)) == {IN_A: (0, records)}
            assert log.changes(since, 3).partitions[IN_A].modified_at_ms is None, "no data were added"
        log.commit(remove("a", A, deletionVector=two), add("a", A, 5, deletionVector=one))
        assert grown(log.changes(3, 4)) == {IN_A: (0, 1)}
        assert log.changes(3, 4).partitions[IN_A].modified_at_ms is not None, "a row came back"

    @pytest.mark.parametrize(
        "path",
        [
            "ds=a%252Fb/p%20q.parquet",
            "ds=\N{LATIN SMALL LETTER A WITH DIAERESIS}/p.parquet",
            "ds=%C3%A4/p.parquet",
            "ds=50%2525/{p}.parquet",
            "file:/elsewhere/a%20b/ds=\N{LATIN SMALL LETTER A WITH DIAERESIS}/p.parquet",
            "file:///elsewhere/50%25/p.parquet",
            "s3a://elsewhere/p.parquet",
        ],
    )
    def test_a_file_loses_the_rows_of_its_deletion_vector_however_its_path_is_spelled(
        self, tmp_path: Path, path: str
    ) -> None:
        """Spark escapes other characters than deltalake does, and a shallow clone has URIs."""
        log = LogWriter(tmp_path / "a t\N{LATIN SMALL LETTER A WITH DIAERESIS}ble %")
        vector = deletion_vector(1, 2)
        log.commit(protocol("deletionVectors"), metadata(delta_enableDeletionVectors="true"))
        log.commit(add(path, A, 5, deletionVector=vector), add("b", A, 4))
        assert counted(log.list()) == {IN_A: (2, 7)}
        log.commit(remove(path, deletionVector=vector))
        assert counted(log.list()) == {IN_A: (1, 4)}
        assert grown(log.changes(1, 2)) == {IN_A: (-1, -3)}

    @pytest.mark.parametrize("paths", [("x/../p",), ("ds=%C3%A4/p", "ds=\N{LATIN SMALL LETTER A WITH DIAERESIS}/p")])
    def test_rows_are_unknown_where_a_deletion_vector_is_not_certainly_of_one_file(
        self, log: LogWriter, paths: tuple[str, ...]
    ) -> None:
        log.commit(protocol("deletionVectors"), metadata())
        log.commit(*[add(path, A, 5, deletionVector=deletion_vector(1)) for path in paths])
        assert counted(log.list()) == {IN_A: (1 + len(paths), None), IN_B: (1, None)}

    def test_records_are_not_reported_where_a_writer_left_them_out_beside_a_deletion_vector(
        self, log: LogWriter
    ) -> None:
        log.commit(protocol("deletionVectors"), metadata(), add("c", A, None, deletionVector=deletion_vector(1)))
        assert counted(log.list()) == {IN_A: (2, None), IN_B: (1, None)}

    def test_a_file_that_is_added_again_is_counted_once(self, log: LogWriter) -> None:
        """Recomputed statistics, and row ids for a table that had none."""
        log.commit(add("a", A, 4, dataChange=False))
        log.commit(add("c", B, 1))
        log.commit(add("c", B, 2, dataChange=False))
        assert counted(log.list()) == {IN_A: (1, 4), IN_B: (2, 8)}
        assert grown(log.changes(0, 3)) == {IN_A: (0, -1), IN_B: (1, 2)}
        assert log.changes(0, 1).partitions[IN_A].rewrites_only

    def test_a_file_that_comes_back_is_counted_again(self, log: LogWriter) -> None:
        log.commit(remove("a", A))
        log.commit(info("RESTORE"), add("a", A, 5, dataChange=False))
        assert counted(log.list()) == {IN_A: (1, 5), IN_B: (1, 6)}
        assert grown(log.changes(0, 2)) == {IN_A: (0, 0)}

    def test_a_gap_in_the_log_is_unknown(self, log: LogWriter) -> None:
        log.skip()
        log.commit(add("c", B))
        assert log.changes(0, 2).unknown == "the log of web.clicks does not have version 1 any more"
        with pytest.raises(CorruptMetadataError, match=r"web\.clicks.*gap"):
            log.list()

    def test_a_recreated_table_is_unknown(self, log: LogWriter) -> None:
        log.commit(add("c", B))
        log.commit(metadata(id="t2"))
        since, until = log.changes(0, 1, "t1"), log.changes(0, 2, "t1")
        assert since.unknown is None
        assert until.unknown == "web.clicks was recreated since version 2 was read"

    def test_a_recreated_table_behind_an_open_reader_is_unknown(self, log: LogWriter) -> None:
        log.commit(info(timestamp=1), add("c", B))
        reader = log.reader()
        before = reader.current_state().snapshot
        assert before is not None
        log.path(1).write_text(log.path(1).read_text().replace('"timestamp": 1,', '"timestamp": 2,'))
        assert "version 1 of web.clicks is now another commit" in str(reader.changes(log.snapshot(0), before).unknown)

    def test_other_partition_columns_are_unknown(self, log: LogWriter) -> None:
        log.commit(metadata())
        assert log.changes(0, 1) == Changes(), "the same ones, written once more"
        log.commit(metadata(field("ds", "string")), remove("a", A), add("c", {"ds": "x"}))
        assert "the partition columns of web.clicks were changed" in (log.changes(1, 2).unknown or "")
        assert log.changes(2, 2) == Changes()

    def test_a_broken_commit_is_unknown_here_and_an_error_of_the_listing(self, log: LogWriter) -> None:
        log.commit(add("c", B))
        log.path(1).write_text(log.path(1).read_text()[:30])
        assert "00000000000000000001.json" in (log.changes(0, 1).unknown or "")
        with pytest.raises(CorruptMetadataError, match=r"web\.clicks.*broken"):
            log.list()
        with pytest.raises(CorruptMetadataError, match=r"00000000000000000001\.json"):
            log.commits(1)


class TestCurrentState:
    def test_it_is_found_in_the_log_without_loading_the_state(
        self, log: LogWriter, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        log.commit(info(), protocol(), metadata())
        for number in range(40):
            log.commit(info(timestamp=number), add(f"f{number}", A))
        expected = log.list()
        monkeypatch.setattr("hive_views.base_tables.delta.table.DeltaState", None)
        state = log.reader().current_state()
        assert (state.snapshot, state.keys) == (expected.snapshot, expected.keys)

    def test_it_is_found_in_what_spark_writes_beside_a_commit(
        self, log: LogWriter, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        log.commit(info(), protocol(), metadata())
        log.commit(info(), add("a", A))
        checksum = {"metadata": metadata()["metaData"], "protocol": protocol()["protocol"], "numFiles": 1}
        log.path(1, "crc").write_text(json.dumps(checksum))
        log.path(0).unlink()
        monkeypatch.setattr("hive_views.base_tables.delta.table.DeltaState", None)
        state = log.reader().current_state()
        assert [key.name for key in state.keys] == ["ds", "hr"]
        assert state.snapshot is not None
        assert (state.snapshot.id, state.snapshot.table_id) == ("1", "t1")

    def test_the_newest_columns_count(self, log: LogWriter) -> None:
        log.commit(protocol(), metadata(id="old"))
        log.commit(metadata(field("day", "date")))
        log.commit(info())
        state = log.reader().current_state()
        assert state.keys == (Column("day", "date"),)
        assert state.snapshot is not None
        assert state.snapshot.table_id == "t1"

    def test_beside_a_known_state_only_newer_commits_are_read(
        self, log: LogWriter, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        log.commit(info(), protocol(), metadata())
        for number in range(40):
            log.commit(info(timestamp=number + 1), add(f"f{number}", A))
        listing = log.list()
        known = TableState(listing.snapshot, listing.keys, listing.note)
        log.commit(info(timestamp=50), add("new", B))
        read: list[int] = []

        def counted(files: Files, location: str) -> bytes:
            read.append(int(location.rpartition("/")[2].partition(".")[0]))
            return Path(location).read_bytes()

        monkeypatch.setattr(Files, "read", counted)
        state = log.reader().current_state(known)
        assert state.snapshot == replace(log.snapshot(41), committed_at_ms=50)
        assert state.keys == listing.keys
        assert set(read) == {40, 41}
        assert log.reader().current_state(state).snapshot == state.snapshot

    def test_a_known_state_does_not_hide_what_was_changed_since(self, log: LogWriter) -> None:
        log.commit(info(timestamp=1), protocol(), metadata())
        listing = log.list()
        log.commit(info(timestamp=2), metadata(field("day", "date")))
        log.commit(info(timestamp=3))
        state = log.reader().current_state(TableState(listing.snapshot, listing.keys, listing.note))
        assert state.keys == (Column("day", "date"),)

    def test_a_known_state_of_a_recreated_table_is_not_believed(self, log: LogWriter) -> None:
        log.commit(info(timestamp=1), protocol(), metadata())
        listing = log.list()
        log.rewrite(0, info(timestamp=9), protocol(), metadata(id="t2"))
        state = log.reader().current_state(TableState(listing.snapshot, listing.keys, listing.note))
        assert state.snapshot == replace(log.snapshot(0, "t2"), committed_at_ms=9)

    @pytest.mark.parametrize("note", ["", "garbage", "[]", '["t1", 5, 1, []]'])
    def test_a_note_that_is_none_costs_time_only(self, log: LogWriter, note: str) -> None:
        log.commit(info(timestamp=1), protocol(), metadata())
        listing = log.list()
        assert log.reader().current_state(TableState(listing.snapshot, listing.keys, note)).keys == listing.keys
