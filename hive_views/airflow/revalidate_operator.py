"""The operator that finds published partitions whose data has changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

from airflow.sdk import BaseOperator
from airflow.sdk.exceptions import AirflowException, AirflowSkipException

from hive_views.airflow.hook import DEFAULT_CONNECTION, HiveViewsHook
from hive_views.airflow.report_link import ReportLink
from hive_views.airflow.task_arguments import Partition, Rules, bound_of, rules_of, specs_of
from hive_views.airflow.task_errors import no_retry_of_invalid_calls
from hive_views.errors import InvalidInputError
from hive_views.messages.enumerated import first_of
from hive_views.publishing.revalidation import revalidate
from hive_views.publishing.since_published import RevalidationState

_CHANGED: tuple[RevalidationState, ...] = ("changed", "missing")
_LISTED: tuple[RevalidationState, ...] = ("changed", "missing", "rewritten", "unknown")
_MOST_NAMES, _MOST_REASONS, _SHOWN = 1_000, 100, 20


class RevalidateOperator(BaseOperator):  # type: ignore[misc]
    """Finds out which published partitions of a view depend on data that has changed since, or is gone.

    XCom: ``view``; ``counts`` by state; ``changed``, ``missing``, ``rewritten`` and ``unknown`` (names, 1,000 of each
    at most); ``reasons`` by partition (100 at most).

    Args:
        view: ``namespace.name`` of a partitioned view.
        rules: those it was published with, as for ``PublishOperator``; by default those that are recorded with it.
        partitions: the partitions to consider, by names or values; by default all that are declared.
        since: the earliest to consider, likewise.
        until: the latest to consider, likewise.
        metastore_only: do not list the directories of Hive partitions.
        when_changed: ``succeed``, or ``fail`` if a partition is changed or missing.
        when_unchanged: ``succeed``, or ``skip`` if none is, so that tasks that compute again are skipped too.
        metastore_conn_id: a connection of the type ``hive_metastore``.
        report_url: where the button "Report" leads; by default ``report_url`` of the connection.
        kwargs: those of BaseOperator.
    """

    template_fields: Sequence[str] = (
        *("view", "rules", "partitions", "since", "until"),
        *("metastore_conn_id", "report_url"),
    )
    operator_extra_links = (ReportLink(),)

    def __init__(
        self,
        *,
        view: str,
        rules: Rules = (),
        partitions: Sequence[Partition] | None = None,
        since: Partition | None = None,
        until: Partition | None = None,
        metastore_only: bool = False,
        when_changed: Literal["succeed", "fail"] = "succeed",
        when_unchanged: Literal["succeed", "skip"] = "succeed",
        metastore_conn_id: str = DEFAULT_CONNECTION,
        report_url: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        for name, value, known in (
            ("when_changed", when_changed, ("succeed", "fail")),
            ("when_unchanged", when_unchanged, ("succeed", "skip")),
        ):
            if value not in known:
                raise InvalidInputError(f"Cannot use {value!r} as {name}: it must be one of {', '.join(known)}.")
        self.view = view
        self.rules = rules
        self.partitions = partitions
        self.since = since
        self.until = until
        self.metastore_only = metastore_only
        self.when_changed = when_changed
        self.when_unchanged = when_unchanged
        self.metastore_conn_id = metastore_conn_id
        self.report_url = report_url

    def execute(self, context: Any) -> dict[str, Any]:  # noqa: ARG002 - Airflow's signature
        """Revalidate, and do as ``when_changed`` and ``when_unchanged`` say."""
        with no_retry_of_invalid_calls(), HiveViewsHook(self.metastore_conn_id).get_conn() as catalog:
            report = revalidate(
                catalog,
                self.view,
                *rules_of(self.rules),
                candidates=specs_of(self.partitions),
                since=bound_of(self.since),
                until=bound_of(self.until),
                metastore_only=self.metastore_only,
            )
        counts = Counter(one.state for one in report.partitions.values())
        counted = ", ".join(f"{number} {state}" for state, number in counts.items()) or "no partitions"
        self.log.info("%s: %s", report.view, counted)
        changed = report.in_state(*_CHANGED)
        what = f"{report.view}: {counted}"
        if changed and self.when_changed == "fail":
            raise AirflowException(f"{what}; {first_of(changed, _SHOWN)}")
        if not changed and self.when_unchanged == "skip":
            raise AirflowSkipException(what)
        reasons = {name: list(one.reasons) for name, one in report.partitions.items() if one.state in _LISTED}
        return {
            "view": report.view,
            "counts": dict(counts),
            **{state: list(report.in_state(state)[:_MOST_NAMES]) for state in _LISTED},
            "reasons": dict(list(reasons.items())[:_MOST_REASONS]),
        }
