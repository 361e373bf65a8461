"""What to do about an error, in the words of whoever reads it."""

from __future__ import annotations

import ast
import re
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest

import hive_views
from hive_views import ViewCatalog
from hive_views.cli import cli
from hive_views.errors import HiveViewsError, NoSuchViewError
from hive_views.messages.remedy import Remedy
from hive_views.metastore.memory import MemoryMetastore
from tests.unit.cli.all_commands import all_commands

PYTHON = re.compile(r"\w+=|\w+\(|['\"]")
OPTIONS = {option for _, command in all_commands() for one in command.params for option in one.opts} | {
    option for one in cli.params for option in one.opts
}


def written(wording: ast.expr) -> str:
    """The text of a wording as the code has it; `...` stands for what is known only when the error is made."""
    if isinstance(wording, ast.Constant):
        return str(wording.value)
    assert isinstance(wording, ast.JoinedStr), "a wording is written where the remedy is made"
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "..." for part in wording.values)


def remedies() -> Iterator[tuple[str, str, str]]:
    """Each place that makes a remedy, with both of its wordings."""
    package = Path(hive_views.__file__).parent
    for file in sorted(package.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        # Each process that collects tests is here, and reading all of the package takes it seconds.
        if f"{Remedy.__name__}(" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == Remedy.__name__:
                wordings = {one.arg: written(one.value) for one in node.keywords}
                yield f"{file.relative_to(package)}:{node.lineno}", wordings["in_python"], wordings["in_shell"]


MADE = list(remedies())


def test_the_remedies_are_found() -> None:
    assert len(MADE) > 30


@pytest.mark.parametrize(("in_python", "in_shell"), [made[1:] for made in MADE], ids=[made[0] for made in MADE])
def test_every_remedy_has_both_wordings_with_options_and_commands_that_exist(in_python: str, in_shell: str) -> None:
    assert in_shell != in_python
    assert not PYTHON.search(in_shell), "Python's words"
    assert set(re.findall(r"--[\w-]+", in_shell)) <= OPTIONS
    assert set(re.findall(r"hive-views ([\w-]+)", in_shell)) <= set(cli.commands)
    assert "--" not in in_python, "the command's words"
    assert "hive-views " not in in_python


def test_an_error_ends_with_its_remedy_in_the_words_of_its_reader_and_keeps_both_apart() -> None:
    remedy = Remedy(in_python="Use lock='auto'.", in_shell="Use the setting lock = auto.")
    error = HiveViewsError("The row has a password: thrift://a:secret@h.", remedy=remedy)
    assert str(error) == "The row has a password: thrift://***@h. Use lock='auto'."
    assert error.shell_message == "The row has a password: thrift://***@h. Use the setting lock = auto."
    assert error.message == "The row has a password: thrift://***@h."


def test_an_error_without_a_remedy_says_the_same_to_all() -> None:
    error = HiveViewsError("The row has gone.")
    assert str(error) == error.shell_message == error.message == "The row has gone."


@pytest.fixture
def catalog(tmp_path: Path) -> ViewCatalog:
    return ViewCatalog(MemoryMetastore(), warehouse=str(tmp_path))


def test_a_notebook_shows_where_the_call_was_the_message_and_how_to_see_the_rest(catalog: ViewCatalog) -> None:
    with pytest.raises(NoSuchViewError) as failure:
        catalog.load_view("default.no_such")
    shown = failure.value._render_traceback_()
    assert len(shown) == 3
    assert shown[0].endswith('catalog.load_view("default.no_such")')
    assert shown[1].startswith("NoSuchViewError: There is no view default.no_such")
    assert shown[2] == "All frames: import traceback; traceback.print_last()"
    assert len("".join(traceback.format_exception(failure.value)).splitlines()) > len(shown)


def test_a_notebook_shows_an_error_that_was_never_raised() -> None:
    assert HiveViewsError("gone")._render_traceback_()[0] == "HiveViewsError: gone"
