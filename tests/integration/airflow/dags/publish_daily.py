"""A DAG that publishes: the day of the run becomes a partition of the view once the clicks of that day are there.

Put it into the DAG folder of an Airflow that has hive_views installed. Its settings come from the environment
(HIVE_VIEWS_URI, ...) or from the configuration file of hive_views.

A run whose day is not ready fails, and Airflow tries it again later. It has no version, since one that is done is not
looked at again; publishing a day twice does no harm.
"""

from __future__ import annotations

import os
from datetime import datetime, timedelta, timezone

from airflow.sdk import dag, task

VIEW = os.environ.get("DAILY_VIEW", "sales.daily_clicks")
CLICKS = os.environ.get("CLICKS_TABLE", "web.clicks")


@dag(schedule="@daily", start_date=datetime(2026, 8, 1, tzinfo=timezone.utc), catchup=False)
def publish_daily():
    @task(retries=12, retry_delay=timedelta(minutes=10))
    def publish_day(ds: str) -> list[str]:
        from hive_views import column, load_catalog, publish, requires

        with load_catalog() as catalog:
            report = publish(catalog, VIEW, requires(CLICKS, ds=column("ds")), candidates=[{"ds": ds}])
        if report.waiting:
            raise RuntimeError(f"{ds} is not ready: {dict(report.waiting)}")
        return list(report.added)

    publish_day()


publish_daily()
