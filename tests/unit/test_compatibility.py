"""The table of tests/support/compatibility.py, and a run that writes or checks it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.compatibility import Proof, table

_ROOT = Path(__file__).parents[2]
_TESTS = """
from functools import partial
import pytest

proves = partial(pytest.mark.matrix, engine="Hive 4", server="here")

@proves(operation="SELECT", result="rows")
def test_one():
    pass

@proves(operation="DROP", result="gone")
def test_another():
    assert {passes}
"""
_PLUGIN = """
from pathlib import Path
from tests.support import compatibility

compatibility.TABLE = Path(__file__).with_name("compatibility.md")
from tests.support.compatibility import *
"""


def test_servers_with_one_result_share_a_line_and_others_have_their_own() -> None:
    shown = table(
        [
            Proof("Trino", "SELECT", "the rows", "4.0.1"),
            Proof("Hive", "a | b", "the rows", "4.0.1"),
            Proof("Trino", "SELECT", "the rows", "3.1.3"),
            Proof("Trino", "SELECT", "none", "2.3.10"),
        ]
    )
    assert [line for line in shown.splitlines() if line.startswith(("##", "| "))] == [
        "## Hive",
        "| operation | what happens | servers |",
        r"| a \| b | the rows | 4.0.1 |",
        "## Trino",
        "| operation | what happens | servers |",
        "| SELECT | none | 2.3.10 |",
        "| SELECT | the rows | 3.1.3, 4.0.1 |",
    ]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A directory with two marked tests and the plugin, whose table is there too."""
    (tmp_path / "conftest.py").write_text(_PLUGIN)
    (tmp_path / "test_it.py").write_text(_TESTS.format(passes=True))
    return tmp_path


def pytest_run(directory: Path, *arguments: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-c", os.devnull, "-q", *arguments],
        cwd=directory,
        env={**os.environ, "PYTHONPATH": str(_ROOT), "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def test_what_passed_tests_prove_is_written_and_then_found_to_be_so(run: Path) -> None:
    assert pytest_run(run, "--compatibility=write")[0] == 0
    assert "| DROP | gone | here |" in (run / "compatibility.md").read_text()
    code, shown = pytest_run(run, "--compatibility=check")
    assert (code, "is what the tests prove" in shown) == (0, True)


def test_a_table_that_says_something_else_fails_the_run(run: Path) -> None:
    (run / "compatibility.md").write_text("all is well\n")
    code, shown = pytest_run(run, "--compatibility=check")
    assert (code, "is not what the tests prove" in shown) == (1, True)
    assert (run / "compatibility.md").read_text() == "all is well\n"


@pytest.mark.parametrize("arguments", [("-k", "one"), ("test_it.py::test_one",)])
def test_a_run_of_some_tests_writes_nothing_and_fails(run: Path, arguments: tuple[str, ...]) -> None:
    code, shown = pytest_run(run, "--compatibility=write", *arguments)
    assert (code, "not all tests" in shown) == (1, True)
    assert not (run / "compatibility.md").exists()


def test_a_failed_test_proves_nothing(run: Path) -> None:
    (run / "test_it.py").write_text(_TESTS.format(passes=False))
    assert pytest_run(run, "--compatibility=write")[0] == 1
    assert not (run / "compatibility.md").exists()
