"""What the commits of a table say: properties that a writer has given to one of them, and its watermark."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone, tzinfo

from hive_views.base_tables.port import PartitionListing
from hive_views.errors import InvalidInputError
from hive_views.hive.row import Column
from hive_views.readiness.conditions import (
    ColumnCondition,
    Timestamp,
    ValuesOf,
    ViewColumn,
    checked_format,
    checked_table,
    conditions_of,
)
from hive_views.readiness.coverage import Coverage
from hive_views.readiness.matching.links import Candidate
from hive_views.readiness.matching.timestamps import TimestampOfView
from hive_views.readiness.observations import DetailRequest, Need, Observations
from hive_views.readiness.patterns import PARTS
from hive_views.readiness.periods import period_end, zone_of
from hive_views.readiness.reasons import shown_timestamp
from hive_views.readiness.rule_expressions import call_text, shown
from hive_views.readiness.rules.composition import Rule, TableRule
from hive_views.readiness.rules.truth import HOLDS, Judged, fails, unknown


@dataclass(frozen=True, eq=False, repr=False)
class Committed(TableRule):
    """Made by ``committed_with``."""

    table: str
    format: str | None
    names: tuple[str, ...]
    conditions: Mapping[str, ColumnCondition]

    def written(self) -> str:
        properties = {name: self.conditions[name.lower()] for name in self.names}
        return call_text("committed_with", self.table, properties, format=self.format)

    @property
    def is_costly(self) -> bool:
        return True

    @property
    def needs(self) -> Need:
        return "commits"

    def request_details(self, candidates: Sequence[Candidate], observed: Observations, request: DetailRequest) -> None:  # noqa: ARG002
        if candidates:
            request.commits.add(self.table)

    def judge(self, observed: Observations) -> Callable[[Candidate], Judged]:
        coverage = self._cover(observed)
        commits = observed.details.commits.get(self.table, ())
        # Expired commits may have had them.
        knows_all = commits[-1].is_first if commits else observed.listings[self.table].snapshot is None

        def judged(candidate: Candidate) -> Judged:
            missing = coverage.missing(candidate)
            if missing is None:
                return HOLDS
            if knows_all:
                return fails(f"{missing} among its commits")
            return unknown(f"{missing} among its commits, some of which may have expired")

        return judged

    def held(self, candidate: Candidate, observed: Observations) -> str:
        coverage = self._cover(observed)
        return f"{coverage.table}: there is a commit with {coverage.where(candidate)}"

    def _cover(self, observed: Observations) -> Coverage:
        """Commits are to their properties what partitions are to their columns."""
        listing = observed.listings[self.table]
        commits = observed.details.commits.get(self.table, ())
        values = [tuple([commit.properties.get(name) for name in self.names]) for commit in commits]
        columns = tuple(Column(name, "string") for name in self.names)
        as_partitions = PartitionListing(listing.table, listing.format, columns, values, listing.snapshot)
        return Coverage(self.conditions, as_partitions, observed.keys)


@dataclass(frozen=True, eq=False, repr=False)
class Watermark(TableRule):
    """Made by ``watermark_passed``."""

    table: str
    format: str | None
    timestamp: Timestamp
    delay: timedelta
    zone: tzinfo

    def written(self) -> str:
        timestamp = self.timestamp.column if self.timestamp == Timestamp(self.timestamp.column) else self.timestamp
        delay_s = self.delay.total_seconds()
        return call_text(
            "watermark_passed",
            self.table,
            timestamp,
            delay_seconds=(int(delay_s) if delay_s.is_integer() else delay_s) or None,
            time_zone=None if self.zone == timezone.utc else str(self.zone),
            format=self.format,
        )

    @property
    def needs(self) -> Need:
        return "snapshot"

    def judge(self, observed: Observations) -> Callable[[Candidate], Judged]:
        listing = observed.listings[self.table]
        table = f"{listing.table} at snapshot {listing.snapshot.id}" if listing.snapshot else listing.table
        reached_ms = listing.snapshot.watermark_ms if listing.snapshot else None
        end_of = self._end_of(observed)

        def judged(candidate: Candidate) -> Judged:
            end = end_of(candidate)
            if end is None:
                return unknown(f"{table}: {'/'.join(candidate)} is not a time that a watermark could pass")
            if reached_ms is None:
                return unknown(f"{table}: it has no watermark")
            if reached_ms >= _ms(end):
                return HOLDS
            return fails(
                f"{table}: the watermark {shown_timestamp(reached_ms, self.zone)} is before "
                f"{shown_timestamp(_ms(end), self.zone)}"
            )

        return judged

    def held(self, candidate: Candidate, observed: Observations) -> str:
        end = self._end_of(observed)(candidate)
        assert end is not None
        return f"{observed.listings[self.table].table}: the watermark has passed {shown_timestamp(_ms(end), self.zone)}"

    def _end_of(self, observed: Observations) -> Callable[[Candidate], datetime | None]:
        """Until when the data of a partition come, with the delay."""
        timestamp = TimestampOfView(f"the watermark of {self.table}", self.timestamp, observed.keys)
        length = timestamp.length()
        missing = [part for part in PARTS[: PARTS.index(length)] if part not in timestamp.given]
        if missing:
            raise InvalidInputError(
                f"{timestamp.columns()} of the view has no {missing[0]}, so no watermark of {self.table} can pass it.",
                table=self.table,
            )

        def end_of(candidate: Candidate) -> datetime | None:
            parts = timestamp.parts(candidate)
            if parts is None:
                return None
            try:
                start = datetime(**{"month": 1, "day": 1, **parts}, tzinfo=self.zone)
                # By the clock on the wall, but not for the delay.
                return period_end(start, length).astimezone(timezone.utc) + self.delay
            except (ValueError, OverflowError):
                return None

        return end_of


def committed_with(
    table: str,
    properties: Mapping[str, object],
    /,
    *,
    format: str | None = None,  # noqa: A002 - the word of the base tables
) -> Rule:
    """A commit of the table must have these properties: ``committed_with("web.clicks", {"ds": column("ds")})``.

    Properties are what its writer said about the commit: Delta's user metadata (``userMetadata``; where it is a JSON
    object, its keys) and transactions (``txn.<app-id>``), Iceberg's snapshot summary, Paimon's properties. One commit
    must have all of them; of a list of values each must have been committed. Expired commits do not
    count; they may have had any properties, so ``negate`` of this waits once the first commit of the table has expired.

    Args:
        table: ``namespace.name``, or a location.
        properties: by name; values as the columns' in ``requires``, compared as texts.
        format: the format that the table must have.

    Raises:
        InvalidInputError: the name of the table or the format is invalid, or there is no property or value.
    """
    if not isinstance(properties, Mapping) or not properties:
        raise InvalidInputError(
            f"committed_with({shown(table)}) takes properties, as in {{'ds': column('ds')}}, not {shown(properties)}.",
            table=table,
        )
    conditions = conditions_of(table, properties, {})
    if any(isinstance(one, ValuesOf) for one in conditions.values()):
        raise InvalidInputError(f"committed_with({shown(table)}) does not take values_of().", table=table)
    return Committed(checked_table(table), checked_format(table, format), tuple(properties), conditions)


def watermark_passed(
    table: str,
    timestamp: ViewColumn | Timestamp,
    /,
    *,
    delay_seconds: float = 0,
    time_zone: str = "UTC",
    format: str | None = None,  # noqa: A002 - the word of the base tables
) -> Rule:
    """The watermark of the table must have passed the end of the partition's time.

    The watermark is what the table's writer has recorded with the snapshot (Paimon). A partition's time is as long as
    the shortest part that its columns have: the day ``column("ds")``, the hour ``timestamp(column("ds"),
    hour=column("hr"))``, the month ``column("m").parsed("yyyy-MM")``.

    Args:
        table: ``namespace.name``, or a location.
        timestamp: which columns of the view have the time.
        delay_seconds: how much later the watermark must be.
        time_zone: the one in which the partitions' days and hours are.
        format: the format that the table must have.

    Raises:
        InvalidInputError: the name of the table, the format or the time zone is invalid, ``timestamp`` is no timestamp
            or expects several values, or the delay is below 0.
    """
    time = Timestamp(timestamp) if isinstance(timestamp, ViewColumn) else timestamp
    if not isinstance(time, Timestamp) or time.expected or time.shown is not None:
        raise InvalidInputError(
            f"watermark_passed({shown(table)}) takes column('...') or timestamp(...) of the view, with one column for "
            f"each part and not formatted; not {shown(timestamp)}.",
            table=table,
        )
    if isinstance(delay_seconds, bool) or not isinstance(delay_seconds, (int, float)) or not 0 <= delay_seconds < 1e9:
        raise InvalidInputError(
            f"watermark_passed({shown(table)}): delay_seconds must be 0 or more, not {shown(delay_seconds)}.",
            table=table,
        )
    delay = timedelta(seconds=delay_seconds)
    return Watermark(checked_table(table), checked_format(table, format), time, delay, zone_of(time_zone))


def _ms(timestamp: datetime) -> int:
    return round(timestamp.timestamp() * 1000)
