"""The command ``check``: problems of views, and fixing those that can be fixed without loss."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from functools import partial
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from hive_views.cli.shell.exit_codes import ExitCode
from hive_views.cli.shell.invocation import Invocation, command, dry_run_option
from hive_views.cli.shell.open_catalog import open_catalog
from hive_views.cli.shell.output import emit, table_of
from hive_views.cli.shell.selected_views import Selection, document_of, printed, selection_options, view_progress
from hive_views.cli.shell.spark_columns import spark_columns
from hive_views.errors import NotFoundError
from hive_views.estate.checks.checking import check as check_views
from hive_views.estate.checks.codes import CODES
from hive_views.estate.checks.findings import CheckReport
from hive_views.estate.checks.fixes import check_fixable, fix, left_after, touched_by
from hive_views.estate.each.outcomes import Outcomes
from hive_views.estate.each.selection import ALL_VIEWS
from hive_views.messages.counted import counted


@command("check")
@selection_options
@click.option("--fix", "codes", metavar="CODE", multiple=True, help="Fix findings with this code; repeatable.")
@click.option(
    "--engine", type=click.Choice(["spark"]), help="Verify the columns of each query with a local Spark session."
)
@click.option("--no-partitions", is_flag=True, help="Do not check partitions, which takes a call per view.")
@dry_run_option
@click.pass_context
def check(
    ctx: click.Context,
    invocation: Invocation,
    views: Selection,
    codes: Sequence[str],
    engine: str | None,
    no_partitions: bool,
    dry_run: bool,
) -> None:
    """Find problems with views, and fix what can be fixed without loss.

    Finds rows that do not match their metadata file, tables and columns that no longer exist, circular dependencies,
    invalid partitions, and properties that engines misread. Each finding has a code and says how to fix it. Without
    PATTERN, all views are checked. Exits with 6 if there are findings.

    --fix takes the codes that can be fixed without loss: needs-repair, unfinished-change, location-set, lost-pointer.
    """
    check_fixable(codes)
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
    emit(invocation, _document(report, fixed, left), *_printed(report, fixed, left, codes))
    if fixed and fixed.failed:
        ctx.exit(ExitCode.ERROR)
    if (left or report).findings:
        ctx.exit(ExitCode.CHECK_FAILED)


def _document(report: CheckReport, fixed: Outcomes | None, left: CheckReport | None) -> Mapping[str, Any]:
    document = report.document()
    for one, shown in zip(report.findings, document["findings"], strict=True):
        shown["remedy"] = one.remedy.in_shell
    after = {"left": (left or report).counts} if fixed is not None else {}
    return {**document, "fixed": document_of(fixed) if fixed is not None else None, **after}


def _printed(
    report: CheckReport, fixed: Outcomes | None, left: CheckReport | None, codes: Sequence[str]
) -> Iterator[str | Text | Table]:
    for code in report.counts:
        yield Text(f"{code} ({CODES[code].severity})", "bold")
        yield f"{CODES[code].means} {CODES[code].engines}"
        rows = [(one.view, f"{one.problem} {one.remedy.in_shell}") for one in report.of(code)]
        yield table_of(("VIEW", "PROBLEM AND REMEDY"), rows)
        yield ""
    if fixed:
        yield from printed(fixed)
        yield ""
    elif fixed is not None:
        yield f"Nothing to fix: there are no findings {' or '.join(codes)}."
        yield ""
    if report.not_known:
        numbers = Counter(one.about for one in report.not_known)
        listed = ", ".join(f"{about} of {number:,}" for about, number in numbers.items())
        first = report.not_known[0]
        yield f"Not checked: {listed}. The first: {first.view}: {first.reason} Use --output json to list all."
    yield report.summary()
    if left is not None:
        fixed_findings = counted(len(report.findings) - len(left.findings), "finding")
        yield f"{fixed_findings} fixed. Now {left.summary()}"
