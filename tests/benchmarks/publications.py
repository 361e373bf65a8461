"""What the status of a thousand publications costs, on a metastore in memory."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime, timedelta, timezone

from hive_views.hive.row import Column, Partition
from hive_views.hive.value_range import ValueRange
from hive_views.metastore.memory import MemoryMetastore
from hive_views.publishing.publish import publish
from hive_views.publishing.status import status
from hive_views.readiness.expectation import Expectation
from hive_views.readiness.rules import column, requires
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.engine import CommitSettings
from tests.benchmarks.figures import PIECES, Figure
from tests.support.tables.hive_setup import table_row

PUBLICATIONS, TABLES, DAYS = 1_000, 50, 60
NOW = datetime(2026, 8, 24, 6, tzinfo=timezone.utc)
KEYS = (Column("ds", "string"), Column("hr", "int"))
COLUMNS = [("user_id", "bigint"), ("clicks", "bigint"), ("ds", "string")]


class _Counting(MemoryMetastore):
    listings = 0

    def partition_names_within(self, identifier: TableIdentifier, keys: list[str], texts: ValueRange) -> list[str]:  # type: ignore[override]
        self.listings += 1
        return super().partition_names_within(identifier, keys, texts)


def measure_publications() -> Iterator[Figure]:
    """1,000 publications that expect each of 60 days, over 50 tables of 1,392 hours; the last two days are late."""
    metastore = _Counting(clock=NOW.timestamp)
    settings = CommitSettings(clock_ms=lambda: int(NOW.timestamp() * 1000))
    catalog = ViewCatalog(metastore, warehouse=f"memory://{uuid.uuid4().hex}", settings=settings)
    for namespace in ("web", "bench"):
        catalog.create_namespace(namespace)
    days = [(date(2026, 8, 23) - timedelta(number)).isoformat() for number in range(DAYS)]
    for number in range(TABLES):
        name = TableIdentifier("web", f"clicks_{number}")
        metastore.create_row(replace(table_row("web", KEYS, f"file:///{name}"), identifier=name))
        hours = [(day, str(hour)) for day in days[2:] for hour in range(24)]
        metastore.add_partitions(name, [Partition(one, {}, has_descriptor=True) for one in hours], if_not_exists=False)
    for number in range(PUBLICATIONS):
        table, view = f"web.clicks_{number % TABLES}", f"bench.v{number}"
        text = f"SELECT user_id, count(*) AS clicks, ds FROM {table} GROUP BY user_id, ds"
        catalog.create_view(view, sql={"hive": text}, schema=COLUMNS, partitioned_on=["ds"])
        rule = requires(table, ds=column("ds"), hr=range(24))
        expected = Expectation("daily", timedelta(hours=6))
        publish(catalog, view, rule, since={"ds": days[-1]}, expected=expected, fingerprints=False)
    metastore.listings = 0
    started = time.perf_counter()
    found = status(catalog)
    seconds = time.perf_counter() - started
    assert [len(one.late) for one in found] == [2] * PUBLICATIONS
    yield Figure(f"status of {PUBLICATIONS:,} publications that expect {DAYS} days, in memory", [seconds], [], 20.0)
    yield Figure("listings of each of its tables", [metastore.listings / TABLES], [], 1, PIECES)
