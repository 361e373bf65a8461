"""One measured figure, and measuring two sides in turns.

What lives here: what every benchmark shares. What must not: what is measured.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """Seconds of our side and of the raw side, and the ratio (or, without a raw side, the seconds) to reach."""

    what: str
    ours_s: list[float]
    raw_s: list[float]
    to_reach: float

    @property
    def reached(self) -> float:
        ours = statistics.median(self.ours_s)
        return ours / statistics.median(self.raw_s) if self.raw_s else ours

    def cells(self) -> list[str]:
        unit = "x" if self.raw_s else " s"
        verdict = "[green]yes[/]" if self.reached <= self.to_reach else "[red]no[/]"
        told = f"{self.reached:.2f}{unit}"
        return [self.what, _spread(self.ours_s), _spread(self.raw_s), told, f"<= {self.to_reach:g}{unit}", verdict]


def _spread(seconds: list[float]) -> str:
    if not seconds:
        return "-"
    return f"{statistics.median(seconds) * 1000:.1f} ms ({min(seconds) * 1000:.1f} - {max(seconds) * 1000:.1f})"


def in_turns(
    rounds: int, ours: Callable[[int], object], raw: Callable[[int], object]
) -> tuple[list[float], list[float]]:
    """Seconds of each side, after one uncounted turn of both."""
    sides: tuple[list[float], list[float]] = ([], [])
    for turn in range(rounds + 1):
        for side, action in zip(sides, (ours, raw), strict=True):
            started = time.perf_counter()
            action(turn)
            if turn:
                side.append(time.perf_counter() - started)
    return sides
