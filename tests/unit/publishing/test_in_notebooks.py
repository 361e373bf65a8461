"""What a notebook shows of a plan and of reports: everything, and nothing of it is markup."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest

from hive_views.base_tables.memory import MemoryTableWithHistory
from hive_views.publishing.republish import plan_republish
from hive_views.publishing.republish_plan import RepublishReport
from hive_views.publishing.status import PublicationStatus, PublicationStatuses
from hive_views.readiness.rules import column, requires
from tests.support.tables.publishing_lake import CLICKS, DS, HR, Lake, make_lake

HOSTILE = "<script>alert('x')</script>&\x1b[31m"
RULE = requires(CLICKS, ds=column("ds"), hr=["00", "01"])


@pytest.fixture
def clicks() -> MemoryTableWithHistory:
    return MemoryTableWithHistory(CLICKS, (DS, HR))


@pytest.fixture
def lake(clicks: MemoryTableWithHistory) -> Lake:
    return replace(make_lake(), tables={CLICKS: clicks})


def shown(value: Any) -> list[list[str]]:
    """The texts of the rows, without their headings."""
    reader = _Reader()
    html = value._repr_html_()
    reader.feed(html)
    assert "\x1b" not in html
    assert reader.tags <= {"div", "style", "p", "table", "thead", "tbody", "tr", "th", "td", "span"}
    return reader.rows[1:]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.rows: list[list[str]] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data


def test_a_plan_and_reports_are_tables(lake: Lake, clicks: MemoryTableWithHistory) -> None:
    clicks.append(("1", "00"), ("1", "01"), (HOSTILE, "00"))
    plan, report = lake.plan(RULE), lake.publish(RULE)
    for found in (shown(plan), shown(report)):
        assert [row[1] for row in found] in (["ready", "waiting"], ["declared", "waiting"])
        assert "alert" in found[1][0]
        assert "01" in found[1][2]
    clicks.append(("1", "00"))
    assert [row[:2] for row in shown(lake.revalidate(RULE))] == [["ds=1", "changed"]]


def test_of_many_rows_the_first_are_shown_with_the_number_of_the_others(
    lake: Lake, clicks: MemoryTableWithHistory
) -> None:
    clicks.append(*[(f"{number:05}", "00") for number in range(1_250)])
    plan = lake.plan(RULE)
    assert len(shown(plan)) == 200
    assert "... and 1,050 more" in plan._repr_html_()


def test_a_run_that_was_skipped_is_a_sentence(lake: Lake) -> None:
    lake.publish(RULE, app_id="nightly", run_version=1)
    report = lake.publish(RULE, app_id="nightly", run_version=1)
    assert "<p>default.daily: this run was already completed; nothing was read.</p></div>" in report._repr_html_()


def test_a_status_has_a_calendar_with_what_is_late_and_several_are_a_table_with_one_row_a_publication() -> None:
    late = {"ds=2026-08-22": 1_787_400_000}
    one = PublicationStatus(
        "sales.daily",
        "nightly",
        rules="requires(...)",
        published=1,
        last_published="ds=2026-08-20",
        last_published_at_ms=1_787_300_000_000,
        waiting={"ds=2026-08-22": (HOSTILE,)},
        late=late,
        skipped=("ds=2026-08-21",),
        published_names=("ds=2026-08-20",),
    )
    html = one._repr_html_()
    days = ((20, "good", "declared"), (21, "soft", "known to be empty"), (22, "bad", "late"))
    for day, tone, state in days:
        assert f'<td class="hv-{tone}" title="2026-08-{day}: {state}">{day}</td>' in html
    assert "<script" not in html
    [row] = shown(PublicationStatuses([one]))
    assert row[:2] == ["sales.daily (nightly)", "late"]
    assert row[3] == "ds=2026-08-20, at 2026-08-21 08:13:20 UTC"
    assert row[-1].startswith("ds=2026-08-22: late since 2026-08-22 12:00:00 UTC; <script>")


def test_each_action_of_republishing_has_its_color(lake: Lake, clicks: MemoryTableWithHistory) -> None:
    clicks.append(("1", "00"), ("1", "01"))
    lake.publish(RULE)
    clicks.append(("1", "00"))
    plan = plan_republish(lake.catalog, lake.view, RULE, base_tables=lake.tables)
    assert [row[1:3] for row in shown(plan)] == [["ds=1", "mark"]]
    report = RepublishReport("default.daily", ("ds=1",), ("ds=2",), ("ds=3",), {"ds=4": (HOSTILE,)})
    assert [row[1] for row in shown(report)] == ["marked", "redeclared", "completed", "left"]
    assert report._repr_html_().count('hv-badge hv-good"') == 3
