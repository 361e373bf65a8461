"""The button "Report" of a task, which leads to the HTML report about its view."""

from __future__ import annotations

from typing import Any

from airflow.sdk import BaseOperatorLink

from hive_views.airflow.hook import HiveViewsHook


class ReportLink(BaseOperatorLink):  # type: ignore[misc]
    """Leads to ``report_url`` of the operator, else to the view's part of the page at ``report_url`` of the connection.

    The page is what ``hive-views report OUT.html`` writes.
    """

    name = "Report"

    def get_link(self, operator: Any, *, ti_key: Any) -> str:  # noqa: ARG002 - Airflow's signature
        """The address; "" if none is given, for which Airflow shows no button."""
        if operator.report_url:
            return str(operator.report_url)
        page = HiveViewsHook(operator.metastore_conn_id).report_url()
        return f"{page}#{operator.view}" if page and operator.view and "#" not in page else page
