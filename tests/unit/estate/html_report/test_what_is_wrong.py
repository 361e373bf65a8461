"""The report on what is wrong: equal findings as one block, what breaks through them in colour, and what is late."""

from __future__ import annotations

import re
import uuid
from dataclasses import replace
from datetime import datetime, timezone
from operator import attrgetter

import pytest

from hive_views.base_tables.memory import MemoryBaseTable
from hive_views.estate.checks.checking import check
from hive_views.estate.html_report.page import HtmlReport, report
from hive_views.estate.html_report.publications import time_ago
from hive_views.hive.row import VIRTUAL_VIEW, Column, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.publishing.publish import publish
from hive_views.readiness.expectation import Expectation
from hive_views.readiness.rules import column, requires
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.engine import CommitSettings
from tests.unit.estate.html_report.html_page import Page, words

SECRET = "https://ada:secret@example.org/x"


def catalog_at(*moment: int) -> ViewCatalog:
    """An empty catalog at a time that stands still."""
    now_s = datetime(*moment, tzinfo=timezone.utc).timestamp()  # type: ignore[arg-type, misc]
    settings = CommitSettings(clock_ms=lambda: int(now_s * 1000))
    metastore = MemoryMetastore(clock=lambda: now_s)
    return ViewCatalog(metastore, warehouse=f"memory://{uuid.uuid4().hex}", settings=settings)


@pytest.fixture
def catalog() -> ViewCatalog:
    """A table that five views read, directly or through others."""
    catalog = catalog_at(2026, 8, 21, 12)
    for namespace in ("sales", "web"):
        catalog.create_namespace(namespace)
    for table in ("clicks", "users"):
        row = Row(TableIdentifier("web", table), "MANAGED_TABLE", "ada", columns=(Column("a", "int"),))
        catalog.metastore.create_row(row)
    for name, read in (
        ("one", "web.clicks"),
        ("two", "web.clicks"),
        ("three", "sales.one"),
        ("four", "sales.three"),
        ("sound", "web.users"),
    ):
        catalog.create_view(f"sales.{name}", sql={"hive": f"SELECT a FROM {read}"}, schema=[("a", "int")])
    return catalog


def change_row(catalog: ViewCatalog, name: str) -> None:
    """As another program does, without the metadata file; whoever reads the view reads it still."""
    row = catalog.metastore.load_row(TableIdentifier.of(name))
    catalog.metastore.swap_row(
        replace(row, original_text="SELECT 1 AS a", expanded_text="SELECT 1 AS a"), expected=None
    )


def boxes(shown: HtmlReport) -> dict[str, str]:
    """By name of a view in the graph, how it is coloured."""
    graph = shown.html.partition('<section id="graph">')[2].partition("</section>")[0]
    return dict(re.findall(r'<a href="#([\w.]+)" class="managed (\w*)"', graph))


def test_equal_findings_are_one_block_with_the_views_that_have_them(catalog: ViewCatalog) -> None:
    catalog.metastore.drop_row(TableIdentifier("web", "clicks"))
    shown = report(catalog, in_words=attrgetter("in_shell"))
    found = shown.document()["findings"]
    assert [(one["code"], one["views"], one["readers"]) for one in found] == [
        ("source-gone", ["sales.one", "sales.two"], 2),
        ("source-broken", ["sales.four", "sales.three"], 0),
    ]
    broken = words(Page(shown.html).text["broken"])
    assert broken.count("source-gone") == 1
    assert "source-gone 2 views read by 2 other views" in broken
    assert "`hive-views replace NAME` replaces the SQL. sales.one sales.two" in broken
    # Each of the views tells its own.
    assert "`hive-views replace sales.one`" in words(Page(shown.html).text["sales.one"])
    assert "They read sales.one, directly or through other views, which is broken:" in broken


def test_a_finding_of_one_view_is_told_with_its_name(catalog: ViewCatalog) -> None:
    change_row(catalog, "sales.sound")
    broken = words(Page(report(catalog, in_words=attrgetter("in_shell")).html).text["broken"])
    assert broken.startswith("Findings sales.sound drifted ")
    assert "hive-views repair sales.sound" in broken


def test_the_most_severe_findings_come_first(catalog: ViewCatalog) -> None:
    for name in ("sales.sound", "sales.two"):
        change_row(catalog, name)
    change_row(catalog, "sales.one")
    for name in ("sales.a_external", "sales.b_external", "sales.c_external", "sales.d_external"):
        catalog.create_view(name, sql={"hive": "SELECT a FROM web.users"}, schema=[("a", "int")])
        row = catalog.metastore.load_row(TableIdentifier.of(name))
        parameters = {**row.parameters, "EXTERNAL": "TRUE"}
        catalog.metastore.swap_row(replace(row, parameters=parameters), expected=None)
    missing = catalog.load_view("sales.four").metadata_location
    catalog.storage.delete(missing)
    catalog.storage = type(catalog.storage)()
    found = report(catalog).document()["findings"]
    # Errors before warnings, though these are of more views; then what concerns the most, with those that read them.
    assert [(one["severity"], one["code"], len(one["views"]), one["readers"]) for one in found] == [
        ("error", "drifted", 3, 2),
        ("error", "file-missing", 1, 0),
        ("warning", "external", 4, 0),
    ]


