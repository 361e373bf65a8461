"""The columns behind a star: whether all have names, and whether a table decides how many they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlglot import ErrorLevel, exp

from hive_views.sql.parser.outlines import branches, definition_in_sight, item_of
from hive_views.sql.parser.statement import Statement


def unnamed_in_star(statement: Statement) -> str | None:
    """The text of a column without a name behind a star, if there is one."""
    found = next(_unnamed_in_stars(branches(statement.tree)[0]), None)
    return found.sql(statement.dialect, comments=False, unsupported_level=ErrorLevel.IGNORE) if found else None


def _unnamed_in_stars(select: exp.Expr) -> Iterator[exp.Expr]:
    for wanted in _stars(select):
        for inner in _subqueries(select, wanted):
            yield from (one for one in inner.expressions if None in item_of(one).names)
            yield from _unnamed_in_stars(inner)


def is_half_open(statement: Statement) -> bool:
    """Whether a table decides the number of columns of one branch of a set operation, and not of another."""
    found = [_is_open(branch) for branch in branches(statement.tree)]
    return any(found) and not all(found)


def _is_open(select: exp.Expr) -> bool:
    """Whether a star in it stands for the columns of a table."""
    return any(
        not isinstance(query, (exp.Subquery, exp.CTE)) or any(map(_is_open, branches(query.this)))
        for wanted in _stars(select)
        for _, query in _sources(select, wanted)
    )


def _stars(select: exp.Expr) -> Iterator[str]:
    """For each star in the select list, the name of its source; empty for all sources."""
    for expression in select.expressions if isinstance(select, exp.Select) else ():
        if item_of(expression).is_star:
            yield expression.table.lower() if isinstance(expression, exp.Column) else ""


def _sources(select: exp.Expr, wanted: str) -> Iterator[tuple[Any, Any]]:
    """The sources in FROM with this name, or all; each with its query, if it is one."""
    start = select.args.get("from_")
    sources: list[Any] = [start.this] if start else []
    for source in [*sources, *(join.this for join in select.args.get("joins") or ())]:
        if wanted in ("", source.alias_or_name.lower()):
            yield source, definition_in_sight(source) if isinstance(source, exp.Table) else source


def _subqueries(select: exp.Expr, wanted: str) -> Iterator[exp.Select]:
    """The queries in FROM with this name, or all, except those that rename their columns."""
    for source, query in _sources(select, wanted):
        aliases = [node.args.get("alias") for node in (source, query) if node is not None]
        if any(alias and alias.columns for alias in aliases):
            continue
        inner = branches(query.this)[0] if isinstance(query, (exp.Subquery, exp.CTE)) else None
        if isinstance(inner, exp.Select) and select not in inner.walk():
            yield inner
