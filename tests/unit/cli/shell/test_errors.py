"""How a call ends that fails: its exit code, what people see, and what programs read."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from hive_views import errors
from hive_views.cli import _Main, cli, main
from hive_views.cli.shell.error_output import details_below
from hive_views.cli.shell.exit_codes import MEANINGS, ExitCode, exit_code_of
from hive_views.cli.shell.invocation import Invocation
from hive_views.errors import HiveViewsError, InvalidSchemaError, NoSuchViewError, SQLSyntaxError, ViewDriftedError
from hive_views.views import remedies
from hive_views.views.row.drift import RowDifference

KINDS = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, HiveViewsError)]


class TestExitCodes:
    @pytest.mark.parametrize(
        ("error", "code"),
        [
            ("InvalidInputError", 2),
            ("SQLSyntaxError", 2),
            ("CorruptMetadataError", 1),
            ("UnsupportedFeatureError", 1),
            ("NoSuchViewError", 3),
            ("NoSuchIcebergViewError", 3),
            ("NoSuchVersionError", 3),
            ("NoSuchNamespaceError", 3),
            ("ViewAlreadyExistsError", 4),
            ("PartitionAlreadyExistsError", 4),
            ("NamespaceNotEmptyError", 4),
            ("CommitFailedError", 4),
            ("ViewDriftedError", 4),
            ("CommitStateUnknownError", 5),
            ("TranslationRefusedError", 6),
            ("MetastoreUnavailableError", 7),
            ("StorageUnavailableError", 7),
            ("AuthenticationError", 7),
        ],
    )
    def test_the_exit_code_says_what_to_do_next(self, error: str, code: int) -> None:
        assert exit_code_of(getattr(errors, error)("no")) == code

    @pytest.mark.parametrize("kind", KINDS)
    def test_no_error_has_the_exit_code_of_success(self, kind: type[HiveViewsError]) -> None:
        assert exit_code_of(kind("no")) is not ExitCode.DONE

    def test_the_help_has_every_exit_code(self) -> None:
        lines = [line.split(maxsplit=1) for line in CliRunner().invoke(cli, ["--help"]).stdout.splitlines()]
        assert [[str(int(code)), meaning] in lines for code, meaning in MEANINGS.items()] == [True] * len(ExitCode)


class TestPlace:
    def test_a_syntax_error_is_shown_in_its_line_with_a_caret_under_the_place(self) -> None:
        invocation = Invocation(texts={"hive": ("daily.sql", "SELECT a\nFROM\tb WHERE\n")})
        error = SQLSyntaxError("no", line=2, column=6, dialect="hive")
        assert details_below(error, invocation) == "daily.sql:2:6\nFROM\tb WHERE\n    \t^\n"

    @pytest.mark.parametrize(
        "error",
        [
            SQLSyntaxError("no", dialect="hive"),
            SQLSyntaxError("no", line=9, column=1, dialect="hive"),
            SQLSyntaxError("no", line=1, column=1, dialect="trino"),
            InvalidSchemaError("no", dialect="hive"),
        ],
        ids=["no line", "a line behind the end", "a text of another view", "another error"],
    )
    def test_no_place_is_shown_where_none_is_known(self, error: HiveViewsError) -> None:
        assert details_below(error, Invocation(texts={"hive": ("daily.sql", "SELECT")})) == ""

    def test_what_was_done_before_an_error_is_shown_and_of_much_the_first_names(self) -> None:
        error = HiveViewsError("no", added=["ds=1", "ds=2"], dropped=[])
        assert details_below(error, Invocation()) == "Before that, ds=1, ds=2 had been added.\n"
        error = HiveViewsError("no", added=[f"ds={day}" for day in range(3_010)])
        assert details_below(error, Invocation()).endswith("ds=8, ds=9 and 3,000 more had been added.\n")


def failing(error: BaseException) -> click.Group:
    """The command with another list of commands: one, which ends with this error."""

    @click.command("fail")
    def fail() -> None:
        raise error

    output = next(parameter for parameter in cli.params if parameter.name == "output")
    verbose = click.Option(["-v", "--verbose"], is_flag=True, expose_value=False, callback=_be_verbose)
    return _Main("hive-views", commands=[fail], params=[output, verbose], callback=lambda: None)


def _be_verbose(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    ctx.ensure_object(Invocation).verbose = value


def ended(*arguments: str, error: BaseException) -> Result:
    return CliRunner().invoke(failing(error), arguments)


def document(result: Result) -> dict[str, Any]:
    assert result.stdout == ""
    last = json.loads(result.stderr.splitlines()[-1])
    assert list(last) == ["error"]
    assert list(last["error"]) == ["class", "code", "exit_code", "message", "details"]
    assert last["error"]["exit_code"] == result.exit_code
    found: dict[str, Any] = last["error"]
    return found


class TestJson:
    def test_an_error_of_the_library_is_one_line_with_its_fields_and_the_words_of_the_command(self) -> None:
        remedy = remedies.register("sales.daily", "file:///1.json")
        error = NoSuchViewError("There is no view sales.daily.", remedy=remedy, identifier="sales.daily")
        assert document(ended("--output", "json", "fail", error=error)) == {
            "class": "NoSuchViewError",
            "code": "not_found",
            "exit_code": 3,
            "message": "There is no view sales.daily. `hive-views register sales.daily file:///1.json --overwrite` "
            "brings the view back.",
            "details": {"identifier": "sales.daily"},
        }

    def test_what_cannot_be_written_as_json_is_a_text_and_no_text_has_a_password(self) -> None:
        change = RowDifference("drifted", "location", "s3://ada:secret@lake", "none")
        error = ViewDriftedError("no", location="s3://ada:secret@lake", changes=[change])
        details = document(ended("--output=json", "fail", error=error))["details"]
        assert details["location"] == "s3://***@lake"
        assert "drifted" in details["changes"][0]
        assert "secret" not in json.dumps(details)

    @pytest.mark.parametrize(
        "arguments", [["--output", "json", "--bogus", "fail"], ["--output=json"], ["no-such", "--output", "json"]]
    )
    def test_a_mistake_in_the_call_is_json_too_wherever_the_option_is(self, arguments: list[str]) -> None:
        found = document(ended(*arguments, error=HiveViewsError("never")))
        assert (found["code"], found["exit_code"]) == ("invalid_input", 2)
        assert found["message"]

    def test_an_error_that_nobody_expected_and_an_interrupt_are_json_too(self) -> None:
        found = document(ended("--output", "json", "fail", error=ZeroDivisionError("by zero")))
        assert (found["class"], found["code"], found["exit_code"]) == ("ZeroDivisionError", "error", 1)
        found = document(ended("--output", "json", "fail", error=KeyboardInterrupt()))
        assert (found["code"], found["exit_code"]) == ("interrupted", 130)


class TestPeople:
    def test_an_error_that_nobody_expected_is_one_line_and_how_to_see_more(self) -> None:
        result = ended("fail", error=ZeroDivisionError("thrift://ada:secret@host"))
        assert result.exit_code == 1
        [line] = result.stderr.splitlines()
        assert line.startswith("Error: Unexpected error")
        assert "ZeroDivisionError: thrift://***@host" in line
        assert "--verbose" in line
        verbose = ended("--verbose", "fail", error=ZeroDivisionError("by zero")).stderr
        assert "Traceback" in verbose
        assert "--verbose" not in verbose

    def test_an_interrupt_ends_with_130_as_shells_have_it(self) -> None:
        result = ended("fail", error=KeyboardInterrupt())
        assert (result.exit_code, result.stderr.split()) == (130, ["Error:", "Interrupted."])

    def test_a_mistake_in_the_call_is_shown_with_the_usage(self) -> None:
        result = ended("--bogus", error=HiveViewsError("never"))
        assert (result.exit_code, result.stderr.splitlines()[0]) == (2, "Usage: hive-views [OPTIONS] COMMAND [ARGS]...")


COMMAND = [sys.executable, "-c", "from hive_views.cli import main; main()"]
BARE = {name: value for name, value in os.environ.items() if not name.startswith("HIVE_VIEWS_")}


class TestHostileSurroundings:
    """No traceback leaves the command, whatever it is given and wherever it prints."""

    def _run(self, *arguments: str | bytes, stdin: bytes = b"", **more: Any) -> subprocess.CompletedProcess[bytes]:
        environment = {
            **BARE,
            "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry),
            **more.pop("env", {}),
        }
        if "stdout" not in more:
            more["stdout"] = subprocess.PIPE
        answer = subprocess.run(
            [*COMMAND, *arguments], input=stdin, stderr=subprocess.PIPE, env=environment, check=False, **more
        )
        assert b"Traceback" not in answer.stderr
        assert b"Exception ignored" not in answer.stderr
        return answer

    def test_a_pipe_that_nobody_reads_ends_the_command_silently(self) -> None:
        reading, writing = os.pipe()
        os.close(reading)
        with os.fdopen(writing, "wb") as closed:
            answer = self._run("--help", stdout=closed)
        assert (answer.returncode, answer.stderr) == (1, b"")

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux has a device that is always full.")
    def test_a_full_disk_is_an_error_and_not_success(self) -> None:
        with Path("/dev/full").open("wb") as full:
            answer = self._run("--help", stdout=full)
        assert answer.returncode == 1
        assert b"No space left" in answer.stderr

    def test_bytes_that_are_no_text_are_refused_wherever_they_come_from(self, tmp_path: Path) -> None:
        (tmp_path / "latin.sql").write_bytes(b"SELECT '\xff' AS a")
        for call, stdin in (
            (["partitions", "add", "d.v", "-"], b"ds=\xff"),
            (["create", "d.v", "--sql", "hive=-", "--column", "a int"], b"SELECT '\xff' AS a"),
            (["create", "d.v", "--sql", f"hive={tmp_path}/latin.sql", "--column", "a int"], b""),
            (["execute", "-f", str(tmp_path / "latin.sql")], b""),
            (["--config", str(tmp_path / "latin.sql"), "list"], b""),
            (["create", "d.v", "--sql", "hive=-", "--schema", str(tmp_path / "latin.sql")], b"SELECT 1 AS a"),
            (["publish", "--file", str(tmp_path / "latin.sql")], b""),
            (["show", b"default.\xff"], b""),
        ):
            answer = self._run("--uri", "memory:", *call, stdin=stdin)
            assert answer.returncode == 2, (call, answer.stderr)

    def test_directories_in_the_place_of_files_are_refused(self, tmp_path: Path) -> None:
        for call in (
            ["create", "d.v", "--sql", f"hive={tmp_path}", "--column", "a int"],
            ["execute", "-f", str(tmp_path)],
            ["--config", str(tmp_path), "list"],
            ["publish", "--file", str(tmp_path)],
        ):
            assert self._run("--uri", "memory:", *call).returncode == 2, call

    @pytest.mark.parametrize("output", ["text", "json"])
    def test_characters_that_the_output_cannot_encode_are_escapes(self, output: str, tmp_path: Path) -> None:
        made = "CREATE VIEW v (a COMMENT 'h\u00e4ufig \u2192') AS SELECT 1; DESCRIBE v"
        answer = self._run(
            *("--uri", "memory:", "--warehouse", str(tmp_path), "execute", made, "--output", output),
            env={"PYTHONIOENCODING": "latin-1"},
        )
        assert answer.returncode == 0, answer.stderr
        if output == "json":
            assert "h\u00e4ufig \u2192" in json.dumps(json.loads(answer.stdout), ensure_ascii=False)
        else:
            assert b"h\xe4ufig \\u2192" in answer.stdout


def test_the_command_always_ends_the_process() -> None:
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 0
