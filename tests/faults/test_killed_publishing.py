"""A run of publishing that is killed at any of its steps: the next run completes it, nothing twice, nothing early.

In memory at each of its calls; as a process with ``kill -9`` at each kind of write that it makes on a real metastore.
"""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.publishing.notifying.receivers import Delivery, Receiver
from hive_views.publishing.notifying.unreported import UnreportedNotes
from hive_views.publishing.publish import publish
from hive_views.publishing.report import PublishReport
from hive_views.readiness.rules import column, requires
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.engine import CommitSettings
from tests.support.failing import writer
from tests.support.failing.killing import SWAP, killed_at
from tests.support.failing.publishing_steps import (
    DAYS,
    Killed,
    Steps,
    answer_of_spark,
    lost_days,
    run,
    run_with_callback,
)
from tests.support.failing.wire import WireProxy
from tests.support.tables.publishing_lake import CLICKS, DAY, Lake
from tests.support.views.catalog_setup import create


def steps_of_a_run() -> int:
    steps = Steps()
    lake, _ = lost_days(app_id="nightly", run_version=1)
    assert run(lake, steps).retracted == ("ds=2026",)
    return steps.done


def deaths() -> Iterator[tuple[int, bool]]:
    return itertools.product(range(1, steps_of_a_run() + 1), (False, True))


def test_a_run_that_is_killed_at_any_step_is_completed_by_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hive_views.views.partitions.batches.BATCH", 3)
    died = 0
    for step, is_after in deaths():
        lake, clicks = lost_days(app_id="nightly", run_version=1)
        steps = Steps()
        steps.last, steps.is_after = step, is_after
        with pytest.raises(Killed):
            run(lake, steps)
        there = set(lake.declared())
        assert {"ds=2027"} <= there <= {"ds=2026", "ds=2027", *(f"ds={day}" for day in DAYS)}

        clicks.append(("2028",))
        report = run(lake, Steps())
        if not report.skipped:
            died += 1
            assert set(report.added).isdisjoint(there)
        again = lake.publish(DAY, retract=True)
        assert lake.declared() == sorted(["ds=2027", "ds=2028", *(f"ds={day}" for day in DAYS)])
        assert set(again.added) <= {"ds=2028"}, "only what came after a run that was complete is left"
    assert died > 10


RUN_7 = {"app_id": "nightly", "run_version": 7}


@pytest.mark.parametrize("options", [{}, RUN_7], ids=["without a version", "with a version"])
def test_what_a_run_that_is_killed_did_not_record_or_report_the_next_one_does(
    monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]
) -> None:
    monkeypatch.setattr("hive_views.views.partitions.batches.BATCH", 3)
    monkeypatch.setattr("hive_views.spark.publishing.recording.inputs_of", answer_of_spark)
    whole = Steps()
    run_with_callback(lost_days()[0], whole, [], **options)
    reported_again = 0
    for step in range(1, whole.done + 1):
        lake, clicks = lost_days()
        steps, reported = Steps(), list[str]()
        steps.last, steps.is_after = step, True
        with pytest.raises(Killed):
            run_with_callback(lake, steps, reported, **options)

        clicks.append(("2028",))
        run_with_callback(lake, Steps(), reported, **options)
        partitions = dict(lake.catalog.partitions(lake.view).load())
        new = set(partitions) - {"ds=2026", "ds=2027"}
        assert new >= {f"ds={day}" for day in DAYS}
        assert {name: partitions[name].parameters["hive-views.reads"] for name in new} == {
            name: f'{{"{CLICKS}":["{name}"]}}' for name in new
        }
        assert set(reported) == new
        assert max(Counter(reported).values()) <= 2
        reported_again += len(reported) - len(new)

        before = len(reported)
        run_with_callback(lake, Steps(), reported, **options and {**options, "run_version": 8})
        assert set(reported[before:]) <= {"ds=2028"} - new, "what was reported is not reported again by later runs"
    assert 0 < reported_again < whole.done * len(DAYS), "a note outlives its calls, and little else is reported twice"


