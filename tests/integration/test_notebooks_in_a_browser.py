"""A notebook that really runs, as JupyterLab's own styles show it in a browser, light and dark."""

from __future__ import annotations

import json
import os
import re
import shutil
import site
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from hive_views.messages.notebooks import with_progress_bar
from tests.support.processes.own_environments import python_with

pytestmark = pytest.mark.peer("jupyter")

ROOT = Path(__file__).parents[2]
JUPYTER = ("nbconvert>=7.16,<8", "ipykernel>=6.29", "tqdm>=4.66")
# Of a host page every element outside of what is shown; its sizes may differ, since it has more or less in it.
MEASURE = """
const blocks = [...document.querySelectorAll('.hive-views')];
blocks.forEach(block => block.querySelectorAll('details').forEach(one => one.open = true));
const rgb = text => text.match(/[\\d.]+/g).map(Number);
const luminance = color => rgb(color).slice(0, 3).map(v => v / 255)
    .map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
const behind = element => {
    const color = getComputedStyle(element).backgroundColor;
    return (rgb(color)[3] ?? 1) ? color : behind(element.parentElement);
};
const ratio = element => {
    const [a, b] = [getComputedStyle(element).color, behind(element)].map(luminance).sort((a, b) => b - a);
    return (a + .05) / (b + .05);
};
const inside = blocks.flatMap(block => [block, ...block.querySelectorAll(':not(style)')]);
const texts = inside.filter(one => [...one.childNodes].some(child => child.nodeType === 3 && child.data.trim()));
const looks = () => [...document.querySelectorAll('body, body *')].filter(one => !one.closest('.hive-views, output'))
    .map(one => { const s = getComputedStyle(one); return [one.tagName, s.color, s.backgroundColor, s.fontFamily,
        s.fontSize, s.textAlign, s.padding, s.margin, s.border, s.display, s.colorScheme].join(' '); });
const scrolls = one => one.closest('.hv-wide, pre');
const found = {
    blocks: blocks.length,
    width: innerWidth,
    wide: inside.filter(one => !scrolls(one) && one.getBoundingClientRect().right >
        one.closest('.hive-views').getBoundingClientRect().right + 1).map(one => one.outerHTML.slice(0, 80)),
    outside: blocks.filter(one => one.getBoundingClientRect().right > innerWidth + 1).length,
    pale: texts.filter(one => ratio(one) < 4.5).map(one => [one.outerHTML.slice(0, 80), ratio(one)]),
    texts: texts.length,
    panels: [...new Set(blocks.map(one => luminance(getComputedStyle(one).backgroundColor) > .5 ? 'light' : 'dark'))],
    left: inside.filter(one => one.matches('td, th') && !one.closest('.hv-calendar') &&
        getComputedStyle(one).textAlign !== 'left').length,
    fetched: performance.getEntriesByType('resource').length,
};
const before = looks();
const styles = [...document.querySelectorAll('.hive-views style')];
styles.forEach(one => one.disabled = true);
const after = looks();
styles.forEach(one => one.disabled = false);
found.elements = before.length;
found.leaked = before.filter((look, number) => look !== after[number]).slice(0, 5);
const told = document.createElement('output');
told.id = 'measured';
told.textContent = JSON.stringify(found);
document.body.append(told);
"""
BEGIN = """
import uuid
from datetime import datetime
from hive_views import *
from hive_views import estate
from tests.support.views import rich_catalog
catalog = ViewCatalog.connect("memory:", warehouse=f"memory://{uuid.uuid4().hex}")
tables = rich_catalog.fill(catalog)
all_hours = requires("web.clicks", ds=column("ds"), hr=range(24))
"""
SHOWN = {
    "catalog": "catalog",
    "no catalog": "ViewCatalog.connect('thrift://localhost:1', retry_timeout_s=0)",
    "view": "catalog.load_view('sales.daily')",
    "hostile view": "catalog.load_view('sales.hostile')",
    "partitions": "catalog.partitions('sales.daily')",
    "history": "catalog.load_view('sales.daily').history",
    "diff": "catalog.diff_view('sales.daily')",
    "views": "estate.describe_views(catalog)",
    "findings": "estate.check(catalog)",
    "outcomes": "estate.adopt(catalog, '*.*', dry_run=True)",
    "error": "next(one.error for one in estate.adopt(catalog, '*.*', dry_run=True) if one.error)",
    "plan": "plan_publish(catalog, 'sales.daily', all_hours, base_tables=tables)",
    "report": "publish(catalog, 'sales.daily', all_hours, base_tables=tables, dry_run=True)",
    "revalidated": "revalidate(catalog, 'sales.daily', base_tables=tables)",
    "status": "status(catalog, base_tables=tables)",
    "publication": "status(catalog, base_tables=tables)[-1]",
    "publications": "publish_each(catalog, [Publication('sales.daily', [all_hours])])",
    "statement": "execute(catalog, 'DESCRIBE sales.daily')",
}
RAISES = "catalog.load_view('sales.dayli')"
BAR = """
import hive_views.messages.notebooks
hive_views.messages.notebooks._DELAY_S = 0  # as in a run that takes long
done = estate.hand_back(catalog, "staging.*", dry_run=True)
seen = []
mine = estate.hand_back(catalog, "sales.*", dry_run=True, on_outcome=lambda *outcome: seen.append(outcome))
"""


@pytest.fixture(scope="module")
def browser() -> str:
    return shutil.which("chromium-headless-shell") or pytest.skip("chromium-headless-shell is not installed")


@pytest.fixture(scope="module")
def python_with_jupyter() -> Path:
    return python_with("jupyter", JUPYTER)


