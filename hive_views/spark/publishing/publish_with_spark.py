"""Publishing with Spark: the strict check before it, and what each partition reads, recorded and reported."""

from __future__ import annotations

from typing import Any

from typing_extensions import Unpack

from hive_views.errors import HiveViewsError
from hive_views.publishing.publish import publish_request
from hive_views.publishing.report import PublishReport
from hive_views.publishing.request import PublishOptions, PublishRequest
from hive_views.readiness.rules import Rule
from hive_views.spark.analyser import query_plans
from hive_views.spark.publishing.recording import OnPublished, Recording
from hive_views.spark.publishing.revalidate_with_spark import by_executors
from hive_views.spark.publishing.strict import check_strict_to_publish
from hive_views.spec.identifiers import Identifier, TableIdentifier
from hive_views.views.catalog import ViewCatalog
from hive_views.views.partitions.view_partitions import Spec


def publish(
    spark: Any,
    catalog: ViewCatalog,
    view: Identifier,
    *rules: Rule,
    strict: bool | Spec = True,
    on_published: OnPublished | None = None,
    **options: Unpack[PublishOptions],
) -> PublishReport:
    """``hive_views.publish``, which also asks Spark what the view reads.

    Each partition is declared with the parameter ``hive-views.reads``: JSON with the names of the base partitions by
    table, or their numbers where the names take more than 4,000 characters. Spark is asked about all of them before the
    first is declared, which takes tenths of a second each: publish years in parts, with ``since`` and ``until``.

    Args:
        spark: a classic SparkSession on the metastore of the catalog.
        catalog: where the view is.
        view: ``"namespace.name"`` of a partitioned view.
        rules: as for ``hive_views.publish``; none: the recorded ones.
        strict: refuse a view that reads a whole partitioned table for each of its partitions (``check_strict``). Judged
            by a partition that the view has, or by values that are given here instead of ``True``.
        on_published: called at least once for each partition that was added, never before it is declared. What it
            raises is raised after the other calls, or after three failures in a row; the partitions stay declared.
            Those not reported, because it raised or the run was killed, are noted beside the view, and the next run of
            the same ``app_id`` with a callback reports them, even one that is skipped: different callbacks need
            different applications. A partition is reported again if the run was killed before the note was removed,
            and by two such runs at once.
        options: as for ``hive_views.publish``.

    Raises:
        InvalidInputError: the view is not strict; nothing was declared.
        UnsupportedFeatureError: a Spark Connect session.
        HiveViewsError: as ``hive_views.publish`` and ``inputs_of``. One that is raised after partitions were added has
            their names in the field ``added``.
    """
    query_plans.check_classic(spark, "publish")
    options.setdefault("list_directories", by_executors(spark))
    if rules:
        request = PublishRequest.of(view, *rules, **options)
    else:
        request = PublishRequest.by_record(catalog.load_view(view), **options)
    check_strict_to_publish(spark, catalog, str(TableIdentifier.of(view)), strict)
    recording = Recording(spark, catalog, request, on_published)
    report = publish_request(catalog, request, recording.record)
    if report.dry_run:
        return report
    try:
        recording.report()
    except HiveViewsError as error:
        error.added = list(report.added)
        raise
    return report
