"""The commands that define views: create, replace, alter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from hive_views.cli.shell.arguments import (
    columns_given,
    read_dialects,
    read_names,
    read_pairs,
    schema_options,
    texts_option,
    translation_options,
    with_sources,
)
from hive_views.cli.shell.changed_view import change_one, on_drift_option, show_change
from hive_views.cli.shell.completion import complete_views
from hive_views.cli.shell.invocation import Invocation, command, dry_run_option
from hive_views.cli.shell.open_catalog import open_for_writing
from hive_views.cli.shell.spark_columns import columns_from_spark
from hive_views.cli.shell.verified_translations import Verifying, change_with_proofs, verification_options
from hive_views.persisted import FOR_ENGINE
from hive_views.translation import Proof
from hive_views.views.catalog import ViewCatalog
from hive_views.views.changes.definition import check_texts
from hive_views.views.changes.on_drift import Drift
from hive_views.views.row.version import translations
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
_same_meaning_option = click.option(
    "--same-meaning",
    is_flag=True,
    help="The view means the same as before, so that SQL that did not change does not become stale.",
)
_still_true_option = click.option(
    "--still-true",
    multiple=True,
    metavar="DIALECT[,DIALECT...]",
    callback=read_dialects,
    help="Dialect whose SQL did not change and is still right; it is no longer stale.",
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
@translation_options
@verification_options
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
    asked: dict[str, str | None],
    allow: Sequence[str],
    verifying: Verifying,
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

    --translate trino stores SQL in the dialect trino as well, translated from that in hive or spark, which follows it
    from now on. What is not known to answer the same is refused, as by `hive-views translate`, and it exits with 6.
    --verify and --verify-rows have engines check it first, as `hive-views translate` does; what they confirm is kept.
    """  # noqa: D301 - click's mark for lines to keep
    given = columns_given(columns, schema_file, from_spark=schema_from_spark)
    if allow and not asked:
        raise _nothing_to_allow()
    properties = _with_engine(properties, engine)
    check_texts(texts, properties)
    with open_for_writing(invocation, name, dry_run=dry_run, create_metastore=True) as catalog:
        existed = if_not_exists and catalog.view_exists(name)

        def made(catalog: ViewCatalog, proofs: Sequence[Proof]) -> View:
            return catalog.create_view(
                name,
                sql=texts,
                schema=columns_from_spark(catalog, name, texts) if schema_from_spark else given,
                partitioned_on=partitioned_on,
                comment=comment,
                properties=properties,
                translate=with_sources(asked, texts),
                allow=allow,
                proofs=proofs,
                location=location,
                if_not_exists=if_not_exists,
            )

        view = made(catalog, ()) if existed else change_with_proofs(invocation, catalog, verifying, made)
    show_change(invocation, "create", view if existed else None, view, dry_run=dry_run)


@command("replace")
@click.argument("name", shell_complete=complete_views)
@texts_option(required=True)
@translation_options
@verification_options
@schema_options
@_partitioned_on_option
@_comment_option
@_properties_option
@_for_option
@_same_meaning_option
@_still_true_option
@on_drift_option
@dry_run_option
def replace(
    invocation: Invocation,
    name: str,
    texts: dict[str, str],
    asked: dict[str, str | None],
    allow: Sequence[str],
    verifying: Verifying,
    columns: list[tuple[str, ...]],
    schema_file: Path | None,
    schema_from_spark: bool,
    partitioned_on: list[str],
    comment: str | None,
    properties: dict[str, str],
    engine: str | None,
    same_meaning: bool,
    still_true: list[str],
    on_drift: Drift,
    dry_run: bool,
) -> None:
    """Replace the SQL of a view, in all its dialects.

    Columns stay as they are unless specified; they are derived if their number changes. Partition columns stay unless
    specified; partitions always stay. If SQL and columns are the same as before, no version is created. To change the
    SQL in one dialect only, use `hive-views alter`. SQL in dialects in which it is the same as before becomes stale if
    it differs in others, as with `hive-views alter`. SQL that is translated need not be given: it is translated again.
    """
    given = columns_given(columns, schema_file, from_spark=schema_from_spark)
    properties = _with_engine(properties, engine)
    check_texts(texts)

    def change(catalog: ViewCatalog, before: View) -> View:
        if allow and not asked and not translations(before.current_version):
            raise _nothing_to_allow()

        def made(catalog: ViewCatalog, proofs: Sequence[Proof]) -> View:
            return catalog.replace_view(
                name,
                sql=texts,
                schema=columns_from_spark(catalog, name, texts) if schema_from_spark else given,
                partitioned_on=partitioned_on or None,
                comment=comment,
                properties=properties,
                same_meaning=same_meaning,
                still_true=still_true,
                translate=with_sources(asked, texts),
                allow=allow,
                proofs=proofs,
                on_drift=on_drift,
            )

        return change_with_proofs(invocation, catalog, verifying, made)

    change_one(invocation, "replace", name, change, dry_run=dry_run)


