"""The commands that take plain views in and let views go: adopt, hand-back."""

from __future__ import annotations

import click

from hive_views import estate
from hive_views.cli.commands.selected_views import Selection, end_with, required_selection_options, view_progress
from hive_views.cli.shell.completion import complete_views
from hive_views.cli.shell.invocation import Invocation, command, dry_run_option
from hive_views.cli.shell.opening import open_catalog


@command("adopt")
@required_selection_options
@click.option(
    "--exclude",
    metavar="PATTERN",
    multiple=True,
    shell_complete=complete_views,
    help="Leave these out, as 'staging.*'; repeatable.",
)
@click.option(
    "--new-history",
    is_flag=True,
    help="Begin a new history where files of a former view of the name are found; they stay.",
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
    """Turn plain views into views with history, in place.

    Takes views of Hive, Impala, Spark, Trino and Presto. What each engine reads stays as it was, and so do columns,
    comments, owner, properties, grants and partitions. Tables, materialized views, views of Iceberg and views that were
    handed back are left. A view whose text and columns do not agree fails as broken, and stays as it is: once it is
    mended, run the command again.

    `hive-views hand-back` is the way back.
    """
    with open_catalog(invocation) as catalog, view_progress("Adopting", "adopted") as on_outcome:
        outcomes = estate.adopt(
            catalog, *views.patterns, exclude=exclude, new_history=new_history, dry_run=dry_run, on_outcome=on_outcome
        )
    end_with(ctx, invocation, outcomes)


@command("hand-back")
@required_selection_options
@dry_run_option
@click.pass_context
def hand_back(
    ctx: click.Context,
    invocation: Invocation,
    views: Selection,
    dry_run: bool,
) -> None:
    """Turn views back into plain ones; their files stay.

    Engines go on reading what they read now, and partitions stay declared. `hive-views undrop NAME` goes on with the
    history.
    """
    with open_catalog(invocation) as catalog, view_progress("Handing back", "handed back") as on_outcome:
        outcomes = estate.hand_back(catalog, *views.patterns, dry_run=dry_run, on_outcome=on_outcome)
    end_with(ctx, invocation, outcomes)
