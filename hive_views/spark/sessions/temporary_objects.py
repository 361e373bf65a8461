"""Temporary objects of a Spark session, of which a view of the metastore cannot be made."""

from __future__ import annotations

from typing import Any

from hive_views.errors import InvalidInputError
from hive_views.spark.sessions.local_session import errors_not_logged
from hive_views.sql.query import QueryText
from hive_views.sql.quoting import quote_identifier
from hive_views.sql.tables import referenced_tables

_NO_NAMESPACE = ""
# What Spark says of a name that is perhaps a function or a variable of the session.
_PERHAPS_TEMPORARY = ("UNRESOLVED_ROUTINE", "UNRESOLVED_COLUMN", "UNRESOLVED_VARIABLE")


def temporary_views(spark: Any) -> frozenset[tuple[str, str]]:
    """Namespaces and names of the session's temporary views and of the global ones, in lower case."""
    # Of this database Spark asks no metastore, and with any it lists the views of the session.
    shown = spark.sql(f"SHOW VIEWS IN spark_catalog.{quote_identifier(_global_namespace(spark))}")
    return frozenset((view.namespace.lower(), view.viewName.lower()) for view in shown.collect())


def refuse_temporary_views(spark: Any, query: QueryText) -> None:
    """Raise an InvalidInputError (its name is in ``table``) for a query that reads a temporary view, even one named
    like a table.
    """
    read = referenced_tables(query, _NO_NAMESPACE)
    of_session = {_NO_NAMESPACE, _global_namespace(spark).lower()}
    suspects = [name for name in read if len(name) == 2 and name[0].lower() in of_session]
    found = temporary_views(spark) if suspects else frozenset()
    for namespace, name in suspects:
        if (namespace.lower(), name.lower()) in found:
            full = f"{namespace}.{name}" if namespace else name
            raise _refusal(
                f"{full}, a temporary view of the Spark session, which other sessions do not have",
                full,
                "Name a table or view of the metastore, with its database; or drop the temporary one",
            )


def refuse_temporary_objects(spark: Any, sql: str, error: Any) -> None:
    """Raise an InvalidInputError (its name is in ``table``) if only a temporary function or variable of the session
    made the query fail with this error.
    """
    from pyspark.errors import AnalysisException  # noqa: PLC0415 - an optional package, which a session comes from

    if not (error.getCondition() or "").startswith(_PERHAPS_TEMPORARY):
        return
    try:
        with errors_not_logged():
            spark.sql(sql).schema  # noqa: B018 - a Connect client analyses no sooner
    except AnalysisException:
        return
    named = error.getMessageParameters()
    name = next((named[key] for key in ("routineName", "objectName", "variableName") if key in named), str(error))
    raise _refusal(
        f"{name}, a temporary function or variable of the Spark session, which other sessions do not have",
        name.replace("`", ""),
        "Use a function of the metastore (CREATE FUNCTION), or write the value",
    ) from error


def _global_namespace(spark: Any) -> str:
    return str(spark.conf.get("spark.sql.globalTempDatabase", "global_temp"))


def _refusal(what: str, name: str, advice: str) -> InvalidInputError:
    return InvalidInputError(f"A view cannot read {what}. {advice}.", table=name)
