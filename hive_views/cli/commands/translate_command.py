"""The command ``translate``: a query in another dialect, or why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import click

from hive_views.cli.shell.arguments import script_given
from hive_views.cli.shell.exit_codes import ExitCode
from hive_views.cli.shell.findings_of_translation import finding_document, finding_lines
from hive_views.cli.shell.invocation import Invocation, command
from hive_views.cli.shell.open_catalog import open_catalog
from hive_views.cli.shell.output import ForPrograms, emit
from hive_views.cli.shell.progress import waiting
from hive_views.cli.shell.verified_translations import engines_option, rows_option, timeout_option
from hive_views.engines.verification import Verification
from hive_views.engines.verifying import verify
from hive_views.messages.legible import legible, legible_line
from hive_views.translation import Translation
from hive_views.views.translated_queries import translate as translated


@command("translate")
@click.argument("file", metavar="FILE")
@click.option("--from", "source", metavar="DIALECT", default="hive", show_default=True, help="Its dialect.")
@click.option(
    "--to", "target", metavar="DIALECT", default="trino", show_default=True, help="The dialect that you want."
)
@click.option("--database", default="default", show_default=True, help="The namespace of tables without one.")
@click.option("--allow", metavar="CODE", multiple=True, help="Accept differences with this code; repeatable.")
@engines_option
@rows_option
@timeout_option
@click.pass_context
def translate(
    ctx: click.Context,
    invocation: Invocation,
    file: str,
    source: str,
    target: str,
    database: str,
    allow: Sequence[str],
    engines: Sequence[str],
    rows: int | None,
    timeout: timedelta,
) -> None:
    """Translate a query between the dialects of Hive, Spark and Trino.

    FILE has one query; - reads it from standard input. It is translated between hive, spark and trino, with the
    types of the columns in the metastore. Nothing is written: the output is the query.

    What is not known to answer the same is refused, with the place and a code in brackets. Findings of the kind
    `different` say what the translated query would answer otherwise; --allow CODE accepts that. Other findings, to
    stderr, say where it is stricter, or which rare values it treats otherwise.

    \b
    hive-views translate clicks.sql --to trino --database web > clicks.trino.sql

    --verify has an engine analyze the translated query; the columns have to be those of the original. With
    --verify-rows N, both queries run, each in an engine of its dialect, and N rows are compared: all, or, of more, the
    first in one order. Spark is started on this machine. The catalog of Trino has to be the metastore.

    \b
    --verify spark                           SQL of spark
    --verify trino://user@host:8080/catalog  SQL of trino
    --verify hive://user@host:10000          SQL of hive

    hive-views validate --help says how connections are encrypted, and where a password is put.

    Exits with 6 if it is refused, or an engine finds a difference.
    """  # noqa: D301 - click's mark for lines to keep
    text = script_given(invocation, None, file, hint="FILE")
    if rows is not None and not engines:
        raise click.UsageError("--verify-rows needs --verify.")
    invocation.log.setLevel("ERROR")
    verified: Verification | None = None
    with open_catalog(invocation) as catalog:
        found = translated(text, source, target, tables=catalog, namespace=database, allow=allow)
        if engines and found.text is not None:
            with waiting("Verifying"):
                timeout_s = timeout.total_seconds()
                verified = verify(found, engines, rows=rows, catalog=catalog, timeout_s=timeout_s)
    if invocation.output != "json":
        for line in finding_lines(found.findings, file, text):
            click.echo(legible(line), err=True)
        if found.text is None:
            click.echo(legible(f"Cannot translate {file} from {found.source} to {found.target}."), err=True)
        for line in verified.lines() if verified else ():
            click.echo(legible_line(line), err=True)
    document = _document(found) | ({"verification": verified.document()} if verified else {})
    is_refused = found.text is None or (verified is not None and not verified.is_verified)
    emit(invocation, document, *([] if is_refused else [ForPrograms(found.text or "")]))
    if is_refused:
        ctx.exit(ExitCode.CHECK_FAILED)


def _document(found: Translation) -> dict[str, Any]:
    return {
        "source": found.source,
        "target": found.target,
        "status": found.status.value,
        "text": found.text,
        "functions": list(found.functions),
        "findings": [finding_document(one) for one in found.findings],
        "rules_version": found.rules_version,
    }
