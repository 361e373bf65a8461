"""The commands that copy and move views into another catalog."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext

import click

from hive_views.cli.commands.selected_views import Selection, end_with, required_selection_options, view_progress
from hive_views.cli.commands.transfer_options import partitions_option, placing_options
from hive_views.cli.shell.invocation import Invocation, command, dry_run_option
from hive_views.cli.shell.opening import open_catalog, open_target
from hive_views.estate.transfer.copying import copy_views, move_views
from hive_views.estate.transfer.importing import IfExists

_warehouse_option = click.option(
    "--warehouse", metavar="URI", help="Directory of the copies [default: that of the target]."
)


@command("copy")
@required_selection_options
@click.option(
    "--to",
    metavar="CATALOG",
    help="Catalog of the configuration file, or the URI of a metastore [default: the same, where --map names others].",
)
@_warehouse_option
@click.option("--history/--latest", default=True, help="All versions (the default), or the current one alone.")
@partitions_option
@placing_options
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
    names: Mapping[str, str],
    metastore_catalogs: Sequence[str],
    if_exists: IfExists,
    create_namespaces: bool,
    dry_run: bool,
) -> None:
    """Copy views into another catalog, with their history, and compare.

    Each copy has a metadata file and a directory of its own, a uuid of its own, and the owner, properties and
    partitions of the view. --map replaces names of databases: of the views, and wherever their texts, in all versions
    and dialects, and the rules of their publications name them; nothing else of a text changes.

    Every copy is read back from metastore and storage and compared; what differs is listed, and the view counts as
    failed. Run it again to finish what could not be done: copies that are as they should be stay as they are.
    """
    if to is None and not names:
        raise click.UsageError("Say where to: give --to CATALOG, or --map OLD=NEW for the same catalog.")
    if to is None and warehouse is not None:
        raise click.UsageError("--warehouse is of another catalog: give --to as well.")
    with open_catalog(invocation) as source:
        target = nullcontext(source) if to is None else open_target(invocation, to, warehouse)
        with target as opened, view_progress("Copying", "copied") as on_outcome:
            outcomes = copy_views(
                source,
                opened,
                *views.patterns,
                names=names,
                metastore_catalogs=metastore_catalogs,
                history=history,
                partitions=partitions,
                if_exists=if_exists,
                create_namespaces=create_namespaces,
                dry_run=dry_run,
                on_outcome=on_outcome,
            )
    end_with(ctx, invocation, outcomes)


@command("move")
@required_selection_options
@click.option("--to", metavar="CATALOG", required=True, help="Catalog of the configuration file, or a metastore's URI.")
@_warehouse_option
@placing_options
@dry_run_option
@click.pass_context
def move(
    ctx: click.Context,
    invocation: Invocation,
    views: Selection,
    to: str,
    warehouse: str | None,
    names: Mapping[str, str],
    metastore_catalogs: Sequence[str],
    if_exists: IfExists,
    create_namespaces: bool,
    dry_run: bool,
) -> None:
    """Move views into another catalog: copy, compare, and hand back.

    Views are copied as `hive-views copy` does, with all versions and partitions, and keep their uuid. Where the
    comparison finds no difference, the view in the source is handed back: a plain view, which engines go on reading,
    with its partitions and its files, until you drop it. One that was changed meanwhile is not handed back.
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
            names=names,
            metastore_catalogs=metastore_catalogs,
            if_exists=if_exists,
            create_namespaces=create_namespaces,
            dry_run=dry_run,
            on_outcome=on_outcome,
        )
    end_with(ctx, invocation, outcomes)
