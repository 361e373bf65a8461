"""The Spark form of ``publish --file``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from hive_views.cli import cli
from hive_views.cli.commands.publish_file import (
    bounds_options,
    file_options,
    notify_option,
    partition_option,
    publications_of,
    run_options,
    show_publications,
)
from hive_views.cli.shell.invocation import Invocation, command, dry_run_option
from hive_views.cli.shell.open_catalog import open_catalog
from hive_views.publishing.scope import Scope
from hive_views.spark.publishing.job import as_dataframe, publish_as_job
from hive_views.spark.publishing.lineage_events import openlineage_events
from hive_views.spark.sessions.local_session import no_warning_of_pandas


@command("publish")
@file_options(required=True)
@partition_option
@bounds_options
@run_options
@notify_option("declared or retracted")
@dry_run_option
@click.option("--table", metavar="TABLE", help="Append the outcomes to this Spark table.")
@click.option("--slices", type=click.IntRange(min=1), metavar="N", help="Number of Spark tasks.")
@click.option(
    "--openlineage",
    metavar="NAMESPACE",
    help="Report each added partition to OpenLineage, under this namespace for the metastore: hive://HOST:PORT.",
)
@click.pass_context
def publish(
    ctx: click.Context,
    invocation: Invocation,
    file: Path,
    only: Sequence[str],
    candidates: Sequence[Mapping[str, str]] | None,
    since: Mapping[str, str] | None,
    until: Mapping[str, str] | None,
    app_id: str | None,
    run_version: int | None,
    fail_if_waiting: bool,
    notify: Sequence[str],
    fail_if_late: bool,
    dry_run: bool,
    table: str | None,
    slices: int | None,
    openlineage: str | None,
) -> None:
    """Run the publications of a file on Spark executors; those that record reads run on the driver."""
    from pyspark.sql import SparkSession  # noqa: PLC0415 - an optional package

    given = Scope.of(candidates, since, until)
    publications = publications_of(invocation, file, only, app_id, run_version, given, notify=notify)
    on_published = openlineage_events(openlineage) if openlineage else None
    # spark-submit merges stdout and stderr: a warning would precede the JSON document.
    with no_warning_of_pandas():
        spark = SparkSession.builder.getOrCreate()
        try:
            with open_catalog(invocation) as catalog:
                outcomes = publish_as_job(
                    spark, catalog, publications, dry_run=dry_run, slices=slices, on_published=on_published
                )
            if table is not None:
                as_dataframe(spark, outcomes, table)
        finally:
            spark.stop()
    show_publications(
        ctx, invocation, outcomes, dry_run=dry_run, fail_if_waiting=fail_if_waiting, fail_if_late=fail_if_late
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command, where ``publish`` is this file's, and end the process with its exit code."""
    cli.add_command(publish)
    cli.main(args=arguments, prog_name="spark_job")


if __name__ == "__main__":
    main()
