"""The type that Trino makes of several: of both sides of an operator, branches, and columns of UNION."""

from __future__ import annotations

from collections.abc import Sequence

from hive_views.hive.types import parse_hive_type
from hive_views.translation.from_trino.target_terms import WHOLE

DIGITS = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 19}
"""How many digits a decimal has that a whole number becomes."""

MOST_DIGITS = 38
MOST_TURNED = 34
"""How many digits a decimal may have of which Spark changes the sign without rounding it."""
_TEXTS = ("string", "varchar")


def sizes_of(type_: str) -> tuple[int, int] | None:
    """The precision and scale of a decimal, or of the one that a whole number becomes; None for other types."""
    if type_ in DIGITS:
        return DIGITS[type_], 0
    parsed = parse_hive_type(type_)
    return (parsed.sizes[0], parsed.sizes[1]) if parsed.name == "decimal" else None


def common_type(types: Sequence[str]) -> str | None:
    """The type of several; None where there is none, or where it is not certain that the engines agree on it."""
    found: str | None = types[0]
    for type_ in types[1:]:
        found = _of_two(found, type_) if found is not None else None
    return found


def _of_two(one: str, other: str) -> str | None:
    if one == other and not one.startswith("char"):
        return one
    if "void" in (one, other):
        return other if one == "void" else one
    if one in WHOLE and other in WHOLE:
        return WHOLE[max(WHOLE.index(one), WHOLE.index(other))]
    if {one.partition("(")[0], other.partition("(")[0]} <= set(_TEXTS):
        return "string"
    if {one, other} == {"date", "timestamp"}:
        return "timestamp"
    sizes = [sizes_of(type_) for type_ in (one, other)]
    if "double" in (one, other):
        is_number = sizes[0] or sizes[1] or "float" in (one, other)
        return "double" if is_number else None
    if sizes[0] is None or sizes[1] is None:
        return None
    scale = max(sizes[0][1], sizes[1][1])
    digits = max(sizes[0][0] - sizes[0][1], sizes[1][0] - sizes[1][1]) + scale
    return f"decimal({digits},{scale})" if digits <= MOST_DIGITS else None
