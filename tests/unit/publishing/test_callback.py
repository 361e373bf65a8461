"""What is reported to a callback of publishing, and when it is reported again. What Spark reads is made up here."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hive_views.base_tables.memory import MemoryTableWithHistory
from hive_views.errors import StorageUnavailableError
from hive_views.persisted import UNREPORTED_SUFFIX
from hive_views.publishing.report import PublishReport
from hive_views.spark import PublishedPartition, publish
from hive_views.spark.analyser.query_inputs import Inputs, InputTable
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.storage.ownership import publishing_directory
from tests.support.tables.publishing_lake import CLICKS, DAY, FIRST, SECOND, Lake

THIRD = "ds=2026-08-22"


class AnsweringSpark:
    """Stands for a session: what is asked of it is noted."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.before_answer: Callable[[str], object] = lambda name: None

    def inputs_of(self, view: str, partition: dict[str, str]) -> Inputs:
        name = f"ds={partition['ds']}"
        self.before_answer(name)
        self.asked.append(name)
        return Inputs((InputTable(CLICKS, "hive", (name,)),), {})


class Reported(list[str]):
    """A callback that notes what is reported to it, and fails for some of it."""

    def __init__(self, *failing: str) -> None:
        super().__init__()
        self.failing = failing

    def __call__(self, one: PublishedPartition) -> None:
        if one.partition in self.failing:
            raise LookupError(one.partition)
        self.append(one.partition)


@pytest.fixture
def spark(monkeypatch: pytest.MonkeyPatch) -> AnsweringSpark:
    monkeypatch.setattr("hive_views.spark.publishing.recording.inputs_of", AnsweringSpark.inputs_of)
    return AnsweringSpark()


@pytest.fixture
def clicks(lake: Lake) -> MemoryTableWithHistory:
    clicks = lake.history()
    clicks.append(("2026-08-20",), ("2026-08-21",), ("2026-08-22",))
    return clicks


def run(spark: Any, lake: Lake, reported: Reported | None, **options: Any) -> PublishReport:
    return publish(
        spark, lake.catalog, lake.view, DAY, strict=False, base_tables=lake.tables, on_published=reported, **options
    )


def notes(lake: Lake) -> list[str]:
    directory = publishing_directory(lake.catalog.load_view(lake.view).metadata)
    return [location for location in lake.catalog.storage.list_files(directory) if location.endswith(UNREPORTED_SUFFIX)]


@pytest.mark.usefixtures("clicks")
class TestCallback:
    def test_what_it_raises_for_one_keeps_no_other_from_it_and_the_next_run_calls_again(
        self, spark: AnsweringSpark, lake: Lake
    ) -> None:
        first, second = Reported(SECOND), Reported()
        with pytest.raises(LookupError, match=SECOND):
            run(spark, lake, first)
        assert first == [FIRST, THIRD]
        assert lake.declared() == [FIRST, SECOND, THIRD]
        assert run(spark, lake, second).added == ()
        assert second == [SECOND]
        assert spark.asked == [FIRST, SECOND, THIRD, SECOND]
        assert notes(lake) == []

    def test_it_is_left_alone_after_three_failures_in_a_row(
        self, spark: AnsweringSpark, lake: Lake, clicks: MemoryTableWithHistory
    ) -> None:
        clicks.append(("2026-08-23",))
        first, second = Reported(FIRST, SECOND, THIRD), Reported()
        with pytest.raises(LookupError, match=FIRST):
            run(spark, lake, first)
        assert first == []
        run(spark, lake, second)
        assert second == [FIRST, SECOND, THIRD, "ds=2026-08-23"]

    def test_it_is_called_for_what_was_noted_before_the_view_moved(self, spark: AnsweringSpark, lake: Lake) -> None:
        with pytest.raises(LookupError):
            run(spark, lake, Reported(FIRST))
        lake.catalog.alter_view(lake.view, location="memory://elsewhere/daily")
        reported = Reported()
        run(spark, lake, reported)
        assert reported == [FIRST]
        run(spark, lake, reported)
        assert reported == [FIRST]

    def test_base_partitions_that_come_back_while_spark_is_asked_retract_nothing(
        self, spark: AnsweringSpark, lake: Lake, clicks: MemoryTableWithHistory
    ) -> None:
        run(spark, lake, None, until={"ds": "2026-08-20"})
        clicks.delete(("2026-08-20",))
        assert run(spark, lake, None, retract=True, dry_run=True).retracted == (FIRST,)
        spark.before_answer = lambda name: clicks.append(("2026-08-20",))
        report = run(spark, lake, None, retract=True)
        assert (report.added, report.retracted) == ((SECOND, THIRD), ())

    def test_what_another_application_has_still_to_report_is_not_reported(
        self, spark: AnsweringSpark, lake: Lake
    ) -> None:
        hourly, nightly, hourly_again = Reported(FIRST), Reported(), Reported()
        with pytest.raises(LookupError):
            run(spark, lake, hourly, app_id="hourly", run_version=1)
        run(spark, lake, nightly, app_id="nightly", run_version=1)
        run(spark, lake, hourly_again, app_id="hourly", run_version=1)
        assert (hourly, nightly, hourly_again) == ([SECOND, THIRD], [], [FIRST])

    def test_what_somebody_else_declared_meanwhile_is_not_reported(self, spark: AnsweringSpark, lake: Lake) -> None:
        def somebody_declares(name: str) -> None:
            if name == SECOND:
                lake.catalog.partitions(lake.view).add([{"ds": "2026-08-21"}])

        spark.before_answer = somebody_declares
        reported = Reported()
        assert run(spark, lake, reported).added == (FIRST, THIRD)
        assert reported == [FIRST, THIRD]
        assert notes(lake) == []

    def test_a_run_without_one_leaves_the_calls_to_the_next_that_has_one(
        self, spark: AnsweringSpark, lake: Lake
    ) -> None:
        with pytest.raises(LookupError):
            run(spark, lake, Reported(FIRST), until={"ds": "2026-08-20"})
        noted = notes(lake)
        assert run(spark, lake, None).added == (SECOND, THIRD)
        assert notes(lake) == noted
        reported = Reported()
        run(spark, lake, reported)
        assert reported == [FIRST]

    def test_nothing_is_declared_or_reported_where_spark_does_not_answer(
        self, spark: AnsweringSpark, lake: Lake
    ) -> None:
        def fail(name: str) -> None:
            if name == THIRD:
                raise StorageUnavailableError("no answer")

        spark.before_answer = fail
        reported = Reported()
        with pytest.raises(StorageUnavailableError):
            run(spark, lake, reported)
        assert (lake.declared(), reported, notes(lake)) == ([], [], [])

    def test_a_dry_run_asks_and_notes_and_reports_nothing(self, spark: AnsweringSpark, lake: Lake) -> None:
        reported = Reported(FIRST)
        with pytest.raises(LookupError):
            run(spark, lake, reported, until={"ds": "2026-08-20"})
        asked, noted = list(spark.asked), notes(lake)
        assert run(spark, lake, reported, dry_run=True).added == (SECOND, THIRD)
        assert (spark.asked, notes(lake), reported) == (asked, noted, [])


