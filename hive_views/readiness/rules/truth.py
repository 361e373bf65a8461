"""What is known of a rule: that it holds, that it does not, or neither."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum


class Truth(Enum):
    """``UNKNOWN`` blocks publication, whether the rule or its negation is asked for."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"

    def __invert__(self) -> Truth:
        return {Truth.YES: Truth.NO, Truth.NO: Truth.YES}.get(self, self)


def all_hold(truths: Iterable[Truth]) -> Truth:
    """NO if one is; YES if there are none."""
    found = set(truths)
    return next((truth for truth in (Truth.NO, Truth.UNKNOWN) if truth in found), Truth.YES)


def one_holds(truths: Iterable[Truth]) -> Truth:
    """YES if one is; NO if there are none."""
    return ~all_hold(~truth for truth in truths)


@dataclass(frozen=True)
class Judged:
    """What is known of a rule for one partition; ``reason``: why it does not hold, or is unknown."""

    truth: Truth
    reason: str = ""


HOLDS = Judged(Truth.YES)


def fails(reason: str) -> Judged:
    """The rule certainly does not hold."""
    return Judged(Truth.NO, reason)


def unknown(reason: str) -> Judged:
    """It is unknown whether it does."""
    return Judged(Truth.UNKNOWN, reason)
