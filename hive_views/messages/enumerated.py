"""Lists within a sentence."""

from __future__ import annotations

from collections.abc import Sequence


def first_of(parts: Sequence[str], most: int) -> str:
    """The first of some parts, and how many more there are: ``a, b and 1,234 more``."""
    more = f" and {len(parts) - most:,} more" if len(parts) > most else ""
    return f"{', '.join(parts[:most])}{more}"


def all_of(parts: Sequence[str]) -> str:
    """All parts, at least one: ``a``, ``a and b``, ``a, b and c``."""
    *others, last = parts
    return f"{', '.join(others)} and {last}" if others else last
