"""The command ``report``."""

from __future__ import annotations

from pathlib import Path

import click

from hive_views.cli.shell.invocation import Invocation, command
from hive_views.cli.shell.open_catalog import open_catalog
from hive_views.cli.shell.output import emit
from hive_views.cli.shell.progress import waiting
from hive_views.cli.shell.selected_views import Selection, selection_options
from hive_views.estate.html_report.page import JSON, check_destination
from hive_views.estate.html_report.page import report as report_on
from hive_views.estate.html_report.view_urls import urls_of


@command("report")
@click.argument("out", metavar="OUT.html", type=click.Path(path_type=Path))
@selection_options
@click.option(
    "--json",
    "json_out",
    metavar="FILE.json",
    type=click.Path(path_type=Path),
    help="Also write the content as JSON. OUT.json instead of OUT.html writes nothing else.",
)
@click.option(
    "--view-url",
    metavar="URL",
    help="Link each view to where it is served: 'https://catalog.example.org/{namespace}/{view}'.",
)
@click.option("--overwrite", is_flag=True, help="Replace existing files.")
def report(
    invocation: Invocation,
    out: Path,
    views: Selection,
    json_out: Path | None,
    view_url: str | None,
    overwrite: bool,
) -> None:
    """Write an HTML report on views: inventory, problems, recent changes.

    The report is one HTML file without scripts, also for phones and for printing. It has the findings of the check,
    publications with their calendars, the dependency graph with what reads broken views, and for each view its columns,
    SQL, and the diffs of its last versions. Without PATTERN, it covers all views.

    The report contains everything that the metastore and the metadata files say about the views: only share it with
    people who may read those.
    """
    check_destination(out, overwrite=overwrite)
    if json_out is not None:
        check_destination(json_out, overwrite=overwrite, suffixes=(JSON,))
    urls_of(view_url)
    with open_catalog(invocation) as catalog, waiting("Reading views"):
        page = report_on(catalog, *views.patterns, view_url=view_url, in_words=lambda remedy: remedy.in_shell)
    path, counts = page.write(out, overwrite=overwrite), page.counts
    written = {"report": str(path)}
    if json_out is not None:
        written["json"] = str(page.write(json_out, overwrite=overwrite))
    emit(
        invocation,
        {**written, "counts": dict(counts)},
        f"{', '.join(written.values())}: views: {counts['views']:,}, broken: {counts['broken_views']:,}, "
        f"publications: {counts['publications']:,}.",
    )
