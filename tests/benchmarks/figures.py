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
    """Seconds of our side and of the raw side, and the ratio (or, without a raw side, the seconds) to reach, if any."""

    what: str
    ours_s: list[float]
    raw_s: list[float]
    to_reach: float | None

    @property
    def reached(self) -> float:
        ours = statistics.median(self.ours_s)
        return ours / statistics.median(self.raw_s) if self.raw_s else ours

    @property
    def is_reached(self) -> bool:
        return self.to_reach is None or self.reached <= self.to_reach

    def cells(self) -> list[str]:
        unit = "x" if self.raw_s else " s"
        cells = [self.what, _spread(self.ours_s), _spread(self.raw_s), f"{self.reached:.2f}{unit}"]
        if self.to_reach is None:
            return [*cells, "-", ""]
        return [*cells, f"<= {self.to_reach:g}{unit}", "[green]yes[/]" if self.is_reached else "[red]no[/]"]


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
