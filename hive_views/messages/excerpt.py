"""The position of an error in a text, as shown to people."""

from __future__ import annotations

import unicodedata

_WIDTH = 100


def place_of(text: str, offset: int) -> tuple[int, int]:
    """Line and column of an offset, both from 1."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def offset_of(text: str, line: int, column: int) -> int:
    """That of a line and column, both from 1; at most that of the end."""
    before = text.split("\n")[: line - 1]
    return min(sum(len(one) + 1 for one in before) + column - 1, len(text))


def excerpt_at(text: str, line: int, column: int) -> str:
    """The line of a text and, below it, a caret.

    Of a long line only the part near the position is shown. Tabs and wide characters are taken into account, so that
    the caret is in the right column on a terminal.

    Args:
        text: the whole text.
        line: of the position, from 1.
        column: of the position, from 1.
    """
    shown = text.split("\n")[line - 1].rstrip("\r")
    at = column - 1
    first = max(0, at - _WIDTH * 3 // 4)
    before, behind = shown[first:at], shown[at : first + _WIDTH]
    head = "..." if first else ""
    tail = "..." if len(shown) > first + _WIDTH else ""
    below = "".join(_blank(character) for character in before)
    return f"{head}{_printable(before + behind)}{tail}\n{' ' * len(head)}{below}^"


def _blank(character: str) -> str:
    if character == "\t":
        return "\t"
    # Not all marks that take no place of their own are "combining": emoji's variation selectors are not.
    if unicodedata.category(character) in ("Mn", "Me"):
        return ""
    return "  " if unicodedata.east_asian_width(character) in "WF" else " "


def _printable(text: str) -> str:
    """Control characters could move the cursor of the terminal they are printed on."""
    return "".join(character if character == "\t" or character.isprintable() else "\ufffd" for character in text)
