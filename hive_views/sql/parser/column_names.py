"""How Hive names columns, read from sqlglot's tree."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from sqlglot import exp

from hive_views.sql.outline import AUTOMATIC_NAME, NamedItem
from hive_views.sql.parser.outlines import branches, item_of
from hive_views.sql.parser.statement import Statement

_AUTOMATIC = "_c"
_CONVERSIONS = frozenset(
    ("boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "string", "binary", "positive")
)
"""Functions that keep the name of their column, besides ``date`` and ``timestamp``."""

_Spec = tuple[tuple[str, ...], tuple[str, ...]]
"""What a window is partitioned and ordered by; Hive computes windows together that have both in common."""


def named_items(statement: Statement) -> tuple[NamedItem, ...]:
    """The items of a select list as Hive names them; see ``sql/hive_names.py``."""
    sql = statement.text
    select = branches(statement.tree)[0]
    if not isinstance(select, exp.Select):
        return (NamedItem(()),)
    windows = _window_names(select, sql)
    table = _only_table(select, statement.tree)
    return tuple(_named(item, index, windows, table) for index, item in enumerate(select.expressions))


def names_for_sorting(statement: Statement) -> tuple[str | None, ...]:
    """For each item of the select list, the name by which later clauses can refer to its column without an alias.

    Hive and Spark call ``cast(a AS int)`` by the name of its column; Hive only where it would as a view's column.
    """
    items = named_items(statement)
    found: list[str | None] = []
    select = branches(statement.tree)[0]
    for item, expression in zip(items, select.expressions, strict=True) if isinstance(select, exp.Select) else ():
        inner = _converted(expression)
        name = inner.name.lower() if statement.dialect == "spark" and isinstance(inner, exp.Column) else item.preferred
        found.append((name if name not in found else None) or (item.names[0] if len(item.names) == 1 else None))
    return tuple(found)


def _named(
    expression: exp.Expr, index: int, windows: Mapping[int, str], table: tuple[str, tuple[str, ...]] | None
) -> NamedItem:
    written = item_of(expression)
    if not written.names:
        return NamedItem(())
    automatic = f"{_AUTOMATIC}{index}"
    names = tuple(_field(expression) or automatic if name is None else name for name in written.names)
    if len(names) > 1 or not AUTOMATIC_NAME.fullmatch(names[0]):
        return NamedItem(names)
    inner = _converted(expression.unalias())
    if isinstance(inner, exp.Window):
        return NamedItem(names, windows.get(id(inner)))
    if table is None or not _is_column_of(inner, table[0]) or inner.name.lower().startswith(_AUTOMATIC):
        return NamedItem(names)
    return NamedItem(names, inner.name.lower(), table[1])


def _field(expression: exp.Expr) -> str | None:
    """The name of a struct's field, whatever the struct is."""
    plain: Any = expression.unnest()
    return plain.name.lower() if isinstance(plain, exp.Dot) and isinstance(plain.expression, exp.Identifier) else None


def _converted(expression: Any) -> Any:
    """The operand of brackets and one type conversion; after two conversions, releases name the column differently."""
    inner = expression.unnest()
    if isinstance(inner, exp.Anonymous) and inner.name.lower() in _CONVERSIONS and len(inner.expressions) == 1:
        return inner.expressions[0].unnest()
    if isinstance(inner, (exp.Cast, exp.String, exp.Date, exp.Timestamp)) and isinstance(inner.this, exp.Expr):
        return inner.this.unnest()
    return inner


def _is_column_of(node: Any, alias: str) -> bool:
    return isinstance(node, exp.Column) and len(node.parts) <= 2 and node.table.lower() in ("", alias)


def _only_table(select: exp.Select, tree: exp.Query) -> tuple[str, tuple[str, ...]] | None:
    """Alias and name of the table whose rows reach the select list unchanged; None where they do not.

    Joins, lateral views, grouping and windows give columns names of their own, which begin like generated ones.
    """
    source = select.args["from_"].this if select.args.get("from_") else None
    if any(select.args.get(word) for word in ("joins", "laterals", "group", "distinct", "having")):
        return None
    if not isinstance(source, exp.Table) or not all(isinstance(part, exp.Identifier) for part in source.parts):
        return None
    if any(source.args.get(word) for word in ("joins", "laterals", "pivots")) or list(_windows(select)):
        return None
    parts = tuple(part.name.lower() for part in source.parts)
    definitions = (one for clause in tree.find_all(exp.With) for one in clause.expressions)
    if len(parts) == 1 and any(one.alias.lower() == parts[0] for one in definitions):
        return None
    return (source.alias or source.name).lower(), parts


def _windows(select: exp.Select) -> Iterator[exp.Window]:
    """The windows in the select list, in the order of the text, without those of subqueries."""
    for item in select.expressions:
        for node in item.dfs(prune=lambda node: isinstance(node, exp.Query)):
            if isinstance(node, exp.Window):
                yield node


def _window_names(select: exp.Select, sql: str) -> dict[int, str]:
    """The names of windows by the id of their nodes.

    Those with one partitioning and order are computed together, one such group after the other, and what the last
    group yields is named after it. Equal windows count once.
    """
    defined = {one.name.lower(): one for one in select.args.get("windows") or ()}
    texts: list[str] = []
    specs: dict[int, _Spec | None] = {}
    numbers: dict[int, int] = {}
    for window in _windows(select):
        text = window.sql("hive").lower()
        if text not in texts:
            texts.append(text)
        numbers[id(window)] = texts.index(text)
        specs[id(window)] = _spec(window, defined)
    order = list(dict.fromkeys(specs.values()))
    if None in order:
        return {}
    return {
        id(window): f"{function}_window_{numbers[id(window)]}"
        for window in _windows(select)
        if specs[id(window)] == order[-1] and (function := _function(window, sql))
    }


def _spec(window: exp.Window, defined: Mapping[str, exp.Expr]) -> _Spec | None:
    """None where the text does not say."""
    alias = window.args.get("alias")
    found = defined.get(alias.name.lower()) if alias else window
    if found is None or (alias and found.args.get("alias")):
        return None
    partition = tuple(part.sql("hive").lower() for part in found.args.get("partition_by") or ())
    order = found.args.get("order")
    return partition, tuple(part.sql("hive").lower() for part in order.expressions) if order else partition


def _function(window: exp.Window, sql: str) -> str | None:
    """The function as written, because the tree renames some."""
    call = window.this
    while isinstance(call, (exp.IgnoreNulls, exp.RespectNulls)):
        call = call.this
    start, end = call.meta.get("start"), call.meta.get("end")
    name = sql[start : end + 1].lower() if start is not None else ""
    return name if re.fullmatch(r"\w+", name) else None
