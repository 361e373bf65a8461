"""Which published partitions may be withdrawn once the rules do not hold for them any more.

What lives here: the decision, from what was recorded with a partition and what the tables hold now. What must not:
dropping partitions (run.py), judging by rules (rules/).

Withdrawn is what we published, what the rules do not hold for any more, and what stands on fewer base partitions than
were recorded, or on others in place of some. Late data that break a rule (``quiet_for``) are no reason to take a
partition away, and neither is a function that says something else today. A table that is being made anew, or that is
not the one which was published on, has lost partitions too, and would take every partition of the view with it for an
hour or for ever: so each table that the partition stands on must still be the same one, and have at least one
partition.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from hive_views.base_tables.port import BaseTable, PartitionListing, Snapshot, TableWithHistory
from hive_views.partitions import ViewPartitions
from hive_views.publishing.coverage import own_ground_of, question_of
from hive_views.publishing.ground import Ground
from hive_views.publishing.inputs import INPUTS, Input, read_inputs
from hive_views.publishing.plan import Plan, Spec


def with_retraction(
    plan: Plan,
    ground: Ground,
    declared: Iterable[str],
    candidates: Iterable[Spec] | None,
    since: Spec | None,
    until: Spec | None,
) -> Plan:
    """The plan with what is to be withdrawn of the declared partitions that a run looks at, and what stays and why."""
    if candidates is not None:
        looked_at = {ground.partitions.name_of(spec) for spec in candidates}
        declared = [name for name in declared if name in looked_at]
    gone = ground.judge_declared(declared, since, until).waiting
    required = ground.required()
    questions = {table: question_of(coverages) for table, coverages in required.items()}
    tables = {name: _Table(ground.tables[name], ground.listings[name]) for name in required}
    kept: dict[str, str] = {}
    retract = []
    for name, partition in ground.partitions.load(list(gone)):
        candidate = ground.candidate_of(name)
        counts = {table: max(one.count(candidate) for one in coverages) for table, coverages in required.items()}
        inputs = _inputs(partition.parameters)
        lost = any(
            inputs[table].has_lost(own_ground_of(coverages, candidate), questions[table], counts[table])
            for table, coverages in required.items()
            if table in inputs
        )
        reason = _reason_to_keep(inputs, tables, has_lost=lost)
        if reason is None:
            retract.append(name)
        else:
            kept[name] = reason
    return replace(plan, retract=tuple(retract), kept=kept, declared=_without(plan.declared, retract))


def without_later_ones(partitions: ViewPartitions, plan: Plan) -> list[str]:
    """What of ``plan.retract`` is still as it was planned; not what was published on later listings meanwhile."""
    listed_at_ms = max((facts.listed_at_ms for facts in plan.tables.values()), default=0)
    return [
        name
        for name, partition in partitions.load(list(plan.retract))
        if all(one.listed_at_ms <= listed_at_ms for one in _inputs(partition.parameters).values())
    ]


def _reason_to_keep(inputs: Mapping[str, Input], tables: Mapping[str, _Table], *, has_lost: bool) -> str | None:
    """Why a partition for which the rules do not hold any more stays declared; None where it may be withdrawn.

    Args:
        inputs: what is recorded with the partition.
        tables: those that the rules require partitions of.
        has_lost: whether a base partition of it is certainly gone.
    """
    if not inputs:
        return "it is not recorded what it stands on, so somebody else may have declared it"
    for name, table in tables.items():
        reason = table.is_not_the_one(inputs.get(name))
        if reason:
            return f"{name} {reason}"
    if not has_lost:
        return "it stands on at least as many base partitions as when it was published"
    return None


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
            return None  # nothing stands on it: it is negated, or another table did
        if not self._listing.values:
            return "has no partitions at all: it may be about to be loaded anew"
        if recorded.format != self._listing.format:
            return f"was a {recorded.format} table, and is a {self._listing.format} table now"
        if recorded.snapshot is None:
            return self._other_than(recorded.table_id)
        if recorded.snapshot not in self._breaks:
            self._breaks[recorded.snapshot] = self._break_since(recorded.snapshot)
        return self._breaks[recorded.snapshot]

    def _other_than(self, table_id: str | None) -> str | None:
        if table_id is None or self._listing.table_id is None:
            return "tells neither history nor what it is known by, so that it may be another table of the name"
        return None if table_id == self._listing.table_id else "was made anew: it may be about to be loaded again"

    def _break_since(self, snapshot: Snapshot) -> str | None:
        now = self._listing.snapshot
        if now is None or not isinstance(self._table, TableWithHistory):
            return "has no history any more"
        # Delta and Iceberg give a table an id for life; Paimon's tells one snapshot, so that the line of them decides.
        if now.table_id == snapshot.table_id:
            return None
        unknown = self._table.changes(snapshot, now).unknown
        return f"may be another table of the name: {unknown}" if unknown is not None else None


def _inputs(parameters: Mapping[str, str]) -> Mapping[str, Input]:
    return read_inputs(parameters.get(INPUTS)) or {}


def _without(names: Iterable[str], others: Iterable[str]) -> tuple[str, ...]:
    left_out = set(others)
    return tuple(name for name in names if name not in left_out)
