"""The command check: findings by code with the command that mends each, and exit codes for scripts."""

from __future__ import annotations

import json
import shlex
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from hive_views.cli import cli
from hive_views.hive.row import POINTER, Column, Row
from hive_views.metastore.memory import MemoryMetastore
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from tests.support.readmes import examples
from tests.support.views.foreign_writers import hive_create_or_replace
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


# -- one command for equal remedies -----------------------------------------------------------------------------------

SEVERAL = [f"sales.v{number}" for number in range(20)]


def create_several(catalog: ViewCatalog) -> None:
    for name in SEVERAL:
        catalog.create_view(name, sql={"hive": "SELECT 1 AS a"}, schema=[("a", "int")])


def located(row: Row) -> Row:
    return replace(row, location="file:///nowhere")


def altered_by_hive(row: Row) -> Row:
    return hive_create_or_replace(row, "SELECT 2 AS a")


def without_pointer(row: Row) -> Row:
    return replace(row, parameters={key: value for key, value in row.parameters.items() if key != POINTER})


@pytest.mark.parametrize(
    ("code", "breaking"),
    [("location-set", located), ("drifted", altered_by_hive), ("lost-pointer", without_pointer)],
)
def test_equal_remedies_are_one_command_which_repairs_all(
    catalog: ViewCatalog, code: str, breaking: Callable[[Row], Row]
) -> None:
    create_several(catalog)
    for name in SEVERAL:
        row = catalog.metastore.load_row(TableIdentifier.of(name))
        catalog.metastore.swap_row(breaking(row), expected=None)
    result = run()
    [told] = [line for line in result.stdout.splitlines() if line.startswith("Remedy for ")]
    assert told.startswith("Remedy for sales.v0, sales.v1, sales.v10 and 17 more: `hive-views ")
    assert result.stdout.count("`hive-views ") == told.count("`hive-views ")
    command = shlex.split(told.split("`")[1])[1:]
    assert set(SEVERAL) <= set(command)
    repaired = CliRunner().invoke(cli, ["--uri", "memory:", *command])
    assert (repaired.exit_code, run().exit_code) == (0, 0), repaired.output


def test_a_remedy_of_the_view_that_others_read_is_told_once_and_is_for_that_view(catalog: ViewCatalog) -> None:
    for name in ("sales.x", "sales.y"):
        catalog.create_view(name, sql={"hive": f"SELECT a FROM {NAME}"}, schema=[("a", "int")])
    break_row(catalog, parameters={**catalog.metastore.load_row(NAME).parameters, "view.schemaMode": "none"})
    lines = run("sales.x", "sales.y").stdout.splitlines()
    [told] = [line for line in lines if line.startswith("Remedy for ")]
    assert told.startswith("Remedy for sales.x, sales.y: `hive-views repair sales.daily --on-drift adopt` adds ")


def test_a_table_that_is_gone_is_told_once_for_all_that_read_it(catalog: ViewCatalog) -> None:
    for name, read in (("x", "web.gone"), ("y", "web.gone"), ("z", "web.lost"), ("r", "sales.x"), ("s", "sales.y")):
        catalog.create_view(f"sales.{name}", sql={"hive": f"SELECT a FROM {read}"}, schema=[("a", "int")])
    told = [line for line in run().stdout.splitlines() if "replaces the SQL" in line]
    again = "or change the SQL of the view: `hive-views replace"
    assert [line.split(": ", 1)[1] for line in told if line.startswith("Remedy for sales.x, sales.y: ")] == [
        f"Create web.gone again, {again} NAME` replaces the SQL."
    ]
    # What is broken through another view is repaired by replacing that.
    assert len(told) == 4
    for reader, name in (("r", "x"), ("s", "y")):
        [line] = [line for line in told if line.startswith(f"sales.{reader} ")]
        assert f"{again} sales.{name}` replaces the SQL." in line


