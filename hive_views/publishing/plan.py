"""What to declare, what waits and why: the outcome of judging a view's candidates.

What lives here: the plan as a value that can be printed, saved and applied later, and making it. What must not: reading
tables, declaring partitions, clocks. Made of the same facts, a plan is the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache

from pydantic import ConfigDict, TypeAdapter, ValidationError

from hive_views.base_tables.port import PartitionListing, Snapshot
from hive_views.errors import InvalidInputError, InvalidPartitionError
from hive_views.hive.conversion import Value
from hive_views.hive.limits import MAX_PARTITION_NAME, stored_length
from hive_views.hive.partition_names import partition_name
from hive_views.hive.partition_values import normalise_partial_spec, normalise_spec, typed_value
from hive_views.hive.row import Column
from hive_views.publishing.coverage import Candidate, Coverage
from hive_views.publishing.rules import Evidence, Rule

Spec = Mapping[str, object]

# Metastores before Hive 4 cut longer parameters silently (MariaDB) or fail (PostgreSQL).
_LONGEST_INPUTS = 4000


@dataclass(frozen=True)
class TableFacts:
    """What a plan read of a table: its partitions, at ``listed_at_ms`` since 1970."""

    format: str
    snapshot: Snapshot | None
    partitions: int
    listed_at_ms: int


@dataclass(frozen=True)
class Plan:
    """Partitions by name: ``ready`` ones with the number of base partitions they stand on by table, ``waiting`` ones
    with reasons, and candidates ``declared`` already. Made of what ``tables`` held.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    view: str
    view_uuid: str
    ready: Mapping[str, Mapping[str, int]]
    waiting: Mapping[str, tuple[str, ...]]
    declared: tuple[str, ...]
    tables: Mapping[str, TableFacts]

    def __str__(self) -> str:
        lines = [f"{self.view}: {len(self.ready)} ready, {len(self.waiting)} waiting, {len(self.declared)} declared"]
        lines += [f"  ready    {name}" for name in self.ready]
        lines += [f"  waiting  {name}: {'; '.join(reasons)}" for name, reasons in self.waiting.items()]
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
        counts = self.ready[name]
        inputs = {table: {"partitions": n, **_moment(self.tables[table])} for table, n in counts.items()}
        text = json.dumps(inputs, separators=(",", ":"))
        if len(text) <= _LONGEST_INPUTS:
            return text
        return json.dumps({"tables": len(counts), "partitions": sum(counts.values())}, separators=(",", ":"))


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
        candidates: the partitions to look at; by default those that the tables' partitions name.
        since: values of some partition columns: earlier candidates are left out, compared as a whole in the columns'
            order and by their types.
        until: the same for later ones; the values themselves are in.

    Raises:
        InvalidInputError: the rule does not fit the tables or the view, or no rule says what the candidates are.
        InvalidPartitionError: a candidate or bound is no value of the partition columns.
    """
    keys = tuple(keys)
    coverages = {one: Coverage(one.conditions, listings[one.table], keys) for one in rule.requirements()}
    looked_at = _given(candidates, keys) if candidates is not None else _derived(coverages.values(), keys)
    names = _named(_in_order(looked_at, keys, since, until), keys)
    existing = set(declared)
    new = {candidate: name for name, candidate in names.items() if name not in existing}
    waiting = rule.waiting(list(new), Evidence(keys, coverages))
    inputs_of = _inputs([(one.table, coverage.count) for one, coverage in coverages.items()])
    return Plan(
        view=view,
        view_uuid=view_uuid,
        ready={name: inputs_of(candidate) for candidate, name in new.items() if candidate not in waiting},
        waiting={name: waiting[candidate] for candidate, name in new.items() if candidate in waiting},
        declared=tuple(name for name in names if name in existing),
        tables={
            table: TableFacts(listing.format, listing.snapshot, len(listing.values), listed_at_ms)
            for table, listing in listings.items()
        },
    )


def _given(specs: Iterable[Spec], keys: tuple[Column, ...]) -> set[Candidate]:
    return {normalise_spec(spec, keys) for spec in specs}


def _derived(coverages: Iterable[Coverage], keys: tuple[Column, ...]) -> set[Candidate]:
    named = [candidates for coverage in coverages if (candidates := coverage.candidates()) is not None]
    if not named:
        columns = ", ".join(key.name for key in keys)
        raise InvalidInputError(
            f"No requirement names a partition of the view by all its partition columns ({columns}), so it is not "
            f"known which partitions to look at. Require a table's columns to be column('...') for each of them, or "
            f"give candidates=[{{...}}].",
            keys=[key.name for key in keys],
        )
    return set().union(*named)


def _in_order(
    candidates: Iterable[Candidate], keys: tuple[Column, ...], since: Spec | None, until: Spec | None
) -> list[Candidate]:
    """The candidates within the bounds, ascending by the values of their types."""
    readers = [_typed(key) for key in keys]

    def typed(candidate: Sequence[str]) -> tuple[Value | None, ...]:
        return tuple([read(text) for read, text in zip(readers, candidate, strict=True)])

    ordered = sorted(candidates, key=typed)
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
    namers = [_namer(key) for key in keys]
    names: dict[str, Candidate] = {}
    for candidate in candidates:
        # What is too long to be named is no partition of the view, whatever the base tables have.
        with suppress(InvalidPartitionError):
            name = "/".join([name_of(text) for name_of, text in zip(namers, candidate, strict=True)])
            if stored_length(name) <= MAX_PARTITION_NAME:
                names[name] = candidate
    return names


def _namer(key: Column) -> Callable[[str], str]:
    return cache(lambda text: partition_name([key.name], [text]))


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


def _moment(facts: TableFacts) -> dict[str, int | str]:
    snapshot = {"snapshot": facts.snapshot.id, "table-id": facts.snapshot.table_id} if facts.snapshot else {}
    return {"listed-at-ms": facts.listed_at_ms, **snapshot}
