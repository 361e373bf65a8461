"""CASE as releases of Hive read it: conditions that are known before a row is read, and values beside others."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from hive_views.translation.translation_findings import Kind, Reason

FOLDED = Reason(
    "constant-condition",
    Kind.UNSUPPORTED,
    "a condition that needs no row chooses what CASE is",
    (("Hive 2", "may make another type of it: a char with blanks at its end, a wider decimal, or that of NULL"),),
)
CONTRADICTORY = Reason(
    "contradictory-condition",
    Kind.UNSUPPORTED,
    "a condition beside its opposite",
    (("Hive 2", "is false by AND, and true by OR, even where it is NULL"), ("Hive 4, Spark", "NULL there")),
)
CASE_TYPES = Reason(
    "case-types",
    Kind.UNSUPPORTED,
    "releases of Hive compare values of these types differently behind WHEN: write CASE WHEN a = b",
    (("Hive 4", "takes CASE 0 WHEN 0.5 for equal"), ("Hive 2, Spark", "do not")),
)
_WHOLE = frozenset(("tinyint", "smallint", "int", "bigint"))
_TEXTS = frozenset(("string", "varchar"))


def may_be_folded(case: exp.Case) -> bool:
    """Whether Hive 2 may make another type of a CASE: a char of strings, a wider decimal, or that of NULL."""
    if case.this is not None:
        return case.this.find(exp.Column) is None
    ifs: Any = case.args["ifs"]
    return any(_is_constant(one.this) for one in ifs)


def is_constant_char(branch: Any, type_: str, of: str | None) -> bool:
    """Whether Hive 4 may take a branch, of a char that needs no row, for a char where the whole is a string."""
    return of is not None and of.startswith("char(") and type_ != of and branch.find(exp.Column) is None


def is_contradictory(condition: exp.Connector) -> bool:
    """Whether a part of AND or OR is there with NOT as well."""
    parts = [part.unnest() for part in condition.flatten()]
    return any(isinstance(part, exp.Not) and part.this.unnest() in parts for part in parts)


def _is_constant(condition: Any) -> bool:
    condition = condition.unnest()
    if isinstance(condition, exp.Connector) and is_contradictory(condition):
        return True
    if isinstance(condition, (exp.And, exp.Or, exp.Not)):
        return any(map(_is_constant, condition.iter_expressions()))
    is_compared_to_null = isinstance(condition, exp.Binary) and not isinstance(condition, exp.Is)
    if is_compared_to_null and any(isinstance(one.unnest(), exp.Null) for one in condition.iter_expressions()):
        return True
    return condition.find(exp.Column, exp.Query) is None


def is_compared_alike(value: str, when: str) -> bool:
    """Whether all releases compare values of these types behind CASE and WHEN as they do by =.

    Args:
        value: the name of the type of the one behind CASE.
        when: of the one behind WHEN.
    """
    if "void" in (value, when) or {value, when} <= _WHOLE or {value, when} <= _TEXTS:
        return True
    return (value == when and value not in ("float", "char")) or (value in ("double", "decimal") and when in _WHOLE)
