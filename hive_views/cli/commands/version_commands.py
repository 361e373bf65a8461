"""The commands for versions, of one view or many: roll-back, tag, repair."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import click

from hive_views.cli.shell.arguments import version_options
from hive_views.cli.shell.changed_view import DONE, Verb, change_one, details_of, on_drift_option
from hive_views.cli.shell.invocation import Invocation, command, dry_run_option
from hive_views.cli.shell.open_catalog import open_for_writing
from hive_views.cli.shell.output import emit, pointer_document
from hive_views.cli.shell.selected_views import Selection, change_each, required_selection_options
from hive_views.spec.identifiers import Identifier
from hive_views.views.catalog import ViewCatalog
from hive_views.views.changes.on_drift import Drift
from hive_views.views.view import View


@command("roll-back", former={"--to-version": "--version", "--to-tag": "--tag", "--to-time": "--as-of"})
@required_selection_options
@version_options("")
@on_drift_option
@dry_run_option
@click.pass_context
def roll_back(
    ctx: click.Context,
    invocation: Invocation,
    views: Selection,
    version: int | None,
    tag: str | None,
    as_of: str | None,
    on_drift: Drift,
    dry_run: bool,
) -> None:
    """Roll a view back to an earlier version.

    \b
    hive-views roll-back sales.daily --version 3
    hive-views roll-back 'sales.*' --as-of 2026-08-01T12:00

    SQL and columns become those of that version; properties, comment and partitions stay as they are. `hive-views
    history` lists the versions with their times and tags.
    """  # noqa: D301 - click's mark for lines to keep
    first, *rest = views.patterns
    if len(rest) == 1 and rest[0].isdecimal() and version is None:
        click.echo("Warning: roll-back NAME ID is deprecated. Use roll-back NAME --version ID.", err=True)
        views, version = Selection((first,)), int(rest[0])
    if sum(one is not None for one in (version, tag, as_of)) != 1:
        raise click.UsageError("Specify exactly one of --version, --tag and --as-of.")

    def change(catalog: ViewCatalog, name: Identifier) -> View:
        return catalog.roll_back_view(name, to_version=version, to_time=as_of, to_tag=tag, on_drift=on_drift)

    _change(ctx, invocation, "roll back", views, change, doing="Rolling back", dry_run=dry_run)


@command("tag")
@required_selection_options
@click.argument("tag")
@click.option("--version", type=int, metavar="ID", help="The version to tag [default: the current one].")
@click.option("--move", is_flag=True, help="Move the tag, if another version has it.")
@click.option("--delete", is_flag=True, help="Delete the tag; the version may then expire.")
@click.option("--if-exists", is_flag=True, help="With --delete: do nothing if the tag does not exist.")
@on_drift_option
@dry_run_option
@click.pass_context
def tag(
    ctx: click.Context,
    invocation: Invocation,
    views: Selection,
    tag: str,
    version: int | None,
    move: bool,
    delete: bool,
    if_exists: bool,
    on_drift: Drift,
    dry_run: bool,
) -> None:
    """Tag a version of a view, which keeps it from expiring.

    \b
    hive-views tag 'sales.*' before-the-move
    hive-views roll-back 'sales.*' --tag before-the-move

    Tags stay with the view when it is renamed, replaced or registered. `hive-views history` shows them.
    """  # noqa: D301 - click's mark for lines to keep
    if delete and (version is not None or move):
        raise click.UsageError("--delete cannot be combined with --version or --move.")
    if if_exists and not delete:
        raise click.UsageError("--if-exists requires --delete.")

    def change(catalog: ViewCatalog, name: Identifier) -> tuple[View, View]:
        before = catalog.load_view(name)
        if not delete:
            return before, catalog.tag_view(name, tag, version=version, move=move, on_drift=on_drift)
        if if_exists and tag not in before.tags:
            return before, before
        return before, catalog.untag_view(name, tag, on_drift=on_drift)

    if views.name is None:

        def change_one_of_many(catalog: ViewCatalog, name: Identifier) -> Mapping[str, Any] | None:
            before, after = change(catalog, name)
            is_changed = before.metadata_location != after.metadata_location
            return details_of(before, after, dry_run=dry_run) | {"tags": dict(after.tags)} if is_changed else None

        done = "untagged" if delete else "tagged"
        change_each(
            ctx,
            invocation,
            views.patterns,
            change_one_of_many,
            doing="Deleting tags of" if delete else "Tagging",
            done=done,
            dry_run=dry_run,
        )
        return
    with open_for_writing(invocation, views.name, dry_run=dry_run) as catalog:
        before, after = change(catalog, views.name)
    changed = before.metadata_location != after.metadata_location
    document = pointer_document(after) | {"tags": dict(after.tags), "changed": changed, "dry_run": dry_run}
    emit(invocation, document, _sentence_about_tag(before, after, tag, dry_run=dry_run))


def _sentence_about_tag(before: View, after: View, tag: str, *, dry_run: bool) -> str:
    if before is after:
        return f"Nothing to do: {after.identifier} has no tag {tag}."
    if tag not in after.tags:
        removed = "Would remove" if dry_run else "Removed"
        named = f"version {before.tags[tag]}" if tag in before.tags else "a version that has expired"
        return f"{removed} tag {tag} of {after.identifier}, which named {named}."
    if before.tags == after.tags:
        return f"Nothing to do: tag {tag} of {after.identifier} names version {after.tags[tag]}."
    return f"Tag {tag} of {after.identifier} {'would name' if dry_run else 'names'} version {after.tags[tag]}."


@command("repair")
@required_selection_options
@on_drift_option
@dry_run_option
@click.pass_context
def repair(ctx: click.Context, invocation: Invocation, views: Selection, on_drift: Drift, dry_run: bool) -> None:
    """Rewrite the metastore row of a view from its metadata file.

    Nothing is done if the row matches the file. If another program changed the row, --on-drift decides what becomes of
    the change; adopt also removes the storage handler of an Iceberg view that Hive itself created (HIVE-29578).
    """

    def change(catalog: ViewCatalog, name: Identifier) -> View:
        return catalog.repair_view(name, on_drift=on_drift)

    _change(ctx, invocation, "repair", views, change, doing="Repairing", dry_run=dry_run)


def _change(
    ctx: click.Context,
    invocation: Invocation,
    verb: Verb,
    views: Selection,
    change: Callable[[ViewCatalog, Identifier], View],
    *,
    doing: str,
    dry_run: bool,
) -> None:
    """Change a single named view as other commands do, or several with one outcome each."""
    name = views.name
    if name is not None:
        change_one(invocation, verb, name, lambda catalog, _: change(catalog, name), dry_run=dry_run)
        return

    def change_one_of_many(catalog: ViewCatalog, name: Identifier) -> Mapping[str, Any] | None:
        before = catalog.load_view(name)
        after = change(catalog, name)
        is_changed = before.metadata_location != after.metadata_location
        return details_of(before, after, dry_run=dry_run) if is_changed else None

    done = DONE[verb].lower()
    change_each(ctx, invocation, views.patterns, change_one_of_many, doing=doing, done=done, dry_run=dry_run)
