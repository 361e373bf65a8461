"""A DAG that waits: what reads the view starts when the day of the run has become a partition of it.

Put it into the DAG folder of an Airflow with the provider apache-airflow-providers-apache-hive; hive_views is not
needed there. The sensor asks the metastore of the connection ``metastore_default``.
"""

from __future__ import annotations

import os
from datetime import datetime, timezone

from airflow.providers.apache.hive.sensors.named_hive_partition import NamedHivePartitionSensor
from airflow.sdk import dag, task

VIEW = os.environ.get("DAILY_VIEW", "sales.daily_clicks")


@dag(schedule="@daily", start_date=datetime(2026, 8, 1, tzinfo=timezone.utc), catchup=False)
def wait_for_daily():
    published = NamedHivePartitionSensor(
        task_id="published",
        partition_names=[VIEW + "/ds={{ ds }}"],
        poke_interval=60,
        timeout=6 * 3600,
        mode="reschedule",
    )

    @task
    def read_day(ds: str) -> str:
        return f"reading {VIEW} of {ds}"

    published >> read_day()


wait_for_daily()
