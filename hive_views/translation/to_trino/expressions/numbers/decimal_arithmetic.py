"""Arithmetic of decimals: results with the digits that Hive and Spark give them, of which Trino's have others."""

from __future__ import annotations

from typing import Any

from hive_views.hive.types import parse_hive_type
from hive_views.translation.to_trino.expressions.numbers.whole_numbers import written_number
from hive_views.translation.to_trino.terms import Compiling, Term, cast, operation
from hive_views.translation.translation_findings import Kind, Reason

DECIMAL_OVERFLOW = Reason(
    "decimal-overflow",
    Kind.STRICTER,
    "it fails where a result, or a step to it, has more than 38 digits",
    engines=(("Hive", "NULL, or a fraction with less digits"), ("Spark", "the same"), ("Trino", "fails")),
)
DIGITS = Reason(
    "decimal-digits",
    Kind.UNSUPPORTED,
    "Trino cannot compute with so many digits; with less of them, by a CAST of the operands, it can",
)

MAX_PRECISION = 38

_ENOUGH = 12
"""The digits before the point with which a product is taken to fail rarely."""

_DIGITS_OF_WHOLE = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 19}

Sizes = tuple[int, int]


def sizes_of(type_: str) -> Sizes:
    """Precision and scale of a decimal, or of the one as which Trino takes a whole number."""
    if type_ in _DIGITS_OF_WHOLE:
        return _DIGITS_OF_WHOLE[type_], 0
    precision, scale = parse_hive_type(type_).sizes
    return precision, scale


def is_decimal(type_: str) -> bool:
    """Whether a type is a decimal one."""
    return type_.startswith("decimal")


def decimal_operand(node: Any, term: Term, compiling: Compiling) -> Term:
    """An operand; a whole number that is written becomes a decimal with just its digits, as it does in the source."""
    number = written_number(node, compiling)
    if number is None or term.type not in _DIGITS_OF_WHOLE:
        return term
    return Term(f"DECIMAL '{number}'", f"decimal({len(str(abs(number)))},0)")


def computed(operator: str, one: Term, other: Term, type_: str, node: Any, compiling: Compiling) -> Term:
    """``+``, ``-``, ``*``, ``/`` or ``%`` of two numbers one of which is a decimal at least.

    Args:
        operator: which one.
        one: the first operand.
        other: the second one, which is not zero if it is to divide.
        type_: what the source makes of them.
        node: of the operation.
        compiling: the translation.
    """
    if operator == "/":
        return _divided(one, other, type_, node, compiling)
    precision, scale = _sizes(operator, sizes_of(one.type), sizes_of(other.type))
    if precision > MAX_PRECISION:
        wanted, kept = sizes_of(type_)
        if scale > MAX_PRECISION or (MAX_PRECISION - scale < min(wanted - kept, _ENOUGH)):
            raise compiling.refused(node, DIGITS)
        compiling.report(node, DECIMAL_OVERFLOW)
    return exactly(operation(_spelled(precision, scale), one, operator, other), type_)


def _divided(one: Term, other: Term, type_: str, node: Any, compiling: Compiling) -> Term:
    """A quotient: Trino rounds it to the larger scale of its operands, so that of the result is given to the first.

    Where an operand has a larger scale than the result, it is rounded twice: first to so many digits that no quotient
    of such operands comes to lie halfway between two results that was not there before.
    """
    (precision, scale), (divisor_precision, divisor_scale) = sizes_of(one.type), sizes_of(other.type)
    _, wanted = sizes_of(type_)
    if max(scale, divisor_scale) > wanted:
        wanted = max(wanted, scale - divisor_scale) + divisor_precision
        wanted = max(wanted, scale, divisor_scale)
        if MAX_PRECISION - wanted < _ENOUGH:
            raise compiling.refused(node, DIGITS)
    digits = precision - scale + wanted
    if digits + divisor_scale > MAX_PRECISION:
        compiling.report(node, DECIMAL_OVERFLOW)
    dividend = cast(one, _spelled(digits, wanted))
    return exactly(operation(_spelled(digits + divisor_scale, wanted), dividend, "/", other), type_)


def _sizes(operator: str, one: Sizes, other: Sizes) -> Sizes:
    """Of Trino's result, if it had as many digits as that takes."""
    (p1, s1), (p2, s2) = one, other
    scale = max(s1, s2)
    if operator in ("+", "-"):
        return max(p1 - s1, p2 - s2) + scale + 1, scale
    if operator == "*":
        return p1 + p2, s1 + s2
    return min(p1 - s1, p2 - s2) + scale, scale


def _spelled(precision: int, scale: int) -> str:
    return f"decimal({min(precision, MAX_PRECISION)},{scale})"


def exactly(term: Term, type_: str) -> Term:
    """A term of just a type, which Trino casts where it has another one."""
    return term if term.type == type_ else cast(term, type_)
