"""A clock that tests put forward."""

from __future__ import annotations

import time


class Clock:
    """The time in milliseconds, which goes on by itself and can be put forward."""

    def __init__(self) -> None:
        self.ahead_ms = 0

    def __call__(self) -> int:
        return time.time_ns() // 1_000_000 + self.ahead_ms
