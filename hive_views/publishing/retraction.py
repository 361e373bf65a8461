"""Which published partitions may be retracted once the rules no longer hold for them.

A partition is retracted if the same application published it, by these very rules or by others that imply that these
held, and these fail now because of a loss: a requirement that held, and that asks the same question today, has fewer
base partitions now, or others in place of some, and no longer holds. Everything else is taken to be as it was: late
data that break a rule (``quiet_for``), another question (more hours, other regions), a function that now says
something else, or an edited rule are no reason to drop a partition. Where it is not recorded how it was (functions,
commits, marks), a partition is retracted only if the rules fail either way.

A table that is being recreated, or another one of the name, has lost partitions too, and would take every partition of
the view with it: so each table that a partition depends on must be the same one, and have at least one partition.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from hive_views.base_tables.port import BaseTable, PartitionListing, Snapshot
from hive_views.persisted import PUBLISHED_BY
from hive_views.publishing.judging import declared_candidates, judge
from hive_views.publishing.ledger.inputs import Input, hash_of_inputs
from hive_views.publishing.listings.base_table_states import BaseTableStates
from hive_views.publishing.plan import Plan
from hive_views.publishing.published_by_rule import CurrentRule, PartitionRecord
from hive_views.publishing.scope import Scope
from hive_views.readiness.coverage import Coverage
from hive_views.readiness.matching.links import Candidate
from hive_views.readiness.observations import DetailRequest
from hive_views.readiness.rules import Requirement, SimpleRule, Truth
from hive_views.views.partitions.view_partitions import ViewPartitions


@dataclass(frozen=True)
class Retraction:
    """What is to be retracted of a view's partitions.

    Attributes:
        judged: by name, a hash of what was recorded with each when that was decided.
        kept: the others for which the rules no longer hold, and why they stay declared.
    """

    judged: Mapping[str, str]
    kept: Mapping[str, str]

    def applied_to(self, plan: Plan) -> Plan:
        """The plan with what is to be retracted, and what stays and why."""
        left = tuple(name for name in plan.already_published if name not in self.judged)
        return replace(plan, retract=tuple(self.judged), judged=self.judged, kept=self.kept, already_published=left)


def find_retractable(states: BaseTableStates, declared: Iterable[str], scope: Scope, published_by: str) -> Retraction:
    """Which of the declared partitions in a scope are to be retracted; what other applications declared is theirs.

    Raises:
        InvalidPartitionError: a candidate or bound is no value of the partition columns.
        UnavailableError: a table or the partitions cannot be read.
    """
    looked_at = declared_candidates(states.partitions, declared, scope)
    waiting = judge(states, list(looked_at.values()))
    unmet = {name: candidate for name, candidate in looked_at.items() if candidate in waiting}
    losses = _Losses(states, list(unmet.values()))
    judged, kept = {}, {}
    for name, partition in states.partitions.load(list(unmet)):
        record = PartitionRecord.of(partition)
        reason = losses.reason_to_keep(unmet[name], record, published_by)
        if reason is None:
            judged[name] = record.hash
        else:
            kept[name] = reason
    return Retraction(judged, kept)


def still_as_judged(partitions: ViewPartitions, plan: Plan, names: Sequence[str], published_by: str) -> list[str]:
    """Those of the names that this application still declares and that were not published again since the plan was
    made.
    """
    return [
        name
        for name, partition in partitions.load(names)
        if plan.judged.get(name) == hash_of_inputs(partition.parameters)
        and partition.parameters.get(PUBLISHED_BY) == published_by
    ]


class _Losses:
    """What the declared partitions have lost for which the rules no longer hold."""

    def __init__(self, states: BaseTableStates, candidates: Sequence[Candidate]) -> None:
        self._coverages: Mapping[Requirement, Coverage] = states.observed.coverages
        self._today = CurrentRule(states.rule, self._coverages)
        request = DetailRequest()
        for requirement in self._coverages:
            requirement.request_loss_details(candidates, states.observed, request)
        observed = states.with_details(request)
        self._fails = {requirement: requirement.fails_for_loss(observed) for requirement in self._coverages}
        self._tables = {name: _Table(states.tables[name], states.observed.listings[name]) for name in states.required()}

    def reason_to_keep(self, candidate: Candidate, published: PartitionRecord, published_by: str) -> str | None:
        """Why a partition for which the rules no longer hold stays declared; None where it may be retracted."""
        inputs = published.inputs
        if not inputs:
            return "its base partitions are not recorded, so another program may have declared it"
        if published.published_by != published_by:
            return f"it was declared by another application: {published.published_by or 'unknown'}"
        for name, table in self._tables.items():
            reason = table.is_not_the_one(inputs.get(name))
            if reason:
                return f"{name} {reason}"
        known: dict[SimpleRule, Truth] = {one: self._truth_of(one, candidate, inputs) for one in self._coverages}
        if self._today.rule.truth(lambda rule: known.get(rule, Truth.UNKNOWN)) is Truth.NO:
            if self._today.was_met(candidate, published):
                return None
            return "it was published by an earlier rule, and the current one did not hold then, or this is unknown"
        if Truth.NO in known.values():
            return "it is unknown whether the rules fail because of what it lost: others may have held then"
        otherwise = self._today.first_asked_otherwise(candidate, published)
        if otherwise:
            return f"the rules required something else of {otherwise} when it was published, or this is not recorded"
        return "it depends on at least as many base partitions as when it was published, or on enough for their rule"

    def _truth_of(self, requirement: Requirement, candidate: Candidate, inputs: Mapping[str, Input]) -> Truth:
        """How a requirement would be judged if nothing but losses had happened since the partition was published."""
        coverage = self._coverages[requirement]
        before = inputs[requirement.table].asked.get(coverage.question(candidate))
        if before is None:
            return Truth.UNKNOWN
        if not before.is_all:
            return Truth.NO
        if before.has_lost(coverage.digest(candidate)) and self._fails[requirement](candidate):
            return Truth.NO
        return Truth.YES if requirement.is_of_partitions_alone else Truth.UNKNOWN


class _Table:
    """A table now, beside what is recorded of it."""

    def __init__(self, table: BaseTable, listing: PartitionListing) -> None:
        self._table = table
        self._listing = listing
        self._breaks: dict[Snapshot, str | None] = {}

    def is_not_the_one(self, recorded: Input | None) -> str | None:
        """Why it may not be the table that was published on, or not all of it."""
        if recorded is None:
            return "is not recorded with it: it was published by other rules"
        if not recorded.partitions:
            return None  # nothing depends on it: it is negated, or another table did
        if not self._listing.values:
            return "has no partitions at all: it may be about to be reloaded"
        if recorded.format != self._listing.format:
            return f"was a {recorded.format} table and is now a {self._listing.format} table"
        if recorded.snapshot is None:
            return self._other_than(recorded.table_id)
        if recorded.snapshot not in self._breaks:
            self._breaks[recorded.snapshot] = self._break_since(recorded.snapshot)
        return self._breaks[recorded.snapshot]

    def _other_than(self, table_id: str | None) -> str | None:
        if table_id is None or self._listing.table_id is None:
            return "reports neither history nor an id, so it may be another table with the same name"
        return None if table_id == self._listing.table_id else "was recreated, and may be about to be loaded again"

    def _break_since(self, snapshot: Snapshot) -> str | None:
        now = self._listing.snapshot
        history = self._table.history
        if now is None or history is None:
            return "no longer has a history"
        # Formats give a table an id for life. Where one does not report it, the line of snapshots decides.
        if now.table_id == snapshot.table_id:
            return None
        unknown = history.changes(snapshot, now).unknown
        return f"may be another table with the same name: {unknown}" if unknown is not None else None
