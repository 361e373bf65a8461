"""The variables of functions that are given to functions: ``x`` in ``transform(a, x -> x + 1)``."""

from __future__ import annotations

from typing import Any

from sqlglot import exp


def declaring(node: Any) -> exp.Lambda | None:
    """The function ``x -> ...`` whose variable a name is; None for a name that is none."""
    if not isinstance(node, exp.Identifier) or isinstance(node.parent, exp.Column) or node.arg_key == "alias":
        return None
    is_declared = isinstance(node.parent, exp.Lambda) and node.arg_key == "expressions"
    if is_declared or (isinstance(node.parent, exp.Dot) and node.arg_key == "expression"):
        return None
    around: Any = node.parent
    while around is not None and not isinstance(around, exp.Query):
        if isinstance(around, exp.Lambda) and node.name.lower() in variables_of(around):
            return around
        around = around.parent
    return None


def variables_of(function: exp.Lambda) -> list[str]:
    """The names of its variables, in lower case."""
    return [one.name.lower() for one in function.expressions]
