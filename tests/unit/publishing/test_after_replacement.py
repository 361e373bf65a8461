"""Publishing on tables that were replaced, restored from a copy, or written by clocks that run back."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from hive_views.readiness.rules import Rule, column, has_at_least, quiet_for
from tests.support.clocks import Clock
from tests.support.tables.delta_writer import DeltaWriter, try_again
from tests.support.tables.iceberg_writer import IcebergTable, maker_in
from tests.support.tables.publishing_lake import CLICKS, DAY, DS, FIRST, SECOND, Lake, make_lake
from tests.support.tables.writable import WritableTableWithHistory

ONE, TWO, THREE = ("2026-08-20",), ("2026-08-21",), ("2026-08-22",)
THIRD = "ds=2026-08-22"
TEN_ROWS = has_at_least(CLICKS, ds=column("ds"), records=10)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def lake(clock: Clock) -> Lake:
    return make_lake(clock_ms=clock)


@pytest.fixture
def iceberg(lake: Lake, tmp_path: Path) -> IcebergTable:
    table = maker_in(tmp_path / "iceberg")([DS])
    lake.tables[CLICKS] = table.open()
    return table


@pytest.fixture
def delta(lake: Lake, tmp_path: Path) -> DeltaWriter:
    table = DeltaWriter([DS], tmp_path / "delta")
    lake.tables[CLICKS] = table.open()
    return table


class TestReplacedIcebergTable:
    def test_the_first_day_of_a_replaced_table_does_not_retract_the_others(
        self, lake: Lake, iceberg: IcebergTable
    ) -> None:
        iceberg.append(ONE, TWO)
        assert lake.publish(DAY).added == (FIRST, SECOND)
        uuid = iceberg.table.metadata.table_uuid
        iceberg.replace()
        assert lake.publish(DAY, retract=True).retracted == ()
        iceberg.append(THREE)
        assert iceberg.table.metadata.table_uuid == uuid
        for _ in range(2):
            report = lake.publish(DAY, retract=True)
            assert (report.retracted, sorted(report.kept)) == ((), [FIRST, SECOND])
        assert lake.declared() == [FIRST, SECOND, THIRD]
        assert lake.revalidate(DAY).in_state("current") == (THIRD,)

    def test_nor_do_they_go_when_the_first_snapshots_of_either_expire(self, lake: Lake, iceberg: IcebergTable) -> None:
        iceberg.append(ONE, TWO)
        lake.publish(DAY)
        iceberg.replace()
        iceberg.append(THREE)
        lake.publish(DAY)
        iceberg.append(THREE)
        iceberg.expire()
        report = lake.publish(DAY, retract=True)
        assert (report.retracted, sorted(report.kept)) == ((), [FIRST, SECOND])

    @pytest.mark.parametrize("forgets", [False, True], ids=["as Iceberg Java", "as pyiceberg"])
    def test_a_day_that_was_dropped_is_retracted_although_the_snapshot_it_was_published_on_has_expired(
        self, lake: Lake, iceberg: IcebergTable, forgets: bool
    ) -> None:
        """Each run knows the line of the one before by its snapshot."""
        iceberg.append(ONE, TWO)
        lake.publish(DAY)
        iceberg.append(TWO)
        iceberg.append(TWO)
        lake.publish(DAY)
        iceberg.expire(keep=1 if forgets else 2)
        iceberg.drop(ONE)
        assert lake.publish(DAY, retract=True).retracted == (FIRST,)

    def test_a_table_that_is_rolled_back_to_its_old_line_is_the_old_one(
        self, lake: Lake, iceberg: IcebergTable
    ) -> None:
        iceberg.append(ONE, TWO)
        first = iceberg.snapshot()
        lake.publish(DAY)
        iceberg.replace()
        iceberg.append(THREE)
        lake.publish(DAY)
        iceberg.table.manage_snapshots().set_current_snapshot(int(first.id)).commit()
        iceberg.drop(ONE)
        report = lake.publish(DAY, retract=True)
        assert (report.retracted, list(report.kept)) == ((FIRST,), [THIRD])


def test_an_iceberg_table_that_is_restored_from_a_backup_is_read_again(lake: Lake, iceberg: IcebergTable) -> None:
    """Ids of snapshots are random, so that what came after the backup is not taken for what came before it."""
    iceberg.append(ONE, rows=10)
    backup = iceberg.table.metadata_location
    assert lake.publish(TEN_ROWS).added == (FIRST,)
    iceberg.append(TWO, rows=6)
    assert lake.publish(DAY).added == (SECOND,)
    iceberg.restore(backup)
    iceberg.append(THREE, rows=4)
    iceberg.append(TWO, rows=4)
    report = lake.publish(TEN_ROWS)
    assert (report.added, list(report.waiting)) == ((), [THIRD])
    assert lake.revalidate(DAY).in_state("unknown") == (SECOND,)
    assert lake.revalidate(DAY).in_state("current") == (FIRST,)


class TestDelta:
    def test_a_commit_that_is_tried_again_does_not_publish_a_day_early(self, lake: Lake, delta: DeltaWriter) -> None:
        delta.append(ONE, rows=6)
        assert list(lake.publish(TEN_ROWS).waiting) == [FIRST]
        try_again(delta)
        assert list(lake.publish(TEN_ROWS).waiting) == [FIRST]
        delta.append(ONE, rows=4)
        assert lake.publish(TEN_ROWS).added == (FIRST,)

    def test_a_table_restored_from_a_copy_is_read_again(self, lake: Lake, delta: DeltaWriter, tmp_path: Path) -> None:
        delta.append(ONE, rows=10)
        shutil.copytree(delta.directory, tmp_path / "copy")
        delta.append(TWO, rows=6)
        assert lake.publish(TEN_ROWS).added == (FIRST,)
        lost = lake.publish(DAY)
        assert lost.added == (SECOND,)
        shutil.rmtree(delta.directory)
        shutil.copytree(tmp_path / "copy", delta.directory)
        delta.append(THREE, rows=4)
        delta.append(TWO, rows=4)
        report = lake.publish(TEN_ROWS)
        assert (report.added, list(report.waiting)) == ((), [THIRD])
        assert lake.revalidate(DAY).in_state("unknown") == (FIRST, SECOND), "it is not the commit they depend on"


def _delta_behind(table: DeltaWriter) -> None:
    """The newest commit, as a writer makes it whose clock is 90 minutes behind the storage's."""
    newest = max((table.directory / "_delta_log").glob("*.json"))
    actions = [json.loads(line) for line in newest.read_text().splitlines()]
    for action in actions:
        for kind, timestamp in (("commitInfo", "timestamp"), ("add", "modificationTime")):
            if kind in action:
                action[kind][timestamp] -= 90 * 60_000
    newest.write_text("\n".join(map(json.dumps, actions)))


def _iceberg_behind(table: IcebergTable) -> None:
    metadata = Path(table.table.metadata_location.removeprefix("file://"))
    document = json.loads(metadata.read_text())
    document["snapshots"][-1]["timestamp-ms"] -= 90 * 60_000
    metadata.write_text(json.dumps(document))


def _quiet(seconds: float) -> Rule:
    return quiet_for(CLICKS, ds=column("ds"), seconds=seconds)


@pytest.mark.parametrize(("format_", "behind"), [("delta", _delta_behind), ("iceberg", _iceberg_behind)])
def test_data_of_a_writer_whose_clock_runs_back_did_not_come_long_ago(
    lake: Lake,
    clock: Clock,
    request: pytest.FixtureRequest,
    format_: str,
    behind: Callable[[WritableTableWithHistory], None],
) -> None:
    table = request.getfixturevalue(format_)
    table.append(ONE)
    behind(table)
    assert list(lake.publish(_quiet(3600)).waiting) == [FIRST]
    clock.ahead_ms = 3600 * 1000
    assert lake.publish(_quiet(3600)).added == (FIRST,)
