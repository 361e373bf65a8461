"""Strict mode: a partition of a view must need partitions of its base tables, and not all of them.

The rule is Hive's (``hive.strict.checks.no.partition.filter``), applied to ``SELECT * FROM view WHERE key = value``:
each scan of a partitioned table must be narrowed by a condition on one of its partition columns. Here the condition
must come from the view's partition, so scans with and without it are compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from hive_views.errors import InvalidInputError, InvalidPartitionError
from hive_views.hive.partition_names import parse_partition_name
from hive_views.hive.partition_values import normalise_partial_spec, normalise_value
from hive_views.hive.row import Column
from hive_views.messages.logs import logger_of
from hive_views.spark.analyser import query_plans
from hive_views.spark.analyser.predicates import predicate, predicate_of_spec
from hive_views.spark.analyser.query_inputs import query_of
from hive_views.spark.analyser.scans import Filters, Scan, scan_of
from hive_views.sql.quoting import quote_identifier
from hive_views.views.catalog import ViewCatalog
from hive_views.views.partitions.view_partitions import Spec

log = logger_of("hive_views.spark")

# Two values for each type that a query's column has; any other is a number.
_MADE_UP = {
    "string": ("2026-01-01", "2026-01-02"),
    "boolean": ("true", "false"),
    "date": ("2026-01-01", "2026-01-02"),
    "timestamp": ("2026-01-01 00:00:00", "2026-01-02 00:00:00"),
}
_NUMBERS = ("1", "2")
# More than the hours of a day or the days of a month. All of a table are listed only where a partition reads so many.
_FEWEST_TO_TELL = 32
_MOST_OF_A_TABLE = 0.5


def check_strict(spark: Any, view: str, partition: Mapping[str, object] | None = None) -> None:
    """Refuse a view whose partition predicate does not reach the partition columns of a base table.

    This is decided on the physical plan; nothing runs and no files are listed. Tables without partition columns are
    fine. Filters of the view's own query do not count, nor does what is known only when a query runs (a join with a
    small table, a subquery). A transform of the column prunes a Hive or Delta table, but an Iceberg table only if
    Iceberg understands it. A constant that is a partition column of a view chooses branches of a UNION; if that leaves
    fewer scans of a table, their own conditions count.

    If values are given and most partitions of a base table would be read for them nevertheless, as by a join on ``<=``
    or a CASE of the column, that is logged as a warning with their share, unless the share cannot be found out.

    Args:
        spark: a classic SparkSession.
        view: the name of a partitioned view.
        partition: values of its partition columns, as one of its partitions has them; missing ones are made up. Needed
            for a column that the view has constants for, since Spark leaves out branches with other values.

    Raises:
        InvalidInputError: a base table (field ``table``) would be read as a whole, or that is unknown.
        InvalidPartitionError: the view is not partitioned, or the values do not fit its partition columns.
        UnsupportedFeatureError: a Spark Connect session.
        NoSuchTableError, UnavailableError: as ``schema_of``.
    """
    query_plans.check_classic(spark, "check_strict")
    frame = query_plans.frame(spark, query_of(view))
    keys = _keys(spark, view, frame)
    given = normalise_partial_spec(partition or {}, keys)
    values = {key.name: _two_values(key)[0] for key in keys} | given
    # The same rows but NULLs, so that both plans have the same joins: Spark makes outer ones inner where NULLs are out.
    whole = _scans(spark, frame.where(" AND ".join(f"{quote_identifier(key.name)} IS NOT NULL" for key in keys)))
    selected = _scans(spark, frame.where(_selecting(keys, values)))
    _refuse_left_out(view, whole, selected, values, given)
    for scan in selected:
        if scan.keys is None:
            raise InvalidInputError(
                f"It is unknown how view {view} reads {scan.table}: this kind of source hides what its partitions "
                f"are filtered by. Publish it with strict=False.",
                identifier=view,
                table=scan.table,
            )
        before, after = _conditions(whole, scan.table), _conditions(selected, scan.table)
        if scan.keys and not _is_narrowed(scan.filters(), before, after):
            read = "what its query leaves of the table anyway" if scan.filters() else "the whole table"
            raise InvalidInputError(
                f"View {view} is not strict: a condition on its partition columns ({', '.join(values)}) does not reach "
                f"the partition columns ({', '.join(scan.keys)}) of {scan.table}, so that every partition of the view "
                f"reads {read}. Pass the columns through the query as they are, or publish with strict=False.",
                identifier=view,
                table=scan.table,
                columns=list(scan.keys),
            )
        if given:
            _warn_of_share(view, scan, whole, values)


def _warn_of_share(view: str, scan: Scan, whole: Sequence[Scan], values: Mapping[str, str]) -> None:
    """Tell where a partition reads most of a table, as through a join by range or a CASE of the column."""
    try:
        read = len(scan.list_partitions() or ()) if scan.keys else 0
        if read < _FEWEST_TO_TELL:
            return
        total = max(len(one.list_partitions() or ()) for one in whole if one.table == scan.table)
    except Exception as error:  # noqa: BLE001 - whatever the source raises: the view is strict without it
        log.debug("view %s: how many partitions of %s are read is unknown: %s", view, scan.table, error)
        return
    if read > total * _MOST_OF_A_TABLE:
        partition = ", ".join(f"{name}={text}" for name, text in values.items())
        log.warning(
            "view %s: the partition %s reads %d of the %d partitions (%d %%) of %s, although a condition reaches it",
            *(view, partition, read, total, 100 * read // total, scan.table),
        )


def check_strict_to_publish(spark: Any, catalog: ViewCatalog, view: str, strict: bool | Spec) -> None:
    """``check_strict`` as a publication asks for it; raises as that.

    ``strict`` is False: nothing is checked. True: judged by a partition that the view has, since Spark may fold away
    made-up values. Otherwise: the values to judge by.
    """
    if strict is False:
        return
    check_strict(spark, view, _declared_partition(catalog, view) if strict is True else strict)


def _declared_partition(catalog: ViewCatalog, view: str) -> Spec | None:
    partitions = catalog.partitions(view)
    name = next(filter(partitions.fits, reversed(partitions.names())), None)
    return parse_partition_name(name) if name else None


def _keys(spark: Any, view: str, frame: Any) -> list[Column]:
    """The partition columns, with the types that they have in a query."""
    types = {field.name.lower(): field.dataType.simpleString() for field in frame.schema}
    names = [name.lower() for name, _ in query_plans.partition_columns(spark, view)]
    if not names:
        raise InvalidPartitionError(
            f"View {view} has no partition columns, so the strict check does not apply.", identifier=view
        )
    return [Column(name, types[name]) for name in names]


def _two_values(key: Column) -> list[str]:
    return [normalise_value(text, key.type, key=key.name) for text in _MADE_UP.get(key.type, _NUMBERS)]


def _selecting(keys: Sequence[Column], values: Mapping[str, str]) -> str:
    """The partition's condition, said twice: a view's own equality to the same value would hide the first.

    Spark decides both at once for a constant, and simplifies no list of two values for a column.
    """
    lists = []
    for key in keys:
        other = next(text for text in _two_values(key) if text != values[key.name])
        lists.append(predicate([key], [(values[key.name],), (other,)]))
    return " AND ".join([predicate_of_spec(keys, values), *lists])


def _scans(spark: Any, frame: Any) -> list[Scan]:
    return [scan for leaf in query_plans.scans(spark, frame) if (scan := scan_of(spark, leaf))]


def _conditions(scans: Sequence[Scan], table: str) -> list[Filters]:
    return [scan.filters() for scan in scans if scan.table == table]


def _is_narrowed(conditions: Filters, before: Sequence[Filters], after: Sequence[Filters]) -> bool:
    """Whether a scan with these filters is narrowed by the partition.

    Plans share no identities of scans, so the table's scans before and after the partition is selected are compared all
    together.
    """
    if conditions - frozenset().union(*before):
        return True
    others_have_gone = len(after) < len(before) and after.count(conditions) == before.count(conditions)
    return bool(conditions) and others_have_gone


def _refuse_left_out(
    view: str, whole: Sequence[Scan], selected: Sequence[Scan], values: Mapping[str, str], given: Collection[str]
) -> None:
    """Refuse values for which Spark has left out what was to be judged: something, or with given values everything."""
    left_out = Counter(scan.table for scan in whole) - Counter(scan.table for scan in selected)
    if not left_out or (given and selected):
        return
    table = next(iter(left_out))
    partition = ", ".join(f"{name}={text}" for name, text in values.items())
    raise InvalidInputError(
        f"It is unknown how view {view} reads {table}: for {partition} Spark leaves that out"
        f"{'' if given else ', and these values are made up'}. Give values that the view has, as partition={{...}} to "
        f"check_strict, or as strict={{...}} to a publication.",
        identifier=view,
        table=table,
    )
