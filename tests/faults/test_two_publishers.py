"""Publishers of one view at once: what each has published rightly stays, what is recorded agrees, and all is reported.

In memory one runs as a whole at each step of another; on a real metastore three processes run as fast as they can, and
one of them is killed.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from hive_views.base_tables.memory import MemoryTableWithHistory
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.persisted import INPUTS
from hive_views.publishing.ledger.inputs import read_inputs
from hive_views.publishing.notifying.unreported import UnreportedPartitions
from hive_views.publishing.publish import publish
from hive_views.publishing.report import PublishReport
from hive_views.readiness.rules import column, requires
from hive_views.views.catalog import ViewCatalog
from tests.support.failing import writer
from tests.support.failing.publishing_steps import (
    DAYS,
    Meeting,
    Steps,
    answer_of_spark,
    lost_days,
    run_with_callback,
    watched,
)
from tests.support.tables.publishing_lake import CLICKS, DAY, USERS, Lake
from tests.support.views.catalog_setup import create

LOST = "ds=2026"


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hive_views.views.partitions.batches.BATCH", 3)
    monkeypatch.setattr("hive_views.spark.publishing.recording.inputs_of", answer_of_spark)


def meetings(length: int) -> Iterator[int]:
    assert length > 20, "a run has many steps"
    yield from range(1, length + 1)


def check_that_records_agree(lake: Lake, clicks: MemoryTableWithHistory) -> None:
    """Of each declared day: what is recorded of it, in the journal and in what is still to be reported."""
    partitions = lake.catalog.partitions(lake.view)
    states = {commit.snapshot.id for commit in clicks.commits(clicks.list_partitions().snapshot)}  # type: ignore[arg-type]
    for _, partition in partitions.load():
        recorded = read_inputs(partition.parameters[INPUTS])
        assert recorded
        assert recorded[CLICKS].partitions == 1
        assert recorded[CLICKS].snapshot
        assert recorded[CLICKS].snapshot.id in states
    restored = partitions.restore()
    assert (restored.added, restored.left_out) == ([], {}), "the journal knows what is declared"


def test_a_run_inside_another_run_loses_nothing_and_reports_everything() -> None:
    lake, _ = lost_days()
    whole = Steps()
    run_with_callback(lake, whole, [])
    for step in meetings(whole.done):
        lake, clicks = lost_days()
        reported: list[str] = []
        run_with_callback(lake, Meeting(step, partial(run_with_callback, lake, Steps(), reported)), reported)
        assert lake.declared() == ["ds=0000", "ds=0001", "ds=0002", "ds=0003", "ds=2027"]
        assert set(reported) == {f"ds={day}" for day in DAYS}
        check_that_records_agree(lake, clicks)
        assert UnreportedPartitions(lake.catalog, lake.catalog.load_view(lake.view), "hive_views").names() == []


def test_what_another_run_declares_again_since_its_base_partitions_are_back_stays() -> None:
    lake, _ = lost_days()
    whole = Steps()
    run_with_callback(lake, whole, [])
    stays = {"added": 0, "already": 0}
    for step in meetings(whole.done):
        lake, clicks = lost_days()
        reports: list[PublishReport] = []

        def comes_back(lake: Lake = lake, clicks: Any = clicks, reports: list[PublishReport] = reports) -> None:
            clicks.append(("2026",))
            reports.append(lake.publish(DAY, retract=True))

        run_with_callback(lake, Meeting(step, comes_back), [])
        [report] = reports
        if LOST in report.added:
            assert LOST in lake.declared(), f"declared by the other at step {step}"
        stays["added" if LOST in report.added else "already"] += LOST in lake.declared()
        assert report.retracted == ()
        lake.publish(DAY, retract=True)
        assert LOST in lake.declared()
        check_that_records_agree(lake, clicks)
    assert stays["added"] >= 1
    # Between the last look of a run and its dropping of a day nothing is left but to declare it again.
    assert whole.done - stays["added"] - stays["already"] <= 8


def test_what_another_publishes_by_other_rules_is_left_to_it() -> None:
    lake, clicks = lost_days()
    on_users = requires(USERS, ds=column("ds"))
    whole = Steps()
    Lake(watched(lake, whole), lake.tables, lake.view).publish(DAY, retract=True)
    for step in meetings(whole.done):
        lake, clicks = lost_days()
        lake.history(USERS).append(("2026",), ("2030",))
        reports: list[PublishReport] = []

        def publishes(lake: Lake = lake, reports: list[PublishReport] = reports) -> None:
            reports.append(lake.publish(on_users, retract=True))

        Lake(watched(lake, Meeting(step, publishes)), lake.tables, lake.view).publish(DAY, retract=True)
        [report] = reports
        assert "ds=2030" in report.added
        assert report.retracted == ()
        assert {"ds=2030", "ds=2027", *(f"ds={day}" for day in DAYS)} <= set(lake.declared())
        lake.publish(on_users, retract=True)
        again = lake.publish(DAY, retract=True)
        assert again.retracted == ()
        assert {LOST, "ds=2030"} <= set(lake.declared())
        clicks.append(("2031",))


PUBLISHERS, ROUNDS = 3, 12


def test_processes_that_publish_at_once_agree_in_the_end_though_one_is_killed(
    metastore_uri: str, hms: HiveMetastore, namespace: str, tmp_path: Path
) -> None:
    catalog = ViewCatalog(hms, warehouse=str(tmp_path / "views"))
    base = create(catalog, f"{namespace}.base", partitioned_on=["ds"]).identifier
    view = create(catalog, f"{namespace}.daily", partitioned_on=["ds"])
    loaded, declared = catalog.partitions(base), catalog.partitions(view.identifier)
    days = [f"{day:02}" for day in range(12)]
    loaded.add([{"ds": "kept"}, *({"ds": day} for day in days)])
    arguments = ("publishes-often", metastore_uri, str(view.identifier), "auto", str(base), str(ROUNDS))
    processes = [writer.start(*arguments) for _ in range(PUBLISHERS)]
    assert all(process.stdout and process.stdout.readline() for process in processes), "each has begun"
    processes[0].kill()
    for day in days[:8]:
        loaded.drop([{"ds": day}])
        if day in days[:4]:
            loaded.add([{"ds": day}])
    answers = [process.communicate(timeout=240) for process in processes]
    assert [process.returncode for process in processes[1:]] == [0] * (PUBLISHERS - 1), answers
    there = sorted(f"ds={day}" for day in ["kept", *days[:4], *days[8:]])
    publish(catalog, view.identifier, requires(str(base), ds=column("ds")), retract=True)
    assert sorted(declared.names()) == there
    restored = catalog.partitions(view.identifier).restore()
    assert (restored.added, restored.uncertain) == ([], [])
    assert all(read_inputs(partition.parameters[INPUTS]) for _, partition in declared.load())
