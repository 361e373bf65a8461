"""The command ``undrop``."""

from __future__ import annotations

import click

from hive_views.cli.shell.invocation import Invocation, command, dry_run_option
from hive_views.cli.shell.open_catalog import open_catalog
from hive_views.cli.shell.selected_views import Selection, namespace_options, show_outcomes, view_progress
from hive_views.estate.dropped.undropping import undrop as bring_back
from hive_views.views.changes.on_drift import Drift


@command("undrop")
@click.argument("patterns", metavar="{PATTERN... | --namespace NS | --all}", nargs=-1)
@namespace_options
@click.option(
    "--on-drift",
    type=click.Choice(["fail", "adopt", "overwrite"]),
    default="fail",
    show_default=True,
    help="If a plain view has the name: fail, adopt its content as the newest version, or overwrite it.",
)
@click.option("--create-namespaces", is_flag=True, help="Create namespaces that were dropped too.")
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

    Recovers views that were dropped, that another program replaced with CREATE OR REPLACE VIEW, or whose row lost its
    metadata pointer; `hive-views list --dropped` shows them. Existing managed views are never changed. A view that
    hive-views dropped comes back as it was. For a view that another program dropped, the default directories of views
    are searched, and the output says what is uncertain. To use a file from elsewhere, run `hive-views register`.

    What only the metastore row had is lost: grants, parameters that other programs had set, parameters of partitions,
    and, unless the view was adopted, its owner, which becomes that of new views.
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
    show_outcomes(ctx, invocation, outcomes)
