"""The command check: findings by code with the command that mends each, and exit codes for scripts."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from hive_views.cli import cli
from hive_views.metastore.memory import MemoryMetastore
from hive_views.views.catalog import ViewCatalog
from tests.support.views.quick_catalog import NAME, catalog_on


@pytest.fixture
def catalog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ViewCatalog:
    catalog = catalog_on(MemoryMetastore(), f"file://{tmp_path}", owner="ada")
    catalog.create_view(NAME, sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")])
    # A memory: metastore lives in one process, and each call of the command makes one.
    monkeypatch.setattr("hive_views.config.Settings.connect", lambda _: catalog)
    return catalog


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["--uri", "memory:", "check", *arguments])


def break_row(catalog: ViewCatalog, **changes: Any) -> None:
    row = catalog.metastore.load_row(NAME)
    catalog.metastore.swap_row(replace(row, **changes), expected=None)


def test_nothing_found_ends_with_0(catalog: ViewCatalog) -> None:
    result = run()
    assert (result.exit_code, result.stdout) == (0, "1 view: nothing found.\n")


def test_findings_exit_with_6_and_name_the_command_that_repairs_them(catalog: ViewCatalog) -> None:
    break_row(catalog, location="file:///nowhere")
    result = run("sales.*")
    assert result.exit_code == 6
    assert "location-set (error)" in result.stdout
    assert "`hive-views repair sales.daily`" in result.stdout


def test_json_has_every_finding(catalog: ViewCatalog) -> None:
    break_row(catalog, location="file:///nowhere")
    result = run("--output", "json")
    document = json.loads(result.stdout)
    assert result.exit_code == 6
    assert document["counts"] == {"location-set": 1}
    assert document["findings"][0]["remedy"].startswith("`hive-views repair sales.daily`")
    assert document["fixed"] is None


def test_what_is_fixed_is_no_reason_to_end_with_6(catalog: ViewCatalog) -> None:
    break_row(catalog, location="file:///nowhere")
    assert run("--fix", "location-set", "--dry-run").exit_code == 6
    assert catalog.metastore.load_row(NAME).location
    assert run("--fix", "location-set").exit_code == 0
    assert catalog.metastore.load_row(NAME).location is None
    assert run().exit_code == 0


def test_what_was_fixed_or_would_be_is_said_as_every_command_says_it(catalog: ViewCatalog) -> None:
    break_row(catalog, location="file:///nowhere")
    assert "sales.daily  would be fixed  Its row would be rewritten: location-set." in run(
        "--fix", "location-set", "--dry-run"
    ).stdout.replace("\n\n", "\n")
    result = run("--fix", "location-set")
    assert "sales.daily  fixed  Its row was rewritten: location-set.\n\n1 view: 1 fixed.\n" in result.stdout


def test_what_was_repaired_is_counted_and_what_is_left(catalog: ViewCatalog) -> None:
    """Writing a row mends more than the code that was asked for."""
    catalog.create_view("sales.other", sql={"hive": "SELECT 1 AS a FROM web.gone"}, schema=[("a", "int")])
    break_row(catalog, location="file:///nowhere", input_format="org.apache.hadoop.mapred.FileInputFormat")
    assert json.loads(run("--output", "json").stdout)["counts"] == {
        "needs-repair": 1,
        "location-set": 1,
        "source-gone": 1,
    }
    planned = json.loads(run("--output", "json", "--fix", "location-set", "--dry-run").stdout)
    assert planned["left"] == planned["counts"]
    result = run("--fix", "location-set")
    assert result.exit_code == 6
    assert result.stdout.endswith("2 findings fixed. Now 2 views, 1 with findings: 1 source-gone.\n")
    break_row(catalog, location="file:///nowhere")
    found = json.loads(run("--output", "json", "--fix", "location-set").stdout)
    assert (found["counts"], found["left"]) == ({"location-set": 1, "source-gone": 1}, {"source-gone": 1})


def test_where_there_is_nothing_to_fix_it_says_so(catalog: ViewCatalog) -> None:
    result = run("--fix", "location-set", "--fix", "needs-repair")
    assert result.exit_code == 0
    assert (
        result.stdout
        == "Nothing to fix: there are no findings location-set or needs-repair.\n\n1 view: nothing found.\n"
    )


def test_what_needs_a_decision_is_not_fixed(catalog: ViewCatalog) -> None:
    result = run("--fix", "drifted")
    assert result.exit_code == 2
    assert "repair --on-drift" in result.stderr
