"""What publishing prints for people: the same in each process, of what was asked for, and of what names nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from rich.table import Table

from hive_views.base_tables.memory import MemoryBaseTable
from hive_views.base_tables.port import PartitionListing
from hive_views.cli.commands.publish_report import document_of, printed
from hive_views.hive.row import Column
from hive_views.publishing.plan import Plan
from hive_views.readiness.coverage import UnnamedPartitions
from hive_views.readiness.rules import column, requires
from tests.support.tables.publishing_lake import CLICKS, DAY, DS, FIRST, HOURS, HR, Lake
from tests.support.tables.publishing_plans import planned

IN_A_PROCESS = """
import json
from hive_views.readiness.rules import column, requires
from tests.support.tables.publishing_lake import CLICKS, DS, FIRST, HR, make_lake

lake = make_lake()
clicks = lake.history(keys=(DS, HR))
hours = {"eu", "us", "asia", "07", "africa", "oceania"}
clicks.append(*[("2026-08-20", hour) for hour in sorted(hours)])
rule = requires(CLICKS, ds=column("ds"), hr=hours | frozenset())
lake.publish(rule)
clicks.append(*[("2026-08-21", hour) for hour in ("eu", "07")])
print(json.dumps([json.loads(lake.inputs(FIRST))[CLICKS]["asked"], dict(lake.plan(rule).waiting)]))
"""


def test_what_is_recorded_and_reported_of_a_set_of_values_is_the_same_in_each_process() -> None:
    answers = {
        subprocess.run(
            [sys.executable, "-c", IN_A_PROCESS],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(answers) == 1
    [asked, waiting] = json.loads(answers.pop())
    assert len(asked) == 1
    assert waiting == {
        "ds=2026-08-21": ["web.clicks at snapshot 2: hr africa, asia, oceania, us of ds=2026-08-21 are missing"]
    }


def test_the_same_values_in_another_order_are_the_same_question(lake: Lake) -> None:
    clicks = lake.history(keys=(DS, HR))
    clicks.append(("2026-08-20", "00"), ("2026-08-20", "01"), ("2026-08-21", "00"), ("2026-08-21", "01"))
    lake.publish(requires(CLICKS, ds=column("ds"), hr=["01", "00"]))
    clicks.delete(("2026-08-20", "01"))
    assert lake.publish(HOURS, retract=True).retracted == (FIRST,)


@pytest.mark.parametrize(
    ("asked", "there", "are_missing"),
    [
        ([0, 6, 12, 18], [0], "hr 6, 12, 18 of ds=1 are missing"),
        (range(24), [0], "hr 1..23 of ds=1 are missing"),
        ([0, 1, 2, 3, 6, 7, 8, 10], [0], "hr 1..3, 6..8, 10 of ds=1 are missing"),
        ([0, 1, 2], [0], "hr 1, 2 of ds=1 are missing"),
        ([-2, -1, 0, 1], [1], "hr -2..0 of ds=1 are missing"),
    ],
    ids=["every six", "all", "some in a row", "two", "below zero"],
)
def test_a_range_is_reported_only_of_values_that_were_all_asked_for(
    asked: list[int], there: list[int], are_missing: str
) -> None:
    listing = PartitionListing(CLICKS, "hive", (DS, Column("hr", "int")), [("1", str(hour)) for hour in there])
    plan = planned(requires(CLICKS, ds=column("ds"), hr=asked), listing)
    assert plan.waiting == {"ds=1": (f"{CLICKS}: {are_missing}",)}


@pytest.mark.parametrize(
    ("asked", "are_missing"),
    [
        (["2026-02-27", "2026-02-28", "2026-03-01"], "2026-02-27..2026-03-01"),
        (["2026-02-02", "2026-02-09", "2026-02-16"], "2026-02-02, 2026-02-09, 2026-02-16"),
        (["1.0", "1.5", "2.0"], "1.0, 1.5, 2.0"),
        (["a", "b", "c"], "a, b, c"),
    ],
    ids=["days", "weeks", "decimals", "words"],
)
def test_dates_in_a_row_are_days_one_after_the_other(asked: list[str], are_missing: str) -> None:
    listing = PartitionListing(CLICKS, "hive", (DS, HR), [("1", "0")])
    plan = planned(requires(CLICKS, ds=column("ds"), hr=["0", *asked]), listing)
    assert plan.waiting == {"ds=1": (f"{CLICKS}: hr {are_missing} of ds=1 are missing",)}


NUMBERED = Column("ds", "int")


def test_base_partitions_that_name_no_partition_of_the_view_are_counted_and_shown() -> None:
    values = [("7", "0"), ("x", "0"), (None, "1"), ("08", "1"), ("y", "1"), ("y", "2"), ("7", "9")]
    listing = PartitionListing(CLICKS, "hive", (DS, HR), values)
    rule = requires(CLICKS, ds=column("ds"), hr=["0", "1"])
    plan = planned(rule, listing, keys=(NUMBERED,))
    assert plan.unnamed == {CLICKS: UnnamedPartitions(3, ("ds=x/hr=0", "ds=NULL/hr=1", "ds=y/hr=1"))}
    assert "web.clicks: 3 partitions name no partition of the view (ds=x/hr=0, ds=NULL/hr=1, ds=y/hr=1)" in str(plan)
    assert Plan.from_json(plan.to_json()) == plan
    of_two = planned(rule & requires(CLICKS, ds=column("ds")), listing, keys=(NUMBERED,))
    assert of_two.unnamed[CLICKS].partitions == 4, "the rule that asks for most"
    assert planned(rule, listing, keys=(NUMBERED,), candidates=[{"ds": 7}]).unnamed == {}


def test_where_every_base_partition_names_one_nothing_is_said(lake: Lake) -> None:
    lake.tables[CLICKS] = MemoryBaseTable(CLICKS, (DS,), [("2026-08-20",)])
    assert lake.publish(DAY).unnamed == {}


@pytest.mark.parametrize("dry_run", [True, False])
def test_a_run_and_its_report_name_what_names_nothing(lake: Lake, dry_run: bool) -> None:
    lake.tables[CLICKS] = MemoryBaseTable(CLICKS, (DS,), [("2026-08-20",), (None,)])
    report = lake.publish(DAY, dry_run=dry_run)
    assert document_of(report)["unnamed"] == {CLICKS: {"partitions": 1, "examples": ["ds=NULL"]}}
    lines = [line for line in printed(report) if not isinstance(line, Table)]
    assert "web.clicks: 1 partition names no partition of the view (ds=NULL)." in lines
