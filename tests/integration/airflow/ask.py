"""What Airflow makes of a view, as one JSON document: run by the Python of an environment with Airflow.

python ask.py VIEW PUBLISHED_DAY OTHER_DAY
"""

from __future__ import annotations

import json
import sys
from datetime import datetime, timezone
from typing import Any

from airflow.dag_processing.dagbag import DagBag
from airflow.jobs.job import Job
from airflow.jobs.scheduler_job_runner import SchedulerJobRunner
from airflow.models.asset import AssetDagRunQueue, AssetEvent, AssetModel, AssetPartitionDagRun
from airflow.models.dag import DagModel
from airflow.models.dagrun import DagRun
from airflow.models.xcom import XComModel
from airflow.providers.apache.hive.hooks.hive import HiveMetastoreHook
from airflow.providers.apache.hive.sensors.hive_partition import HivePartitionSensor
from airflow.providers.apache.hive.sensors.named_hive_partition import NamedHivePartitionSensor
from airflow.providers_manager import ProvidersManager
from airflow.sdk.definitions.dag import _run_task
from airflow.utils.session import create_session
from sqlalchemy import select

from hive_views.airflow import HiveViewsHook


def hook_answers(view: str, day: str, other: str) -> dict[str, Any]:
    namespace, name = view.split(".")
    hook = HiveMetastoreHook()
    return {
        "check_for_partition": [hook.check_for_partition(namespace, name, f"ds='{d}'") for d in (day, other)],
        "check_for_named_partition": [hook.check_for_named_partition(namespace, name, f"ds={d}") for d in (day, other)],
        "max_partition": hook.max_partition(namespace, name),
        "get_partitions": hook.get_partitions(namespace, name),
        "filtered": hook.get_partitions(namespace, name, f"ds < '{day}'"),
    }


def sensor_answers(view: str, day: str, other: str) -> dict[str, list[bool]]:
    named = [NamedHivePartitionSensor(task_id=f"named_{d}", partition_names=[f"{view}/ds={d}"]) for d in (day, other)]
    filtered = [HivePartitionSensor(task_id=f"filter_{d}", table=view, partition=f"ds='{d}'") for d in (day, other)]
    return {
        "NamedHivePartitionSensor": [bool(sensor.poke({})) for sensor in named],
        "HivePartitionSensor": [bool(sensor.poke({})) for sensor in filtered],
    }


def run_of(dag: Any, day: str) -> dict[str, Any]:
    """The results of a run of a DAG for a day."""
    return results_of(dag.test(logical_date=datetime.fromisoformat(day).replace(tzinfo=timezone.utc)))


def results_of(run: DagRun) -> dict[str, Any]:
    """The state, the XComs and the tries of each task of a run, by its name or that of its mapped value."""
    with create_session() as session:
        xcoms = session.scalars(select(XComModel).where(XComModel.run_id == run.run_id, XComModel.dag_id == run.dag_id))
        by_task: dict[tuple[str, int], dict[str, Any]] = {}
        for one in xcoms:
            by_task.setdefault((one.task_id, one.map_index), {})[one.key] = XComModel.deserialize_value(one)
    return {
        ti.rendered_map_index or ti.task_id: {
            "state": str(ti.state),
            "tries": ti.try_number,
            **by_task.get((ti.task_id, ti.map_index), {}),
        }
        for ti in run.get_task_instances()
    }


def started_run_of(dag: Any) -> dict[str, Any]:
    """As ``run_of``, of a DAG with one task that the scheduler starts because of an asset's events."""
    with create_session() as session:
        SchedulerJobRunner(Job())._create_dag_runs_asset_triggered(
            dag_models=[session.get(DagModel, dag.dag_id)], session=session
        )
    (run,) = DagRun.find(dag_id=dag.dag_id)
    (task_instance,) = run.get_task_instances()
    _run_task(ti=task_instance, task=dag.task_dict[task_instance.task_id])
    return results_of(run)


def events() -> dict[str, Any]:
    """The events of each asset, and which DAGs they start."""
    with create_session() as session:
        of_assets = session.execute(
            select(AssetModel.uri, AssetEvent.extra, AssetEvent.partition_key)
            .join(AssetEvent, AssetEvent.asset_id == AssetModel.id)
            .order_by(AssetEvent.id)
        )
        return {
            "events": [list(one) for one in of_assets],
            "started": sorted(session.scalars(select(AssetDagRunQueue.target_dag_id))),
            "started_by_partition": sorted(
                [one.target_dag_id, one.partition_key] for one in session.scalars(select(AssetPartitionDagRun))
            ),
        }


def main(view: str, day: str, other: str) -> None:
    answers: dict[str, Any] = {"hook": hook_answers(view, day, other), "sensors": sensor_answers(view, day, other)}
    bag = DagBag()
    answers["import_errors"] = bag.import_errors
    in_order = ("publish_daily", "wait_for_daily", "of_a_file", "publish_all", "deferred", "tried_again", "revalidated")
    others = ("killed", "nothing_new", "never_right", "waited")
    answers["runs"] = {name: run_of(bag.dags[name], other) for name in (*in_order, *others)}
    answers |= events()
    answers["runs"]["read_daily"] = started_run_of(bag.dags["read_daily"])
    answers["links"] = ProvidersManager().extra_links_class_names
    answers["tested"] = HiveViewsHook().test_connection()
    print("\n" + json.dumps(answers, default=str))


if __name__ == "__main__":
    main(*sys.argv[1:])
