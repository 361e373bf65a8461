"""A publication as the page shows it: its state in one word, its calendar, and what it waits for."""

from __future__ import annotations

from dataclasses import dataclass

from hive_views.estate.html_report.publication_calendars import PUBLISHED, READY, WAITING, Calendar, calendar_of
from hive_views.estate.html_report.shown_views import Some
from hive_views.messages.counted import counted
from hive_views.publishing.ledger.fencing import NO_APPLICATION
from hive_views.publishing.status import PublicationStatus

MOST_WAITING = 50

_STATES = ("failed", "unfinished", "waiting", "ready", "current")
_UNITS_S = (("day", 86_400), ("hour", 3600), ("minute", 60))


@dataclass(frozen=True)
class Publication:
    """A publication, with its calendar if its partitions are days; what waits is cut where it is much."""

    status: PublicationStatus
    calendar: Calendar | None
    waiting: Some

    @property
    def name(self) -> str:
        """The name, where it has one of its own."""
        return "" if self.status.publication == NO_APPLICATION else self.status.publication

    @property
    def state(self) -> str:
        """In one word."""
        if self.status.error:
            return "failed"
        if self.status.unfinished_run is not None:
            return "unfinished"
        if self.status.ready:
            return "ready"
        return "waiting" if self.status.waiting else "current"

    @property
    def rank(self) -> int:
        """The worst has the lowest."""
        return _STATES.index(self.state)


def publication_of(status: PublicationStatus, now_ms: int) -> Publication:
    """A publication by its status."""
    states = {
        **dict.fromkeys(status.published_names, PUBLISHED),
        **dict.fromkeys(status.ready, READY),
        **dict.fromkeys(status.waiting, WAITING),
    }
    return Publication(status, calendar_of(states), Some.of(status.waiting.items(), MOST_WAITING))


def time_ago(seconds: float) -> str:
    """How long ago something was, in its largest unit: ``3 days ago``."""
    for unit, length in _UNITS_S:
        if seconds >= length:
            return f"{counted(int(seconds // length), unit)} ago"
    return "just now"
