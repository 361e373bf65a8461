"""Strict mode: a partition of a view must need partitions of its base tables, and not all of them.

What lives here: the check. What must not: running a query, publishing.

The rule is Hive's (``hive.strict.checks.no.partition.filter``), asked of ``SELECT * FROM view WHERE key = value``: each
scan of a partitioned table is narrowed by a condition on one of its partition columns at least.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hive_views.errors import InvalidInputError, InvalidPartitionError
from hive_views.spark import plans
from hive_views.spark.inputs import query_of, selecting
from hive_views.spark.scans import name_of_relation, scan_of

_MADE_UP = {
    "string": "2026-01-01",
    "char": "2026-01-01",
    "varchar": "2026-01-01",
    "boolean": "true",
    "date": "2026-01-01",
    "timestamp": "2026-01-01 00:00:00",
}


def check_strict(spark: Any, view: str, partition: Mapping[str, object] | None = None) -> None:
    """Refuse a view whose partition predicate does not reach the partition columns of a base table.

    Decided on the physical plan; nothing runs and no files are listed. Tables without partition columns are fine, and
    what is known only when a query runs (a join with a small table, a subquery) does not count. A transform of the
    column prunes a Hive or Delta table, but an Iceberg table only where Iceberg understands it.

    Args:
        spark: a classic SparkSession.
        view: the name of a partitioned view.
        partition: values of one of its partitions; by default made up. Needed for a view that has constants for its
            partition columns, which Spark folds away with the tables behind them.

    Raises:
        InvalidInputError: a base table (field ``table``) would be read as a whole, or it cannot be told whether.
        InvalidPartitionError: the view is not partitioned, or the values are none of its columns.
        UnsupportedFeatureError: a Spark Connect session.
        NoSuchTableError, UnavailableError: as ``schema_of``.
    """
    plans.check_classic(spark, "check_strict")
    frame = plans.frame(spark, query_of(view))
    values = partition or _made_up(spark, view)
    selected = plans.frame(spark, f"{query_of(view)} WHERE {selecting(frame, values)}")
    scans = [scan for leaf in plans.scans(spark, selected) if (scan := scan_of(spark, leaf))]
    for scan in scans:
        if scan.keys is None:
            raise InvalidInputError(
                f"Cannot tell how view {view} reads {scan.table}: this kind of source does not say what its partitions "
                f"are filtered by. Publish it with strict=False.",
                view=view,
                table=scan.table,
            )
        if scan.keys and not scan.prunes():
            raise InvalidInputError(
                f"View {view} is not strict: a condition on its partition columns ({', '.join(values)}) does not reach "
                f"the partition columns ({', '.join(scan.keys)}) of {scan.table}, so that every partition of the view "
                f"reads the whole table. Pass the columns through the query as they are, or publish with strict=False.",
                view=view,
                table=scan.table,
                columns=list(scan.keys),
            )
    if not partition:
        _check_all_scanned(view, frame, {scan.table for scan in scans})


def _check_all_scanned(view: str, frame: Any, scanned: set[str]) -> None:
    named = filter(None, map(name_of_relation, plans.walk(plans.analyzed(frame))))
    folded = [name for name, format_ in named if format_ != "view" and name not in scanned]
    if folded:
        raise InvalidInputError(
            f"Cannot tell how view {view} reads {folded[0]}: with made-up values of its partition columns nothing is "
            f"left of that. Give values that the view has, as partition={{...}}.",
            view=view,
            table=folded[0],
        )


def _made_up(spark: Any, view: str) -> dict[str, str]:
    columns = plans.partition_columns(spark, view)
    if not columns:
        raise InvalidPartitionError(f"View {view} has no partition columns, so that nothing can be strict.", view=view)
    return {name: _MADE_UP.get(type_.partition("(")[0], "1") for name, type_ in columns}
