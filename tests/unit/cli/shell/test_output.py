"""What commands print, without a command. What must not: views."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table

from hive_views import ViewCatalog
from hive_views.cli.shell.error_output import Interrupted
from hive_views.cli.shell.output import _rendered, fields_of, table_of
from hive_views.cli.shell.progress import partition_progress
from hive_views.metastore.memory import MemoryMetastore

HEADINGS = ("NAME", "ROWS", "PARAMETERS")


def test_a_table_in_a_pipe_looks_as_rich_draws_it() -> None:
    rows = [
        ("ds=a", "", "one = 1\ntwo = 2\n\nfour\t= 4"),
        ("ds=日本", "12", ""),
        ("a longer name", "", "😀 = é"),
        ("", "", "[bold]no markup[/bold]"),
    ]
    drawn = Table(box=None, pad_edge=False)
    for heading in HEADINGS:
        drawn.add_column(heading)
    for row in rows:
        drawn.add_row(*row)
    console = Console(width=1000, markup=False, highlight=False, emoji=False)
    with console.capture() as captured:
        console.print(drawn)
    assert table_of(HEADINGS, rows) == "\n".join(line.rstrip() for line in captured.get().splitlines())
    assert table_of(HEADINGS, []) == "NAME  ROWS  PARAMETERS"


@pytest.mark.usefixtures("_narrow_terminal")
def test_tens_of_thousands_of_partitions_are_not_given_to_rich_which_takes_minutes() -> None:
    parameters = "\n".join(f"hive-views.parameter-{number} = {number}" for number in range(3))
    rows = [(f"ds=2026-08-21/hr={number}", str(number), parameters) for number in range(40_000)]
    assert isinstance(table_of(HEADINGS, rows[:10]), Table), "few of them fit, and are"
    table = table_of(HEADINGS, rows)
    assert isinstance(table, str)
    assert table.count("\n") == 3 * len(rows)


@pytest.fixture
def _narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """80 columns, which pytest's own stdout is not."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)


PATH = "file:///lake/warehouse/" + "a_directory_with_a_long_name/" * 4 + "00001-metadata.json"


@pytest.mark.usefixtures("_narrow_terminal")
def test_a_terminal_of_80_columns_gets_paths_and_words_whole() -> None:
    words = "a comment of some length that goes beyond eighty columns and is broken at blanks only"
    fields = _rendered(fields_of([("Location", PATH), ("Owner", "ada"), ("Comment", "")]))
    assert fields == f"Location  {PATH}\nOwner     ada"
    table = table_of(("COLUMN", "COMMENT"), [("clicks", words), ("ds", "")])
    assert isinstance(table, Table)
    drawn = _rendered(table)
    assert max(map(len, drawn.splitlines())) <= 80
    assert set(words.split()) <= set(drawn.split())
    assert PATH in str(table_of(("PROPERTY", "VALUE"), [("path", PATH), ("comment", words)]))


def test_an_interrupt_says_how_many_were_done_of_how_many_and_how_to_finish() -> None:
    names = [f"ds={day}" for day in range(1_000)]

    def interrupted() -> None:
        with partition_progress("Adding", "added", "sales.daily", again="Run it again.") as progress:
            progress([], 0, 20_000)
            progress(names, 1_500, 20_000)
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as interrupt:
        interrupted()
    assert interrupt.value.format_message() == (
        "Interrupted: 1,000 of 20,000 partitions of sales.daily had been added; the next 500 may or may not "
        "have been added. Run it again."
    )
    assert interrupt.value.details == {"added": names, "partitions": 20_000}


def test_adding_and_dropping_report_each_batch(tmp_path: Path) -> None:
    catalog = ViewCatalog(MemoryMetastore(), warehouse=str(tmp_path))
    columns = [("a", "int"), ("ds", "int")]
    catalog.create_view("default.v", sql={"hive": "SELECT a, ds FROM t"}, schema=columns, partitioned_on=["ds"])
    seen: list[tuple[int, int, int]] = []

    def progress(names: Sequence[str], finished: int, total: int) -> None:
        seen.append((len(names), finished, total))

    partitions = catalog.partitions("default.v")
    partitions.add([{"ds": 1}, {"ds": 2}])
    partitions.add([{"ds": number} for number in range(1_200)], if_not_exists=True, progress=progress)
    assert seen == [(0, 0, 1200), (498, 500, 1200), (998, 1000, 1200), (1198, 1200, 1200)]
    seen.clear()
    partitions.drop([{"ds": number} for number in range(700)], progress=progress)
    assert seen == [(0, 0, 700), (500, 500, 700), (700, 700, 700)]
