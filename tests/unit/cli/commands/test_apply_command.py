"""The commands apply and releases: files, kept plans, refusals, undo, questions and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hive_views.cli import cli
from hive_views.project.applying.release_id import lock_of_project
from hive_views.views.catalog import ViewCatalog
from tests.unit.project.planned_files import ProjectFiles, catalog_with_users


@pytest.fixture
def catalog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ViewCatalog:
    catalog = catalog_with_users(tmp_path)
    monkeypatch.setattr("hive_views.config.Settings.connect", lambda _: catalog)
    return catalog


@pytest.fixture
def files(catalog: ViewCatalog, tmp_path: Path) -> ProjectFiles:
    files = ProjectFiles(catalog, tmp_path / "project")
    files.view("base", "SELECT id FROM users")
    files.view("top", "SELECT id FROM base")
    return files


def run(*arguments: object, given: str | None = None) -> Result:
    return CliRunner().invoke(cli, ["--uri", "memory:", *map(str, arguments)], input=given)


def test_a_project_is_applied_listed_undone_and_the_undo_undone(catalog: ViewCatalog, files: ProjectFiles) -> None:
    assert run("apply", files.directory, "--dry-run").exit_code == 6
    assert not catalog.view_exists("web.base")
    applied = run("apply", files.directory, "--output", "json")
    assert applied.exit_code == 0, applied.output
    release = json.loads(applied.stdout)["release"]
    assert run("apply", files.directory).stdout == "There was nothing to do.\n"
    assert release in run("releases", files.directory).stdout
    assert release in run("history", "web.top").stdout
    assert release in run("show", "web.top").stdout
    undone = run("apply", files.directory, "--undo", release, "--output", "json")
    assert undone.exit_code == 0, undone.output
    assert not catalog.view_exists("web.base")
    (newest, oldest) = json.loads(run("releases", files.directory, "--output", "json").stdout)["releases"]
    assert (newest["undoes"], oldest["undone_by"]) == (release, newest["id"])
    assert oldest["views"] == {"web.base": "create", "web.top": "create"}
    again = run("apply", files.directory, "--undo", newest["id"])
    assert again.exit_code == 0, again.output
    assert catalog.view_exists("web.top")
    assert "undone by" in run("releases", files.directory).stdout


def test_a_kept_plan_is_applied_as_it_was_made(catalog: ViewCatalog, files: ProjectFiles, tmp_path: Path) -> None:
    kept = tmp_path / "plan.json"
    assert run("plan", files.directory, "-o", kept).exit_code == 6
    files.view("later", "SELECT id FROM users")
    assert run("apply", kept, "--prune").exit_code == 2
    done = run("apply", kept)
    assert done.exit_code == 0, done.output
    assert "2 views: 2 applied." in done.stdout
    assert not catalog.view_exists("web.later")
    assert "2 views: 2 unchanged." in run("apply", kept).stdout
    catalog.alter_view("web.base", sql={"hive": "SELECT id FROM users WHERE id > 1"})
    outdated = run("apply", kept)
    assert outdated.exit_code == 4
    assert "web.base was created" in outdated.stderr


def test_refusals_and_errors_are_told_in_the_words_of_the_shell(catalog: ViewCatalog, files: ProjectFiles) -> None:
    run("apply", files.directory)
    catalog.alter_view("web.base", sql={"hive": "SELECT id FROM users WHERE id > 1"})
    refused = run("apply", files.directory)
    assert refused.exit_code == 2
    assert "--overwrite web.base" in refused.stderr
    assert run("apply", files.directory, "--overwrite", "web.base").exit_code == 0
    files.view("base", "SELECT missing FROM users")
    wrong = run("apply", files.directory)
    assert wrong.exit_code == 2
    assert "web/base.sql:3:8: " in wrong.stderr
    unknown = run("apply", files.directory, "--undo", "2-x")
    assert unknown.exit_code == 3
    assert "hive-views releases" in unknown.stderr


def test_an_apply_that_is_under_way_is_waited_for_no_longer_than_asked(
    catalog: ViewCatalog, files: ProjectFiles
) -> None:
    lock = catalog.metastore.lock(lock_of_project("web"))
    assert lock is not None
    held = run("apply", files.directory, "--lock-timeout", "0")
    assert held.exit_code == 4
    assert "Another apply of the project web is under way" in held.stderr
    lock.release()
    assert run("apply", files.directory, "--lock-timeout", "0").exit_code == 0


def test_on_a_terminal_the_plan_is_shown_and_asked_about(
    catalog: ViewCatalog, files: ProjectFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("click.testing._NamedTextIOWrapper.isatty", lambda _: True)
    refused = run("apply", files.directory, given="n\n")
    assert refused.exit_code == 1
    assert "+ create web.base" in refused.stdout
    assert not catalog.view_exists("web.base")
    assert run("apply", files.directory, given="y\n").exit_code == 0
    assert catalog.view_exists("web.base")
