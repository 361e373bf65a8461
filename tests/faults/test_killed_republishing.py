"""A run that republishes and is killed at any of its steps, or meets another one there: nothing is lost.

In memory at each of its calls; as a process with ``kill -9`` between retracting and declaring on a real metastore.
"""

from __future__ import annotations

import itertools
from functools import partial
from pathlib import Path

import pytest

from hive_views.metastore.memory import MemoryMetastore
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.publishing.ledger.redeclared import RedeclaredPartitions
from hive_views.publishing.publish import publish
from hive_views.publishing.republish import apply_republish_plan, plan_republish, republish
from hive_views.publishing.republish_plan import RepublishReport
from hive_views.publishing.revalidation import revalidate
from hive_views.readiness.rules import column, requires
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.engine import CommitSettings
from tests.support.failing.killing import killed_at
from tests.support.failing.publishing_steps import Killed, Meeting, Steps, watched
from tests.support.failing.wire import WireProxy
from tests.support.tables.publishing_lake import DAY, Lake, make_lake
from tests.support.views.catalog_setup import create

SUMMARY = "default.summary"
DAYS = ["ds=2026", "ds=2027", "ds=2028"]
CHANGED = DAYS[:2]


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hive_views.views.partitions.batches.BATCH", 1)


def changed_days() -> Lake:
    """Two of three days have late data, and another view is published on them."""
    lake = make_lake(MemoryMetastore(clock=itertools.count(1).__next__))
    clicks = lake.history()
    clicks.append(*[(name[3:],) for name in DAYS])
    lake.publish(DAY, parameters={"theirs": "1"})
    create(lake.catalog, SUMMARY, partitioned_on=["ds"])
    publish(lake.catalog, SUMMARY, requires(lake.view, ds=column("ds")))
    clicks.append(*[(name[3:],) for name in CHANGED])
    return lake


def run(lake: Lake, steps: Steps, *, redeclare: bool) -> set[str]:
    """Republish in steps; returns what was done. Nothing of it is written while it is planned."""
    plan = plan_republish(lake.catalog, lake.view, base_tables=lake.tables, redeclare=redeclare)
    reports = apply_republish_plan(watched(lake, steps), plan)
    assert all(one.error is None for one in reports)
    return {f"{one.view} {name}" for one in reports for name in (*one.marked, *one.redeclared, *one.completed)}


def run_next(lake: Lake, *, redeclare: bool) -> list[RepublishReport]:
    return republish(lake.catalog, lake.view, base_tables=lake.tables, redeclare=redeclare)


def check_that_all_is_there(lake: Lake, *, with_theirs: bool = True) -> None:
    """Declared, with what others have said of it, the record of its base data as it is now, and no note left."""
    for view in (lake.view, SUMMARY):
        partitions = lake.catalog.partitions(view)
        found = dict(partitions.load())
        assert list(found) == DAYS
        if view == lake.view and with_theirs:
            assert {one.parameters.get("theirs") for one in found.values()} == {"1"}
        states = {one.state for one in revalidate(lake.catalog, view, base_tables=lake.tables).partitions.values()}
        assert states <= {"current", "current by the metastore"}
        assert RedeclaredPartitions(lake.catalog, partitions.view).read() == {}
        restored = partitions.restore()
        assert (restored.added, restored.left_out) == ([], {}), "the journal knows what is declared"


@pytest.mark.parametrize("redeclare", [False, True])
def test_a_run_that_is_killed_at_any_step_is_completed_by_the_next(redeclare: bool) -> None:
    whole = Steps()
    lake = changed_days()
    assert len(run(lake, whole, redeclare=redeclare)) == 4
    check_that_all_is_there(lake)
    retracted = 0
    for step in range(1, whole.done + 1):
        lake = changed_days()
        steps = Steps()
        steps.last = step
        with pytest.raises(Killed):
            run(lake, steps, redeclare=redeclare)
        gone = [name for view in (lake.view, SUMMARY) for name in {*DAYS} - {*lake.catalog.partitions(view).names()}]
        retracted += bool(gone)
        # In either way of carrying it out.
        run_next(lake, redeclare=redeclare and step % 2 == 0)
        check_that_all_is_there(lake)
    assert bool(retracted) == redeclare, "some were killed between retracting and declaring"


@pytest.mark.parametrize(("redeclare", "other"), [(True, "publish"), (True, "republish")])
def test_a_run_that_meets_another_one_at_any_step_loses_nothing(redeclare: bool, other: str) -> None:
    whole = Steps()
    run(changed_days(), whole, redeclare=redeclare)
    for step in range(1, whole.done + 1, 2):
        lake = changed_days()
        meets = {
            "publish": partial(lake.publish, DAY, retract=True),
            "republish": partial(run_next, lake, redeclare=True),
        }
        meeting = Meeting(step, meets[other])
        run(lake, meeting, redeclare=redeclare)
        assert meeting.has_met
        run_next(lake, redeclare=False)
        # A run of publishing that finds a day undeclared declares it, without what others had said of it.
        check_that_all_is_there(lake, with_theirs=other != "publish")


def test_a_process_that_is_killed_between_retracting_and_declaring_is_completed_by_the_next(
    metastore_uri: str, hms: HiveMetastore, namespace: str, tmp_path: Path
) -> None:
    # It takes no locks, so that it does not wait for that of the dead.
    catalog = ViewCatalog(hms, warehouse=str(tmp_path / "views"), settings=CommitSettings(lock="never"))
    base = create(catalog, f"{namespace}.base", partitioned_on=["ds"]).identifier
    view = create(catalog, f"{namespace}.daily", partitioned_on=["ds"])
    loaded, declared = catalog.partitions(base), catalog.partitions(view.identifier)
    loaded.add([{"ds": name[3:]} for name in CHANGED])
    publish(catalog, view.identifier, requires(str(base), ds=column("ds")), parameters={"theirs": "1"})
    # Its statistics are others now.
    loaded.set_parameters(CHANGED, {"numRows": "7"})

    with (
        WireProxy.before_uri(metastore_uri) as proxy,
        killed_at(proxy, "before", "add_partitions_req", view, arrives=False, change="redeclares"),
    ):
        pass  # leaving the proxy waits until what was on its way has arrived
    assert len(declared.names()) == 1

    [report] = republish(catalog, view.identifier, redeclare=True)
    assert (len(report.completed), len(report.redeclared), report.left) == (1, 1, {})
    assert [(name, one.parameters["theirs"]) for name, one in declared.load()] == [(name, "1") for name in CHANGED]
    assert plan_republish(catalog, view.identifier).views == ()
    assert RedeclaredPartitions(catalog, view).read() == {}
