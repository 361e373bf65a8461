"""The command export."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hive_views.cli import cli
from tests.unit.estate_of_clicks import clicks_estate


@pytest.fixture(autouse=True)
def estate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    catalog = clicks_estate(f"file://{tmp_path}/warehouse")
    # A memory: metastore lives in one process, and each call of the command makes one.
    monkeypatch.setattr("hive_views.config.Settings.connect", lambda _: catalog)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["--uri", "memory:", *arguments])


def test_views_are_written_and_said(tmp_path: Path) -> None:
    directory = tmp_path / "views"
    result = run("export", str(directory), "sales.*", "--dry-run")
    assert result.exit_code == 0
    assert "would be exported" in result.stdout
    assert not directory.exists()
    result = run("export", str(directory), "--namespace", "sales")
    assert result.exit_code == 0
    assert {path.parent.name for path in directory.glob("*/*.sql")} == {"sales"}
    assert "exported" in result.stdout
    assert run("export", str(directory)).exit_code == 0


def test_what_fails_ends_with_1_and_the_way_out_of_the_shell(tmp_path: Path) -> None:
    (tmp_path / "sales").mkdir()
    (tmp_path / "sales" / "daily.sql").write_text("CREATE VIEW daily AS SELECT 1 AS other")
    result = run("export", str(tmp_path), "sales.daily", "--output", "json")
    assert result.exit_code == 1
    [said] = json.loads(result.stdout)["views"]
    assert (said["state"], said["error_type"]) == ("failed", "AlreadyExistsError")
    assert said["reason"].endswith("`hive-views plan` shows what; --force replaces the file.")
    result = run("export", str(tmp_path), "sales.daily", "--output", "json", "--force")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["views"][0]["file"] == "sales/daily.sql"


def test_a_name_that_nothing_has_and_a_broken_project_are_told(tmp_path: Path) -> None:
    assert run("export", str(tmp_path), "sales.nothing").exit_code == 3
    (tmp_path / "project.toml").write_text("name")
    assert run("export", str(tmp_path), "sales.daily").exit_code == 2


def test_variables_are_given_as_to_plan(tmp_path: Path) -> None:
    run("export", str(tmp_path / "p"), "sales.daily")
    file = tmp_path / "p" / "sales" / "daily.sql"
    file.write_text(file.read_text().replace("VIEW daily", "VIEW ${ns}.daily"))
    with (tmp_path / "p" / "project.toml").open("a") as settings:
        settings.write('[variables]\nns = "test"\n')
    result = run("export", str(tmp_path / "p"), "sales.daily", "--var", "ns=sales")
    assert (result.exit_code, "unchanged" in result.stdout) == (0, True)
