"""The columns of a query, as Spark's analyser finds them and the metastore spells them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from hive_views.errors import InvalidSchemaError, NoSuchTableError, SQLSyntaxError, UnavailableError
from hive_views.hive.types import HiveType, parse_hive_type
from hive_views.spark.sessions.local_session import errors_not_logged
from hive_views.spark.sessions.session_beside import session_beside
from hive_views.spark.sessions.temporary_objects import refuse_temporary_objects, refuse_temporary_views
from hive_views.sql.expand import as_in_row
from hive_views.sql.query import QueryText

# Char and varchar are types of tables only; in a query they are string, and the column's metadata say the whole type.
_EXACT_TYPE = "__CHAR_VARCHAR_TYPE_STRING"
_COLLATIONS = "__COLLATIONS"
_ANSI = "spark.sql.ansi.enabled"
_NOT_FOUND = ("TABLE_OR_VIEW_NOT_FOUND", "SCHEMA_NOT_FOUND")
_FAILED_METASTORE = "HiveException"
_PLACE = re.compile(r"\bline (\d+),? pos(?:ition)? (\d+)")
_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)")
# From the names in Spark's JSON of a schema.
_HIVE_NAMES = {name: name for name in ("boolean", "float", "double", "string", "binary", "date", "timestamp")} | {
    "byte": "tinyint",
    "short": "smallint",
    "integer": "int",
    "long": "bigint",
}


def schema_of(spark: Any, sql: str, *, dialect: str = "hive") -> list[tuple[str, str, str | None]]:
    """The output columns of a query, for ``create_view(schema=...)``: names, Hive types, and comments or None.

    Spark analyses the query in a session beside the user's, and does not run it. Columns that are taken over from a
    table keep its comments and, where the table has them, the types char and varchar. (The first branch of a UNION
    decides, as in Spark's own views.)

    Args:
        spark: a SparkSession, classic or Connect. A name of one part is a table of its current database.
        sql: one query that only reads.
        dialect: ``hive`` or ``spark``: what the text is the view's text for. A ``hive`` text is analysed with ANSI mode
            off, which is how Spark reads it from the row, since types depend on it: ``'1' + 1`` is a bigint in ANSI
            mode and a double without.

    Raises:
        SQLSyntaxError: the text is not one query, or Spark finds a mistake in it.
        NoSuchTableError: it names a table or database that the session does not know.
        InvalidInputError: it reads a temporary view, function or variable of the session.
        InvalidSchemaError: a column is of a type that Hive does not have: a bare NULL, timestamp_ntz, an interval,
            variant, time, a string with a collation.
        UnavailableError: Spark's own metastore failed.
    """
    return columns_of(spark, sql, dialect)


def columns_of(
    spark: Any, sql: str, dialect: str, namespace: str | None = None, *, any_type: bool = False
) -> list[tuple[str, str, str | None]]:
    """``schema_of`` in the current database ``namespace``, or that of the session; raises as that.

    With ``any_type``, a type that Hive does not have is given as Spark calls it, and is no error.
    """
    from pyspark.errors import AnalysisException  # noqa: PLC0415 - an optional package, which a session comes from

    query = QueryText(sql, dialect)
    query.check()
    refuse_temporary_views(spark, query)
    mode = {_ANSI: str(dialect.lower() == "spark").lower()}
    read = str(query)
    if query.dialect == "hive":
        with suppress(SQLSyntaxError):  # who makes a view of it says so
            read = as_in_row(query)
    try:
        with errors_not_logged(), session_beside(spark, mode, namespace) as beside:
            try:
                schema = beside.sql(read).schema.jsonValue()
            except AnalysisException:
                beside.sql(sql).schema  # noqa: B018 - for the place in the text as typed
                raise
    except AnalysisException as error:
        refuse_temporary_objects(spark, sql, error)
        raise error_of(error, dialect) from error
    return [_column(field) if not any_type else _column_of_any_type(field) for field in schema["fields"]]


def error_of(error: Any, dialect: str) -> SQLSyntaxError | NoSuchTableError | UnavailableError:
    """Spark's AnalysisException as an error of this library."""
    condition, message = error.getCondition(), str(error)
    # Below it are the plan, or the text with carets.
    reason = message.strip().splitlines()[0].rstrip(";")
    if condition is None or _FAILED_METASTORE in message:
        return UnavailableError(f"Spark failed to analyse the query: {reason}")
    if condition.startswith(_NOT_FOUND):
        return NoSuchTableError(f"Spark does not know what the query reads: {reason}")
    place = _PLACE.search(message)
    line, column = (int(place[1]), int(place[2]) + 1) if place else (None, None)
    return SQLSyntaxError(
        f"Spark cannot analyse the query: {reason}", condition=condition, line=line, column=column, dialect=dialect
    )


def _column(field: Mapping[str, Any]) -> tuple[str, str, str | None]:
    name, metadata = field["name"], field["metadata"]
    type_ = _type_of(field, name)
    exact = metadata.get(_EXACT_TYPE, str(type_))
    # A struct's field names stand in the type as they are, and not every name can be parted from what follows it.
    if not _is_read_as(type_, exact):
        raise InvalidSchemaError(
            f"Column {name} is of type {exact}, in which Hive would read other names of struct fields. "
            f"Rename the fields in the query, to letters, digits and '_'.",
            columns=[name],
            type=exact,
        )
    return name, str(parse_hive_type(exact)), metadata.get("comment") or None


def _column_of_any_type(field: Mapping[str, Any]) -> tuple[str, str, str | None]:
    try:
        return _column(field)
    except InvalidSchemaError as error:
        return field["name"], error.type or str(field["type"]), None


def _is_read_as(type_: HiveType, text: str) -> bool:
    try:
        return _with_strings(parse_hive_type(text)) == type_
    except InvalidSchemaError:
        return False


def _with_strings(type_: HiveType) -> HiveType:
    if type_.name in ("char", "varchar"):
        return HiveType("string")
    return replace(type_, parts=tuple(map(_with_strings, type_.parts)))


def _type_of(field: Mapping[str, Any], column: str) -> HiveType:
    """The Hive type of a column or struct field in Spark's JSON of a schema; ``column`` is named in errors."""
    if _COLLATIONS in field["metadata"]:
        raise _no_counterpart(column, "string with a collation", "COLLATE UTF8_BINARY")
    return _hive_type(field["type"], column)


def _hive_type(type_: Any, column: str) -> HiveType:
    if isinstance(type_, str):
        if type_ in _HIVE_NAMES:
            return HiveType(_HIVE_NAMES[type_])
        if decimal := _DECIMAL.fullmatch(type_):
            return HiveType("decimal", (int(decimal[1]), int(decimal[2])))
        raise _no_counterpart(column, type_, "CAST")
    match type_["type"]:
        case "array":
            return HiveType("array", parts=(_hive_type(type_["elementType"], column),))
        case "map":
            return HiveType("map", parts=(_hive_type(type_["keyType"], column), _hive_type(type_["valueType"], column)))
        case "struct":
            parts = tuple(_type_of(field, column) for field in type_["fields"])
            return HiveType("struct", parts=parts, field_names=tuple(field["name"] for field in type_["fields"]))
        case other:
            raise _no_counterpart(column, other, "CAST")


def _no_counterpart(column: str, type_: str, advice: str) -> InvalidSchemaError:
    return InvalidSchemaError(
        f"Column {column} is, or contains, a Spark {type_}, which Hive has no counterpart for. Give it another type in "
        f"the query, with {advice}.",
        columns=[column],
        type=type_,
    )
