"""A history: what clients called and what came back, as JSON lines, and the judge of it (../linearizability)."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

JUDGE = Path(__file__).parents[1] / "linearizability"
KEYS = ("key-0", "key-1", "key-2")
"""The properties of a view that clients set."""
_PATIENCE_S = 600.0


@dataclass(frozen=True)
class Seen:
    """A view as a client saw it: the values of its properties, and those of the texts of its versions."""

    properties: tuple[str, ...]
    versions: tuple[str, ...]

    @classmethod
    def of(cls, metadata: Mapping[str, Any]) -> Seen:
        """As the metadata of Iceberg's spec, in JSON, says it."""
        versions = sorted(metadata["versions"], key=lambda version: version["version-id"])
        return cls(
            tuple(metadata["properties"].get(key, "") for key in KEYS),
            tuple(value_in(version["representations"][0]["sql"]) for version in versions),
        )


@dataclass(frozen=True)
class Answer:
    """How a call ended.

    Attributes:
        outcome: ``ok``, ``refused`` (nothing has changed), ``missing``, ``exists`` or ``unknown``.
        seen: the view that was read, or as a change has left it; None where the answer does not say.
        error: the class of what was raised.
    """

    outcome: str
    seen: Seen | None = None
    error: str = ""


class Recorder:
    """Writes calls and their answers as they come; what is written stays if the process is killed.

    All processes of a machine share the clock of the times, which nobody can set.
    """

    def __init__(self, file: Path, client: int) -> None:
        self._file = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        self._client = client
        self._number = itertools.count(1)

    def call(self, view: str, op: str, *, key: int = 0, value: str = "") -> str:
        """Say that something is called now; the id of this call."""
        name = f"{self._client}.{next(self._number)}"
        self._write(id=name, client=self._client, view=view, op=op, key=key, value=value, call=time.monotonic_ns())
        return name

    def answer(self, call: str, answer: Answer) -> None:
        self._write(id=call, **{"return": time.monotonic_ns()}, **asdict(answer))

    def _write(self, **line: Any) -> None:
        os.write(self._file, (json.dumps(line) + "\n").encode())


@dataclass(frozen=True)
class Judgement:
    """What the judge says of histories.

    Attributes:
        checker: its name and version.
        operations: how many it was given.
        views: how many views they are on.
        violations: the views whose history is not linearizable.
        undecided: the views on which it gave up.
    """

    checker: str
    operations: int
    views: int
    violations: list[str]
    undecided: list[str]


class Judge:
    """The checker, built with Go in a directory.

    Raises:
        FileNotFoundError: there is no Go here.
        subprocess.CalledProcessError: it cannot be built, as where the module cannot be fetched.
    """

    def __init__(self, directory: Path) -> None:
        go = shutil.which("go")
        if go is None:
            raise FileNotFoundError("There is no Go on PATH.")
        self._program = directory / "judge"
        # Another Go than the one that is here is not fetched.
        environment = {**os.environ, "GOTOOLCHAIN": "local"}
        build = [go, "build", "-buildvcs=false", "-o", self._program, "."]
        subprocess.run(build, cwd=JUDGE, env=environment, check=True, capture_output=True)

    def judge(self, files: Iterable[Path], *, pictures: Path | None = None) -> Judgement:
        """Judge histories, each view by itself.

        Args:
            files: those that recorders have written; calls and answers of one view may be in several.
            pictures: a directory for a page about each violation.
        """
        shown = ("-show", pictures) if pictures else ()
        judged = subprocess.run(
            [self._program, *shown, *files], stdout=subprocess.PIPE, check=True, timeout=_PATIENCE_S
        )
        return Judgement(**json.loads(judged.stdout))


def lines(files: Iterable[Path]) -> list[Mapping[str, Any]]:
    """The lines of histories."""
    return [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]


def text(value: str) -> str:
    """The text of a version, which shows the value."""
    return f"SELECT 1 AS one, '{value}' AS step"


def value_in(sql: str) -> str:
    return sql.partition("'")[2].partition("'")[0]
