"""The command ``status``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click
from rich.table import Table
from rich.text import Text

from hive_views.cli.commands.publish_report import printed_status
from hive_views.cli.shell.exit_codes import ExitCode
from hive_views.cli.shell.invocation import Invocation, command
from hive_views.cli.shell.open_catalog import open_catalog
from hive_views.cli.shell.output import emit, table_of, time_of
from hive_views.cli.shell.progress import waiting
from hive_views.cli.shell.selected_views import Selection, managed_views, selection_options
from hive_views.publishing.ledger.fencing import NO_APPLICATION
from hive_views.publishing.status import PublicationStatus, status_of_views


@command("status")
@selection_options
@click.option("--fail-if-waiting", is_flag=True, help="Exit with 6 if a partition is not ready.")
@click.option("--fail-if-late", is_flag=True, help="Exit with 6 if an expected partition is late.")
@click.pass_context
def status(
    ctx: click.Context, invocation: Invocation, views: Selection, fail_if_waiting: bool, fail_if_late: bool
) -> None:
    """Show what each publication has published, what is waiting, and what is late.

    Prints one line per publication, by the rules recorded when it last ran: the last published partition, how many
    partitions are ready, waiting and late, and why the first of these waits; of a single publication all of them, and
    a calendar. Publications whose state cannot be
    determined come first, and the exit code is 1 then; those with a late partition come next. Partitions are late if
    the publication expects them (publish --expected, or the key expected in its file). Nothing is written.
    """
    patterns = views.patterns
    if views.name is not None and "." not in views.name:
        click.echo("Warning: status NAMESPACE is deprecated. Use status --namespace NAMESPACE.", err=True)
        patterns = (f"{views.name}.*",)
    with open_catalog(invocation) as catalog, waiting("Reading the base tables"):
        found = status_of_views(catalog, managed_views(catalog, patterns))
    emit(invocation, {"publications": [one.document() for one in found]}, *_printed(found))
    if any(one.error for one in found):
        ctx.exit(ExitCode.ERROR)
    if (fail_if_waiting and any(one.waiting for one in found)) or (fail_if_late and any(one.late for one in found)):
        ctx.exit(ExitCode.CHECK_FAILED)


def _printed(found: Sequence[PublicationStatus]) -> Iterator[str | Table | Text]:
    if not found:
        yield "No publications: none of these views was ever published."
        return
    rows = [
        (
            _name(one),
            _state(one),
            one.last_published or "-",
            *(str(len(group)) for group in (one.ready, one.waiting, one.late)),
            _why(one),
        )
        for one in found
    ]
    yield table_of(("PUBLICATION", "STATE", "LAST PUBLISHED", "READY", "WAITING", "LATE", "WHY"), rows)
    if len(found) == 1:
        yield from printed_status(found[0])


def _name(one: PublicationStatus) -> str:
    return one.view if one.publication in ("", NO_APPLICATION) else f"{one.view} ({one.publication})"


def _state(one: PublicationStatus) -> str:
    if one.error:
        return "failed"
    if one.late:
        return "late"
    if one.unfinished_run is not None:
        return "unfinished"
    if one.ready:
        return "ready"
    return "waiting" if one.waiting else "current"


def _why(one: PublicationStatus) -> str:
    if one.error:
        return one.error
    unfinished = [f"run {one.unfinished_run} was started, but not completed"] if one.unfinished_run is not None else []
    # The first that is late, as it is missed most.
    name = next(iter([*one.late, *one.waiting]), "")
    since = [f"late since {time_of(one.late[name] * 1000)}"] if name in one.late else []
    reasons = [*since, *(["it is ready"] if name in one.ready else one.waiting.get(name, ()))]
    return "; ".join([*unfinished, *([f"{name}: {'; '.join(reasons)}"] if reasons else [])])
