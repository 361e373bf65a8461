"""The command ``publish``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import click

from hive_views.cli.commands.publish_file import (
    bounds_options,
    expectation_options,
    file_options,
    metastore_only_option,
    notify_option,
    partition_option,
    publications_of,
    publish_file,
    read_expectation,
    receivers_for,
    rule_option,
    run_options,
)
from hive_views.cli.commands.publish_report import document_of, printed
from hive_views.cli.commands.publish_watch import publish_watch
from hive_views.cli.shell.arguments import duration_given
from hive_views.cli.shell.completion import complete_views
from hive_views.cli.shell.exit_codes import ExitCode
from hive_views.cli.shell.invocation import Invocation, command, dry_run_option
from hive_views.cli.shell.open_catalog import open_catalog
from hive_views.cli.shell.output import emit
from hive_views.cli.shell.progress import waiting
from hive_views.publishing.batch.publication import Publication
from hive_views.publishing.publish import publish as publish_partitions
from hive_views.publishing.request import MAX_FINGERPRINTS
from hive_views.publishing.scope import Scope
from hive_views.readiness.rules import Rule


@command("publish")
@click.argument("name", required=False, shell_complete=complete_views)
@rule_option(
    "When a partition is ready, as a Python expression; if repeated, all rules must hold [default: the recorded rules]."
)
@partition_option
@bounds_options
@expectation_options
@click.option("--retract", is_flag=True, help="Drop published partitions whose base partitions are gone.")
@click.option(
    "--publication",
    metavar="NAME",
    help="Name to record the rules under [default: that of --app-id], or the recorded publication to run; a view may "
    "have several publications.",
)
@metastore_only_option(
    "Do not list the directories of Hive partitions; revalidate then reports 'current by the metastore' at best."
)
@click.option(
    "--max-fingerprints",
    type=click.IntRange(min=0),
    default=MAX_FINGERPRINTS,
    show_default=True,
    metavar="N",
    help="Record fingerprints of at most N Hive partitions; older days are 'unknown' to revalidate.",
)
@file_options(required=False)
@click.option(
    "--watch",
    "every",
    metavar="DURATION",
    callback=duration_given,
    help="Publish again and again, with pauses such as 60s, and print a line for each change, until ^C or SIGTERM, or "
    "until all that is expected is published.",
)
@run_options
@notify_option("declared or retracted")
@dry_run_option
@click.pass_context
def publish(
    ctx: click.Context,
    invocation: Invocation,
    name: str | None,
    rules: Sequence[Rule],
    candidates: Sequence[Mapping[str, str]] | None,
    since: Mapping[str, str] | None,
    until: Mapping[str, str] | None,
    expected: str | None,
    late_after: str | None,
    time_zone: str | None,
    expected_columns: Mapping[str, str],
    known_empty: Sequence[str],
    retract: bool,
    publication: str | None,
    metastore_only: bool,
    max_fingerprints: int,
    file: Path | None,
    only: Sequence[str],
    every: timedelta | None,
    app_id: str | None,
    run_version: int | None,
    fail_if_waiting: bool,
    fail_if_late: bool,
    notify: Sequence[str],
    dry_run: bool,
) -> None:
    """Publish the partitions of a view that are ready.

    A partition is ready when all rules hold; it is then declared in the metastore. A rule is a Python expression that
    names a table and, for its partition columns, a partition column of the view, a range of numbers, or values:

    \b
    hive-views publish sales.daily_clicks --since ds=2026-08-01 \\
        --require 'requires("web.clicks", ds=column("ds"), hr=range(24),
                            region=["eu", "us"])' \\
        --require 'requires("web.users", ds=column("ds"))'

    Columns that are left out may have any value. Dates in another format or in parts, values from another table,
    partitions that will never arrive, a required table format, and rules beyond partitions:

    \b
        --require 'requires("web.calls", day=column("ds").formatted("yyyyMMdd"),
                            region=values_of("web.regions", "region"))'
        --require 'requires("web.hits", format="iceberg",
                            at=timestamp(column("ds"), hour=range(24)))'
        --require 'requires("web.clicks", ds=column("ds"), hr=range(24),
                            known_empty=[{"ds": "2013-01-01", "hr": 0}])'
        --require 'has_at_least("web.clicks", ds=column("ds"), records=1)
                   | when("package.module:function")'

    The functions are those of hive_views: requires, has_at_least, quiet_for, marked_done, committed_with,
    watermark_passed, when; all_of, any_of, negate, or &, |, ~. It is safe to run the command again.

    \b
    hive-views publish sales.daily_clicks --partition ds=2026-08-21

    Without a rule, the rules and bounds apply that were recorded when the view was last published. Given partitions
    and bounds take the place of the recorded ones, which do not change.

    \b
    hive-views publish --file publications.toml --only sales.daily_clicks

    A file lists many publications; if one fails, the others still run, and the exit code is 1.
    """  # noqa: D301 - click's mark for lines to keep
    expectation = read_expectation(expected, late_after, time_zone, expected_columns, known_empty)
    if expectation and name and not rules:
        raise click.UsageError("--expected requires --require: it is recorded with the rules.")
    if every is not None and (run_version is not None or dry_run or fail_if_waiting or fail_if_late):
        raise click.UsageError(
            "--watch cannot be combined with --run-version, --dry-run, --fail-if-waiting and --fail-if-late."
        )
    given = Scope.of(candidates, since, until)
    if file is not None:
        of_file = metastore_only or max_fingerprints != MAX_FINGERPRINTS
        if name or rules or expectation or retract or publication or of_file:
            raise click.UsageError(
                "--file can only be combined with --only, --partition, --since, --until, --app-id, --run-version, "
                "--fail-if-waiting, --fail-if-late, --notify and --dry-run: everything else is taken from the file."
            )
        publications = publications_of(
            invocation, file, only, app_id, run_version, given, notify=notify, is_watch=every is not None
        )
        if every is not None:
            with open_catalog(invocation) as catalog:
                publish_watch(invocation, catalog, publications, every)
            return
        publish_file(
            ctx, invocation, publications, dry_run=dry_run, fail_if_waiting=fail_if_waiting, fail_if_late=fail_if_late
        )
        return
    if not name:
        raise click.UsageError("Specify a view, or --file.")
    if only:
        raise click.UsageError("--only requires --file.")
    receivers = receivers_for(invocation, notify)
    if every is not None:
        with open_catalog(invocation) as catalog:
            if rules:
                one = Publication(
                    name, rules, publication or "", candidates, since, until, app_id, expected=expectation
                )
            else:
                view = catalog.load_view(name)
                one = Publication.of_record(view, publication=publication, app_id=app_id, given=given)
            one = replace(
                one, retract=retract, metastore_only=metastore_only, max_fingerprints=max_fingerprints, notify=receivers
            )
            publish_watch(invocation, catalog, [one], every)
        return
    with open_catalog(invocation) as catalog, waiting("Reading the base tables"):
        report = publish_partitions(
            catalog,
            name,
            *rules,
            candidates=candidates,
            since=since,
            until=until,
            expected=expectation,
            retract=retract,
            dry_run=dry_run,
            app_id=app_id,
            run_version=run_version,
            publication=publication,
            metastore_only=metastore_only,
            max_fingerprints=max_fingerprints,
            notify=receivers,
        )
    emit(invocation, document_of(report), *printed(report))
    if (fail_if_waiting and report.waiting) or (fail_if_late and report.late):
        ctx.exit(ExitCode.CHECK_FAILED)
