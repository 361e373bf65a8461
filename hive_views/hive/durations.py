"""Durations as Hive's settings spell them, and as users do."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import timedelta

_DURATION = re.compile(r"(\d+)\s*([a-z]*)")
# HiveConf's units; a bare number is seconds for the settings that this library reads.
_UNITS_S = {
    "": 1,
    "ms": 0.001,
    "msec": 0.001,
    "s": 1,
    "sec": 1,
    "m": 60,
    "min": 60,
    "h": 3600,
    "hour": 3600,
    "d": 86400,
    "day": 86400,
}


def parse_duration_s(text: str) -> float | None:
    """The seconds of a duration (``300s``, ``5 min``, ``600``); None if it is not a duration."""
    found = _DURATION.fullmatch(text.strip().lower())
    unit = _UNITS_S.get(found[2]) if found else None
    return int(found[1]) * unit if found and unit else None


def read_duration(text: str) -> timedelta | None:
    """A duration that a user writes, which has a unit (``6h``, ``90 min``); None if it is none, or too long."""
    seconds = None if text.strip().isdecimal() else parse_duration_s(text)
    with suppress(OverflowError):
        return None if seconds is None else timedelta(seconds=seconds)
    return None


def duration_text(duration: timedelta) -> str:
    """A duration in the largest unit of which it is a whole number: ``1h``, ``90min``, ``30d``."""
    for unit, length in (("d", timedelta(days=1)), ("h", timedelta(hours=1)), ("min", timedelta(minutes=1))):
        if duration and not duration % length:
            return f"{duration // length}{unit}"
    return f"{duration.total_seconds():g}s"
