"""Numbers with the noun that they count."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """A number and its noun, as in ``1 view`` and ``3,000 views``.

    Args:
        number: how many there are.
        noun: for one of them; it has a regular plural.
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
