"""Publishing from real Delta, Iceberg and Paimon tables: re-runs that look at changes only, and what they retract."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from hive_views.base_tables.port import PartitionListing, TableWithHistory
from hive_views.readiness.rules import column, requires
from tests.support.tables.delta_writer import DeltaMaker
from tests.support.tables.iceberg_writer import maker_in
from tests.support.tables.paimon_tables import PaimonMaker
from tests.support.tables.publishing_lake import Lake, make_lake
from tests.support.tables.writable import DS, HR, HistoryMaker, WritableTableWithHistory

FIRST, SECOND, THIRD = "ds=2026-08-20", "ds=2026-08-21", "ds=2026-08-22"
RULE = requires("web.clicks", ds=column("ds"), hr=["7", "8"])


@pytest.fixture(params=["delta", "iceberg", "paimon"])
def written(request: pytest.FixtureRequest, tmp_path: Path) -> WritableTableWithHistory:
    if request.param == "iceberg":
        return maker_in(tmp_path)((DS, HR))
    maker: HistoryMaker = DeltaMaker(tmp_path) if request.param == "delta" else PaimonMaker(tmp_path)
    return maker.make((DS, HR))


@pytest.fixture
def lake() -> Lake:
    return make_lake()


def open_in(lake: Lake, written: WritableTableWithHistory) -> TableWithHistory:
    """As every run does it: nothing that was read by an earlier run is there."""
    table = written.open()
    lake.tables["web.clicks"] = table
    return table


def forbid_listing(table: TableWithHistory, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> PartitionListing:
        raise AssertionError("the table is listed as a whole")

    monkeypatch.setattr(table, "list_partitions", fail)


def hours(day: str) -> tuple[tuple[str, str], tuple[str, str]]:
    return (day.removeprefix("ds="), "7"), (day.removeprefix("ds="), "8")


def test_a_second_run_looks_only_at_what_changed(
    lake: Lake, written: WritableTableWithHistory, monkeypatch: pytest.MonkeyPatch
) -> None:
    written.append(*hours(FIRST), hours(SECOND)[0], rows=3)
    open_in(lake, written)
    assert lake.publish(RULE).added == (FIRST,)

    forbid_listing(open_in(lake, written), monkeypatch)
    report = lake.publish(RULE)
    assert (report.already_published, list(report.waiting)) == ((FIRST,), [SECOND])

    written.append(hours(SECOND)[1], *hours(THIRD))
    forbid_listing(open_in(lake, written), monkeypatch)
    assert lake.publish(RULE).added == (SECOND, THIRD)

    forbid_listing(open_in(lake, written), monkeypatch)
    assert lake.publish(RULE).already_published == (FIRST, SECOND, THIRD)
    fresh = open_in(lake, written)
    assert set(fresh.list_partitions().values) == {*hours(FIRST), *hours(SECOND), *hours(THIRD)}


def test_the_state_of_the_base_tables_is_reported_and_what_lost_them_is_retracted(
    lake: Lake, written: WritableTableWithHistory
) -> None:
    written.append(*hours(FIRST), *hours(SECOND))
    written.append(*hours(FIRST), *hours(THIRD))
    open_in(lake, written)
    lake.publish(RULE)
    assert set(lake.states(RULE).values()) == {"current"}

    written.compact(hours(FIRST)[0])
    written.append(hours(SECOND)[1])
    written.drop(hours(THIRD)[0])
    open_in(lake, written)
    found = lake.revalidate(RULE).partitions
    assert {name: one.state for name, one in found.items()} == {
        FIRST: "rewritten",
        SECOND: "changed",
        THIRD: "missing",
    }
    reported = {commit.snapshot.id: commit for commit in open_in(lake, written).commits(written.snapshot())}
    for name in (FIRST, SECOND, THIRD):
        [commits] = found[name].commits.values()
        assert set(commits) <= set(reported)
    assert lake.publish(RULE, retract=True).retracted == (THIRD,)


def test_a_history_that_is_gone_is_unknown_and_a_recreated_table_retracts_nothing(
    lake: Lake, written: WritableTableWithHistory
) -> None:
    written.append(*hours(FIRST), *hours(SECOND))
    open_in(lake, written)
    lake.publish(RULE)
    written.append(hours(THIRD)[0])
    written.append(hours(THIRD)[1])
    written.expire()
    open_in(lake, written)
    assert set(lake.states(RULE).values()) == {"unknown"}
    assert lake.publish(RULE).added == (THIRD,), "what is remembered is of no use, and a full listing is"

    written.recreate()
    written.append(*hours(SECOND))
    open_in(lake, written)
    report = lake.publish(RULE, retract=True)
    assert (report.retracted, report.added) == ((), ())
    assert set(report.kept) == {FIRST, THIRD}
    assert all("web.clicks may be another table with the same name" in reason for reason in report.kept.values())
    assert lake.declared() == [FIRST, SECOND, THIRD]


@pytest.mark.peer("pypaimon")
def test_what_lost_its_base_partitions_in_a_paimon_table_is_retracted_though_the_history_is_gone(
    lake: Lake, tmp_path: Path
) -> None:
    written = PaimonMaker(tmp_path).make((DS, HR))
    written.append(*hours(FIRST), *hours(SECOND))
    open_in(lake, written)
    assert lake.publish(RULE).added == (FIRST, SECOND)
    written.drop(hours(FIRST)[0])
    written.append(*hours(THIRD))
    written.append(hours(THIRD)[0])
    written.expire()
    open_in(lake, written)
    report = lake.publish(RULE, retract=True)
    assert (report.retracted, report.added, dict(report.kept)) == ((FIRST,), (THIRD,), {})


@pytest.mark.peer("pypaimon")
def test_nothing_is_taken_for_what_it_was_in_a_paimon_table_that_was_restored_from_a_copy(
    lake: Lake, tmp_path: Path
) -> None:
    """The copy gives the ids of snapshots again; with them, neither a memory nor a record of ours may be believed."""
    written = PaimonMaker(tmp_path / "paimon").make((DS, HR))
    written.append(*hours(FIRST))
    shutil.copytree(written.location, tmp_path / "copy")
    written.append(*hours(SECOND), hours(THIRD)[0])
    lost = written.snapshot()
    open_in(lake, written)
    assert lake.publish(RULE).added == (FIRST, SECOND)

    shutil.rmtree(written.location)
    shutil.copytree(tmp_path / "copy", written.location)
    written.append(hours(SECOND)[0], hours(THIRD)[1])
    assert written.snapshot().id == lost.id
    open_in(lake, written)
    assert lake.states(RULE) == {FIRST: "unknown", SECOND: "missing"}
    report = lake.publish(RULE, retract=True)
    assert (report.added, report.retracted) == ((), (SECOND,)), "half of the third day was lost"
    assert list(report.waiting) == [THIRD]
    assert lake.declared() == [FIRST]
