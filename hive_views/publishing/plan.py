"""What to declare, what waits and why: the outcome of judging a view's candidates.

What lives here: the plan as a value that can be printed, saved and applied later, and making it. What must not: reading
tables, declaring partitions, clocks. Made of the same facts, a plan is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from operator import itemgetter

from pydantic import ConfigDict, TypeAdapter, ValidationError

from hive_views.base_tables.port import PartitionListing, Snapshot
from hive_views.errors import InvalidInputError, InvalidPartitionError
from hive_views.hive.conversion import Value
from hive_views.hive.limits import MAX_PARTITION_NAME, stored_length
from hive_views.hive.partition_names import partition_name
from hive_views.hive.partition_values import normalise_partial_spec, normalise_spec, typed_value
from hive_views.hive.row import Column
from hive_views.messages.remedies import GivePartitions
from hive_views.publishing.ledger.inputs import Input, write_inputs
from hive_views.readiness.coverage import Coverage, Unnamed
from hive_views.readiness.evidence import Asked, Details, Evidence
from hive_views.readiness.matching.links import Candidate
from hive_views.readiness.rules import Requirement, Rule
from hive_views.readiness.standing import Standing

Spec = Mapping[str, object]


@dataclass(frozen=True)
class TableFacts:
    """What a plan read of a table at ``listed_at_ms`` since 1970: how many partitions, of all or of those it needs."""

    format: str
    snapshot: Snapshot | None
    partitions: int
    listed_at_ms: int
    table_id: str | None = None


@dataclass(frozen=True)
class Plan:
    """Partitions by name: ``ready`` ones with the number of base partitions they stand on by table, ``waiting`` ones
    with reasons, and candidates ``declared`` already. Made of what ``tables`` held.

    ``fingerprints`` and what was ``asked`` (``Input.asked``) are of the base partitions under ready ones, by table.
    ``retract`` names published partitions whose ground is gone, ``judged`` what was recorded with each of them when
    that was found, as a hash; ``kept`` tells of those that look so and stay declared all the same, and why. ``unnamed``
    tells, by table, of those that were listed and name no partition of the view.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    view: str
    view_uuid: str
    ready: Mapping[str, Mapping[str, int]]
    waiting: Mapping[str, tuple[str, ...]]
    declared: tuple[str, ...]
    tables: Mapping[str, TableFacts]
    fingerprints: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    retract: tuple[str, ...] = ()
    kept: Mapping[str, str] = field(default_factory=dict)
    asked: Mapping[str, Mapping[str, Mapping[str, str]]] = field(default_factory=dict)
    judged: Mapping[str, str] = field(default_factory=dict)
    unnamed: Mapping[str, Unnamed] = field(default_factory=dict)

    def __str__(self) -> str:
        lines = [f"{self.view}: {len(self.ready)} ready, {len(self.waiting)} waiting, {len(self.declared)} declared"]
        lines += [f"  ready    {name}" for name in self.ready]
        lines += [f"  waiting  {name}: {'; '.join(reasons)}" for name, reasons in self.waiting.items()]
        lines += [f"  retract  {name}" for name in self.retract]
        lines += [f"  kept     {name}: {reason}" for name, reason in self.kept.items()]
        lines += [f"  unnamed  {table}: {unnamed}" for table, unnamed in self.unnamed.items()]
        return "\n".join(lines)

    def to_json(self) -> str:
        """The plan as a JSON object, to be saved and applied later."""
        return _JSON.dump_json(self).decode()

    @classmethod
    def from_json(cls, text: str | bytes) -> Plan:
        """
        Raises:
            InvalidInputError: it is not what ``to_json`` writes.
        """
        try:
            return _JSON.validate_json(text, strict=True)
        except ValidationError as e:
            [first, *_] = e.errors(include_url=False, include_input=False)
            where = ".".join(str(part) for part in first["loc"])
            raise InvalidInputError(
                f"Cannot read a plan: {where or 'the text'}: {first['msg']}. Give what Plan.to_json wrote.", path=where
            ) from e

    def inputs_of(self, name: str) -> str:
        """What a ready partition stands on, as JSON that any metastore can hold: ASCII, at most 4,000 characters."""
        fingerprints, asked = self.fingerprints.get(name, {}), self.asked.get(name, {})
        return write_inputs(
            {
                table: Input(
                    self.tables[table].format,
                    count,
                    self.tables[table].listed_at_ms,
                    self.tables[table].snapshot,
                    fingerprints.get(table),
                    self.tables[table].table_id,
                    {
                        question: standing
                        for question, text in asked.get(table, {}).items()
                        if (standing := Standing.read(text))
                    },
                )
                for table, count in self.ready[name].items()
            }
        )


