"""The entry: from a text and the columns of its tables to what it returns and reads."""

from __future__ import annotations

from hive_views.analysis import tree
from hive_views.analysis.query_analysis import QueryAnalysis, TableColumns
from hive_views.errors import UnsupportedFeatureError
from hive_views.sql.query import QueryText


def analyze_query(query: QueryText, namespace: str, tables: TableColumns, catalog: str | None = None) -> QueryAnalysis:
    """What a query returns and reads, without an engine.

    Types are derived for texts of Hive and Spark, by the rules of both; in other dialects no type is certain.

    Args:
        query: one query, in a dialect that has a parser here.
        namespace: the namespace of one-part names.
        tables: the columns of tables and views that are known; those of a table that is left out are unknown.
        catalog: the catalog of one- and two-part names, where it is not the metastore.

    Raises:
        SQLSyntaxError: the text is not exactly one query. A column that no table has is no error here: see
            ``QueryAnalysis.refuse_unknown``.
        UnsupportedFeatureError: this library has no parser for the dialect.
    """
    if not query.is_parsed:
        raise UnsupportedFeatureError(
            f"Cannot analyze the {query.dialect} SQL, because this library has no parser for it."
        )
    return tree.analyze(query, namespace, tables, catalog)
