"""What a check of thousands of views costs, a report on them, and the uses of a column, in memory with local files."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hive_views.estate.checks.checking import check
from hive_views.estate.html_report.page import report as make_report
from hive_views.estate.uses import uses
from hive_views.hive.row import Column, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.spec.serde import next_location, write_metadata
from hive_views.views.catalog import ViewCatalog
from hive_views.views.changes.definition import define
from hive_views.views.changes.verbs import creation
from hive_views.views.row.projection import project
from tests.benchmarks.figures import MEBIBYTES, Figure

VIEWS, TABLES = 10_000, 200
COLUMNS = [("user_id", "bigint"), ("clicks", "bigint"), ("last_page", "string"), ("ds", "string")]


def measure_check(directory: Path) -> Iterator[Figure]:
    """A check of 10,000 views with two texts of their own, a fifth of them partitioned; a report on half of them."""
    catalog = _catalog(directory)
    started = time.perf_counter()
    report = check(catalog)
    seconds = time.perf_counter() - started
    assert len(report.views) == VIEWS
    assert report.findings == ()
    yield Figure(f"check {VIEWS:,} views, in memory with local files", [seconds], [], 60.0)
    started = time.perf_counter()
    page = make_report(catalog, "bench.v[1-5]???")
    seconds = time.perf_counter() - started
    assert page.counts["views"] == VIEWS // 2
    yield Figure(f"report on {VIEWS // 2:,} views, likewise", [seconds], [], 60.0)
    yield Figure("its page", [len(page.html.encode())], [], 10_000_000, MEBIBYTES)


def measure_uses(directory: Path) -> Iterator[Figure]:
    """Which of 10,000 views use a column: when nothing is kept, and when nothing has changed."""
    catalog = _catalog(directory / "views")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HIVE_VIEWS_CACHE_DIR", str(directory / "cache"))
        for what, to_reach in (("the first time", 20.0), ("again", 2.0)):
            fresh = ViewCatalog(catalog.metastore, warehouse=catalog.warehouse)
            gc.collect()
            started = time.perf_counter()
            found = uses(fresh, "web.clicks_7.page", through=True)
            seconds = time.perf_counter() - started
            assert len(found) == VIEWS // TABLES
            yield Figure(f"uses of a column in {VIEWS:,} views, {what}", [seconds], [], to_reach)


def _catalog(directory: Path) -> ViewCatalog:
    catalog = ViewCatalog(MemoryMetastore(), warehouse=str(directory))
    for namespace in ("bench", "web"):
        catalog.create_namespace(namespace)
    for number in range(TABLES):
        columns = (Column("user_id", "bigint"), Column("page", "string"))
        name = TableIdentifier("web", f"clicks_{number}")
        catalog.metastore.create_row(
            Row(name, "MANAGED_TABLE", "ada", f"file:/{name}", columns, (Column("ds", "string"),))
        )
    for number in range(VIEWS):
        _make(catalog, number)
    return catalog


def _make(catalog: ViewCatalog, number: int) -> None:
    """The row and the file of a view, without the locks and the waiting for disks of a commit."""
    name = TableIdentifier("bench", f"v{number}")
    text = (
        f"SELECT user_id, count(*) AS clicks, max(page) AS last_page, ds FROM web.clicks_{number % TABLES} "
        f"WHERE user_id > {number} AND page IN ('a', 'b') GROUP BY user_id, ds"
    )
    definition = define(name, {"hive": text, "trino": text}, COLUMNS, ["ds"] if number % 5 == 0 else [])
    uuid = catalog.settings.new_uuid()
    metadata = creation(name, definition, None, None, now_ms=0, view_uuid=uuid)(f"{catalog.warehouse}/{name}")
    location = next_location(metadata, None, uuid)
    path = Path(location.removeprefix("file://"))
    path.parent.mkdir(parents=True)
    row = project(metadata, identifier=name, location=location, previous_location=None, owner="ada")
    catalog.metastore.create_row(replace(row, create_time_s=0))
    path.write_bytes(write_metadata(metadata, location))
