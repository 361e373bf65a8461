"""Where several types become one: arithmetic, comparisons, CASE and the like, branches of set operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlglot import exp

from hive_views.analysis.tree.typing.context import Context, Rule, Rules
from hive_views.analysis.values import DerivedType, both

_INT, _BIGINT = 2**31, 2**63


def common_type(types: Sequence[DerivedType]) -> DerivedType:
    """The type of the branches of CASE, COALESCE, IF and set operations."""
    first, *others = types
    if first.certain and all(one.certain == first.certain for one in others):
        return first
    return DerivedType(why="its branches have different types")


def _literal(literal: exp.Literal, _context: Context) -> DerivedType:
    if literal.is_string:
        return both("string")
    text = literal.name
    if not (text.isascii() and text.isdigit()) or len(text) > 20 or int(text) >= _BIGINT:
        return DerivedType(why=f"the engines read {text} differently")
    return both("int" if int(text) < _INT else "bigint")


def _condition(_node: Any, _context: Context) -> DerivedType:
    return both("boolean")


RULES: Rules = {
    exp.Literal: _literal,
    **dict.fromkeys((exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.And, exp.Or, exp.Not), _condition),
}
NAMED: dict[str, Rule] = {}
