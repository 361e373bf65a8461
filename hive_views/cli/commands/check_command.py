"""The command ``check``: problems of views, and fixing those that can be fixed without loss."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from hive_views.cli.commands.findings_output import FORMATS, findings_document, printed_findings, printed_unknown
from hive_views.cli.shell.exit_codes import ExitCode
from hive_views.cli.shell.invocation import Invocation, command, dry_run_option
from hive_views.cli.shell.open_catalog import open_catalog
from hive_views.cli.shell.output import emit
from hive_views.cli.shell.selected_views import Selection, document_of, printed, selection_options, view_progress
from hive_views.cli.shell.spark_columns import spark_columns
from hive_views.errors import NotFoundError
from hive_views.estate.checks.baseline import Baseline, Compared, check_destination, read_baseline
from hive_views.estate.checks.checking import check as check_views
from hive_views.estate.checks.findings import CheckReport
from hive_views.estate.checks.fixes import check_fixable, fix, left_after, touched_by
from hive_views.estate.each.outcomes import Outcomes
from hive_views.estate.each.selection import ALL_VIEWS
from hive_views.messages.counted import counted
from hive_views.messages.enumerated import first_of


@command("check", formats=tuple(FORMATS))
@selection_options
@click.option("--fix", "codes", metavar="CODE", multiple=True, help="Fix findings with this code; repeatable.")
@click.option(
    "--engine", type=click.Choice(["spark"]), help="Verify the columns of each query with a local Spark session."
)
@click.option("--no-partitions", is_flag=True, help="Do not check partitions, which takes a call per view.")
@click.option(
    "--baseline",
    "baseline_file",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Report only findings that are not in this file, and what of it is gone.",
)
@click.option(
    "--write-baseline",
    "written_file",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the findings to this file, as known ones, for --baseline.",
)
@dry_run_option
@click.pass_context
def check(
    ctx: click.Context,
    invocation: Invocation,
    views: Selection,
    codes: Sequence[str],
    engine: str | None,
    no_partitions: bool,
    baseline_file: Path | None,
    written_file: Path | None,
    dry_run: bool,
) -> None:
    """Find problems with views, and fix what can be fixed without loss.

    Finds rows that do not match their metadata file, tables and columns that no longer exist, circular dependencies,
    invalid partitions, and properties that engines misread. Each finding has a code and says how to fix it. Without
    PATTERN, all views are checked. Exits with 6 if there are findings; with --baseline, if there are new ones; with
    --write-baseline alone, all of them are known from now on.

    --fix takes the codes that can be fixed without loss: needs-repair, unfinished-change, location-set, lost-pointer.
    """
    check_fixable(codes)
    known = read_baseline(baseline_file) if baseline_file else None
    if written_file:
        check_destination(written_file)
    # Differences are findings, and need no warning in addition.
    invocation.log.setLevel("ERROR")
    selected = () if views.patterns == (ALL_VIEWS,) else views.patterns
    fixed: Outcomes | None = None
    left: CheckReport | None = None
    with (
        open_catalog(invocation) as catalog,
        spark_columns(catalog, within_progress=True, any_type=True) if engine else nullcontext() as columns_of,
    ):
        look = partial(check_views, catalog, columns_of=columns_of, partitions=not no_partitions)
        with view_progress("Checking", "checked") as progress:
            report = look(*selected, on_outcome=progress)
        if codes:
            with view_progress("Fixing", "fixed") as progress:
                fixed = fix(catalog, report, *codes, dry_run=dry_run, on_outcome=progress)
        touched = touched_by(report, fixed) if fixed else ()
        # A view may have been dropped in the meantime.
        with suppress(NotFoundError):
            left = left_after(report, touched, look(*touched)) if touched else None
    if known is None:
        known = Baseline.of(left or report) if written_file else Baseline()
    compare = partial(known.compare, patterns=selected, partitions=not no_partitions)
    found, now = compare(report).new, compare(left or report)
    if written_file and not dry_run:
        now.baseline().write(written_file)
    if invocation.output in FORMATS:
        click.echo(FORMATS[invocation.output](now.new))
    else:
        is_compared = bool(baseline_file or written_file)
        document = _document(found, fixed, now)
        parts = [*_printed(found, fixed, codes), found.summary(new=is_compared)]
        if left is not None:
            fixed_findings = counted(len(report.findings) - len(left.findings), "finding")
            parts.append(f"{fixed_findings} fixed. Now {now.new.summary(new=is_compared)}")
        emit(invocation, document, *parts, *(_of_baseline(now, written_file, dry_run=dry_run) if is_compared else ()))
    if fixed and fixed.failed:
        ctx.exit(ExitCode.ERROR)
    if now.new.findings:
        ctx.exit(ExitCode.CHECK_FAILED)


def _document(report: CheckReport, fixed: Outcomes | None, now: Compared) -> Mapping[str, Any]:
    after = {"left": now.new.counts} if fixed is not None else {}
    baseline = {"known": len(now.known), "gone": [one.document() for one in now.gone]}
    fixes = document_of(fixed) if fixed is not None else None
    return {**findings_document(report), "baseline": baseline, "fixed": fixes, **after}


def _printed(report: CheckReport, fixed: Outcomes | None, codes: Sequence[str]) -> Iterator[str | Text | Table]:
    yield from printed_findings(report)
    if fixed:
        yield from printed(fixed)
        yield ""
    elif fixed is not None:
        yield f"Nothing to fix: there are no findings {' or '.join(codes)}."
        yield ""
    yield from printed_unknown(report)


def _of_baseline(now: Compared, written: Path | None, *, dry_run: bool) -> Iterator[str]:
    gone = [f"{one.view} ({one.code})" for one in now.gone]
    listed = f": {first_of(gone, 10)}" if gone else ""
    yield f"{counted(len(now.known), 'known finding')} left; {len(gone):,} of the baseline gone{listed}."
    if written:
        size = counted(len(now.baseline().findings), "finding")
        yield f"{'Would write' if dry_run else 'Wrote'} {written}: {size}."
