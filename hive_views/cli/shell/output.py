"""Output of commands: JSON documents, tables, fields and diffs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import timezone
from itertools import zip_longest
from typing import Any

import click
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hive_views.cli.shell.invocation import Invocation
from hive_views.hive.row import Column
from hive_views.messages.credentials import hide_credentials
from hive_views.messages.legible import legible, legible_json, legible_line, sendable
from hive_views.readiness.reasons import shown_timestamp
from hive_views.views.view import View

# A pipe has no width: output for other programs is neither wrapped nor truncated.
_WIDTH_OF_A_PIPE = 10_000
_MAX_ROWS_TO_FOLD = 1_000
# Keys with locations in their values, besides those that end with "location". The SQL of views is never changed.
_OF_PLANS = frozenset(("breakages", "differences", "drift", "errors", "impact", "refusals"))
_WITH_LOCATIONS = _OF_PLANS | frozenset(
    ("archive", "error", "expected", "found", "left", "problem", "properties", "reason", "remedy", "repaired")
)


class ForPrograms(str):
    """Output for people and programs: escaped on a terminal, unchanged in a pipe."""

    __slots__ = ()


def emit(invocation: Invocation, document: Mapping[str, Any], *parts: str | Text | Table) -> None:
    """Print the result of a command: ``document`` as JSON, or ``parts`` as text, one below the other.

    Control characters are escaped in text, and in JSON by its own escapes. Passwords in locations are hidden in both.
    """
    if invocation.output == "json":
        # Characters that stdout cannot encode become escapes of JSON.
        is_unicode = (sys.stdout.encoding or "").lower().startswith("utf")
        click.echo(legible_json(json.dumps(_without_passwords(document), indent=2, ensure_ascii=not is_unicode)))
        return
    for part in parts:
        if isinstance(part, ForPrograms) and not sys.stdout.isatty():
            click.echo(sendable(part))
        else:
            click.echo(legible(_hidden(part)) if isinstance(part, str) else _rendered(part))


def emit_lines(documents: Iterable[Mapping[str, Any]]) -> None:
    """Print results as JSON, one document per line."""
    is_unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    for document in documents:
        click.echo(legible_json(json.dumps(_without_passwords(document), ensure_ascii=not is_unicode)))


def _hidden(part: str) -> str:
    return part if isinstance(part, ForPrograms) else hide_credentials(part)


def _without_passwords(value: Any, *, has_locations: bool = False) -> Any:
    if isinstance(value, str):
        return hide_credentials(value) if has_locations else value
    if isinstance(value, Mapping):
        return {
            key: _without_passwords(
                one, has_locations=has_locations or key in _WITH_LOCATIONS or str(key).endswith("location")
            )
            for key, one in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [_without_passwords(one, has_locations=has_locations) for one in value]
    return value


def _rendered(part: Text | Table) -> str:
    is_terminal = sys.stdout.isatty()
    console = Console(width=None if is_terminal else _WIDTH_OF_A_PIPE, markup=False, highlight=False, emoji=False)
    if isinstance(part, Text) and (plain := legible(part.plain)) != part.plain:
        part = Text(plain, part.style)
    with console.capture() as rendered:
        console.print(part, soft_wrap=isinstance(part, Text))
    # Tables pad their lines with blanks.
    return "\n".join(line.rstrip() for line in rendered.get().splitlines())


def time_of(timestamp_ms: int) -> str:
    """Milliseconds since 1970 as a readable time."""
    return shown_timestamp(timestamp_ms, timezone.utc)


def table_of(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str | Table:
    """A table without borders.

    On a narrow terminal, cells are wrapped at blanks, but not if a single word is too wide: a path that the terminal
    wraps can be copied, one that is split within a cell cannot. Rich takes minutes for tens of thousands of rows.
    """
    shown = [tuple(legible(hide_credentials(cell)) for cell in row) for row in rows]
    longest = [max(map(_longest_word, column)) for column in zip(headings, *shown, strict=True)]
    is_too_wide = sum(longest) + 2 * (len(longest) - 1) > Console().width
    if not sys.stdout.isatty() or len(shown) > _MAX_ROWS_TO_FOLD or is_too_wide:
        return _aligned([tuple(headings), *shown])
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading, width in zip(headings, longest, strict=True):
        table.add_column(heading, min_width=width)
    for row in shown:
        table.add_row(*row)
    return table


def _longest_word(cell: str) -> int:
    return max(map(cell_len, cell.split()), default=0)


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    split = [[cell.expandtabs().split("\n") for cell in row] for row in rows]
    widths = [max(cell_len(line) for cell in column for line in cell) for column in zip(*split, strict=True)]
    lines = (line for row in split for line in zip_longest(*row, fillvalue=""))
    return "\n".join(
        "  ".join(text + " " * (width - cell_len(text)) for text, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def fields_of(fields: Iterable[tuple[str, str]]) -> Text:
    """One line per name and value, without those that have no value."""
    shown = [(name, legible(hide_credentials(value))) for name, value in fields if value]
    width = max((cell_len(name) for name, _ in shown), default=0)
    lines = (Text.assemble((name.ljust(width), "bold"), "  ", value) for name, value in shown)
    return Text("\n").join(lines)


def diff_of(lines: Iterable[str]) -> Text:
    """A unified diff in colors."""
    styles = {"+++": "bold", "---": "bold", "@@ ": "cyan", "  c": "yellow"}
    colours = {"+": "green", "-": "red"}
    return Text("\n").join(
        Text(legible_line(hide_credentials(line)), styles.get(line[:3]) or colours.get(line[:1], "")) for line in lines
    )


def columns_document(columns: Iterable[Column], keys: Iterable[str]) -> list[dict[str, Any]]:
    """Columns as ``--schema`` reads them back."""
    partitioned_on = set(keys)
    return [
        {"name": c.name, "type": c.type, "comment": c.comment, "partition": c.name in partitioned_on} for c in columns
    ]


def pointer_document(view: View) -> dict[str, Any]:
    """What every command that changes a view prints about it."""
    return {
        "identifier": str(view.identifier),
        "uuid": view.uuid,
        "version_id": view.metadata.current_version_id,
        "metadata_location": view.metadata_location,
    }
