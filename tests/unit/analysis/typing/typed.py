"""Types of many expressions over one table, by one analysis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hive_views.analysis import DerivedType, analyze_query
from hive_views.hive.row import Column
from hive_views.sql.query import QueryText


def derived(expressions: Sequence[str], dialect: str, columns: Mapping[str, str]) -> dict[str, DerivedType]:
    """The type of each expression; ``columns``: the types of columns by name."""
    selected = ", ".join(f"{expression} AS c{number}" for number, expression in enumerate(expressions))
    tables = {("web", "t"): [Column(name, type_) for name, type_ in columns.items()]}
    found = analyze_query(QueryText(f"SELECT {selected} FROM t", dialect), "web", tables)
    return {expression: column.derived for expression, column in zip(expressions, found.columns, strict=True)}
