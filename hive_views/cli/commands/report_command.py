"""The command ``report``."""

from __future__ import annotations

from pathlib import Path

import click

from hive_views.cli.commands.selected_views import Selection, selection_options
from hive_views.cli.shell.invocation import Invocation, command
from hive_views.cli.shell.opening import open_catalog
from hive_views.cli.shell.output import emit
from hive_views.cli.shell.progress import waiting
from hive_views.estate.html_report.page import check_destination
from hive_views.estate.html_report.page import report as report_on


@command("report")
@click.argument("out", metavar="OUT.html", type=click.Path(path_type=Path))
@selection_options
@click.option("--overwrite", is_flag=True, help="Replace an existing page.")
def report(
    invocation: Invocation,
    out: Path,
    views: Selection,
    overwrite: bool,
) -> None:
    """Write a page about views: what there is, what is broken, how it came about.

    One HTML file without scripts, for a desk, a phone or paper: findings, publications with their calendars, the graph
    of what reads what, and each view with columns, texts and the diffs of its last versions. Without names of views it
    is about all of them.

    The page may hold all that the metastore and the files say of the views: give it to those who may read them.
    """
    check_destination(out, overwrite=overwrite)
    with open_catalog(invocation) as catalog, waiting("Looking at the views"):
        page = report_on(catalog, *views.patterns, in_words=lambda remedy: remedy.in_shell)
    path, counts = page.write(out, overwrite=overwrite), page.counts
    emit(
        invocation,
        {"report": str(path), "counts": dict(counts)},
        f"{path}: views: {counts['views']:,}, broken: {counts['broken_views']:,}, "
        f"publications: {counts['publications']:,}.",
    )
