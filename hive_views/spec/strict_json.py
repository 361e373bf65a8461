"""JSON of others, read as the standard has it (RFC 8259), and no deeper than it may be.

Python's own reader takes NaN and Infinity, and 1e999 for the latter: no other engine reads what is written of them.
"""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from hive_views.spec.unpacking import TooLargeError

# Three levels for a struct in a struct.
_MOST_LEVELS = 200


def parse_json(content: bytes | str, *, max_depth: int) -> Any:
    """
    Args:
        content: the document.
        max_depth: of brackets in brackets; some thousand end an interpreter, or a Java.

    Raises:
        TooLargeError: it is deeper.
        ValueError: it is not JSON.
    """
    try:
        tree = json.loads(content, parse_constant=_refuse, parse_float=_finite)
    except RecursionError:
        raise _too_deep(max_depth) from None
    level: list[object] = [tree]
    for _ in range(max_depth):
        inner = (each.values() if isinstance(each, dict) else each for each in level if isinstance(each, (dict, list)))
        level = [each for several in inner for each in several]
        if not level:
            return tree
    if any(isinstance(each, (dict, list)) for each in level):
        raise _too_deep(max_depth)
    return tree


def read_json(content: bytes | str) -> Any:
    """A small document that a file or a row of others has, as deep as any that this library writes.

    Raises:
        ValueError: it is not JSON, or deeper.
    """
    return parse_json(content, max_depth=_MOST_LEVELS)


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"it has no {word}")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"the number {digits[:40]} is too large")
    return number


def _too_deep(max_depth: int) -> TooLargeError:
    return TooLargeError(f"it is nested deeper than {max_depth} levels")
