"""Whole numbers that are written in a text, and how large others can become: whether a result may be out of range."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from hive_views.translation.reading_nodes import read_call
from hive_views.translation.to_trino.terms import Compiling
from hive_views.translation.translation_findings import Kind, Reason

OVERFLOW = Reason(
    "overflow",
    Kind.STRICTER,
    "it fails where the result is out of the range of its type",
    engines=(
        ("Hive", "the number wraps around, or is NULL or the nearest one"),
        ("Spark", "the same, or it fails by the rules of ANSI"),
        ("Trino", "fails"),
    ),
)

_LIMITS = {"tinyint": 2**7, "smallint": 2**15, "int": 2**31, "bigint": 2**63}
_LARGEST = {
    **dict.fromkeys(("day", "dayofmonth", "dayofweek", "hour", "minute", "month", "quarter", "second"), 60),
    **dict.fromkeys(("dayofyear", "weekofyear"), 366),
    **dict.fromkeys(("year", "datediff"), 10**7),
    **dict.fromkeys(("length", "char_length", "character_length", "octet_length", "instr", "locate", "size"), 2**30),
}
"""Of the results of functions, of which none in data comes near to the limits of its type."""


def written_number(node: Any, compiling: Compiling) -> int | None:
    """The whole number that an expression is, where it is nothing but that."""
    number = compiling.query.number_of(node)
    if number is None or not number.is_whole:
        return None
    return -int(number.digits) if number.is_negative else int(number.digits)


def is_written_nonzero(node: Any, compiling: Compiling) -> bool:
    """Whether an expression is a number as it is written, and not zero."""
    number = compiling.query.number_of(node)
    return number is not None and float(number.digits) != 0


def largest(node: Any, compiling: Compiling) -> int:
    """What the absolute value of a whole number is at most; ``node`` is known to be of such a type."""
    node = node.unnest()
    number = written_number(node, compiling)
    if number is not None:
        return abs(number)
    limit = _LIMITS.get(compiling.type_of(node), 2**63)
    if isinstance(node, (exp.Neg, exp.Negative)):
        return min(largest(node.this, compiling), limit)
    if not isinstance(node, (exp.Add, exp.Sub, exp.Mul, exp.Mod)):
        call = read_call(node, compiling.query.text)
        return min(_LARGEST.get(call.name, limit), limit) if call else limit
    # Its operands are whole numbers too, since it is one.
    one, other = largest(node.this, compiling), largest(node.expression, compiling)
    if isinstance(node, exp.Mod):
        return min(one, other)
    return min(one * other if isinstance(node, exp.Mul) else one + other, limit)


def may_be_out_of_range(largest_value: int, type_: str) -> bool:
    """Whether a number that is at most this may not be one of a type of whole numbers."""
    return largest_value >= _LIMITS[type_]