_JSON = TypeAdapter(Plan)


def make_plan(
    *,
    view: str,
    view_uuid: str,
    keys: Sequence[Column],
    rule: Rule,
    listings: Mapping[str, PartitionListing],
    listed_at_ms: int,
    declared: Iterable[str],
    coverages: Mapping[Requirement, Coverage] | None = None,
    details: Callable[[Asked], Details] = lambda _: Details(),
    candidates: Iterable[Spec] | None = None,
    since: Spec | None = None,
    until: Spec | None = None,
) -> Plan:
    """Judge the candidates of a view.

    Args:
        view: its name.
        view_uuid: a plan is for this view, not for another one that gets the name later.
        keys: its partition columns.
        rule: when a partition is ready.
        listings: what the tables hold, by the names the rule calls them.
        listed_at_ms: when that was read, at the earliest.
        declared: the names of all partitions that the view has.
        coverages: those of the rule on these listings, where they are at hand.
        details: reads what rules ask for beyond the listings; called once at most, before anything is judged. Of the
            same answers the plan is the same.
        candidates: the partitions to look at; by default those that the tables' partitions name.
        since: values of some partition columns: earlier candidates are left out, compared as a whole in the columns'
            order and by their types.
        until: the same for later ones; the values themselves are in.

    Raises:
        InvalidInputError: the rule does not fit the tables or the view, or no rule says what the candidates are.
        InvalidPartitionError: a candidate or bound is no value of the partition columns.
    """
    keys = tuple(keys)
    coverages = coverages_of(rule, listings, keys) if coverages is None else coverages
    evidence = Evidence(keys, listings, coverages, listed_at_ms)
    named_by = [coverages[one] for one in rule.naming() if isinstance(one, Requirement)]
    looked_at = _given(candidates, keys) if candidates is not None else _derived(named_by, keys)
    names = _named(_in_order(looked_at, keys, since, until), keys)
    existing = set(declared)
    new = {candidate: name for name, candidate in names.items() if name not in existing}
    asked = Asked()
    rule.ask(list(new), evidence, asked)
    if asked:
        evidence = replace(evidence, details=details(asked))
    waiting = rule.waiting(list(new), evidence)
    inputs_of = _inputs([(one.table, coverage.count) for one, coverage in coverages.items()])
    return Plan(
        view=view,
        view_uuid=view_uuid,
        ready={name: inputs_of(candidate) for candidate, name in new.items() if candidate not in waiting},
        waiting={name: waiting[candidate] for candidate, name in new.items() if candidate in waiting},
        declared=tuple(name for name in names if name in existing),
        tables={
            table: TableFacts(listing.format, listing.snapshot, len(listing.values), listed_at_ms, listing.table_id)
            for table, listing in listings.items()
        },
        unnamed=_unnamed(rule, coverages) if candidates is None else {},
    )


def coverages_of(
    rule: Rule, listings: Mapping[str, PartitionListing], keys: Sequence[Column]
) -> dict[Requirement, Coverage]:
    """What the tables hold of each rule inside that asks for partitions of one.

    Raises:
        InvalidInputError: a rule does not fit its table or the view.
    """
    return {one: one.cover(listings, keys) for one in rule.requirements() if isinstance(one, Requirement)}


def _given(specs: Iterable[Spec], keys: tuple[Column, ...]) -> set[Candidate]:
    return {normalise_spec(spec, keys) for spec in specs}


