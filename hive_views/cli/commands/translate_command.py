"""The command ``translate``: a query in another dialect, or why there is none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click

from hive_views.cli.shell.arguments import script_given
from hive_views.cli.shell.exit_codes import ExitCode
from hive_views.cli.shell.invocation import Invocation, command
from hive_views.cli.shell.open_catalog import open_catalog
from hive_views.cli.shell.output import ForPrograms, emit
from hive_views.messages.excerpt import excerpt_at
from hive_views.messages.legible import legible
from hive_views.translation import Finding, Translation
from hive_views.views.translated_queries import translate as translated


@command("translate")
@click.argument("file", metavar="FILE")
@click.option("--from", "source", metavar="DIALECT", default="hive", show_default=True, help="Its dialect.")
@click.option(
    "--to", "target", metavar="DIALECT", default="trino", show_default=True, help="The dialect that you want."
)
@click.option("--database", default="default", show_default=True, help="The namespace of tables without one.")
@click.option("--allow", metavar="CODE", multiple=True, help="Accept differences with this code; repeatable.")
@click.pass_context
def translate(
    ctx: click.Context,
    invocation: Invocation,
    file: str,
    source: str,
    target: str,
    database: str,
    allow: Sequence[str],
) -> None:
    """Translate a query between the dialects of Hive, Spark and Trino.

    FILE has one query; - reads it from standard input. It is translated from hive or spark to hive, spark or trino,
    with the types of the columns in the metastore. Nothing is executed or written: the output is the query.

    What is not known to answer the same is refused, with the place and a code in brackets. Findings of the kind
    `different` say what the translated query would answer otherwise; --allow CODE accepts that. Other findings, to
    stderr, say where it is stricter, or which rare values it treats otherwise.

    \b
    hive-views translate clicks.sql --to trino --database web > clicks.trino.sql

    Exits with 6 if it is refused.
    """  # noqa: D301 - click's mark for lines to keep
    text = script_given(invocation, None, file, hint="FILE")
    invocation.log.setLevel("ERROR")
    with open_catalog(invocation) as catalog:
        found = translated(text, source, target, tables=catalog, namespace=database, allow=allow)
    if invocation.output != "json":
        for line in _findings(found, file, text):
            click.echo(legible(line), err=True)
    emit(invocation, _document(found), *([] if found.text is None else [ForPrograms(found.text)]))
    if found.text is None:
        ctx.exit(ExitCode.CHECK_FAILED)


def _findings(found: Translation, file: str, text: str) -> Iterator[str]:
    for one in found.findings:
        place = f"{file}:{one.line}:{one.column}: " if one.line else f"{file}: "
        yield f"{place}{one.described()} [{one.reason.code}]"
        yield excerpt_at(text, one.line, one.column or 1) if one.line else ""
    if found.text is None:
        yield f"Cannot translate {file} from {found.source} to {found.target}."


def _document(found: Translation) -> dict[str, Any]:
    return {
        "source": found.source,
        "target": found.target,
        "status": found.status.value,
        "text": found.text,
        "functions": list(found.functions),
        "findings": [_finding(one) for one in found.findings],
        "rules_version": found.rules_version,
    }


def _finding(one: Finding) -> dict[str, Any]:
    return {
        "code": one.reason.code,
        "kind": one.reason.kind.value,
        "construct": one.construct,
        "line": one.line,
        "column": one.column,
        "says": one.reason.says,
        "engines": dict(one.reason.engines),
        "allowed": one.allowed,
    }
