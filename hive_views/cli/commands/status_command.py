"""The command ``status``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

import click
from rich.table import Table

from hive_views.cli.shell.exit_codes import ExitCode
from hive_views.cli.shell.invocation import Invocation, command
from hive_views.cli.shell.open_catalog import open_catalog
from hive_views.cli.shell.output import emit, table_of
from hive_views.cli.shell.progress import waiting
from hive_views.cli.shell.selected_views import Selection, managed_views, selection_options
from hive_views.publishing.ledger.fencing import NO_APPLICATION
from hive_views.publishing.status import PublicationStatus, status_of_views


@command("status")
@selection_options
@click.option("--fail-if-waiting", is_flag=True, help="Exit with 6 if a partition is not ready.")
@click.pass_context
def status(ctx: click.Context, invocation: Invocation, views: Selection, fail_if_waiting: bool) -> None:
    """Show what each publication has published, and what is waiting.

    Prints one line per publication, by the rules recorded when it last ran: the last published partition, how many
    partitions are ready and how many are waiting, and why the first of these waits. Publications whose state cannot be
    determined come first, and the exit code is 1 then. Nothing is written.
    """
    patterns = views.patterns
    if views.name is not None and "." not in views.name:
        click.echo("Warning: status NAMESPACE is deprecated. Use status --namespace NAMESPACE.", err=True)
        patterns = (f"{views.name}.*",)
    with open_catalog(invocation) as catalog, waiting("Reading the base tables"):
        found = status_of_views(catalog, managed_views(catalog, patterns))
    emit(invocation, {"publications": [_document(one) for one in found]}, *_printed(found))
    if any(one.error for one in found):
        ctx.exit(ExitCode.ERROR)
    if fail_if_waiting and any(one.waiting for one in found):
        ctx.exit(ExitCode.CHECK_FAILED)


def _document(one: PublicationStatus) -> dict[str, Any]:
    # `partitions list` has their names, which may be very many.
    return {
        "identifier" if key == "view" else key: value for key, value in asdict(one).items() if key != "published_names"
    }


def _printed(found: Sequence[PublicationStatus]) -> Iterator[str | Table]:
    if not found:
        yield "No publications: none of these views was ever published."
        return
    rows = [
        (_name(one), _state(one), one.last_published or "-", str(len(one.ready)), str(len(one.waiting)), _why(one))
        for one in found
    ]
    yield table_of(("PUBLICATION", "STATE", "LAST PUBLISHED", "READY", "WAITING", "WHY"), rows)


def _name(one: PublicationStatus) -> str:
    return one.view if one.publication in ("", NO_APPLICATION) else f"{one.view} ({one.publication})"


def _state(one: PublicationStatus) -> str:
    if one.error:
        return "failed"
    if one.unfinished_run is not None:
        return "unfinished"
    if one.ready:
        return "ready"
    return "waiting" if one.waiting else "current"


def _why(one: PublicationStatus) -> str:
    if one.error:
        return one.error
    unfinished = [f"run {one.unfinished_run} was started, but not completed"] if one.unfinished_run is not None else []
    first = [f"{name}: {'; '.join(reasons)}" for name, reasons in list(one.waiting.items())[:1]]
    return "; ".join([*unfinished, *first])
