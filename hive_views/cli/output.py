"""What commands print.

What lives here: stdout as text or one JSON document, waiting signs on stderr, and the looks of what several commands
show. What must not: anything that reads or writes views.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from datetime import datetime, timezone
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hive_views.cli.invocation import Invocation
from hive_views.hive.row import Column
from hive_views.view import View

# The exit code of a command that has found what it was asked to look for.
PROBLEMS = 6

# A pipe has no width: nothing that another program reads is wrapped or cut.
_WIDTH_OF_A_PIPE = 10_000


def emit(invocation: Invocation, document: Mapping[str, Any], *parts: str | Text | Table) -> None:
    """The result of a command on stdout: ``document`` as JSON, or for people ``parts``, one below the other."""
    if invocation.output == "json":
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
        return
    for part in parts:
        click.echo(part if isinstance(part, str) else _rendered(part))


def console_for_progress() -> Console:
    """Where everything goes that is no result: stderr."""
    return Console(stderr=True, markup=False, highlight=False, emoji=False)


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """A sign on stderr that something takes time; nothing where stderr is no terminal."""
    console = console_for_progress()
    with console.status(f"{what} ...") if console.is_terminal else nullcontext():
        yield


def _rendered(part: Text | Table) -> str:
    is_terminal = sys.stdout.isatty()
    console = Console(width=None if is_terminal else _WIDTH_OF_A_PIPE, markup=False, highlight=False, emoji=False)
    with console.capture() as rendered:
        console.print(part, soft_wrap=isinstance(part, Text))
    # Tables fill their lines with blanks.
    return "\n".join(line.rstrip() for line in rendered.get().splitlines())


def time_of(timestamp_ms: int) -> str:
    """Milliseconds since 1970 as people read them."""
    return datetime.fromtimestamp(timestamp_ms / 1000, timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC")


def table_of(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """A table without lines, of columns as wide as they need to be."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table


def fields_of(fields: Iterable[tuple[str, str]]) -> Table:
    """Names and values below each other; those without a value are left out."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in fields:
        if value:
            table.add_row(name, value)
    return table


def diff_of(lines: Iterable[str]) -> Text:
    """A unified diff in colours."""
    styles = {"+++": "bold", "---": "bold", "@@ ": "cyan"}
    colours = {"+": "green", "-": "red"}
    return Text("\n").join(Text(line, styles.get(line[:3]) or colours.get(line[:1], "")) for line in lines)


def columns_document(columns: Iterable[Column], keys: Iterable[str]) -> list[dict[str, Any]]:
    """Columns as ``--schema`` reads them back."""
    partitioned_on = set(keys)
    return [
        {"name": c.name, "type": c.type, "comment": c.comment, "partition": c.name in partitioned_on} for c in columns
    ]


def pointer_document(view: View) -> dict[str, Any]:
    """What every command that changes a view tells of it."""
    return {
        "identifier": str(view.identifier),
        "uuid": view.uuid,
        "version_id": view.metadata.current_version_id,
        "metadata_location": view.metadata_location,
    }
