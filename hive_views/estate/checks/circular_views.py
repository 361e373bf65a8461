"""Views that read each other in a circle."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence

from hive_views.estate.checks.findings import Finding, replace_query
from hive_views.spec.identifiers import TableIdentifier

Reads = Mapping[TableIdentifier, Sequence[TableIdentifier]]
"""By view, what it reads; what is no key is a table, or not known."""


def circular(reads: Reads, plain: frozenset[TableIdentifier] = frozenset()) -> Iterator[Finding]:
    """One finding for each view that reads itself, with a way from it back to itself.

    Args:
        reads: all views, with what their rows read.
        plain: those without a metadata file.
    """
    for group in _groups(reads):
        members = frozenset(group)
        if len(members) == 1 and group[0] not in reads[group[0]]:
            continue
        # A way for each of thousands would cost the square of them.
        shared = _way(group[0], group[0], reads, members)
        for view in sorted(members):
            way = _turned(shared, view) if view in shared else [*_way(view, shared[0], reads, members), *shared[1:]]
            names = [str(one) for one in way]
            problem = f"Reading it would never end: {' -> '.join(names)}."
            remedy = replace_query(str(view), is_plain=view in plain)
            yield Finding("cycle", str(view), problem, remedy, {"cycle": names})


def _groups(reads: Reads) -> Iterator[list[TableIdentifier]]:
    """The views of which each reads each other one, however far away (Tarjan's algorithm, without recursion)."""
    numbers: dict[TableIdentifier, int] = {}
    lowest: dict[TableIdentifier, int] = {}
    open_: dict[TableIdentifier, None] = {}
    for start in sorted(reads):
        if start in numbers:
            continue
        ahead = [(start, iter(reads[start]))]
        numbers[start] = lowest[start] = len(numbers)
        open_[start] = None
        while ahead:
            view, rest = ahead[-1]
            step = next((one for one in rest if one in reads and (one not in numbers or one in open_)), None)
            if step is None:
                ahead.pop()
                if ahead:
                    lowest[ahead[-1][0]] = min(lowest[ahead[-1][0]], lowest[view])
                if lowest[view] == numbers[view]:
                    group = [view]
                    while (last := open_.popitem()[0]) != view:
                        group.append(last)
                    yield group
            elif step in numbers:
                lowest[view] = min(lowest[view], numbers[step])
            else:
                numbers[step] = lowest[step] = len(numbers)
                open_[step] = None
                ahead.append((step, iter(reads[step])))


def _way(
    start: TableIdentifier, end: TableIdentifier, reads: Reads, members: frozenset[TableIdentifier]
) -> list[TableIdentifier]:
    """The shortest way, with both ends; from a view to itself, it is there twice."""
    before: dict[TableIdentifier, TableIdentifier] = {}
    ahead = deque([start])
    while end not in before:
        view = ahead.popleft()
        for step in reads[view]:
            if step in members and step not in before:
                before[step] = view
                ahead.append(step)
    way = [end]
    while way[-1] != start or len(way) == 1:
        way.append(before[way[-1]])
    return way[::-1]


def _turned(way: Sequence[TableIdentifier], view: TableIdentifier) -> list[TableIdentifier]:
    """A way back that begins, and ends, at another of its views."""
    at = way.index(view)
    return [*way[at:], *way[1 : at + 1]]
