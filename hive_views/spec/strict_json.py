"""JSON from outside, read as the standard has it (RFC 8259), to a bounded depth.

Python's own reader takes NaN and Infinity, and 1e999 for the latter: no other engine reads what is written of them.
"""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from hive_views.spec.unpacking import TooLargeError


def read_json(content: bytes | str, *, max_depth: int = 200) -> Any:
    """
    Args:
        content: the document.
        max_depth: of brackets in brackets, three for a struct in a struct; some thousand end an interpreter, or a Java.

    Raises:
        TooLargeError: it is deeper.
        ValueError: it is not JSON.
    """
    too_deep = TooLargeError(f"it is nested deeper than {max_depth} levels")
    try:
        tree = json.loads(content, parse_constant=_refuse, parse_float=_finite)
    except RecursionError:
        raise too_deep from None
    level: list[object] = [tree]
    for _ in range(max_depth):
        inner = (each.values() if isinstance(each, dict) else each for each in level if isinstance(each, (dict, list)))
        level = [each for several in inner for each in several]
        if not level:
            return tree
    if any(isinstance(each, (dict, list)) for each in level):
        raise too_deep
    return tree


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"it has no {word}")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"the number {digits[:40]} is too large")
    return number