def _derived(coverages: Sequence[Coverage], keys: tuple[Column, ...]) -> set[Candidate]:
    named = [candidates for coverage in coverages if (candidates := coverage.candidates()) is not None]
    if not named:
        columns = ", ".join(key.name for key in keys)
        raise InvalidInputError(
            f"No requirement names a partition of the view by all its partition columns ({columns}), so it is not "
            f"known which partitions to look at. Require a table's columns to be column('...') for each of them.",
            remedy=GivePartitions(),
            keys=[key.name for key in keys],
        )
    return set().union(*named)


def _unnamed(rule: Rule, coverages: Mapping[Requirement, Coverage]) -> dict[str, Unnamed]:
    """By table; where two requirements speak of one, the larger number."""
    unnamed: dict[str, Unnamed] = {}
    for one in rule.naming():
        told = coverages[one].unnamed() if isinstance(one, Requirement) else None
        if told and (one.table not in unnamed or told.partitions > unnamed[one.table].partitions):
            unnamed[one.table] = told
    return unnamed


def _in_order(
    candidates: Iterable[Candidate], keys: tuple[Column, ...], since: Spec | None, until: Spec | None
) -> list[Candidate]:
    """The candidates within the bounds, ascending by the values of their types."""
    readers = [_typed(key) for key in keys]

    def typed(candidate: Sequence[str]) -> tuple[Value | None, ...]:
        return tuple([read(text) for read, text in zip(readers, candidate, strict=True)])

    given = list(candidates)
    # By columns: a million candidates have few different values in each, and numbers are compared faster.
    ranks = [0] * len(given)
    for position, read in enumerate(readers):
        ascending = sorted({one[position] for one in given}, key=read)  # type: ignore[arg-type]  # values of one type
        rank_of = {text: rank for rank, text in enumerate(ascending)}
        ranks = [rank * len(rank_of) + rank_of[one[position]] for rank, one in zip(ranks, given, strict=True)]
    ordered = [candidate for _, candidate in sorted(zip(ranks, given, strict=True))]
    for bound, is_within in ((since, tuple.__ge__), (until, tuple.__le__)):
        if bound:
            texts = normalise_partial_spec(bound, keys)
            at = [position for position, key in enumerate(keys) if key.name.lower() in texts]
            limit = tuple(readers[position](texts[keys[position].name.lower()]) for position in at)
            ordered = [one for one in ordered if is_within(tuple([typed(one)[position] for position in at]), limit)]
    return ordered


def _typed(key: Column) -> Callable[[str], Value | None]:
    return cache(lambda text: typed_value(text, key.type))


def _named(candidates: Iterable[Candidate], keys: tuple[Column, ...]) -> dict[str, Candidate]:
    given = list(candidates)
    columns = [map(_namer(key), map(itemgetter(at), given)) for at, key in enumerate(keys)]
    names: dict[str, Candidate] = {}
    for candidate, parts in zip(given, zip(*columns, strict=True), strict=True):
        # What is too long to be named is no partition of the view, whatever the base tables have.
        if None not in parts:
            name = "/".join(parts)
            if stored_length(name) <= MAX_PARTITION_NAME:
                names[name] = candidate
    return names


def _namer(key: Column) -> Callable[[str], str | None]:
    def name_of(text: str) -> str | None:
        try:
            return partition_name([key.name], [text])
        except InvalidPartitionError:
            return None

    return cache(name_of)


def _inputs(counts: Sequence[tuple[str, Callable[[Candidate], int]]]) -> Callable[[Candidate], Mapping[str, int]]:
    """The number of base partitions by table; where two requirements speak of one table, the larger number."""
    equal: dict[tuple[int, ...], dict[str, int]] = {}

    def inputs_of(candidate: Candidate) -> Mapping[str, int]:
        numbers = tuple([count(candidate) for _, count in counts])
        if numbers not in equal:
            by_table: dict[str, int] = {}
            for (table, _), number in zip(counts, numbers, strict=True):
                by_table[table] = max(number, by_table.get(table, 0))
            equal[numbers] = by_table
        return equal[numbers]

    return inputs_of
