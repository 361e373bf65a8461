"""Revalidating: what has happened to the base partitions of published partitions since.

Late data is no error: a view shows it at once. But whoever copied or aggregated a partition's rows wants to know.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from typing_extensions import Unpack

from hive_views.errors import (
    CorruptMetadataError,
    HiveViewsError,
    InvalidInputError,
    InvalidPartitionError,
    NotFoundError,
    UnsupportedFeatureError,
)
from hive_views.hive.partition_dates import calendar_for_notebooks
from hive_views.hive.row import Partition
from hive_views.messages.html import Tone, badge, html_block, table
from hive_views.publishing.directory_contents import ListDirectories
from hive_views.publishing.judging import declared_candidates, judge, warn_of_misspelt
from hive_views.publishing.ledger.inputs import Input
from hive_views.publishing.ledger.recorded_rules import GIVE_RULES, RecordedRules, hash_of_rule, recorded_rules
from hive_views.publishing.listings.base_table_states import BaseTableStates, read_base_tables
from hive_views.publishing.published_by_rule import CurrentRule, PartitionRecord
from hive_views.publishing.request import RevalidateOptions, lister_of, refuse_unknown_options, scope_of
from hive_views.publishing.scope import EVERYTHING, values_of
from hive_views.publishing.since_published import Revalidated, RevalidationState, TableSincePublished, worst_of
from hive_views.readiness.matching.links import Candidate
from hive_views.readiness.rules import Rule, all_of
from hive_views.spec.identifiers import Identifier
from hive_views.views.catalog import ViewCatalog
from hive_views.views.partitions.view_partitions import ViewPartitions

_NO_RULES = Revalidated("unknown", ("the rules that it was published with are not recorded",))
_EARLIER_RULE = Revalidated(
    "unknown", ("it was published by an earlier rule, or its rule is not recorded; give the rules",)
)
_UNRECORDED = Revalidated("unknown", ("its base partitions are not recorded; another program may have declared it",))

_TONES: Mapping[str, Tone] = {
    "missing": "bad",
    "changed": "warn",
    "unknown": "soft",
    "rewritten": "good",
    "current by the metastore": "good",
    "current": "good",
}


@dataclass(frozen=True)
class RevalidationReport:
    """The state of each declared partition of a view.

    Attributes:
        view: the view's name.
        partitions: by name, what happened under each since it was published.
    """

    view: str
    partitions: Mapping[str, Revalidated]

    def in_state(self, *states: RevalidationState) -> tuple[str, ...]:
        """The names of the partitions in one of these states."""
        return tuple(name for name, one in self.partitions.items() if one.state in states)

    def _repr_html_(self) -> str:
        counts = Counter(one.state for one in self.partitions.values())
        counted = ", ".join(f"{number} {state}" for state, number in counts.items())
        rows = [
            (name, badge(one.state, _TONES[one.state]), "; ".join(one.reasons))
            for name, one in self.partitions.items()
            if one.state != "current"
        ]
        return html_block(
            f"{self.view}: {counted or 'no partitions'}",
            calendar_for_notebooks({name: one.state for name, one in self.partitions.items()}, _TONES),
            table(("partition", "state", "why"), rows),
        )

    @property
    def all_unchanged(self) -> bool:
        """Whether every partition is known to have the rows that it was published on, which ``current by the
        metastore`` does not say.
        """
        return not self.in_state("changed", "missing", "unknown", "current by the metastore")

    @property
    def show_what_was_published(self) -> bool:
        """The former name of ``all_unchanged``, deprecated."""
        warnings.warn("show_what_was_published is now called all_unchanged.", DeprecationWarning, stacklevel=2)
        return self.all_unchanged


def revalidate(
    catalog: ViewCatalog, identifier: Identifier, *rules: Rule, **options: Unpack[RevalidateOptions]
) -> RevalidationReport:
    """Find out for each published partition of a view what has happened to its base partitions since.

    ``current``: nothing. ``current by the metastore``: nothing that the metastore knows of. ``rewritten``: files were
    compacted or moved, and the rows are the same. ``changed``: rows were added, removed or replaced, and by which
    commits. ``missing``: base partitions that it needs are gone. ``unknown``: the table's history does not reach back
    far enough, or the table was recreated; the partition was declared by somebody else, by an earlier rule, or by one
    of several publications whose rules or tables can no longer be read; a directory cannot be listed; or the rules
    no longer hold (a quiet time, a mark, a function) though nothing below is known to have changed.

    Tables with history (Delta, Iceberg, Paimon) are compared with the snapshot that is recorded with the partition.
    Hive tables have none, so their partitions' statistics and DDL times are compared, and the names, sizes and times of
    the files in their directories, since Spark writes without touching the partition in the metastore. That takes one
    listing for each base partition of the view; no file is opened. An ALTER that changes no rows is a change. Where
    directories were not looked at, because that was not asked for, because nothing about them was recorded when the
    partition was published, or because the table is a view, the answer is ``current by the metastore`` at best. A view
    has changed once its query has.

    Args:
        catalog: where the view is.
        identifier: ``"namespace.name"`` of a partitioned view.
        rules: those it was published with; several: all of them. None: those that are recorded with the view, for each
            partition those of the publication that declared it; one that was published by rules other than today's is
            ``unknown``. So is what rules that are given ask of a table without history, if it was not asked when the
            partition was published.
        options: keyword arguments: ``candidates``, the partitions to consider, by values (default: all that are
            declared), and, as for ``publish``, ``since``, ``until``, ``base_tables``, ``metastore_only`` and
            ``list_directories`` (``hive_views.spark.revalidate`` has executors list them).

    Raises:
        InvalidInputError: no rules are given, and none are recorded that can be used.
        Others as ``publish`` before it writes.
    """
    refuse_unknown_options(options, RevalidateOptions.__optional_keys__)
    partitions = catalog.partitions(identifier)
    return RevalidationReport(str(partitions.view.identifier), examine(catalog, partitions, rules, options).found)


@dataclass(frozen=True)
class JudgedByRule:
    """The published partitions that one rule judges.

    Attributes:
        states: what its base tables hold now.
        candidates: the partitions by name.
        tables: what has happened in each of these tables, by its name in the rule.
    """

    states: BaseTableStates
    candidates: Mapping[str, Candidate]
    tables: Mapping[str, TableSincePublished]


@dataclass(frozen=True)
class Examination:
    """What has happened below the published partitions of a view.

    Attributes:
        found: by name.
        recorded: what is recorded with each.
        by_rule: those of which the rule is known, and its tables can be read.
    """

    found: Mapping[str, Revalidated]
    recorded: Mapping[str, PartitionRecord]
    by_rule: Sequence[JudgedByRule]


def examine(
    catalog: ViewCatalog,
    partitions: ViewPartitions,
    rules: Sequence[Rule],
    options: RevalidateOptions,
    retracted: Mapping[str, Partition] | None = None,
) -> Examination:
    """What ``revalidate`` reports, beside what it was found by; ``retracted`` partitions are examined as if they were
    declared still, whatever the bounds. Raises as ``revalidate``.
    """
    gone = retracted or {}
    names, scope = partitions.names(), scope_of(options)
    warn_of_misspelt(scope.written(), values_of(partitions, names), partitions.keys)
    declared = declared_candidates(partitions, names, scope)
    recorded = {name: PartitionRecord.of(partition) for name, partition in partitions.load(sorted(declared))}
    recorded = {name: PartitionRecord.of(partition) for name, partition in gone.items()} | recorded
    declared = declared_candidates(partitions, gone, EVERYTHING) | declared
    by_rule, undecided = _rules_of(partitions, rules, declared, recorded)
    found = dict.fromkeys(recorded, _NO_RULES) | undecided
    judged: list[JudgedByRule] = []
    failed: list[HiveViewsError] = []
    for read_rule, names in by_rule:
        try:
            rule = read_rule()
            states = read_base_tables(catalog, partitions, rule, EVERYTHING, options.get("base_tables"))
        except (InvalidInputError, NotFoundError, UnsupportedFeatureError, CorruptMetadataError) as error:
            failed.append(error)
            found |= dict.fromkeys(names, Revalidated("unknown", (error.message,)))
            continue
        judged_by_it = {name: declared[name] for name in names}
        if not rules:
            today = CurrentRule(rule, states.observed.coverages)
            judged_by_it = {
                name: candidate
                for name, candidate in judged_by_it.items()
                if recorded[name].rule or not recorded[name].inputs or today.may_be_that_of(candidate, recorded[name])
            }
            found |= {name: _EARLIER_RULE for name in names if name not in judged_by_it}
        of_rule = _by_rule(states, judged_by_it, recorded, lister_of(options))
        found |= _judged(of_rule, recorded)
        judged.append(of_rule)
    # What one publication asks for may be gone; of the others it is known what happened.
    if failed and len(failed) == len(by_rule):
        raise failed[0]
    return Examination(found, recorded, judged)


def _rules_of(
    partitions: ViewPartitions,
    rules: Sequence[Rule],
    declared: Mapping[str, Candidate],
    recorded: Mapping[str, PartitionRecord],
) -> tuple[list[tuple[Callable[[], Rule], list[str]]], dict[str, Revalidated]]:
    """The partitions by the rules that they are judged by, and those that the recorded rules do not decide."""
    if rules:
        return [(lambda: all_of(*rules), list(recorded))], {}
    publications = recorded_rules(partitions.view.metadata.properties)
    if not publications:
        raise InvalidInputError(
            f"The rules that {partitions.view.identifier} was published with are not recorded.",
            remedy=GIVE_RULES,
            identifier=str(partitions.view.identifier),
        )
    by_hash = {hash_of_rule(one.rule): one for one in publications if one.rule}
    matching: dict[str, list[RecordedRules]] = {name: [] for name in recorded}
    for one in publications:
        try:
            within = set(one.scope.within_bounds([declared[name] for name in recorded], partitions.keys))
        except InvalidPartitionError:
            # A record of other partition columns than today's: which partitions it was about is no longer known.
            continue
        for name, partition in recorded.items():
            if declared[name] in within and partition.published_by in (one.published_by, None):
                matching[name].append(one)
    by_rule: dict[tuple[str, str], tuple[RecordedRules, list[str]]] = {}
    undecided: dict[str, Revalidated] = {}
    for name, may_be in matching.items():
        rule = recorded[name].rule
        # A rule that was too long to be recorded is known by none of these hashes.
        ones = [by_hash[rule]] if rule in by_hash else [one for one in may_be if one.unrecorded or not rule]
        different = {(one.rule, one.unrecorded) for one in ones}
        if rule and not ones:
            undecided[name] = _EARLIER_RULE
        elif len(different) > 1:
            undecided[name] = _by_one_of(ones)
        elif ones:
            by_rule.setdefault(different.pop(), (ones[0], []))[1].append(name)
    # Read only where partitions are judged by them: others may be obsolete, and no longer readable.
    return [(one.read_rule, names) for one, names in by_rule.values()], undecided


def _by_one_of(publications: Sequence[RecordedRules]) -> Revalidated:
    names = ", ".join(one.publication for one in publications)
    return Revalidated(
        "unknown", (f"it may have been published by any of {names}, whose rules differ; give the rules",)
    )


def _by_rule(
    states: BaseTableStates,
    candidates: Mapping[str, Candidate],
    recorded: Mapping[str, PartitionRecord],
    list_directories: ListDirectories | None,
) -> JudgedByRule:
    inputs = {one: found for name, one in candidates.items() if (found := recorded[name].inputs) is not None}
    tables = {table: TableSincePublished(states, table, inputs, list_directories) for table in states.required()}
    return JudgedByRule(states, candidates, tables)


def _judged(of_rule: JudgedByRule, recorded: Mapping[str, PartitionRecord]) -> dict[str, Revalidated]:
    unmet = judge(of_rule.states, list(of_rule.candidates.values()))
    judged: dict[str, Revalidated] = {}
    for name, candidate in of_rule.candidates.items():
        inputs = recorded[name].inputs
        if inputs is None:
            judged[name] = _UNRECORDED
            continue
        by_table = [table.judge(candidate) for table in of_rule.tables.values()]
        if candidate in unmet:
            by_table.append(_without_its_rules(of_rule.states, candidate, inputs, unmet[candidate]))
        judged[name] = worst_of(by_table)
    return judged


def _without_its_rules(
    states: BaseTableStates, candidate: Candidate, recorded: Mapping[str, Input], reasons: tuple[str, ...]
) -> Revalidated:
    """A partition for which the rules no longer hold: because base partitions are gone, or for another reason."""
    is_gone = any(
        any(one.unknown_expectation is None and one.missing(candidate) is not None for one in coverages)
        or max(one.count(candidate) for one in coverages) < recorded[table].partitions
        or any(
            before.has_lost(one.digest(candidate))
            for one in coverages
            if one.differs_by_candidate and (before := recorded[table].asked.get(one.question(candidate)))
        )
        for table, coverages in states.required().items()
        if table in recorded and recorded[table].partitions
    )
    return Revalidated("missing" if is_gone else "unknown", reasons)