@command("alter")
@click.argument("name", shell_complete=complete_views)
@texts_option(required=False)
@translation_options
@verification_options
@_comment_option
@_properties_option
@_for_option
@click.option("--remove-property", "removed", multiple=True, metavar="KEY", help="Property to remove; repeatable.")
@click.option("--location", metavar="URI", help="Directory for future metadata files; existing ones stay.")
@click.option(
    "--drop-dialect",
    "dropped",
    multiple=True,
    metavar="DIALECT[,DIALECT...]",
    callback=read_dialects,
    help="Dialect whose SQL is removed; repeatable.",
)
@_same_meaning_option
@_still_true_option
@on_drift_option
@dry_run_option
def alter(
    invocation: Invocation,
    name: str,
    texts: dict[str, str],
    asked: dict[str, str | None],
    allow: Sequence[str],
    verifying: Verifying,
    comment: str | None,
    properties: dict[str, str],
    engine: str | None,
    removed: Sequence[str],
    location: str | None,
    dropped: list[str],
    same_meaning: bool,
    still_true: list[str],
    on_drift: Drift,
    dry_run: bool,
) -> None:
    """Change the SQL in one dialect, properties, comment or location of a view.

    The SQL in other dialects stays as it is. It becomes stale, since it may mean something else now: the output says
    so, and `show` and `check` do until it is changed too, or --still-true says that it is right. It does not become
    stale with --same-meaning, or if it is proved to be right: if only spaces, comments, case or quotes have changed, or
    if the queries are simple and equal. Changing stale SQL makes no other stale.

    SQL that is translated (--translate) follows the SQL that it is translated from. If that cannot be translated any
    more, it stays as it was and becomes stale; with --translate, nothing is changed, and it exits with 6. --verify has
    engines check all translated SQL in their dialect, and nothing is changed if one finds a difference.
    """
    properties = _with_engine(properties, engine)
    if not any((texts, asked, verifying, comment is not None, properties, removed, location, dropped, still_true)):
        raise click.UsageError(
            "Specify at least one of --sql, --translate, --verify, --drop-dialect, --still-true, --comment, "
            "--property, --for, --remove-property and --location."
        )
    if texts:
        check_texts(texts)

    def change(catalog: ViewCatalog, before: View) -> View:
        if allow and not asked and not translations(before.current_version):
            raise _nothing_to_allow()
        written = {*texts, *before.dialects} - {*dropped, *_translated_without(texts, before)}

        def made(catalog: ViewCatalog, proofs: Sequence[Proof]) -> View:
            return catalog.alter_view(
                name,
                sql=texts or None,
                set_properties=properties,
                remove_properties=removed,
                comment=comment,
                location=location,
                same_meaning=same_meaning,
                still_true=still_true,
                drop_dialects=dropped,
                translate=with_sources(asked, written),
                allow=allow,
                proofs=proofs,
                on_drift=on_drift,
            )

        return change_with_proofs(invocation, catalog, verifying, made)

    change_one(invocation, "alter", name, change, dry_run=dry_run)


def _translated_without(texts: Mapping[str, str], before: View) -> set[str]:
    return {*before.translations} - {*texts}


def _nothing_to_allow() -> click.UsageError:
    return click.UsageError("--allow is for SQL that is translated: specify --translate.")


def _with_engine(properties: dict[str, str], engine: str | None) -> dict[str, str]:
    return properties | ({FOR_ENGINE: engine} if engine else {})
