"""The README of projects, as it is typed: its first project, the hook, and the steps of the workflow.

Only the names of databases are the test's own; what comes with GitHub (the command ``gh``) is a program that says what
it was called with.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from hive_views import ViewCatalog
from hive_views.cli import cli
from hive_views.hive.row import Column, Row
from hive_views.metastore.thrift.hms import HiveMetastore
from hive_views.spec.identifiers import TableIdentifier
from tests.support.readmes import examples

README = "hive_views/project/README.md"
RELEASE = r"\d{8}T\d{6}-[0-9a-f]{6}"
GH = '#!/bin/sh\necho "$@" > "$GH_CALL"\n'


@dataclass
class Machine:
    """A directory with git, and a metastore with a table and views."""

    path: Path
    sales: str
    web: str
    environment: dict[str, str]
    catalog: ViewCatalog

    def there(self, text: str) -> str:
        """A text of the README with the names that the databases have here."""
        return re.sub(r"\bsales\b", self.sales, re.sub(r"\bweb(?=\.)", self.web, text))

    def run(self, line: str, ends_with: int = 0) -> str:
        """A line as typed; ``hive-views`` is called in this process."""
        if line.startswith("hive-views "):
            ended = CliRunner().invoke(cli, shlex.split(line)[1:], prog_name="hive-views")
            assert ended.exit_code == ends_with, (line, ended.output, ended.exception)
            return ended.stdout
        return self.script(line, ends_with)

    def script(self, text: str, ends_with: int = 0, **environment: str) -> str:
        """A script as GitHub runs one: ``bash -e``, in processes of their own."""
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", text],
            cwd=self.path,
            env={**os.environ, **self.environment, **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == ends_with, (text, done.stdout, done.stderr)
        return done.stdout

    def sql_of(self, name: str) -> str | None:
        return self.catalog.load_view(f"{self.sales}.{name}").original_sql("hive")


@pytest.fixture(scope="module")
def metastore_uri(small_metastore_uri: str) -> str:
    return small_metastore_uri


@pytest.fixture(scope="module")
def hms(small_hms: HiveMetastore) -> HiveMetastore:
    return small_hms


@pytest.fixture
def machine(hms: HiveMetastore, metastore_uri: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    sales, web = (f"{word}_{uuid.uuid4().hex[:12]}" for word in ("sales", "web"))
    for name in (sales, web):
        hms.create_namespace(name, f"file:{tmp_path}/{name}.db")
    columns = (Column("user_id", "bigint"), Column("page", "string"), Column("ds", "string"))
    table = Row(TableIdentifier(web, "clicks"), "EXTERNAL_TABLE", columns=columns, location="file:/nowhere")
    hms.create_row(table)
    catalog = ViewCatalog(hms, warehouse=f"file://{tmp_path}/warehouse")
    daily = f"SELECT user_id, count(*) AS clicks, ds FROM {web}.clicks GROUP BY user_id, ds"
    catalog.create_view(f"{sales}.daily", sql={"hive": daily, "trino": daily}, partitioned_on=["ds"])
    catalog.create_view(f"{sales}.heavy", sql={"hive": f"SELECT user_id, ds FROM {sales}.daily WHERE clicks > 9"})
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "gh").write_text(GH)
    (programs / "gh").chmod(0o755)
    environment = {
        "HIVE_VIEWS_URI": metastore_uri,
        "HIVE_VIEWS_WAREHOUSE": f"file://{tmp_path}/warehouse",
        "PATH": os.pathsep.join([str(programs), str(Path(sys.executable).parent), os.environ["PATH"]]),
        "GH_CALL": str(tmp_path / "gh-call"),
        **{f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    }
    monkeypatch.chdir(tmp_path)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return Machine(tmp_path, sales, web, environment, catalog)


def lines_of(machine: Machine, number: int) -> list[str]:
    return machine.there(examples(README, "shell", "A first project")[number].text).splitlines()


def test_views_are_taken_into_git_changed_applied_and_taken_back(machine: Machine) -> None:
    machine.run("git init -q")
    export, plan, commit = lines_of(machine, 0)
    assert "2 exported" in machine.run(export)
    assert "Nothing to do" in machine.run(plan)
    machine.run(commit)

    before = machine.sql_of("daily")
    edit, plan, apply, releases, undo = lines_of(machine, 1)
    machine.run(edit)
    assert "[-*-]{+DISTINCT page+}" in machine.run(plan, ends_with=6)
    machine.run(apply)
    assert "count(DISTINCT page)" in str(machine.sql_of("daily"))
    assert "Nothing to do" in machine.run("hive-views plan views/")
    [release] = re.findall(RELEASE, machine.run(releases))
    machine.run(re.sub(RELEASE, release, undo))
    assert machine.sql_of("daily") == before
    machine.run("git checkout -q .")
    assert "Nothing to do" in machine.run("hive-views plan views/")
    for line in machine.there(examples(README, "shell", "Graph, and SQL that engines check")[0].text).splitlines():
        assert f"{machine.sales}.heavy" in machine.run(line)


def test_the_file_that_is_shown_is_a_view(machine: Machine) -> None:
    machine.run(lines_of(machine, 0)[0])
    [file], [settings, *_] = (examples(README, language, "The files") for language in ("sql", "toml"))
    written = machine.there(file.text).replace(f"{machine.web}.clicks", "${web}.clicks")
    (machine.path / f"views/{machine.sales}/daily.sql").write_text(written)
    (machine.path / "views/project.toml").write_text(settings.text.replace('web = "web"', f'web = "{machine.web}"'))
    machine.run("hive-views plan views/", ends_with=6)
    machine.run("hive-views apply views/")
    view = machine.catalog.load_view(f"{machine.sales}.daily")
    assert (view.comment, view.properties["team"], view.dialects) == (
        "Clicks by user and day",
        "web",
        ("hive", "trino"),
    )
    assert "Nothing to do" in machine.run("hive-views plan views/")


def test_the_hook_refuses_what_cannot_be_read_without_a_metastore(machine: Machine) -> None:
    [hook] = yaml.safe_load(examples(README, "yaml")[0].text)["repos"][0]["hooks"]
    assert re.match(hook["files"], "views/sales/daily.sql")
    machine.run(lines_of(machine, 0)[0])
    nowhere = {"HIVE_VIEWS_URI": "thrift://127.0.0.1:1"}
    machine.script(hook["entry"], **nowhere)
    broken = machine.path / "views" / machine.sales / "heavy.sql"
    broken.write_text("CREATE OR REPLACE VIEW heavy AS SELEC 1")
    assert f"{machine.sales}/heavy.sql:1:33" in machine.script(hook["entry"], 1, **nowhere)


def test_the_workflow_comments_the_plan_and_applies_what_is_merged(machine: Machine) -> None:
    workflow: dict[Any, Any] = yaml.safe_load(examples(README, "yaml")[1].text)
    # YAML takes the key "on" for true.
    assert set(workflow[True]) == {"pull_request", "push"}
    plan, comment = (step for step in workflow["jobs"]["plan"]["steps"] if "run" in step)
    [apply] = (step for step in workflow["jobs"]["apply"]["steps"] if "run" in step)
    machine.run(lines_of(machine, 0)[0])
    edited = machine.path / "views" / machine.sales / "heavy.sql"
    edited.write_text(edited.read_text().replace("clicks > 9", "clicks > 99"))

    machine.script(plan["run"])
    machine.script(comment["run"], PULL_REQUEST="27")
    assert "clicks > 99" in (machine.path / "comment.txt").read_text()
    assert (machine.path / "gh-call").read_text().startswith("pr comment 27 --body-file comment.txt")
    machine.script(apply["run"])
    assert "clicks > 99" in str(machine.sql_of("heavy"))
    machine.script(plan["run"])
    assert "Nothing to do" in (machine.path / "comment.txt").read_text()
    edited.write_text(edited.read_text().replace("clicks >", "clickz >"))
    machine.script(plan["run"], ends_with=1)
    assert "clickz" in (machine.path / "comment.txt").read_text()
