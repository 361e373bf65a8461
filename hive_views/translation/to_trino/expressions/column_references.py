"""Columns, with the names of their sources; fields of structs; output columns, which Trino knows in ORDER BY only."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlglot import exp

from hive_views.analysis.tree.sources import Scope, Source
from hive_views.sql.parser.outlines import item_of
from hive_views.translation.to_trino import shared_reasons as reasons
from hive_views.translation.to_trino.expressions.nested import field_of
from hive_views.translation.to_trino.expressions.using import merged_column
from hive_views.translation.to_trino.terms import CallRules, Compiling, NodeRules, Term, quoted


def _column(node: exp.Column, compiling: Compiling) -> Term:
    if not all(isinstance(part, exp.Identifier) for part in node.parts):
        raise compiling.refused(node, reasons.NOT_KNOWN)
    select = node.find_ancestor(exp.Select)
    if compiling.query.is_alias(node):
        return _alias(node, select, compiling)
    type_ = compiling.type_of(node)
    parts = [part.name.lower() for part in node.parts]
    if select is None:
        return Term(".".join(map(quoted, parts)), type_)
    scope = compiling.query.scope_of(select)
    found = place_of(parts, scope)
    if found is None:
        raise compiling.refused(node, reasons.NOT_KNOWN)
    source, names = found
    if len(parts) == len(names) and names[0] in (scope.merged or {}):
        if len(parts) > 1:
            raise compiling.refused(node, reasons.NOT_KNOWN)
        return merged_column(parts[0], select, node, compiling)
    if not source.name:
        if len(parts) > len(names):
            raise compiling.refused(node, reasons.NOT_KNOWN)
        return Term(".".join(map(quoted, names)), type_)
    return _with_fields(source, names, node, type_, compiling)


def _with_fields(source: Source, names: list[str], node: exp.Column, type_: str, compiling: Compiling) -> Term:
    """A column, and the fields that are named behind it: those of each struct where it is an array of them."""
    column = f"{quoted(source.name)}.{quoted(names[0])}"
    if len(names) == 1:
        return Term(column, type_)
    derived = [one.derived for one in source.by_name.get(names[0], ())]
    known = [one.hive if compiling.source == "hive" else one.spark for one in derived]
    found = Term(column, known[0]) if known and known[0] else None
    for name in names[1:]:
        found = field_of(found, name) if found else None
    if found is None:
        raise compiling.refused(node, reasons.NOT_KNOWN)
    return found


def place_of(parts: list[str], scope: Scope) -> tuple[Source, list[str]] | None:
    """The source that has a column, and the column's name with those of fields; None if several may have it."""
    here: Scope | None = scope
    while here is not None:
        sources = (*here.sources, *here.only_in_joins)
        for size in range(len(parts) - 1, 0, -1):
            for source in sources:
                is_named = source.names[-size:] == tuple(parts[:size])
                if is_named and (parts[size] in source.by_name or source.columns is None):
                    return source, parts[size:]
        having = [one for one in here.sources if parts[0] in one.by_name]
        having = having or [one for one in here.only_in_joins if parts[0] in one.by_name]
        is_merged = parts[0] in (here.merged or {})
        if having and ((len(having) == 1 and not is_merged) or (is_merged and here is scope)):
            return having[0], parts
        if having:
            return None
        here = here.around
    return None


def _alias(node: exp.Column, select: Any, compiling: Compiling) -> Term:
    """The expression behind an output column: outside of ORDER BY, Trino does not know its name."""
    name = node.name.lower()
    if _is_in_order(node):
        return Term(quoted(name), compiling.type_of(node))
    for expression in reversed(_before(node, select) if select is not None else ()):
        item = item_of(expression)
        if len(item.names) == 1 and (item.names[0] or "").lower() == name:
            return compiling.term(expression.unalias())
    if select is None:
        return Term(quoted(name), compiling.type_of(node))
    raise compiling.refused(node, reasons.NOT_KNOWN)


def _before(node: exp.Column, select: Any) -> list[Any]:
    """The outputs whose names a column may mean: in another output, those before it."""
    around = {id(one) for one in _ancestors(node)}
    own = [number for number, one in enumerate(select.expressions) if id(one) in around]
    return list(select.expressions[: own[0]] if own else select.expressions)


def _ancestors(node: Any) -> Iterator[Any]:
    while node is not None:
        yield node
        node = node.parent


def _is_in_order(node: exp.Column) -> bool:
    """Whether a name stands in the ORDER BY clause of a query, and in no aggregate or window there."""
    around: Any = node.parent
    while not isinstance(around, (exp.Query, exp.Window, exp.AggFunc, type(None))):
        if isinstance(around, exp.Order):
            return isinstance(around.parent, exp.Query)
        around = around.parent
    return False


def _brackets(node: exp.Paren, compiling: Compiling) -> Term:
    return compiling.term(node.this)


NODES: NodeRules = {exp.Column: _column, exp.Paren: _brackets}
CALLS: CallRules = {}
