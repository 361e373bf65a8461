"""Errors in notebooks: where the caller's code called the library, and the message."""

from __future__ import annotations

import traceback
from itertools import takewhile
from pathlib import Path

_LIBRARY = str(Path(__file__).parent.parent)
_WHOLE = "All frames: import traceback; traceback.print_last()"


def short_traceback(error: BaseException) -> list[str]:
    """The last line of the caller's code, the message, and how to see the whole traceback."""
    frames = traceback.extract_tb(error.__traceback__)
    # IPython's own frames, if any, come before those of the cell.
    *_, caller = (None, *takewhile(lambda frame: not frame.filename.startswith(_LIBRARY), frames))
    where = [f"line {caller.lineno} in {caller.name}: {caller.line}"] if caller else []
    return [*where, f"{type(error).__name__}: {error}", _WHOLE]
