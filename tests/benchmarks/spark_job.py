"""What a publication costs in one Spark job of 2,000, with one executor and with two.

A publication is one day of one view, so that few views need to be made; each reads its base table, and declares one
partition. Both jobs do the same on days of their own, after each executor has started its Python.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path

import pyspark
from pyspark.sql import SparkSession

from hive_views.publishing.batch.publication import Publication
from hive_views.readiness.rules import column, requires
from hive_views.spark.publishing.job import publish_as_job
from hive_views.views.catalog import ViewCatalog
from tests.benchmarks.figures import Figure
from tests.support.tables.daily_views import make_clicks, make_daily_view

DAYS_OF_A_VIEW = 20
EXECUTORS = (1, 2)
PUBLICATIONS = 2_000


def publications(views: Sequence[str], days: Sequence[str], clicks: str) -> list[Publication]:
    asked = requires(clicks, ds=column("ds"))
    return [
        Publication(view, [asked], name=f"{view} {day}", candidates=[{"ds": day}]) for view in views for day in days
    ]


def seconds_of_job(catalog: ViewCatalog, job: Sequence[Publication], executors: int) -> float:
    """How long the job took."""
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
    return seconds


def measure_spark_job(uri: str, directory: Path) -> Iterator[Figure]:
    """Views and their base table are made in the metastore at ``uri``, files under ``directory``."""
    # As spark-submit would set them: executors start with Spark's scripts, and with this Python and its path.
    os.environ["SPARK_HOME"] = str(Path(pyspark.__file__).parent)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYTHONPATH"] = os.pathsep.join(entry for entry in sys.path if entry)
    days = [str(date(2026, 1, 1) + timedelta(days=n)) for n in range(DAYS_OF_A_VIEW * len(EXECUTORS))]
    costs = []
    with ViewCatalog.connect(uri, warehouse=f"file://{directory}/job") as catalog:
        catalog.metastore.create_namespace("job", location=f"file:{directory}/job")
        clicks = make_clicks(catalog.metastore, "job", directory, days)
        views = [f"job.daily_{n}" for n in range(PUBLICATIONS // DAYS_OF_A_VIEW)]
        for view in views:
            make_daily_view(catalog, view, clicks)
        for turn, executors in enumerate(EXECUTORS):
            job = publications(views, days[turn * DAYS_OF_A_VIEW :][:DAYS_OF_A_VIEW], clicks)
            costs.append(seconds_of_job(catalog, job, executors) / len(job))
    one, two = costs
    yield Figure(f"one of {PUBLICATIONS:,} publications in a Spark job, two executors beside one", [two], [one], 1.0)
