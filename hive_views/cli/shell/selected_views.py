"""Commands for many views: selection, progress, and the outcome of each view."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import wraps
from itertools import groupby
from typing import Any, TypeVar, cast

import click
from rich.table import Table

from hive_views.cli.shell.completion import complete_namespaces, complete_views
from hive_views.cli.shell.error_output import Interrupted
from hive_views.cli.shell.exit_codes import ExitCode
from hive_views.cli.shell.invocation import Invocation
from hive_views.cli.shell.open_catalog import open_for_writing
from hive_views.cli.shell.output import emit, table_of
from hive_views.cli.shell.progress import progress_bar
from hive_views.errors import HiveViewsError, NoSuchNamespaceError, NoSuchViewError
from hive_views.estate.describe import view_rows
from hive_views.estate.each.outcomes import NAMES_TOLD, OnOutcome, Outcome, Outcomes, State, each
from hive_views.estate.each.selection import ALL_VIEWS, select_rows
from hive_views.hive.row import Row
from hive_views.messages.counted import counted
from hive_views.messages.enumerated import first_of
from hive_views.spec.identifiers import TableIdentifier
from hive_views.views.catalog import ViewCatalog
from hive_views.views.view import is_iceberg_view, is_plain

_Function = TypeVar("_Function", bound=Callable[..., Any])
_NAMES_OF_DONE = 3


@dataclass(frozen=True)
class Selection:
    """The views that a command was called for.

    Attributes:
        patterns: names and patterns, including those for ``--namespace`` and ``--all``.
        is_given: whether any were given; otherwise these are the default patterns of the command.
    """

    patterns: tuple[str, ...]
    is_given: bool = True

    @property
    def name(self) -> str | None:
        """The name, if a single view was named; None for several, or for a pattern."""
        return self.patterns[0] if len(self.patterns) == 1 and not self.has_wildcards else None

    @property
    def has_wildcards(self) -> bool:
        """Whether a pattern may match several views, or none."""
        return any(map(has_wildcards, self.patterns))


def has_wildcards(pattern: str) -> bool:
    """Whether a pattern has wildcards, and so is not a name."""
    return not set("*?[").isdisjoint(pattern)


def selection_options(function: _Function) -> _Function:
    """``PATTERN...``, ``--namespace`` and ``--all`` as the argument ``views``; by default all views."""
    return _patterns("[PATTERN]...", function, default=(ALL_VIEWS,))


def required_selection_options(function: _Function) -> _Function:
    """The same for a command that requires one of them."""
    return _patterns("{PATTERN... | --namespace NS | --all}", function)


def _patterns(metavar: str, function: _Function, default: tuple[str, ...] = ()) -> _Function:
    patterns = click.argument("patterns", metavar=metavar, nargs=-1, shell_complete=complete_views)
    return patterns(namespace_options(function, default))


def namespace_options(function: _Function, default: tuple[str, ...] = ()) -> _Function:
    """``--namespace`` and ``--all``, for a command that has an argument ``patterns`` of its own.

    Raises (in the command):
        click.UsageError: none of them was given and there is no default, or --all was combined with others.
    """
    namespace = click.option(
        "--namespace",
        "namespaces",
        metavar="NS",
        multiple=True,
        shell_complete=complete_namespaces,
        help="All views of a namespace, like the pattern 'NS.*'; repeatable.",
    )
    everything = click.option("--all", "all_views", is_flag=True, help="All views of the metastore.")

    @wraps(function)
    def call(
        *arguments: Any, patterns: tuple[str, ...], namespaces: Sequence[str], all_views: bool, **options: Any
    ) -> Any:
        if all_views and (patterns or namespaces):
            raise click.UsageError("--all cannot be combined with names, patterns or --namespace.")
        given = (ALL_VIEWS,) if all_views else (*patterns, *(f"{namespace}.*" for namespace in namespaces))
        if not given and not default:
            raise click.UsageError("Specify the views: names or patterns such as 'sales.*', --namespace NS, or --all.")
        return function(*arguments, views=Selection(given or default, bool(given)), **options)

    return cast("_Function", namespace(everything(call)))


@contextmanager
def view_progress(doing: str, done: str) -> Iterator[OnOutcome]:
    """The progress callback for a verb on many views, with a bar on a terminal.

    Args:
        doing: the label of the bar, such as "Adopting".
        done: the participle, such as "adopted".

    Raises:
        Interrupted: by the user, with what was done.
    """
    finished: list[str] = []
    seen = total = 0
    with progress_bar(f"{doing} views") as update:

        def show(outcome: Outcome, so_far: int, of: int) -> None:
            nonlocal seen, total
            seen, total = so_far, of
            if outcome.state is State.DONE:
                finished.append(outcome.view)
            update(so_far, of)

        try:
            yield show
        except KeyboardInterrupt as interrupt:
            raise Interrupted(
                f"Interrupted after {seen:,} of {counted(total, 'view')}: {len(finished):,} had been {done}. "
                "Run the command again for the rest.",
                **{done: finished, "views": total},
            ) from interrupt


def managed_views(catalog: ViewCatalog, patterns: Sequence[str]) -> list[TableIdentifier]:
    """The views that match and have a metadata file, and those whose rows cannot be read; sorted.

    Raises:
        InvalidInputError, NoSuchNamespaceError, NoSuchViewError: of the patterns.
    """
    unreadable: dict[TableIdentifier, HiveViewsError] = {}
    rows = view_rows(catalog, *patterns, on_unreadable=unreadable.__setitem__)
    return sorted([*unreadable, *(row.identifier for row in rows if is_iceberg_view(row))])


def change_each(
    ctx: click.Context,
    invocation: Invocation,
    patterns: Sequence[str],
    change: Callable[[ViewCatalog, TableIdentifier], Mapping[str, Any] | None],
    *,
    doing: str,
    done: str,
    dry_run: bool,
    if_exists: bool = False,
    confirm: Callable[[Sequence[Row]], None] = lambda _: None,
) -> None:
    """Change each view that matches, print the outcomes, and exit with 1 if one failed.

    Plain views and tables are skipped. A dry run changes copies.

    Args:
        ctx: of the command.
        invocation: the call.
        patterns: names and patterns.
        change: changes one view, and returns details for JSON, or None if there was nothing to do.
        doing: the label of the bar, such as "Repairing".
        done: the participle, such as "repaired".
        dry_run: whether nothing is written.
        if_exists: patterns may match nothing.
        confirm: called with the rows of the views before the first is changed; raises to cancel.

    Raises:
        InvalidInputError, NoSuchNamespaceError, NoSuchViewError: of the patterns; nothing was done.
    """

    def do(row: Row) -> Outcome:
        name = str(row.identifier)
        if not row.is_view:
            return Outcome(name, State.LEFT, f"{name} is a table, not a view.")
        if is_plain(row):
            return Outcome(
                name, State.LEFT, f"{name} is a plain view; `hive-views adopt {name}` converts it into a managed view."
            )
        details = change(catalog, row.identifier)
        if details is None:
            return Outcome(name, State.UNCHANGED)
        return Outcome(name, State.PLANNED if dry_run else State.DONE, details=details)

    unreadable: dict[TableIdentifier, HiveViewsError] = {}
    with open_for_writing(invocation, dry_run=dry_run) as catalog:
        rows = list(_rows_of(catalog, patterns, unreadable, if_exists=if_exists))
        confirm([row for row in rows if row.is_view and not is_plain(row)])
        with view_progress(doing, done) as show:
            outcomes = each(rows, lambda row: str(row.identifier), do, show, catalog, unreadable=unreadable)
    show_outcomes(ctx, invocation, Outcomes(done, outcomes, dry_run))


def _rows_of(
    catalog: ViewCatalog,
    patterns: Sequence[str],
    unreadable: dict[TableIdentifier, HiveViewsError],
    *,
    if_exists: bool,
) -> Iterator[Row]:
    if not if_exists:
        yield from select_rows(catalog.metastore, patterns, unreadable.__setitem__)
        return
    found: dict[TableIdentifier, Row] = {}
    for pattern in patterns:
        with suppress(NoSuchViewError, NoSuchNamespaceError):
            rows = select_rows(catalog.metastore, [pattern], unreadable.__setitem__)
            found |= {row.identifier: row for row in rows}
    yield from (found[name] for name in sorted(found))


def show_outcomes(
    ctx: click.Context, invocation: Invocation, outcomes: Outcomes, extra: Mapping[str, Any] | None = None
) -> None:
    """Print the outcomes, and exit with 1 if one failed.

    Args:
        ctx: of the command.
        invocation: the call.
        outcomes: of the views.
        extra: more keys of the JSON document.
    """
    emit(invocation, {**document_of(outcomes), **(extra or {})}, *printed(outcomes))
    if outcomes.failed:
        ctx.exit(ExitCode.ERROR)


def document_of(outcomes: Outcomes) -> dict[str, Any]:
    """The outcomes as JSON, with reasons in terms of the shell."""
    document = outcomes.document()
    for one, shown in zip(outcomes, document["views"], strict=True):
        shown["reason"] = reason_of(one)
    return document


def printed(outcomes: Outcomes, *, but: State | None = None) -> list[str | Table]:
    """The outcomes as text, except for those in state ``but``: one line each, or one for many that are alike, and a
    summary; failed ones are last.
    """
    parts: list[str | Table] = []
    groups = [alike for alike in outcomes.alike() if alike[0].state is not but]
    for is_many, together in groupby(groups, key=lambda alike: len(alike) > 1):
        if is_many:
            parts += (_many(outcomes, alike) for alike in together)
        else:
            rows = [(one.view, outcomes.word_for(one.state), reason_of(one) or "") for (one,) in together]
            parts.append(table_of(("VIEW", "STATE", "REASON"), rows))
    return [*parts, *([""] if parts else []), outcomes.summary()]


def _many(outcomes: Outcomes, alike: Sequence[Outcome]) -> str:
    first, reason = alike[0], reason_of(alike[0])
    state = f"{outcomes.word_for(first.state)}{f' ({first.error_type})' if first.error_type else ''}"
    names = first_of([one.view for one in alike], NAMES_TOLD if first.has_failed else _NAMES_OF_DONE)
    example = "" if all(reason_of(one) == reason for one in alike) else "For example: "
    return f"{len(alike):,} {state}: {names}.{f' {example}{reason}' if reason else ''}"


def reason_of(outcome: Outcome) -> str | None:
    """The reason in terms of the shell."""
    if outcome.error is None or outcome.error.remedy is None or outcome.state is State.NOT_TRIED:
        return outcome.reason
    return outcome.error.shell_message
