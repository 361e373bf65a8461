"""Views after those among them that they read."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from hive_views.hive.row import Row
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.row.dependencies import tables_in
from hive_views.views.row.row_text import text_of

_WORD = re.compile(r"\w+")


def in_order(rows: Sequence[Row]) -> tuple[list[TableIdentifier], set[TableIdentifier]]:
    """Views after those among them that they read, by the texts of their rows, and those that read themselves."""
    return ordered(_reads(rows))


def ordered(
    reads: Mapping[TableIdentifier, Sequence[TableIdentifier]],
) -> tuple[list[TableIdentifier], set[TableIdentifier]]:
    """Views after those that they read, given which of these each of them reads, and those that read themselves."""
    done: dict[TableIdentifier, None] = {}
    circular: set[TableIdentifier] = set()
    for first in reads:
        # Not by recursion: a chain of views may be longer than Python's stack.
        path: dict[TableIdentifier, list[TableIdentifier]] = {} if first in done else {first: list(reads[first])}
        while path:
            view, ahead = next(reversed(path.items()))
            if not ahead:
                path.pop(view)
                done[view] = None
                continue
            read = ahead.pop()
            if read in path:
                on_path = list(path)
                circular |= set(on_path[on_path.index(read) :])
            elif read not in done:
                path[read] = list(reads[read])
    return list(done), circular


def _reads(rows: Sequence[Row]) -> dict[TableIdentifier, list[TableIdentifier]]:
    """Which others of these each view reads; of a text that cannot be parsed, none."""
    by_word = {row.identifier.name for row in rows}
    known = {row.identifier for row in rows}
    reads: dict[TableIdentifier, list[TableIdentifier]] = {}
    for row in rows:
        # A catalog of Trino's may be this metastore, whatever it is called: to come later harms no view.
        text = text_of(row)
        # Reading a text takes longer than all else; most name none of the others.
        names_none = by_word.isdisjoint(word.lower() for word in _WORD.findall(text.sql))
        found = () if names_none else tables_in(text.sql, text.dialect, text.namespace[-1])
        reads[row.identifier] = [name for name in found if name in known]
    return reads
