"""The partitions of a view that are expected by now: since when each is late, and which are known to be empty."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone

from hive_views.hive.row import Column
from hive_views.publishing.scope import Scope, named, values_of
from hive_views.readiness.expectation import Expectation
from hive_views.readiness.expected_columns import ExpectedColumns
from hive_views.readiness.matching.links import Candidate
from hive_views.readiness.periods import period_end, zone_of
from hive_views.views.partitions.view_partitions import Spec, ViewPartitions


@dataclass(frozen=True)
class ExpectedPartitions:
    """What a publication is expected to have declared by now.

    Attributes:
        candidates: the values, by name and ascending; without those that are known to be empty.
        late_since_s: by name, from when on it is late, in seconds since 1970; those that name no time are never late.
        skipped: the names of those that are due and known to be empty.
        now_s: when that was found.
    """

    candidates: Mapping[str, Candidate] = field(default_factory=dict)
    late_since_s: Mapping[str, int] = field(default_factory=dict)
    skipped: tuple[str, ...] = ()
    now_s: float = 0.0

    def written(self, keys: Sequence[Column]) -> dict[str, Spec]:
        """The last one by column, if there is one, to be compared with how others are spelled."""
        if not self.candidates:
            return {}
        *_, last = self.candidates.values()
        return {"the expected partition": {key.name: text for key, text in zip(keys, last, strict=True)}}

    def late(self, declared: Collection[str]) -> dict[str, int]:
        """Those that are late, and since when, given what is declared."""
        return {
            name: since for name, since in self.late_since_s.items() if since <= self.now_s and name not in declared
        }

    def due(self, declared: Collection[str]) -> tuple[str, ...]:
        """Those that are neither declared nor late."""
        late = self.late(declared)
        return tuple(name for name in self.candidates if name not in declared and name not in late)


NOTHING = ExpectedPartitions()


def expected_partitions(
    expectation: Expectation | None,
    keys: Sequence[Column],
    scope: Scope,
    declared: Iterable[Candidate],
    now_s: float,
) -> ExpectedPartitions:
    """The partitions that are due at a time.

    They begin with ``since``; without it, with the first partition that is declared; without any, with the last that is
    due. Nothing is expected of a run whose candidates are given.

    Args:
        expectation: of the publication; None: it expects nothing.
        keys: the partition columns of the view.
        scope: the partitions that the publication looks at.
        declared: the values of those that are declared within it.
        now_s: the time, in seconds since 1970.

    Raises:
        InvalidInputError: the expectation does not fit the partition columns. InvalidPartitionError: one of its values,
            or a bound, is none of its column.
    """
    if expectation is None or scope.candidates is not None:
        return NOTHING
    columns = ExpectedColumns(expectation, keys)
    now = datetime.fromtimestamp(now_s, timezone.utc)
    ends = _ends(expectation, columns, scope, declared, now)
    candidates: dict[str, Candidate] = {}
    late_since_s: dict[str, int] = {}
    skipped = []
    for name, candidate in named(scope.within_bounds(ends, keys), keys).items():
        end = ends[candidate]
        if columns.is_known_empty(candidate):
            skipped.append(name)
            continue
        candidates[name] = candidate
        if end is not None:
            late_since_s[name] = int((end + expectation.late_after).timestamp())
    return ExpectedPartitions(candidates, late_since_s, tuple(skipped), now_s)


def expected_by(
    expectation: Expectation | None, partitions: ViewPartitions, declared: Iterable[str], scope: Scope, now_ms: int
) -> ExpectedPartitions:
    """As ``expected_partitions``, given the partitions of a view, the names of those that are declared, and a time."""
    if expectation is None:
        return NOTHING
    return expected_partitions(expectation, partitions.keys, scope, values_of(partitions, declared), now_ms / 1000)


def _ends(
    expectation: Expectation, columns: ExpectedColumns, scope: Scope, declared: Iterable[Candidate], now: datetime
) -> dict[Candidate, datetime | None]:
    """When the time of each partition has ended; None: it names none. Those that have not ended are left out."""
    zone = zone_of(expectation.time_zone)

    def end(start: datetime | None) -> datetime | None:
        return start and period_end(start.replace(tzinfo=zone), columns.period).astimezone(timezone.utc)

    if not isinstance(expectation.every, str):
        found = {candidate: end(columns.read(candidate)) for candidate in columns.write(None)}
        return {candidate: one for candidate, one in found.items() if one is None or one <= now}
    earliest = columns.earliest(scope.since, declared)
    first = earliest.replace(tzinfo=zone) if earliest else now.astimezone(zone) - columns.longest
    starts = dict.fromkeys(map(columns.beginning, expectation.starts(first, now.astimezone(zone))))
    due = [(start, one) for start in starts if (one := end(start)) is not None and one <= now]
    return {candidate: one for start, one in (due if earliest else due[-1:]) for candidate in columns.write(start)}
