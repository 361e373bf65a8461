"""The command ``apply``: makes views what the files of a project say, or carries out a plan that was kept."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from hive_views.cli.commands.plan_output import printed_plan
from hive_views.cli.shell.exit_codes import ExitCode
from hive_views.cli.shell.invocation import Invocation, command, dry_run_option
from hive_views.cli.shell.open_catalog import open_catalog
from hive_views.cli.shell.output import emit
from hive_views.cli.shell.project_options import ProjectOptions, planned, project_options
from hive_views.cli.shell.selected_views import document_of, printed, view_progress
from hive_views.project.applying.apply_plan import LOCK_TIMEOUT_S, ApplyReport, refuse
from hive_views.project.applying.apply_plan import apply as carry_out
from hive_views.project.plans.plan_document import read_plan, to_document
from hive_views.project.plans.project_plan import Plan
from hive_views.views.catalog import ViewCatalog


@command("apply")
@click.argument("source", metavar="{DIR | PLAN.json}", type=click.Path(path_type=Path))
@project_options
@click.option(
    "--lock-timeout",
    type=click.FloatRange(min=0),
    default=LOCK_TIMEOUT_S,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait for another apply of the project to end.",
)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@dry_run_option
@click.pass_context
def apply(
    ctx: click.Context,
    invocation: Invocation,
    source: Path,
    options: ProjectOptions,
    lock_timeout: float,
    yes: bool,
    dry_run: bool,
) -> None:
    """Make views what the files of a project say, or undo a release.

    Carries out the plan that `hive-views plan` shows, or one that it has written to a file. Each view is changed in one
    commit, in place, so that readers never miss it. A plan with errors, one that would break views, and one whose views
    were changed meanwhile, is refused before anything is written. If a step fails, those that need it are left, and the
    rest is done. To complete an apply that failed or was killed, run it again.

    \b
    hive-views apply views/
    hive-views apply plan.json
    hive-views releases views/
    hive-views apply views/ --undo 20261127T113000-3f9a2c

    --undo takes every view back to where it was before a release: it is refused if one was changed since, and is a
    release itself, which can be undone. On a terminal the plan is shown first, and you are asked; with --yes, with a
    plan from a file, and in scripts, you are not. Exits with 1 if a step failed or was left.
    """  # noqa: D301 - click's mark for lines to keep
    is_kept = source.is_file()
    if is_kept and options.is_given:
        raise click.UsageError(f"{source} is a plan: options on how to plan are for the directory of a project.")
    # That views differ from what was left is part of the plan.
    invocation.log.setLevel("ERROR")
    with open_catalog(invocation) as catalog:
        plan = read_plan(source) if is_kept else planned(catalog, source, options)
        if dry_run:
            emit(invocation, to_document(plan), *printed_plan(plan))
            ctx.exit(ExitCode.ERROR if plan.errors else ExitCode.CHECK_FAILED if plan.has_changes else ExitCode.DONE)
        refuse(plan)
        if plan.has_changes and not (yes or is_kept) and sys.stdin.isatty() and invocation.output == "text":
            _ask(ctx, invocation, plan)
        report = _applied(catalog, plan, lock_timeout)
    document = {**report.document(), **document_of(report.outcomes)}
    emit(invocation, document, *printed(report.outcomes)[:-1], report.summary())
    if not report.is_complete:
        ctx.exit(ExitCode.ERROR)


def _ask(ctx: click.Context, invocation: Invocation, plan: Plan) -> None:
    emit(invocation, {}, *printed_plan(plan))
    if not click.confirm("Apply this?", err=True):
        click.echo("Nothing was changed.", err=True)
        ctx.exit(ExitCode.ERROR)


def _applied(catalog: ViewCatalog, plan: Plan, lock_timeout_s: float) -> ApplyReport:
    with view_progress("Applying", "applied") as show:
        return carry_out(catalog, plan, on_step=show, lock_timeout_s=lock_timeout_s)
