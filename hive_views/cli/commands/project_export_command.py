"""The command that writes views as the files of a project: export."""

from __future__ import annotations

from pathlib import Path

import click

from hive_views.cli.shell.invocation import Invocation, command, dry_run_option
from hive_views.cli.shell.open_catalog import open_catalog
from hive_views.cli.shell.project_options import variables_option
from hive_views.cli.shell.selected_views import Selection, selection_options, show_outcomes, view_progress
from hive_views.project.exporting.export import export


@command("export")
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@selection_options
@variables_option
@click.option("--force", is_flag=True, help="Replace files that say something else of their views.")
@dry_run_option
@click.pass_context
def export_views(
    ctx: click.Context,
    invocation: Invocation,
    directory: Path,
    views: Selection,
    variables: dict[str, str],
    force: bool,
    dry_run: bool,
) -> None:
    """Write views as SQL files, one a view, to be kept in git.

    DIR/<namespace>/<view>.sql has one statement that declares the view, with its SQL in every dialect. DIR/project.toml
    is written if it is missing, and DIR/publications.toml gets the rules that are recorded with the views, for
    `hive-views publish --file`.

    A file that says what its view is stays as it is, with its comments. Plain views are left: adopt them first.
    Partitions, grants and earlier versions are no part of the files.
    """
    invocation.log.setLevel("ERROR")
    with open_catalog(invocation) as catalog, view_progress("Exporting", "exported") as on_outcome:
        outcomes = export(
            catalog,
            directory,
            *(views.patterns if views.is_given else ()),
            variables=variables,
            force=force,
            dry_run=dry_run,
            on_outcome=on_outcome,
        )
    show_outcomes(ctx, invocation, outcomes)