def test_of_very_many_views_a_command_has_a_thousand(catalog: ViewCatalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hive_views.cli.commands.findings_output._NAMES_IN_A_COMMAND", 15)
    create_several(catalog)
    for name in SEVERAL:
        catalog.metastore.swap_row(located(catalog.metastore.load_row(TableIdentifier.of(name))), expected=None)
    commands = [line.split("`")[1].split()[2:] for line in run().stdout.splitlines() if line.startswith("Remedy for ")]
    assert [len(names) for names in commands] == [15, 5]
    assert sorted(name for names in commands for name in names) == sorted(SEVERAL)


# -- what is known already ---------------------------------------------------------------------------------------------


def test_with_a_baseline_only_what_is_new_is_reported_and_ends_with_6(catalog: ViewCatalog, tmp_path: Path) -> None:
    create_several(catalog)
    baseline = str(tmp_path / "known.json")
    break_row(catalog, location="file:///nowhere")
    written = run("--write-baseline", baseline)
    assert (written.exit_code, written.stdout) == (
        0,
        f"21 views: nothing new found.\n1 known finding left; 0 of the baseline gone.\nWrote {baseline}: 1 finding.\n",
    )
    assert run("--baseline", baseline).exit_code == 0
    # It is the same finding, whatever the location is.
    break_row(catalog, location="file:///elsewhere")
    catalog.create_view("sales.gone", sql={"hive": "SELECT 1 AS a FROM web.gone"}, schema=[("a", "int")])
    result = run("--baseline", baseline)
    assert result.exit_code == 6
    assert "location-set" not in result.stdout
    assert result.stdout.endswith(
        "22 views, 1 with new findings: 1 source-gone.\n1 known finding left; 0 of the baseline gone.\n"
    )
    document = json.loads(run("--baseline", baseline, "--output", "json").stdout)
    assert [one["identifier"] for one in document["findings"]] == ["sales.gone"]
    assert document["baseline"] == {"known": 1, "gone": []}


def test_what_of_a_baseline_is_gone_is_named_and_forgotten_when_it_is_written_again(
    catalog: ViewCatalog, tmp_path: Path
) -> None:
    create_several(catalog)
    baseline = tmp_path / "known.json"
    break_row(catalog, location="file:///nowhere")
    for name in SEVERAL[:2]:
        catalog.metastore.swap_row(located(catalog.metastore.load_row(TableIdentifier.of(name))), expected=None)
    run("--write-baseline", str(baseline))
    fixed = run("--baseline", str(baseline), "sales.daily", "--fix", "location-set")
    assert fixed.exit_code == 0
    assert fixed.stdout.endswith(
        "1 finding fixed. Now 1 view: nothing new found.\n"
        "0 known findings left; 1 of the baseline gone: sales.daily (location-set).\n"
    )
    catalog.drop_view(SEVERAL[0])
    again = run("--baseline", str(baseline), "--write-baseline", str(baseline))
    assert "2 of the baseline gone: sales.daily (location-set), sales.v0 (location-set)." in again.stdout
    assert [one["identifier"] for one in json.loads(baseline.read_text())["findings"]] == [SEVERAL[1]]


def test_what_was_not_looked_for_is_not_gone_and_stays_known(catalog: ViewCatalog, tmp_path: Path) -> None:
    create_several(catalog)
    baseline = tmp_path / "known.json"
    catalog.create_view("sales.days", sql={"hive": "SELECT 1 AS a, 'x' AS ds"}, partitioned_on=["ds"])
    catalog.partitions("sales.days").add([{"ds": "2026-08-21"}])
    row = catalog.metastore.load_row(TableIdentifier.of("sales.days"))
    catalog.metastore.swap_row(replace(row, partition_keys=(Column("ds", "int"),)), expected=None)
    break_row(catalog, location="file:///nowhere")
    run("--write-baseline", str(baseline))
    known = json.loads(baseline.read_text())["findings"]
    assert {"location-set", "partition-values"} <= {one["code"] for one in known}
    catalog.repair_view("sales.days", on_drift="overwrite")
    catalog.repair_view(NAME)
    some = run("--baseline", str(baseline), "--write-baseline", str(baseline), "sales.v*", "--no-partitions")
    assert "0 known findings left; 0 of the baseline gone." in some.stdout
    assert json.loads(baseline.read_text())["findings"] == known
    gone_without = json.loads(run("--baseline", str(baseline), "--no-partitions", "--output", "json").stdout)
    codes = {one["code"] for one in gone_without["baseline"]["gone"]}
    assert codes == {one["code"] for one in known} - {"partition-values"}
    gone = json.loads(run("--baseline", str(baseline), "--output", "json").stdout)
    assert gone["baseline"] == {"known": 0, "gone": known}


@pytest.mark.parametrize(
    "content", ["x = 1", "[]", '{"version": 2, "findings": []}', '{"version": 1, "findings": [{}]}']
)
@pytest.mark.parametrize("option", ["--baseline", "--write-baseline"])
def test_a_file_that_is_no_baseline_is_neither_read_nor_overwritten(
    catalog: ViewCatalog, tmp_path: Path, option: str, content: str
) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text(content)
    result = run(option, str(file))
    assert result.exit_code == 2
    assert "is not a baseline" in result.stderr
    assert file.read_text() == content


def test_a_baseline_is_not_written_in_a_dry_run_or_into_a_directory_that_is_missing(
    catalog: ViewCatalog, tmp_path: Path
) -> None:
    file = tmp_path / "known.json"
    assert "Would write" in run("--write-baseline", str(file), "--dry-run").stdout
    assert not file.exists()
    assert run("--write-baseline", str(tmp_path / "none" / "known.json")).exit_code == 2


# -- formats for CI ----------------------------------------------------------------------------------------------------


def test_sarif_and_junit_have_what_is_new_and_end_with_6(catalog: ViewCatalog, tmp_path: Path) -> None:
    create_several(catalog)
    break_row(catalog, location="file:///nowhere")
    run("--write-baseline", str(tmp_path / "known.json"))
    row = catalog.metastore.load_row(TableIdentifier.of(SEVERAL[0]))
    catalog.metastore.swap_row(located(row), expected=None)
    sarif = run("--baseline", str(tmp_path / "known.json"), "--output", "sarif")
    [result] = json.loads(sarif.stdout)["runs"][0]["results"]
    assert (sarif.exit_code, result["locations"][0]["logicalLocations"][0]["fullyQualifiedName"]) == (6, SEVERAL[0])
    junit = run("--baseline", str(tmp_path / "known.json"), "--output", "junit")
    suite = ET.fromstring(junit.stdout)
    assert (junit.exit_code, suite.get("tests"), suite.get("failures")) == (6, "21", "1")
    assert run("--baseline", str(tmp_path / "known.json"), "sales.daily", "--output", "junit").exit_code == 0


def test_the_recipe_for_ci_works_as_typed(
    catalog: ViewCatalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    break_row(catalog, location="file:///nowhere")
    [shell] = examples("hive_views/estate/README.md", "shell", "Check in CI")
    [workflow] = examples("hive_views/estate/README.md", "yaml", "Check in CI")
    [job] = yaml.safe_load(workflow.text)["jobs"].values()
    steps = [step["run"] for step in job["steps"] if "run" in step]
    [upload] = [step["with"] for step in job["steps"] if "upload-sarif" in step.get("uses", "")]
    for line in [*shell.text.splitlines(), *steps]:
        _, *words = shlex.split(line, comments=True)
        command, file = (words[:-2], words[-1]) if ">" in words else (words, "printed")
        result = CliRunner().invoke(cli, ["--uri", "memory:", *command])
        assert result.exit_code == 0, (line, result.output)
        Path(file).write_text(result.stdout)
    assert json.loads(Path(upload["sarif_file"]).read_text())["version"] == "2.1.0"
    assert ET.parse("views.xml").getroot().get("tests") == "1"
