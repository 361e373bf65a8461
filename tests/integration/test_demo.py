"""The demonstration as a process: what it prints, and what it leaves behind."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from hive_views.metastore.embedded.local_metastore import LocalMetastore

# On two cores that are busy otherwise, the demonstration takes some minutes.
pytestmark = [pytest.mark.timeout(900), pytest.mark.usefixtures("java")]

PRINTED = (
    r"57 +0 +2\n",
    r"ds=2013-01-01 +nyc\.weather: hr 0 of ds=2013-01-01 is missing\n",
    r"ds=2013-02-21 +nyc\.weather: hr 0 of ds=2013-02-21 is missing\n",
    r"# Partition Information",
    r"EXPECT_TABLE_NOT_VIEW",
    r"57 names: ds=2013-01-02, ds=2013-01-03, \.\.\. ds=2013-02-28\n",
    r"LGA +211 +211 +1\.6 +16\.1 +7\.0",
    r"nyc\.flights +1 +59 +ds = 2013-01-06",
    r"nyc\.weather +24 +1414 +ds = 2013-01-06",
    r"832 flights on 2013-01-06, but the view only 819",
    r"ok  All 57 partitions are still declared\.",
    r"CURRENT SINCE +VERSION",
    r"-JOIN nyc\.weather w\n +\+LEFT JOIN nyc\.weather w\n",
    r"ok  The first query is back, byte for byte\.",
    r"ok  The correction is current\.\nok  The team is set as well\.",
    r"0 +57 +2\n",
    r"ok  Nothing is declared twice\.",
    r"1 +57 +1\n",
    r"ok  Only that day has become ready\.",
    r"57 +0 +2\n",
    r"ds=2013-02-21 (?:.|\n)*?hr\s+0\s+of\s+ds=2013-02-21\s+is\s+missing",
    r"ok  The same days are ready, except the one whose hour was late\.",
    r"Serving hive at http://127\.0\.0\.1:\d+ until SIGTERM",
    r"views = load_catalog\(",
    r"ok  PyIceberg loads its history: \[1, 2, 1, 2\]\.",
    r"ok  It also loads the current SQL for Trino\.",
    r"ok  Done in \d+ seconds; no processes are left running",
)


RAN = "DEMO_RAN"
"""Names a directory where ``hive-views demo --keep`` has run already (.ci/run), and its output is in ``told``."""

KEPT = "kept here"


class Demo:
    """The demonstration in directories of its own, which show what it leaves."""

    def __init__(self, directory: Path) -> None:
        self.here, self.temporary = directory / "here", directory / "temporary"
        self.here.mkdir(exist_ok=True)
        self.temporary.mkdir(exist_ok=True)
        self.environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry),
            "TMPDIR": str(self.temporary),
        }

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-c", "from hive_views.cli import main; main()", *arguments]

    def run(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*arguments),
            cwd=self.here,
            env={**self.environment, **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    def start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.command("demo"), cwd=self.here, env=self.environment, stdout=subprocess.PIPE, text=True
        )

    def left(self) -> list[Path]:
        return [*self.here.iterdir(), *self.temporary.iterdir()]

    def processes(self) -> list[str]:
        """Processes that were started with one of the directories, or in one. (Nothing is found without /proc.)"""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            # Processes end while they are looked at.
            with suppress(OSError):
                running = (process / "cmdline").read_text() + str((process / "cwd").readlink())
                if str(self.temporary) in running or str(self.here) in running:
                    found.append(running)
        return found


@pytest.fixture
def demo(tmp_path: Path) -> Demo:
    return Demo(tmp_path)


@pytest.mark.spark
def test_the_demo_keeps_its_promises(tmp_path: Path) -> None:
    """That one without --keep leaves nothing is seen where it is broken off."""
    demo = Demo(Path(os.environ.get(RAN, tmp_path)))
    directory = demo.here / KEPT
    if RAN in os.environ:
        out = (Path(os.environ[RAN]) / "told").read_text()
    else:
        done = demo.run("demo", "--keep", KEPT)
        assert (done.returncode, done.stderr) == (0, "")
        out = done.stdout
    assert demo.left() == [directory]
    assert demo.processes() == []
    check_story(out, str(demo.here))
    check_what_is_kept_can_be_played_with(demo, out, directory)


def check_story(out: str, home: str) -> None:
    story = "\n".join(line.rstrip() for line in out.splitlines()) + "\n"
    position = 0
    for line in PRINTED:
        match = re.compile(line).search(story, position)
        assert match, f"{line} is not printed, or not in its turn:\n{story[position:]}"
        position = match.start()
    assert out.isascii()
    assert max(len(line) for line in story.splitlines() if home not in line) <= 90
    assert "\x1b" not in out


def check_what_is_kept_can_be_played_with(demo: Demo, out: str, directory: Path) -> None:
    match = re.search(r"\$ export HIVE_VIEWS_URI=(.+)\n(?= +\$ hive-views list)", out)
    assert match
    (uri,) = shlex.split(match[1])
    assert uri == f"local://{directory}"

    def play(*arguments: str) -> str:
        played = demo.run(*arguments, HIVE_VIEWS_URI=uri)
        assert played.returncode == 0, played.stderr
        return played.stdout

    # The commands share this server; that each starts its own is seen elsewhere.
    with LocalMetastore(directory):
        assert play("list") == "nyc.departures\n"
        assert "LEFT JOIN nyc.weather" in play("sql", "nyc.departures", "--dialect", "trino")
        assert len(play("partitions", "list", "nyc.departures").splitlines()) == 57
    again = demo.run("demo", "--keep", KEPT)
    assert (again.returncode, again.stdout) == (2, "")
    assert "is not empty" in again.stderr


@pytest.mark.parametrize(
    ("point", "number"),
    [
        ("Starting the metastore", signal.SIGINT),
        ("Starting Spark", signal.SIGTERM),
        ("Creating the tables", signal.SIGINT),
    ],
)
def test_a_demo_that_is_broken_off_leaves_no_process_and_no_file(
    demo: Demo, point: str, number: signal.Signals
) -> None:
    with demo.start() as process:
        assert process.stdout
        assert any(line.startswith(point) for line in process.stdout)
        process.send_signal(number)
        process.stdout.read()
    assert process.returncode != 0
    # What was still starting finds out by itself that nobody wants it any more.
    deadline = time.monotonic() + 60
    while left := demo.processes():
        assert time.monotonic() < deadline, left
        time.sleep(0.1)
    assert demo.left() == []
