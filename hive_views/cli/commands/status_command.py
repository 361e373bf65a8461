"""The command ``status``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from rich.table import Table
from rich.text import Text

from hive_views.cli.commands.publish_file import notify_option, receivers_for
from hive_views.cli.commands.publish_report import printed_status
from hive_views.cli.commands.status_metrics import SUFFIX, write_metrics
from hive_views.cli.shell.exit_codes import ExitCode
from hive_views.cli.shell.invocation import Invocation, command
from hive_views.cli.shell.open_catalog import open_catalog
from hive_views.cli.shell.output import emit, table_of
from hive_views.cli.shell.progress import waiting
from hive_views.cli.shell.selected_views import Selection, managed_views, selection_options
from hive_views.publishing.notify import notify_late
from hive_views.publishing.status import PublicationStatus, status_of_views


def _checked(_: click.Context, __: click.Parameter, file: Path | None) -> Path | None:
    if file is not None and file.suffix != SUFFIX:
        raise click.BadParameter(f"{file} does not end in {SUFFIX}, and node_exporter reads no other files.")
    return file


@command("status")
@selection_options
@click.option("--fail-if-waiting", is_flag=True, help="Exit with 6 if a partition is not ready.")
@notify_option("late")
@click.option(
    "--prometheus",
    type=click.Path(dir_okay=False, path_type=Path),
    callback=_checked,
    metavar=f"FILE{SUFFIX}",
    help="Also write metrics to this file, for the textfile collector of Prometheus' node_exporter.",
)
@click.option("--fail-if-late", is_flag=True, help="Exit with 6 if an expected partition is late.")
@click.pass_context
def status(
    ctx: click.Context,
    invocation: Invocation,
    views: Selection,
    fail_if_waiting: bool,
    fail_if_late: bool,
    notify: Sequence[str],
    prometheus: Path | None,
) -> None:
    """Show what each publication has published, what is waiting, and what is late.

    Prints one line per publication, by the rules recorded when it last ran: the last published partition, how many
    partitions are ready, waiting and late, and why the first of these waits; of a single publication all of them, and
    a calendar. Publications whose state cannot be determined come first, and the exit code is 1 then; those with a late
    partition come next. Partitions are late if the publication expects them (publish --expected, or the key expected in
    its file). No view is changed.
    """
    patterns = views.patterns
    if views.name is not None and "." not in views.name:
        click.echo("Warning: status NAMESPACE is deprecated. Use status --namespace NAMESPACE.", err=True)
        patterns = (f"{views.name}.*",)
    receivers = receivers_for(invocation, notify)
    with open_catalog(invocation) as catalog, waiting("Reading the base tables"):
        found = status_of_views(catalog, managed_views(catalog, patterns))
        notify_late(catalog, found, receivers)
    if prometheus is not None:
        write_metrics(prometheus, found)
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
            one.label,
            one.state,
            one.last_published or "-",
            *(str(len(group)) for group in (one.ready, one.waiting, one.late)),
            one.why,
        )
        for one in found
    ]
    yield table_of(("PUBLICATION", "STATE", "LAST PUBLISHED", "READY", "WAITING", "LATE", "WHY"), rows)
    if len(found) == 1:
        yield from printed_status(found[0])
