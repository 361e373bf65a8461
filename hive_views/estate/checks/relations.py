"""What is wrong between views: they read each other in a circle, read a broken one, or share files."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence

from hive_views.estate.checks.findings import Finding, replace_query
from hive_views.hive.row import POINTER, Row
from hive_views.persisted import OWNS
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views import remedies
from hive_views.views.view import is_iceberg_view

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
            problem = f"Circular dependency: {' -> '.join(names)}."
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
    """The shortest way, with both ends; from a view to itself, it appears twice."""
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


def broken_through(reads: Reads, broken: Mapping[TableIdentifier, Finding]) -> Iterator[Finding]:
    """One finding for each view that reads a broken one, itself or through others, with the shortest way to the next.

    A view that reads itself is no such view, nor is any other of its circle.

    Args:
        reads: all views, with what their rows read.
        broken: views that cannot be read, each with a finding that says why.
    """
    readers: dict[TableIdentifier, list[TableIdentifier]] = defaultdict(list)
    for reader in sorted(reads):
        for read in reads[reader]:
            readers[read].append(reader)
    ways: dict[TableIdentifier, tuple[TableIdentifier, ...]] = {view: (view,) for view in sorted(broken)}
    ahead = deque(ways)
    found: dict[TableIdentifier, tuple[TableIdentifier, ...]] = {}
    while ahead:
        view = ahead.popleft()
        for reader in readers[view]:
            way = (reader, *ways[view])
            if reader not in found and reader not in ways[view] and not _is_of_circle(reader, broken[way[-1]]):
                found[reader] = way
                if reader not in ways:
                    ways[reader] = way
                    ahead.append(reader)
    for way in found.values():
        why = broken[way[-1]]
        names = [str(one) for one in way]
        problem = f"It reads {', which reads '.join(names[1:])}, which is broken: {why.problem}"
        yield Finding("source-broken", names[0], problem, why.remedy, {"path": names, "broken_by": why.code})


def _is_of_circle(reader: TableIdentifier, why: Finding) -> bool:
    return why.code == "cycle" and str(reader) in why.details["cycle"]


def sharing(rows: Iterable[Row]) -> Iterator[Finding]:
    """One finding for each row that shares a file, or its incarnation, with another one.

    No two rows of this library do: a row that is registered gets a copy of the file. An engine that registers one of
    our files, and a restored copy of a database or a row, make such rows.
    """
    by_file: dict[str, list[Row]] = defaultdict(list)
    by_owner: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if is_iceberg_view(row) and (file := row.parameters.get(POINTER)):
            # Hadoop writes local URIs with one slash.
            by_file[file.replace("file:///", "file:/")].append(row)
            if owned := row.parameters.get(OWNS):
                by_owner[owned].append(row)
    for one in by_file.values():
        yield from _each_of("shared-file", one, "points to the same metadata file as")
    for one in by_owner.values():
        yield from _each_of("shared-ownership", one, "claims to own the same files as")


def _each_of(code: str, rows: Sequence[Row], relation: str) -> Iterator[Finding]:
    for row in rows if len(rows) > 1 else ():
        name, file = str(row.identifier), row.parameters[POINTER]
        others = [str(other.identifier) for other in rows if other is not row]
        problem = f"The row {relation} that of {', '.join(others)}."
        remedy = remedies.register(name, file)
        yield Finding(code, name, problem, remedy, {"location": file, "others": others})
