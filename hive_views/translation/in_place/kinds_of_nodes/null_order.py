"""Keys of ORDER BY: where NULL stands unless the text says it, which Hive 4 changed."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from hive_views.sql.text_edits import Edit
from hive_views.translation.in_place.patching_rules import Patching
from hive_views.translation.in_place.text_places import NoPlaceError
from hive_views.translation.reading_nodes import read_call
from hive_views.translation.translation_findings import Kind, Reason

NULL_ORDER = Reason(
    "null-order",
    Kind.DIFFERENT,
    "where NULL stands in the order decides about values here: write NULLS FIRST or NULLS LAST",
    (
        ("Hive", "NULL is the smallest value up to release 3, and the largest one in release 4"),
        ("Spark", "NULL is the smallest value"),
    ),
)
_NEVER_NULL = ("count", "row_number", "rank", "dense_rank", "ntile", "percent_rank", "cume_dist")
_ONLY_VALUES = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Like, exp.RegexpLike, exp.In, exp.Between)


def ordered(key: exp.Ordered, patching: Patching) -> None:
    """Say where NULL stands, or report that it is not known."""
    value: Any = key.this
    if not _matters(key) or patching.places.says_nulls(value) or _is_never_null(value, patching):
        return
    if patching.source == "spark":
        try:
            end = patching.places.end_of_key(value)
        except NoPlaceError:
            patching.report(key, NULL_ORDER)
            return
        patching.edit(Edit(end, end, " NULLS LAST" if key.args.get("desc") else " NULLS FIRST"))
        return
    patching.report(key, NULL_ORDER)


def _matters(key: Any) -> bool:
    """Whether the order of rows decides which rows or values there are."""
    around = key.find_ancestor(exp.Window, exp.Query)
    if isinstance(around, exp.Window):
        return True
    return around is not None and any(around.args.get(name) is not None for name in ("limit", "offset"))


def _is_never_null(node: Any, patching: Patching) -> bool:
    node = node.unnest()
    if isinstance(node, exp.Literal):
        return not _is_number_of_column(node)
    function = node.this if isinstance(node, exp.Window) else node
    call = read_call(function, str(patching.query.text)) if isinstance(function, exp.Func) else None
    if call is not None and call.name in _NEVER_NULL:
        return True
    select = node.find_ancestor(exp.Select)
    where = select.args.get("where") if select is not None else None
    if not isinstance(node, exp.Column) or where is None or _is_other(node, select, patching):
        return False
    condition = where.this.unnest()
    return any(
        _leaves_out_null(one.unnest(), node)
        for one in (condition.flatten() if isinstance(condition, exp.And) else [condition])
    )


def _is_other(column: exp.Column, select: Any, patching: Patching) -> bool:
    """Whether a name means an output that is not the column of that name."""
    if not patching.query.is_alias(column):
        return False
    named = [one for one in select.expressions if one.alias_or_name.lower() == column.name.lower()]
    return not all(isinstance(one.unalias(), exp.Column) and one.unalias().name == column.name for one in named)


def _is_number_of_column(node: exp.Literal) -> bool:
    return not node.is_string


def _leaves_out_null(condition: Any, column: exp.Column) -> bool:
    if isinstance(condition, exp.Not) and isinstance(condition.this.unnest(), exp.Is):
        inner = condition.this.unnest()
        return isinstance(inner.expression, exp.Null) and _is_column(inner.this, column)
    if isinstance(condition, exp.Is):
        return isinstance(condition.expression, exp.Not) and _is_column(condition.this, column)
    if isinstance(condition, _ONLY_VALUES):
        return _is_column(condition.this, column) or _is_column(condition.args.get("expression"), column)
    return False


def _is_column(node: Any, column: exp.Column) -> bool:
    return node is not None and node.unnest() == column
