"""The report as JSON, and its links to where views are served."""

from __future__ import annotations

import json
import uuid
from pathlib import Path

import pytest

from hive_views.errors import InvalidInputError
from hive_views.estate.html_report.page import report
from hive_views.metastore.memory import MemoryMetastore
from hive_views.views.catalog import ViewCatalog
from tests.support.views import rich_catalog
from tests.unit.estate.html_report.html_page import Page


@pytest.fixture(scope="module")
def catalog() -> ViewCatalog:
    catalog = ViewCatalog(MemoryMetastore(), warehouse=f"memory://{uuid.uuid4().hex}")
    rich_catalog.fill(catalog)
    catalog.storage = type(catalog.storage)()
    return catalog


def test_the_content_of_the_page_is_json_with_a_version(catalog: ViewCatalog, tmp_path: Path) -> None:
    shown = report(catalog)
    file = shown.write(tmp_path / "views.json")
    text = file.read_text("utf-8")
    document = json.loads(text)
    assert document == json.loads(json.dumps(shown.document()))
    assert document["version"] == 1
    assert document["counts"] == shown.counts
    page = Page(shown.html)
    assert [one["identifier"] for one in document["views"]] == [name for name in page.ids if "." in name]
    assert {view for one in document["findings"] for view in one["views"]} == {
        one["identifier"] for one in document["views"] if one["findings"]
    }
    views = {one["identifier"]: one for one in document["views"]}
    daily = views["sales.daily"]
    assert daily["reads"] == ["staging.clicks", "staging.users"]
    assert [one["name"] for one in daily["columns"] if one["partition"]] == ["ds"]
    assert [one["version_id"] for one in daily["history"]] == [3, 1, 2, 1]
    assert "+       count(DISTINCT c.page) AS clicks," in daily["history"][0]["differences"][0]["lines"]
    (publication,) = document["publications"]
    assert (publication["identifier"], publication["publication"]) == ("sales.daily", "nightly")
    assert len(publication["published_names"]) == 102
    # What others wrote is whole, but never a control character.
    assert views["sales.hostile"]["comment"] == rich_catalog.HOSTILE
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_each_view_links_to_where_it_is_served(catalog: ViewCatalog) -> None:
    shown = report(catalog, "sales.*", view_url="https://catalog.example.org/{namespace}/{view}?a=b&c=d")
    link = '<a href="https://catalog.example.org/sales/daily?a=b&amp;c=d" rel="noreferrer">'
    assert shown.html.count(link) == 1
    urls = {one["url"] for one in shown.document()["views"]}
    assert "https://catalog.example.org/sales/weekly?a=b&c=d" in urls
    assert len(urls) == shown.counts["views"]


@pytest.mark.parametrize(
    "url",
    [
        *(
            "https://catalog.example.org/views",
            "javascript:alert('{view}')",
            "/{namespace}/{view}",
            "https://{table}/{view}",
        ),
        *("https://catalog.example.org/{view", "https://catalog.example.org/{view.__class__}", "https://x/{view!r}"),
    ],
)
def test_what_is_no_address_of_views_is_refused(catalog: ViewCatalog, url: str) -> None:
    with pytest.raises(InvalidInputError, match=r"begins with https:// or http:// and has \{view\}"):
        report(catalog, view_url=url)
