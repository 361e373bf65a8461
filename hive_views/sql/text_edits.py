"""Edits of a text in place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Edit(NamedTuple):
    """What replaces the characters from ``start`` to ``end`` (exclusive) of a text."""

    start: int
    end: int
    replacement: str


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text with all the edits, whose offsets are those before any edit; they must not overlap."""
    pieces, done = [], 0
    for start, end, replacement in sorted(edits, key=_start):
        pieces += [text[done:start], replacement]
        done = end
    return "".join([*pieces, text[done:]])


def place_before(edits: Iterable[Edit], position: int) -> int:
    """The position in the original text of what is at this position of the edited one; of inserted text, its edit's."""
    shift = 0
    for start, end, replacement in sorted(edits, key=_start):
        if position < start + shift:
            break
        if position < start + shift + len(replacement):
            return start
        shift += len(replacement) - (end - start)
    return position - shift


def _start(edit: Edit) -> int:
    # The order of several insertions at one place is that in which they are given.
    return edit.start
