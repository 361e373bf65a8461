"""The clauses of a SELECT: what sqlglot calls them, and which of them see the output columns."""

from __future__ import annotations

from hive_views.analysis.query_analysis import Clause

OF_SELECT = {
    "where": Clause.WHERE,
    "group": Clause.GROUP_BY,
    "having": Clause.HAVING,
    "qualify": Clause.HAVING,
    "windows": Clause.WINDOW,
    "order": Clause.ORDER_BY,
    "sort": Clause.ORDER_BY,
    "cluster": Clause.ORDER_BY,
    "distribute": Clause.ORDER_BY,
}
"""The clauses after FROM, by their names in sqlglot's tree."""

ALIASES_FIRST = ("order", "sort", "cluster", "distribute")
"""Those in which the name of an output column hides that of a table's column."""


def inner_clause(around: Clause, own: Clause = Clause.SELECT) -> Clause:
    """The clause of what stands in a clause of a query that itself stands in one."""
    return own if around is Clause.SELECT else around
