"""What the rules for queries are given, and what they return: queries whose outputs can get other names and types."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from hive_views.analysis.tree import TypedQuery
from hive_views.translation.from_trino import trino_reasons as reasons
from hive_views.translation.from_trino.named_sources import Named, Names
from hive_views.translation.from_trino.target_terms import Compiling
from hive_views.translation.translation_findings import RefusedError

_Result = TypeVar("_Result")
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


@dataclass(frozen=True)
class Made:
    """A query in the target.

    Attributes:
        columns: its outputs.
        write: its text, in which the outputs have other names, and types that theirs widen to.
        has_unnest: whether rows in it are made by UNNEST.
    """

    columns: tuple[Named, ...]
    write: Callable[[Sequence[Named]], str]
    has_unnest: bool = False

    @property
    def text(self) -> str:
        """Its text, with its own outputs."""
        return self.write(self.columns)


class Queries(Compiling, Protocol):
    """The translation that a clause is a part of.

    Attributes:
        query: the text, in which the columns of tables are known.
        definitions: the columns of the definitions in WITH, by names in lower case.
    """

    query: TypedQuery
    definitions: Mapping[str, tuple[Named, ...]]

    def within(self, names: Names) -> Queries:
        """The same translation where names mean something else."""

    def defining(self, name: str, columns: tuple[Named, ...]) -> Queries:
        """The same translation behind one more definition in WITH."""

    def going_on(self) -> AbstractContextManager[None]:
        """Ends a refusal inside, so that all findings of a query are found at once; there is no text in the end."""


def attempted(queries: Queries, make: Callable[[], _Result]) -> _Result | None:
    """What a rule makes; None where it refuses, so that other parts can be looked at before the whole is refused."""
    with queries.going_on():
        return make()
    return None


def all_of(found: Iterable[_Result | None]) -> list[_Result]:
    """What several rules made.

    Raises:
        RefusedError: one of them refused.
    """
    made = list(found)
    if None in made:
        raise RefusedError
    return [one for one in made if one is not None]


def refuse_others(node: Any, known: Sequence[str], queries: Queries) -> None:
    """Refuse a part of a query that has anything but these parts.

    Raises:
        RefusedError: it has.
    """
    for name, value in node.args.items():
        if name not in known and value not in (None, False, [], ()):
            raise queries.refused(node, reasons.PART_OF_QUERY.because(name.strip("_")))


def plain_name(name: str, node: Any, queries: Queries) -> str:
    """A name that all engines read alike in quotes.

    Raises:
        RefusedError: it has other characters.
    """
    if not _PLAIN_NAME.fullmatch(name):
        raise queries.refused(node, reasons.ODD_NAME.because(name))
    return name
