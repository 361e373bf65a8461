"""Keys of ORDER BY, in queries and in windows: NULL is the largest value to Trino unless it is told otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlglot import exp

from hive_views.sql.parser.outlines import item_of
from hive_views.translation.reading_nodes import read_call
from hive_views.translation.to_trino import shared_reasons as reasons
from hive_views.translation.to_trino.terms import Compiling
from hive_views.translation.translation_findings import Kind, Reason

_IN_HIVE = (("Hive", "NULL is the smallest value up to release 3, and the largest one in release 4"),)
NULL_ORDER = Reason(
    "null-order",
    Kind.DIFFERENT,
    "where NULL stands in the order decides about values here: write NULLS FIRST or NULLS LAST",
    (*_IN_HIVE, ("Trino", "NULL is the smallest value in the translation")),
)
NAN_ORDER = Reason(
    "nan-order",
    Kind.EDGE,
    "NaN has another place in the order",
    (("Hive, Spark", "it is larger than every number"), ("Trino", "it may stand before them")),
)
ORDER_OF_ROWS = Reason(
    "null-order-of-rows",
    Kind.EDGE,
    "the rows are the same, but where NULL stands in their order is not",
    (*_IN_HIVE, ("Trino", "NULL is the smallest value in the translation")),
)
_NEVER_NULL = ("count", "row_number", "rank", "dense_rank", "ntile", "percent_rank", "cume_dist", "grouping")
_ONLY_VALUES = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Like)


def direction(key: Any, value: Any, compiling: Compiling, differs: Reason | None) -> str:
    """The words behind a key.

    Args:
        key: with its direction.
        value: by which is sorted; None where it is not known.
        compiling: the translation.
        differs: the reason to record where releases of Hive have NULL at different ends; None if it does not matter.

    Raises:
        RefusedError: it cannot be translated.
    """
    others = [name for name in key.args if name not in ("this", "desc", "nulls_first") and key.args[name]]
    if others:
        raise compiling.refused(key, reasons.PART_OF_QUERY.because(others[0]))
    is_down, nulls_first = bool(key.args.get("desc")), bool(key.args.get("nulls_first"))
    is_default = nulls_first is not is_down and not _says_nulls(key, compiling)
    may_be_null = value is None or not is_never_null(value, compiling)
    if differs and compiling.source == "hive" and is_default and may_be_null:
        compiling.report(key, differs)
    if value is not None and _is_fraction(value, compiling):
        compiling.report(key, NAN_ORDER)
    return f"{'DESC' if is_down else 'ASC'} NULLS {'FIRST' if nulls_first else 'LAST'}"


def _is_fraction(node: Any, compiling: Compiling) -> bool:
    derived = compiling.query.type_of(node)
    return (derived.hive if compiling.source == "hive" else derived.spark) in ("float", "double")


def _says_nulls(key: Any, compiling: Compiling) -> bool:
    """Whether NULLS FIRST or LAST is written behind a key, where that is certain."""
    ends = [one.meta["end"] for one in key.walk() if "end" in one.meta]
    behind = compiling.query.text[max(ends) + 1 :].upper().replace(")", " ").split() if ends else []
    words = [word for word in behind[:3] if word not in ("ASC", "DESC")]
    return words[:1] == ["NULLS"]


def is_never_null(node: Any, compiling: Compiling) -> bool:
    """Whether a value is certainly not NULL: by what it is, or because WHERE leaves out rows in which it is."""
    node = node.unnest()
    if isinstance(node, exp.Literal):
        return True
    function = node.this if isinstance(node, exp.Window) else node
    call = read_call(function, compiling.query.text) if isinstance(function, exp.Func) else None
    if call is not None:
        is_coalesce = call.name in ("coalesce", "nvl") and any(is_never_null(one, compiling) for one in call.arguments)
        return call.name in _NEVER_NULL or is_coalesce
    select = node.find_ancestor(exp.Query)
    if not isinstance(node, exp.Column) or not isinstance(select, exp.Select) or has_grouping_sets(select):
        return False
    if compiling.query.is_alias(node):
        named = [one for one in select.expressions if (item_of(one).names[:1] or (None,))[0]]
        found = [one for one in named if str(item_of(one).names[0]).lower() == node.name.lower()]
        plain = found[0].unalias() if len(found) == 1 else None
        return plain is not None and plain is not node and is_never_null(plain, compiling)
    where = select.args.get("where")
    own = compiling.term(node).sql
    return where is not None and any(
        isinstance(one, exp.Column) and not compiling.query.is_alias(one) and compiling.term(one).sql == own
        for condition in _conjuncts(where.this)
        for one in _without_null(condition)
    )


def has_grouping_sets(select: exp.Select) -> bool:
    """Whether GROUP BY makes several groupings, in which columns are NULL."""
    group = select.args.get("group")
    kinds = (exp.Rollup, exp.Cube, exp.GroupingSets)
    return group is not None and group.find(*kinds) is not None


def _conjuncts(condition: Any) -> Iterator[Any]:
    node = condition.unnest()
    if isinstance(node, exp.And):
        for one in node.flatten():
            yield from _conjuncts(one)
    else:
        yield node


def _without_null(condition: Any) -> list[Any]:
    """What is not NULL in rows for which a condition is true."""
    if isinstance(condition, _ONLY_VALUES):
        return [condition.this.unnest(), condition.expression.unnest()]
    if isinstance(condition, (exp.In, exp.Between)):
        return [condition.this.unnest()]
    is_not = isinstance(condition, exp.Is) and isinstance(condition.expression, exp.Not)
    if is_not and isinstance(condition.expression.this, exp.Null):
        return [condition.this.unnest()]
    inner = condition.this.unnest() if isinstance(condition, exp.Not) else None
    if isinstance(inner, exp.Is) and isinstance(inner.expression, exp.Null):
        return [inner.this.unnest()]
    return []
