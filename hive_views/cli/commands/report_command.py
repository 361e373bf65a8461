"""The command ``report``."""

from __future__ import annotations

from pathlib import Path

import click

from hive_views.cli.shell.invocation import Invocation, command
from hive_views.cli.shell.open_catalog import open_catalog
from hive_views.cli.shell.output import emit
from hive_views.cli.shell.progress import waiting
from hive_views.cli.shell.selected_views import Selection, selection_options
from hive_views.estate.html_report.page import check_destination
from hive_views.estate.html_report.page import report as report_on


@command("report")
@click.argument("out", metavar="OUT.html", type=click.Path(path_type=Path))
@selection_options
@click.option("--overwrite", is_flag=True, help="Replace an existing file.")
def report(invocation: Invocation, out: Path, views: Selection, overwrite: bool) -> None:
    """Write an HTML report on views: inventory, problems, recent changes.

    The report is one HTML file without scripts, also for phones and for printing. It has the findings of the check,
    publications with their calendars, the dependency graph, and for each view its columns, SQL, and the diffs of its
    last versions. Without PATTERN, it covers all views.

    The report contains everything that the metastore and the metadata files say about the views: only share it with
    people who may read those.
    """
    check_destination(out, overwrite=overwrite)
    with open_catalog(invocation) as catalog, waiting("Reading views"):
        page = report_on(catalog, *views.patterns, in_words=lambda remedy: remedy.in_shell)
    path, counts = page.write(out, overwrite=overwrite), page.counts
    emit(
        invocation,
        {"report": str(path), "counts": dict(counts)},
        f"{path}: views: {counts['views']:,}, broken: {counts['broken_views']:,}, "
        f"publications: {counts['publications']:,}.",
    )
