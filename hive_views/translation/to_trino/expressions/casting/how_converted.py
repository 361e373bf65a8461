"""What a rule for a conversion is given: a value, the type that it has, and the one that it gets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from hive_views.hive.types import HiveType
from hive_views.translation.to_trino.terms import Compiling, Term, trino_type
from hive_views.translation.translation_findings import Reason, RefusedError

WHOLE = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 19}
"""Types of whole numbers with the digits of their largest values, from the narrowest to the widest."""

TEXTS = ("string", "varchar", "char")


class How(Enum):
    """By what a value is converted."""

    IMPLICIT = "implicit"
    """By the engine, as it meets another type."""

    CAST = "cast"
    TRY = "try"
    """By Spark's try_cast, which makes NULL of what a cast by the rules of ANSI refuses."""


@dataclass(frozen=True)
class Conversion:
    """One value on its way from one type to another.

    Attributes:
        term: the value in Trino.
        of: the type that it has.
        to: the type that it gets.
        node: what it is made of, which findings name.
        compiling: the translation.
        how: by what.
    """

    term: Term
    of: HiveType
    to: HiveType
    node: Any
    compiling: Compiling
    how: How = How.IMPLICIT

    @property
    def is_hive(self) -> bool:
        """Whether it is done as Hive does it, not as Spark does."""
        return self.compiling.source == "hive"

    @property
    def is_try(self) -> bool:
        """Whether it is NULL where a cast by the rules of ANSI fails."""
        return self.how is How.TRY

    @property
    def cast(self) -> Term:
        """The value cast by Trino's rules, which fails where they allow no cast."""
        return self.made(f"CAST({self.term.sql} AS {trino_type(self.to)})")

    @property
    def try_cast(self) -> Term:
        """The value cast by Trino's rules, which is NULL where they allow no cast."""
        return self.made(f"TRY_CAST({self.term.sql} AS {trino_type(self.to)})")

    def made(self, sql: str) -> Term:
        """A text whose value has the type that is wanted."""
        return Term(sql, str(self.to))

    def through(self, sql: str, type_: HiveType | None = None) -> Conversion:
        """The same with another text for the value, and another type of it."""
        of = type_ or self.of
        return replace(self, term=Term(sql, str(of)), of=of)

    def report(self, reason: Reason) -> None:
        """See ``Compiling.report``."""
        self.compiling.report(self.node, reason)

    def refused(self, reason: Reason) -> RefusedError:
        """See ``Compiling.refused``."""
        return self.compiling.refused(self.node, reason)


Rule = Callable[[Conversion], Term]
