"""Which partitions of a Hive table are enough to judge a few candidates.

What lives here: when a listing may be narrowed, and to what. What must not: listing (ground.py).

The metastore filters names by the values of the first partition columns, as texts: ``7`` does not find ``07``. So a
table is narrowed only where a text of the view's partition must be found as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from hive_views.base_tables.hive import HiveBaseTable
from hive_views.hive.row import Column
from hive_views.publishing.conditions import ValuesOf, ViewColumn
from hive_views.publishing.links import Candidate
from hive_views.publishing.matching import is_text
from hive_views.publishing.rules import Requirement, Rule

# Each is a call; more of them cost more than all names of a large table.
_MOST_CALLS = 24

Prefixes = Sequence[Mapping[str, str]]


def prefixes_of(
    table: HiveBaseTable, name: str, rule: Rule, keys: Sequence[Column], candidates: Iterable[Candidate]
) -> Prefixes | None:
    """The values of the table's first partition column that the candidates need; None: all partitions are needed.

    Args:
        table: the table.
        name: what the rule calls it.
        rule: all that is asked of it.
        keys: the partition columns of the view.
        candidates: the partitions of the view to be judged.
    """
    conditions = list(rule.requirements())
    if not table.keys or any(
        isinstance(asking, ValuesOf) and asking.table == name
        for one in conditions
        if isinstance(one, Requirement)
        for asking in one.conditions.values()
    ):
        return None
    first, positions = table.keys[0], {key.name.lower(): at for at, key in enumerate(keys)}
    needed: set[str] = set()
    for one in conditions:
        if one.table != name:
            continue
        asking = one.conditions.get(first.name.lower()) if isinstance(one, Requirement) else None
        at = positions.get(asking.name) if isinstance(asking, ViewColumn) and not asking.pattern else None
        if at is None or not _is_exact(first.type) or not _is_exact(keys[at].type):
            return None
        needed |= {candidate[at] for candidate in candidates}
    return [{first.name: text} for text in sorted(needed)] if 0 < len(needed) <= _MOST_CALLS else None


def _is_exact(type_: str) -> bool:
    """Whether equal values of the type have one text; a char may be padded."""
    return is_text(type_) and not type_.startswith("char")
