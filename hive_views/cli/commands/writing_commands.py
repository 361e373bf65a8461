"""The commands that make versions of views: create, replace, alter, roll-back, tag, repair."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import click

from hive_views.cli.shell.arguments import read_names, read_pairs, read_schema, schema_options, texts_option
from hive_views.cli.shell.completion import complete_views
from hive_views.cli.shell.invocation import Invocation, command, dry_run_option
from hive_views.cli.shell.opening import open_for_writing
from hive_views.cli.shell.output import diff_of, emit, pointer_document
from hive_views.cli.shell.spark_columns import columns_from_spark
from hive_views.hive.columns import ColumnsInput
from hive_views.persisted import FOR_ENGINE
from hive_views.views.catalog import ViewCatalog
from hive_views.views.changes.definition import check_texts
from hive_views.views.changes.on_drift import Drift
from hive_views.views.version_diff import NOTHING, Definition, compare, documents
from hive_views.views.view import View

_on_drift_option = click.option(
    "--on-drift",
    type=click.Choice(["fail", "adopt", "overwrite"]),
    default="fail",
    show_default=True,
    help="If the row was changed without its metadata file: add the change to the history, or undo it.",
)
_comment_option = click.option("--comment", help="Description of the view.")
_properties_option = click.option(
    "--property", "properties", multiple=True, metavar="KEY=VALUE", callback=read_pairs, help="A property; repeatable."
)
_for_option = click.option(
    "--for",
    "engine",
    type=click.Choice(["hive"]),
    help="The engine that the view is for alone, so that Spark need not be able to read its text.",
)
_partitioned_on_option = click.option(
    "--partitioned-on",
    multiple=True,
    metavar="COLUMN[,COLUMN...]",
    callback=read_names,
    help="The last columns of the query, to partition the view by.",
)


@command("create")
@click.argument("name")
@texts_option(required=True)
@schema_options
@_partitioned_on_option
@_comment_option
@_properties_option
@_for_option
@click.option("--location", metavar="URI", help="Directory for the metadata files.")
@click.option("--if-not-exists", is_flag=True, help="Do nothing if a view of this name exists.")
@dry_run_option
def create(
    invocation: Invocation,
    name: str,
    texts: dict[str, str],
    columns: list[tuple[str, ...]],
    schema_file: Path | None,
    schema_from_spark: bool,
    partitioned_on: list[str],
    comment: str | None,
    properties: dict[str, str],
    engine: str | None,
    location: str | None,
    if_not_exists: bool,
    dry_run: bool,
) -> None:
    """Create a view.

    \b
    hive-views create sales.daily_clicks --sql hive=daily.sql --partitioned-on ds
    hive-views create sales.daily_clicks --sql hive=daily.sql \\
        --partitioned-on ds --column 'user_id bigint' \\
        --column "clicks bigint 'how often'" --column 'ds string'

    Columns that are not given are derived from the query where that is certain: columns of tables, casts, literals,
    conditions and some functions, not arithmetic.
    """  # noqa: D301 - click's mark for lines to keep
    given = _columns_given(columns, schema_file, from_spark=schema_from_spark)
    properties = _with_engine(properties, engine)
    check_texts(texts, properties)
    with open_for_writing(invocation, name, dry_run=dry_run, makes_metastore=True) as catalog:
        existed = if_not_exists and catalog.view_exists(name)
        view = catalog.create_view(
            name,
            sql=texts,
            schema=columns_from_spark(catalog, name, texts) if schema_from_spark else given,
            partitioned_on=partitioned_on,
            comment=comment,
            properties=properties,
            location=location,
            if_not_exists=if_not_exists,
        )
    _print(invocation, "create", view if existed else None, view, dry_run=dry_run)


@command("replace")
@click.argument("name", shell_complete=complete_views)
@texts_option(required=True)
@schema_options
@_partitioned_on_option
@_comment_option
@_properties_option
@_for_option
@_on_drift_option
@dry_run_option
def replace(
    invocation: Invocation,
    name: str,
    texts: dict[str, str],
    columns: list[tuple[str, ...]],
    schema_file: Path | None,
    schema_from_spark: bool,
    partitioned_on: list[str],
    comment: str | None,
    properties: dict[str, str],
    engine: str | None,
    on_drift: Drift,
    dry_run: bool,
) -> None:
    """Give a view new texts in all its dialects.

    Columns that are not given stay as they are, or are derived where the query has more of them or fewer. Partition
    columns stay unless given, the partitions in any case. Equal texts and columns make no new version. To change the
    text of one dialect only, use `hive-views alter`.
    """
    given = _columns_given(columns, schema_file, from_spark=schema_from_spark)
    properties = _with_engine(properties, engine)
    check_texts(texts)

    def change(catalog: ViewCatalog) -> View:
        return catalog.replace_view(
            name,
            sql=texts,
            schema=columns_from_spark(catalog, name, texts) if schema_from_spark else given,
            partitioned_on=partitioned_on or None,
            comment=comment,
            properties=properties,
            on_drift=on_drift,
        )

    _change(invocation, "replace", name, change, dry_run=dry_run)


@command("alter")
@click.argument("name", shell_complete=complete_views)
@texts_option(required=False)
@_comment_option
@_properties_option
@_for_option
@click.option("--remove-property", "removed", multiple=True, metavar="KEY", help="A property to remove; repeatable.")
@click.option("--location", metavar="URI", help="Directory for later metadata files; those that exist stay.")
@_on_drift_option
@dry_run_option
def alter(
    invocation: Invocation,
    name: str,
    texts: dict[str, str],
    comment: str | None,
    properties: dict[str, str],
    engine: str | None,
    removed: Sequence[str],
    location: str | None,
    on_drift: Drift,
    dry_run: bool,
) -> None:
    """Change one text, properties, comment or location of a view.

    Texts of dialects that are not given stay as they are.
    """
    properties = _with_engine(properties, engine)
    if not any((texts, comment is not None, properties, removed, location)):
        raise click.UsageError(
            "Say what to change: --sql, --comment, --property, --for, --remove-property or --location."
        )
    if texts:
        check_texts(texts)

    def change(catalog: ViewCatalog) -> View:
        return catalog.alter_view(
            name,
            sql=texts or None,
            set_properties=properties,
            remove_properties=removed,
            comment=comment,
            location=location,
            on_drift=on_drift,
        )

    _change(invocation, "alter", name, change, dry_run=dry_run)


@command("roll-back")
@click.argument("name", shell_complete=complete_views)
@click.argument("version", type=int, required=False)
@click.option(
    "--to-time",
    metavar="TIME",
    help="The version that was current then, as 2026-08-01T12:00; UTC where no time zone is given.",
)
@click.option("--to-tag", metavar="TAG", help="The version with this tag.")
@_on_drift_option
@dry_run_option
def roll_back(
    invocation: Invocation,
    name: str,
    version: int | None,
    to_time: str | None,
    to_tag: str | None,
    on_drift: Drift,
    dry_run: bool,
) -> None:
    """Make an earlier version of a view current again.

    Texts and columns come back; properties, comment and partitions stay. `hive-views history` lists the versions, with
    their times and tags.
    """
    if sum(one is not None for one in (version, to_time, to_tag)) != 1:
        raise click.UsageError("Specify exactly one of VERSION, --to-time and --to-tag.")

    def change(catalog: ViewCatalog) -> View:
        return catalog.roll_back_view(name, to_version=version, to_time=to_time, to_tag=to_tag, on_drift=on_drift)

    _change(invocation, "roll back", name, change, dry_run=dry_run)


@command("tag")
@click.argument("name", shell_complete=complete_views)
@click.argument("tag")
@click.option("--version", type=int, metavar="ID", help="The version that gets it [default: the current one].")
@click.option("--move", is_flag=True, help="Take the tag from the version that has it.")
@click.option("--delete", is_flag=True, help="Take the tag away; the version may expire then.")
@_on_drift_option
@dry_run_option
def tag(
    invocation: Invocation,
    name: str,
    tag: str,
    version: int | None,
    move: bool,
    delete: bool,
    on_drift: Drift,
    dry_run: bool,
) -> None:
    """Give a version of a view a name that keeps it from expiring.

    \b
    hive-views tag sales.daily release-12
    hive-views roll-back sales.daily --to-tag release-12

    A tag goes with the view when it is renamed, replaced or registered. `hive-views history` shows tags.
    """  # noqa: D301 - click's mark for lines to keep
    if delete and (version is not None or move):
        raise click.UsageError("Give --delete alone.")
    with open_for_writing(invocation, name, dry_run=dry_run) as catalog:
        before = catalog.load_view(name)
        if delete:
            after = catalog.untag_view(name, tag, on_drift=on_drift)
        else:
            after = catalog.tag_view(name, tag, version=version, move=move, on_drift=on_drift)
    changed = before.metadata_location != after.metadata_location
    document = pointer_document(after) | {"tags": dict(after.tags), "changed": changed, "dry_run": dry_run}
    emit(invocation, document, _sentence_about_tag(before, after, tag, dry_run=dry_run))


def _sentence_about_tag(before: View, after: View, tag: str, *, dry_run: bool) -> str:
    if tag not in after.tags:
        removed = "Would remove" if dry_run else "Removed"
        named = f"version {before.tags[tag]}" if tag in before.tags else "a version that has expired"
        return f"{removed} tag {tag} of {after.identifier}, which named {named}."
    if before.tags == after.tags:
        return f"Nothing to do: tag {tag} of {after.identifier} names version {after.tags[tag]}."
    return f"Tag {tag} of {after.identifier} {'would name' if dry_run else 'names'} version {after.tags[tag]}."


@command("repair")
@click.argument("name", shell_complete=complete_views)
@_on_drift_option
@dry_run_option
def repair(invocation: Invocation, name: str, on_drift: Drift, dry_run: bool) -> None:
    """Write the metastore row of a view again from its metadata file.

    Nothing happens if the row is what the file says. If somebody changed the row, --on-drift decides about the change.
    """
    _change(invocation, "repair", name, lambda catalog: catalog.repair_view(name, on_drift=on_drift), dry_run=dry_run)


def _with_engine(properties: dict[str, str], engine: str | None) -> dict[str, str]:
    return properties | ({FOR_ENGINE: engine} if engine else {})


def _columns_given(columns: list[tuple[str, ...]], file: Path | None, *, from_spark: bool) -> ColumnsInput | None:
    if sum(map(bool, (columns, file, from_spark))) > 1:
        raise click.UsageError("Specify exactly one of --column, --schema and --schema-from-spark.")
    return read_schema(file) if file else columns or None


def _change(
    invocation: Invocation, verb: str, name: str, change: Callable[[ViewCatalog], View], *, dry_run: bool
) -> None:
    with open_for_writing(invocation, name, dry_run=dry_run) as catalog:
        before = catalog.load_view(name)
        after = change(catalog)
    _print(invocation, verb, before, after, dry_run=dry_run)


def _print(invocation: Invocation, verb: str, before: View | None, after: View, *, dry_run: bool) -> None:
    changed = before is None or before.metadata_location != after.metadata_location
    repaired = [str(difference) for difference in before.differences] if before and changed else []
    differences = compare(_definition(before, "now") if before else NOTHING, _definition(after, "then"))
    document = pointer_document(after) | {"changed": changed, "repaired": repaired, "dry_run": dry_run}
    if dry_run:
        # The file that the dry run names will never be there.
        document |= {"metadata_location": before.metadata_location if before else None, "diff": documents(differences)}

    sentence = _sentence(verb, before, after, changed=changed, dry_run=dry_run)
    diffs = [diff_of(one.for_people()) for one in differences] if dry_run else []
    emit(invocation, document, sentence, *(f"  row {one}" for one in repaired), *diffs)


def _definition(view: View, label: str) -> Definition:
    return Definition.of(view.metadata, view.current_version, properties_of=view.metadata, label=label)


def _sentence(verb: str, before: View | None, after: View, *, changed: bool, dry_run: bool) -> str:
    if not changed:
        return f"Nothing to {verb}: {after.identifier} stays at version {after.metadata.current_version_id}."
    versions = f"version {after.metadata.current_version_id}"
    if before and before.metadata.current_version_id != after.metadata.current_version_id:
        versions = f"version {before.metadata.current_version_id} -> {after.metadata.current_version_id}"
    if dry_run:
        return f"Would {verb} {after.identifier}: {versions}."
    return f"{_DONE[verb]} {after.identifier}: {versions}, {after.metadata_location}"


_DONE = {
    "create": "Created",
    "replace": "Replaced",
    "alter": "Altered",
    "roll back": "Rolled back",
    "repair": "Repaired",
}
