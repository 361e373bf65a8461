"""The commands that say where columns come from, and who uses them: lineage, uses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click
from rich.table import Table

from hive_views.cli.shell.completion import complete_views
from hive_views.cli.shell.invocation import Invocation, command
from hive_views.cli.shell.open_catalog import open_catalog
from hive_views.cli.shell.output import emit, table_of
from hive_views.cli.shell.selected_views import view_progress
from hive_views.estate.uses import Use, Uses
from hive_views.estate.uses import uses as find_uses


@command("lineage", formats=("mermaid",))
@click.argument("name", shell_complete=complete_views)
@click.argument("column", required=False)
@click.option("--dialect", help="Follow the SQL in this dialect, in each view that has it [default: what Hive reads].")
def lineage(invocation: Invocation, name: str, column: str | None, dialect: str | None) -> None:
    """Show where the columns of a view come from.

    Below each column, or the one that is named, are the columns that its values are made of, through the views that the
    view reads, down to tables; then those that decide which rows the view has. Plain views are followed too. What
    cannot be followed is shown at the end: views that do not exist, cannot be read, or read themselves.

    With --output mermaid, the output is a diagram that GitHub and GitLab draw in a block ```mermaid.
    """
    invocation.log.setLevel("ERROR")
    with open_catalog(invocation) as catalog:
        found = catalog.lineage(name, column, dialect=dialect and dialect.lower())
    if invocation.output == "mermaid":
        click.echo(found.mermaid(), nl=False)
    else:
        emit(invocation, found.document(), *found.lines())


@command("uses")
@click.argument("name", metavar="TABLE[.COLUMN]")
@click.option("--all", "through", is_flag=True, help="Also views that use it through other views.")
def uses(invocation: Invocation, name: str, through: bool) -> None:
    """Find the views that use a table, a view, or a column of one.

    NAME is web.clicks, or web.clicks.page. The SQL of all dialects counts, and so do stars. Each line has the clauses
    with the lines of the SQL, and the columns of the view that are made of it. The first call analyzes all views; later
    ones only those that have changed.
    """
    invocation.log.setLevel("ERROR")
    with open_catalog(invocation) as catalog, view_progress("Analyzing", "analyzed") as progress:
        found = find_uses(catalog, name, through=through, on_outcome=progress)
    emit(invocation, found.document(), *_printed(found))


def _printed(found: Uses) -> Iterator[str | Table]:
    if found:
        is_through = any(not one.is_direct for one in found)
        headings = ("VIEW", *(("THROUGH",) if is_through else ()), "DIALECT", "WHERE", "COLUMNS MADE OF IT")
        rows = [
            (str(one.view), *((_way(one),) if is_through else ()), dialects, where, ", ".join(one.columns) or "-")
            for one in found
            for dialects, where in _places(one, len(found.of.split(".")) == 2)
        ]
        yield table_of(headings, rows)
    yield found.summary()
    if found.not_known:
        first = found.not_known[0]
        number = len({one.view for one in found.not_known})
        yield (
            f"Not known: {number:,} more may use it. The first: {first.view}: {first.reason} Use --output json to list "
            f"all."
        )


def _way(use: Use) -> str:
    return " > ".join(str(step) for step in use.path[1:-1]) or "-"


def _places(use: Use, of_table: bool) -> Sequence[tuple[str, str]]:
    """Where each text uses it; equal texts of several dialects once."""
    together: dict[str, list[str]] = {}
    for dialect in use.dialects:
        places = [one for one in use.places if one.dialect == dialect]
        columns = dict.fromkeys(one.column for one in places)
        named = len(columns) > 1 or of_table or not use.is_direct
        where = "; ".join(
            (f"{column}: " if named else "") + ", ".join(str(one) for one in places if one.column == column)
            for column in columns
        )
        together.setdefault(where, []).append(dialect)
    rows = "only its rows" if use.decides_rows and not use.is_direct else "no column"
    return [(", ".join(dialects), where) for where, dialects in together.items()] or [("-", rows)]
