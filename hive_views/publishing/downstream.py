"""Which views are published on which others, by the rules that are recorded with them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from graphlib import CycleError, TopologicalSorter

from hive_views.errors import HiveViewsError, InvalidInputError
from hive_views.publishing.ledger.recorded_rules import recorded_rules
from hive_views.readiness.rules import Rule
from hive_views.views.catalog import ViewCatalog
from hive_views.views.view import is_iceberg_view

Required = Mapping[str, Collection[str]]
"""By view, the tables and views that its rules are about."""


def required_by_views(catalog: ViewCatalog) -> dict[str, set[str]]:
    """The tables and views that the recorded rules of each view are about, from the rows of all views.

    Views without rules that can be read are left out. UnavailableError: the metastore cannot be asked.
    """
    required: dict[str, set[str]] = {}
    for row in catalog.engine.lookup.all_rows(lambda *_: None):
        if is_iceberg_view(row):
            with suppress(HiveViewsError):
                rules = [one.read_rule() for one in recorded_rules(row.parameters)]
                required[str(row.identifier)] = tables_of(rules)
    return required


def tables_of(rules: Collection[Rule]) -> set[str]:
    """The tables and views that rules are about."""
    asked = (one for rule in rules for one in rule.requirements())
    return {named.name for one in asked for named in one.tables()}


def with_downstream(views: Collection[str], required: Required) -> list[str]:
    """The views, and those that are published on them or on these in turn, each after those that it is published on.

    Raises:
        InvalidInputError: some are published on each other.
    """
    found = list(views)
    for view in found:  # which grows
        found += sorted(one for one, tables in required.items() if view in tables and one not in found)
    graph = {view: sorted((set(required.get(view, ())) & set(found)) - {view}) for view in found}
    try:
        return list(TopologicalSorter(graph).static_order())
    except CycleError as e:
        circle = ", ".join(sorted(set(e.args[1])))
        raise InvalidInputError(f"Circular dependency: the views {circle} require each other.") from e
