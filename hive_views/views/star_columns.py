"""What the columns of a text are called where a star hides them, and the view has other names for them.

What lives here: these names, as Spark says them and as a version keeps them. What must not: the text that is made with
them (sql/expand.py).

``CREATE VIEW v (b, a) AS SELECT * FROM t`` names columns by position. The schema has these names, and those of the text
are in a property alone, which Spark sets with each version that it makes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress

from hive_views.errors import CorruptMetadataError, SQLSyntaxError
from hive_views.persisted import STAR_COLUMNS
from hive_views.spec.metadata import ViewMetadata, ViewVersion
from hive_views.spec.strict_json import read_json
from hive_views.sql.query import output_columns

SPARK_COLUMNS = "spark.query-column-names"
"""The view's property that Iceberg's Spark sets: the names with commas between."""


def star_columns(metadata: ViewMetadata) -> Sequence[str] | None:
    """The names in the current version's text for Spark, by position; () where nobody knows them.

    Returns:
        None where they are those of the schema.
    """
    version = metadata.current_version
    kept = version.summary.get(STAR_COLUMNS)
    if kept is not None:
        try:
            return tuple(str(name) for name in read_json(kept))
        except (ValueError, TypeError) as e:
            raise CorruptMetadataError(f"The version's summary has {kept!r} for {STAR_COLUMNS}, no JSON list.") from e
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


def kept_star_columns(version: ViewVersion, names: Sequence[str]) -> dict[str, str]:
    """What a version that a client adds keeps of them in its summary; nothing where no star hides them."""
    text = version.sql_in("spark")
    with suppress(SQLSyntaxError):  # no text for plain readers is made of such a one
        if text is not None and output_columns(text.sql, "spark") is None:
            return {STAR_COLUMNS: json.dumps(names)}
    return {}
