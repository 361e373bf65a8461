"""Cases as lines of a text."""

from __future__ import annotations


def case_lines(text: str) -> tuple[str, ...]:
    """One case a line; three blanks or more are between cases of one line."""
    return tuple(case for line in text.splitlines() for case in map(str.strip, line.split("   ")) if case)
