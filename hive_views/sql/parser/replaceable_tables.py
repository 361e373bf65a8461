"""Where a query reads tables, with what has to be known to put subqueries in their places."""

from __future__ import annotations

from sqlglot import exp

from hive_views.sql.outline import TablePlace
from hive_views.sql.parser.outlines import is_common_table_expression, name_part, own_nodes
from hive_views.sql.parser.statement import Statement

# What may stand with a table besides an alias, and not with a subquery, or elsewhere.
_CLAUSES = ("sample", "pivots", "version", "when", "changes", "partition", "rows_from", "only", "hints")


def replaceable_tables(statement: Statement) -> tuple[TablePlace, ...]:
    """The places of the tables and views that a query reads, in the order of the text."""
    nodes = list(own_nodes(statement.tree))
    columns = [
        tuple(name_part(part) for part in node.parts if "start" in part.meta)
        for node in nodes
        if isinstance(node, exp.Column)
    ]
    qualified = tuple(dict.fromkeys(parts for parts in columns if len(parts) > 1))
    found = [
        TablePlace(
            tuple(map(name_part, node.parts)),
            has_alias=isinstance(node.args.get("alias"), exp.TableAlias),
            has_clause=any(node.args.get(clause) for clause in _CLAUSES),
            columns=qualified,
        )
        for node in nodes
        if isinstance(node, exp.Table)
        and all(isinstance(part, exp.Identifier) for part in node.parts)
        and not is_common_table_expression(node)
    ]
    return tuple(sorted(found, key=lambda one: one.parts[0].start))
