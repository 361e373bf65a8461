"""The report on hundreds and thousands of views: it stays small, is grouped, and each view is found in an index."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from hive_views.estate.html_report import fitting
from hive_views.estate.html_report.contents import FEWEST_IN_INDEX, MOST_UNFOLDED
from hive_views.estate.html_report.rendering import render
from tests.support.views.long_views import contents_of, long_view
from tests.unit.estate.html_report.html_page import Page, words


@pytest.mark.parametrize("room", [1_000_000, 2_000_000])
def test_a_page_of_many_long_views_stays_within_its_size(monkeypatch: pytest.MonkeyPatch, room: int) -> None:
    # The smaller one is that of 5,000 on 10 MB: 2,000 bytes for each.
    monkeypatch.setattr(fitting, "MOST_BYTES", int(room * fitting.MOST_BYTES / 10_000_000))
    many = [long_view(f"{space}.v{number}", times=40) for space in ("a", "b") for number in range(249)]
    html = render(contents_of(*many, long_view("a.short"), long_view("b.short")))
    assert room * 0.8 < len(html.encode()) < room
    page = Page(html)
    assert "Long columns, texts and histories are cut" in page.text["views"]
    long = words(page.text["a.v7"])
    assert re.search(r"… and [\d,]+ characters of SQL: hive", long)
    assert "column_0 decimal(12,2) as <counted>" in long
    if room == 1_000_000:
        assert re.search(r"… and \d+ columns", long)
    else:
        assert "… and" not in page.text["a.short"], "what is short is whole"


def test_where_there_is_room_nothing_is_cut() -> None:
    views = [long_view("a.one", times=40), long_view("a.two")]
    fitted, is_cut = fitting.fitting(views, 0)
    assert not is_cut
    assert fitted == views


def test_hundreds_of_views_are_folded_and_drawn_by_namespace() -> None:
    few = render(contents_of(*(long_view(f"a.v{number}") for number in range(MOST_UNFOLDED))))
    assert '<details class="space">' not in few
    many = [long_view(f"{space}.v{number}") for space in ("a", "b") for number in range(MOST_UNFOLDED)]
    broken = replace(many[1], cause="a.v0")
    html = render(contents_of(many[0], broken, *many[2:]))
    assert html.count('<details class="space">') == 2
    assert html.count('<details class="panel space">') == 2
    assert "1 reads a broken view" in words(Page(html).text["views"])


def test_an_index_has_each_view_under_its_letter() -> None:
    names = ["Zeta", "alpha", "Avocado", "été", "_tmp", "9to5"]
    few = [long_view(f"sales.{name}") for name in names]
    assert Page(render(contents_of(*few))).text.get("index") is None
    page = Page(render(contents_of(*few, *(long_view(f"web.v{number}") for number in range(FEWEST_IN_INDEX)))))
    assert words(page.text["index"]) == "Index other A V Z É"
    assert words(page.text["index-A"]) == "alpha (sales) Avocado (sales)"
    assert words(page.text["index-other"]) == "9to5 (sales) _tmp (sales)"
    assert page.references >= {"#index-A", "#sales.Avocado", "#web.v29"}
    assert page.references <= {f"#{one}" for one in page.ids}