def test_what_a_run_that_is_killed_did_not_tell_the_next_one_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hive_views.views.partitions.batches.BATCH", 3)
    receiver, told, now = Receiver("https://host/events"), list[dict[str, Any]](), dict[str, Any]()

    def deliver(_: Receiver, events: Sequence[dict[str, Any]]) -> Delivery:
        """Each event is a step, and none is early."""
        for event in events:
            is_there = event["subject"] in now["lake"].declared()
            assert is_there is (event["data"]["kind"] == "declared"), event["subject"]
            now["steps"].take(told.append, event)
        return Delivery(frozenset(event["id"] for event in events))

    monkeypatch.setattr(Receiver, "deliver", deliver)

    def run_with_steps(lake: Lake, steps: Steps, **options: Any) -> PublishReport:
        now.update(steps=steps, lake=lake)
        return run(lake, steps, notify=receiver, **options)

    whole = Steps()
    run_with_steps(lost_days(app_id="nightly", run_version=1)[0], whole)
    told_again = 0
    for step in range(1, whole.done + 1):
        told.clear()
        lake, clicks = lost_days(app_id="nightly", run_version=1)
        steps = Steps()
        steps.last, steps.is_after = step, True
        with pytest.raises(Killed):
            run_with_steps(lake, steps)
        clicks.append(("2028",))
        run_with_steps(lake, Steps())
        run_with_steps(lake, Steps(), run_version=8)
        expected = {("declared", f"ds={day}") for day in (*DAYS, "2028")} | {("retracted", "ds=2026")}
        assert {(one["data"]["kind"], one["subject"]) for one in told} == expected
        assert len({one["id"] for one in told}) == len(expected), "a repeat has the same id"
        told_again += len(told) - len(expected)
        assert UnreportedNotes(lake.catalog, lake.catalog.load_view(lake.view), "receiver", receiver.key).read() == {}
    assert 0 < told_again < whole.done * len(DAYS), "a note outlives its delivery, and little else is told twice"


# By the step at which the process is killed: before or after which call, how many of them go through before, whether
# the request that was on its way arrives all the same; then, how many of the four new days are declared, and whether
# the lost one is retracted. A run adds two at a time.
ADD, DROP = "add_partitions_req", "drop_partitions_req"
WRITES: dict[str, tuple[str, str, int, bool, int, bool]] = {
    "it records that it began, and that is lost": ("before", SWAP, 0, False, 0, False),
    "it has recorded that it began": ("after", SWAP, 0, True, 0, False),
    "it adds, and that is lost": ("before", ADD, 0, False, 0, False),
    "it adds, and that arrives": ("before", ADD, 0, True, 2, False),
    "it has added and not heard of it": ("after", ADD, 0, True, 2, False),
    "it adds the rest, and that is lost": ("before", ADD, 1, False, 2, False),
    "it has added all": ("after", ADD, 1, True, 4, False),
    "it retracts, and that is lost": ("before", DROP, 0, False, 4, False),
    "it retracts, and that arrives": ("before", DROP, 0, True, 4, True),
    "it records that it is done, and that is lost": ("before", SWAP, 1, False, 4, True),
}


@pytest.mark.parametrize(
    ("step", "lock"),
    [*((step, "auto") for step in WRITES), ("it has recorded that it began", "always"), ("it has added all", "always")],
)
def test_a_process_that_is_killed_is_completed_by_the_next(
    metastore_uri: str,
    hms: HiveMetastore,
    namespace: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    step: str,
    lock: str,
) -> None:
    timestamp, method, calls_before, arrives, added, retracted = WRITES[step]
    # It takes no locks, so that it does not wait for that of the dead.
    catalog = ViewCatalog(hms, warehouse=str(tmp_path / "views"), settings=CommitSettings(lock="never"))
    base = create(catalog, f"{namespace}.base", partitioned_on=["ds"]).identifier
    view = create(catalog, f"{namespace}.daily", partitioned_on=["ds"])
    loaded, declared = catalog.partitions(base), catalog.partitions(view.identifier)
    rule = requires(str(base), ds=column("ds"))

    events = tmp_path / "events.jsonl"
    monkeypatch.setenv(writer.NOTIFIES, str(events))

    def publish_again() -> PublishReport:
        return publish(
            catalog, view.identifier, rule, retract=True, app_id="nightly", run_version=7, notify=str(events)
        )

    loaded.add([{"ds": "2026"}, {"ds": "2027"}])
    assert publish(catalog, view.identifier, rule, app_id="nightly", run_version=1).added == ("ds=2026", "ds=2027")
    loaded.drop([{"ds": "2026"}])
    loaded.add([{"ds": day} for day in DAYS])

    with (
        WireProxy.before_uri(metastore_uri) as proxy,
        killed_at(
            proxy,
            timestamp,
            method,
            view,
            arrives=arrives,
            change="publishes",
            lock=lock,
            name=str(base),
            count=7,
            calls_before=calls_before,
        ),
    ):
        pass  # leaving the proxy waits until what was on its way has arrived
    old = ["ds=2027"] if retracted else ["ds=2026", "ds=2027"]
    assert sorted(declared.names()) == [*(f"ds={day}" for day in DAYS[:added]), *old]

    report = publish_again()
    assert report.added == tuple(f"ds={day}" for day in DAYS[added:])
    assert report.retracted == (() if retracted else ("ds=2026",))
    assert sorted(declared.names()) == [*(f"ds={day}" for day in DAYS), "ds=2027"]
    assert publish_again().skipped
    told = [json.loads(line) for line in events.read_text().splitlines()]
    expected = {("declared", f"ds={day}") for day in DAYS} | {("retracted", "ds=2026")}
    assert {(one["data"]["kind"], one["subject"]) for one in told} == expected
    assert len({one["id"] for one in told}) == len(expected)
