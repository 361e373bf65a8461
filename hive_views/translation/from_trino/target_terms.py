"""What rules for Hive and Spark are given, and what they return: expressions with their types."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from sqlglot import exp

from hive_views.translation.from_trino.named_sources import Names
from hive_views.translation.reading_nodes import Call
from hive_views.translation.translation_findings import Reason, RefusedError

_WRITTEN_DECIMAL = re.compile(r"CAST\((-?[0-9.]+) AS decimal\([0-9,]+\)\)")
WHOLE = ("tinyint", "smallint", "int", "bigint")
"""Types of whole numbers, from the smallest one."""


@dataclass(frozen=True)
class Term:
    """An expression of Hive and Spark.

    Attributes:
        sql: its text.
        type: the type of its value, as Hive spells types: in Trino, in Hive and in Spark. A text is a string, whatever
            length Trino knows of it, unless it is a column with a length.
        is_whole: whether it needs no brackets beside an operator.
    """

    sql: str
    type: str
    is_whole: bool = True

    @property
    def operand(self) -> str:
        """The text as it can stand beside an operator."""
        return self.sql if self.is_whole else f"({self.sql})"

    @property
    def name(self) -> str:
        """The name of the type, without sizes and parts."""
        return self.type.partition("(")[0].partition("<")[0]


class Compiling(Protocol):
    """The translation that a rule is a part of.

    Attributes:
        target: ``hive`` or ``spark``.
        names: what names mean here.
    """

    target: str
    names: Names

    def term(self, node: Any) -> Term:
        """An expression in the target.

        Raises:
            RefusedError: it cannot be translated; a finding is recorded.
        """

    def report(self, node: Any, reason: Reason) -> None:
        """Record a finding about a part of the text, which is translated all the same."""

    def refused(self, node: Any, reason: Reason) -> RefusedError:
        """Record a finding about a part of the text; what is raised to end the translation of that part."""


NodeRules = Mapping[type[exp.Expr], Callable[[Any, Compiling], Term]]
"""By the kind of a node."""

CallRules = Mapping[str, Callable[[Call, Compiling], Term]]
"""By the name of a function of Trino, in lower case."""


def called(function: str, type_: str, *given: str | Term) -> Term:
    """A call of a function of the target."""
    return Term(f"{function}({', '.join(one.sql if isinstance(one, Term) else one for one in given)})", type_)


def operation(type_: str, *parts: str | Term) -> Term:
    """Operands with operators between them, which are given as texts."""
    return Term(" ".join(one.operand if isinstance(one, Term) else one for one in parts), type_, is_whole=False)


def cast(term: Term, type_: str) -> Term:
    """A value that the target casts to another type."""
    written = _WRITTEN_DECIMAL.fullmatch(term.sql) if type_.startswith("decimal") else None
    # Of a CAST of a CAST of a number, Hive 2 may leave out the outer one.
    return Term(f"CAST({written[1] if written else term.sql} AS {type_})", type_)
