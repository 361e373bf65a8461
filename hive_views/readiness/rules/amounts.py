"""How much data there must be, and for how long no new data may have arrived."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from hive_views.base_tables.port import PartitionChange, Statistics
from hive_views.errors import InvalidInputError
from hive_views.readiness.matching.links import Candidate
from hive_views.readiness.observations import DetailRequest, Need, Observations
from hive_views.readiness.rule_expressions import shown
from hive_views.readiness.rules.composition import Rule
from hive_views.readiness.rules.requirements import Requirement, described
from hive_views.readiness.rules.truth import HOLDS, Judged, Truth, fails, unknown

_AMOUNTS = ("records", "files", "bytes")
_MAX_SECONDS = 1_000_000_000_000


class _ByStatistics(Requirement):
    """Partitions that must be there, and whose statistics together must say something."""

    @property
    def is_costly(self) -> bool:
        return True

    @property
    def needs(self) -> Need:
        return "statistics"

    def request_details(self, candidates: Sequence[Candidate], observed: Observations, request: DetailRequest) -> None:
        if observed.listings[self.table].statistics is None:
            coverage = observed.coverages[self]
            for candidate in candidates:
                if coverage.missing(candidate) is None:
                    request.add_statistics(self.table, coverage.partitions(candidate))

    def judge(self, observed: Observations) -> Callable[[Candidate], Judged]:
        are_there = super().judge(observed)
        coverage = observed.coverages[self]
        statistics_of = self._statistics(observed)

        def judged(candidate: Candidate) -> Judged:
            there = are_there(candidate)
            if there.truth is not Truth.YES:
                return there
            found = self.judge_amount(statistics_of(candidate), observed.listed_at_ms)
            if found.truth is Truth.YES:
                return found
            where = coverage.where(candidate)
            of = f" of {where}" if where else ""
            return replace(found, reason=f"{coverage.table}: {found.reason.format(of=of)}")

        return judged

    @abstractmethod
    def judge_amount(self, statistics: Sequence[Statistics], listed_at_ms: int) -> Judged:
        """By the statistics of all partitions that a candidate depends on; ``{of}`` in the reason is their place."""

    def _statistics(self, observed: Observations) -> Callable[[Candidate], Sequence[Statistics]]:
        coverage, listed = observed.coverages[self], observed.listings[self.table].statistics
        if listed is not None:
            return lambda candidate: [listed[number] for number in coverage.numbers(candidate)]
        loaded = observed.details.statistics.get(self.table, {})
        # A partition that is gone now has no statistics, and what it had is unknown.
        return lambda candidate: [loaded.get(values, Statistics()) for values in coverage.partitions(candidate)]


@dataclass(frozen=True, eq=False, repr=False)
class AtLeast(_ByStatistics):
    """Made by ``has_at_least``."""

    least: Mapping[str, int] = field(default_factory=dict)

    def written(self) -> str:
        return self._described("has_at_least", **{what: self.least.get(what) for what in _AMOUNTS})

    @property
    def asked_beside(self) -> str:
        return repr(sorted(self.least.items()))

    def judge_amount(self, statistics: Sequence[Statistics], listed_at_ms: int) -> Judged:  # noqa: ARG002
        judged = HOLDS
        for what, least in self.least.items():
            reported = [getattr(one, what) for one in statistics]
            total = sum(number for number in reported if number is not None)
            if total < least:
                if None not in reported:
                    return fails(f"{total:,} {what}{{of}}, and at least {least:,} are required")
                judged = unknown(f"it is not reported how many {what}{{of}} there are")
        return judged

    def request_loss_details(
        self, candidates: Sequence[Candidate], observed: Observations, request: DetailRequest
    ) -> None:
        self.request_details(candidates, observed, request)

    def fails_for_loss(self, observed: Observations) -> Callable[[Candidate], bool]:
        judge = self.judge(observed)
        return lambda candidate: judge(candidate).truth is Truth.NO

    def held(self, candidate: Candidate, observed: Observations) -> str:
        coverage = observed.coverages[self]
        amounts = ", ".join(f"{least:,} {what}" for what, least in self.least.items())
        where = coverage.where(candidate)
        return f"{coverage.table}: there are at least {amounts}{f' of {where}' if where else ''}"


@dataclass(frozen=True, eq=False, repr=False)
class Quiet(_ByStatistics):
    """Made by ``quiet_for``.

    Statistics say when files were written. A compaction writes young files of old rows, and a job commits files that
    it wrote an hour ago. So where something was committed within the time, the table's history is asked what it did.
    """

    seconds: float = 0

    def written(self) -> str:
        return self._described("quiet_for", seconds=self.seconds)

    def request_details(self, candidates: Sequence[Candidate], observed: Observations, request: DetailRequest) -> None:
        super().request_details(candidates, observed, request)
        newest, since_ms = observed.listings[self.table].snapshot, self._since_ms(observed)
        if newest is None or (newest.committed_at_ms is not None and newest.committed_at_ms <= since_ms):
            return
        missing = observed.coverages[self].missing
        if any(missing(candidate) is None for candidate in candidates):
            request.changes.add((self.table, since_ms))

    def judge(self, observed: Observations) -> Callable[[Candidate], Judged]:
        judge = super().judge(observed)
        changes = observed.details.changes.get((self.table, self._since_ms(observed)))
        if changes is None or changes.is_all:
            return judge
        missing = observed.coverages[self].missing

        def judged(candidate: Candidate) -> Judged:
            found = judge(candidate)
            # Where history does not reach back far enough, a young file may be of a compaction.
            is_certain = found.truth is not Truth.NO or missing(candidate) is not None
            return found if is_certain else unknown(found.reason)

        return judged

    def judge_amount(self, statistics: Sequence[Statistics], listed_at_ms: int) -> Judged:
        timestamps = [one.modified_at_ms for one in statistics]
        known = [timestamp for timestamp in timestamps if timestamp is not None]
        quiet_s = (listed_at_ms - max(known)) / 1000 if known else None
        if quiet_s is not None and quiet_s < self.seconds:
            return fails(
                f"data{{of}} arrived {max(quiet_s, 0):,.0f} s ago, and {self.seconds:,.0f} s without new data are "
                f"required"
            )
        if len(known) < len(timestamps):
            return unknown("it is not reported when data{of} last arrived")
        return HOLDS

    def held(self, candidate: Candidate, observed: Observations) -> str:
        coverage = observed.coverages[self]
        where = coverage.where(candidate)
        return f"{coverage.table}: no data{f' of {where}' if where else ''} arrived for {self.seconds:,.0f} s"

    def _statistics(self, observed: Observations) -> Callable[[Candidate], Sequence[Statistics]]:
        reported, since_ms = super()._statistics(observed), self._since_ms(observed)
        changes = observed.details.changes.get((self.table, since_ms))
        if changes is None:
            return reported
        partitions, changed = observed.coverages[self].partitions, changes.partitions
        # Where history does not reach back far enough, a young file may be of either: then a partition waits that was
        # only compacted.
        rewritten_ms = since_ms if changes.is_all else None
        return lambda candidate: [
            _by_history(one, changed.get(values), rewritten_ms)
            for values, one in zip(partitions(candidate), reported(candidate), strict=True)
        ]

    def _since_ms(self, observed: Observations) -> int:
        """What came later came within the time."""
        return math.floor(observed.listed_at_ms - self.seconds * 1000)


def _by_history(reported: Statistics, change: PartitionChange | None, rewritten_ms: int | None) -> Statistics:
    """Statistics with the time of what the last commits did to the partition.

    Rows that they only moved or removed came before ``rewritten_ms``; None: nobody knows when.
    """
    if change is None:
        return reported
    if change.modified_at_ms is not None:
        return replace(reported, modified_at_ms=change.modified_at_ms)
    if rewritten_ms is None:
        return reported
    before_ms = rewritten_ms if reported.modified_at_ms is None else min(reported.modified_at_ms, rewritten_ms)
    return replace(reported, modified_at_ms=before_ms)


def has_at_least(
    table: str,
    columns: Mapping[str, object] | None = None,
    /,
    *,
    records: int | None = None,
    files: int | None = None,
    bytes: int | None = None,  # noqa: A002 - the word of the statistics
    format: str | None = None,  # noqa: A002 - the word of the base tables
    **more_columns: object,
) -> Rule:
    """The described partitions, as in ``requires``, must exist and together have at least this much data.

    What a table does not report (records of a Hive partition that was never analysed) blocks publication.

    Args:
        table: ``namespace.name``, or a location.
        columns: partition columns whose names cannot be keywords.
        records: rows, as far as the metadata says.
        files: data files.
        bytes: size of the data files.
        format: the format that the table must have.
        more_columns: partition columns.

    Raises:
        InvalidInputError: as ``requires``; no amount is given, or one that is not at least 1 and below 2**63.
    """
    given = {"records": records, "files": files, "bytes": bytes}
    least = {what: number for what, number in given.items() if number is not None}
    if not least or not all(type(number) is int and 0 < number < 2**63 for number in least.values()):
        raise InvalidInputError(
            f"has_at_least({shown(table)}) takes one or more of {', '.join(_AMOUNTS)}, each a whole number "
            f"of at least 1 and below 2**63.",
            table=table,
        )
    return described(AtLeast, table, columns, more_columns, format, least=least)


def quiet_for(
    table: str,
    columns: Mapping[str, object] | None = None,
    /,
    *,
    seconds: float,
    format: str | None = None,  # noqa: A002 - the word of the base tables
    **more_columns: object,
) -> Rule:
    """The described partitions, as in ``requires``, must exist, and no new data may have arrived for this long.

    The time is measured by our own clock against the last commit that added data or, for a Hive table, against the last
    change that the metastore knows. Compactions add no data, nor do deletions that write no data files. If the history
    of a table does not reach back far enough, or has more than a thousand commits, the time at which its files were
    written decides, whatever wrote them.

    Args:
        table: ``namespace.name``, or a location.
        columns: partition columns whose names cannot be keywords.
        seconds: how long.
        format: the format that the table must have.
        more_columns: partition columns.

    Raises:
        InvalidInputError: as ``requires``; ``seconds`` is not above 0 and up to 1,000,000,000,000.
    """
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 < seconds <= _MAX_SECONDS:
        raise InvalidInputError(
            f"quiet_for({shown(table)}) takes seconds above 0 and up to {_MAX_SECONDS:,}, not {shown(seconds)}.",
            table=table,
        )
    return described(
        Quiet, table, columns, more_columns, format, seconds=seconds if type(seconds) is int else float(seconds)
    )
