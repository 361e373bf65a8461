"""Which of the cases a run asks engines about: each sixth, or fifth, or all with ``TRANSLATIONS=all``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

_Case = TypeVar("_Case")


def some(cases: Sequence[_Case]) -> list[_Case]:
    """Each sixth case, from the first one on; all where the environment asks for them."""
    return list(cases) if are_all_asked() else list(cases[::6])


def fifths() -> Sequence[int]:
    """Of what is asked in five tests, the numbers of those that a run has: the first, or all."""
    return range(5) if are_all_asked() else (0,)


def are_all_asked() -> bool:
    """Whether the environment asks for all."""
    return os.environ.get("TRANSLATIONS") == "all"
