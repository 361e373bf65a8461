"""Where the boxes of a graph go: in columns, each to the right of all that it reads.

A column is the longest way from something that reads nothing; within a column the order is that of the neighbours
(barycentres, a few times to and fro), which leaves few crossings.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

MOST_BOXES = 300
"""Boxes of one drawing; with more nobody finds a line in it."""

WIDTH, HEIGHT = 172, 38
_COLUMN, _ROW, _MARGIN = WIDTH + 52, HEIGHT + 12, 6
_SWEEPS = 6


@dataclass(frozen=True)
class Box:
    """A table or a view of the drawing, by its left upper corner."""

    name: str
    x: int
    y: int


@dataclass(frozen=True)
class Line:
    """From what is read to what reads it, by its ends."""

    x1: int
    y1: int
    x2: int
    y2: int

    @property
    def path(self) -> str:
        """An SVG path that leaves and arrives level; a line to the left, of a cycle, as well."""
        bend = max(abs(self.x2 - self.x1) // 2, 30)
        return f"M{self.x1} {self.y1}C{self.x1 + bend} {self.y1} {self.x2 - bend} {self.y2} {self.x2} {self.y2}"


@dataclass(frozen=True)
class Drawing:
    """One drawing.

    Attributes:
        title: the namespace, where a graph was too large to be drawn whole; else "".
        boxes: in their places; () where even the namespace has too many.
        lines: between them.
        width: of the whole.
        height: of the whole.
        size: how many boxes there are or would be.
    """

    title: str
    boxes: tuple[Box, ...]
    lines: tuple[Line, ...]
    width: int
    height: int
    size: int


def drawings_of(reads: Mapping[str, Collection[str]], namespace_of: Mapping[str, str]) -> list[Drawing]:
    """Drawings of all that reads or is read, the largest first.

    What hangs together is one drawing. Where that has more than ``MOST_BOXES``, it is one for each namespace, of its
    views and what they read.

    Args:
        reads: by name of a view, what it reads.
        namespace_of: by name of a view, its namespace.
    """
    return sorted(_drawings(reads, namespace_of), key=lambda one: (-one.size, one.title))


def _drawings(reads: Mapping[str, Collection[str]], namespace_of: Mapping[str, str]) -> Iterator[Drawing]:
    for names in _components(reads):
        if len(names) <= MOST_BOXES:
            yield _drawn("", {name: reads.get(name, ()) for name in names})
            continue
        by_namespace: dict[str, list[str]] = defaultdict(list)
        for name in names:
            if name in namespace_of:
                by_namespace[namespace_of[name]].append(name)
        for namespace, views in by_namespace.items():
            yield _drawn(namespace, {name: reads.get(name, ()) for name in views})


def _components(reads: Mapping[str, Collection[str]]) -> Iterator[list[str]]:
    """What hangs together, without what stands alone."""
    neighbours: dict[str, list[str]] = defaultdict(list)
    for view, read in reads.items():
        for name in read:
            neighbours[view].append(name)
            neighbours[name].append(view)
    seen: set[str] = set()
    for start in neighbours:
        if start in seen:
            continue
        seen.add(start)
        component = [start]
        for name in component:
            new = [one for one in neighbours[name] if one not in seen]
            seen.update(new)
            component += dict.fromkeys(new)
        yield component


def _drawn(title: str, reads: Mapping[str, Collection[str]]) -> Drawing:
    names = dict.fromkeys([*reads, *(name for read in reads.values() for name in read)])
    if len(names) > MOST_BOXES:
        return Drawing(title, (), (), 0, 0, len(names))
    columns = _in_order(_columns({name: reads.get(name, ()) for name in names}), reads)
    boxes = {
        name: Box(name, _MARGIN + at * _COLUMN, _MARGIN + row * _ROW)
        for at, column in enumerate(columns)
        for row, name in enumerate(column)
    }
    lines = [
        Line(boxes[name].x + WIDTH, boxes[name].y + HEIGHT // 2, boxes[view].x, boxes[view].y + HEIGHT // 2)
        for view, read in reads.items()
        for name in dict.fromkeys(read)
    ]
    width = len(columns) * _COLUMN - (_COLUMN - WIDTH) + 2 * _MARGIN
    height = max(map(len, columns)) * _ROW - (_ROW - HEIGHT) + 2 * _MARGIN
    return Drawing(title, tuple(boxes.values()), tuple(lines), width, height, len(boxes))


def _columns(reads: Mapping[str, Collection[str]]) -> list[list[str]]:
    """The names by the longest way from something that reads nothing; what closes a cycle is passed over."""
    depth: dict[str, int] = {}
    under_way: set[str] = set()
    # Not by recursion: a chain may be longer than Python's stack.
    stack = list(reads)
    while stack:
        name = stack[-1]
        if name in depth:
            stack.pop()
            continue
        open_ = [one for one in reads[name] if one not in depth and one not in under_way and one != name]
        if open_ and name not in under_way:
            under_way.add(name)
            stack += open_
            continue
        depth[name] = 1 + max((depth[one] for one in reads[name] if one in depth), default=-1)
        under_way.discard(name)
        stack.pop()
    columns: list[list[str]] = [[] for _ in range(max(depth.values()) + 1)]
    for name in sorted(depth):
        columns[depth[name]].append(name)
    return columns


def _in_order(columns: Sequence[list[str]], reads: Mapping[str, Collection[str]]) -> list[list[str]]:
    """Each column in the order of its neighbours in the columns before, then of those behind, a few times."""
    readers: dict[str, list[str]] = defaultdict(list)
    for view, read in reads.items():
        for name in read:
            readers[name].append(view)
    ordered = [list(column) for column in columns]
    for sweep in range(_SWEEPS):
        forward = sweep % 2 == 0
        neighbours: Mapping[str, Collection[str]] = reads if forward else readers
        place = {name: row / len(column) for column in ordered for row, name in enumerate(column)}
        for column in ordered if forward else reversed(ordered):
            place |= {name: _mean([place[one] for one in neighbours.get(name, ())], place[name]) for name in column}
            column.sort(key=lambda name: place[name])
            place |= {name: row / len(column) for row, name in enumerate(column)}
    return ordered


def _mean(values: Sequence[float], default: float) -> float:
    return sum(values) / len(values) if values else default
