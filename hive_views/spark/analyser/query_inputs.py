"""What a query reads: tables, views, and the base partitions of one partition of a view, as Hive tells its hooks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hive_views.analysis.query_analysis import Clause
from hive_views.hive.partition_values import normalise_partial_spec
from hive_views.hive.row import Column
from hive_views.spark.analyser import query_plans
from hive_views.spark.analyser.column_lineage import ColumnLineage
from hive_views.spark.analyser.predicates import predicate_of_spec
from hive_views.spark.analyser.scans import name_of_relation, scan_of
from hive_views.sql.quoting import quote_identifier

_NAME = re.compile(r"(`[^`]+`|[^\s()`.]+)(\.(`[^`]+`|[^\s()`.]+)){0,2}")


@dataclass(frozen=True)
class InputTable:
    """A table or view that a query reads.

    Attributes:
        name: ``namespace.name`` in the metastore's own catalog; with the catalog's name before it in another; the
            location of a table that is read by it.
        format: ``view``, ``hive``, ``delta``, ``iceberg``, or what Spark calls the provider.
        partitions: names of the partitions that would be read (``ds=2026-08-21/hr=0``), sorted; an Iceberg table's by
            its transforms (``ts_day=2026-08-21``), that of a table without partition columns is "". () where the query
            needs nothing of the table. None: unknown, because no partition was asked for, or the source does not say.
    """

    name: str
    format: str
    partitions: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Inputs:
    """What a query reads.

    Attributes:
        tables: views and tables, also those in nested views and subqueries, each once, from the outermost in.
        columns: for each output column the columns of tables that its value is made of, as (table, column); a filter's
            or a join condition's are not among them. Left out where that is not certain.
        filters: the columns of tables that decide which rows there are, or their order, each with the clauses in which
            it stands, in the query or in a view that it reads.
    """

    tables: tuple[InputTable, ...]
    columns: Mapping[str, tuple[tuple[str, str], ...]]
    filters: Mapping[tuple[str, str], tuple[Clause, ...]] = field(default_factory=dict)


def inputs_of(spark: Any, view_or_sql: str, partition: Mapping[str, object] | None = None) -> Inputs:
    """The tables and views that a view or query reads; nothing is run.

    Args:
        spark: a classic SparkSession.
        view_or_sql: the name of a view or table, or a query.
        partition: values of output columns, as of one partition of the view, to find out which partitions of the base
            tables would be read for it.

    Raises:
        UnsupportedFeatureError: a Spark Connect session.
        InvalidPartitionError: the query has no such column, or no such value.
        SQLSyntaxError, NoSuchTableError: as ``schema_of``.
        UnavailableError: as ``schema_of``, or the metastore failed to list the partitions of a table.
    """
    query_plans.check_classic(spark, "inputs_of")
    query = query_of(view_or_sql)
    made = query_plans.frame(spark, query)
    plan = query_plans.analyzed(made)
    found = _tables(plan)
    if is_name(view_or_sql):
        # A view is no input of itself.
        found = {name: format_ for place, (name, format_) in enumerate(found.items()) if place or format_ != "view"}
    read: Mapping[str, tuple[str, ...] | None] = {}
    if partition:
        selected = query_plans.frame(spark, f"{query} WHERE {selecting(made, partition)}")
        read = _partitions(spark, selected)
    # What is in no scan was folded away, unless it is unknown what a scan is of.
    unread = () if partition and read.keys() <= found.keys() else None
    tables = (
        InputTable(name, format_, None if format_ == "view" else read.get(name, unread))
        for name, format_ in found.items()
    )
    lineage = ColumnLineage(spark, query, plan, made.columns)
    return Inputs(tuple(tables), lineage.columns_read(), lineage.filters())


def is_name(view_or_sql: str) -> bool:
    """Whether it is the name of a view or table, and no query."""
    return _NAME.fullmatch(view_or_sql.strip()) is not None


def query_of(view_or_sql: str) -> str:
    """A query that can be continued with WHERE, from a name or another query."""
    text = view_or_sql.strip()
    if is_name(text):
        parts = re.findall(r"`[^`]+`|[^.`]+", text)
        text = ".".join(quote_identifier(part.strip("`")) for part in parts)
    else:
        text = f"({text.rstrip(';')}\n)"
    return f"SELECT * FROM {text}"  # noqa: S608 - a name that is quoted, or a query that was asked for


def selecting(frame: Any, partition: Mapping[str, object]) -> str:
    """The condition that selects a partition from the rows of a frame. InvalidPartitionError: it has no such column or
    value.
    """
    keys = [Column(field.name.lower(), field.dataType.simpleString()) for field in frame.schema]
    return predicate_of_spec(keys, normalise_partial_spec(partition, keys))


def _tables(plan: Any) -> dict[str, str]:
    """The formats of views and tables, by name."""
    named = (named for node in query_plans.walk(plan) if (named := name_of_relation(node)) is not None)
    return dict(named)


def _partitions(spark: Any, frame: Any) -> dict[str, tuple[str, ...] | None]:
    """The partitions that each table's scans would read."""
    read: dict[str, tuple[str, ...] | None] = {}
    for leaf in query_plans.scans(spark, frame):
        scan = scan_of(spark, leaf)
        if scan is None:
            continue
        names, before = scan.list_partitions(), read.get(scan.table, ())
        read[scan.table] = None if names is None or before is None else tuple(sorted({*before, *names}))
    return read
