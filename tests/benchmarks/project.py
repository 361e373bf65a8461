"""A project of 300 views on a metastore: plans, the calls that they make, and an apply beside the same commits by hand.

And plans of 5,000 views, on a metastore in memory.
"""

from __future__ import annotations

import resource
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar, cast

from hive_views.metastore.memory import MemoryMetastore
from hive_views.metastore.port import Metastore
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.project import apply, plan
from hive_views.project.plans.project_plan import Plan
from hive_views.views.catalog import ViewCatalog
from tests.benchmarks.figures import MEBIBYTES, PIECES, Figure
from tests.benchmarks.tpc_project import make_tables, tpc_project
from tests.support.failing.faulty_metastore import FaultyMetastore

VIEWS, MANY_VIEWS = 300, 5_000
Result = TypeVar("Result")


def measure_project(uri: str, directory: Path) -> Iterator[Figure]:
    """All figures on the metastore at ``uri``, with files under ``directory``."""
    project = tpc_project(VIEWS)
    project.write(directory / "project")
    calls: Counter[str] = Counter()
    metastore = HiveMetastore(uri)
    counted = cast("Metastore", FaultyMetastore(metastore, on_call=lambda verb: calls.update([verb])))
    make_tables(metastore, project.namespaces, f"file:{directory}/databases")

    def fresh() -> ViewCatalog:
        """Nothing is remembered of files that were read before."""
        calls.clear()
        return ViewCatalog(counted, warehouse=str(directory / "views"))

    made, seconds = _timed(lambda: plan(fresh(), directory / "project"))
    _check(made, VIEWS)
    yield Figure(f"plan of {VIEWS} views, from nothing", [seconds], [], 10.0)
    yield Figure("its calls of the metastore", [calls.total()], [], None, PIECES)
    catalog = fresh()
    report, seconds = _timed(lambda: apply(catalog, made))
    assert len(report.done) == VIEWS, report
    by_hand = _by_hand(made, ViewCatalog(metastore, warehouse=str(directory / "by_hand")), f"file:{directory}/by_hand")
    yield Figure(f"apply {VIEWS} views, beside the same commits by hand", [seconds], [by_hand], 1.3)
    made, seconds = _timed(lambda: plan(fresh(), directory / "project"))
    _check(made, 0)
    yield Figure(f"plan of {VIEWS} views, nothing to do", [seconds], [], 3.0)
    yield Figure("its calls of the metastore", [calls.total()], [], 1.0 + -(-VIEWS // 100), PIECES)
    metastore.close()
    yield from _many(directory)


def _many(directory: Path) -> Iterator[Figure]:
    project = tpc_project(MANY_VIEWS, "many")
    project.write(directory / "many")
    catalog = ViewCatalog(MemoryMetastore(), warehouse=str(directory / "many_views"))
    make_tables(catalog.metastore, project.namespaces)
    made, seconds = _timed(lambda: plan(catalog, directory / "many"))
    _check(made, MANY_VIEWS)
    yield Figure(f"plan of {MANY_VIEWS:,} views in memory, from nothing", [seconds], [], 60.0)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    yield Figure("memory of the process at most", [float(most)], [], float(2**30), MEBIBYTES)


def _by_hand(made: Plan, catalog: ViewCatalog, location: str) -> float:
    """The seconds of the same commits, in databases of their own; columns are derived where the files give no types."""
    namespaces = {step.view.namespace for step in made.steps}
    for namespace in namespaces:
        catalog.create_namespace(f"{namespace}_by_hand", location=f"{location}/{namespace}")
    started = time.perf_counter()
    for step in made.steps:
        assert step.definition is not None
        catalog.create_view(
            f"{step.view.namespace}_by_hand.{step.view.name}",
            sql={dialect: str(text) for dialect, text in step.definition.texts.items()},
            schema=list(step.resulting) if any(one.type for one in step.definition.columns or ()) else None,
            partitioned_on=step.definition.partitioned_on,
            properties=dict(step.definition.properties),
            comment=step.definition.comment,
            default_namespace=step.definition.namespace,
        )
    return time.perf_counter() - started


def _timed(call: Callable[[], Result]) -> tuple[Result, float]:
    started = time.perf_counter()
    found = call()
    return found, time.perf_counter() - started


def _check(made: Plan, steps: int) -> None:
    assert not made.errors, made.errors
    assert not made.refusals, made.refusals
    assert len(made.steps) == steps, f"{len(made.steps)} steps instead of {steps}"
