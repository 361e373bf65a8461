"""The columns of a query, as Spark's analyser finds them and the metastore spells them.

What lives here: asking Spark, and the way from Spark's types to Hive's. What must not: running a query, Hive's own
rules for types and columns (hive/types.py, hive/columns.py), anything that a Spark Connect client cannot do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from hive_views.errors import InvalidSchemaError, NoSuchTableError, SQLSyntaxError
from hive_views.hive.types import parse_hive_type
from hive_views.spark.extra import missing_pyspark
from hive_views.sql.query import check_query

# Spark has char and varchar in tables only. In a query they are string, and the column's metadata keep the whole type.
_EXACT_TYPE = "__CHAR_VARCHAR_TYPE_STRING"
_COLLATIONS = "__COLLATIONS"
_ANSI = "spark.sql.ansi.enabled"
_NOT_FOUND = ("TABLE_OR_VIEW_NOT_FOUND", "SCHEMA_NOT_FOUND")
# By the names in Spark's JSON of a schema.
_HIVE_NAMES = {"byte": "tinyint", "short": "smallint", "integer": "int", "long": "bigint"} | {
    name: name for name in ("boolean", "float", "double", "string", "binary", "date", "timestamp")
}


def schema_of(spark: Any, sql: str, *, dialect: str = "hive") -> list[tuple[str, str, str | None]]:
    """The output columns of a query, for ``create_view(schema=...)``: names, Hive types, and comments or None.

    Spark analyses the query and does not run it. Columns that are taken over from a table keep its comments and, where
    the table has them, the types char and varchar.

    Args:
        spark: a SparkSession, classic or Connect. Names of one part are those of its current database.
        sql: one query that only reads.
        dialect: ``hive`` or ``spark``, what the text is the view's text for. A ``hive`` text is analysed with ANSI mode
            off, since that is how Spark reads it from the row, and types may depend on it: ``'1' + 1`` is a bigint in
            ANSI mode and a double without.

    Raises:
        SQLSyntaxError: the text is not one query, or Spark finds a mistake in it.
        NoSuchTableError: it names a table or database that the session does not know.
        InvalidSchemaError: a column is of a type that Hive does not have (a bare NULL, timestamp_ntz, an interval,
            variant, time, a string with a collation).
        UnsupportedFeatureError: PySpark is not installed.
    """
    check_query(sql, dialect)
    with missing_pyspark():
        from pyspark.errors import AnalysisException  # noqa: PLC0415 - an optional package
    try:
        with _ansi_mode(spark, on=dialect.lower() == "spark"):
            schema = spark.sql(sql).schema.jsonValue()
    except AnalysisException as error:
        raise _as_ours(error) from error
    return [_column(field) for field in schema["fields"]]


@contextmanager
def _ansi_mode(spark: Any, *, on: bool) -> Iterator[None]:
    before = spark.conf.get(_ANSI)
    spark.conf.set(_ANSI, str(on).lower())
    try:
        yield
    finally:
        spark.conf.set(_ANSI, before)


def _as_ours(error: Any) -> SQLSyntaxError | NoSuchTableError:
    condition = error.getCondition() or ""
    # The rest is the plan, or the text with carets.
    reason = str(error).split(";\n")[0].split("\n\n")[0].strip()
    kind = NoSuchTableError if condition.startswith(_NOT_FOUND) else SQLSyntaxError
    return kind(f"Spark cannot analyse the query: {reason}", condition=condition)


def _column(field: Mapping[str, Any]) -> tuple[str, str, str | None]:
    name, metadata = field["name"], field["metadata"]
    hive_type = metadata.get(_EXACT_TYPE) or _hive_type(field["type"], name)
    if _COLLATIONS in metadata:
        raise _no_such_type(name, "string with a collation", "COLLATE UTF8_BINARY")
    if str(parse_hive_type(hive_type)) != hive_type:
        raise InvalidSchemaError(
            f"Column {name} is of type {hive_type}, in which Hive would read other names of struct fields. "
            f"Rename the fields in the query.",
            column=name,
            type=hive_type,
        )
    return name, hive_type, metadata.get("comment") or None


def _hive_type(type_: Any, column: str) -> str:
    """The Hive spelling of a type in Spark's JSON of a schema; ``column`` is named in errors."""
    if isinstance(type_, str):
        if type_ in _HIVE_NAMES:
            return _HIVE_NAMES[type_]
        if type_.startswith("decimal("):
            return type_
        raise _no_such_type(column, type_, "CAST")
    if type_["type"] == "array":
        return f"array<{_hive_type(type_['elementType'], column)}>"
    if type_["type"] == "map":
        return f"map<{_hive_type(type_['keyType'], column)},{_hive_type(type_['valueType'], column)}>"
    if type_["type"] == "struct":
        fields = (f"{field['name']}:{_hive_type(field['type'], column)}" for field in type_["fields"])
        return f"struct<{','.join(fields)}>"
    raise _no_such_type(column, type_["type"], "CAST")


def _no_such_type(column: str, type_: str, way_out: str) -> InvalidSchemaError:
    return InvalidSchemaError(
        f"Column {column} is, or contains, a {type_}: Hive has no such type. Give it another in the query, with "
        f"{way_out}.",
        column=column,
        type=type_,
    )
