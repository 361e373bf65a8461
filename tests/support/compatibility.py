"""The table of what engines do to our views on which servers, written by the tests that prove it.

A test says what it proves with ``@pytest.mark.matrix(engine=..., operation=..., server=..., result=...)``, once or more
often. ``pytest tests --compatibility=write`` writes the table, ``--compatibility=check`` fails where it is another.
Both need a run of all marked tests, so they say nothing of a run in which one of them failed or was left out.
"""

from __future__ import annotations

import difflib
import json
from collections import defaultdict
from collections.abc import Generator, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

TABLE = Path(__file__).parents[1] / "interop/compatibility.md"
_MARK = "pytest.mark.matrix"
PROPERTY = "proves"
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
    """Gathers the proofs of a run, and writes or checks the table at its end.

    Another table inherits this with other attributes: the mark of its tests, the property that a report has them by,
    what is proved, and the folder of its tests.
    """

    mark = _MARK
    reported_as = PROPERTY
    proof: type[Any] = Proof

    def __init__(self, task: str) -> None:
        self._task = task
        self._proofs: set[Any] = set()
        self._files: set[str] = set()
        self._complete = True
        self._verdict: str | None = None
        self._changes: list[str] = []

    @property
    def path(self) -> Path:
        """The file with the table."""
        return TABLE

    @property
    def folder(self) -> Path:
        """Of the tests."""
        return TABLE.parent

    def text(self, proofs: Iterable[Any], former: str) -> str:
        """The content of the file, given what it was."""
        return table(proofs)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        proofs = [self.proof(**value) for name, value in report.user_properties if name == self.reported_as]
        if report.when == "call" and report.passed:
            self._proofs |= set(proofs)
            self._files.add(Path(report.location[0]).name)
        elif proofs and (report.failed or report.skipped):
            self._complete = False

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if session.exitstatus not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            return
        options = session.config.option
        marked = {path.name for path in self.folder.rglob("test_*.py") if self.mark in path.read_text("utf-8")}
        selected = options.keyword or options.markexpr or any("::" in argument for argument in session.config.args)
        if selected or marked - self._files or not self._complete or not self._proofs:
            self._verdict = "left out: not all tests that prove something ran"
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
            return
        written = self.path.read_text(encoding="utf-8") if self.path.is_file() else ""
        found = self.text(self._proofs, written)
        self._changes = list(difflib.unified_diff(written.splitlines(), found.splitlines(), n=0, lineterm=""))[2:]
        if written == found:
            self._verdict = "is what the tests prove"
        elif self._task == "write":
            self.path.write_text(found, encoding="utf-8")
            self._verdict = "written"
        else:
            self._verdict = "is not what the tests prove; write it with --compatibility=write, and read what changed"
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._verdict:
            terminalreporter.section("compatibility")
            file = "/".join(self.path.parts[-2:])
            terminalreporter.write_line(f"{file}: {self._verdict} ({len(self._proofs)} proofs)")
            for line in self._changes:
                terminalreporter.write_line(line)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    report = yield
    # They go with the report, which may come from another process (pytest-xdist).
    if report.when == "call" or not report.passed:
        report.user_properties += [(PROPERTY, mark.kwargs) for mark in item.iter_markers("matrix")]
    return report


class ProofFile:
    """Writes what passed tests prove as JSON, for a run inside a test that has it recorded there as its own."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self._proofs: list[dict[str, str]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            self._proofs += [value for name, value in report.user_properties if name == PROPERTY]

    def pytest_sessionfinish(self) -> None:
        self._path.write_text(json.dumps(self._proofs), encoding="utf-8")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--proofs", metavar="FILE", help="write what passed tests prove to this file, as JSON")
    parser.addoption(
        "--compatibility", choices=["write", "check"], help="write tests/interop/compatibility.md, or fail if it is old"
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "matrix(engine, operation, server, result): a line of compatibility.md")
    task = config.getoption("compatibility")
    if config.getoption("proofs"):
        config.pluginmanager.register(ProofFile(config.getoption("proofs")))
    if task and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Recorder(task))
