"""The command ``plan``: what would be done to make views what the files of a project say."""

from __future__ import annotations

from pathlib import Path

import click

from hive_views.cli.commands.plan_output import printed_plan
from hive_views.cli.shell.exit_codes import ExitCode
from hive_views.cli.shell.invocation import Invocation, command
from hive_views.cli.shell.open_catalog import open_catalog
from hive_views.cli.shell.output import emit
from hive_views.cli.shell.project_options import ProjectOptions, planned, project_options
from hive_views.project.plans.plan_document import to_document, write_plan
from hive_views.project.plans.plan_markdown import as_markdown


@command("plan", formats=("markdown",))
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
@project_options
@click.option(
    "-o",
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the plan to FILE, for apply.",
)
@click.pass_context
def plan(
    ctx: click.Context, invocation: Invocation, directory: Path, options: ProjectOptions, out: Path | None
) -> None:
    """Show what would be done to make views what the files of a project say.

    Nothing is changed. A project is a directory with a project.toml and a file for each view,
    DIR/<database>/<view>.sql. Shows the steps in order, with their diffs, the views that would break, and everything
    that is wrong in files.

    \b
    hive-views plan views/
    hive-views plan views/ -o plan.json && hive-views apply plan.json
    hive-views plan views/ --from-git origin/main --output markdown
    hive-views plan views/ --undo 20261127T113000-3f9a2c

    Exits with 0 if there is nothing to do, with 6 if there is something, and with 1 if there are errors in files. A
    plan that apply refuses says why, and how to allow it.
    """  # noqa: D301 - click's mark for lines to keep
    # That views differ from what was left is part of the plan.
    invocation.log.setLevel("ERROR")
    with open_catalog(invocation) as catalog:
        made = planned(catalog, directory, options)
    if out is not None:
        write_plan(made, out)
    if invocation.output == "markdown":
        click.echo(as_markdown(made), nl=False)
    else:
        emit(invocation, to_document(made), *printed_plan(made))
    if made.errors:
        ctx.exit(ExitCode.ERROR)
    if made.has_changes:
        ctx.exit(ExitCode.CHECK_FAILED)
