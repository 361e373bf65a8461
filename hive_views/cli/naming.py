"""The commands that make, move and end the names of views: rename, drop, register.

What lives here: one call of the catalog each, and telling what it did. What must not: how it is done.
"""

from __future__ import annotations

import click

from hive_views.cli.invocation import Invocation, command, dry_run_option
from hive_views.cli.output import emit, pointer_document
from hive_views.cli.session import open_for_writing
from hive_views.dry_run import UnwrittenFiles
from hive_views.errors import NoSuchViewError


@command("rename")
@click.argument("name")
@click.argument("to")
@dry_run_option
def rename(invocation: Invocation, name: str, to: str, dry_run: bool) -> None:
    """Give a view another name.

    TO may be in another namespace. History, partitions and metadata files stay.
    """
    with open_for_writing(invocation, name, to, dry_run=dry_run) as catalog:
        view = catalog.rename_view(name, to)
    document = pointer_document(view) | {"renamed_from": name.lower(), "dry_run": dry_run}
    emit(invocation, document, lambda _: click.echo(f"{_verb('Rename', dry_run)} {name} to {view.identifier}."))


@command("drop")
@click.argument("name")
@click.option("--if-exists", is_flag=True, help="Do nothing where there is no such view.")
@click.option("--purge", is_flag=True, help="Delete its metadata files too: nothing can bring the view back.")
@dry_run_option
def drop(invocation: Invocation, name: str, if_exists: bool, purge: bool, dry_run: bool) -> None:
    """Drop a view; its metadata files stay.

    `hive-views register` brings it back from its last file, `hive-views partitions restore` its partitions.
    """
    with open_for_writing(invocation, name, dry_run=dry_run) as catalog:
        try:
            view = catalog.load_view(name)
        except NoSuchViewError:
            # Whether that is an error, and which one, is the catalog's to say.
            catalog.drop_view(name, if_exists=if_exists, purge=purge)
            emit(invocation, {"dropped": None, "dry_run": dry_run}, lambda _: click.echo(f"There is no view {name}."))
            return
        catalog.drop_view(name, if_exists=if_exists, purge=purge)
        files = catalog.storage.deleted if isinstance(catalog.storage, UnwrittenFiles) else []
    document = {"dropped": pointer_document(view), "purged": purge, "dry_run": dry_run}
    if dry_run and purge:
        document["files"] = files
    kept = f"and its {len(files)} files" if files else "" if purge else f"; its last file is {view.metadata_location}"
    emit(invocation, document, lambda _: click.echo(f"{_verb('Drop', dry_run)} {view.identifier} {kept}".rstrip()))


@command("register")
@click.argument("name")
@click.argument("metadata_location")
@click.option("--overwrite", is_flag=True, help="Take the place of a view row that has the name.")
@dry_run_option
def register(invocation: Invocation, name: str, metadata_location: str, overwrite: bool, dry_run: bool) -> None:
    """Make a view of an existing metadata file.

    For a view that was dropped, or that a foreign CREATE OR REPLACE VIEW has put away (--overwrite), or that comes
    from another metastore. The partitions of a dropped view come back with `hive-views partitions restore`.
    """
    with open_for_writing(invocation, name, dry_run=dry_run) as catalog:
        view = catalog.register_view(name, metadata_location, overwrite=overwrite)
    document = pointer_document(view) | {"dry_run": dry_run}
    told = f"{_verb('Register', dry_run)} {view.identifier}: version {view.metadata.current_version_id}."
    emit(invocation, document, lambda _: click.echo(told))


def _verb(verb: str, dry_run: bool) -> str:
    done = {"Rename": "Renamed", "Drop": "Dropped", "Register": "Registered"}
    return f"Would {verb.lower()}" if dry_run else done[verb]
