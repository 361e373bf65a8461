"""What the rules for clauses are given."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any, Protocol

from hive_views.translation.to_trino import shared_reasons as reasons
from hive_views.translation.to_trino.terms import Compiling


class CompilingQueries(Compiling, Protocol):
    """The translation that a clause is a part of."""

    def going_on(self) -> AbstractContextManager[None]:
        """Ends a refusal inside, so that all findings of a query are found at once; there is no text in the end."""


def refuse_others(node: Any, known: tuple[str, ...], compiling: CompilingQueries) -> None:
    """Refuse a part of a query that has anything but these parts.

    Raises:
        RefusedError: it has.
    """
    for name, value in node.args.items():
        if name not in known and value not in (None, False, [], ()):
            raise compiling.refused(node, reasons.PART_OF_QUERY.because(name.strip("_")))
