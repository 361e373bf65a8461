"""One query, from its clauses to its outputs."""

from __future__ import annotations

from hive_views.analysis.values import OutputColumn, QueryAnalysis, TableColumns, both
from hive_views.sql.query import QueryText
from hive_views.sql.tables import referenced_tables


def analyze(query: QueryText, namespace: str, tables: TableColumns, catalog: str | None) -> QueryAnalysis:
    """See ``hive_views.analysis.analyze_query``."""
    pairs = {name: [(one.name, one.type) for one in columns] for name, columns in tables.items()}
    found = query.output_types(namespace, pairs)
    names = tuple(tuple(part.lower() for part in name) for name in referenced_tables(query, namespace, catalog))
    columns = tuple(OutputColumn(one.text, one.name, both(one.type, "?"), is_one=one.is_one) for one in found)
    return QueryAnalysis(query.dialect, columns, names)
