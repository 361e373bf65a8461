"""The names that Hive gives to the columns of a view made by CREATE VIEW.

Hive numbers the items of the select list; a star counts as one. Measured on 2.3.10 and 4.0.1; the rules are those of
SemanticAnalyzer.getColAlias and recommendName.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hive_views.sql import parser
from hive_views.sql.outline import NamedItem
from hive_views.sql.query import QueryText


def named_items(query: QueryText) -> tuple[NamedItem, ...]:
    """The items of the select list of a query; of set operations, those of the first branch.

    Where releases differ, the name is that of 4.0.1 (``sum_window_0``, in 2.3.10 ``_c0`` unless its cost-based
    optimizer is off), but for a cast of a subquery's column, which 4.0.1 names after the base table's: it is ``_c0``.

    Raises:
        SQLSyntaxError: the text is not exactly one query.
    """
    return parser.named_items(query.statement)


def hive_names(
    items: Sequence[NamedItem], known: Sequence[str], is_table: Callable[[tuple[str, ...]], bool]
) -> list[str]:
    """The names of all columns in their order.

    Args:
        items: those of the query.
        known: the columns as an engine names them, for what the text does not say. Columns between two stars keep these
            names, because their positions are not known.
        is_table: whether a name, as written, is that of a table; called only where that matters.
    """
    found: list[str] = []
    for place, at in enumerate(_placed(items, len(known))):
        if at is None:
            found.append(known[place])
            continue
        item, number = at
        is_free = item.preferred is not None and item.preferred not in found
        if item.preferred and is_free and (item.table is None or is_table(item.table)):
            found.append(item.preferred)
        else:
            found.append(item.names[number])
    return found


def _placed(items: Sequence[NamedItem], count: int) -> list[tuple[NamedItem, int] | None]:
    """For each of so many columns its item and the number in it; None from the first star to the last."""
    known = [bool(item.names) for item in items]
    before = items[: known.index(False)] if False in known else items
    behind = items[len(items) - known[::-1].index(False) :] if False in known else ()
    first, last = ([(item, number) for item in part for number in range(len(item.names))] for part in (before, behind))
    return [*first, *[None] * (count - len(first) - len(last)), *last]
