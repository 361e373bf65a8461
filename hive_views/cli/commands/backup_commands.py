"""The commands ``backup`` and ``restore``."""

from __future__ import annotations

from typing import Any

import click
from click.core import ParameterSource
from typing_extensions import Unpack

from hive_views.cli.shell.error_output import Interrupted
from hive_views.cli.shell.exit_codes import ExitCode
from hive_views.cli.shell.invocation import Invocation, command, dry_run_option
from hive_views.cli.shell.open_catalog import open_catalog
from hive_views.cli.shell.output import emit, table_of, time_of
from hive_views.cli.shell.selected_views import Selection, selection_options, show_outcomes, view_progress
from hive_views.cli.shell.transfer_options import (
    FORMER_TRANSFER_OPTIONS,
    TransferOptions,
    partitions_option,
    transfer_options,
)
from hive_views.estate.archive.backup import backup as make_backup
from hive_views.estate.archive.manifest import Manifest
from hive_views.estate.archive.restore import read_archive
from hive_views.estate.archive.restore import restore as restore_views
from hive_views.messages.counted import counted
from hive_views.messages.legible import legible

_OF_LISTING = frozenset(("output", "archive", "patterns", "namespaces", "all_views", "only_list"))


@command("backup", former={"--since": "--base"})
@click.argument("archive")
@selection_options
@click.option(
    "--base", metavar="ARCHIVE", help="Only store what changed since this archive, which restore then needs too."
)
@click.option(
    "--keep",
    metavar="N",
    type=click.IntRange(min=1),
    help="Delete older archives of this name, which has the date in it: 'views-%Y-%m-%d.zip'. N remain, this one "
    "included.",
)
@click.option("--overwrite", is_flag=True, help="Replace an existing archive, unless a view fails.")
@dry_run_option
@click.pass_context
def backup(
    ctx: click.Context,
    invocation: Invocation,
    archive: str,
    views: Selection,
    base: str | None,
    keep: int | None,
    overwrite: bool,
    dry_run: bool,
) -> None:
    """Back up views to one archive.

    The archive has history, properties and partitions; plain views are stored as they are. ARCHIVE is a path or any URI
    that fsspec supports (s3://bucket/views.zip). Without PATTERN, all views are backed up. The archive is a zip file
    with checksums, and appears under its name only when it is complete. With --keep, nothing is deleted if a view
    fails, and never an archive that a remaining one is based on.
    """
    with open_catalog(invocation) as catalog:
        try:
            with view_progress("Backing up", "backed up") as show:
                outcomes = make_backup(
                    catalog,
                    archive,
                    *views.patterns,
                    base=base,
                    keep=keep,
                    overwrite=overwrite,
                    dry_run=dry_run,
                    on_outcome=show,
                )
        except Interrupted as interrupt:
            whether = "no archive was written" if keep is None else "if the archive is there, it is complete"
            raise Interrupted(f"Interrupted: {whether}.") from interrupt
    problems = outcomes.rotation.problems if outcomes.rotation else {}
    if outcomes.left_as_it_was:
        click.echo(outcomes.left_as_it_was, err=True)
    if keep is not None and outcomes.rotation is None:
        click.echo("No earlier archive was deleted, because this backup does not have all views.", err=True)
    for location, why in problems.items():
        click.echo(legible(f"Problem with {location}: {why}"), err=True)
    show_outcomes(ctx, invocation, outcomes)
    if outcomes.left_as_it_was or problems:
        ctx.exit(ExitCode.ERROR)


@command("restore", former=FORMER_TRANSFER_OPTIONS)
@click.argument("archive")
@selection_options
@click.option("--list", "only_list", is_flag=True, help="Only list the views in the archive.")
@click.option(
    "--base",
    "bases",
    metavar="ARCHIVE",
    multiple=True,
    help="The earlier archive that this one builds on (--base of backup), if it was moved; repeatable.",
)
@partitions_option
@transfer_options
@click.option(
    "--skip-damaged", is_flag=True, help="Restore the undamaged views of a damaged archive, or of a damaged base."
)
@dry_run_option
@click.pass_context
def restore(
    ctx: click.Context,
    invocation: Invocation,
    archive: str,
    views: Selection,
    only_list: bool,
    bases: tuple[str, ...],
    partitions: bool,
    skip_damaged: bool,
    dry_run: bool,
    **transfer: Unpack[TransferOptions],
) -> None:
    """Restore views from an archive.

    Views are restored as they were at the time of the backup, with history, properties and partitions. Without PATTERN,
    all views of ARCHIVE are restored. All checksums are verified before anything is written, with --dry-run too, and
    every view is compared with the archive afterwards. Run the command again to retry what failed.
    """
    if only_list:
        _refuse_beside_list(ctx)
    with open_catalog(invocation) as catalog:
        if only_list:
            _show_content(invocation, read_archive(catalog, archive, *views.patterns))
            return
        with view_progress("Restoring", "restored") as show:
            outcomes = restore_views(
                catalog,
                archive,
                *views.patterns,
                bases=bases,
                **transfer,
                partitions=partitions,
                skip_damaged=skip_damaged,
                dry_run=dry_run,
                on_outcome=show,
            )
    show_outcomes(ctx, invocation, outcomes)


def _refuse_beside_list(ctx: click.Context) -> None:
    others = [
        one.opts[0]
        for one in ctx.command.params
        if one.name not in _OF_LISTING and ctx.get_parameter_source(str(one.name)) is ParameterSource.COMMANDLINE
    ]
    if others:
        raise click.UsageError(f"--list cannot be combined with {', '.join(others)}.")


def _show_content(invocation: Invocation, manifest: Manifest) -> None:
    places = {one.id: one.location for one in manifest.earlier}
    rows = [
        (
            view.view,
            "plain view" if view.metadata is None else "view",
            f"{view.number_of_partitions:,}",
            places.get(view.held_by or "", ""),
        )
        for view in manifest.views
    ]
    parts = [table_of(("VIEW", "KIND", "PARTITIONS", "UNCHANGED SINCE"), rows), ""] if rows else []
    failed = f", {len(manifest.failed):,} could not be read at the time" if manifest.failed else ""
    gone = f", {len(manifest.gone):,} were gone" if manifest.gone else ""
    made = f"{counted(len(rows), 'view')}, backed up at {time_of(manifest.created_at_ms)} by {manifest.created_by}"
    parts.append(f"{made}{failed}{gone}.")
    emit(invocation, _document(manifest), *parts)


def _document(manifest: Manifest) -> dict[str, Any]:
    places = {one.id: one.location for one in manifest.earlier}
    views = [
        {
            "identifier": view.view,
            "kind": "plain" if view.metadata is None else "managed",
            "uuid": view.uuid,
            "partitions": view.number_of_partitions,
            "metadata_location": view.metadata_location,
            "unchanged_since": places.get(view.held_by or ""),
        }
        for view in manifest.views
    ]
    return {
        "created_at_ms": manifest.created_at_ms,
        "created_by": manifest.created_by,
        "patterns": list(manifest.patterns),
        "views": views,
        "gone": list(manifest.gone),
        "failed": dict(manifest.failed),
        "left": dict(manifest.left),
    }
