"""Commands for many views: how they are selected, the progress over them, and what came of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from hive_views.cli.shell.completion import complete_namespaces, complete_views
from hive_views.cli.shell.error_output import Interrupted
from hive_views.cli.shell.exit_codes import ExitCode
from hive_views.cli.shell.invocation import Invocation
from hive_views.cli.shell.output import emit, table_of
from hive_views.cli.shell.progress import console_for_progress
from hive_views.estate.each.outcomes import OnOutcome, Outcome, Outcomes, State
from hive_views.estate.each.selection import ALL_VIEWS
from hive_views.messages.counted import counted

_Function = TypeVar("_Function", bound=Callable[..., Any])


def selection_options(function: _Function) -> _Function:
    """``PATTERN...``, ``--namespace`` and ``--all``, all optional; ``patterns_of`` makes one list of them."""
    return _patterns("[PATTERN]...", function)


def required_selection_options(function: _Function) -> _Function:
    """The same for a command that does nothing without one of them."""
    return _patterns("{PATTERN... | --namespace NS | --all}", function)


def _patterns(metavar: str, function: _Function) -> _Function:
    patterns = click.argument("patterns", metavar=metavar, nargs=-1, shell_complete=complete_views)
    return patterns(namespace_options(function))


def namespace_options(function: _Function) -> _Function:
    """``--namespace`` and ``--all``, for a command that reads its patterns in a way of its own."""
    namespace = click.option(
        "--namespace",
        "namespaces",
        metavar="NS",
        multiple=True,
        shell_complete=complete_namespaces,
        help="All views of a namespace, as the pattern 'NS.*' is; repeatable.",
    )
    everything = click.option("--all", "all_views", is_flag=True, help="All views of the metastore.")
    return namespace(everything(function))


def patterns_of(
    patterns: Sequence[str], namespaces: Sequence[str], all_views: bool, *, default: Sequence[str] = ()
) -> list[str]:
    """The patterns that were given in one way or another.

    Raises:
        click.UsageError: none were, and there is no default.
    """
    if all_views and (patterns or namespaces):
        raise click.UsageError("Give --all, or names, patterns and --namespace.")
    given = [*patterns, *(f"{namespace}.*" for namespace in namespaces), *([ALL_VIEWS] if all_views else [])]
    if not given and not default:
        raise click.UsageError("Name the views: names or patterns such as 'sales.*', --namespace NS, or --all.")
    return given or list(default)


@contextmanager
def view_progress(doing: str, done: str) -> Iterator[OnOutcome]:
    """What a verb for many views is given to report to: a bar on a terminal.

    Args:
        doing: what the bar says, as in "Adopting".
        done: what a view is afterwards, as in "adopted".

    Raises:
        Interrupted: by the user, with what was done.
    """
    console = console_for_progress()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    finished: list[str] = []
    seen = total = 0
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(f"{doing} views", total=None)

        def show(outcome: Outcome, so_far: int, of: int) -> None:
            nonlocal seen, total
            seen, total = so_far, of
            if outcome.state is State.DONE:
                finished.append(outcome.view)
            bar.update(task, completed=so_far, total=of)

        try:
            yield show
        except KeyboardInterrupt as interrupt:
            raise Interrupted(
                f"Interrupted after {seen:,} of {counted(total, 'view')}: {len(finished):,} had been {done}. "
                "Run the command again to finish the rest.",
                **{done: finished, "views": total},
            ) from interrupt


def end_with(
    ctx: click.Context, invocation: Invocation, outcomes: Outcomes, extra: Mapping[str, Any] | None = None
) -> None:
    """Print what came of each view, and end with 1 if one failed.

    Args:
        ctx: of the command.
        invocation: the call.
        outcomes: what is printed.
        extra: more of the JSON document.
    """
    emit(invocation, {**document_of(outcomes), **(extra or {})}, *printed(outcomes))
    if outcomes.failed:
        ctx.exit(ExitCode.ERROR)


def document_of(outcomes: Outcomes) -> dict[str, Any]:
    """The outcomes as JSON holds them, with reasons in the words of the shell."""
    document = outcomes.document()
    for one, shown in zip(outcomes, document["views"], strict=True):
        shown["reason"] = reason_of(one)
    return document


def printed(outcomes: Outcomes, *, but: State | None = None) -> list[str | Table]:
    """The outcomes as people read them: a line for each but for those that ended so, and a summary."""
    rows = [(one.view, outcomes.word_for(one.state), reason_of(one) or "") for one in outcomes if one.state is not but]
    return [*([table_of(("VIEW", "STATE", "REASON"), rows), ""] if rows else []), outcomes.summary()]


def reason_of(outcome: Outcome) -> str | None:
    """The reason in the words of the shell."""
    if outcome.error is None or outcome.error.remedy is None or outcome.state is State.NOT_TRIED:
        return outcome.reason
    return outcome.error.shell_message
