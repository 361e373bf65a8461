"""The report: what is on the page, that nothing of it is obeyed, and how it is written."""

from __future__ import annotations

import gzip
import itertools
import json
import os
import re
import uuid
from collections.abc import Mapping
from operator import attrgetter
from pathlib import Path

import pytest

from hive_views.base_tables.port import BaseTable
from hive_views.errors import AlreadyExistsError, Answer, InvalidInputError, MetastoreUnavailableError, NoSuchViewError
from hive_views.estate.describe import describe_views
from hive_views.estate.html_report import graph_layout, shown_views
from hive_views.estate.html_report.graph_layout import drawings_of
from hive_views.estate.html_report.page import HtmlReport, report
from hive_views.estate.html_report.publication_calendars import calendar_of
from hive_views.metastore.memory import MemoryMetastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from hive_views.views.commit.engine import CommitSettings
from tests.support.views import rich_catalog
from tests.unit.estate.html_report.html_page import Page, words

EVERY_FIVE_HOURS = itertools.count(1_787_270_400_000, 5 * 3_600_000)


@pytest.fixture
def catalog() -> ViewCatalog:
    settings = CommitSettings(clock_ms=EVERY_FIVE_HOURS.__next__)
    return ViewCatalog(MemoryMetastore(), warehouse=f"memory://{uuid.uuid4().hex}", settings=settings)


@pytest.fixture
def tables(catalog: ViewCatalog) -> Mapping[str, BaseTable]:
    found = rich_catalog.fill(catalog)
    # What is remembered of files hides that one is gone.
    catalog.storage = type(catalog.storage)()
    return found


@pytest.fixture
def shown(catalog: ViewCatalog, tables: Mapping[str, BaseTable]) -> HtmlReport:
    return report(catalog, base_tables=tables)


@pytest.fixture
def page(shown: HtmlReport) -> Page:
    return Page(shown.html)


def test_all_views_are_on_the_page_with_what_they_are(shown: HtmlReport, page: Page) -> None:
    names = [
        *(f"sales.{name}" for name in ("daily", "drifted", "hostile", "pointer_lost", "revenue", "weekly")),
        *("sales.without_file", "staging.clicks", "staging.orders", "staging.users"),
    ]
    assert sorted(name for name in page.ids if "." in name) == names
    assert shown.counts["views"] == len(names)
    assert shown.counts["plain_views"] == 1
    daily = words(page.text["sales.daily"])
    for part in ("how often", "as the search team counts them", "search@example.org", "102 partitions", "spark, hive"):
        assert part in daily
    assert "plain" in words(page.text["staging.orders"])
    assert "Made in Hive, years ago" in page.text["staging.orders"]


def test_what_is_broken_is_said_of_each_view_and_at_the_top(shown: HtmlReport, page: Page) -> None:
    broken = words(page.text["broken"])
    found = {"drifted": "drifted", "pointer_lost": "lost-pointer", "without_file": "file-missing"}
    for name, code in found.items():
        assert f"sales.{name} {code}" in broken
        assert "1 finding" in page.text[f"sales.{name}"]
    assert shown.counts["broken_views"] == shown.counts["findings"] == 3


def test_what_repairs_a_view_is_said_in_the_words_that_are_given(
    catalog: ViewCatalog, tables: Mapping[str, BaseTable]
) -> None:
    python, shell = (report(catalog, "sales.drifted", in_words=said).html for said in (str, attrgetter("in_shell")))
    assert "with on_drift='adopt'" in Page(python).text["broken"]
    assert "hive-views repair sales.drifted --on-drift adopt" in Page(shell).text["broken"]


def test_the_history_has_the_diff_of_each_version(page: Page) -> None:
    daily = page.text["sales.daily"]
    assert "History: 4 changes" in daily
    assert "-       count(*) AS clicks," in daily
    assert "+       count(DISTINCT c.page) AS clicks," in daily
    assert daily.index("version 3") < daily.index("version 2")


def test_each_view_says_what_it_reads_and_who_reads_it(page: Page) -> None:
    daily = words(page.text["sales.daily"])
    assert "Reads staging.clicks staging.users" in daily
    assert "Read by sales.revenue sales.weekly" in daily


def test_a_publication_has_its_state_and_its_calendar(shown: HtmlReport, page: Page) -> None:
    publication = words(page.text["publications"])
    assert "sales.daily · nightly ready" in publication
    assert f"{shown.counts['waiting']} waiting" in publication
    assert "2 days waiting 1 day ready 102 days published 5 days without a partition" in publication
    assert "2026-06-13..2026-06-15" in publication
    assert "ds=2026-08-21 web.clicks: hr 7..23 of ds=2026-08-21 are missing" in publication


def test_a_publication_whose_tables_cannot_be_read_still_shows_what_is_published(
    catalog: ViewCatalog, tables: Mapping[str, BaseTable]
) -> None:
    publication = words(Page(report(catalog, "sales.daily").html).text["publications"])
    assert "sales.daily · nightly failed" in publication
    assert "102 days published" in publication


