"""The command ``execute``: statements in SQL."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from hive_views.cli.shell.arguments import columns_given, schema_options, script_given, script_options
from hive_views.cli.shell.invocation import Invocation, command, dry_run_option
from hive_views.cli.shell.open_catalog import open_for_writing
from hive_views.cli.shell.output import ForPrograms, emit
from hive_views.cli.shell.spark_columns import spark_columns
from hive_views.ddl.result import StatementResult
from hive_views.ddl.script import execute_in_session
from hive_views.ddl.session import Session
from hive_views.errors import HiveViewsError, SQLSyntaxError
from hive_views.messages.credentials import hide_credentials
from hive_views.spec.identifiers import check_namespace
from hive_views.sql.dialects import check_dialect
from hive_views.views.catalog import ViewCatalog


@command("execute")
@script_options
@click.option("--skip", type=click.IntRange(min=0), default=0, metavar="N", help="Skip the first N statements.")
@schema_options
@dry_run_option
def execute(
    invocation: Invocation,
    sql: str | None,
    file: str | None,
    database: str,
    dialect: str,
    skip: int,
    columns: list[tuple[str, ...]],
    schema_file: Path | None,
    schema_from_spark: bool,
    dry_run: bool,
) -> None:
    """Execute SQL statements: CREATE VIEW, ALTER VIEW, SHOW, ...

    Statements are Hive's, with extensions for versions, dialects and publishing, separated by semicolons.

    \b
    hive-views execute "ALTER VIEW sales.daily ADD PARTITION (ds='2026-08-21')"
    hive-views execute -f views.sql --database sales

    The columns of a new view are derived from its query where their types are certain; otherwise specify them (for a
    single statement), or use --schema-from-spark. An error ends the script; earlier statements remain in effect, and
    --skip resumes after them.
    """  # noqa: D301 - click's mark for lines to keep
    text = script_given(invocation, sql, file)
    given = columns_given(columns, schema_file, from_spark=schema_from_spark)
    session = Session(check_namespace(database), check_dialect(dialect), given)
    with open_for_writing(invocation, dry_run=dry_run, create_metastore=True) as catalog:
        try:
            results = _execute(catalog, text, session, skip=skip, asks_spark=schema_from_spark)
        except HiveViewsError as error:
            _print(invocation, error.script.done if error.script else [], dry_run=dry_run, failed=error)
            raise
    _print(invocation, results, dry_run=dry_run)


def _execute(
    catalog: ViewCatalog, text: str, session: Session, *, skip: int, asks_spark: bool
) -> list[StatementResult]:
    with spark_columns(catalog) if asks_spark else nullcontext() as columns_of:
        return execute_in_session(catalog, text, replace(session, columns_of=columns_of), skip=skip)


def _print(
    invocation: Invocation, results: Sequence[StatementResult], *, dry_run: bool, failed: HiveViewsError | None = None
) -> None:
    document: dict[str, Any] = {"statements": [_document(result) for result in results], "dry_run": dry_run}
    if failed is not None:
        document["failed"] = {
            "statement": failed.script.statement if failed.script else None,
            "line": _line_of(failed),
            "error": str(failed),
        }
    emit(invocation, document, *(part for result in results for part in _printed(result, dry_run=dry_run)))


def _line_of(failed: HiveViewsError) -> int | None:
    if failed.script:
        return failed.script.line
    return failed.line if isinstance(failed, SQLSyntaxError) else None


def _document(result: StatementResult) -> dict[str, Any]:
    return {
        "done": result.done,
        "identifier": result.view,
        "changed": result.changed,
        "partitions": list(result.partitions),
        "columns": list(result.columns),
        "rows": [list(row) for row in _rows(result)],
        "database": result.namespace,
    }


def _rows(result: StatementResult) -> Sequence[tuple[str | None, ...]]:
    """One of several columns may have a location; a single column has names or SQL, which stay as they are."""
    if len(result.columns) == 1:
        return result.rows
    return [tuple(cell and hide_credentials(cell) for cell in row) for row in result.rows]


def _printed(result: StatementResult, *, dry_run: bool) -> Iterator[str | Table]:
    """A sentence, or the rows: a single column has no heading, for other programs to read."""
    if not result.columns or result.changed:
        yield f"Dry run: {result.done}" if dry_run and result.changed else result.done
    if len(result.columns) == 1:
        yield from (ForPrograms(row[0] or "") for row in result.rows)
    elif result.columns:
        yield replace(result, rows=tuple(_rows(result))).table()
