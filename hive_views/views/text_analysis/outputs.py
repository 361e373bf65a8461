"""The columns of a view beside those that its query returns, whose names may be others."""

from __future__ import annotations

from collections.abc import Iterator

from hive_views.analysis.query_analysis import OutputColumn, QueryAnalysis
from hive_views.base_tables.declared_columns import columns_of
from hive_views.errors import UncertainColumnsError
from hive_views.hive.row import Row
from hive_views.views.row.row_text import text_of


def outputs_of(row: Row | None, query: QueryAnalysis) -> Iterator[tuple[str, OutputColumn]]:
    """The output columns of a view's query, each under the name that the view gives it, in lower case.

    Hive and Trino take them by position, Spark by the names that the row says. Those that the view does not have, as
    of a star that has grown, are left out.

    Args:
        row: of the view; None for a query alone.
        query: its analysis.
    """
    by_name = {one.name.lower(): one for one in query.columns if one.name}
    try:
        names = [column.name.lower() for column in columns_of(row)] if row else []
        asked = [name.lower() for name in text_of(row).query_columns] if row else []
    except UncertainColumnsError:
        names = asked = []
    if not names:
        yield from by_name.items()
    elif len(asked) == len(names) and by_name.keys() >= {*asked}:
        yield from ((name, by_name[one]) for name, one in zip(names, asked, strict=True))
    elif len(names) == len(query.columns):
        yield from zip(names, query.columns, strict=True)
    else:
        yield from ((name, by_name[name]) for name in names if name in by_name)
