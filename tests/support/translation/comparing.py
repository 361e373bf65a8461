"""Whether two engines gave the same answer; if not, in which row and column, and both values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tests.support.translation.answers import Answer, NotRead, Refused, float_32
from tests.support.translation.asking import Values
from tests.support.translation.value_types import Type, read_type, same_types

_DIGITS = 1e-12
_DIGITS_OF_FLOAT = 1e-6


def same_value(mine: Any, theirs: Any, digits: float = _DIGITS) -> bool:
    """Whether two values are one: fractions but for their last digits, NaN with NaN, everything else exactly.

    0.0 and -0.0 are two.
    """
    if isinstance(mine, float) and isinstance(theirs, float):
        if math.isnan(mine) or math.isnan(theirs):
            return math.isnan(mine) and math.isnan(theirs)
        if mine == theirs:
            return mine != 0 or math.copysign(1, mine) == math.copysign(1, theirs)
        return math.isclose(mine, theirs, rel_tol=digits)
    if type(mine) is not type(theirs):
        return False
    if isinstance(mine, (list, tuple)):
        pairs = zip(mine, theirs, strict=False)
        return len(mine) == len(theirs) and all(same_value(one, other, digits) for one, other in pairs)
    if isinstance(mine, dict):
        return mine.keys() == theirs.keys() and all(same_value(mine[key], theirs[key], digits) for key in mine)
    return bool(mine == theirs)


def _digits(*types: Type) -> float:
    named = {one.name for type_ in types for one in (type_, *type_.parts)}
    return _DIGITS_OF_FLOAT if "float" in named else _DIGITS


def differing_values(mine: Values | Refused, theirs: Values | Refused) -> str | None:
    """Where two engines differ about an expression; None where they do not. Types are not compared."""
    if isinstance(mine, Refused) or isinstance(theirs, Refused):
        return _differing_refusals(mine, theirs)
    if len(mine.values) != len(theirs.values):
        return f"{len(mine.values)} and {len(theirs.values)} rows"
    digits = _digits(read_type(mine.type), read_type(theirs.type))
    for at, (one, other) in enumerate(zip(mine.values, theirs.values, strict=True), 1):
        if not same_value(one, other, digits):
            return f"row {at}: {one!r} and {other!r}"
    return None


def differing(mine: Answer | Refused, theirs: Answer | Refused, *, in_order: bool = False) -> str | None:
    """Where two answers differ; None where they do not.

    Args:
        mine: an answer.
        theirs: another one.
        in_order: the query has an ORDER BY at its top, which says all of the order.
    """
    if isinstance(mine, Refused) or isinstance(theirs, Refused):
        return _differing_refusals(mine, theirs)
    if len(mine.columns) != len(theirs.columns):
        return f"{len(mine.columns)} and {len(theirs.columns)} columns"
    if len(mine.rows) != len(theirs.rows):
        return f"{len(mine.rows)} and {len(theirs.rows)} rows"
    digits = [_digits(*pair) for pair in zip(mine.types, theirs.types, strict=True)]
    pairs = list(zip(_ordered(mine.rows, in_order), _ordered(theirs.rows, in_order), strict=True))
    if not in_order and not all(_same_row(one, other, digits) for one, other in pairs):
        pairs = _matched([one for one, _ in pairs], [other for _, other in pairs], digits)
    for at, (row, other_row) in enumerate(pairs, 1):
        for (name, _), one, other, exact in zip(mine.columns, row, other_row, digits, strict=True):
            if not same_value(one, other, exact):
                return f"row {at}, column {name}: {one!r} and {other!r}; rows {row!r} and {other_row!r}"
    return None


def differing_types(mine: Answer, theirs: Answer) -> str | None:
    """The first column whose types do not mean the same; None where all do."""
    for (name, one), (_, other) in zip(mine.columns, theirs.columns, strict=True):
        if not same_types(read_type(one), read_type(other)):
            return f"column {name}: {one} and {other}"
    return None


def _differing_refusals(mine: object, theirs: object) -> str | None:
    if isinstance(mine, NotRead) or isinstance(theirs, NotRead):
        return f"one is not read: {_short(mine)} / {_short(theirs)}"
    if isinstance(mine, Refused) and isinstance(theirs, Refused):
        return None
    return f"one refuses: {_short(mine)} / {_short(theirs)}"


def _ordered(rows: Sequence[tuple[Any, ...]], in_order: bool) -> list[tuple[Any, ...]]:
    return list(rows) if in_order else sorted(rows, key=lambda row: repr([_sorted_by(value) for value in row]))


def _sorted_by(value: Any) -> Any:
    if isinstance(value, float):
        return f"{float_32(value):.4g}"
    if isinstance(value, dict):
        return sorted(map(repr, value.items()))
    return [_sorted_by(one) for one in value] if isinstance(value, (list, tuple)) else value


def _same_row(row: tuple[Any, ...], other: tuple[Any, ...], digits: Sequence[float]) -> bool:
    return all(map(same_value, row, other, digits))


def _matched(
    rows: list[tuple[Any, ...]], others: list[tuple[Any, ...]], digits: Sequence[float]
) -> list[tuple[tuple[Any, ...], tuple[Any, ...]]]:
    """Each row beside its like of the others; those without one at the end, in their order."""
    pairs, alone = [], []
    for row in rows:
        found = next((at for at, other in enumerate(others) if _same_row(row, other, digits)), None)
        if found is None:
            alone.append(row)
        else:
            pairs.append((row, others.pop(found)))
    return [*pairs, *zip(alone, others, strict=True)]


def _short(answer: object) -> str:
    return str(answer)[:200] if isinstance(answer, Refused) else "an answer"
