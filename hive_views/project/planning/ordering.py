"""Which views read which, and circles among them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from hive_views.project.directory.view_definition import ViewDefinition
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.row.dependencies import tables_in


def reads_of(wanted: ViewDefinition) -> tuple[TableIdentifier, ...]:
    """The tables and views of the metastore that its texts name, in all dialects."""
    found = (name for text in wanted.texts.values() for name in tables_in(text, text.dialect, wanted.namespace))
    return tuple(dict.fromkeys(found))


def cycle_through(
    name: TableIdentifier, reads: Callable[[TableIdentifier], Iterable[TableIdentifier]]
) -> tuple[TableIdentifier, ...] | None:
    """The shortest way from a view back to itself, with both ends; None if there is none."""
    came: dict[TableIdentifier, TableIdentifier] = {}
    ahead = [name]
    for view in ahead:
        for read in reads(view):
            if read == name:
                path = [name, view]
                while path[-1] != name:
                    path.append(came[path[-1]])
                return tuple(reversed(path))
            if read not in came:
                came[read] = view
                ahead.append(read)
    return None


def reached(
    top: TableIdentifier, ways: Mapping[TableIdentifier, Iterable[TableIdentifier]]
) -> Collection[TableIdentifier]:
    """What a view or table leads to, directly or through others, nearest first; itself too."""
    found = {top: None}
    ahead = [top]
    for name in ahead:
        new = [one for one in ways.get(name, ()) if one not in found]
        found |= dict.fromkeys(new)
        ahead += new
    return found
