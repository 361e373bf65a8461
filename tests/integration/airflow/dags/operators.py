"""DAGs in which data comes late: a base partition arrives while its publisher waits, is tried again, or has ended."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

from airflow.sdk import DAG, PartitionedAssetTimetable
from airflow.sdk.bases.operator import BaseOperator

from hive_views import column, requires
from hive_views.airflow import PublishOperator, RevalidateOperator, ViewPartitionSensor, view_asset
from hive_views.airflow.hook import HiveViewsHook
from hive_views.hive.row import Partition
from hive_views.spec.identifiers import TableIdentifier

NAMESPACE, FILE = os.environ["NAMESPACE"], os.environ["PUBLICATIONS"]
CLICKS = f"{NAMESPACE}.clicks"
RULE = f'requires("{CLICKS}", ds=column("ds"))'
START = datetime(2026, 8, 1, tzinfo=timezone.utc)


def load(*days: str) -> None:
    """The clicks of these days arrive."""
    with HiveViewsHook().get_conn() as catalog:
        loaded = [Partition((day,), has_descriptor=True) for day in days]
        catalog.metastore.add_partitions(TableIdentifier.of(CLICKS), loaded, if_not_exists=True)


class PublishBeforeLoaded(PublishOperator):
    def defer(self, **kwargs: Any) -> Any:
        load("2026-09-02")
        super().defer(**kwargs)


class DiesOnceItHasPublished(PublishOperator):
    def _log(self, report: Any) -> None:
        if not report.skipped:
            raise ConnectionError("killed")


class WaitBeforeDeclared(ViewPartitionSensor):
    def defer(self, **kwargs: Any) -> Any:
        with HiveViewsHook().get_conn() as catalog:
            catalog.partitions(f"{NAMESPACE}.waited").add([{"ds": "2026-09-01", "hr": hour} for hour in range(3)])
        super().defer(**kwargs)


class Rewrite(BaseOperator):
    def execute(self, context: Any) -> None:
        with HiveViewsHook().get_conn() as catalog:
            clicks = TableIdentifier.of(CLICKS)
            [day] = catalog.metastore.load_partitions(clicks, ["ds=2026-08-20"])
            catalog.metastore.alter_partitions(clicks, [replace(day, parameters={"numRows": "7"})])


with DAG("of_a_file", schedule=None, start_date=START):
    PublishOperator.partial(
        task_id="publish",
        file=FILE,
        partitions=["ds={{ ds }}"],
        when_waiting="skip",
        map_index_template="{{ task.publication }}",
    ).expand(publication=["ready", "not ready"])

with DAG("deferred", schedule=None, start_date=START):
    PublishBeforeLoaded(
        task_id="publish",
        view=f"{NAMESPACE}.deferred",
        rules=[requires(CLICKS, ds=column("ds"))],
        since="ds=2026-08-22",
        until={"ds": "2026-09-02"},
        partitions=["ds=2026-08-22", "ds=2026-09-02"],
        when_waiting="defer",
        wait_interval=timedelta(0),
        report_url="https://reports.example.com/{{ task.task_id }}.html",
    )

with DAG("tried_again", schedule=None, start_date=START):
    PublishOperator(
        task_id="publish",
        view=f"{NAMESPACE}.tried_again",
        rules=RULE,
        partitions=["ds=2026-08-20", "ds=2026-09-03"],
        event_per_partition=True,
        retries=1,
        retry_delay=timedelta(0),
        on_retry_callback=lambda _: load("2026-09-03"),
    )

with DAG(
    "by_partition", schedule=PartitionedAssetTimetable(assets=view_asset(f"{NAMESPACE}.tried_again")), start_date=START
):
    BaseOperator(task_id="nothing")

with DAG("killed", schedule=None, start_date=START):
    DiesOnceItHasPublished(
        task_id="publish",
        view=f"{NAMESPACE}.killed",
        rules=RULE,
        partitions=["ds={{ ds }}"],
        options={"app_id": "nightly", "run_version": 1},
        retries=1,
        retry_delay=timedelta(0),
    )

with DAG("nothing_new", schedule=None, start_date=START):
    of_file = PublishOperator(task_id="publish", file=FILE, publication="ready", partitions=[{"ds": "{{ ds }}"}])
    by_record = PublishOperator(task_id="by_record", view=f"{NAMESPACE}.ready", publication="ready")
    of_file >> by_record

with DAG("never_right", schedule=None, start_date=START):
    PublishOperator(task_id="publish", view=f"{NAMESPACE}.deferred", rules="requires(", retries=9)
    PublishOperator(
        task_id="too_late",
        view=f"{NAMESPACE}.deferred",
        rules=RULE,
        partitions=["ds=2030-01-01"],
        when_waiting="defer",
        wait_timeout=timedelta(0),
    )

with DAG("waited", schedule=None, start_date=START):
    wait = WaitBeforeDeclared(
        task_id="wait",
        view=f"{NAMESPACE}.waited",
        partitions=["ds=2026-09-01/hr=00", {"ds": "2026-09-01", "hr": 1}, "hr=2,ds=2026-09-01"],
        metastore_conn_id="unreliable",
        poke_interval=0,
        deferrable=True,
    )
    there = ViewPartitionSensor(
        task_id="there", view=f"{NAMESPACE}.waited", partitions=["ds=2026-09-01/hr=0"], mode="reschedule"
    )
    never = ViewPartitionSensor(
        task_id="never", view=f"{NAMESPACE}.waited", partitions=["ds=2026-09-01/hr=9"], timeout=0, soft_fail=True
    )
    wait >> [there, never]

with DAG("revalidated", schedule=None, start_date=START):
    unchanged = RevalidateOperator(
        task_id="unchanged",
        view=f"{NAMESPACE}.tried_again",
        partitions=["ds=2026-09-03"],
        metastore_only=True,
        when_unchanged="skip",
    )
    changed = RevalidateOperator(task_id="changed", view=f"{NAMESPACE}.tried_again", metastore_only=True)
    Rewrite(task_id="rewrite") >> [unchanged, changed]
