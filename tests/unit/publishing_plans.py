"""Plans of rules on listings made by hand, without any table.

What lives here: making listings and plans. What must not: tests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hive_views.base_tables.port import PartitionListing, PartitionValues, Statistics
from hive_views.hive.row import Column
from hive_views.publishing.plan import Plan, make_plan
from hive_views.readiness.evidence import Asked, Details
from hive_views.readiness.rules import Rule

DS, HR = Column("ds", "string"), Column("hr", "int")
NOW_MS = 1_787_270_400_000  # 2026-08-21 00:00:00 UTC
ONE = [{"ds": "1"}]


def planned(
    rule: Rule,
    *listings: PartitionListing,
    keys: Sequence[Column] = (DS,),
    details: Details | Callable[[Asked], Details] = Details(),  # noqa: B008 - immutable
    **options: Any,
) -> Plan:
    return make_plan(
        view="sales.daily",
        view_uuid="b1b2",
        keys=keys,
        rule=rule,
        listings={one.table: one for one in listings},
        listed_at_ms=NOW_MS,
        declared=options.pop("declared", ()),
        details=details if callable(details) else lambda _: details,
        **options,
    )


def table(partitions: Mapping[PartitionValues, Statistics | None], **changes: Any) -> PartitionListing:
    """Of Delta where statistics are told, else of Hive."""
    told = [one for one in partitions.values() if one is not None]
    return PartitionListing(
        "web.clicks", "delta" if told else "hive", (DS, HR), list(partitions), statistics=told or None, **changes
    )


def hours(*modified_or_records: int, what: str = "records") -> PartitionListing:
    return table({("1", str(hour)): Statistics(**{what: n}) for hour, n in enumerate(modified_or_records)})
