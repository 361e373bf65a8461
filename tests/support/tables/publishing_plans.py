"""Plans of rules on listings made by hand, without any table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from hive_views.base_tables.port import PartitionListing, PartitionValues, Statistics
from hive_views.hive.row import Column
from hive_views.publishing.judging import find_candidates, make_plan
from hive_views.publishing.ledger.recorded_rules import text_of_rule
from hive_views.publishing.listings.base_table_states import observe
from hive_views.publishing.plan import Plan
from hive_views.publishing.scope import Scope
from hive_views.readiness.observations import DetailRequest, Details
from hive_views.readiness.rules import Rule
from hive_views.views.partitions.view_partitions import Spec

DS, HR = Column("ds", "string"), Column("hr", "int")
NOW_MS = 1_787_270_400_000  # 2026-08-21 00:00:00 UTC
ONE = [{"ds": "1"}]


def planned(
    rule: Rule,
    *listings: PartitionListing,
    keys: Sequence[Column] = (DS,),
    details: Details | Callable[[DetailRequest], Details] = Details(),  # noqa: B008 - immutable
    declared: Sequence[str] = (),
    candidates: Iterable[Spec] | None = None,
    since: Spec | None = None,
    until: Spec | None = None,
) -> Plan:
    scope = Scope.of(candidates, since, until)
    found = {one.table: one for one in listings}
    observed = observe(rule, found, keys, NOW_MS)
    looked_at = find_candidates(rule, observed, scope)
    new = [candidate for name, candidate in looked_at.items() if name not in declared]
    request = DetailRequest()
    rule.request_details(new, observed, request)
    if request:
        observed = replace(observed, details=details(request) if callable(details) else details)
    return make_plan(
        view="sales.daily",
        view_uuid="b1b2",
        rule=rule,
        rule_text=text_of_rule(rule)[0],
        observed=observed,
        candidates=looked_at,
        declared=declared,
        waiting=rule.waiting(new, observed),
        scope=scope,
    )


def table(partitions: Mapping[PartitionValues, Statistics | None], **changes: Any) -> PartitionListing:
    """Of Delta where statistics are reported, else of Hive."""
    known = [one for one in partitions.values() if one is not None]
    return PartitionListing(
        "web.clicks", "delta" if known else "hive", (DS, HR), list(partitions), statistics=known or None, **changes
    )


def hours(*modified_or_records: int, what: str = "records") -> PartitionListing:
    return table({("1", str(hour)): Statistics(**{what: n}) for hour, n in enumerate(modified_or_records)})
