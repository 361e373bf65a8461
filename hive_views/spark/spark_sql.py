"""SQL for Spark users: statements about views of this library are executed here, all others by Spark."""

from __future__ import annotations

import json
import re
from functools import partial
from typing import Any

from hive_views.ddl.execute import execute_statement
from hive_views.ddl.grammar.parse import is_view_statement, parse_statement
from hive_views.ddl.grammar.statements import CreateView, Name, PublishView, ShowViews, UseNamespace, ViewStatement
from hive_views.ddl.result import StatementResult
from hive_views.ddl.session import ColumnsOf, Session
from hive_views.errors import InvalidIdentifierError, InvalidInputError, NoSuchTableError, SQLSyntaxError
from hive_views.spark.analyser.query_schema import columns_of
from hive_views.spark.sessions.temporary_objects import temporary_views
from hive_views.sql.dialects import require_row_dialect
from hive_views.views.catalog import ViewCatalog
from hive_views.views.view import is_iceberg_view

_BLANKS = r"(?:\s|--[^\n]*(?:\n|\Z)|/\*.*?\*/)"
# What only changes or makes views; of the rest, the name decides.
_ONLY_VIEWS = re.compile(rf"{_BLANKS}*(?:CREATE|ALTER|DROP|PUBLISH)\b", re.IGNORECASE | re.DOTALL)
_PART = r"((?:\w+|`(?:[^`]|``)+`))"
_DROP_TABLE = re.compile(
    rf"{_BLANKS}*DROP{_BLANKS}+TABLE{_BLANKS}+(?:IF{_BLANKS}+EXISTS{_BLANKS}+)?"
    rf"(?:`?spark_catalog`?\s*\.\s*)?(?:{_PART}\s*\.\s*)?{_PART}(?:{_BLANKS}+PURGE)?(?:{_BLANKS}|;)*\Z",
    re.IGNORECASE | re.DOTALL,
)
_SPARKS_OWN_CATALOG = re.compile(r"`?\bspark_catalog\b`?\s*\.\s*(?=(?:\w+|`[^`]+`)\s*\Z)", re.IGNORECASE)


def sql(spark: Any, catalog: ViewCatalog, text: str, *, dialect: str = "hive") -> Any:
    """Execute one statement: if it is about views of this library here, otherwise as ``spark.sql`` does.

    Here: CREATE [OR REPLACE] VIEW, PUBLISH VIEW, and ALTER VIEW, DROP VIEW, DESCRIBE, SHOW PARTITIONS, COLUMNS,
    TBLPROPERTIES, CREATE TABLE where the name is that of a view of this library. By Spark: temporary views and all that
    has the name of one, plain views, tables, names in other catalogs, USE, SHOW VIEWS, queries. The current database is
    Spark's, and Spark finds the columns of a new view.

    Args:
        spark: a SparkSession, classic or Connect, on the metastore of the catalog.
        catalog: where the views are.
        text: one statement.
        dialect: what the queries of views are texts for: ``hive``, which all readers of the metastore understand and
            Spark reads with ANSI mode off, or ``spark``.

    Returns:
        A DataFrame: the rows of SHOW, DESCRIBE and PUBLISH, all strings; of another statement one row that says in the
        column ``result`` what was done; what Spark gives where Spark executes it.

    Raises:
        SQLSyntaxError: a statement that changes views cannot be read.
        UnsupportedFeatureError: the dialect is neither ``hive`` nor ``spark``.
        InvalidInputError: the query of a new view reads a temporary view, function or variable, or DROP TABLE names a
            view of this library.
        HiveViewsError: as ``hive_views.execute``. What Spark raises, where Spark executes it.
    """
    statement = _ours(spark, catalog, text, require_row_dialect(dialect))
    if statement is None:
        _refuse_to_drop_as_table(spark, catalog, text)
        return spark.sql(text)
    session = Session(spark.catalog.currentDatabase(), columns_of=columns_from(spark))
    return _frame(spark, execute_statement(catalog, statement, session))


def columns_from(spark: Any, *, any_type: bool = False) -> ColumnsOf:
    """The columns of a query as this session finds them, whatever its current database is; as ``columns_of``."""
    return partial(columns_of, spark, any_type=any_type)


def _ours(spark: Any, catalog: ViewCatalog, text: str, dialect: str) -> ViewStatement | None:
    """The statement if it is executed here."""
    if not is_view_statement(text):
        return None
    try:
        statement = _parsed(text, dialect)
    except SQLSyntaxError as error:
        # A name of three parts is in one of Spark's catalogs.
        if error.found == "." or not _ONLY_VIEWS.match(text):
            return None
        raise
    if isinstance(statement, (ShowViews, UseNamespace)):
        return None
    if isinstance(statement, (CreateView, PublishView)):
        return statement
    return statement if _is_own(spark, catalog, statement.name) else None


def _parsed(text: str, dialect: str) -> ViewStatement:
    """The statement, with ``spark_catalog.`` before the name of a view left out."""
    try:
        return parse_statement(text, dialect)
    except SQLSyntaxError as error:
        if error.found != "." or error.offset is None:
            raise
        before, behind = text[: error.offset], text[error.offset :]
        name = _SPARKS_OWN_CATALOG.sub("", before)
        if name == before:
            raise
        return parse_statement(name + behind, dialect)


def _is_own(spark: Any, catalog: ViewCatalog, name: Name) -> bool:
    if name.namespace is None and ("", name.name.lower()) in temporary_views(spark):
        return False
    try:
        row = catalog.metastore.load_row(name.resolve(spark.catalog.currentDatabase()))
    except (NoSuchTableError, InvalidIdentifierError):
        return False
    return is_iceberg_view(row)


def _refuse_to_drop_as_table(spark: Any, catalog: ViewCatalog, text: str) -> None:
    """Spark 4.3 drops a view then, with its partitions; earlier versions refuse it, as Hive does (10132)."""
    dropped = _DROP_TABLE.match(text)
    if dropped is None:
        return
    namespace, name = (part and part.strip("`").replace("``", "`") for part in dropped.groups())
    if _is_own(spark, catalog, Name(namespace, name)):
        raise InvalidInputError(
            f"{Name(namespace, name)} is a managed view, which DROP TABLE would drop with its partitions. "
            f"Use DROP VIEW if that is intended.",
            identifier=str(Name(namespace, name)),
        )


def _frame(spark: Any, result: StatementResult) -> Any:
    columns, rows = (result.columns, result.rows) if result.columns else (("result",), ((result.done,),))
    # One literal, whose rows Spark takes apart itself: no worker of Python is asked, and no text is quoted.
    fields = ", ".join(f"`{column}`: STRING" for column in columns)
    content = json.dumps([dict(zip(columns, row, strict=True)) for row in rows])
    return spark.sql(f"SELECT inline(from_json(:rows, 'ARRAY<STRUCT<{fields}>>'))", args={"rows": content})
