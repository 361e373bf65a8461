"""The options ``--plan`` and ``--republish`` of ``revalidate``, and what they print."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from hive_views.cli.shell.exit_codes import ExitCode
from hive_views.cli.shell.invocation import Invocation
from hive_views.cli.shell.output import emit, table_of
from hive_views.publishing.republish_plan import RepublishPlan, RepublishReport

_NOTHING = "Nothing follows: no published partition has changed."


def republish_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say what follows from changed base data."""
    for option in reversed(
        (
            click.option("--plan", is_flag=True, help="Show what --republish would do, and write nothing."),
            click.option(
                "--republish", is_flag=True, help="Record the present state of the base data with changed partitions."
            ),
            click.option(
                "--redeclare", is_flag=True, help="Retract them and declare them again instead, so that sensors fire."
            ),
            click.option(
                "--apply",
                "saved_plan",
                type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path),
                metavar="PLAN",
                help="Carry out a plan that --plan --output json has printed; '-' reads standard input.",
            ),
            click.option("--no-downstream", is_flag=True, help="Leave out views that are published on these."),
        )
    ):
        function = option(function)
    return function


def read_plan(file: Path) -> RepublishPlan:
    """The plan in a file; InvalidInputError: it has none."""
    with click.open_file(str(file), "rb") as stream:
        return RepublishPlan.from_json(stream.read())


def show_plan(ctx: click.Context, invocation: Invocation, plan: RepublishPlan) -> None:
    """Print what is to be done, view by view in its order; exit with 1 if a view could not be looked at."""
    parts: list[str | Table | Text] = []
    for one in plan.views:
        parts.append(f"{one.view}: {one.error or f'{len(one.partitions)} to be republished, {len(one.left)} left'}.")
        done = {name: (of.action, of.reasons) for name, of in one.partitions.items()}
        parts += _table(done | {name: ("left", reasons) for name, reasons in one.left.items()})
    emit(invocation, json.loads(plan.to_json()), *(parts or [_NOTHING]))
    if any(one.error for one in plan.views):
        ctx.exit(ExitCode.ERROR)


def show_reports(ctx: click.Context, invocation: Invocation, reports: Sequence[RepublishReport]) -> None:
    """Print what was done; exit with 1 if a view could not be looked at."""
    parts: list[str | Table | Text] = []
    for one in reports:
        done = {"marked": one.marked, "redeclared": one.redeclared, "completed": one.completed}
        counted = ", ".join(f"{len(names)} {what}" for what, names in done.items() if names or what == "marked")
        parts.append(f"{one.view}: {one.error or f'{counted}, {len(one.left)} left'}.")
        rows = {name: (what, ()) for what, names in done.items() for name in names}
        parts += _table(rows | {name: ("left", reasons) for name, reasons in one.left.items()})
    documents = [{"identifier" if key == "view" else key: of for key, of in asdict(one).items()} for one in reports]
    emit(invocation, {"views": documents}, *(parts or [_NOTHING]))
    if any(one.error for one in reports):
        ctx.exit(ExitCode.ERROR)


def shortened(names: Sequence[str]) -> str:
    """Names of partitions that are alike, in one cell."""
    if len(names) <= 2:
        return ", ".join(names)
    return f"{names[0]} ... {names[-1]} ({len(names)})"


def _table(partitions: Mapping[str, tuple[str, Sequence[str]]]) -> Iterator[str | Table]:
    """What becomes of partitions, and why; those that are alike in one row."""
    alike: dict[tuple[str, str], list[str]] = {}
    for name, (what, reasons) in partitions.items():
        alike.setdefault((what, "; ".join(reasons)), []).append(name)
    if alike:
        rows = [(shortened(names), what, why) for (what, why), names in alike.items()]
        yield table_of(("PARTITION", "ACTION", "WHY"), rows)
