"""The commands lineage and uses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hive_views.cli import cli
from tests.unit.estate_of_clicks import clicks_estate


@pytest.fixture(autouse=True)
def estate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    catalog = clicks_estate(f"file://{tmp_path}")
    # A memory: metastore lives in one process, and each call of the command makes one.
    monkeypatch.setattr("hive_views.config.Settings.connect", lambda _: catalog)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["--uri", "memory:", *arguments])


def test_lineage_is_shown_column_by_column() -> None:
    result = run("lineage", "sales.weekly", "top")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "top",
        "  sales.daily.p",
        "    web.clicks.page",
        "rows of sales.daily",
        "  web.clicks.ds (GROUP BY)",
        "  web.clicks.page (GROUP BY, WHERE)",
        "  web.clicks.user_id (WHERE)",
    ]


def test_lineage_is_json_and_a_diagram() -> None:
    document = json.loads(run("lineage", "sales.weekly", "--output", "json").stdout)
    assert [one["base"] for one in document["columns"]] == [["web.clicks.page"], []]
    assert run("lineage", "sales.weekly", "--output", "mermaid").stdout.startswith("flowchart LR\n  subgraph t0[")


def test_lineage_of_no_such_column_ends_with_its_nearest_name() -> None:
    result = run("lineage", "sales.weekly", "tops")
    assert result.exit_code != 0
    assert "Did you mean 'top'?" in result.stderr


def test_uses_lists_views_with_their_clauses_and_columns() -> None:
    result = run("uses", "web.clicks.page", "--all")
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert lines == [
        "VIEW THROUGH DIALECT WHERE COLUMNS MADE OF IT",
        "sales.daily - hive SELECT line 1, WHERE line 3, GROUP BY line 4 p",
        "sales.daily - trino SELECT line 1, GROUP BY line 1 p",
        "sales.everything - spark SELECT line 1 page",
        "sales.joined - hive SELECT line 1 page",
        "sales.monthly sales.weekly > sales.daily - only its rows -",
        "sales.weekly sales.daily spark sales.daily.p: SELECT line 1 top",
        "3 views use web.clicks.page, and 2 views through these.",
    ]
    assert "1 view uses web.users." in run("uses", "web.users").stdout


def test_uses_is_json() -> None:
    document = json.loads(run("uses", "web.users.country", "--output", "json").stdout)
    assert document == {
        "of": "web.users.country",
        "uses": [
            {
                "view": "sales.joined",
                "path": ["sales.joined", "web.users"],
                "places": [{"dialect": "hive", "column": "web.users.country", "clause": "SELECT", "line": 1}],
                "columns": ["country"],
                "decides_rows": False,
            }
        ],
        "not_known": [],
    }


def test_uses_of_nothing_is_no_failure() -> None:
    result = run("uses", "sales.monthly")
    assert (result.exit_code, result.stdout) == (0, "0 views use sales.monthly.\n")
