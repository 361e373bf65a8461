"""What commands print, without a command. What must not: views."""

from __future__ import annotations

import time

from rich.console import Console
from rich.table import Table

from hive_views.cli.output import table_of

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


def test_tens_of_thousands_of_partitions_are_a_table_within_seconds() -> None:
    parameters = "\n".join(f"hive-views.parameter-{number} = {number}" for number in range(3))
    rows = [(f"ds=2026-08-21/hr={number}", str(number), parameters) for number in range(40_000)]
    before = time.process_time()
    assert str(table_of(HEADINGS, rows)).count("\n") == 3 * len(rows)
    assert time.process_time() - before < 10, "Rich takes some 20 seconds, and on a busy machine minutes"
