"""What Airflow sees of a view, as one JSON document: run by the Python of an environment with Airflow.

python ask.py VIEW PUBLISHED_DAY OTHER_DAY
"""

from __future__ import annotations

import json
import sys
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from airflow.dag_processing.dagbag import DagBag
from airflow.providers.apache.hive.hooks.hive import HiveMetastoreHook
from airflow.providers.apache.hive.sensors.hive_partition import HivePartitionSensor
from airflow.providers.apache.hive.sensors.named_hive_partition import NamedHivePartitionSensor

DAGS = Path(__file__).with_name("dags")


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


def run_of(dag: Any, day: str) -> dict[str, str]:
    run = dag.test(logical_date=datetime.fromisoformat(day).replace(tzinfo=timezone.utc))
    return {ti.task_id: str(ti.state) for ti in run.get_task_instances()}


def main(view: str, day: str, other: str) -> None:
    answers: dict[str, Any] = {"hook": hook_answers(view, day, other), "sensors": sensor_answers(view, day, other)}
    bag = DagBag(DAGS)
    answers["import_errors"] = bag.import_errors
    answers["publish_daily"] = run_of(bag.dags["publish_daily"], other)
    answers["wait_for_daily"] = run_of(bag.dags["wait_for_daily"], other)
    print("\n" + json.dumps(answers))


if __name__ == "__main__":
    main(*sys.argv[1:])
