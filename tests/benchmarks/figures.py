"""One measured figure, and measuring two sides in turns."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple


class Unit(NamedTuple):
    """In what values are shown, and how many of it are 1."""

    name: str
    in_one: float


MILLISECONDS = Unit(" ms", 1000)
MEBIBYTES = Unit(" MiB", 2**-20)
PIECES = Unit("", 1)


@dataclass(frozen=True)
class Figure:
    """Values of our side and of the raw side, and the ratio (or, without a raw side, the value) to reach, if any.

    They are seconds, shown in milliseconds, unless another unit is given.
    """

    what: str
    ours: list[float]
    raw: list[float]
    to_reach: float | None
    unit: Unit = MILLISECONDS

    @property
    def reached(self) -> float:
        ours = statistics.median(self.ours)
        return ours / statistics.median(self.raw) if self.raw else ours

    @property
    def is_reached(self) -> bool:
        return self.to_reach is None or self.reached <= self.to_reach

    def cells(self) -> list[str]:
        cells = [self.what, self._spread(self.ours), self._spread(self.raw), self._compared(self.reached)]
        if self.to_reach is None:
            return [*cells, "-", ""]
        verdict = "[green]yes[/]" if self.is_reached else "[red]no[/]"
        return [*cells, f"<= {self._compared(self.to_reach)}", verdict]

    def _compared(self, value: float) -> str:
        return f"{value:.2f}x" if self.raw else f"{self._shown(value)}{self.unit.name}"

    def _spread(self, values: list[float]) -> str:
        if not values:
            return "-"
        lowest, median, high, highest = map(
            self._shown, (min(values), statistics.median(values), _high(values), max(values))
        )
        return f"{median}{self.unit.name} ({lowest} - {high} - {highest})"

    def _shown(self, value: float) -> str:
        return f"{value * self.unit.in_one:,.1f}".removesuffix(".0")


def _high(values: list[float]) -> float:
    """What 95 of 100 do not exceed."""
    return sorted(values)[math.ceil(len(values) * 0.95) - 1]


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