def test_links_lead_somewhere_on_the_page_and_nowhere_else(page: Page) -> None:
    assert {"#sales.daily", "#broken", "#views"} <= page.references
    assert page.references <= {f"#{one}" for one in page.ids}
    assert len(page.ids) == len(set(page.ids))


def test_nothing_that_others_wrote_is_markup_or_control(shown: HtmlReport, page: Page) -> None:
    assert not page.tags & {"script", "img", "iframe", "link", "object", "embed", "form", "base"}
    assert page.handlers == set()
    hostile = page.text["sales.hostile"]
    # The text of the query was made without quotes.
    assert hostile.count("<script>alert('x')</script>") >= 3
    assert "{{ 7 * 7 }}" in hostile
    assert "\\x1b[31m\\u202e" in hostile
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown.html)


def test_a_browser_is_told_to_run_and_fetch_nothing(shown: HtmlReport) -> None:
    assert "default-src 'none'; style-src 'unsafe-inline';" in shown.html
    assert not re.search(r"url\(|@import|https?://", shown.html)


def test_one_namespace_is_a_report_of_its_own(catalog: ViewCatalog, tables: Mapping[str, BaseTable]) -> None:
    one = report(catalog, "staging.*")
    assert one.counts["views"] == 3
    page = Page(one.html)
    assert page.references <= {f"#{name}" for name in page.ids}
    with pytest.raises(NoSuchViewError):
        report(catalog, "staging.nothing")


def test_an_empty_catalog_is_a_page_too(catalog: ViewCatalog) -> None:
    assert "There are no views." in Page(report(catalog).html).text["views"]


def test_what_is_long_is_cut_and_says_so(catalog: ViewCatalog) -> None:
    catalog.create_namespace("wide")

    def text(word: str) -> str:
        return f"SELECT 1 AS a\n/* {word * shown_views.MOST_CHARACTERS} */" + "".join(
            f"\n-- {word} {number}" for number in range(shown_views.MOST_DIFF_LINES)
        )

    catalog.create_view("wide.v", sql={"hive": text("0")}, schema=[("a", "int")])
    for number in range(1, shown_views.MOST_CHANGES + 4):
        catalog.replace_view("wide.v", sql={"hive": text(f"{number % 10}")})
    html = report(catalog, "wide.*").html
    shown = Page(html).text["wide.v"]
    assert re.search(r"… and [\d,]+ characters", shown)
    assert re.search(r"… and [\d,]+ lines", shown)
    assert "… and 4 earlier changes" in shown
    assert len(html) < 60 * shown_views.MOST_CHARACTERS


def test_a_file_is_written_whole_and_replaced_if_that_is_asked_for(shown: HtmlReport, tmp_path: Path) -> None:
    target = tmp_path / "views.html"
    assert shown.write(target) == target
    target.write_text("old")
    with pytest.raises(AlreadyExistsError, match="overwrite=True"):
        shown.write(target)
    assert target.read_text("utf-8") == "old"
    assert shown.write(target, overwrite=True) == target
    assert target.read_text("utf-8") == shown.html
    assert list(tmp_path.iterdir()) == [target]


def test_what_cannot_be_written_is_refused_with_the_reason(shown: HtmlReport, tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="it is a directory"):
        shown.write(tmp_path)
    with pytest.raises(InvalidInputError, match="there is no directory"):
        shown.write(tmp_path / "missing" / "views.html")
    with pytest.raises(InvalidInputError, match="File name too long"):
        shown.write(tmp_path / f"{'x' * 300}.html")
    # The page forgotten: "hive-views report sales.one" means the view.
    with pytest.raises(InvalidInputError, match="Name the page first"):
        shown.write(tmp_path / "sales.one")
    pipe = tmp_path / "pipe.html"
    os.mkfifo(pipe)
    with pytest.raises(InvalidInputError, match="not a regular file"):
        shown.write(pipe, overwrite=True)
    assert list(tmp_path.iterdir()) == [pipe]


def test_a_view_that_the_metastore_or_its_file_fails_on_is_on_the_page_with_the_others() -> None:
    metastore = FailingOnPartitions()
    catalog = ViewCatalog(metastore, warehouse=f"memory://{uuid.uuid4().hex}")
    catalog.create_namespace("sales")
    columns = [("a", "int"), ("ds", "string")]
    for name in ("sales.one", "sales.two", "sales.wrong"):
        catalog.create_view(name, sql={"hive": "SELECT 1 AS a, 'x' AS ds"}, schema=columns, partitioned_on=["ds"])
    file = catalog.load_view("sales.wrong").metadata_location
    content = json.loads(gzip.decompress(catalog.storage.read_bytes(file)))
    content["current-version-id"] = 99
    catalog.storage.delete(file)
    catalog.storage.write_bytes(file, gzip.compress(json.dumps(content).encode()))
    page = report(catalog, "sales.*")
    assert (page.counts["views"], page.counts["broken_views"]) == (3, 1)
    assert "0 partitions" in Page(page.html).text["sales.two"]
    listed = {str(one.identifier): one.error for one in describe_views(catalog, "sales.*")}
    assert [name for name, error in listed.items() if error] == ["sales.one", "sales.wrong"]


