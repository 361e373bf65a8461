"""The commands that convert plain views into managed ones and back: adopt, hand-back."""

from __future__ import annotations

import click

from hive_views import estate
from hive_views.cli.shell.completion import complete_views
from hive_views.cli.shell.invocation import Invocation, command, dry_run_option
from hive_views.cli.shell.open_catalog import open_catalog
from hive_views.cli.shell.selected_views import Selection, required_selection_options, show_outcomes, view_progress


@command("adopt")
@required_selection_options
@click.option(
    "--exclude",
    metavar="PATTERN",
    multiple=True,
    shell_complete=complete_views,
    help="Leave out views that match, such as 'staging.*'; repeatable.",
)
@click.option(
    "--new-history",
    is_flag=True,
    help="Start a new history even if files of an earlier view of the same name are found; they stay.",
)
@dry_run_option
@click.pass_context
def adopt(
    ctx: click.Context,
    invocation: Invocation,
    views: Selection,
    exclude: tuple[str, ...],
    new_history: bool,
    dry_run: bool,
) -> None:
    """Convert plain views into managed views, in place.

    A managed view has a metadata file with versions and history. Views of Hive, Impala, Spark, Trino and Presto can be
    adopted. What each engine reads stays the same, and so do columns, comments, owner, properties, grants and
    partitions. Tables, materialized views, Iceberg views and views that were handed back are skipped. A view whose SQL
    and columns contradict each other fails as broken and is not changed: fix it, then run the command again.

    `hive-views hand-back` reverses this.
    """
    with open_catalog(invocation) as catalog, view_progress("Adopting", "adopted") as on_outcome:
        outcomes = estate.adopt(
            catalog, *views.patterns, exclude=exclude, new_history=new_history, dry_run=dry_run, on_outcome=on_outcome
        )
    show_outcomes(ctx, invocation, outcomes)


@command("hand-back")
@required_selection_options
@dry_run_option
@click.pass_context
def hand_back(ctx: click.Context, invocation: Invocation, views: Selection, dry_run: bool) -> None:
    """Convert managed views back into plain ones, but keep their files.

    Engines continue to read what they read now, and partitions stay declared. `hive-views undrop NAME` makes the view
    managed again, with its history.
    """
    with open_catalog(invocation) as catalog, view_progress("Handing back", "handed back") as on_outcome:
        outcomes = estate.hand_back(catalog, *views.patterns, dry_run=dry_run, on_outcome=on_outcome)
    show_outcomes(ctx, invocation, outcomes)
