"""Which partitions of a Hive table are enough to judge the partitions of a view that a run considers.

The metastore filters names by the values of the first partition columns as texts: ``7`` does not find ``07``, and sorts
after ``10``. So a table is narrowed only if the text of the view's partition must occur unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hive_views.base_tables.port import FilterableTable
from hive_views.hive.partition_values import normalise_partial_spec
from hive_views.hive.row import Column
from hive_views.hive.types import parse_hive_type
from hive_views.hive.value_range import ValueRange
from hive_views.publishing.scope import Scope
from hive_views.readiness.conditions import ValuesOf, ViewColumn
from hive_views.readiness.matching.values import is_text
from hive_views.readiness.rules import Requirement, Rule
from hive_views.views.partitions.view_partitions import Spec

# Each is a call; more of them cost more than all names of a large table.
_MOST_CALLS = 24

Part = Sequence[Mapping[str, str]] | ValueRange
"""A part of a table, as ``FilterableTable.list_within`` takes it."""


def part_enough(
    table: FilterableTable,
    name: str,
    rule: Rule,
    keys: Sequence[Column],
    scope: Scope,
) -> Part | None:
    """The part of a table that is enough to judge the partitions in a scope; None: all of it is needed.

    Args:
        table: the table.
        name: what the rule calls it.
        rule: all that is asked of it.
        keys: the partition columns of the view.
        scope: the partitions of the view to be judged.

    Raises:
        InvalidPartitionError: a candidate or bound is no value of the view's columns.
    """
    positions = _linked_positions(table, name, rule, keys)
    if not positions:
        return None
    candidates = scope.given(keys)
    if candidates is not None:
        texts = sorted({candidate[at] for candidate in candidates for at in positions})
        if 0 < len(texts) <= _MOST_CALLS:
            return [{table.keys[0].name: text} for text in texts]
    [at, *others] = positions
    # Only texts that are strings on both sides come in the order in which bounds are compared.
    if others or not _is_string(table.keys[0].type) or not _is_string(keys[at].type):
        return None
    part = ValueRange(_bound_at(at, scope.since, keys), _bound_at(at, scope.until, keys))
    return None if part == ValueRange() else part


def _linked_positions(table: FilterableTable, name: str, rule: Rule, keys: Sequence[Column]) -> set[int]:
    """Where the view has the columns of which each condition on the table wants the same text in the table's first
    partition column; none where one of the conditions asks for something else.
    """
    conditions = list(rule.requirements())
    if not table.keys or any(
        isinstance(asking, ValuesOf) and asking.table == name
        for one in conditions
        if isinstance(one, Requirement)
        for asking in one.conditions.values()
    ):
        return set()
    first, positions = table.keys[0], {key.name.lower(): at for at, key in enumerate(keys)}
    linked: set[int] = set()
    for one in conditions:
        if one.table != name:
            continue
        asking = one.conditions.get(first.name.lower()) if isinstance(one, Requirement) else None
        at = positions.get(asking.name) if isinstance(asking, ViewColumn) and not asking.pattern else None
        if at is None or not _is_exact(first.type) or not _is_exact(keys[at].type):
            return set()
        linked.add(at)
    return linked


def _bound_at(at: int, bound: Spec | None, keys: Sequence[Column]) -> str | None:
    """What a bound says of a column; None where another column comes before it, which decides alone."""
    texts = normalise_partial_spec(bound or {}, keys)
    name = keys[at].name.lower()
    return texts[name] if next(iter(texts), None) == name else None


def _is_string(type_: str) -> bool:
    return parse_hive_type(type_).name == "string"


def _is_exact(type_: str) -> bool:
    """Whether equal values of the type have one text; a char may be padded."""
    return is_text(type_) and not type_.startswith("char")
