"""The sensor that waits for partitions of a view."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from airflow.sdk import BaseSensorOperator, PokeReturnValue
from airflow.sdk.configuration import conf
from airflow.sdk.exceptions import AirflowFailException

from hive_views.airflow.hook import DEFAULT_CONNECTION, HiveViewsHook
from hive_views.airflow.partition_trigger import SHOWN, ViewPartitionTrigger, missing_partitions
from hive_views.airflow.report_link import ReportLink
from hive_views.airflow.task_arguments import Partition
from hive_views.airflow.task_errors import is_outage, no_retry_of_invalid_calls
from hive_views.errors import UnavailableError
from hive_views.messages.enumerated import first_of


class ViewPartitionSensor(BaseSensorOperator):  # type: ignore[misc]
    """Waits until a view (or table) has all of these partitions.

    A look takes two calls on one connection, for any number of partitions. An outage of the metastore is waited out; a
    view that does not exist when the sensor starts is an error.

    Args:
        view: ``namespace.name``.
        partitions: their names (``ds={{ ds }}``, ``ds={{ ds }}/hr=7``) or values by column.
        metastore_conn_id: a connection of the type ``hive_metastore``.
        deferrable: wait in the triggerer instead of a worker; by default ``[operators] default_deferrable``.
        report_url: where the button "Report" leads; by default ``report_url`` of the connection.
        kwargs: those of BaseSensorOperator: ``poke_interval`` (60 s), ``timeout``, ``mode``, ``soft_fail``, ...
    """

    template_fields: Sequence[str] = ("view", "partitions", "metastore_conn_id", "report_url")
    operator_extra_links = (ReportLink(),)

    def __init__(
        self,
        *,
        view: str,
        partitions: Sequence[Partition],
        metastore_conn_id: str = DEFAULT_CONNECTION,
        deferrable: bool | None = None,
        report_url: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.view = view
        self.partitions = partitions
        self.metastore_conn_id = metastore_conn_id
        self.deferrable = (
            conf.getboolean("operators", "default_deferrable", fallback=False) if deferrable is None else deferrable
        )
        self.report_url = report_url

    def poke(self, context: Any) -> PokeReturnValue:  # noqa: ARG002 - Airflow's signature
        """Whether all partitions are there."""
        with no_retry_of_invalid_calls():
            try:
                missing = missing_partitions(
                    HiveViewsHook(self.metastore_conn_id).get_conn(), self.view, self.partitions
                )
            except UnavailableError as error:
                if not is_outage(error):
                    raise
                self.log.warning("Cannot see the partitions of %s, and will look again: %s", self.view, error)
                return PokeReturnValue(is_done=False)
        if missing:
            self.log.info("%s: these partitions are missing: %s", self.view, first_of(missing, SHOWN))
        return PokeReturnValue(is_done=not missing)

    def execute(self, context: Any) -> None:
        """Wait, in the triggerer if the sensor is deferrable."""
        if not self.deferrable:
            super().execute(context)
        elif not self.poke(context):
            self.defer(
                trigger=ViewPartitionTrigger(self.view, self.partitions, self.metastore_conn_id, self.poke_interval),
                method_name="execute_complete",
                timeout=timedelta(seconds=self.timeout),
            )

    def execute_complete(self, context: Any, event: dict[str, str]) -> None:  # noqa: ARG002 - Airflow's signature
        """End as the trigger says."""
        if "error" in event:
            raise AirflowFailException(event["error"])
