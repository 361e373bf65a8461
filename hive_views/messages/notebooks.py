"""Errors in notebooks, where the caller's code called the library, and progress bars."""

from __future__ import annotations

import sys
import traceback
import warnings
from collections.abc import Iterable
from dataclasses import fields
from itertools import takewhile
from pathlib import Path
from typing import Any, TypeVar

from hive_views.messages.html import html_block, paragraph, table

_Item = TypeVar("_Item")

_LIBRARY = str(Path(__file__).parent.parent)
# What takes less time shows no bar.
_DELAY_S = 0.5
_WHOLE = "All frames: import traceback; traceback.print_last()"


def short_traceback(error: BaseException) -> list[str]:
    """The last line of the caller's code, the message, and how to see the whole traceback."""
    frames = traceback.extract_tb(error.__traceback__)
    # IPython's own frames, if any, come before those of the cell.
    *_, caller = (None, *takewhile(lambda frame: not frame.filename.startswith(_LIBRARY), frames))
    where = [f"line {caller.lineno} in {caller.name}: {caller.line}"] if caller else []
    return [*where, f"{type(error).__name__}: {error}", _WHOLE]


def error_block(error: Any) -> str:
    """What a notebook shows of an error of this library that is a value, as that of an outcome: its text and fields."""
    named = {one.name: getattr(error, one.name) for one in fields(error) if one.name != "message"}
    rows = [(name, value) for name, value in named.items() if isinstance(value, str) and value]
    return html_block(type(error).__name__, paragraph(str(error)), table(("field", "value"), rows))


def with_progress_bar(items: Iterable[_Item], total: int, unit: str) -> Iterable[_Item]:
    """The items, in a notebook that has tqdm with its progress bar, which disappears at the end.

    Args:
        items: what takes its time to come.
        total: how many there will be.
        unit: what one of them is called.
    """
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    # A shell on a terminal has no kernel; there, as in scripts, nothing is printed that nobody asked for.
    if not hasattr(shell, "kernel"):
        return items
    try:
        with warnings.catch_warnings():
            # tqdm's advice to install ipywidgets; its bar of text does without.
            warnings.simplefilter("ignore")
            from tqdm.auto import tqdm  # noqa: PLC0415 - optional
    except ImportError:
        return items
    bar: Iterable[_Item] = tqdm(items, total=total, unit=unit, leave=False, delay=_DELAY_S)
    return bar
