"""Views that nobody can read because a view that they read is broken."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping

from hive_views.estate.checks.circular_views import Reads
from hive_views.estate.checks.findings import Finding
from hive_views.spec.identifiers import TableIdentifier


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
