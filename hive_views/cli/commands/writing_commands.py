"""The commands that define views: create, replace, alter."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from hive_views.cli.shell.arguments import columns_given, read_names, read_pairs, schema_options, texts_option
from hive_views.cli.shell.changed_view import change_one, on_drift_option, show_change
from hive_views.cli.shell.completion import complete_views
from hive_views.cli.shell.invocation import Invocation, command, dry_run_option
from hive_views.cli.shell.open_catalog import open_for_writing
from hive_views.cli.shell.spark_columns import columns_from_spark
from hive_views.persisted import FOR_ENGINE
from hive_views.views.catalog import ViewCatalog
from hive_views.views.changes.definition import check_texts
from hive_views.views.changes.on_drift import Drift
from hive_views.views.view import View

_comment_option = click.option("--comment", help="Description of the view.")
_properties_option = click.option(
    "--property",
    "properties",
    multiple=True,
    metavar="KEY=VALUE",
    callback=read_pairs,
    help="Property to set; repeatable.",
)
_for_option = click.option(
    "--for",
    "engine",
    type=click.Choice(["hive"]),
    help="The only engine that the view is for: Spark need not be able to read it.",
)
_partitioned_on_option = click.option(
    "--partitioned-on",
    multiple=True,
    metavar="COLUMN[,COLUMN...]",
    callback=read_names,
    help="Partition columns of the view, which are the last columns of the query.",
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
@click.option("--if-not-exists", is_flag=True, help="Do nothing if the view already exists.")
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

    Without --column or --schema, columns are derived from the query and the columns of its tables, where Hive and Spark
    agree on the types.
    """  # noqa: D301 - click's mark for lines to keep
    given = columns_given(columns, schema_file, from_spark=schema_from_spark)
    properties = _with_engine(properties, engine)
    check_texts(texts, properties)
    with open_for_writing(invocation, name, dry_run=dry_run, create_metastore=True) as catalog:
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
    show_change(invocation, "create", view if existed else None, view, dry_run=dry_run)


@command("replace")
@click.argument("name", shell_complete=complete_views)
@texts_option(required=True)
@schema_options
@_partitioned_on_option
@_comment_option
@_properties_option
@_for_option
@on_drift_option
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
    """Replace the SQL of a view, in all its dialects.

    Columns stay as they are unless specified; they are derived if their number changes. Partition columns stay unless
    specified; partitions always stay. If SQL and columns are the same as before, no version is created. To change the
    SQL in one dialect only, use `hive-views alter`.
    """
    given = columns_given(columns, schema_file, from_spark=schema_from_spark)
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

    change_one(invocation, "replace", name, change, dry_run=dry_run)


@command("alter")
@click.argument("name", shell_complete=complete_views)
@texts_option(required=False)
@_comment_option
@_properties_option
@_for_option
@click.option("--remove-property", "removed", multiple=True, metavar="KEY", help="Property to remove; repeatable.")
@click.option("--location", metavar="URI", help="Directory for future metadata files; existing ones stay.")
@on_drift_option
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
    """Change the SQL in one dialect, properties, comment or location of a view.

    The SQL in other dialects stays as it is.
    """
    properties = _with_engine(properties, engine)
    if not any((texts, comment is not None, properties, removed, location)):
        raise click.UsageError(
            "Specify at least one of --sql, --comment, --property, --for, --remove-property and --location."
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

    change_one(invocation, "alter", name, change, dry_run=dry_run)


def _with_engine(properties: dict[str, str], engine: str | None) -> dict[str, str]:
    return properties | ({FOR_ENGINE: engine} if engine else {})
