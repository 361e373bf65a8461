"""The command ``revalidate``.

What lives here: one call, and its report as a table. What must not: finding out what changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import click
from rich.table import Table
from rich.text import Text

from hive_views.cli.arguments import read_rule, read_spec
from hive_views.cli.calendar import Sign, calendar_of
from hive_views.cli.completion import complete_views
from hive_views.cli.exit_codes import ExitCode
from hive_views.cli.invocation import Invocation, command
from hive_views.cli.opening import open_catalog
from hive_views.cli.output import emit, table_of
from hive_views.cli.progress import waiting
from hive_views.publishing.revalidation import RevalidationReport
from hive_views.publishing.revalidation import revalidate as revalidate_partitions

_SIGNS = (
    Sign("missing", "-", "red"),
    Sign("changed", "~", "yellow"),
    Sign("unknown", "?", "yellow"),
    Sign("rewritten", "=", "green"),
    Sign("current", "#", "green"),
)


@command("revalidate")
@click.argument("name", shell_complete=complete_views)
@click.option(
    "--require",
    "requirements",
    multiple=True,
    required=True,
    metavar="'TABLE COLUMN=...'",
    help="As it was published with; repeatable.",
)
@click.option("--since", metavar="PARTITION", help="Leave out earlier ones.")
@click.option("--until", metavar="PARTITION", help="Leave out later ones.")
@click.option("--fail-if-changed", is_flag=True, help="Exit with 6 if one is changed, missing or unknown.")
@click.pass_context
def revalidate(
    ctx: click.Context,
    invocation: Invocation,
    name: str,
    requirements: Sequence[str],
    since: str | None,
    until: str | None,
    fail_if_changed: bool,
) -> None:
    """Find out what changed under published partitions.

    \b
    current    nothing under it changed
    rewritten  files under it were rewritten (compaction), its rows are the same
    changed    rows were added, removed or replaced: late data
    missing    the requirements do not hold any more
    unknown    the history is cleaned up, or somebody else declared it

    Nothing is written. To retract what is missing, run publish with --retract.
    """  # noqa: D301 - click's mark for lines to keep
    rules = [read_rule(requirement) for requirement in requirements]
    with open_catalog(invocation) as catalog, waiting("Looking at the base tables"):
        report = revalidate_partitions(
            catalog,
            name,
            *rules,
            since=read_spec(since) if since else None,
            until=read_spec(until) if until else None,
        )
    document = {
        "identifier": report.view,
        "partitions": {
            partition: {
                "state": one.state,
                "reasons": list(one.reasons),
                "commits": {table: list(commits) for table, commits in one.commits.items()},
            }
            for partition, one in report.partitions.items()
        },
    }
    emit(invocation, document, *_printed(report))
    if fail_if_changed and not report.show_what_was_published:
        ctx.exit(ExitCode.CHECK_FAILED)


def _printed(report: RevalidationReport) -> Iterator[str | Table | Text]:
    counts = Counter[str](one.state for one in report.partitions.values())
    counted = ", ".join(f"{counts[sign.state]} {sign.state}" for sign in reversed(_SIGNS) if counts[sign.state])
    yield f"{report.view}: {counted or 'no partitions'}."
    rows = [
        (name, one.state, "; ".join(one.reasons)) for name, one in report.partitions.items() if one.state != "current"
    ]
    if rows:
        yield table_of(("PARTITION", "STATE", "WHY"), rows)
    yield from calendar_of({name: one.state for name, one in report.partitions.items()}, _SIGNS)
