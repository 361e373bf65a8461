"""The command ``publish``.

What lives here: the rules as they are written on the command line, and the report as a table. What must not: when a
partition is ready.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click
from rich.table import Table

from hive_views.cli.arguments import read_requirement, read_spec
from hive_views.cli.invocation import Invocation, command, dry_run_option
from hive_views.cli.output import PROBLEMS, emit, table_of, waiting
from hive_views.cli.session import open_catalog
from hive_views.publishing.run import PublishReport
from hive_views.publishing.run import publish as publish_partitions


@command("publish")
@click.argument("name")
@click.option(
    "--require",
    "requirements",
    multiple=True,
    required=True,
    metavar="'TABLE COLUMN=...'",
    help="Partitions that a table must have; repeatable.",
)
@click.option("--partition", "candidates", multiple=True, metavar="PARTITION", help="Look at this one; repeatable.")
@click.option("--since", metavar="PARTITION", help="Leave out earlier ones.")
@click.option("--until", metavar="PARTITION", help="Leave out later ones.")
@click.option("--app-id", metavar="NAME", help="Name of the job, for runs that must happen once.")
@click.option("--run-version", type=int, metavar="N", help="Rises from run to run; one that was done is skipped.")
@click.option("--fail-if-waiting", is_flag=True, help="Exit with 6 if a partition is not ready.")
@dry_run_option
@click.pass_context
def publish(
    ctx: click.Context,
    invocation: Invocation,
    name: str,
    requirements: Sequence[str],
    candidates: Sequence[str],
    since: str | None,
    until: str | None,
    app_id: str | None,
    run_version: int | None,
    fail_if_waiting: bool,
    dry_run: bool,
) -> None:
    """Declare the partitions of a view that are ready.

    A partition is ready when every required table has all that it stands on. A requirement names a table and, for its
    partition columns, a partition column of the view, a range of numbers, or values:

    \b
    hive-views publish sales.daily_clicks --since ds=2026-08-01 \\
        --require 'web.clicks ds=ds hr=00..23 region=[eu,us]' --require 'web.users ds=ds'

    Columns that are left out may have any value. Rules beyond that (one of several, your own functions) are written in
    Python: see hive_views.publish. Running it again declares nothing twice.
    """  # noqa: D301 - click's mark for lines to keep
    rules = [read_requirement(requirement) for requirement in requirements]
    with open_catalog(invocation) as catalog, waiting("Looking at the base tables"):
        report = publish_partitions(
            catalog,
            name,
            *rules,
            candidates=[read_spec(one) for one in candidates] or None,
            since=read_spec(since) if since else None,
            until=read_spec(until) if until else None,
            dry_run=dry_run,
            app_id=app_id,
            version=run_version,
        )
    document = {
        "identifier": report.view,
        "added": list(report.added),
        "already": list(report.already),
        "waiting": {name: list(reasons) for name, reasons in report.waiting.items()},
        "dry_run": report.dry_run,
        "skipped": report.skipped,
    }
    emit(invocation, document, *_told(report))
    if fail_if_waiting and report.waiting:
        ctx.exit(PROBLEMS)


def _told(report: PublishReport) -> Iterator[str | Table]:
    if report.skipped:
        yield f"{report.view}: this run was done before; nothing was looked at."
        return
    added = "would be declared" if report.dry_run else "declared"
    yield (
        f"{report.view}: {len(report.added)} {added}, {len(report.already)} were declared already, "
        f"{len(report.waiting)} waiting."
    )
    rows = [(name, added, "") for name in report.added]
    rows += [(name, "waiting", "; ".join(reasons)) for name, reasons in report.waiting.items()]
    if rows:
        yield table_of(("PARTITION", "STATE", "WAITING FOR"), rows)
