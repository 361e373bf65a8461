"""What rules for Trino are given, and what they return: expressions of Trino with their types."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from sqlglot import exp

from hive_views.analysis.tree import TypedQuery
from hive_views.hive.types import HiveType, parse_hive_type
from hive_views.translation.reading_nodes import Call
from hive_views.translation.translation_findings import Reason, RefusedError


@dataclass(frozen=True)
class Term:
    """An expression in Trino.

    Attributes:
        sql: its text.
        type: the type of its value, as Hive spells types. Trino's own is ``trino_type`` of it, or one that Trino
            converts to that without a loss, such as ``varchar(3)`` for a string.
        is_whole: whether it needs no brackets beside an operator.
        is_comparison: whether it needs none beside AND and OR.
    """

    sql: str
    type: str
    is_whole: bool = True
    is_comparison: bool = False

    @property
    def operand(self) -> str:
        """The text as it can stand beside an operator."""
        return self.sql if self.is_whole else f"({self.sql})"


class Compiling(Protocol):
    """The translation that a rule is a part of.

    Attributes:
        source: the dialect of the text, ``hive`` or ``spark``.
        query: the text with types.
    """

    source: str
    query: TypedQuery

    def term(self, node: Any) -> Term:
        """An expression in Trino.

        Raises:
            RefusedError: it cannot be translated; a finding is recorded.
        """

    def converted(self, node: Any, type_: str) -> Term:
        """An expression in Trino, its value converted to a type as the source converts it without being told.

        Raises:
            RefusedError: as ``term``; or it is not known how the source converts it.
        """

    def type_of(self, node: Any) -> str:
        """The type that the source gives an expression, as Hive spells types.

        Raises:
            RefusedError: it is not certain.
        """

    def subquery(self, node: Any) -> str:
        """A query inside of an expression, without brackets.

        Raises:
            RefusedError: as ``term``.
        """

    def report(self, node: Any, reason: Reason) -> None:
        """Record a finding about a part of the text, which is translated all the same."""

    def refused(self, node: Any, reason: Reason) -> RefusedError:
        """Record a finding about a part of the text; what is raised to end the translation of that part."""


NodeRule = Callable[[Any, Compiling], Term]
NodeRules = Mapping[type[exp.Expr], NodeRule]
"""By the kind of a node."""

CallRule = Callable[[Call, Compiling], Term]
CallRules = Mapping[str, CallRule]
"""By the name of a function in the source, in lower case."""


_SIMPLE = {
    "int": "integer",
    "float": "real",
    "string": "varchar",
    "binary": "varbinary",
    "timestamp": "timestamp",
    "void": "unknown",
}


def trino_type(type_: str | HiveType) -> str:
    """Trino's type for a Hive type.

    A timestamp is without a precision, which is that of a column where Trino reads one; as the type of a cast it has
    three digits (see ``casting``).
    """
    found = parse_hive_type(type_) if isinstance(type_, str) else type_
    parts = [trino_type(part) for part in found.parts]
    match found.name:
        case "array":
            return f"array({parts[0]})"
        case "map":
            return f"map({parts[0]}, {parts[1]})"
        case "struct":
            fields = zip(found.field_names, parts, strict=True)
            return f"row({', '.join(f'{quoted(name)} {part}' for name, part in fields)})"
    sizes = f"({', '.join(map(str, found.sizes))})" if found.sizes else ""
    return _SIMPLE.get(found.name, found.name) + sizes


def quoted(name: str) -> str:
    """A name in Trino; in quotes, no word is a reserved one."""
    return '"' + name.replace('"', '""') + '"'


def string(value: str) -> str:
    """A string literal in Trino, in which a backslash is a character like others."""
    return "'" + value.replace("'", "''") + "'"


def called(function: str, type_: str, *given: str | Term) -> Term:
    """A call of a function of Trino."""
    return Term(f"{function}({', '.join(one.sql if isinstance(one, Term) else one for one in given)})", type_)


def operation(type_: str, *parts: str | Term) -> Term:
    """Operands with operators between them, which are given as texts."""
    text = " ".join(part.operand if isinstance(part, Term) else part for part in parts)
    is_comparison = type_ == "boolean" and not {"AND", "OR", "NOT"} & {one for one in parts if isinstance(one, str)}
    return Term(text, type_, is_whole=False, is_comparison=is_comparison)


def cast(term: Term, type_: str) -> Term:
    """A value cast by Trino to another type: by Trino's own rules, not the source's."""
    return Term(f"CAST({term.sql} AS {trino_type(type_)})", type_)


def listed(terms: Iterable[Term]) -> str:
    """Terms with commas between them."""
    return ", ".join(term.sql for term in terms)
