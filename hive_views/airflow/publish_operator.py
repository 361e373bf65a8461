"""The operator that publishes a view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any, Literal

from airflow.providers.standard.triggers.temporal import TimeDeltaTrigger
from airflow.sdk import BaseOperator
from airflow.sdk.exceptions import AirflowException, AirflowSkipException

from hive_views.airflow.hook import DEFAULT_CONNECTION, HiveViewsHook
from hive_views.airflow.report_link import ReportLink
from hive_views.airflow.task_arguments import Partition, Rules, bound_of, rules_of, specs_of
from hive_views.airflow.task_errors import no_retry_of_invalid_calls
from hive_views.airflow.view_assets import EVENTS, send_event, view_asset
from hive_views.errors import InvalidInputError
from hive_views.messages.counted import counted
from hive_views.persisted import DECLARED_BY_TASK
from hive_views.publishing.batch.publication import Publication, chosen, with_overrides
from hive_views.publishing.batch.publications_file import read_publications
from hive_views.publishing.batch.publish_each import refuse_what_needs_spark
from hive_views.publishing.publish import Describe, publish_partitions, publish_request
from hive_views.publishing.report import PublishReport
from hive_views.publishing.request import PublishRequest
from hive_views.publishing.scope import EVERYTHING, Scope
from hive_views.views.catalog import ViewCatalog

WhenWaiting = Literal["fail", "skip", "succeed", "defer"]
_WHEN_WAITING = ("fail", "skip", "succeed", "defer")
# An XCom is a value in Airflow's database, which every reader loads whole.
_MOST_NAMES, _MOST_WAITING = 1_000, 100


class PublishOperator(BaseOperator):  # type: ignore[misc]
    """Declares the partitions of a view for which all rules hold.

    Either a ``view`` with ``rules`` or by those that are recorded with it, or a ``publication`` of a ``file``;
    ``.partial(file=...).expand(publication=[...])`` runs one task for each publication. A task that succeeds sends an
    event of the asset ``view_asset(view)`` with the partitions that it has declared, if there are any: those of tries
    that failed before and of looks before it was deferred, too.

    XCom: ``view``, ``publication``, ``declared`` and ``retracted`` (names, 1,000 at most), ``waiting`` (why, by
    partition, 100 at most), ``late`` (of these, since when, in seconds since 1970), and ``declared_count``,
    ``waiting_count``, ``late_count``, ``already_published_count``.

    Args:
        view: ``namespace.name`` of a partitioned view.
        rules: one or several, as ``requires("web.clicks", ds=column("ds"))`` or as the text of it; by default those
            that are recorded with the view.
        file: the path of a file of publications, instead of ``view`` and ``rules``.
        publication: the name of the publication: which of the file or of the recorded ones, or as what the rules are
            recorded.
        partitions: the partitions to consider, by names (``ds={{ ds }}``) or values; by default those of the
            publication, or all that the base tables name.
        since: the earliest to consider, likewise.
        until: the latest to consider, likewise.
        options: other fields of ``Publication``: ``expected``, ``app_id``, ``run_version``, ``retract``,
            ``parameters``, ``metastore_only``, ``max_fingerprints``.
        when_waiting: what to do when a partition is not ready: ``fail``, so that Airflow tries again as the task's
            ``retries`` say; ``skip``, unless the task has declared one; ``succeed``; ``defer``: look again after
            ``wait_interval``, without a worker in between, and fail after ``wait_timeout``.
        wait_interval: for ``defer``.
        wait_timeout: for ``defer``, from the start of the try.
        event_per_partition: send an event for each partition, with its name as the partition key, for DAGs with
            ``PartitionedAssetTimetable``; one event with all names, for others, is not sent then.
        metastore_conn_id: a connection of the type ``hive_metastore``.
        report_url: where the button "Report" leads; by default ``report_url`` of the connection.
        kwargs: those of BaseOperator.
    """

    template_fields: Sequence[str] = (
        *("view", "rules", "file", "publication", "partitions", "since", "until", "options"),
        *("metastore_conn_id", "report_url"),
    )
    operator_extra_links = (ReportLink(),)

    def __init__(
        self,
        *,
        view: str | None = None,
        rules: Rules = (),
        file: str | None = None,
        publication: str | None = None,
        partitions: Sequence[Partition] | None = None,
        since: Partition | None = None,
        until: Partition | None = None,
        options: Mapping[str, Any] | None = None,
        when_waiting: WhenWaiting = "fail",
        wait_interval: timedelta = timedelta(minutes=10),
        wait_timeout: timedelta = timedelta(days=1),
        event_per_partition: bool = False,
        metastore_conn_id: str = DEFAULT_CONNECTION,
        report_url: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if when_waiting not in _WHEN_WAITING:
            raise InvalidInputError(
                f"Cannot use {when_waiting!r} as when_waiting: it must be one of {', '.join(_WHEN_WAITING)}."
            )
        self.outlets: list[Any] = [*self.outlets, EVENTS]
        self.view = view
        self.rules = rules
        self.file = file
        self.publication = publication
        self.partitions = partitions
        self.since = since
        self.until = until
        self.options = options
        self.when_waiting = when_waiting
        self.wait_interval = wait_interval
        self.wait_timeout = wait_timeout
        self.event_per_partition = event_per_partition
        self.metastore_conn_id = metastore_conn_id
        self.report_url = report_url

    def execute(self, context: Any, event: Any = None) -> dict[str, Any]:  # noqa: ARG002 - the time, after a wait
        """Publish, and do as ``when_waiting`` says."""
        store = context["task_state_store"]
        with no_retry_of_invalid_calls(), HiveViewsHook(self.metastore_conn_id).get_conn() as catalog:

            def note(names: Sequence[str]) -> dict[str, dict[str, str]]:
                # Before they are declared: what a killed try has declared would be news to nobody.
                if names:
                    store.set(DECLARED_BY_TASK, sorted({*store.get(DECLARED_BY_TASK, []), *names}))
                return {}

            report = self._publish(catalog, note)
        # For the link.
        self.view = report.view
        there = {*report.added, *report.already_published}
        # A run that was completed before reads nothing.
        declared = [name for name in store.get(DECLARED_BY_TASK, []) if name in there or report.skipped]
        self._log(report)
        if report.waiting:
            self._wait(context, report, declared)
        asset = view_asset(report.view, self.metastore_conn_id)
        send_event(context, asset, declared, per_partition=self.event_per_partition)
        return _summary(self.publication or report.view, report, declared)

    def _publish(self, catalog: ViewCatalog, note: Describe) -> PublishReport:
        given = Scope.of(specs_of(self.partitions), bound_of(self.since), bound_of(self.until))
        bounds: dict[str, Any] = {"candidates": given.candidates, "since": given.since, "until": given.until}
        options = dict(self.options or {})
        try:
            if self.file is not None:
                return publish_request(catalog, self._publication_of_file(given, options).request(), note)
            if self.view is None:
                raise InvalidInputError("Give view, or file.")
            if self.rules:
                publication = Publication(
                    self.view, rules_of(self.rules), name=self.publication or "", **bounds, **options
                )
                return publish_request(catalog, publication.request(), note)
            partitions = catalog.partitions(self.view)
            request = PublishRequest.by_record(partitions.view, publication=self.publication, **bounds, **options)
        except TypeError as error:
            raise InvalidInputError(f"Invalid options of task {self.task_id}: {error}.") from error
        return publish_partitions(catalog, partitions, request, note)

    def _publication_of_file(self, given: Scope, options: Mapping[str, Any]) -> Publication:
        if self.rules:
            raise InvalidInputError("Give either file or rules.")
        publications = read_publications(str(self.file))
        named = chosen(publications, [self.publication] if self.publication else [])
        if len(named) != 1:
            raise InvalidInputError(
                f"Give publication, as {self.file} has {len(named)}: {', '.join(one.name for one in named)}."
            )
        refuse_what_needs_spark(named)
        (one,) = named
        self.publication = one.name
        if given != EVERYTHING:
            # A version in the file is that of its own runs.
            one = replace(with_overrides(publications, one, given), run_version=None)
        return replace(one, **options)

    def _log(self, report: PublishReport) -> None:
        self.log.info(
            "%s: %d declared, %d retracted, %d already published, %d waiting",
            report.view,
            len(report.added),
            len(report.retracted),
            len(report.already_published),
            len(report.waiting),
        )
        for name, reasons in list(report.waiting.items())[:_MOST_WAITING]:
            self.log.info("%s waits: %s", name, "; ".join(reasons))

    def _wait(self, context: Any, report: PublishReport, declared: Sequence[str]) -> None:
        first, reasons = next(iter(report.waiting.items()))
        what = f"{report.view}: {counted(len(report.waiting), 'partition')} not ready; {first}: {'; '.join(reasons)}"
        if self.when_waiting == "fail":
            raise AirflowException(what)
        if self.when_waiting == "skip" and not declared:
            raise AirflowSkipException(what)
        if self.when_waiting == "defer":
            self._defer(context, what)

    def _defer(self, context: Any, what: str) -> None:
        # Airflow keeps the start of a try while it is deferred.
        if datetime.now(timezone.utc) - context["ti"].start_date >= self.wait_timeout:
            raise AirflowException(f"After {self.wait_timeout}, {what}")
        self.defer(trigger=TimeDeltaTrigger(self.wait_interval), method_name="execute")


def _summary(publication: str, report: PublishReport, declared: Sequence[str]) -> dict[str, Any]:
    """The result of a task as small JSON."""
    return {
        "view": report.view,
        "publication": publication,
        "declared": list(declared[:_MOST_NAMES]),
        "declared_count": len(declared),
        "retracted": list(report.retracted[:_MOST_NAMES]),
        "waiting": {name: list(reasons) for name, reasons in list(report.waiting.items())[:_MOST_WAITING]},
        "waiting_count": len(report.waiting),
        "late": dict(list(report.late.items())[:_MOST_WAITING]),
        "late_count": len(report.late),
        "already_published_count": len(report.already_published),
    }
