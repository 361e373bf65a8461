"""The examples of all READMEs: they parse, name what exists, and those that need no server do what they say."""

from __future__ import annotations

import ast
import contextlib
import importlib
import inspect
import io
import json
import pkgutil
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from hive_views import ViewCatalog, read_publications
from hive_views.cli import cli
from hive_views.config import resolve
from hive_views.ddl.grammar.parse import parse_script
from hive_views.persisted import REGISTRY
from hive_views.project import read_project
from hive_views.publishing.notifying.events import event_of
from hive_views.rest.access import load_access
from tests.support.readmes import ROOT, Example, examples, printed_lines, readmes, says, text_of

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ALL = [example for file in readmes() for example in examples(file)]
LANGUAGES = ("python", "shell", "sql", "toml", "json", "cron", "ini", "yaml", "")
COOKBOOK = "Rules by example"


def of(language: str) -> list[Any]:
    return [pytest.param(one, id=f"{n}-{one.file}") for n, one in enumerate(ALL) if one.language == language]


def test_every_example_is_of_a_language_that_is_checked() -> None:
    assert [str(one) for one in ALL if one.language not in LANGUAGES] == []
    assert {one.language for one in ALL} == set(LANGUAGES)


def needs_no_airflow(example: Example) -> bool:
    """Whether it is no DAG; test_airflow.py runs those."""
    return "from airflow" not in example.text


# -- Python ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("example", [one for one in of("python") if needs_no_airflow(*one.values)])
def test_what_python_examples_import_exists_and_takes_the_arguments_that_they_give(example: Example) -> None:
    tree = ast.parse(example.text)
    known = {}
    for statement in ast.walk(tree):
        if isinstance(statement, ast.ImportFrom) and statement.module:
            module = importlib.import_module(statement.module)
            known |= {alias.name: getattr(module, alias.name) for alias in statement.names}
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in known:
            parameters = inspect.signature(known[call.func.id]).parameters
            if not any(one.kind is one.VAR_KEYWORD for one in parameters.values()):
                assert {keyword.arg for keyword in call.keywords} <= set(parameters), call.func.id


def needs_no_server(example: Example) -> bool:
    is_run_elsewhere = example.heading == COOKBOOK or not needs_no_airflow(example)
    needs_one = r"hive_views\.spark|LocalMetastore|ops\.example|serve_forever"
    return not is_run_elsewhere and not re.search(needs_one, example.text)


@pytest.mark.parametrize("file", [file for file in readmes() if any(map(needs_no_server, examples(file, "python")))])
def test_python_examples_that_need_no_server_do_what_they_say(file: str) -> None:
    names: dict[str, Any] = {}
    for example in filter(needs_no_server, examples(file, "python")):
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            exec(compile(example.text, str(example), "exec"), names)
        expected, lines = printed_lines(example.text), output.getvalue().splitlines()
        assert len(expected) <= len(lines)
        for pattern, line in zip(expected, lines[-len(expected) :] if expected else [], strict=True):
            assert says(pattern, line), (pattern, line)


# -- shell -----------------------------------------------------------------------------------------------------------


def lines_of(text: str) -> Iterator[list[str]]:
    """The words of each line; a quotation may go over several."""
    line = ""
    for part in text.splitlines():
        line += f"{part}\n"
        with contextlib.suppress(ValueError):
            yield shlex.split(line, comments=True)
            line = ""
    assert not line, "a quotation is not closed"


def commands_in(text: str) -> Iterator[list[str]]:
    """The calls of ``hive-views`` in a shell script, each as its arguments."""
    for words in lines_of(text.replace("\\\n", " ")):
        for at, word in enumerate(words):
            if word == "hive-views" and (at == 0 or words[at - 1] in ("&&", "|")):
                behind = words[at + 1 :]
                ends = [n for n, one in enumerate(behind) if one in ("&&", "|", ">", ";")]
                yield behind[: ends[0]] if ends else behind


def refuse_unknown(command: click.Command, words: list[str]) -> None:
    """
    Raises:
        click.UsageError: there is no such command or option.
    """
    name = words[0] if words else ""
    if hasattr(command, "load"):
        command = command.load()
    context = click.Context(command, info_name=name)
    _, left, _ = command.make_parser(context).parse_args(list(words))
    if isinstance(command, click.Group) and left:
        child = command.get_command(context, left[0])
        assert child is not None, f"there is no command {left[0]}"
        refuse_unknown(child, left[1:])


@pytest.mark.parametrize("example", of("shell"))
def test_commands_in_shell_examples_have_the_options_that_are_given(example: Example) -> None:
    for words in commands_in(example.text):
        refuse_unknown(cli, words)


@pytest.mark.parametrize("example", of("yaml"))
def test_commands_in_yaml_examples_have_the_options_that_are_given(example: Example) -> None:
    assert yaml.safe_load(example.text)
    for line in re.findall(r"^ *(?:run: |entry: )?(hive-views .*?)(?: \|\| .*)?$", example.text, re.MULTILINE):
        for words in commands_in(line):
            refuse_unknown(cli, words)


@pytest.mark.parametrize("file", readmes())
def test_commands_that_a_text_names_exist(file: str) -> None:
    for inline in re.findall(r"`(hive-views [^`]*)`", text_of(file)):
        refuse_unknown(cli, shlex.split(inline)[1:])


