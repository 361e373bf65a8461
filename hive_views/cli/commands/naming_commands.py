"""The commands for names of views: rename, drop, register."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import click

from hive_views.cli.shell.completion import complete_views
from hive_views.cli.shell.exit_codes import ExitCode
from hive_views.cli.shell.invocation import Invocation, command, dry_run_option
from hive_views.cli.shell.open_catalog import open_for_writing
from hive_views.cli.shell.output import emit, pointer_document
from hive_views.cli.shell.selected_views import (
    Selection,
    change_each,
    required_selection_options,
)
from hive_views.errors import NoSuchTableError
from hive_views.hive.row import POINTER, Row
from hive_views.messages.counted import counted
from hive_views.spec.identifiers import Identifier, TableIdentifier
from hive_views.views.catalog import ViewCatalog


@command("rename")
@click.argument("name", shell_complete=complete_views)
@click.argument("to")
@dry_run_option
def rename(invocation: Invocation, name: str, to: str, dry_run: bool) -> None:
    """Rename a view.

    TO may be in another namespace. History, partitions and metadata files stay.
    """
    with open_for_writing(invocation, name, to, dry_run=dry_run) as catalog:
        view = catalog.rename_view(name, to)
    document = pointer_document(view) | {"renamed_from": str(TableIdentifier.of(name)), "dry_run": dry_run}
    emit(invocation, document, f"{_verb('Rename', dry_run)} {name} to {view.identifier}.")


@command("drop")
@required_selection_options
@click.option("--if-exists", is_flag=True, help="Do nothing if the view does not exist.")
@click.option("--purge", is_flag=True, help="Delete its files too, except those that other views may need.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@dry_run_option
@click.pass_context
def drop(
    ctx: click.Context,
    invocation: Invocation,
    views: Selection,
    if_exists: bool,
    purge: bool,
    yes: bool,
    dry_run: bool,
) -> None:
    """Drop a view, but keep its metadata files.

    `hive-views undrop` brings it back with its partitions. --purge also deletes every file that was written for the
    view since it was created or registered, which cannot be undone. Files that other views may need are kept and
    listed: those that the view was registered from, and all files of a view that an earlier release or another engine
    created.

    With a pattern, --namespace or --all, the command asks for confirmation; use --yes in scripts. Plain views and
    tables are never dropped.
    """
    if views.name is not None:
        _drop_one(invocation, views.name, if_exists=if_exists, purge=purge, dry_run=dry_run)
        return

    def change(catalog: ViewCatalog, name: TableIdentifier) -> Mapping[str, Any] | None:
        existed, last_file = _found(catalog, name)
        purged = catalog.drop_view(name, if_exists=if_exists, purge=purge)
        details = {"metadata_location": None if purge else last_file, "purged": purge, "left": list(purged.left)}
        return details if existed else None

    def ask(rows: Sequence[Row]) -> None:
        number = counted(len(rows), "view")
        if yes or dry_run or not rows or not views.has_wildcards:
            return
        if not sys.stdin.isatty():
            raise click.UsageError(f"This drops {number}. Confirm with --yes, or list them with --dry-run.")
        if not click.confirm(f"Drop {number}{' and their files' if purge else ''}?", err=True):
            click.echo("Nothing was dropped.", err=True)
            ctx.exit(ExitCode.ERROR)

    change_each(
        ctx,
        invocation,
        views.patterns,
        change,
        doing="Dropping",
        done="dropped",
        dry_run=dry_run,
        if_exists=if_exists,
        confirm=ask,
    )


def _drop_one(invocation: Invocation, name: str, *, if_exists: bool, purge: bool, dry_run: bool) -> None:
    with open_for_writing(invocation, name, dry_run=dry_run) as catalog:
        existed, last_file = _found(catalog, name)
        # The catalog decides whether a missing view is an error.
        purged = catalog.drop_view(name, if_exists=if_exists, purge=purge)
    document = {
        "dropped": str(TableIdentifier.of(name)) if existed else None,
        "metadata_location": None if purge else last_file,
        "purged": purge,
        "left": list(purged.left),
        "dry_run": dry_run,
    }
    if not existed:
        emit(invocation, document, f"There is no view {name}.")
    elif purge:
        sentence = f"{_verb('Drop', dry_run)} {name} and {counted(len(purged.deleted), 'file')} of its own."
        emit(invocation, document, sentence, *(purged.deleted if dry_run else ()))
    else:
        emit(invocation, document, f"{_verb('Drop', dry_run)} {name}; its last file is {last_file}")


def _found(catalog: ViewCatalog, name: Identifier) -> tuple[bool, str | None]:
    """Whether there is a row, and its metadata pointer: a view can be dropped even if its file cannot be read."""
    try:
        return True, catalog.metastore.load_row(TableIdentifier.of(name)).parameters.get(POINTER)
    except NoSuchTableError:
        return False, None


@command("register")
@click.argument("name")
@click.argument("metadata_location")
@click.option("--overwrite", is_flag=True, help="Replace an existing view of this name.")
@dry_run_option
def register(invocation: Invocation, name: str, metadata_location: str, overwrite: bool, dry_run: bool) -> None:
    """Create a view from an existing metadata file.

    The file may come from anywhere, such as another metastore. For a dropped view use `hive-views undrop`, which finds
    the file itself. The new view points to a copy next to the file and is independent of it: one file can be registered
    under several names and in several metastores, and dropping one of these views, even with --purge, does not affect
    the others. `hive-views partitions restore` declares the partitions of the former view again.
    """
    with open_for_writing(invocation, name, dry_run=dry_run, create_metastore=True) as catalog:
        view = catalog.register_view(name, metadata_location, overwrite=overwrite)
    document = pointer_document(view) | {"dry_run": dry_run}
    sentence = f"{_verb('Register', dry_run)} {view.identifier}: version {view.metadata.current_version_id}."
    emit(invocation, document, sentence)


def _verb(verb: str, dry_run: bool) -> str:
    done = {"Rename": "Renamed", "Drop": "Dropped", "Register": "Registered"}
    return f"Would {verb.lower()}" if dry_run else done[verb]
