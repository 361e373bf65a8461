"""Histories of concurrent clients: what the judge says of some, and of ours; HISTORIES.md has all cells."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from hive_views.metastore.thrift.hms import HiveMetastore
from tests.faults.histories.cells import CELLS, EMBEDDED, Cell, Place, Run
from tests.faults.histories.history import Judge
from tests.faults.histories.published import PUBLISHED, checker, key_of, read, written
from tests.support.java.connectors import ICEBERG_VERSION

needs_go = pytest.mark.peer("go")
CREATED = ("create", "a", (0, 10), "ok", [["a", "a", "a"], ["a"]])
SET = [["b", "a", "a"], ["a"]]
NEW = [["a", "a", "a"], ["a"]]


@pytest.fixture(scope="session")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    try:
        return Judge(tmp_path_factory.mktemp("judge"))
    except (FileNotFoundError, subprocess.CalledProcessError) as error:
        pytest.skip(f"The checker of histories cannot be built with Go: {error}")


def history(file: Path, calls: Sequence[Any]) -> Path:
    """Calls of one view, each by a client of its own, as recorders write them; those that end at None are killed."""
    written_ = []
    for number, (op, value, (start, end), outcome, seen) in enumerate(calls):
        call = {"id": str(number), "client": number, "view": "s.v", "op": op, "key": 0, "value": value, "call": start}
        written_.append(call)
        if end is not None:
            shown = seen and {"properties": seen[0], "versions": seen[1]}
            written_.append({"id": str(number), "return": end, "outcome": outcome, "seen": shown})
    file.write_text("".join(json.dumps(line) + "\n" for line in written_))
    return file


LINEARIZABLE = {
    "two changes at once, each seen by the later one": [
        CREATED,
        ("set", "b", (20, 40), "ok", [["b", "a", "a"], ["a", "c"]]),
        ("replace", "c", (20, 40), "ok", [["a", "a", "a"], ["a", "c"]]),
    ],
    "a read during a change, of the state before": [
        CREATED,
        ("set", "b", (20, 40), "ok", SET),
        ("read", "", (25, 35), "ok", NEW),
    ],
    "a killed writer's change that comes late": [
        CREATED,
        ("set", "b", (20, None), "", None),
        ("read", "", (30, 40), "ok", NEW),
        ("read", "", (50, 60), "ok", SET),
    ],
    "an unknown change that never comes": [
        CREATED,
        ("set", "b", (20, 30), "unknown", None),
        ("read", "", (40, 50), "ok", NEW),
    ],
    "a view dropped by two at once": [
        CREATED,
        ("drop", "", (20, 30), "ok", None),
        ("drop", "", (20, 30), "ok", None),
    ],
    "a view dropped, and created again": [
        CREATED,
        ("drop", "", (20, 30), "ok", None),
        ("read", "", (40, 50), "missing", None),
        ("create", "d", (60, 70), "ok", [["d", "d", "d"], ["d"]]),
    ],
}
VIOLATIONS = {
    "a lost change": [
        CREATED,
        ("set", "b", (20, 40), "ok", SET),
        ("replace", "c", (20, 40), "ok", [["a", "a", "a"], ["a", "c"]]),
        ("read", "", (50, 60), "ok", [["a", "a", "a"], ["a", "c"]]),
    ],
    "a lost version": [
        CREATED,
        ("replace", "c", (20, 40), "ok", None),
        ("replace", "d", (20, 40), "ok", None),
        ("read", "", (50, 60), "ok", [["a", "a", "a"], ["a", "d"]]),
    ],
    "an old state read after a change": [
        CREATED,
        ("set", "b", (20, 30), "ok", SET),
        ("read", "", (40, 50), "ok", NEW),
    ],
    "a change seen, and not seen again": [
        CREATED,
        ("set", "b", (20, None), "", None),
        ("read", "", (30, 40), "ok", SET),
        ("read", "", (50, 60), "ok", NEW),
    ],
    "a refused change that is there": [
        CREATED,
        ("set", "b", (20, 30), "refused", None),
        ("read", "", (40, 50), "ok", SET),
    ],
    "a change of a killed writer before its call": [
        CREATED,
        ("read", "", (15, 18), "ok", SET),
        ("set", "b", (20, None), "", None),
    ],
    "a live view that is not found": [CREATED, ("read", "", (20, 30), "missing", None)],
    "a dropped view that is read": [
        CREATED,
        ("drop", "", (20, 30), "ok", None),
        ("read", "", (40, 50), "ok", NEW),
    ],
    "a name created twice": [CREATED, ("create", "b", (20, 30), "ok", None)],
    "a name that is free, and said to be taken": [("create", "b", (20, 30), "exists", None)],
}


@needs_go
@pytest.mark.parametrize("calls", LINEARIZABLE.values(), ids=LINEARIZABLE)
def test_what_one_view_can_do_is_no_violation(judge: Judge, tmp_path: Path, calls: Sequence[Any]) -> None:
    found = judge.judge([history(tmp_path / "h.jsonl", calls)])
    assert (found.violations, found.undecided, found.operations) == ([], [], len(calls))


@needs_go
@pytest.mark.parametrize("calls", VIOLATIONS.values(), ids=VIOLATIONS)
def test_what_no_single_view_does_is_a_violation(judge: Judge, tmp_path: Path, calls: Sequence[Any]) -> None:
    found = judge.judge([history(tmp_path / "h.jsonl", calls)], pictures=tmp_path)
    assert found.violations == ["s.v"]
    assert (tmp_path / "s.v.html").exists()


@needs_go
def test_clients_of_the_embedded_metastore_make_a_linearizable_history(
    judge: Judge, metastore_uri: str, hms: HiveMetastore, tmp_path: Path
) -> None:
    """A small one; ``python -m tests.faults.histories`` makes those of HISTORIES.md."""
    cell = Cell(EMBEDDED, "local", "swaps", {"ours": 2, "REST": 1}, calls=100)
    place = Place(hms, metastore_uri, f"file://{tmp_path}/views")
    result = Run(cell, place, tmp_path / "history", seed=0)(judge)
    assert result.judgement.checker == checker()
    assert result.judgement.violations == result.judgement.undecided == []
    assert result.judgement.operations >= 80
    assert result.outcomes["ok"] > 30, result.errors
    assert result.faults["lost on the wire"] + result.faults["lost in HTTP"]
    assert result.faults["clock steps"]


def test_the_published_histories_are_those_of_all_cells_without_a_violation() -> None:
    published = PUBLISHED.read_text(encoding="utf-8")
    rows = read(published)
    assert [row.key for row in rows] == [key_of(cell) for cell in CELLS]
    assert written(rows, ICEBERG_VERSION) == published
    assert sum(row.operations for row in rows) >= 20_000
    assert [row for row in rows if row.violations] == []
    for row in rows:
        assert row.done > row.operations / 2
        assert min(row.unknown, row.writers_killed, row.requests_or_answers_lost, row.clocks_set) > 0, row
