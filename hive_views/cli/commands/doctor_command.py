"""The command ``doctor``."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

import click
from rich.table import Table
from rich.text import Text

from hive_views.cli.doctor.metastore_checks import Check, examine
from hive_views.cli.doctor.rest_checks import examine_rest
from hive_views.cli.doctor.rest_connection import RestConnection
from hive_views.cli.shell.exit_codes import ExitCode
from hive_views.cli.shell.invocation import Invocation, command
from hive_views.cli.shell.open_catalog import open_catalog, settings_of
from hive_views.cli.shell.output import emit, table_of
from hive_views.cli.shell.progress import waiting
from hive_views.config import REST_TOKEN, Origin


@command("doctor")
@click.option("--rest", metavar="URL", help="Check an Iceberg REST catalog server instead, as a client sees it.")
@click.option("--warehouse", help="With --rest: the warehouse setting of the client.")
@click.option("--view", metavar="NAME", help="With --rest: the view to load [default: the first one found].")
@click.pass_context
def doctor(
    ctx: click.Context, invocation: Invocation, rest: str | None, warehouse: str | None, view: str | None
) -> None:
    """Check the metastore, the storage and the settings.

    Shows which server answers, whether it protects concurrent commits, whether metadata files can be written, and where
    each setting comes from. Exits with 6 if a check fails, and with 7 if the metastore cannot be used.

    \b
    With --rest it needs no settings, and shows what a client of that server sees:
      hive-views doctor --rest http://localhost:8181 --warehouse hive@iceberg
      HIVE_VIEWS_REST_TOKEN=... hive-views doctor --rest https://views.example.org

    It checks whether the server answers, whether the token is accepted and may write, which routes the server has, and,
    for one view, which SQL Spark and Trino would use and which default-catalog they get. Nothing is changed.
    """  # noqa: D301 - click's mark for lines to keep
    if rest is not None:
        checks = _examined(invocation, rest, warehouse, view)
        emit(invocation, {"checks": [asdict(check) for check in checks]}, *_shown(checks))
    elif warehouse is not None or view is not None:
        raise click.UsageError("--warehouse and --view after doctor require --rest.")
    else:
        origins = settings_of(invocation).origins()
        given = {name: origin for name, origin in origins.items() if origin.source != "default"}
        with open_catalog(invocation) as catalog, waiting("Checking"):
            checks = list(examine(catalog))
        document = {
            "checks": [asdict(check) for check in checks],
            "settings": {name: origin._asdict() for name, origin in origins.items()},
        }
        emit(invocation, document, *_report(checks, given))
    if any(check.ok is False for check in checks):
        ctx.exit(ExitCode.CHECK_FAILED)


def _examined(invocation: Invocation, url: str, warehouse: str | None, view: str | None) -> Sequence[Check]:
    given = sorted(name for name, value in invocation.arguments.items() if value is not None)
    if given or invocation.catalog:
        raise click.UsageError(f"--{given[0] if given else 'catalog'} before doctor cannot be combined with --rest.")
    # Other users could read it on the command line.
    token = os.environ.get(REST_TOKEN) or None
    with RestConnection(url, token) as server, waiting("Checking"):
        return list(examine_rest(server, warehouse=warehouse, view=view, has_token=token is not None))


def _report(checks: Sequence[Check], settings: Mapping[str, Origin]) -> Iterator[str | Text | Table]:
    yield from _shown(checks)
    yield ""
    yield table_of(("SETTING", "VALUE", "FROM"), [(name, *origin) for name, origin in settings.items()])
    yield "All other settings have their default values."


def _shown(checks: Sequence[Check]) -> Iterator[str | Text]:
    for check in checks:
        mark, style = {True: ("ok", "green"), False: ("BAD", "red"), None: ("?", "yellow")}[check.ok]
        yield Text(f"{mark:<4}{check.name}: {check.found}", style)
        if check.advice and not check.ok:
            yield f"    {check.advice}"
