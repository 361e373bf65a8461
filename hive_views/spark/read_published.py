"""Reading only the published partitions of a view, or an older definition of it.

Engines show all rows of a view, whatever partitions are declared. Both readers keep partition pruning.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import datetime, timezone
from typing import Any

from hive_views.errors import InvalidInputError, InvalidPartitionError, NoSuchVersionError
from hive_views.hive.partition_values import normalise_spec
from hive_views.hive.row import Column
from hive_views.persisted import PARTITIONED_ON
from hive_views.spark.analyser import query_plans
from hive_views.spark.analyser.predicates import predicate
from hive_views.spark.sessions.session_beside import session_beside
from hive_views.spec.identifiers import Identifier
from hive_views.spec.updates import RemoveProperties, SetCurrentViewVersion, Update, apply_updates
from hive_views.sql.quoting import quote_identifier
from hive_views.views.catalog import ViewCatalog
from hive_views.views.row.content import RowContent
from hive_views.views.row.projection import row_columns, row_texts
from hive_views.views.row.version import spark_settings
from hive_views.views.view import View

_ANSI = "spark.sql.ansi.enabled"
_TEXT = re.compile(r"\b(?:var)?char\(\d+\)")


def read_published(spark: Any, catalog: ViewCatalog, view: Identifier) -> Any:
    """The rows of the partitions that are published now, as a DataFrame; no rows if there are none.

    Args:
        spark: a SparkSession, classic or Connect, on the metastore of the catalog.
        catalog: where the view is.
        view: ``"namespace.name"`` of a partitioned view.

    Raises:
        NoSuchViewError: there is no such view.
        InvalidPartitionError: it is not partitioned.
    """
    partitions = catalog.partitions(view)
    keys = partitions.keys
    declared = []
    for values in partitions.values():
        # NULL, and what a foreign writer declared that is no value of the column, is no partition of any row.
        with suppress(InvalidPartitionError):
            declared.append(normalise_spec(values, keys))
    condition = predicate(keys, declared)
    name = partitions.view.identifier
    path = f"spark_catalog.{quote_identifier(name.namespace)}.{quote_identifier(name.name)}"
    return spark.table(path).where(condition)


def read_version(
    spark: Any,
    catalog: ViewCatalog,
    view: Identifier,
    *,
    version: int | None = None,
    as_of: datetime | int | None = None,
) -> Any:
    """What an older version of a view would give today, as a DataFrame: its text on the tables as they are now.

    It is analysed as Spark reads the row of that version: with the settings in it where it was adopted from Spark, else
    with ANSI mode off for a ``hive`` text and on for a ``spark`` text.

    Args:
        spark: a classic SparkSession on the metastore of the catalog, with ``spark_catalog`` as its current catalog.
        catalog: where the view is.
        view: ``"namespace.name"``.
        version: the id of the version.
        as_of: instead of it, a time: the version that was the current one then. A datetime, in UTC without a zone of
            its own, or milliseconds since 1970.

    Raises:
        InvalidInputError: not exactly one of ``version`` and ``as_of``.
        NoSuchVersionError: there is none, it has expired, or the view is younger.
        NoSuchTableError, SQLSyntaxError: the tables of today do not have what the text reads.
        UnsupportedFeatureError: a Spark Connect session, which analyses a query later, with other settings.
    """
    query_plans.check_classic(spark, "read_version")
    if (version is None) == (as_of is None):
        raise InvalidInputError("Specify exactly one of version= and as_of=.")
    loaded = catalog.load_view(view)
    wanted = _current_at(loaded, as_of) if version is None else loaded.version(version).version_id
    # An older version may have other columns than those that the view is partitioned on now.
    updates: list[Update] = [RemoveProperties([PARTITIONED_ON])] if loaded.partitioned_on else []
    if wanted != loaded.metadata.current_version_id:
        updates.append(SetCurrentViewVersion(wanted))
    metadata = apply_updates(loaded.metadata, updates, now_ms=loaded.history[-1].timestamp_ms)
    columns, _ = row_columns(metadata)
    dialect, _, text = row_texts(metadata, loaded.identifier)
    # A row in which Spark has recorded no mode is read with ANSI off; those of our own spark texts say that it is on.
    is_on = dialect != "hive" and RowContent.kept_by(metadata.current_version) is None
    settings = {_ANSI: str(is_on).lower(), **spark_settings(metadata.current_version)}
    with session_beside(spark, settings) as beside:
        frame = query_plans.frame(beside, text)
        placed = enumerate(zip(frame.schema, columns, strict=True))
        declared = frame.select(*(_as_declared(frame[place], field, column) for place, (field, column) in placed))
        return query_plans.in_session(spark, declared)


def _as_declared(value: Any, field: Any, column: Column) -> Any:
    # Cast only where it must be: a cast hides a partition column from the metastore.
    plain = _TEXT.sub("string", column.type)
    return (value if field.dataType.simpleString() == plain else value.cast(plain)).alias(column.name)


def _current_at(view: View, as_of: datetime | int | None) -> int:
    if isinstance(as_of, datetime):
        time = as_of if as_of.tzinfo else as_of.replace(tzinfo=timezone.utc)
        as_of = int(time.timestamp() * 1000)
    before = [entry for entry in view.history if entry.timestamp_ms <= (as_of or 0)]
    if not before:
        raise NoSuchVersionError(
            f"View {view.identifier} had no version at {as_of} ms since 1970; the first known one is of "
            f"{view.history[0].timestamp_ms} ms.",
            identifier=str(view.identifier),
        )
    return view.version(before[-1].version_id).version_id
