"""The command explains itself, at once and completely."""

from __future__ import annotations

import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from hive_views.cli import cli
from tests.unit.cli.all_commands import all_commands, loaded

# What takes long to import, and what --help has no use for.
HEAVY = ("pydantic", "thrift", "fsspec", "sqlglot", "pyspark", "rich", "hmsclient", "hive_views.views.catalog")


COMMANDS = [pytest.param(path, command, id=" ".join(path)) for path, command in all_commands()]


def test_the_commands_are_those_of_the_design() -> None:
    assert list(cli.commands) == [
        "list",
        "namespaces",
        "show",
        "sql",
        "history",
        "diff",
        "lineage",
        "uses",
        "translate",
        "create",
        "replace",
        "alter",
        "roll-back",
        "tag",
        "rename",
        "drop",
        "register",
        "repair",
        "execute",
        "partitions",
        "publish",
        "revalidate",
        "status",
        "adopt",
        "hand-back",
        "check",
        "impact",
        "export",
        "plan",
        "apply",
        "releases",
        "graph",
        "validate",
        "copy",
        "move",
        "backup",
        "restore",
        "undrop",
        "clean",
        "report",
        "serve",
        "doctor",
        "metastore",
        "demo",
    ]
    groups = {" ".join(path) for path, _ in all_commands() if len(path) > 1}
    assert groups == {f"partitions {verb}" for verb in ("list", "add", "drop", "restore")} | {
        f"metastore {verb}" for verb in ("start", "stop", "status")
    } | {"namespaces list", "namespaces create"}


@pytest.mark.parametrize(("path", "command"), COMMANDS)
def test_every_command_has_help_of_its_own(path: tuple[str, ...], command: click.Command) -> None:
    result = CliRunner().invoke(cli, [*path, "--help"])
    assert result.exit_code == 0
    assert command.help
    assert command.name == path[-1]
    assert command.help.splitlines()[0].strip() in result.stdout
    assert "\\b" not in result.stdout


@pytest.mark.parametrize(("path", "command"), [pytest.param((), cli, id="hive-views"), *COMMANDS])
def test_help_fits_80_columns_and_breaks_lines_at_blanks_only(path: tuple[str, ...], command: click.Command) -> None:
    shown = CliRunner().invoke(cli, [*path, "--help"], terminal_width=80).stdout
    assert [line for line in shown.splitlines() if len(line) > 80] == []
    shown_options = [one for one in command.params if isinstance(one, click.Option) and not one.hidden]
    help_texts = [option.help or "" for option in shown_options]
    words = " ".join([command.help or "", *help_texts]).replace("\b", "").split()
    assert [word for word in words if word not in shown.split()] == []


@pytest.mark.parametrize(("path", "command"), COMMANDS)
def test_every_option_of_every_command_has_help(path: tuple[str, ...], command: click.Command) -> None:
    options = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
    assert [option.name for option in options if not option.help] == []


def test_options_with_a_heading_are_below_it_and_the_others_last() -> None:
    shown = CliRunner().invoke(cli, ["serve", "--help"], terminal_width=80).stdout
    headings = [line for line in shown.splitlines() if line.endswith(":") and not line.startswith((" ", "Usage"))]
    assert headings == ["Network:", "Security:", "Views:", "Load:", "Other options:"]
    assert shown.index("Security:") < shown.index("--tokens FILE ") < shown.index("Views:")


@pytest.mark.parametrize("name", list(cli.commands))
def test_the_summary_in_the_list_of_commands_is_the_first_sentence_of_the_command(name: str) -> None:
    deferred = cli.commands[name]
    assert str(loaded(deferred).help).splitlines()[0].strip() == deferred.short_help


@pytest.mark.parametrize(("path", "command"), COMMANDS)
def test_output_may_follow_every_command_that_gives_a_result(path: tuple[str, ...], command: click.Command) -> None:
    has_a_result = not isinstance(command, click.Group) and path != ("demo",)
    assert ("output" in {parameter.name for parameter in command.params}) is has_a_result


@pytest.mark.parametrize(
    "path",
    [
        *(
            ("create",),
            ("replace",),
            ("alter",),
            ("roll-back",),
            ("tag",),
            ("rename",),
            ("drop",),
            ("register",),
            ("undrop",),
            ("repair",),
        ),
        *(
            ("check",),
            ("publish",),
            ("partitions", "add"),
            ("partitions", "drop"),
            ("partitions", "restore"),
            ("namespaces", "create"),
        ),
    ],
)
def test_every_writer_has_a_dry_run(path: tuple[str, ...]) -> None:
    command = dict(all_commands())[path]
    assert "dry_run" in {parameter.name for parameter in command.params}


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["-h"]])
def test_help_imports_nothing_that_takes_time(arguments: list[str]) -> None:
    script = (
        "import sys\n"
        "from hive_views.cli import main\n"
        f"try: main({arguments!r})\n"
        "except SystemExit as end: code = end.code\n"
        f"print('LOADED', code, [name for name in {HEAVY!r} if name in sys.modules])\n"
    )
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert answer.stdout.splitlines()[-1] == "LOADED 0 []"


def test_the_help_shows_exit_codes_and_completion_line_by_line() -> None:
    lines = CliRunner().invoke(cli, ["--help"]).stdout.splitlines()
    assert "    130  interrupted by ^C" in lines
    assert any("_HIVE_VIEWS_COMPLETE=bash_source" in line for line in lines)
    assert not any("\\b" in line for line in lines)


def test_the_shell_completes_commands_without_importing_them() -> None:
    result = CliRunner().invoke(
        cli,
        prog_name="hive-views",
        env={"_HIVE_VIEWS_COMPLETE": "zsh_complete", "COMP_WORDS": "hive-views ro", "COMP_CWORD": "1"},
    )
    assert result.stdout.splitlines()[:3] == ["plain", "roll-back", "Roll a view back to an earlier version."]


def test_the_shell_completes_options_of_a_command() -> None:
    result = CliRunner().invoke(
        cli,
        prog_name="hive-views",
        env={"_HIVE_VIEWS_COMPLETE": "zsh_complete", "COMP_WORDS": "hive-views create --if", "COMP_CWORD": "2"},
    )
    assert "--if-not-exists" in result.stdout


@pytest.mark.parametrize("words", ["backup a.zip --since b.zip --over", "copy --if-exists skip --a", "release --a"])
def test_the_shell_completes_after_a_former_word_without_a_warning_on_the_line_of_the_user(words: str) -> None:
    number = len(words.split())
    result = CliRunner().invoke(
        cli,
        prog_name="hive-views",
        env={"_HIVE_VIEWS_COMPLETE": "zsh_complete", "COMP_WORDS": f"hive-views {words}", "COMP_CWORD": str(number)},
    )
    assert words.rpartition(" ")[2] in result.stdout
    assert result.stderr == ""


def test_a_command_that_does_not_exist_is_a_usage_error_with_the_nearest_known_one() -> None:
    result = CliRunner().invoke(cli, ["shw"])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "show" in result.stderr
