"""Conditions that Hive 4.0 loses: on a column that a LATERAL VIEW makes and on one that it does not make, together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlglot import exp

from hive_views.sql.parser.outlines import definition_in_sight, item_of
from hive_views.translation.to_trino.expressions.column_references import place_of
from hive_views.translation.to_trino.queries.compiling_queries import CompilingQueries
from hive_views.translation.translation_findings import Kind, Reason

LOST_CONDITION = Reason(
    "condition-on-lateral-view",
    Kind.DIFFERENT,
    "a condition on a column of a LATERAL VIEW together with another column",
    (("Hive 2, Hive 3", "apply it"), ("Hive 4.0", "may ignore it, and return all rows"), ("Trino", "applies it")),
)
_Origin = tuple[int, str, bool]
"""A SELECT, the name of a source in it, and whether that is a lateral view without OUTER."""


def check_filters(select: exp.Select, compiling: CompilingQueries) -> None:
    """Record the conditions of a SELECT that releases of Hive treat differently."""
    if compiling.source != "hive" or compiling.query.tree.find(exp.Lateral) is None:
        return
    where = select.args.get("where")
    conditions = [where.this] if where is not None else []
    conditions += [join.args["on"] for join in select.args.get("joins") or () if join.args.get("on") is not None]
    for condition in (part for one in conditions for part in _parts(one)):
        columns = [one for one in condition.find_all(exp.Column) if one.find_ancestor(exp.Select) is select]
        origins = {origin for column in columns for origin in _origins(column, select, compiling)}
        lateral = {at for at, _, is_lateral in origins if is_lateral}
        if any(sum(at == other for other, _, _ in origins) > 1 for at in lateral):
            compiling.report(condition, LOST_CONDITION)


def _parts(condition: Any) -> Iterator[Any]:
    plain = condition.unnest()
    if isinstance(plain, exp.And):
        yield from _parts(plain.this)
        yield from _parts(plain.expression)
    else:
        yield plain


def _origins(column: exp.Column, select: exp.Select, compiling: CompilingQueries) -> set[_Origin]:
    return _of_name([part.name.lower() for part in column.parts], select, compiling)


def _of_name(parts: list[str], select: exp.Select, compiling: CompilingQueries) -> set[_Origin]:
    """The sources of a column in this SELECT and in the queries that its FROM has."""
    found = place_of(parts, compiling.query.scope_of(select))
    if found is None:
        return set()
    source, names = found
    node = _entry(source.name, names[0], select)
    is_lateral = isinstance(node, exp.Lateral)
    origins = {(id(select), source.name, is_lateral and not node.args.get("outer"))}
    query = _query_of(node)
    return origins | (_of_output(names[0], query, compiling) if query is not None else set())


def _entry(name: str, column: str, select: exp.Select) -> Any:
    """The part of FROM that a source is; the lateral view where a table has the same name, and not this column."""
    clause = select.args.get("from_")
    entries = [join.this for join in select.args.get("joins") or ()] + ([clause.this] if clause is not None else [])
    laterals = select.args.get("laterals") or ()
    same = [one for one in (*laterals, *entries) if one.alias_or_name.lower() == name]
    having = [one for one in same if column in {named.name.lower() for named in _column_names(one)}]
    return (having or [one for one in same if not isinstance(one, exp.Lateral)] or same or [None])[0]


def _column_names(node: Any) -> list[Any]:
    alias = node.args.get("alias")
    return list(alias.args.get("columns") or ()) if isinstance(alias, exp.TableAlias) else []


def _query_of(node: Any) -> Any:
    """The query that a part of FROM is; None for tables and functions."""
    if isinstance(node, exp.Table):
        definition = definition_in_sight(node)
        node = definition.this if definition is not None else None
    while isinstance(node, exp.Subquery):
        node = node.this
    return node if isinstance(node, exp.Query) else None


def _of_output(name: str, query: Any, compiling: CompilingQueries) -> set[_Origin]:
    """The sources of what an output column of a query is made of."""
    if isinstance(query, exp.SetOperation):
        branches = (query.this.unnest(), query.expression.unnest())
        return {origin for branch in branches for origin in _of_output(name, branch, compiling)}
    if not isinstance(query, exp.Select):
        return set()
    for expression in query.expressions:
        item = item_of(expression)
        if item.is_star:
            found = _of_name([name], query, compiling)
        elif name in [(one or "").lower() for one in item.names]:
            columns = expression.find_all(exp.Column)
            found = {origin for column in columns for origin in _origins(column, query, compiling)}
        else:
            continue
        if found:
            return found
    return set()
