"""Why a partition waits, in words for people."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta, tzinfo

from hive_views.messages.enumerated import first_of

_MOST = 12
_NUMBER = re.compile(r"-?[0-9]{1,18}")


def missing_text(where: str, sets: Sequence[tuple[str, Sequence[str]]], found: int) -> str:
    """``hr 03, 17 of ds=2026-08-21 are missing``.

    Args:
        where: the partition they are a part of; "" for the whole table.
        sets: column and expected values in ascending order; () when the partition as a whole is asked for.
        found: a bit for each combination of the expected values, the last column's varying fastest; set: it is there.
    """
    if not sets:
        return f"{where} is missing" if where else "there is no partition"
    of = f" of {where}" if where else ""
    columns = [column for column, _ in sets]
    combinations = list(itertools.product(*(texts for _, texts in sets)))
    if not found:
        return f"all {len(combinations)} {'/'.join(columns)}{of} are missing"
    missing = [number for number in range(len(combinations)) if not found >> number & 1]
    if len(columns) == 1:
        parts = list(_runs(missing, sets[0][1]))
        start = f"{columns[0]} "
    else:
        parts = ["/".join(f"{c}={v}" for c, v in zip(columns, combinations[n], strict=True)) for n in missing]
        start = ""
    return f"{start}{first_of(parts, _MOST)}{of} {'is' if len(missing) == 1 else 'are'} missing"


def unmarked_text(where: str, partitions: Sequence[Mapping[str, str | None]], mark: str) -> str:
    """``hr=03, hr=17 of ds=2026-08-21 are not marked done (file _SUCCESS)``: partitions in the columns in which they
    differ.
    """
    parts = sorted("/".join(f"{name}={value}" for name, value in one.items()) for one in partitions)
    parts = [one for one in parts if one]
    what = " of ".join(part for part in (first_of(parts, _MOST), where) if part) or "the table"
    return f"{what} {'is' if len(parts) < 2 else 'are'} not marked done ({mark})"


def shown_timestamp(timestamp_ms: int, zone: tzinfo) -> str:
    """``2026-08-21 07:00:00 UTC``; the number itself if it is out of range, as others may have written it."""
    try:
        return datetime.fromtimestamp(timestamp_ms / 1000, zone).strftime("%Y-%m-%d %H:%M:%S %Z")
    except (ValueError, OverflowError, OSError):
        return f"{timestamp_ms} ms since 1970 (no date)"


def _runs(missing: Sequence[int], texts: Sequence[str]) -> Iterator[str]:
    """The texts, where three or more that follow one another are written ``03..07``: each between was asked for."""
    run: list[str] = []
    for text in (texts[number] for number in missing):
        if run and not _follows(run[-1], text):
            yield from _run_text(run)
            run = []
        run.append(text)
    yield from _run_text(run)


def _run_text(run: Sequence[str]) -> Sequence[str]:
    return [f"{run[0]}..{run[-1]}"] if len(run) > 2 else run


def _follows(text: str, next_: str) -> bool:
    """Whether nothing could be between the two: the next number, the next day."""
    if _NUMBER.fullmatch(text) and _NUMBER.fullmatch(next_):
        return int(next_) == int(text) + 1
    try:
        return date.fromisoformat(next_) == date.fromisoformat(text) + timedelta(days=1)
    except (ValueError, OverflowError):
        return False
