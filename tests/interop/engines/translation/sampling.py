"""Which of the cases a run asks engines about: each third, or all with ``TRANSLATIONS=all``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

_Case = TypeVar("_Case")


def some(cases: Sequence[_Case]) -> list[_Case]:
    """Each third case, from the first one on; all where the environment asks for them."""
    return list(cases) if os.environ.get("TRANSLATIONS") == "all" else list(cases[::3])
