"""``publish --file`` and the options of publishing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.table import Table

from hive_views.cli.shell.arguments import as_usage, read_pairs, read_spec
from hive_views.cli.shell.exit_codes import ExitCode
from hive_views.cli.shell.invocation import Invocation
from hive_views.cli.shell.open_catalog import open_catalog, settings_of
from hive_views.cli.shell.output import emit, table_of
from hive_views.cli.shell.progress import console_for_progress
from hive_views.errors import InvalidInputError
from hive_views.messages.counted import counted
from hive_views.messages.legible import legible_line
from hive_views.publishing.batch.publication import Publication, check_publications, chosen, with_overrides
from hive_views.publishing.batch.publications_file import read_publications
from hive_views.publishing.batch.publish_each import PublicationOutcome, publish_lazily
from hive_views.publishing.notifying.receivers import Receiver, receivers_of
from hive_views.publishing.scope import EVERYTHING, Scope
from hive_views.readiness.expectation import Expectation, expectation_of
from hive_views.readiness.language import read_rule
from hive_views.readiness.patterns import Pattern
from hive_views.readiness.rules import Rule

_Function = TypeVar("_Function", bound=Callable[..., Any])


def file_options(*, required: bool) -> Callable[[_Function], _Function]:
    """``--file`` and ``--only``."""

    def decorate(function: _Function) -> _Function:
        file = click.option(
            "--file",
            type=click.Path(exists=True, dir_okay=False, path_type=Path),
            required=required,
            help="TOML file of publications; if one fails, the others still run.",
        )
        only = click.option(
            "--only",
            multiple=True,
            metavar="NAME",
            help="Only this publication or view of the file; repeatable.",
        )
        return file(only(function))

    return decorate


def metastore_only_option(help_text: str) -> Callable[[_Function], _Function]:
    """``--metastore-only``."""
    return click.option("--metastore-only", is_flag=True, help=help_text)


def rule_option(meaning: str) -> Callable[[_Function], _Function]:
    """``--require RULE``, repeatable: rules that must all hold."""

    def read(_: click.Context, __: click.Parameter, values: Sequence[str]) -> list[Rule]:
        with as_usage():
            return [read_rule(value) for value in values]

    return click.option(
        "--require",
        "rules",
        multiple=True,
        metavar="RULE",
        callback=read,
        help=meaning,
    )


def bounds_options(function: _Function) -> _Function:
    """``--since`` and ``--until``, as values of partition columns by name."""
    for name, which in (("--until", "Last"), ("--since", "First")):
        function = click.option(
            name,
            metavar="PARTITION",
            callback=lambda _, __, text: read_spec(text) if text else None,
            help=f"{which} partition to consider (inclusive).",
        )(function)
    return function


def partition_option(function: _Function) -> _Function:
    """``--partition PARTITION``, repeatable: the only ones to consider; None if it is not given."""
    return click.option(
        "--partition",
        "candidates",
        multiple=True,
        metavar="PARTITION",
        callback=lambda _, __, texts: [read_spec(text) for text in texts] or None,
        help="Consider only this partition; repeatable.",
    )(function)


def expectation_options(function: _Function) -> _Function:
    """What is expected, by when: the arguments of ``read_expectation``."""
    options = (
        click.option(
            "--expected",
            metavar="SCHEDULE",
            help="Partitions that must be there by now: hourly, daily, weekly, monthly, or a cron expression.",
        ),
        click.option("--late-after", metavar="DURATION", help="How long after its end a day is late, such as 6h."),
        click.option("--time-zone", metavar="NAME", help="Time zone of the days and hours  [default: UTC]"),
        click.option(
            "--expected-column",
            "expected_columns",
            multiple=True,
            callback=read_pairs,
            metavar="COLUMN=PATTERN",
            help="How the time is written in a column (ds=yyyyMMdd), or its values (region=eu,us); repeatable.",
        ),
        click.option(
            "--known-empty", multiple=True, metavar="PARTITION", help="Partition that will never come; repeatable."
        ),
    )
    for option in reversed(options):
        function = option(function)
    return function


def read_expectation(
    expected: str | None,
    late_after: str | None,
    time_zone: str | None,
    expected_columns: Mapping[str, str],
    known_empty: Sequence[str],
) -> Expectation | None:
    """What the options say is expected; None: nothing."""
    if expected is None and (late_after or time_zone or expected_columns or known_empty):
        raise click.UsageError(
            "--late-after, --time-zone, --expected-column and --known-empty require --expected, such as daily."
        )
    with as_usage():
        columns = {name: _pattern_or_values(text) for name, text in expected_columns.items()}
        return expectation_of(expected, late_after, time_zone, columns, [read_spec(one) for one in known_empty])


def _pattern_or_values(text: str) -> str | list[str]:
    with suppress(InvalidInputError):
        return Pattern(text).text
    return text.split(",")


def run_options(function: _Function) -> _Function:
    """The options of a run, with a file or without."""
    options = (
        click.option("--app-id", metavar="NAME", help="Name of the job, for runs that must happen exactly once."),
        click.option(
            "--run-version",
            type=int,
            metavar="N",
            help="Number that increases with each run; a run that was already completed is skipped.",
        ),
        click.option("--fail-if-waiting", is_flag=True, help="Exit with 6 if a partition is not ready."),
        click.option("--fail-if-late", is_flag=True, help="Exit with 6 if an expected partition is late."),
    )
    for option in reversed(options):
        function = option(function)
    return function


def notify_option(what: str) -> Callable[[_Function], _Function]:
    """``--notify``, repeatable."""
    return click.option(
        "--notify",
        multiple=True,
        metavar="TARGET",
        help=f"Send an event for each {what} partition to this local file or http(s) URL; repeatable.",
    )


def receivers_for(invocation: Invocation, notify: Sequence[str]) -> tuple[Receiver, ...]:
    """Who is notified by this call. InvalidInputError: as ``Receiver``, or no metastore is configured."""
    with as_usage():
        return receivers_of(notify, _token_of(invocation)) if notify else ()


def notifying(invocation: Invocation, publications: Sequence[Publication], notify: Sequence[str]) -> list[Publication]:
    """Publications with the receivers of this call beside their own, and the token for them; raises likewise."""
    if not notify and not any(one.notify for one in publications):
        return list(publications)
    more, token = receivers_for(invocation, notify), _token_of(invocation)
    return [one.notifying(more, token) for one in publications]


def _token_of(invocation: Invocation) -> str | None:
    token = settings_of(invocation).settings.notify_token
    return token.get_secret_value() if token else None


def publications_of(
    invocation: Invocation,
    file: Path,
    only: Sequence[str],
    app_id: str | None,
    run_version: int | None,
    given: Scope = EVERYTHING,
    *,
    notify: Sequence[str] = (),
    is_watch: bool = False,
) -> list[Publication]:
    """The selected publications of a file, for a run with this application and version, and more to notify.

    ``given`` is what the run looks at in place of the partitions and bounds of the one that is selected. A watch
    (``is_watch``) has no version, and checks them itself.

    Raises:
        InvalidInputError: as ``read_publications``, ``chosen`` and ``check_publications``.
    """
    all_of_file = read_publications(file)
    publications = notifying(invocation, chosen(all_of_file, only), notify)
    if given != EVERYTHING:
        if len(publications) != 1:
            raise click.UsageError(
                "With --file, --partition, --since and --until require --only with the name of a single publication."
            )
        # A version in the file is that of its own runs, which may have been completed.
        publications = [replace(with_overrides(all_of_file, publications[0], given), run_version=None)]
    publications = [one.as_run(app_id, run_version) for one in publications]
    if is_watch:
        return publications
    if run_version is not None and not any(one.app_id for one in publications):
        raise click.UsageError("--run-version requires --app-id, or app_id in the file.")
    check_publications(publications)
    return publications


def publish_file(
    ctx: click.Context,
    invocation: Invocation,
    publications: Sequence[Publication],
    *,
    dry_run: bool,
    fail_if_waiting: bool,
    fail_if_late: bool,
) -> None:
    """Run the publications in this process, and print the outcomes."""
    console = console_for_progress()
    with open_catalog(invocation) as catalog:
        outcomes = []
        for outcome in publish_lazily(catalog, publications, dry_run=dry_run):
            outcomes.append(outcome)
            if console.is_terminal:
                console.print(legible_line(f"{len(outcomes)}/{len(publications)} {outcome.name}: {outcome.state}"))
    show_publications(
        ctx, invocation, outcomes, dry_run=dry_run, fail_if_waiting=fail_if_waiting, fail_if_late=fail_if_late
    )


def show_publications(
    ctx: click.Context,
    invocation: Invocation,
    outcomes: Sequence[PublicationOutcome],
    *,
    dry_run: bool,
    fail_if_waiting: bool,
    fail_if_late: bool,
) -> None:
    """Print the outcomes, and exit with 1 if one failed, or with 6 if one is waiting or late and that is to fail."""
    states: Counter[str] = Counter(one.state for one in outcomes)
    document = {
        "publications": [one.document() for one in outcomes],
        "states": dict(states),
        "dry_run": dry_run,
    }
    emit(invocation, document, *_printed(outcomes, states))
    if states["failed"]:
        ctx.exit(ExitCode.ERROR)
    is_waiting = fail_if_waiting and any(one.waiting for one in outcomes)
    if is_waiting or (fail_if_late and any(one.late for one in outcomes)):
        ctx.exit(ExitCode.CHECK_FAILED)


def _printed(outcomes: Iterable[PublicationOutcome], states: Counter[str]) -> Iterator[str | Table]:
    ended = ", ".join(f"{count} {state}" for state, count in states.items())
    yield f"{counted(states.total(), 'publication')}: {ended}."
    rows = [
        (
            one.name,
            one.state,
            *(str(len(group)) for group in (one.added, one.waiting, one.late)),
            f"{one.seconds:.2f}",
            _why(one),
        )
        for one in outcomes
    ]
    yield table_of(("PUBLICATION", "STATE", "ADDED", "WAITING", "LATE", "SECONDS", "WHY"), rows)


def _why(outcome: PublicationOutcome) -> str:
    if outcome.error:
        return outcome.error
    first = next(iter(outcome.waiting.items()), None)
    return f"{first[0]}: {'; '.join(first[1])}" if first else ""
