"""Parts of a tree as rules of translations ask for them: calls as written, places in the text, short texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlglot import ErrorLevel, exp

from hive_views.analysis.tree.typing.results import arguments

_SHOWN = 60
_WITHOUT_PLACE: dict[type[exp.Expr], str] = {
    exp.ApproxQuantile: "percentile_approx",
    exp.If: "if",
    exp.Quantile: "percentile",
}
"""Nodes that stand for one function, and have no place."""


@dataclass(frozen=True)
class Call:
    """A call of a function.

    Attributes:
        node: in the tree.
        name: as written, in lower case.
        arguments: in the order of the text, without DISTINCT.
        is_distinct: whether DISTINCT is in front of them.
    """

    node: Any
    name: str
    arguments: tuple[Any, ...]
    is_distinct: bool = False


def read_call(node: Any, text: str) -> Call | None:
    """The call that a node is, as written; None for other expressions, and for calls with a syntax of their own."""
    if isinstance(node, exp.Anonymous):
        return _call(node, str(node.this).lower(), list(node.expressions))
    if not isinstance(node, exp.Func) or isinstance(node, (exp.Cast, exp.Case, exp.And, exp.Or, exp.Binary)):
        return None
    start, end = node.meta.get("start"), node.meta.get("end")
    written = None if start is None or end is None else text[start : end + 1].strip("`").lower()
    name = written or _WITHOUT_PLACE.get(type(node))
    return _call(node, name, [one for one in arguments(node) if one is not None]) if name else None


def _call(node: Any, name: str, given: list[Any]) -> Call:
    if len(given) == 1 and isinstance(given[0], exp.Distinct):
        return Call(node, name, tuple(given[0].expressions), is_distinct=True)
    return Call(node, name, tuple(given))


def only_filters(node: Any) -> bool:
    """Whether a condition only chooses rows, for which NULL and false are one."""
    child, parent = node, node.parent
    while isinstance(parent, (exp.And, exp.Or, exp.Paren)):
        child, parent = parent, parent.parent
    if isinstance(parent, (exp.Where, exp.Having)):
        return True
    return (isinstance(parent, exp.If) and parent.this is child) or (
        isinstance(parent, exp.Join) and parent.args.get("on") is child
    )


def start_of(node: Any) -> int | None:
    """The offset of the first word of an expression whose place is known; None where there is none."""
    found = [one.meta["start"] for one in node.walk() if "start" in one.meta]
    if found:
        return int(min(found))
    parent = node.parent
    return start_of(parent) if parent is not None else None


def shown(node: Any, dialect: str) -> str:
    """An expression on one line, shortened."""
    try:
        text = node.sql(dialect, comments=False, normalize_functions=False, unsupported_level=ErrorLevel.IGNORE)
    except Exception:  # noqa: BLE001 - sqlglot fails with errors of many classes, and this is for a message only
        text = type(node).__name__
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