def test_what_reads_a_broken_view_is_coloured_in_the_graph_and_says_so(catalog: ViewCatalog) -> None:
    change_row(catalog, "sales.one")
    shown = report(catalog)
    assert boxes(shown) == {
        "sales.one": "broken",
        "sales.two": "",
        "sales.three": "affected",
        "sales.four": "affected",
        "sales.sound": "",
    }
    assert (shown.counts["broken_views"], shown.counts["affected_views"]) == (1, 2)
    page = Page(shown.html)
    assert "reads a broken view, directly or through others" in page.text["graph"]
    assert "It reads sales.one , directly or through others, which is broken." in words(page.text["sales.four"])
    causes = {one["identifier"]: one["broken_through"] for one in shown.document()["views"]}
    assert causes["sales.four"] == causes["sales.three"] == "sales.one"
    assert causes["sales.one"] is causes["sales.sound"] is None


def test_views_that_read_a_column_of_a_broken_one_are_coloured(catalog: ViewCatalog) -> None:
    """Also one that reads a column which the row of a plain view does not have any more."""
    clicks, plain = TableIdentifier("web", "clicks"), TableIdentifier("sales", "plain")
    text = "SELECT b FROM web.clicks WHERE a > 0"
    row = Row(plain, VIRTUAL_VIEW, "ada", columns=(Column("b", "int"),), original_text=text, expanded_text=text)
    catalog.metastore.create_row(row)
    catalog.create_view("sales.five", sql={"hive": "SELECT c AS a FROM sales.plain"}, schema=[("a", "int")])
    catalog.create_view("sales.six", sql={"hive": "SELECT a FROM sales.five"}, schema=[("a", "int")])
    catalog.metastore.drop_row(clicks)
    catalog.metastore.create_row(Row(clicks, "MANAGED_TABLE", "ada", columns=(Column("b", "int"),)))
    shown = report(catalog)
    assert boxes(shown) == {
        **dict.fromkeys(("sales.one", "sales.two", "sales.five"), "broken"),
        **dict.fromkeys(("sales.three", "sales.four", "sales.six"), "affected"),
        "sales.sound": "",
    }
    found = [(one.view, one.code) for one in check(catalog, "sales.five", "sales.six").findings]
    assert found == [
        ("sales.five", "column-gone"),
        ("sales.five", "source-broken"),
        ("sales.six", "source-broken"),
    ]


def test_a_sound_estate_has_nothing_coloured(catalog: ViewCatalog) -> None:
    shown = report(catalog)
    assert {*boxes(shown).values()} == {""}
    assert "reads a broken view" not in Page(shown.html).text["graph"]


def test_what_is_late_says_since_when_and_for_what_it_waits() -> None:
    catalog = catalog_at(2026, 8, 17, 3)
    for namespace in ("sales", "web"):
        catalog.create_namespace(namespace)
    schema = [("a", "int"), ("ds", "string")]
    text = "SELECT a, ds FROM web.clicks"
    catalog.create_view("sales.daily", sql={"hive": text}, schema=schema, partitioned_on=["ds"])
    here = [(f"2026-08-{day:02}", f"{hour:02}") for day in (14, 15, 16) for hour in range(24)]
    columns = [Column("ds", "string"), Column("hr", "string")]
    rule = requires("web.clicks", ds=column("ds"), hr=range(24))
    expected = Expectation("daily", late_after="6h", known_empty=[{"ds": "2026-08-18"}])  # type: ignore[arg-type]
    tables = {"web.clicks": MemoryBaseTable("web.clicks", columns, here)}
    publish(catalog, "sales.daily", rule, base_tables=tables, publication="nightly", expected=expected)
    # Two days on: of one day a part has come, of one nothing at all, and the last is not late yet.
    later = catalog_at(2026, 8, 21, 5)
    here += [("2026-08-17", f"{hour:02}") for hour in range(7)]
    tables = {"web.clicks": MemoryBaseTable("web.clicks", columns, here)}
    now = ViewCatalog(catalog.metastore, warehouse=catalog.warehouse, settings=later.settings)
    shown = report(now, base_tables=tables)
    publication = words(Page(shown.html).text["publications"])
    assert "sales.daily · nightly late 3 partitions published" in publication
    assert "Last published 4 days ago, 2026-08-17 03:00:00 UTC." in publication
    assert "Late since waits for ds=2026-08-17 2026-08-18 06:00:00 UTC web.clicks: hr 7..23" in publication
    assert "ds=2026-08-19 2026-08-20 06:00:00 UTC web.clicks: " in publication
    assert "2 days late 1 day due 3 days published 1 day skipped" in publication
    assert shown.counts["late"] == 2
    (told,) = shown.document()["publications"]
    assert told["state"] == "late"
    assert told["last_published_at"] == "2026-08-17T03:00:00+00:00"
    assert told["due"] == ("ds=2026-08-20",)
    assert {*told["late_since_s"]} == {"ds=2026-08-17", "ds=2026-08-19"}
    # The numbers of all days, and those of the late ones again, above what marks them.
    assert words(Page(shown.html).text["days-5-31"]) == " ".join(map(str, range(1, 32)))
    assert shown.html.count('<use href="#days-5-31"/>') == 1
    assert re.findall(r'<text class="late"[^>]*>(\d+)</text>', shown.html) == ["17", "19"]


def test_the_time_since_something_is_told_in_its_largest_unit() -> None:
    told = {seconds: time_ago(seconds) for seconds in (-5, 59, 60, 7_199, 7_200, 86_400, 86_400 * 3.9)}
    assert [*told.values()] == [
        *("just now", "just now", "1 minute ago", "1 hour ago", "2 hours ago", "1 day ago", "3 days ago")
    ]
