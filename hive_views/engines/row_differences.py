"""Rows of two engines, compared as multisets: each row of the one has to have its like among those of the other.

Values are compared exactly, but for fractions (float, double): engines add them in different orders, so two are the
same if they differ by at most one part in 10^12 (float: in 10^6). NaN is the same as NaN; 0.0 and -0.0 are two values.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hive_views.engines.engine_protocol import Rows
from hive_views.engines.engine_values import FRACTIONS
from hive_views.hive.types import HiveType

Row = tuple[Any, ...]

_DIGITS = {"double": 1e-12, "float": 1e-6}
_FRACTION = "a fraction"


@dataclass(frozen=True)
class _Split:
    """A row, by its number, as what is compared exactly, and its fractions with their digits."""

    number: int
    exact: Any
    fractions: tuple[tuple[float, float], ...]

    @property
    def first(self) -> tuple[bool, float]:
        """What rows that differ in fractions alone are ordered by; NaN comes last."""
        value = self.fractions[0][0]
        return (True, 0.0) if math.isnan(value) else (False, value)

    def is_like(self, other: _Split) -> bool:
        return all(
            _is_same(mine, theirs, digits)
            for (mine, digits), (theirs, _) in zip(self.fractions, other.fractions, strict=True)
        )


def without_like(mine: Rows, theirs: Rows, types: Sequence[HiveType]) -> tuple[list[Row], list[Row]]:
    """The rows of each side that have no like on the other one, in their order; none where both are the same."""
    groups: dict[Any, tuple[list[_Split], list[_Split]]] = defaultdict(lambda: ([], []))
    for side, rows in enumerate((mine, theirs)):
        for number, row in enumerate(rows):
            one = _split(number, row, types)
            groups[one.exact][side].append(one)
    found = [_unmatched(*sides) for sides in groups.values()]
    left = sorted(number for one, _ in found for number in one)
    right = sorted(number for _, one in found for number in one)
    return [mine[number] for number in left], [theirs[number] for number in right]


def differing_columns(mine: Row, theirs: Row, types: Sequence[HiveType]) -> tuple[int, ...]:
    """The places, from 0, of the columns in which two rows differ."""
    return tuple(
        at
        for at, (one, other, type_) in enumerate(zip(mine, theirs, types, strict=True))
        if any(without_like(((one,),), ((other,),), [type_]))
    )


def _is_same(mine: float, theirs: float, digits: float) -> bool:
    if math.isnan(mine) or math.isnan(theirs):
        return math.isnan(mine) and math.isnan(theirs)
    if mine == theirs:
        return math.copysign(1, mine) == math.copysign(1, theirs) or mine != 0
    return math.isclose(mine, theirs, rel_tol=digits)


def _split(number: int, row: Row, types: Sequence[HiveType]) -> _Split:
    fractions: list[tuple[float, float]] = []
    exact = tuple(_exact(value, type_, fractions) for value, type_ in zip(row, types, strict=True))
    return _Split(number, exact, tuple(fractions))


def _exact(value: Any, type_: HiveType, fractions: list[tuple[float, float]]) -> Any:
    """What of a value is compared exactly; its fractions go into a list."""
    if value is None:
        return None
    if type_.name in FRACTIONS:
        fractions.append((value, _DIGITS[type_.name]))
        return _FRACTION
    if type_.name == "map":
        # Of one order, whichever the engine has them in.
        members = sorted(value.items(), key=lambda member: repr(member[0]))
        return tuple((repr(key), _exact(one, type_.parts[1], fractions)) for key, one in members)
    if type_.name == "array":
        return tuple(_exact(one, type_.parts[0], fractions) for one in value)
    if type_.name == "struct":
        return tuple(_exact(one, part, fractions) for one, part in zip(value, type_.parts, strict=True))
    return value


def _unmatched(mine: list[_Split], theirs: list[_Split]) -> tuple[list[int], list[int]]:
    """The numbers of rows without a like, among rows that differ in fractions at most."""
    if not mine or not theirs or not mine[0].fractions:
        common = min(len(mine), len(theirs))
        return [one.number for one in mine[common:]], [one.number for one in theirs[common:]]
    left, others = [], sorted(theirs, key=lambda one: one.first)
    start = 0
    for one in sorted(mine, key=lambda one: one.first):
        # What is less than this row is less than all that follow.
        while start < len(others) and others[start].first < one.first and not _begins_like(one, others[start]):
            start += 1
        at = start
        while at < len(others) and not one.is_like(others[at]):
            if others[at].first > one.first and not _begins_like(one, others[at]):
                at = len(others)
            at += 1
        if at < len(others):
            others.pop(at)
        else:
            left.append(one.number)
    return left, [one.number for one in others]


def _begins_like(one: _Split, other: _Split) -> bool:
    (mine, digits), (theirs, _) = one.fractions[0], other.fractions[0]
    return mine == theirs or _is_same(mine, theirs, digits)
