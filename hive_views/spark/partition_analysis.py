"""How many rows the partitions of a view have, counted once and kept with the partitions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hive_views.errors import InvalidInputError, InvalidPartitionError, NoSuchPartitionError
from hive_views.hive.partition_names import parse_partition_name
from hive_views.hive.partition_values import normalise_value
from hive_views.hive.row import Column
from hive_views.persisted import AGGREGATE, ANALYZED_AT, ROWS
from hive_views.spark.analyser import query_plans
from hive_views.spark.analyser.predicates import predicate
from hive_views.spec.identifiers import Identifier
from hive_views.sql.quoting import quote_identifier
from hive_views.views.catalog import ViewCatalog
from hive_views.views.partitions.view_partitions import Spec, ViewPartitions


@dataclass(frozen=True)
class PartitionAnalysis:
    """What was counted in one partition; an aggregate's value is its text, None for NULL."""

    rows: int
    aggregates: Mapping[str, str | None] = field(default_factory=dict)


def analyze(
    spark: Any,
    catalog: ViewCatalog,
    view: Identifier,
    partitions: Iterable[Spec] | None = None,
    aggregates: Mapping[str, str] | None = None,
) -> dict[str, PartitionAnalysis]:
    """Count the rows of view partitions in one Spark job, and store the counts with the partitions.

    They become the partition parameters ``hive-views.rows``, ``hive-views.aggregate.<name>`` and
    ``hive-views.analyzed-at-ms``, as ASCII. A count is as of the time it was taken; late data does not change it.

    Args:
        spark: a SparkSession, classic or Connect, on the metastore of the catalog.
        catalog: where the view is.
        view: ``"namespace.name"`` of a partitioned view.
        partitions: their values; by default all that are declared.
        aggregates: what else to compute, SQL expressions over the view's columns by name: ``{"revenue":
            "sum(amount)"}``.

    Returns:
        The counts, by the name of the partition; 0 for one without rows.

    Raises:
        NoSuchViewError: there is no such view.
        InvalidPartitionError: it is not partitioned, or the values do not fit its partition columns.
        NoSuchPartitionError: a partition is not declared; nothing was counted.
        InvalidInputError: the name of an aggregate, or its value, cannot be stored.
        SQLSyntaxError: Spark cannot analyse an aggregate.
        CommitStateUnknownError, UnavailableError: the metastore failed; run it again.
    """
    expressions = _checked(aggregates or {})
    view_partitions = catalog.partitions(view)
    names = _declared(view_partitions, partitions)
    counted = _counted(spark, view_partitions, names, expressions) if names else {}
    at_ms = str(catalog.settings.clock_ms())

    def parameters(name: str) -> dict[str, str]:
        found = counted[name]
        aggregates = {AGGREGATE + key: _ascii(text) for key, text in found.aggregates.items() if text is not None}
        return {ROWS: str(found.rows), ANALYZED_AT: at_ms, **aggregates}

    view_partitions.set_parameters(names, parameters)
    return counted


def _checked(aggregates: Mapping[str, str]) -> Mapping[str, str]:
    for name in aggregates:
        if not name or not name.isascii() or len(AGGREGATE + name) > 256:
            raise InvalidInputError(
                f"Cannot use {name!r} as the name of an aggregate: its value becomes the partition parameter "
                f"{AGGREGATE}<name>. Use up to 230 ASCII characters.",
            )
    return aggregates


def _declared(partitions: ViewPartitions, specs: Iterable[Spec] | None) -> list[str]:
    declared = partitions.names()
    if specs is None:
        # The others are no partitions that Hive's SQL can declare: NULL, and values that are not of the column's type.
        return [name for name in declared if partitions.fits(name)]
    names = list(dict.fromkeys(partitions.name_of(spec) for spec in specs))
    missing = [name for name in names if name not in set(declared)]
    if missing:
        raise NoSuchPartitionError(
            f"View {partitions.view.identifier} has no partition {missing[0]}; publish it before it is analysed.",
            partitions=missing,
        )
    return names


def _counted(
    spark: Any, partitions: ViewPartitions, names: list[str], expressions: Mapping[str, str]
) -> dict[str, PartitionAnalysis]:
    keys = partitions.keys
    values = (tuple(parse_partition_name(name).values()) for name in names)
    identifier = partitions.view.identifier
    grouping = ", ".join(quote_identifier(key.name) for key in keys)
    # As text, since Python has moments in the zone of its process.
    selected = [f"CAST({quote_identifier(key.name)} AS STRING)" for key in keys]
    selected += ["count(*)", *(f"CAST(({expression}) AS STRING)" for expression in expressions.values())]
    source = f"spark_catalog.{quote_identifier(identifier.namespace)}.{quote_identifier(identifier.name)}"
    condition = predicate(keys, values)
    query = f"SELECT {', '.join(selected)} FROM {source} WHERE {condition} GROUP BY {grouping}"  # noqa: S608 - quoted
    found = {name: PartitionAnalysis(0, dict.fromkeys(expressions)) for name in names}
    made = query_plans.frame(spark, query)
    with query_plans.metastore_failures(f"the rows of view {identifier} were counted"):
        rows_of_partitions = made.collect()
    for row in rows_of_partitions:
        texts, rows, values_ = row[: len(keys)], row[len(keys)], row[len(keys) + 1 :]
        name = _name(partitions, keys, texts)
        if name in found:
            found[name] = PartitionAnalysis(rows, dict(zip(expressions, values_, strict=True)))
    return found


def _name(partitions: ViewPartitions, keys: tuple[Column, ...], texts: tuple[str, ...]) -> str | None:
    try:
        spec = {key.name: normalise_value(text, key.type, key=key.name) for key, text in zip(keys, texts, strict=True)}
    except InvalidPartitionError:
        # The text of another value, which was compared as equal: 'a ' and 'a' of a char.
        return None
    return partitions.name_of(spec)


def _ascii(text: str) -> str:
    """The text as a JSON string without quotes would write it: not every metastore holds more than ASCII."""
    return text if text.isascii() else text.encode("ascii", "backslashreplace").decode("ascii")
