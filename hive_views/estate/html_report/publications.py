"""A publication as the page shows it: its state in one word, its calendar, what is late, and what waits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timezone

from hive_views.estate.html_report.publication_calendars import (
    DUE,
    LATE,
    PUBLISHED,
    READY,
    SKIPPED,
    WAITING,
    Calendar,
    calendar_of,
)
from hive_views.estate.html_report.shown_views import Some
from hive_views.messages.counted import counted
from hive_views.messages.credentials import hide_credentials
from hive_views.publishing.ledger.fencing import NO_APPLICATION
from hive_views.publishing.status import PublicationStatus
from hive_views.readiness.reasons import shown_timestamp

MOST_WAITING = 50

_STATES = ("failed", "late", "unfinished", "waiting", "ready", "current")
_UNITS_S = (("day", 86_400), ("hour", 3600), ("minute", 60))


@dataclass(frozen=True)
class Publication:
    """A publication, with its calendar if its partitions are days; what is late or waits is cut where it is much.

    Attributes:
        status: its progress.
        calendar: of its days.
        late: each partition that is late with the time since when, and for what it waits.
        waiting: each other partition that waits, and for what.
        last_published: when the last partition was declared, and how long ago that was; "" if that is not known.
    """

    status: PublicationStatus
    calendar: Calendar | None
    late: Some
    waiting: Some
    last_published: str

    @property
    def name(self) -> str:
        """The name, where it has one of its own."""
        return "" if self.status.publication == NO_APPLICATION else self.status.publication

    @property
    def state(self) -> str:
        """In one word."""
        return self.status.state

    @property
    def rank(self) -> int:
        """The worst has the lowest."""
        return _STATES.index(self.state)


def publication_of(status: PublicationStatus, now_ms: int) -> Publication:
    """A publication by its status at a time."""
    # Of a partition that is several of these, the last is shown.
    states = {
        **dict.fromkeys(status.published_names, PUBLISHED),
        **dict.fromkeys(status.skipped, SKIPPED),
        **dict.fromkeys(status.waiting, WAITING),
        **dict.fromkeys(status.due, DUE),
        **dict.fromkeys(status.ready, READY),
        **dict.fromkeys(status.late, LATE),
    }
    waiting = [(name, "; ".join(reasons)) for name, reasons in status.waiting.items() if name not in status.late]
    at_ms = status.last_published_at_ms
    return Publication(
        replace(status, error=status.error and hide_credentials(status.error)),
        calendar_of(states),
        Some.of(_late(status), MOST_WAITING),
        Some.of(waiting, MOST_WAITING),
        f"{time_ago((now_ms - at_ms) / 1000)}, {shown_timestamp(at_ms, timezone.utc)}" if at_ms else "",
    )


def _late(status: PublicationStatus) -> Iterator[tuple[str, str, str]]:
    for name, since_s in status.late.items():
        why = "; ".join(status.waiting.get(name, ()))
        if not why:
            why = "the next run publishes it" if name in status.ready else "unknown"
        yield name, shown_timestamp(since_s * 1000, timezone.utc), why


def time_ago(seconds: float) -> str:
    """How long ago something was, in its largest unit: ``3 days ago``."""
    for unit, length in _UNITS_S:
        if seconds >= length:
            return f"{counted(int(seconds // length), unit)} ago"
    return "just now"
