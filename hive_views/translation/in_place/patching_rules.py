"""What rules are given, and the tables in which they stand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from sqlglot import exp

from hive_views.analysis.query_analysis import DerivedType
from hive_views.analysis.tree import TypedQuery
from hive_views.sql.text_edits import Edit
from hive_views.translation.in_place.text_places import Places
from hive_views.translation.reading_nodes import Call
from hive_views.translation.translation_findings import Reason, RefusedError

TEXTS = ("string", "varchar")
WHOLE = ("tinyint", "smallint", "int", "bigint")
FRACTIONS = ("float", "double")
NUMBERS = (*WHOLE, *FRACTIONS, "decimal")


class Patching(Protocol):
    """The text that is edited."""

    query: TypedQuery
    source: str
    target: str
    places: Places

    def type_of(self, node: Any) -> DerivedType:
        """The type of an expression by each engine."""

    def kind(self, node: Any) -> str:
        """The name of its type in the source, without sizes and parts; empty where that is not known."""

    def edit(self, edit: Edit) -> None:
        """Edit the text."""

    def wrap(self, start: int, end: int, before: str, behind: str) -> None:
        """Put texts around a part."""

    def settle(self, node: Any) -> None:
        """Say that the type of an expression need not be the same in both engines, or is, by an edit."""

    def is_settled(self, node: Any) -> bool:
        """Whether that was said."""

    def report(self, node: Any, reason: Reason) -> None:
        """Record a finding about a part of the text."""

    def refused(self, node: Any, reason: Reason) -> RefusedError:
        """Record a finding; what is raised then."""


Visit = Callable[[Any, Patching], "tuple[Any, ...] | None"]
"""A rule for a node: the parts that are visited next; None for all."""

NodeRules = Mapping[type[exp.Expr], Visit]

CallRule = Callable[[Call, Patching], None]
"""A rule for a call; its arguments are visited after it."""

CallRules = Mapping[str, CallRule]


def wrap(call: Any, patching: Patching, before: str, behind: str) -> None:
    """Put a call into another expression."""
    patching.wrap(*patching.places.of_call(call), before, behind)


def rename(call: Any, patching: Patching, name: str) -> None:
    """Call another function."""
    start, end = patching.places.of_name(call)
    patching.edit(Edit(start, end, name))


def is_text(kind: str) -> bool:
    """Whether it is a type of texts without blanks at their ends."""
    return kind in TEXTS
