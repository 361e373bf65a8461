"""What of the views is shown whole, so that a page of thousands stays small enough to be opened."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import accumulate

from markupsafe import escape

from hive_views.estate.html_report.shown_views import Change, ShownView, Some

MOST_BYTES = 9_700_000
"""What a page takes, unless it is more without any long part; some of it is estimated."""

_LEAST = 200_000
_FEWEST_CHARACTERS = 60

# What the template writes around each.
_VIEW, _NAME, _COLUMN, _LINE, _CHANGE, _PROPERTY, _MORE = 550, 20, 4, 14, 240, 4, 60


def fitting(views: Iterable[ShownView], rest: int) -> tuple[list[ShownView], bool]:
    """The views with their long parts cut: where there is not enough room, the longest are cut, and to one length.

    Columns may take more than queries, these more than properties, and these more than the diffs of the history.

    Args:
        views: whole.
        rest: the bytes of the page without them.

    Returns:
        The views, and whether something of them was cut.
    """
    fitted = list(views)
    is_cut = False
    left = max(MOST_BYTES - rest - sum(map(_around, fitted)), _LEAST)
    for share, measure, cut in _PARTS:
        sizes = [measure(view) for view in fitted]
        most = _bound(sizes, int(left * share))
        fitted = [
            view if size <= most else cut(view, max(most - _MORE, 0)) for view, size in zip(fitted, sizes, strict=True)
        ]
        left -= sum(min(size, most) for size in sizes)
        is_cut |= max(sizes, default=0) > most
    return fitted, is_cut


def _around(view: ShownView) -> int:
    names = (*view.reads, *view.read_by.shown)
    texts = [view.location, view.comment, view.url or "", view.url or "", *view.dialects]
    texts += [text for one in view.problems for text in (one.what, one.effect, one.repair, one.code)]
    return _VIEW + sum(2 * len(name) + _NAME for name in names) + 2 * len(view.name) + sum(map(_size, texts))


def _bound(sizes: Iterable[int], room: int) -> int:
    """The largest bound for which the sizes, cut at it, sum to no more than the room."""
    ordered = sorted(sizes)
    for number, size in enumerate(ordered):
        share = room // (len(ordered) - number)
        if size > share:
            return share
        room -= size
    return ordered[-1] if ordered else 0


def _size(text: str) -> int:
    return len(escape(text).encode("utf-8", "backslashreplace"))


def _fit(sizes: Iterable[int], most: int) -> int:
    """How many of the first have room."""
    return bisect_right(list(accumulate(sizes)), most)


def _columns(view: ShownView) -> list[int]:
    return [_size(f"{one.name}{one.type}{one.comment or ''}") + _COLUMN for one in view.columns.shown]


def _properties(view: ShownView) -> list[int]:
    return [_size(key + value) + _PROPERTY for key, value in view.properties.shown]


def _texts(view: ShownView) -> int:
    return sum(_size(text.sql) for text in view.texts)


def _with_texts(view: ShownView, most: int) -> ShownView:
    texts = []
    for text in view.texts:
        size = _size(text.sql)
        # Escaped, a text is longer than it is. Of a few characters nobody learns anything.
        kept = min(most / size, 1) if most > _FEWEST_CHARACTERS and size else 0
        texts.append(text.first(int(len(text.sql) * kept)))
        most -= min(size, most)
    return replace(view, texts=tuple(texts))


def _lines(lines: Some) -> list[int]:
    return [_size(line) + _LINE for line in lines.shown]


def _history(view: ShownView) -> int:
    return sum(_CHANGE + sum(sum(_lines(lines)) for _, lines in change.parts) for change in view.history.shown)


def _with_history(view: ShownView, most: int) -> ShownView:
    changes: list[Change] = []
    for change in view.history.shown:
        if (most := most - _CHANGE) < 0:
            break
        parts = []
        for heading, lines in change.parts:
            sizes = _lines(lines)
            number = _fit(sizes, most)
            most -= sum(sizes[:number])
            parts.append((heading, lines.first(number)))
        changes.append(replace(change, parts=tuple(parts)))
    more = view.history.more + len(view.history.shown) - len(changes)
    return replace(view, history=Some(tuple(changes), more))


# Each with what it may take of what those before it have left.
_PARTS: Sequence[tuple[float, Callable[[ShownView], int], Callable[[ShownView, int], ShownView]]] = (
    (
        0.8,
        lambda view: sum(_columns(view)),
        lambda view, most: replace(view, columns=view.columns.first(_fit(_columns(view), most))),
    ),
    (0.8, _texts, _with_texts),
    (
        0.5,
        lambda view: sum(_properties(view)),
        lambda view, most: replace(view, properties=view.properties.first(_fit(_properties(view), most))),
    ),
    (1.0, _history, _with_history),
)
