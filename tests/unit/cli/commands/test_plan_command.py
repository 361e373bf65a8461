"""The command plan: what it shows people, programs and pull requests, and its exit codes."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from rich.text import Text

from hive_views.cli import cli
from hive_views.cli.commands.plan_output import printed_plan
from hive_views.errors import InvalidInputError
from hive_views.estate.checks.findings import NotKnown
from hive_views.project.applying.apply_plan import apply
from hive_views.project.plans.plan_document import from_document, read_plan
from hive_views.project.plans.plan_markdown import as_markdown
from hive_views.views.catalog import ViewCatalog
from tests.unit.project.planned_files import ProjectFiles, catalog_with_users

BOTH = "SELECT id, n\nFROM users\nWHERE id > {0} DIALECT trino AS SELECT id, n\nFROM users\nWHERE id > {0}"


@pytest.fixture
def catalog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ViewCatalog:
    catalog = catalog_with_users(tmp_path)
    monkeypatch.setattr("hive_views.config.Settings.connect", lambda _: catalog)
    return catalog


@pytest.fixture
def files(catalog: ViewCatalog, tmp_path: Path) -> ProjectFiles:
    return ProjectFiles(catalog, tmp_path / "project")


def run(files: ProjectFiles, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["--uri", "memory:", "plan", str(files.directory), *arguments])


def test_exit_codes(files: ProjectFiles) -> None:
    files.view("base", "SELECT id FROM users")
    assert run(files).exit_code == 6
    files.apply()
    nothing = run(files)
    assert (nothing.exit_code, nothing.stdout) == (0, "Nothing to do; 1 unchanged.\n")
    files.view("base", "SELECT missing FROM users")
    files.view("other", "SELECT id FROM users")
    wrong = run(files)
    assert wrong.exit_code == 1
    assert "web/base.sql:3:8: " in wrong.stdout
    assert "SELECT missing FROM users\n       ^\n" in wrong.stdout
    assert "+ create web.other" in wrong.stdout


def test_a_change_is_shown_by_words_once_for_equal_dialects(files: ProjectFiles) -> None:
    files.view("base", BOTH.format(1))
    files.apply()
    files.view("base", BOTH.format(2))
    files.view("new", "SELECT id FROM base")
    assert run(files).stdout == (
        "~ replace web.base  web/base.sql\n"
        "    sql hive, trino\n"
        "    @@ -1,3 +1,3 @@\n"
        "     SELECT id, n\n"
        "     FROM users\n"
        "    ~WHERE id > [-1-]{+2+}\n"
        "\n"
        "+ create web.new  web/new.sql\n"
        "1 to create, 1 to replace.\n"
    )


def test_columns_are_said_once_and_their_comments_are_a_diff(files: ProjectFiles) -> None:
    files.view("base", "SELECT id, n FROM users", columns="(id, n)")
    files.apply()
    files.view("base", "SELECT id FROM users", columns="(id)")
    assert run(files).stdout.splitlines()[1:3] == ["    column n is removed: bigint", "    sql hive"]
    files.view("base", "SELECT id FROM users", columns="(id COMMENT 'the user')")
    assert "    ~id int{+ 'the user'+}" in run(files).stdout.splitlines()


def test_what_would_break_and_the_options_that_allow_it(catalog: ViewCatalog, files: ProjectFiles) -> None:
    files.view("base", "SELECT id, n FROM users")
    files.apply()
    catalog.create_view("web.near", sql={"hive": "SELECT n FROM web.base"}, schema=[("n", "bigint")])
    files.view("base", "SELECT id FROM users")
    refused = run(files)
    assert refused.exit_code == 6
    assert "base has no column 'n'" in refused.stdout
    assert (
        "Cannot be applied: web.near would break by the change of web.base. Change it as well, or use "
        "--allow-breaking web.near.\n"
    ) in refused.stdout
    allowed = run(files, "--allow-breaking", "web.n*")
    assert allowed.exit_code == 6
    assert "Cannot be applied" not in allowed.stdout
    assert allowed.stdout.splitlines()[-1] == "1 to replace; 1 view would break."


def test_views_without_a_file_are_dropped_with_prune_alone(files: ProjectFiles) -> None:
    files.view("base", "SELECT id FROM users")
    files.view("gone", "SELECT id FROM users")
    files.apply()
    (files.directory / "web/gone.sql").unlink()
    files.view("base", "SELECT n FROM users")
    assert "Without a file, and kept: web.gone. --prune drops them." in run(files).stdout
    assert "- drop web.gone" in run(files, "--prune").stdout


def test_a_file_and_stdout_get_the_same_plan(files: ProjectFiles, tmp_path: Path) -> None:
    files.view("base", BOTH.format("'é'"))
    file = tmp_path / "plan.json"
    result = run(files, "-o", str(file), "--output", "json")
    assert result.exit_code == 6
    made = read_plan(file)
    assert made == from_document(json.loads(result.stdout))
    [step] = made.steps
    assert step.definition is not None
    assert step.definition.texts["trino"] == "SELECT id, n\nFROM users\nWHERE id > 'é'"
    assert list(tmp_path.glob("plan.json*")) == [file]


def test_a_file_that_cannot_be_written_is_an_error(files: ProjectFiles, tmp_path: Path) -> None:
    files.view("base", "SELECT id FROM users")
    result = run(files, "-o", str(tmp_path / "missing/plan.json"))
    assert result.exit_code == 2
    assert "Cannot write the plan to " in result.stderr


def test_variables_and_a_comment_for_a_pull_request(files: ProjectFiles) -> None:
    files.write("project.toml", 'name = "web"\n[variables]\nsource = "nothing"\n')
    files.view("base", "SELECT id FROM ${source}")
    assert run(files).exit_code == 1
    result = run(files, "--var", "source=users", "--output", "markdown")
    assert result.exit_code == 6
    assert result.stdout == ("### Plan of `web`: 1 to create.\n\n**Steps**\n\n- create `web.base`\n")


def test_no_control_character_of_a_file_reaches_the_terminal(files: ProjectFiles) -> None:
    files.view("base", "SELECT id FROM users")
    files.apply()
    files.view("base", "SELECT id FROM users", clauses="COMMENT 'a\x1b[2Jb'")
    result = run(files)
    assert result.exit_code == 6
    assert "\x1b" not in result.stdout
    assert "a\\x1b[2Jb" in result.stdout


def test_a_password_in_a_property_is_only_in_the_file_of_the_plan(files: ProjectFiles, tmp_path: Path) -> None:
    clauses = "TBLPROPERTIES ('source' = 'jdbc:hive2://a:10000/db;user=ada;password={}')"
    files.view("base", "SELECT id FROM users", clauses=clauses.format("s3cret"))
    files.apply()
    files.view("base", "SELECT id FROM users", clauses=clauses.format("s3cret2"))
    for output in ("text", "json", "markdown"):
        shown = run(files, "--output", output, "-o", str(tmp_path / "plan.json"))
        assert shown.exit_code == 6
        assert "jdbc:hive2" in shown.stdout
        assert "s3cret" not in shown.stdout + shown.stderr
    [step] = read_plan(tmp_path / "plan.json").steps
    assert step.definition is not None
    assert "password=s3cret2" in step.definition.properties["source"]
    # What hides something is no plan to apply.
    with pytest.raises(InvalidInputError, match="its checksum differs"):
        from_document(json.loads(run(files, "--output", "json").stdout))


def test_on_a_terminal_words_that_go_are_red_and_those_that_come_green(files: ProjectFiles) -> None:
    files.view("base", BOTH.format(1))
    files.apply()
    files.view("base", BOTH.format(2))
    texts = [one for one in printed_plan(files.plan()) if isinstance(one, Text)]
    [diff] = [one for one in texts if "[-1-]" in one.plain]
    styled = {(diff.plain[span.start : span.end], str(span.style)) for span in diff.spans}
    assert {("[-1-]", "red"), ("{+2+}", "green")} <= styled


def test_the_plan_of_an_undo_says_what_it_does_to_others(catalog: ViewCatalog, files: ProjectFiles) -> None:
    files.view("base", "SELECT id FROM users")
    files.apply()
    files.view("base", "SELECT id, n FROM users")
    files.view("new", "SELECT id FROM base")
    release = apply(catalog, files.plan()).release
    catalog.create_view("web.near", sql={"hive": "SELECT n FROM web.base"}, schema=[("n", "bigint")])
    result = run(files, "--undo", release)
    assert result.exit_code == 6
    assert "- drop web.new\n~ restore web.base\n    column n is removed: bigint\n" in result.stdout
    assert "Cannot be applied: web.near would break by the change of web.base." in result.stdout
    assert result.stdout.splitlines()[-1] == "1 to drop, 1 to restore; 1 view would break."
    allowed = run(files, "--undo", release, "--allow-breaking", "web.near", "--exclude", "web.n?w")
    assert allowed.stdout.splitlines()[-1] == "1 to restore; 1 view would break."
    assert "Cannot be applied" not in allowed.stdout


def test_what_breaks_nobody_and_what_is_not_known_is_shown_too(catalog: ViewCatalog, files: ProjectFiles) -> None:
    files.view("base", "SELECT id FROM users")
    files.apply()
    catalog.create_view("web.near", sql={"hive": "SELECT * FROM web.base"}, schema=[("id", "int")])
    files.view("base", "SELECT id, n FROM users")
    shown = run(files).stdout
    assert re.search(r"VIEW +CODE +PROBLEM\nweb.near +star-outdated +\S", shown)
    assert "`web.near` (star-outdated): " in run(files, "--output", "markdown").stdout
    made = files.plan()
    assert made.impact is not None
    unknown = (NotKnown("web.far", "row", "It @cannot be read."), NotKnown("web.base", "columns", "x"))
    made = replace(made, impact=replace(made.impact, not_known=unknown))
    assert any("web.far: It @cannot be read." in str(one) and "web.base" not in str(one) for one in printed_plan(made))
    assert "**Not known of 1 view**, such as `web.far`: It @\u200bcannot be read." in as_markdown(made)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--exclude", "web.x"), "--exclude leaves views out of an undo: use it with --undo."),
        (("--undo", "x", "--prune"), "--undo plans no files: it cannot be used with --prune."),
        (("--undo", "x", "--var", "a=b"), "--undo plans no files: it cannot be used with --var."),
        (("--overwrite", "base"), "base"),
    ],
)
def test_options_that_mean_nothing_are_refused(files: ProjectFiles, arguments: tuple[str, ...], said: str) -> None:
    files.view("base", "SELECT id FROM users")
    result = run(files, *arguments)
    assert result.exit_code == 2
    assert said in result.stderr
