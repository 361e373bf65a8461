"""The commands that copy and move views into another catalog."""

from __future__ import annotations

from contextlib import nullcontext

import click
from typing_extensions import Unpack

from hive_views.cli.shell.invocation import Invocation, command, dry_run_option
from hive_views.cli.shell.open_catalog import open_catalog, open_target
from hive_views.cli.shell.selected_views import Selection, required_selection_options, show_outcomes, view_progress
from hive_views.cli.shell.transfer_options import (
    FORMER_TRANSFER_OPTIONS,
    TransferOptions,
    partitions_option,
    transfer_options,
)
from hive_views.estate.transfer.copying import copy_views, move_views

_warehouse_option = click.option(
    "--warehouse", metavar="URI", help="Directory for the copies [default: the target's warehouse]."
)


@command("copy", former=FORMER_TRANSFER_OPTIONS)
@required_selection_options
@click.option(
    "--to",
    metavar="CATALOG",
    help="Catalog in the configuration file, or URI of a metastore [default: the same catalog; needs --map then].",
)
@_warehouse_option
@click.option("--history/--latest", default=True, help="Copy all versions (the default), or only the current one.")
@partitions_option
@transfer_options
@dry_run_option
@click.pass_context
def copy(
    ctx: click.Context,
    invocation: Invocation,
    views: Selection,
    to: str | None,
    warehouse: str | None,
    history: bool,
    partitions: bool,
    dry_run: bool,
    **transfer: Unpack[TransferOptions],
) -> None:
    """Copy views with their history into another catalog, and verify the copies.

    Each copy has its own metadata file, directory and UUID, and the owner, properties and partitions of the original.
    --map renames databases: in the names of the views, in their SQL (all versions and dialects), and in the rules of
    their publications; nothing else in the SQL changes.

    Every copy is read back from the metastore and the storage, and compared with the original. Differences are listed,
    and the view counts as failed. Run the command again to retry what failed; correct copies are left as they are.
    """
    if to is None and not transfer["names"]:
        raise click.UsageError("Specify the target: --to CATALOG, or --map OLD=NEW to copy within the same catalog.")
    if to is None and warehouse is not None:
        raise click.UsageError("--warehouse is for another catalog: specify --to as well.")
    with open_catalog(invocation) as source:
        target = nullcontext(source) if to is None else open_target(invocation, to, warehouse)
        with target as opened, view_progress("Copying", "copied") as on_outcome:
            outcomes = copy_views(
                source,
                opened,
                *views.patterns,
                history=history,
                partitions=partitions,
                **transfer,
                dry_run=dry_run,
                on_outcome=on_outcome,
            )
    show_outcomes(ctx, invocation, outcomes)


@command("move", former=FORMER_TRANSFER_OPTIONS)
@required_selection_options
@click.option(
    "--to", metavar="CATALOG", required=True, help="Catalog in the configuration file, or URI of a metastore."
)
@_warehouse_option
@transfer_options
@dry_run_option
@click.pass_context
def move(
    ctx: click.Context,
    invocation: Invocation,
    views: Selection,
    to: str,
    warehouse: str | None,
    dry_run: bool,
    **transfer: Unpack[TransferOptions],
) -> None:
    """Move views into another catalog: copy, verify, hand back.

    Views are copied as by `hive-views copy`, with all versions and partitions, and keep their UUID. If a copy is
    identical, the view in the source is handed back: it becomes a plain view that engines can still read, and keeps its
    partitions and files until you drop it. A view that was changed in the meantime is not handed back.
    """
    with (
        open_catalog(invocation) as source,
        open_target(invocation, to, warehouse) as opened,
        view_progress("Moving", "moved") as on_outcome,
    ):
        outcomes = move_views(
            source,
            opened,
            *views.patterns,
            **transfer,
            dry_run=dry_run,
            on_outcome=on_outcome,
        )
    show_outcomes(ctx, invocation, outcomes)
