"""Which clauses a query has, by the names that the table of constructs has for them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sqlglot import exp

from hive_views.translation.engine_functions import functions_of

_GENERATORS = functions_of("spark-4.1").generators | functions_of("hive-4.0").generators
_GROUPING = {exp.Rollup: "ROLLUP", exp.Cube: "CUBE"}


def clauses_of(tree: exp.Expr, text: str) -> list[str]:
    """The clauses of a query, each once; those come first that say the most of it."""
    joins = map(_join, tree.find_all(exp.Join))
    first = (*_grouping(tree, text), *_generators(tree), *_parts(tree), *joins)
    return list(dict.fromkeys([*first, *_subqueries(tree), *_sets(tree), *_order(tree, text), *_rest(tree)]))


def _grouping(tree: exp.Expr, text: str) -> Iterator[str]:
    for group in tree.find_all(exp.Group):
        if group.args.get("grouping_sets"):
            is_behind = bool(re.search(r"group\s+by\s+(?!grouping\s+sets)", text, re.IGNORECASE))
            yield "GROUP BY x GROUPING SETS (...)" if is_behind else "GROUP BY GROUPING SETS (...)"
        for node, name in _GROUPING.items():
            if group.find(node):
                is_behind = bool(re.search(rf"with\s+{name}\b", text, re.IGNORECASE))
                yield f"GROUP BY x WITH {name}" if is_behind else f"GROUP BY {name}(...)"


def _generators(tree: exp.Expr) -> Iterator[str]:
    for lateral in tree.find_all(exp.Lateral):
        outer = "OUTER " if lateral.args.get("outer") else ""
        alias = lateral.args.get("alias")
        named = " AS ..." if alias and alias.args.get("columns") else ", without AS"
        yield f"LATERAL VIEW {outer}{_function(lateral.this)}{named}"
    for select in tree.find_all(exp.Select):
        for one in select.selects:
            name = _function(one.unalias())
            if name in _GENERATORS:
                yield f"SELECT {name}(...)"


def _function(node: Any) -> str:
    if isinstance(node, exp.Anonymous):
        return str(node.this).lower()
    return node.sql_name().lower() if isinstance(node, exp.Func) else type(node).__name__.lower()


def _parts(tree: exp.Expr) -> Iterator[str]:
    if any(table.args.get("catalog") for table in tree.find_all(exp.Table)):
        yield "FROM catalog.database.table"
    if tree.find(exp.TableSample):
        yield "TABLESAMPLE"
    if tree.find(exp.Values):
        yield "VALUES"
    if any(select.args.get("windows") for select in tree.find_all(exp.Select)):
        yield "WINDOW name AS (...)"
    for name in ("distribute", "sort", "cluster"):
        if any(select.args.get(name) for select in tree.find_all(exp.Select)):
            yield f"{name.upper()} BY"
    if tree.find(exp.Qualify):
        yield "QUALIFY"
    if tree.find(exp.Pivot):
        yield "PIVOT, UNPIVOT"
    for spec in tree.find_all(exp.WindowSpec):
        yield f"OVER (... {spec.args.get('kind')} ...)"


def _join(join: exp.Join) -> str:
    side = " ".join(filter(None, (join.method, join.side, "" if join.kind in ("OUTER", "INNER") else join.kind)))
    if not side and not join.args.get("on") and not join.args.get("using"):
        return "FROM a, b"
    using = " ... USING" if join.args.get("using") else ""
    return f"{side.upper()} JOIN{using}".strip()


def _subqueries(tree: exp.Expr) -> Iterator[str]:
    for one in tree.find_all(exp.In):
        if one.args.get("query"):
            yield "NOT IN (SELECT ...)" if isinstance(one.parent, exp.Not) else "IN (SELECT ...)"
    for exists in tree.find_all(exp.Exists):
        yield "NOT EXISTS (SELECT ...)" if isinstance(exists.parent, exp.Not) else "EXISTS (SELECT ...)"
    for subquery in tree.find_all(exp.Subquery):
        if not isinstance(subquery.parent, (exp.From, exp.Join, exp.In, exp.SetOperation, exp.Lateral, exp.With)):
            yield "(SELECT ...) as a value"


def _sets(tree: exp.Expr) -> Iterator[str]:
    for node in tree.find_all(exp.SetOperation):
        name = type(node).__name__.upper()
        yield f"{name} ALL" if node.args.get("distinct") is False else name
    for with_ in tree.find_all(exp.With):
        has_columns = any(one.args["alias"].args.get("columns") for one in with_.expressions)
        yield "WITH name (columns) AS" if has_columns else "WITH name AS"


def _order(tree: exp.Expr, text: str) -> Iterator[str]:
    orders = [one for one in tree.find_all(exp.Order) if not isinstance(one.parent, (exp.Window, exp.WithinGroup))]
    if orders:
        yield "ORDER BY ... NULLS" if re.search(r"\bnulls\b", text, re.IGNORECASE) else "ORDER BY"
    if re.search(r"\blimit\s+\d+\s*,", text, re.IGNORECASE):
        yield "LIMIT offset, n"
    elif tree.find(exp.Offset):
        yield "LIMIT n OFFSET m"
    elif tree.find(exp.Limit):
        yield "LIMIT n"


def _rest(tree: exp.Expr) -> Iterator[str]:
    if any(one.args.get("distinct") for one in tree.find_all(exp.Select)):
        yield "SELECT DISTINCT"
    if tree.find(exp.Having):
        yield "HAVING"
    for group in tree.find_all(exp.Group):
        if group.expressions:
            number = any(isinstance(one, exp.Literal) for one in group.expressions)
            yield "GROUP BY number" if number else "GROUP BY x"
    if tree.find(exp.Filter):
        yield "FILTER (WHERE ...)"
    if tree.find(exp.Where):
        yield "WHERE"
