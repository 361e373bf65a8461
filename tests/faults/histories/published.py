"""What the judge said of the histories of each cell, as a table (HISTORIES.md), and the table read again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from tests.faults.histories.cells import Cell, Result
from tests.faults.histories.history import JUDGE

PUBLISHED = Path(__file__).parents[1] / "HISTORIES.md"
_HEAD = """\
# Histories of concurrent clients, and whether they are linearizable

Written by `python -m tests.faults.histories`, not by hand. In each cell, clients read, create, change and drop the same
views of one metastore at once, each as a process of its own: this library (ours), Iceberg's REST protocol over two
processes of `hive-views serve`, and Iceberg {iceberg}'s HiveCatalog in Java. Meanwhile writers and server processes are
killed with `kill -9`, requests and answers are lost on the way to the metastore and to the server, and wall clocks are
set by up to three days. Every call and every answer is recorded with the time of the machine's monotonic clock; most
answers contain the whole view.

The judge is {checker}. Its model of a view is one copy, changed by one client at a time: what is answered with
"done" is done at one moment between call and answer, and every later answer shows it; "refused" has changed nothing; a
view that is not found is not there; of two that drop a view at once, both may be told that it is gone. What was left
unknown, as by a writer that was killed, may happen at any later time, or never. A violation is a view for whose history
there is no such order, as where a change was lost or an old state was read.

With `locks`, all writers take the metastore's lock as well (3.1.3 does not check swaps); with `swaps`, the server, Java
and half of our writers rely on its compare-and-swap alone. Java has `hive.metastore.failure.retries=0` then: by default
Hive's client sends a swap again whose answer was lost, and Iceberg reports the change as refused that was done. A run
with that default had one violation in 2,391 operations, of a change of Java's.

Earlier runs found, in 5 of 290 views, a REST commit that was sent again with its key and refused for want of a lock, or
after a lost race, although its first attempt had been applied: the server looks for that now before it refuses. That
the checker finds what is wrong was tried with a swap that does not compare (4 of 4 views are violations) and with reads
that are up to 0.3 s old (2 of 2).
"""


@dataclass(frozen=True)
class Row:
    """A line of the table; the fields are its columns."""

    server: str
    store: str
    protection: str
    clients: str
    operations: int
    done: int
    refused: int
    missing_or_taken: int
    unknown: int
    writers_killed: int
    server_processes_killed: int
    requests_or_answers_lost: int
    clocks_set: int
    views: int
    violations: int

    @classmethod
    def of(cls, cell: Cell, result: Result) -> Row:
        outcomes, faults = result.outcomes, result.faults
        return cls(
            *key_of(cell),
            operations=result.judgement.operations,
            done=outcomes["ok"],
            refused=outcomes["refused"],
            missing_or_taken=outcomes["missing"] + outcomes["exists"],
            unknown=outcomes["unknown"],
            writers_killed=faults["writers killed"],
            server_processes_killed=faults["server processes killed"],
            requests_or_answers_lost=faults["lost on the wire"] + faults["lost in HTTP"],
            clocks_set=faults["clock steps"],
            views=result.judgement.views,
            # What is not proved is not passed over.
            violations=len(result.judgement.violations) + len(result.judgement.undecided),
        )

    @property
    def key(self) -> tuple[str, ...]:
        return (self.server, self.store, self.protection, self.clients)


def key_of(cell: Cell) -> tuple[str, str, str, str]:
    """What a cell is called in the table."""
    clients = ", ".join(f"{count} {kind}" for kind, count in cell.clients.items())
    return cell.server, cell.store, cell.protection, clients


def checker() -> str:
    """The judge, in the version that is built here."""
    found = re.search(
        r"^require github\.com/anishathalye/porcupine (v\S+)$", (JUDGE / "go.mod").read_text(), re.MULTILINE
    )
    assert found
    return f"Porcupine {found[1]}"


def written(rows: Sequence[Row], iceberg: str) -> str:
    columns = [field.name.replace("_", " ") for field in fields(Row)]
    counted = sum(isinstance(value, int) for value in astuple(rows[0]))
    totals = [sum(numbers) for numbers in zip(*(astuple(row)[-counted:] for row in rows), strict=True)]
    table = [columns, ["---"] * (len(columns) - counted) + ["---:"] * counted]
    table += [[f"{value:,}" if isinstance(value, int) else value for value in astuple(row)] for row in rows]
    table += [["all", *[""] * (len(columns) - counted - 1), *(f"{total:,}" for total in totals)]]
    lines = ("| " + " | ".join(row) + " |" for row in table)
    return _HEAD.format(checker=checker(), iceberg=iceberg) + "\n" + "\n".join(lines) + "\n"


def read(text: str) -> list[Row]:
    """The rows of what was written, without that of their sum."""
    table = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in row] for row in table[2:-1]]
    texts = len(Row.__dataclass_fields__) - 11
    return [Row(*row[:texts], *(int(cell.replace(",", "")) for cell in row[texts:])) for row in cells]  # type: ignore[arg-type]
