"""Judging: which partitions of a view are looked at, which of them are ready, and the plan that follows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from hive_views.errors import InvalidInputError
from hive_views.hive.row import Column
from hive_views.messages.logs import logger_of
from hive_views.messages.remedy import Remedy
from hive_views.publishing.expected_partitions import NOTHING, ExpectedPartitions
from hive_views.publishing.ledger.recorded_rules import hash_of_rule
from hive_views.publishing.listings.base_table_states import BaseTableStates
from hive_views.publishing.plan import Plan, TableFacts
from hive_views.publishing.scope import Scope, misspelt, named, values_of
from hive_views.readiness.coverage import UnnamedPartitions
from hive_views.readiness.matching.links import Candidate
from hive_views.readiness.observations import DetailRequest, Observations
from hive_views.readiness.rules import Requirement, Rule
from hive_views.views.partitions.view_partitions import Spec, ViewPartitions

log = logger_of("hive_views.publishing")

Reasons = tuple[str, ...]


def find_candidates(
    rule: Rule, observed: Observations, scope: Scope, expected: ExpectedPartitions = NOTHING
) -> dict[str, Candidate]:
    """The partitions that a run considers, by name and ascending: those that are given, or that the tables name and
    that are expected.

    Raises:
        InvalidInputError: none are given or expected, and no rule says what they are.
        InvalidPartitionError: a candidate or bound is no value of the partition columns.
    """
    given = scope.given(observed.keys)
    if given is None:
        by_tables = _named_by(rule, observed, expected)
        warn_of_misspelt({**scope.written(), **expected.written(observed.keys)}, by_tables, observed.keys)
        given = [*by_tables.union(expected.candidates.values())]
    return named(scope.within_bounds(given, observed.keys), observed.keys)


def refuse_outside(bounds: Scope, partitions: ViewPartitions, candidates: Mapping[str, Candidate]) -> None:
    """InvalidInputError: one of these is outside the bounds of its publication, and so perhaps another one's."""
    within = set(bounds.within_bounds(candidates.values(), partitions.keys))
    outside = [name for name, candidate in candidates.items() if candidate not in within]
    if outside:
        view = str(partitions.view.identifier)
        raise InvalidInputError(
            f"The partition {outside[0]} of {view} is outside the bounds of this publication ({bounds.bounds_text()}), "
            f"and the view has another publication, to which it may belong.",
            remedy=Remedy(
                in_python="Give candidates or bounds within them, or pass the rules.",
                in_shell="Give partitions or bounds within them, or the rules with --require.",
            ),
            identifier=view,
        )


def warn_of_misspelt(written: Mapping[str, Spec], known: Iterable[Candidate], keys: Sequence[Column]) -> None:
    """Log which of these values, by what they are, are not spelled as the partitions that are known."""
    for flaw in misspelt(written, known, keys):
        log.warning("%s", flaw)


def declared_candidates(partitions: ViewPartitions, declared: Iterable[str], scope: Scope) -> dict[str, Candidate]:
    """The declared partitions in a scope, by name and ascending; InvalidPartitionError as ``find_candidates``.

    Partitions of other writers whose values do not fit the columns, or are spelled differently, are left out.
    """
    keys = partitions.keys
    wanted = None if scope.candidates is None else {partitions.name_of(spec) for spec in scope.candidates}
    found = values_of(partitions, (name for name in declared if wanted is None or name in wanted))
    return named(scope.within_bounds(found, keys), keys)


def judge(states: BaseTableStates, candidates: Sequence[Candidate]) -> Mapping[Candidate, Reasons]:
    """The candidates that are not ready, and why. What the rules ask for beyond the listings is read first, which may
    raise UnavailableError.
    """
    observed = states.observed
    request = DetailRequest()
    states.rule.request_details(candidates, observed, request)
    return states.rule.waiting(candidates, states.with_details(request))


def plan_of(
    states: BaseTableStates, declared: Collection[str], candidates: Mapping[str, Candidate], scope: Scope
) -> Plan:
    """The plan for these candidates (``find_candidates``), judged by what the base tables hold; UnavailableError as
    ``judge``.
    """
    existing, view = set(declared), states.partitions.view
    return make_plan(
        view=str(view.identifier),
        view_uuid=view.uuid,
        rule=states.rule,
        rule_text=states.rule_text[0],
        observed=states.observed,
        candidates=candidates,
        declared=existing,
        waiting=judge(states, [candidate for name, candidate in candidates.items() if name not in existing]),
        scope=scope,
    )


