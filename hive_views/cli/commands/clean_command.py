"""The command ``clean``."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import click
from rich.table import Table

from hive_views.cli.shell.arguments import duration_given
from hive_views.cli.shell.exit_codes import ExitCode
from hive_views.cli.shell.invocation import Invocation, command, dry_run_option
from hive_views.cli.shell.open_catalog import open_catalog
from hive_views.cli.shell.output import emit, table_of, time_of
from hive_views.cli.shell.selected_views import (
    Selection,
    document_of,
    printed,
    required_selection_options,
    view_progress,
)
from hive_views.estate.cleanup.cleaning import clean as clean_views
from hive_views.estate.each.outcomes import Outcomes, State
from hive_views.messages.counted import counted


@command("clean")
@required_selection_options
@click.option(
    "--older-than",
    metavar="AGE",
    default="30d",
    show_default=True,
    callback=duration_given,
    help="Minimum age of files to delete, such as 12h; at least 1h.",
)
@dry_run_option
@click.pass_context
def clean(ctx: click.Context, invocation: Invocation, views: Selection, older_than: timedelta, dry_run: bool) -> None:
    """Delete old files that no view needs any more.

    Deletes metadata files of a view that are older than its current and previous ones, if they were written for this
    very view and no other view and no tag needs them. Files that a running change may still make current are kept,
    whatever their age. In the directories of views, it also deletes partition journals of views of which nothing else
    is left, listings of base tables of views that no longer exist, and records of REST requests, which clients may
    repeat for a day.

    Dropped views can still be brought back afterwards, but expired versions cannot be recovered from older files. Views
    that are locked are skipped; run the command again for them. --dry-run lists the files with their sizes.
    """
    with open_catalog(invocation) as catalog, view_progress("Cleaning", "cleaned") as show:
        outcomes = clean_views(catalog, *views.patterns, older_than=older_than, dry_run=dry_run, on_outcome=show)
    files, size = _totals(outcomes)
    emit(invocation, {**document_of(outcomes), "files": files, "bytes": size}, *_printed(outcomes))
    if outcomes.failed:
        ctx.exit(ExitCode.ERROR)


def _printed(outcomes: Outcomes) -> Iterator[str | Table]:
    files = [
        (file["location"], "?" if file["bytes"] is None else f"{file['bytes']:,}", time_of(file["modified_at_ms"]))
        for one in outcomes.of(State.PLANNED)
        for file in one.details["files"]
    ]
    if files:
        yield table_of(("FILE", "BYTES", "WRITTEN"), files)
        yield ""
    yield from printed(outcomes, but=State.UNCHANGED)
    count, size = _totals(outcomes)
    yield f"{counted(count, 'file')}, {counted(size, 'byte')} {'would be deleted' if outcomes.dry_run else 'deleted'}."


def _totals(outcomes: Outcomes) -> tuple[int, int]:
    return (
        sum(len(one.details.get("files", ())) for one in outcomes),
        sum(one.details.get("bytes", 0) for one in outcomes),
    )
