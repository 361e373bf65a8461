"""Precision and scale of decimals, as Hive and Spark compute them.

Hive: HiveDecimalUtils and the GenericUDFOP classes. Spark: DecimalType, and the resultDecimalType of each operator.
"""

from __future__ import annotations

from hive_views.hive.types import HiveType

Sizes = tuple[int, int]
"""Precision and scale."""

MAX_PRECISION = 38
_MIN_SCALE = 6
"""The scale that a quotient has at least, and that is kept where a result has too many digits."""

_WHOLE_IN_HIVE = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 19}
_WHOLE_IN_SPARK = {**_WHOLE_IN_HIVE, "bigint": 20}


def sizes_in_hive(type_: HiveType) -> Sizes | None:
    """A decimal's own, or those that hold every whole number of a type; None for other types."""
    return _sizes(type_, _WHOLE_IN_HIVE)


def sizes_in_spark(type_: HiveType) -> Sizes | None:
    """As ``sizes_in_hive``; Spark gives bigint one digit more."""
    return _sizes(type_, _WHOLE_IN_SPARK)


def _sizes(type_: HiveType, whole: dict[str, int]) -> Sizes | None:
    if type_.name == "decimal":
        return type_.sizes[0], type_.sizes[1]
    return (whole[type_.name], 0) if type_.name in whole else None


def of_digits(text: str) -> Sizes | None:
    """Of a literal such as ``10.50``, with all its digits, as Spark counts them; None where there are too many."""
    whole, _, fraction = text.partition(".")
    whole = whole.lstrip("0")
    precision = max(len(whole) + len(fraction), 1)
    return (precision, len(fraction)) if precision <= MAX_PRECISION else None


def without_zeros(text: str) -> str:
    """A literal as Hive reads it: without zeros at the end of its fraction."""
    whole, _, fraction = text.partition(".")
    fraction = fraction.rstrip("0")
    return f"{whole}.{fraction}" if fraction else whole or "0"


def spelled(sizes: Sizes) -> str:
    """The type with these sizes."""
    return f"decimal({sizes[0]},{sizes[1]})"


def computed(operator: str, left: Sizes, right: Sizes) -> Sizes:
    """Of the result of ``+``, ``-``, ``*``, ``/`` or ``%``, with digits lost as both engines lose them."""
    (p1, s1), (p2, s2) = left, right
    if operator in ("+", "-"):
        scale = max(s1, s2)
        return _adjusted(max(p1 - s1, p2 - s2) + scale + 1, scale)
    if operator == "*":
        return _adjusted(p1 + p2 + 1, s1 + s2)
    if operator == "/":
        scale = max(_MIN_SCALE, s1 + p2 + 1)
        return _adjusted(p1 - s1 + s2 + scale, scale)
    scale = max(s1, s2)
    return _adjusted(min(p1 - s1, p2 - s2) + scale, scale)


def _adjusted(precision: int, scale: int) -> Sizes:
    """Digits before the point are kept, and at least six after it (SPARK-22036, HIVE-15331)."""
    if precision <= MAX_PRECISION:
        return precision, scale
    whole = precision - scale
    return MAX_PRECISION, max(MAX_PRECISION - whole, min(scale, _MIN_SCALE))


def widened(left: Sizes, right: Sizes) -> Sizes:
    """Of the narrowest decimal that holds both; digits before the point come first where there are too many."""
    scale = max(left[1], right[1])
    whole = max(left[0] - left[1], right[0] - right[1])
    return min(whole + scale, MAX_PRECISION), max(min(scale, MAX_PRECISION - whole), 0)


def summed(sizes: Sizes) -> Sizes:
    """Of ``sum``, in both engines."""
    return min(sizes[0] + 10, MAX_PRECISION), sizes[1]


def averaged_in_hive(sizes: Sizes) -> Sizes:
    """Of Hive's ``avg``, which keeps the digits before the point."""
    return min(sizes[0] + 4, MAX_PRECISION), min(sizes[1] + 4, MAX_PRECISION - (sizes[0] - sizes[1]))


def averaged_in_spark(sizes: Sizes) -> Sizes:
    """Of Spark's ``avg``, which keeps the digits after it."""
    return min(sizes[0] + 4, MAX_PRECISION), min(sizes[1] + 4, MAX_PRECISION)