class FailingOnPartitions(MemoryMetastore):
    """A metastore that answers with an error where it is asked for the partitions of ``sales.one``."""

    def partition_names(self, identifier: TableIdentifier) -> list[str]:
        if identifier.name == "one":
            raise MetastoreUnavailableError("The metastore failed on sales.one: Oops.", answer=Answer.FAILED)
        return super().partition_names(identifier)


def test_a_view_is_drawn_to_the_right_of_all_that_it_reads() -> None:
    reads = {"a.top": ["a.middle", "web.t"], "a.middle": ["web.t", "web.u"], "b.alone": []}
    (drawing,) = drawings_of(reads)
    x = {box.name: box.x for box in drawing.boxes}
    assert x["web.t"] == x["web.u"] < x["a.middle"] < x["a.top"]
    assert len(drawing.lines) == 4
    assert len({(box.x, box.y) for box in drawing.boxes}) == 4


def test_a_cycle_is_drawn_too() -> None:
    (drawing,) = drawings_of({"a.one": ["a.two"], "a.two": ["a.three"], "a.three": ["a.one", "a.three"]})
    assert {box.name for box in drawing.boxes} == {"a.one", "a.two", "a.three"}
    assert len(drawing.lines) == 4


def test_a_long_chain_is_drawn() -> None:
    chain = {f"a.v{number + 1}": [f"a.v{number}"] for number in range(graph_layout.MOST_BOXES - 1)}
    (drawing,) = drawings_of({"a.v0": [], **chain})
    assert len({box.x for box in drawing.boxes}) == graph_layout.MOST_BOXES


def test_what_hangs_together_is_one_drawing_and_of_hundreds_one_for_each_namespace() -> None:
    assert [one.size for one in drawings_of({"a.x": ["t.t"], "b.y": ["t.u"], "b.z": ["b.y"]})] == [3, 2]
    most = graph_layout.MOST_BOXES
    many = {f"{space}.v{number}": [f"{space}.v0", "web.t"] for space in "ab" for number in range(1, most)}
    many |= {f"c.v{number}": ["c.v0"] for number in range(1, most + 1)} | {f"{space}.v0": ["web.t"] for space in "abc"}
    drawings = drawings_of(many)
    assert [(one.title, bool(one.boxes)) for one in drawings] == [("a", True), ("b", True), ("c", False)]
    assert not [box for one in drawings for box in one.boxes if box.name == "web.t"]
    # Of what is too much, what is broken and reads it is drawn.
    last = drawings_of(many, breaking={"c.v0", "c.v1", "c.v2"})[-1]
    assert last.partial
    assert sorted(box.name for box in last.boxes) == ["c.v0", "c.v1", "c.v2"]
    assert [line.breaks for line in last.lines] == [True, True]


def test_a_calendar_has_a_sign_for_each_day_and_names_the_gaps() -> None:
    found = calendar_of({"ds=2026-07-30": "published", "ds=2026-08-03": "waiting", "ds=2026-08-01": "published"})
    assert found
    assert [month.name for month in found.months] == ["2026-07", "2026-08"]
    # The first of August is a Saturday.
    assert found.months[1].paths["published"].startswith("M110 0h")
    assert found.months[1].paths["waiting"].startswith("M0 22h")
    assert found.days == {"waiting": 1, "published": 2, "missing": 2}
    assert found.gaps == ("2026-07-31", "2026-08-02")


def test_a_partition_of_the_year_9999_makes_no_calendar_of_millennia() -> None:
    found = calendar_of({"ds=2026-07-30": "published", "ds=9999-12-31": "published"})
    assert found
    assert len(found.months) == 24
    assert found.left_out > 90_000
    assert found.gaps == ("9998-01-01..9999-12-30",)


def test_partitions_that_are_no_days_have_no_calendar() -> None:
    assert calendar_of({"region=eu": "published"}) is None
    assert calendar_of({}) is None


def test_a_former_version_that_cannot_be_read_costs_the_page_nothing_else(catalog: ViewCatalog, tmp_path: Path) -> None:
    catalog.create_namespace("sales")
    location = tmp_path.as_uri()
    catalog.create_view("sales.odd", sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")], location=location)
    view = catalog.replace_view("sales.odd", sql={"hive": "SELECT 2 AS a"})
    file = Path(view.metadata_location.removeprefix("file://"))
    content = json.loads(gzip.decompress(file.read_bytes()))
    content["versions"][0]["schema-id"] = 99
    file.write_bytes(gzip.compress(json.dumps(content).encode()))
    catalog.storage = type(catalog.storage)()
    page = Page(report(catalog).html)
    assert "Unknown: Version 1 names schema 99" in words(page.text["sales.odd"])