class TestNotes:
    @pytest.mark.parametrize("content", [b"", b'{"published-by": "hive_v', b"\xff"])
    def test_one_that_is_half_written_names_nothing(
        self, spark: AnsweringSpark, lake: Lake, clicks: MemoryTableWithHistory, content: bytes
    ) -> None:
        view = lake.catalog.load_view(lake.view)
        half = f"{publishing_directory(view.metadata)}/{view.uuid}-0-0{UNREPORTED_SUFFIX}"
        lake.catalog.storage.write_bytes(half, content)
        reported = Reported()
        run(spark, lake, reported)
        assert reported == [FIRST, SECOND, THIRD]
        assert notes(lake) == [half]

    def test_one_that_cannot_be_taken_away_is_reported_again_and_the_run_succeeds(
        self,
        spark: AnsweringSpark,
        lake: Lake,
        clicks: MemoryTableWithHistory,
        monkeypatch: pytest.MonkeyPatch,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        def refuse(_: MetadataStorage, location: str) -> None:
            raise StorageUnavailableError(f"Cannot delete {location}.")

        reported = Reported()
        with monkeypatch.context() as denied, caplog.at_level(logging.WARNING, "hive_views"):
            denied.setattr(MetadataStorage, "delete", refuse)
            assert run(spark, lake, reported).added == (FIRST, SECOND, THIRD)
        assert "3 partitions will be reported again" in caplog.text
        run(spark, lake, reported)
        assert reported == [FIRST, SECOND, THIRD] * 2

    def test_a_purge_takes_them_away_and_leaves_those_of_another_view(
        self, spark: AnsweringSpark, lake: Lake, clicks: MemoryTableWithHistory, tmp_path: Path
    ) -> None:
        with pytest.raises(LookupError):
            run(spark, lake, Reported(FIRST))
        [mine] = notes(lake)
        others = mine.rpartition("/")[0] + f"/another-view-0{UNREPORTED_SUFFIX}"
        lake.catalog.storage.write_bytes(others, b"{}")
        lake.catalog.drop_view(lake.view, purge=True)
        assert lake.catalog.storage.list_files(mine.rpartition("/")[0]) == [others]

    def test_they_are_a_view_s_own_although_another_is_registered_from_its_file(
        self, spark: AnsweringSpark, lake: Lake, clicks: MemoryTableWithHistory
    ) -> None:
        with pytest.raises(LookupError):
            run(spark, lake, Reported(FIRST))
        [mine] = notes(lake)
        twin = lake.catalog.register_view("default.twin", lake.catalog.load_view(lake.view).metadata_location)
        [theirs] = set(notes(lake)) - {mine}
        assert lake.catalog.storage.read_bytes(theirs) == lake.catalog.storage.read_bytes(mine)
        lake.catalog.drop_view(twin.identifier, purge=True)
        assert notes(lake) == [mine]