@pytest.mark.parametrize("file", [*readmes(), "CHANGELOG.md"])
def test_methods_and_functions_that_a_text_names_exist(file: str) -> None:
    assert list(unknown_names(text_of(file))) == []


def unknown_names(text: str) -> Iterator[str]:
    """What a text calls ``catalog.x`` or ``hive_views.x`` within back quotes, and is not there."""
    for inline in re.findall(r"`([^`]+)`", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)):
        for method in re.findall(r"(?<![\w./-])catalog\.(?!py\b)(\w+)", inline):
            if not hasattr(ViewCatalog, method):
                yield f"catalog.{method}"
        for name in re.findall(r"(?<![\w./])hive_views((?:\.\w+)+)", inline):
            if not can_be_resolved(f"hive_views{name}"):
                yield f"hive_views{name}"


def can_be_resolved(name: str) -> bool:
    """Whether a name with dots is that of a module, or of what a module has."""
    with contextlib.suppress(ImportError, AttributeError):
        pkgutil.resolve_name(name)
        return True
    return False


def test_a_method_or_function_that_does_not_exist_is_noticed() -> None:
    assert (
        list(unknown_names("`catalog.load_view(x)`, `hive_views.status`, `hive_views.spark.sql(s)`, `a/catalog.py`"))
        == []
    )
    assert list(unknown_names("`hive_views.publish_al` `view = catalog.load_vew(x)`")) == [
        "hive_views.publish_al",
        "catalog.load_vew",
    ]


def test_a_command_or_option_that_does_not_exist_is_noticed() -> None:
    with pytest.raises(click.UsageError):
        refuse_unknown(cli, ["publish", "v", "--requires", "x"])
    with pytest.raises(AssertionError):
        refuse_unknown(cli, ["partitions", "remove", "v"])
    assert list(commands_in("a | hive-views list \\\n  --long && hive-views show x > y # hive-views")) == [
        ["list", "--long"],
        ["show", "x"],
    ]


# -- SQL and TOML ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("example", of("sql"))
def test_statements_in_sql_examples_are_of_our_grammar(example: Example) -> None:
    assert parse_script(example.text)


@pytest.mark.parametrize("example", of("toml"))
def test_files_in_toml_examples_are_read(example: Example, tmp_path: Path) -> None:
    file = tmp_path / "example.toml"
    file.write_text(example.text, encoding="utf-8")
    if "[catalogs." in example.text:
        assert resolve(config=file, environment={}).settings.uri
    elif "[variables]" in example.text:
        (tmp_path / "project.toml").write_text(example.text, encoding="utf-8")
        found, errors = read_project(tmp_path)
        assert found.settings.variables
        assert not errors
    elif "[tokens." in example.text:
        file.chmod(0o600)
        assert not load_access(file, environment={}).is_open
    else:
        assert all(one.rules for one in read_publications(file))


@pytest.mark.parametrize("example", of("json"))
def test_events_in_json_examples_are_as_they_are_sent(example: Example) -> None:
    catalog = ViewCatalog.connect("memory:")
    catalog.create_namespace("sales")
    texts = {"sql": {"hive": "SELECT 1 AS one, '2026-08-21' AS ds"}, "schema": [("one", "int"), ("ds", "string")]}
    view = catalog.create_view("sales.daily", **texts, partitioned_on=["ds"])
    run = {"publication": "nightly", "application": "nightly", "run_version": 20260822}
    sent = event_of(view, "declared", "ds=2026-08-21", "cause", 1787361600412, **run)
    assert json.loads(example.text) == {**sent, "id": json.loads(example.text)["id"]}
    assert list(json.loads(example.text)) == list(sent)


# -- what the texts count up -----------------------------------------------------------------------------------------


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_extras_that_are_named_exist() -> None:
    extras = set(project()["project"]["optional-dependencies"])
    for file in readmes():
        named = re.findall(r"`\[(\w+)\]`|(?:hive_views|[\"' ]\.)\[([\w,]+)\]", text_of(file))
        assert {extra for pair in named for extra in "".join(pair).split(",")} <= extras, file


def test_the_rooms_are_listed_with_the_floors_of_the_import_contract() -> None:
    layers = project()["tool"]["importlinter"]["contracts"][0]["layers"]
    rows = re.findall(r"^\| (\d+) \| ([^|]*) \|", text_of("hive_views/README.md"), re.MULTILINE)
    listed = [(int(floor), re.findall(r"`([a-z_]+)`", rooms)) for floor, rooms in rows]
    expected = [re.findall(r"\w+", layer) for layer in layers]
    assert listed == [(len(layers) - n, rooms) for n, rooms in enumerate(expected)]


def test_everything_that_is_stored_is_listed() -> None:
    rows = [f"| `{one.name}` | {one.place.value} | {one.version} | {one.meaning} |" for one in REGISTRY]
    listed = [line for line in text_of("hive_views/stored-names.md").splitlines() if line.startswith("| `")]
    assert listed == rows, "the table of hive_views/stored-names.md is that of hive_views/persisted.py"


def test_the_variables_of_the_images_exist() -> None:
    files = [path for path in (ROOT / "docker").rglob("*") if path.is_file() and path.suffix != ".md"]
    sources = "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in files)
    named = set(re.findall(r"`([A-Z]+_[A-Z_]+)`", text_of("docker/README.md")))
    assert named
    assert {name for name in named if name not in sources} == set()
