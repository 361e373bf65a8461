"""The names of a query's columns, if a star hides them and the view has other names.

``CREATE VIEW v (b, a) AS SELECT * FROM t`` names columns by position. The schema has the names of the view; those of
the query are in the expanded text for Hive, and for Spark in the version's summary or in a property that Spark sets
with each version that it creates.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence

from hive_views.analysis import OutputColumn
from hive_views.errors import CorruptMetadataError, InvalidSchemaError
from hive_views.hive.types import kind_of
from hive_views.messages.counted import counted
from hive_views.persisted import STAR_COLUMNS
from hive_views.spec.metadata import ViewMetadata, ViewVersion
from hive_views.spec.strict_json import read_json
from hive_views.sql.dialects import ROW_DIALECTS
from hive_views.sql.query import QueryText

FindColumns = Callable[[QueryText, str], Sequence[OutputColumn] | None]
"""The columns of a query, given the namespace of its names; None if they are unknown."""

SPARK_COLUMNS = "spark.query-column-names"
"""The view's property that Iceberg's Spark sets: the names with commas between."""


def star_columns(metadata: ViewMetadata) -> Sequence[str] | None:
    """The names of the columns of the current version's text for Spark, by position; () if they are unknown.

    Returns:
        None if they are those of the schema.
    """
    version = metadata.current_version
    kept = version.summary.get(STAR_COLUMNS)
    if kept is not None:
        try:
            return tuple(str(name) for name in read_json(kept))
        except (ValueError, TypeError) as e:
            raise CorruptMetadataError(
                f"The version's summary has {kept!r} for {STAR_COLUMNS}, not a JSON list."
            ) from e
    said = metadata.properties.get(SPARK_COLUMNS)
    if said is None or version.summary.get("engine-name") != "spark":
        return None
    is_newest = all(entry.version_id <= version.version_id for entry in metadata.version_log)
    return tuple(said.split(",")) if is_newest else ()


def saying_star_columns(metadata: ViewMetadata) -> ViewVersion:
    """The current version, which says them itself, so that one that keeps its text can."""
    version, names = metadata.current_version, star_columns(metadata)
    if names is None:
        return version
    return version.model_copy(update={"summary": {**version.summary, STAR_COLUMNS: json.dumps(names)}})


def star_columns_in(
    texts: Mapping[str, QueryText], namespace: str, columns: Mapping[str, str | None], find: FindColumns
) -> dict[str, tuple[str, ...]]:
    """By dialect, the names of the columns of each text with a star, if they differ from those of the view.

    Unknown columns are assumed to have the names of the view, which are then the only ones that are known.

    Args:
        texts: new ones, by dialect.
        namespace: where their names resolve.
        columns: Hive types of the view's by name, None where unknown; they go with those of the query by position.
        find: called for a text with a star alone.

    Raises:
        InvalidSchemaError: the query has another number of columns, or the view's are plainly meant by their names.
    """
    known: dict[str, tuple[str, ...]] = {}
    for dialect in ROW_DIALECTS:
        text = texts.get(dialect)
        if text is None or text.output_names is not None:
            continue
        found = find(text, namespace)
        if found is None:
            continue
        _check_pairs(dialect, found, columns)
        names = tuple(one.name or f"_c{place}" for place, one in enumerate(found))
        if _folded(names) != _folded(columns):
            known[dialect] = names
    return known


def _check_pairs(dialect: str, found: Sequence[OutputColumn], columns: Mapping[str, str | None]) -> None:
    own = [one.name or one.text for one in found]
    if len(own) != len(columns):
        raise InvalidSchemaError(
            f"The {dialect} SQL returns {counted(len(own), 'column')} ({', '.join(own)}), the schema has "
            f"{len(columns)} ({', '.join(columns)}).",
            dialect=dialect,
        )
    types = {name.lower(): type_ for name, type_ in columns.items()}
    if len(set(_folded(own))) < len(own) or set(_folded(own)) != set(types):
        return
    if any(_differ(one.type, types[name]) for name, one in zip(_folded(own), found, strict=True)):
        return
    for (name, type_), one in zip(columns.items(), found, strict=True):
        if _differ(one.type, type_):
            raise InvalidSchemaError(
                f"Columns go by position: {name} {type_} stands where the {dialect} SQL returns {one.name} {one.type}. "
                f"Give the columns in the order of the query ({', '.join(own)}), or name them in the SQL.",
                columns=[name],
                dialect=dialect,
            )


def _differ(one: str | None, other: str | None) -> bool:
    return one is not None and other is not None and kind_of(one) != kind_of(other)


def _folded(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(name.lower() for name in names)