def converted(python: Path, notebook: Path, *options: str) -> None:
    paths = [str(ROOT), *site.getsitepackages()]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "IPYTHONDIR": str(notebook.parent / "ipython")}
    call = [python, "-m", "nbconvert", notebook, "--output-dir", notebook.parent, *options]
    ended = subprocess.run(call, env=environment, capture_output=True, text=True, check=False, timeout=120)
    assert ended.returncode == 0, ended.stderr[-3000:]


@pytest.fixture(scope="module")
def directory(python_with_jupyter: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With the notebook after it was executed, as ``ran.ipynb``."""
    directory = tmp_path_factory.mktemp("notebook")
    code: dict[str, Any] = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    cells = [{**code, "id": f"c{n}", "source": text} for n, text in enumerate([BEGIN, *SHOWN.values(), RAISES, BAR])]
    text = "|a|b|\n|-|-|\n|**1**|`2`|\n\n> quoted"
    cells.append({"cell_type": "markdown", "id": "md", "metadata": {}, "source": text})
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": kernel}, "cells": cells}
    (directory / "made.ipynb").write_text(json.dumps(notebook), "utf-8")
    options = ["--execute", "--allow-errors", "--to", "notebook", "--output", "ran"]
    converted(python_with_jupyter, directory / "made.ipynb", *options)
    return directory


@pytest.fixture(scope="module")
def outputs(directory: Path) -> dict[str, list[dict[str, Any]]]:
    """The outputs of each cell."""
    cells = json.loads((directory / "ran.ipynb").read_text("utf-8"))["cells"]
    names = ["begin", *SHOWN, "raises", "bar"]
    return {name: cell["outputs"] for name, cell in zip(names, cells, strict=False)}


def test_everything_is_shown_in_a_block_that_fetches_and_runs_nothing(outputs: dict[str, list[dict[str, Any]]]) -> None:
    assert outputs["begin"] == []
    for name in SHOWN:
        [output] = outputs[name]
        html = "".join(output["data"]["text/html"])
        assert html.startswith('<div class="hive-views"><style>'), name
        assert not re.search(r"<(?:script|link|img|iframe|object)\b|<[^>]*\bon\w+=|@import|url\(", html), name
        assert "\x1b" not in html
        assert "\u202e" not in html


def test_what_is_shown_of_each(outputs: dict[str, list[dict[str, Any]]]) -> None:
    def shown(name: str) -> str:
        return "".join(outputs[name][0]["data"]["text/html"])

    assert "daily, drifted, hostile" in shown("catalog")
    assert "What is in it is unknown: " in shown("no catalog")
    for text in ("count(DISTINCT c.page)", "102 partitions declared", 'title="2026-05-20: no partition">20<'):
        assert text in shown("view")
    assert "<ins>+       count(DISTINCT c.page) AS clicks,\n</ins>" in shown("diff")
    assert 'class="hv-new" title="2026-08-19: ready">19<' in shown("plan")
    assert 'class="hv-warn" title="2026-08-21: waiting">21<' in shown("plan")
    assert "<td>sales.daily (nightly)</td>" in shown("status")
    [error] = outputs["raises"]
    assert error["traceback"][1] == "NoSuchViewError: There is no view sales.dayli. Did you mean 'sales.daily'?"


def test_a_long_verb_has_the_bar_of_the_notebook_unless_the_caller_looks_at_the_outcomes_itself(
    outputs: dict[str, list[dict[str, Any]]],
) -> None:
    assert {output["name"] for output in outputs["bar"]} == {"stderr"}
    text = "".join(part for output in outputs["bar"] for part in output["text"])
    assert re.search(r"0/3 \[.*view/s\]", text), text
    assert "/7 " not in text
    assert text.endswith("\r"), "it disappears"


@pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", 390)])
def test_it_looks_like_jupyterlab_s_theme_and_leaves_the_page_as_it_is(
    browser: str, python_with_jupyter: Path, directory: Path, theme: str, width: int
) -> None:
    page = directory / f"{theme}.html"
    converted(python_with_jupyter, directory / "ran.ipynb", "--to", "html", "--theme", theme, "--output", theme)
    # The page's own scripts load MathJax.
    html = re.sub(r"<script\b.*?</script>", "", page.read_text("utf-8"), flags=re.DOTALL)
    page.write_text(html.replace("</body>", f"<script>{MEASURE}</script></body>"), "utf-8")
    profile, picture = directory / f"profile-{theme}", directory / f"{theme}.png"
    call = [browser, "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}", f"--window-size={width},4000"]
    arguments = [*call, f"--screenshot={picture}", "--dump-dom", page.as_uri()]
    dumped = subprocess.run(arguments, capture_output=True, text=True, timeout=120, check=True).stdout
    # `pytest --basetemp=DIRECTORY` keeps the pictures for who wants to look at them.
    assert picture.read_bytes().startswith(b"\x89PNG")
    told = re.search(r'<output id="measured">(.*?)</output>', dumped, re.DOTALL)
    assert told
    found = json.loads(unescape(told[1]))
    assert found["blocks"] == len(SHOWN)
    assert found["width"] == width
    assert found["texts"] > 1000
    assert found["panels"] == [theme]
    assert found["pale"] == []
    assert found["left"] == 0
    assert (found["wide"], found["outside"]) == ([], 0)
    assert found["fetched"] == 0
    assert found["elements"] > 300
    assert found["leaked"] == []


def test_outside_of_notebooks_there_is_no_bar() -> None:
    items = [1, 2, 3]
    assert with_progress_bar(items, 3, "view") is items