def make_plan(
    *,
    view: str,
    view_uuid: str,
    rule: Rule,
    rule_text: str,
    observed: Observations,
    candidates: Mapping[str, Candidate],
    declared: Collection[str],
    waiting: Mapping[Candidate, Reasons],
    scope: Scope,
) -> Plan:
    """The plan that follows from a judgement. Made of the same observations, a plan is the same.

    Args:
        view: the view's name.
        view_uuid: a plan is for this view, not for another one that gets the name later.
        rule: when a partition is ready.
        rule_text: its expression; "" if it has none.
        observed: what the base tables hold.
        candidates: what is considered, by name (``find_candidates``).
        declared: the names of all partitions that the view has.
        waiting: those of the other candidates that are not ready, and why.
        scope: how the candidates were selected.
    """
    existing = set(declared)
    new = {name: candidate for name, candidate in candidates.items() if name not in existing}
    depends_on = _numbers_of([(one.table, coverage.count) for one, coverage in observed.coverages.items()])
    return Plan(
        view=view,
        view_uuid=view_uuid,
        ready={name: depends_on(candidate) for name, candidate in new.items() if candidate not in waiting},
        waiting={name: waiting[candidate] for name, candidate in new.items() if candidate in waiting},
        already_published=tuple(name for name in candidates if name in existing),
        tables={
            table: TableFacts(
                listing.format,
                listing.snapshot,
                len(listing.values),
                observed.listed_at_ms,
                listing.table_id,
                listing.definition,
            )
            for table, listing in observed.listings.items()
        },
        unnamed=_unnamed(rule, observed) if scope.candidates is None else {},
        rule=hash_of_rule(rule_text),
    )


def names_candidates(rule: Rule, observed: Observations) -> bool:
    """Whether the partitions of the tables name partitions of the view, so that no candidates have to be given."""
    return bool(_names(rule, observed))


def _named_by(rule: Rule, observed: Observations, expected: ExpectedPartitions) -> set[Candidate]:
    """The partitions of the view that the partitions of the tables name."""
    found = _names(rule, observed)
    if not found and expected is NOTHING:
        raise _no_candidates(observed.keys)
    return set().union(*found)


def _names(rule: Rule, observed: Observations) -> list[Iterator[Candidate]]:
    coverages = [observed.coverages[one] for one in rule.naming() if isinstance(one, Requirement)]
    return [candidates for coverage in coverages if (candidates := coverage.candidates()) is not None]


def _no_candidates(keys: Sequence[Column]) -> InvalidInputError:
    columns = ", ".join(key.name for key in keys)
    return InvalidInputError(
        f"No requirement names a partition of the view by all its partition columns ({columns}), so it is unknown "
        f"which partitions to consider. Require a table's columns to be column('...') for each of them.",
        remedy=Remedy(in_python="Or give candidates=[{...}].", in_shell="Or give each with --partition."),
    )


def _unnamed(rule: Rule, observed: Observations) -> dict[str, UnnamedPartitions]:
    """By table; where two requirements are about one, the larger number."""
    unnamed: dict[str, UnnamedPartitions] = {}
    for one in rule.naming():
        found = observed.coverages[one].unnamed() if isinstance(one, Requirement) else None
        if found and (one.table not in unnamed or found.partitions > unnamed[one.table].partitions):
            unnamed[one.table] = found
    return unnamed


def _numbers_of(counts: Sequence[tuple[str, Callable[[Candidate], int]]]) -> Callable[[Candidate], Mapping[str, int]]:
    """The number of base partitions by table; where two requirements are about one table, the larger number."""
    equal: dict[tuple[int, ...], dict[str, int]] = {}

    def numbers_of(candidate: Candidate) -> Mapping[str, int]:
        numbers = tuple([count(candidate) for _, count in counts])
        if numbers not in equal:
            by_table: dict[str, int] = {}
            for (table, _), number in zip(counts, numbers, strict=True):
                by_table[table] = max(number, by_table.get(table, 0))
            equal[numbers] = by_table
        return equal[numbers]

    return numbers_of
