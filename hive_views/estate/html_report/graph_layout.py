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
MOST_TOGETHER = 200
"""Views of all drawings that are drawn by what hangs together; more are drawn by namespace."""

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
    """From what is read to what reads it, by its ends; ``breaks`` if a reader fails on what it reads there."""

    x1: int
    y1: int
    x2: int
    y2: int
    breaks: bool = False

    @property
    def path(self) -> str:
        """An SVG path that leaves and arrives level; a line to the left, of a cycle, as well."""
        bend = max(abs(self.x2 - self.x1) // 2, 30)
        return f"M{self.x1} {self.y1}C{self.x1 + bend} {self.y1} {self.x2 - bend} {self.y2} {self.x2} {self.y2}"


@dataclass(frozen=True)
class Drawing:
    """One drawing.

    Attributes:
        title: the namespace, where drawings are by namespace; else "".
        boxes: in their places; () where there are too many.
        lines: between them.
        width: of the whole.
        height: of the whole.
        size: how many boxes there are or would be.
        partial: whether only what is broken, and what reads it, was few enough to be drawn.
    """

    title: str
    boxes: tuple[Box, ...]
    lines: tuple[Line, ...]
    width: int
    height: int
    size: int
    partial: bool = False

    def path(self, *, breaks: bool) -> str:
        """All lines of one kind, as an SVG path."""
        return "".join(line.path for line in self.lines if line.breaks == breaks)


def drawings_of(reads: Mapping[str, Collection[str]], breaking: Collection[str] = ()) -> list[Drawing]:
    """Drawings of all that reads or is read.

    What hangs together is one drawing, the largest first. Of hundreds of views there is one drawing for each namespace,
    of its views and the views that they read, without tables. Where it would have more than ``MOST_BOXES``, it has only
    what is broken.

    Args:
        reads: by name of a view, what it reads.
        breaking: what is broken, and what reads it: the views that their readers fail on.
    """
    reading = {view: read for view, read in reads.items() if read}
    components = list(_components(reading))
    if len(reading) <= MOST_TOGETHER and all(len(names) <= MOST_BOXES for names in components):
        drawings = [_drawn("", {name: reads.get(name, ()) for name in names}, breaking) for names in components]
        return sorted(drawings, key=lambda one: -one.size)
    by_namespace: dict[str, dict[str, Collection[str]]] = defaultdict(dict)
    for view, read in reading.items():
        if views := [name for name in read if name in reads]:
            by_namespace[view.partition(".")[0]][view] = views
    return [_drawn(namespace, of_it, breaking) for namespace, of_it in sorted(by_namespace.items())]


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


def _drawn(title: str, reads: Mapping[str, Collection[str]], breaking: Collection[str]) -> Drawing:
    names = _names(reads)
    size, partial = len(names), len(names) > MOST_BOXES
    if partial:
        read = {view: [one for one in read if one in breaking] for view, read in reads.items() if view in breaking}
        reads, names = read, _names(read)
        if not names or len(names) > MOST_BOXES:
            return Drawing(title, (), (), 0, 0, size)
    columns = _in_order(_columns({name: reads.get(name, ()) for name in names}), reads)
    boxes = {
        name: Box(name, _MARGIN + at * _COLUMN, _MARGIN + row * _ROW)
        for at, column in enumerate(columns)
        for row, name in enumerate(column)
    }
    lines = [
        Line(
            boxes[name].x + WIDTH,
            boxes[name].y + HEIGHT // 2,
            boxes[view].x,
            boxes[view].y + HEIGHT // 2,
            name in breaking,
        )
        for view, read in reads.items()
        for name in dict.fromkeys(read)
    ]
    width = len(columns) * _COLUMN - (_COLUMN - WIDTH) + 2 * _MARGIN
    height = max(map(len, columns)) * _ROW - (_ROW - HEIGHT) + 2 * _MARGIN
    return Drawing(title, tuple(boxes.values()), tuple(lines), width, height, size, partial)


def _names(reads: Mapping[str, Collection[str]]) -> dict[str, None]:
    return dict.fromkeys([*reads, *(name for read in reads.values() for name in read)])


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
