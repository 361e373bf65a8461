"""The report as a browser shows it: on a phone nothing is wider than the screen, links lead somewhere, nothing runs."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import uuid
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from hive_views.estate.html_report.contents import MOST_UNFOLDED
from hive_views.estate.html_report.page import report
from hive_views.estate.html_report.rendering import render
from hive_views.metastore.memory import MemoryMetastore
from hive_views.storage.metadata_files import MetadataStorage
from hive_views.views.catalog import ViewCatalog
from tests.support.views import rich_catalog
from tests.support.views.long_views import contents_of, long_view

pytestmark = pytest.mark.peer("chromium")

PHONE, DESK = 390, 1280
POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')

# What a reader could do: follow links, and open all that is folded.
MEASURE = """
const link = document.querySelector('a[href="#sales.daily"]');
location.hash = link.hash;
const body = document.getElementById('sales.daily').querySelector('.body');
const opened = body.checkVisibility({contentVisibilityAuto: true}) && body.getBoundingClientRect().height > 100;
const broken = [...document.querySelectorAll('a')].map(a => a.getAttribute('href'))
    .filter(href => !href.startsWith('#') || !document.getElementById(decodeURIComponent(href.slice(1))));
document.querySelectorAll('details').forEach(one => one.open = true);
const wide = [...document.querySelectorAll('body *')].filter(one => !one.closest('svg, pre, .scroll, nav')
    && one.getBoundingClientRect().right > innerWidth + 1).map(one => one.outerHTML.slice(0, 80));
const frame = document.querySelector('.frame');
const found = {width: innerWidth, frame: frame.getBoundingClientRect().right,
    inside: frame.scrollWidth > frame.clientWidth,
    scrolls_to: document.documentElement.scrollWidth, broken, opened, wide,
    fetched: performance.getEntriesByType('resource').length, links: document.links.length,
    small: [...document.querySelectorAll('main p, main code, main a')].filter(one =>
        !one.closest('svg') && parseFloat(getComputedStyle(one).fontSize) < 11).length};
tell(found);
"""

AMONG_HUNDREDS = """
const shown = one => one.checkVisibility({contentVisibilityAuto: true});
const folded = [...document.querySelectorAll('.view')].filter(shown).length;
location.hash = '#index-V';
const listed = [...document.querySelectorAll('#index .letter a')].filter(shown);
location.hash = listed[7].hash;
const view = document.getElementById(listed[7].hash.slice(1));
// The browser unfolds what is around it once it has scrolled there.
requestAnimationFrame(() => setTimeout(() => tell({folded, under_letter: listed.length,
    opened: shown(view.querySelector('.body')), others: !shown(view.nextElementSibling.querySelector('.body')),
    width: document.documentElement.scrollWidth}), 50));
"""
TELL = """
const tell = found => {
    const told = document.createElement('output');
    told.id = 'measured';
    told.textContent = JSON.stringify(found);
    document.body.append(told);
};
"""


@pytest.fixture(scope="module")
def browser() -> str:
    found = shutil.which("chromium-headless-shell")
    return found or pytest.skip("chromium-headless-shell is not installed")


@pytest.fixture(scope="module")
def html() -> str:
    catalog = ViewCatalog(MemoryMetastore(), warehouse=f"memory://{uuid.uuid4().hex}")
    tables = rich_catalog.fill(catalog)
    catalog.storage = MetadataStorage()
    return report(catalog, base_tables=tables).html


def dumped(browser: str, page: Path, width: int) -> str:
    """The elements of a page once its scripts have ended."""
    call = [browser, "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={page.parent / 'profile'}"]
    options = [f"--window-size={width},800", "--virtual-time-budget=3000", "--dump-dom", page.as_uri()]
    return subprocess.run([*call, *options], capture_output=True, text=True, timeout=120, check=True).stdout


def measured(browser: str, html: str, directory: Path, width: int, script: str = MEASURE) -> dict[str, Any]:
    page = directory / "measured.html"
    page.write_text(POLICY.sub("", html).replace("</body>", f"<script>{TELL}{script}</script></body>"), "utf-8")
    found = re.search(r'<output id="measured">(.*?)</output>', dumped(browser, page, width), re.DOTALL)
    assert found
    told: dict[str, Any] = json.loads(unescape(found[1]))
    return told


@pytest.mark.parametrize("width", [PHONE, DESK])
def test_nothing_is_wider_than_the_screen_and_each_link_leads_somewhere(
    browser: str, html: str, tmp_path: Path, width: int
) -> None:
    found = measured(browser, html, tmp_path, width)
    assert found["width"] == width
    assert found["wide"] == []
    assert found["scrolls_to"] == width
    assert found["links"] > 20
    assert found["broken"] == []
    assert found["small"] == 0
    assert found["fetched"] == 0


def test_a_link_to_a_folded_view_opens_it(browser: str, html: str, tmp_path: Path) -> None:
    assert measured(browser, html, tmp_path, PHONE)["opened"]


def test_a_wide_graph_scrolls_within_its_frame(browser: str, html: str, tmp_path: Path) -> None:
    found = measured(browser, html, tmp_path, PHONE)
    assert found["inside"]
    assert found["frame"] < PHONE


def test_of_hundreds_a_view_is_found_in_the_index_and_opens_with_its_namespace(browser: str, tmp_path: Path) -> None:
    views = [long_view(f"{space}.v{number}") for space in ("sales", "web") for number in range(MOST_UNFOLDED)]
    html = render(contents_of(long_view("sales.daily"), *views))
    found = measured(browser, html, tmp_path, PHONE, AMONG_HUNDREDS)
    assert found == {"folded": 0, "under_letter": MOST_UNFOLDED * 2, "opened": True, "others": True, "width": PHONE}


def test_a_script_that_got_onto_the_page_would_not_run(browser: str, html: str, tmp_path: Path) -> None:
    script = "<script>document.title = 'it ran'</script></body>"
    page = tmp_path / "with_script.html"
    page.write_text(html.replace("</body>", script), "utf-8")
    assert "<title>it ran</title>" not in dumped(browser, page, DESK)
    page.write_text(POLICY.sub("", html).replace("</body>", script), "utf-8")
    assert "<title>it ran</title>" in dumped(browser, page, DESK), "else the test proves nothing"
