"""How an engine calls the outputs of its queries that have no alias."""

from __future__ import annotations

from hive_views.sql import parser
from hive_views.sql.outline import AUTOMATIC_NAME
from hive_views.sql.query import QueryText


def names_of_items(query: QueryText) -> tuple[str | None, ...]:
    """For each item of the select list, the name of its only column; None where that is not known.

    Spark makes names of expressions (``count(1)``) as it spells them, which nothing but Spark does exactly.
    """
    items = query.outline.items
    found: list[str | None] = []
    for name, item in zip(parser.names_for_sorting(query.statement) or (None,) * len(items), items, strict=True):
        is_number = bool(name and AUTOMATIC_NAME.fullmatch(name))
        # Hive numbers a column whose name one behind the star has.
        is_uncertain = not is_number and not all(one.names for one in items[: len(found)]) and item.names == (None,)
        found.append(None if is_uncertain or (is_number and query.dialect == "spark") else name)
    return tuple(found)
