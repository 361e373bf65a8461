"""Why a partition waits, in words for people.

What lives here: the wording of what is missing. What must not: finding out what is missing (coverage.py).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, tzinfo

_MOST = 12
_SERIES = re.compile(r"[-\d:. ]+")


def told_as_missing(where: str, sets: Sequence[tuple[str, Sequence[str]]], found: int) -> str:
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
        told = list(_runs(missing, sets[0][1]))
        start = f"{columns[0]} "
    else:
        told = ["/".join(f"{c}={v}" for c, v in zip(columns, combinations[n], strict=True)) for n in missing]
        start = ""
    more = f" and {len(told) - _MOST} more" if len(told) > _MOST else ""
    return f"{start}{', '.join(told[:_MOST])}{more}{of} {'is' if len(missing) == 1 else 'are'} missing"


def told_as_unmarked(where: str, partitions: Sequence[Mapping[str, str | None]], mark: str) -> str:
    """``hr=03, hr=17 of ds=2026-08-21 are not marked done (file _SUCCESS)``.

    Args:
        where: the partition they are a part of; "" for the whole table.
        partitions: in the columns in which they differ.
        mark: what was looked for.
    """
    told = sorted("/".join(f"{name}={value}" for name, value in one.items()) for one in partitions)
    told = [one for one in told if one]
    start = f"{', '.join(told[:_MOST])}{f' and {len(told) - _MOST} more' if len(told) > _MOST else ''}"
    what = " of ".join(part for part in (start, where) if part) or "the table"
    return f"{what} {'is' if len(told) < 2 else 'are'} not marked done ({mark})"


def told_moment(moment_ms: int, zone: tzinfo) -> str:
    """``2026-08-21 07:00:00 UTC``."""
    try:
        return datetime.fromtimestamp(moment_ms / 1000, zone).strftime("%Y-%m-%d %H:%M:%S %Z")
    except (ValueError, OverflowError, OSError):
        return f"{moment_ms} ms"


def _runs(missing: Sequence[int], texts: Sequence[str]) -> Iterator[str]:
    """The texts, where three or more numbers or dates in a row are written ``03..07``."""
    is_series = all(_SERIES.fullmatch(text) for text in texts)
    for _, group in itertools.groupby(enumerate(missing), key=lambda pair: pair[1] - pair[0]):
        run = [texts[number] for _, number in group]
        if is_series and len(run) > 2:
            yield f"{run[0]}..{run[-1]}"
        else:
            yield from run
