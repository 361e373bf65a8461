"""The command that brings views back."""

from __future__ import annotations

import click

from hive_views.cli.commands.selected_views import Selection, end_with, namespace_options, view_progress
from hive_views.cli.shell.invocation import Invocation, command, dry_run_option
from hive_views.cli.shell.opening import open_catalog
from hive_views.estate.dropped.undropping import undrop as bring_back
from hive_views.views.changes.on_drift import Drift


@command("undrop")
@click.argument("patterns", metavar="[NAME]...", nargs=-1)
@namespace_options
@click.option(
    "--on-drift",
    type=click.Choice(["fail", "adopt", "overwrite"]),
    default="fail",
    show_default=True,
    help="If another view has the name now: make its content the newest version, or restore the view as it was.",
)
@click.option("--create-namespaces", is_flag=True, help="Create namespaces that are gone themselves.")
@dry_run_option
@click.pass_context
def undrop(
    ctx: click.Context,
    invocation: Invocation,
    views: Selection,
    on_drift: Drift,
    create_namespaces: bool,
    dry_run: bool,
) -> None:
    """Bring dropped views back, with history, tags and partitions.

    For views that were dropped, that a foreign CREATE OR REPLACE VIEW has put away, or whose row lost its pointer;
    `hive-views list --dropped` shows them. A view that is there is never touched. What hive-views has dropped comes
    back as it was; what another program dropped is searched for in the directories that views have by default, and the
    answer says what may be wrong about it. `hive-views register` takes a file from anywhere.

    What only the row held does not come back: grants, parameters that other programs had set, those of partitions, and
    the owner of a view that was not adopted, which is that of new views then.
    """
    with open_catalog(invocation) as catalog, view_progress("Bringing back", "brought back") as show:
        outcomes = bring_back(
            catalog,
            *views.patterns,
            on_drift=on_drift,
            create_namespaces=create_namespaces,
            dry_run=dry_run,
            on_outcome=show,
        )
    end_with(ctx, invocation, outcomes)
