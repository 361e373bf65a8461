"""Hours, days, weeks, months and years in a time zone: when one that begins then is over."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from hive_views.errors import InvalidInputError
from hive_views.readiness.rule_expressions import shown


def zone_of(name: str) -> tzinfo:
    """The time zone of this name. InvalidInputError: there is none."""
    try:
        return timezone.utc if name == "UTC" else ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, TypeError, OSError) as error:
        raise InvalidInputError(f"There is no time zone {shown(name)}; give one such as 'Europe/Berlin'.") from error


def period_end(start: datetime, period: str) -> datetime:
    """When the year, month, week, day or shorter part that begins then is over.

    Days and longer ones end by the clock on the wall. Of two hours with one name, as summer time
    ends, the second counts.
    """
    start = start.replace(fold=0)
    if period == "year":
        return start.replace(year=start.year + 1)
    if period == "month":
        return start.replace(year=start.year + start.month // 12, month=start.month % 12 + 1)
    length = timedelta(**{f"{period}s": 1})
    if period in ("week", "day"):
        return start + length
    return start.replace(fold=1).astimezone(timezone.utc) + length
