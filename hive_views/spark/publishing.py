"""Publishing with Spark at hand: the strict check before it, and what each partition reads after it.

What lives here: both around ``hive_views.publish``. What must not: rules, plans, how partitions are declared.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hive_views.errors import HiveViewsError
from hive_views.hive.limits import MAX_PARTITION_PARAMETER
from hive_views.hive.partition_names import parse_partition_name
from hive_views.partitions import Spec
from hive_views.publishing.rules import Rule
from hive_views.publishing.run import PublishReport
from hive_views.publishing.run import publish as publish_without_spark
from hive_views.spark import plans
from hive_views.spark.inputs import Inputs, inputs_of
from hive_views.spark.strict import check_strict_to_publish
from hive_views.spec.identifiers import TableIdentifier
from hive_views.verbs import Identifier, ViewVerbs

READS = "hive-views.reads"


@dataclass(frozen=True)
class PublishedPartition:
    """A partition that was just declared.

    Attributes:
        view: the name of the view.
        partition: its name, ``ds=2026-08-21/hr=00``.
        inputs: the tables and views that the view's query reads for it, with their partitions.
    """

    view: str
    partition: str
    inputs: Inputs


OnPublished = Callable[[PublishedPartition], None]


def publish(
    spark: Any,
    catalog: ViewVerbs,
    view: Identifier,
    *rules: Rule,
    strict: bool | Spec = True,
    on_published: OnPublished | None = None,
    **options: Any,
) -> PublishReport:
    """``hive_views.publish``, that asks Spark what the view reads.

    Each partition that is added gets the parameter ``hive-views.reads``: JSON with the names of the base partitions by
    table, or their numbers where the names take more than 4,000 characters. That costs tenths of a second for each.

    Args:
        spark: a classic SparkSession on the metastore of the catalog.
        catalog: where the view is.
        view: ``"namespace.name"`` of a partitioned view.
        rules: as for ``hive_views.publish``.
        strict: refuse a view that reads a whole partitioned table for each of its partitions (``check_strict``). Judged
            by a partition that the view has, or by values that are given here instead of ``True``.
        on_published: called for each partition that was added, once it is recorded. What it raises ends the calls; the
            partitions stay declared.
        options: as for ``hive_views.publish``.

    Raises:
        InvalidInputError: the view is not strict; nothing was declared.
        UnsupportedFeatureError: a Spark Connect session.
        HiveViewsError: as ``hive_views.publish``. One that is raised after partitions were added has their names in the
            field ``added``.
    """
    plans.check_classic(spark, "publish")
    name = str(TableIdentifier.of(view))
    check_strict_to_publish(spark, catalog, name, strict)
    report = publish_without_spark(catalog, view, *rules, **options)
    if report.dry_run or not report.added:
        return report
    try:
        published = [
            PublishedPartition(name, one, inputs_of(spark, name, parse_partition_name(one))) for one in report.added
        ]
        texts = {one.partition: reads_text(one.inputs) for one in published}
        catalog.partitions(view).set_parameters(report.added, lambda partition: {READS: texts[partition]})
    except HiveViewsError as error:
        error.fields["added"] = list(report.added)
        raise
    for one in published:
        if on_published:
            on_published(one)
    return report


def reads_text(inputs: Inputs) -> str:
    """The base partitions by table as JSON that any metastore can hold: ASCII, at most 4,000 characters."""
    tables = [table for table in inputs.tables if table.format != "view"]
    names = {table.name: table.partitions for table in tables}
    numbers = {name: None if partitions is None else len(partitions) for name, partitions in names.items()}
    texts = (json.dumps(told, separators=(",", ":")) for told in (names, numbers, {"tables": len(tables)}))
    return next(text for text in texts if len(text) <= MAX_PARTITION_PARAMETER)
