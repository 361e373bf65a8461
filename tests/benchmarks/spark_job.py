"""What a publication costs in one Spark job of 2,000, with one executor and with two.

One command, ``python -m tests.benchmarks.spark_job``; it prints seconds by job and milliseconds by publication, and
exits with 1 if the cost does not fall with executors. All runs on this machine: a local-cluster of real executor
processes, and an embedded metastore that they share.

A publication is one day of one view, so that few views need to be made; each reads its base table, and declares one
partition. Both jobs do the same on days of their own, after each executor has started its Python.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path

import pyspark
from pyspark.sql import SparkSession

from hive_views.catalog import ViewCatalog
from hive_views.metastore.local import LocalMetastore
from hive_views.publications.publication import Publication
from hive_views.publishing.rules import column, requires
from hive_views.spark.job import publish_as_job
from tests.integration.daily_views import make_clicks, make_daily_view

DAYS_OF_A_VIEW = 20
EXECUTORS = (1, 2)


def publications(views: Sequence[str], days: Sequence[str], clicks: str) -> list[Publication]:
    asked = requires(clicks, ds=column("ds"))
    return [
        Publication(view, [asked], name=f"{view} {day}", candidates=[{"ds": day}]) for view in views for day in days
    ]


def seconds_of_job(catalog: ViewCatalog, job: Sequence[Publication], executors: int) -> tuple[float, int]:
    """How long the job took, and how many processes worked on it."""
    builder = SparkSession.builder.master(f"local-cluster[{executors},1,1024]")
    for key, value in {
        "spark.executor.memory": "512m",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        # The job does not begin before all of them are there.
        "spark.scheduler.minRegisteredResourcesRatio": "1.0",
        "spark.scheduler.maxRegisteredResourcesWaitingTime": "300s",
    }.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    try:
        publish_as_job(spark, catalog, job[: 16 * executors], dry_run=True)
        started = time.perf_counter()
        outcomes = publish_as_job(spark, catalog, job)
        seconds = time.perf_counter() - started
    finally:
        spark.stop()
    assert all(one.state == "published" and len(one.added) == 1 for one in outcomes)
    return seconds, len({one.process for one in outcomes})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--publications", type=int, default=2_000)
    count = parser.parse_args().publications
    # As spark-submit would set them: executors start with Spark's scripts, and with this Python and its path.
    os.environ["SPARK_HOME"] = str(Path(pyspark.__file__).parent)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYTHONPATH"] = os.pathsep.join(entry for entry in sys.path if entry)
    days = [str(date(2026, 1, 1) + timedelta(days=n)) for n in range(DAYS_OF_A_VIEW * len(EXECUTORS))]
    costs = []
    with tempfile.TemporaryDirectory() as scratch, LocalMetastore(Path(scratch) / "metastore") as server:
        assert server.uri
        catalog = ViewCatalog.connect(server.uri, warehouse=f"file://{scratch}/views")
        catalog.metastore.create_namespace("bench", location=f"file:{scratch}/bench")
        clicks = make_clicks(catalog.metastore, "bench", Path(scratch), days)
        views = [f"bench.daily_{n}" for n in range(max(1, count // DAYS_OF_A_VIEW))]
        for view in views:
            make_daily_view(catalog, view, clicks)
        for turn, executors in enumerate(EXECUTORS):
            job = publications(views, days[turn * DAYS_OF_A_VIEW :][:DAYS_OF_A_VIEW], clicks)
            seconds, processes = seconds_of_job(catalog, job, executors)
            costs.append(seconds / len(job))
            print(
                f"{executors} executors ({processes} Python processes): {len(job)} publications in {seconds:.1f} s, "
                f"{costs[-1] * 1000:.1f} ms each",
                flush=True,
            )
    print(f"Cost with {EXECUTORS[-1]} executors: {costs[-1] / costs[0]:.2f} of that with {EXECUTORS[0]}.")
    sys.exit(0 if costs[-1] < costs[0] else 1)


if __name__ == "__main__":
    main()
