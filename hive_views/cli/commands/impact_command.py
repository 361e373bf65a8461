"""The command ``impact``: which views statements would break, before they are executed."""

from __future__ import annotations

from collections.abc import Iterator

import click
from rich.table import Table
from rich.text import Text

from hive_views.cli.commands.findings_output import FORMATS, findings_document, printed_findings, printed_unknown
from hive_views.cli.shell.arguments import script_given, script_options
from hive_views.cli.shell.exit_codes import ExitCode
from hive_views.cli.shell.invocation import Invocation, command
from hive_views.cli.shell.open_catalog import open_catalog
from hive_views.cli.shell.output import emit, table_of
from hive_views.cli.shell.selected_views import view_progress
from hive_views.estate.impacts.impact import impact as impact_of
from hive_views.estate.impacts.impact_report import ImpactReport
from hive_views.messages.counted import counted
from hive_views.messages.enumerated import first_of


@command("impact", formats=tuple(FORMATS))
@script_options
@click.option("--no-partitions", is_flag=True, help="Do not count declared partitions, which takes a call per view.")
@click.pass_context
def impact(
    ctx: click.Context,
    invocation: Invocation,
    sql: str | None,
    file: str | None,
    database: str,
    dialect: str,
    no_partitions: bool,
) -> None:
    """Show which views a change of a table or view would break, before it is made.

    Statements are those of Hive and Spark that change names or columns: ALTER TABLE, DROP TABLE, CREATE OR REPLACE
    VIEW, ALTER VIEW, DROP VIEW. Several, separated by semicolons, are applied one after the other. Nothing is changed.

    \b
    hive-views impact "ALTER TABLE web.users DROP COLUMN iso"
    hive-views impact --file migration.sql --output json

    Shows what `hive-views check` would find afterwards and does not find now, and the declared partitions of these
    views. Exits with 6 if there is anything.
    """  # noqa: D301 - click's mark for lines to keep
    text = script_given(invocation, sql, file)
    # Rows that differ from their files are no matter here.
    invocation.log.setLevel("ERROR")
    with open_catalog(invocation) as catalog, view_progress("Checking", "checked") as progress:
        report = impact_of(
            catalog, text, dialect=dialect, namespace=database, partitions=not no_partitions, on_outcome=progress
        )
    if invocation.output in FORMATS:
        click.echo(FORMATS[invocation.output](report))
    else:
        emit(invocation, findings_document(report), *_printed(report), report.summary())
    if report.findings:
        ctx.exit(ExitCode.CHECK_FAILED)


def _printed(report: ImpactReport) -> Iterator[str | Text | Table]:
    yield from printed_findings(report)
    if report.partitions:
        yield Text("Declared partitions of these views", "bold")
        rows = [(one.view, f"{one.count:,}", ", ".join(one.publications)) for one in report.partitions]
        yield table_of(("VIEW", "PARTITIONS", "PUBLISHED BY"), rows)
        yield ""
    if report.type_changes:
        yield Text("Other types", "bold")
        yield "Hive returns the type of the query, Spark the one that the view declares."
        changes = [
            (one.view, one.column, f"{one.before} -> {one.after or 'not certain'}", one.declared)
            for one in report.type_changes
        ]
        yield table_of(("VIEW", "COLUMN", "QUERY", "VIEW"), changes)
        yield ""
    for word, findings in (("before", report.before), ("solved", report.solved)):
        if findings:
            listed = first_of([f"{one.view} ({one.code})" for one in findings], 10)
            said = "already there" if word == "before" else "solved by this"
            yield f"{counted(len(findings), 'finding')} {said}: {listed}."
    yield from printed_unknown(report)
