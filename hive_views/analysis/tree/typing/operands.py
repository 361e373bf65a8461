"""What an operator or function of several values is given: each with the types that Hive's releases may give it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sqlglot import exp

from hive_views.analysis.query_analysis import DerivedType
from hive_views.analysis.tree.typing.casts import in_spark
from hive_views.analysis.tree.typing.context import Context
from hive_views.analysis.tree.typing.decimals import without_zeros
from hive_views.analysis.tree.typing.lambda_variables import declaring
from hive_views.analysis.tree.typing.written_values import Number, number_of
from hive_views.hive.types import HiveType, parse_hive_type

WHOLE = ("tinyint", "smallint", "int", "bigint")
"""From the narrowest to the widest."""

STRINGS = ("string", "char", "varchar")
CONSTANT_DECIMALS = "releases of Hive differ on decimals that are computed from constants"
_NOT_CONSTANT = (exp.Column, exp.Query, exp.AggFunc, exp.Window)

Types = frozenset["HiveType | None"]
"""The types that releases of Hive give an expression; None among them where that is not known."""


@dataclass(frozen=True)
class Operand:
    """One value."""

    node: Any
    derived: DerivedType
    number: Number | None
    context: Context

    @cached_property
    def is_constant(self) -> bool:
        """See ``is_constant``."""
        return is_constant(self.node, self.context)

    @cached_property
    def spark(self) -> HiveType | None:
        """Its type in Spark, where char and varchar are strings."""
        found = in_spark(self.derived.spark)
        return parse_hive_type(found) if found else None

    @cached_property
    def hive(self) -> HiveType | None:
        """Its type in Hive; None also for a decimal that is computed from constants, which Hive 2 computes first."""
        found = self.derived.hive
        if found is None or (found.startswith("decimal") and not self.number and self.is_constant):
            return None
        return parse_hive_type(found)

    @property
    def is_decimal(self) -> bool:
        """Whether it is one in either engine."""
        return any(one is not None and one.name == "decimal" for one in (self.hive, self.spark)) or bool(
            self.number and self.number.is_decimal
        )

    def in_hive(self, *, by_digits: bool, or_type: bool) -> Types:
        """Its types in Hive.

        Args:
            by_digits: a whole number may be a decimal of its digits, since it meets one.
            or_type: and it may be no such decimal.
        """
        number = self.number
        if number is None:
            counts_digits = by_digits and self.hive is not None and self.hive.name in WHOLE and self.is_constant
            return frozenset((None if counts_digits else self.hive,))
        if number.is_decimal:
            decimal = _parsed(number.in_hive)
            is_whole = or_type and "." not in without_zeros(number.digits)
            return frozenset((decimal, HiveType("int"))) if is_whole else frozenset((decimal,))
        found: set[HiveType | None] = set()
        if by_digits and number.is_whole:
            found.add(_parsed(number.in_hive))
        if not found or or_type:
            found.add(self.hive)
            # Hive 2 keeps 1L beside an operator, and 1Y nowhere.
            found |= {HiveType("int")} if number.may_be_int and (or_type or number.suffix != "L") else set()
        return frozenset(found)


def why_different(operands: Sequence[Operand], otherwise: str) -> str:
    """Why the engines, or releases of Hive, make different types of these operands; ``otherwise``: no such reason."""
    for one in operands:
        if one.derived.why and one.number is None:
            return one.derived.why
    if any(one.is_decimal for one in operands):
        for one in operands:
            number = one.number
            if number and number.is_decimal and number.in_hive != number.in_spark:
                return f"Hive reads {number.digits} as {number.in_hive}, Spark as {number.in_spark}"
            if number is None and one.is_constant:
                return CONSTANT_DECIMALS
        if any(one.hive == HiveType("bigint") and one.number is None for one in operands):
            return "beside a decimal, a bigint has 19 digits in Hive and 20 in Spark"
    return otherwise


def operand(node: Any, context: Context) -> Operand:
    """A part of an expression as an operand."""
    return Operand(node, context.of(node), number_of(node, context), context)


def is_constant(node: Any, context: Context) -> bool:
    """Whether no column of a table, subquery, aggregate or window, nor a variable, has a part in a value.

    Hive puts the constants of a subquery in FROM into the queries around it.
    """
    found = node.find_all(*_NOT_CONSTANT)
    if not all(isinstance(one, exp.Column) and context.is_constant(one) for one in found):
        return False
    return not any(declaring(one) for one in node.find_all(exp.Identifier))


def the_one(types: Types) -> HiveType | None:
    """The type in Hive, if its releases give one."""
    return next(iter(types)) if len(types) == 1 else None


def folded(types: Sequence[Types], combine: Callable[[HiveType, HiveType], HiveType | None]) -> Types:
    """What several types become, from left to right, whichever of its types each has."""
    found = types[0]
    for others in dict.fromkeys(types[1:]):
        found = frozenset(combine(one, other) if one and other else None for one in found for other in others)
    return found


def wider(left: HiveType, right: HiveType) -> HiveType:
    """The wider of two types of whole numbers."""
    return max(left, right, key=lambda one: WHOLE.index(one.name))


def _parsed(type_: str | None) -> HiveType | None:
    return parse_hive_type(type_) if type_ else None
