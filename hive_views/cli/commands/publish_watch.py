"""``publish --watch``: a line for each change, until the process is ended."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import click

from hive_views.cli.shell.invocation import Invocation
from hive_views.cli.shell.output import emit_lines, time_of
from hive_views.errors import HiveViewsError
from hive_views.hive.durations import duration_text
from hive_views.messages.counted import counted
from hive_views.messages.credentials import hide_credentials
from hive_views.messages.enumerated import first_of
from hive_views.messages.legible import legible_line
from hive_views.publishing.batch.publication import Publication
from hive_views.publishing.batch.watch import PublicationChange, watch
from hive_views.views.catalog import ViewCatalog

_MOST_NAMES = 3
_SHORTEST = timedelta(seconds=1)


def publish_watch(
    invocation: Invocation, catalog: ViewCatalog, publications: Sequence[Publication], every: timedelta
) -> None:
    """Run the publications in rounds, and print what changes. The first signal to end lets the one in progress end."""
    if every < _SHORTEST:
        raise click.BadParameter("The pause must be at least 1s.", param_hint="'--watch'")
    with _end_by_signal() as end:
        changes = watch(catalog, publications, every_s=every.total_seconds(), ended=end.wait)
        click.echo(f"Watching {counted(len(publications), 'publication')} every {duration_text(every)}.", err=True)
        for change in changes:
            if invocation.output == "json":
                emit_lines([change.document()])
            else:
                click.echo(legible_line(hide_credentials(_line(change))))


@contextmanager
def _end_by_signal() -> Iterator[threading.Event]:
    """Set by the first signal to end; the next one ends the process as it does without this."""
    end, before = threading.Event(), dict[int, Any]()

    def handle(number: int, _: object) -> None:
        end.set()
        signal.signal(number, before[number])

    for number in (signal.SIGINT, signal.SIGTERM):
        before[number] = signal.signal(number, handle)
    try:
        yield end
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def _line(change: PublicationChange) -> str:
    return f"{time_of(change.at_ms)}  {_who(change)}: {_what(change)}"


def _who(change: PublicationChange) -> str:
    if not change.view:
        return "metastore"
    return change.view if change.publication == change.view else f"{change.view} ({change.publication})"


def _what(change: PublicationChange) -> str:
    if change.error is not None:
        text = change.error.shell_message if isinstance(change.error, HiveViewsError) else str(change.error)
        return f"{change.kind}: {text}"
    names = [
        f"{name} ({'; '.join(reasons)})" if reasons else name
        for name, reasons in list(change.partitions.items())[: _MOST_NAMES + 1]
    ]
    names += [""] * (len(change.partitions) - len(names))
    return f"{change.kind} {first_of(names, _MOST_NAMES)}".rstrip()
