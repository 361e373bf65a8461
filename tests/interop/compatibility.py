"""The table of what engines do to our views on which servers, written by the tests that prove it.

What lives here: gathering what passed tests prove, and the table (compatibility.md). What must not: any claim.

A test says what it proves with ``@pytest.mark.matrix(engine=..., operation=..., server=..., result=...)``, once or more
often. ``pytest tests --compatibility=write`` writes the table, ``--compatibility=check`` fails where it is another.
Both need a run of all marked tests, so they say nothing of a run in which one of them failed or was left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

TABLE = Path(__file__).with_name("compatibility.md")
_HEADER = """\
# What engines do to our views

Written by the tests in this folder, each line by one that passed: `pytest --compatibility=write`. Not edited by hand.
A server is a version of the metastore and its database.
"""


@dataclass(frozen=True, order=True)
class Proof:
    """What a passed test proves."""

    engine: str
    operation: str
    result: str
    server: str


def table(proofs: Iterable[Proof]) -> str:
    """The table: a section for each engine, a line for each operation and result, with the servers it was seen on."""
    servers: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for proof in proofs:
        servers[proof.engine, proof.operation, proof.result].add(proof.server)
    lines = [_HEADER.rstrip("\n")]
    last = None
    for (engine, operation, result), where in sorted(servers.items()):
        if engine != last:
            lines += ["", f"## {engine}", "", "| operation | what happens | servers |", "|---|---|---|"]
            last = engine
        lines.append(f"| {_cell(operation)} | {_cell(result)} | {', '.join(sorted(where))} |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


class Recorder:
    """Gathers the proofs of a run, and writes or checks the table at its end."""

    def __init__(self, task: str) -> None:
        self._task = task
        self._proofs: set[Proof] = set()
        self._complete = True
        self._verdict: str | None = None

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        collected = {item.path for item in session.items}
        marked = {path for path in TABLE.parent.rglob("test_*.py") if "pytest.mark.matrix" in path.read_text("utf-8")}
        if marked - collected or any("::" in argument for argument in session.config.args):
            self._complete = False

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        if any(item.get_closest_marker("matrix") for item in items):
            self._complete = False

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, Any, Any]:
        report = yield
        if report.when == "call" and report.passed:
            self._proofs |= {Proof(**mark.kwargs) for mark in item.iter_markers("matrix")}
        elif (report.failed or report.skipped) and item.get_closest_marker("matrix"):
            self._complete = False
        return report

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if session.exitstatus not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            return
        if not self._complete or not self._proofs:
            self._verdict = "left out: not all tests that prove something ran"
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
            return
        found = table(self._proofs)
        if TABLE.is_file() and TABLE.read_text(encoding="utf-8") == found:
            self._verdict = "is what the tests prove"
        elif self._task == "write":
            TABLE.write_text(found, encoding="utf-8")
            self._verdict = "written"
        else:
            self._verdict = "is not what the tests prove; write it with --compatibility=write, and read what changed"
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._verdict:
            terminalreporter.section("compatibility")
            terminalreporter.write_line(f"{TABLE.name}: {self._verdict} ({len(self._proofs)} proofs)")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--compatibility", choices=["write", "check"], help="write tests/interop/compatibility.md, or fail if it is old"
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "matrix(engine, operation, server, result): a line of compatibility.md")
    task = config.getoption("compatibility")
    if task:
        config.pluginmanager.register(Recorder(task))
