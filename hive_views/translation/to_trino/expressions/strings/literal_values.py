"""The values of literals, for rules that write a shorter text where they know them."""

from __future__ import annotations

from typing import Any

from sqlglot import exp


def text_of(node: Any) -> str | None:
    """The string that a literal is; None for everything else."""
    literal = node.unnest()
    return str(literal.this) if isinstance(literal, exp.Literal) and literal.is_string else None


def whole_number_of(node: Any) -> int | None:
    """The int that a literal is, with its sign; None for everything else."""
    literal = node.unnest()
    sign = 1
    if isinstance(literal, exp.Neg):
        sign, literal = -1, literal.this.unnest()
    if not isinstance(literal, exp.Literal) or literal.is_string or not literal.name.isdigit():
        return None
    number = sign * int(literal.name)
    return number if -(2**31) <= number < 2**31 else None
