"""What follows the call of an aggregate in Trino: FILTER and OVER."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from hive_views.translation.to_trino import shared_reasons as reasons
from hive_views.translation.to_trino.terms import Compiling, Term, operation


@dataclass(frozen=True)
class AfterCall:
    """FILTER and OVER behind each call that an aggregate becomes.

    Attributes:
        condition: of FILTER.
        window: of OVER, in brackets.
        nulls: ``IGNORE NULLS``, or empty.
    """

    condition: Term | None = None
    window: str = ""
    nulls: str = ""

    def where(self, condition: Term, compiling: Compiling, node: Any) -> AfterCall:
        """With one more condition.

        Raises:
            RefusedError: it is over a window, where Trino has no FILTER.
        """
        if self.window:
            raise compiling.refused(node, reasons.NOT_KNOWN)
        both = operation("boolean", self.condition, "AND", condition) if self.condition else condition
        return replace(self, condition=both)

    def call(self, function: str, type_: str, *given: str | Term, distinct: bool = False) -> Term:
        """A call of a function of Trino with what follows it."""
        inside = ", ".join(one.sql if isinstance(one, Term) else one for one in given)
        text = f"{function}({'DISTINCT ' if distinct else ''}{inside})"
        if self.condition:
            text += f" FILTER (WHERE {self.condition.sql})"
        if self.nulls:
            text += f" {self.nulls}"
        return Term(f"{text} OVER {self.window}" if self.window else text, type_)


PLAIN = AfterCall()
"""Nothing follows."""
