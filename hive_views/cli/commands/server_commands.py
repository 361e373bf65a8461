"""The commands about servers: doctor, metastore."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import click
from rich.table import Table
from rich.text import Text

from hive_views.cli.doctor.metastore_checks import Check, examine
from hive_views.cli.doctor.rest_checks import examine_rest
from hive_views.cli.doctor.rest_connection import RestConnection
from hive_views.cli.shell.exit_codes import ExitCode
from hive_views.cli.shell.help import Group
from hive_views.cli.shell.invocation import Invocation, command
from hive_views.cli.shell.opening import open_catalog, settings_of
from hive_views.cli.shell.output import emit, table_of
from hive_views.cli.shell.progress import waiting
from hive_views.config import REST_TOKEN, Origin
from hive_views.messages.credentials import hide_credentials
from hive_views.metastore.embedded.local_metastore import LocalMetastore, LocalStatus
from hive_views.metastore.open import LOCAL, local_path


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


@command("start")
@click.argument("path", type=click.Path(path_type=Path), required=False)
def start(invocation: Invocation, path: Path | None) -> None:
    """Start the embedded metastore in a directory, and keep it running until `stop`.

    PATH defaults to the directory of the setting uri (local:///path). Commands and programs that use local:///path do
    not need this: they start the server themselves, and the last one stops it.

    The server runs as you. On Linux it accepts connections from you and root only; on other systems, from every user of
    this machine.
    """
    server = _server(invocation, path)
    with waiting("Starting the embedded metastore"):
        server.start(persistent=True)
    _print(invocation, server)


@command("stop")
@click.argument("path", type=click.Path(path_type=Path), required=False)
def stop(invocation: Invocation, path: Path | None) -> None:
    """Stop the embedded metastore in a directory, even if it is in use."""
    server = _server(invocation, path)
    before = server.status()
    with waiting("Stopping the embedded metastore"):
        server.stop()
    sentence = (
        f"Stopped {before.uri}, which was running in {server.path} (process {before.pid})." if before.running else None
    )
    _print(invocation, server, sentence)


@command("status")
@click.argument("path", type=click.Path(path_type=Path), required=False)
def status(invocation: Invocation, path: Path | None) -> None:
    """Show whether the embedded metastore in a directory is running, and its URI."""
    _print(invocation, _server(invocation, path))


@click.group("metastore", cls=Group, commands=[start, stop, status])
def metastore() -> None:
    """Start, stop or inspect the embedded metastore.

    It is a real Hive Metastore on this machine, with its data in a directory, for development and tests.
    """


def _server(invocation: Invocation, path: Path | None) -> LocalMetastore:
    if path is not None:
        return LocalMetastore(path)
    uri = settings_of(invocation).settings.uri
    if not uri.startswith(LOCAL):
        raise click.UsageError(
            f"Specify PATH: the metastore of the settings, {hide_credentials(uri)}, is not an embedded one."
        )
    return LocalMetastore(local_path(uri))


def _print(invocation: Invocation, server: LocalMetastore, sentence: str | None = None) -> None:
    found = server.status()
    document = {"path": str(server.path), **asdict(found), "log_path": str(found.log_path)}
    emit(invocation, document, sentence or _sentence(server, found))


def _sentence(server: LocalMetastore, found: LocalStatus) -> str:
    if not found.running:
        return f"No metastore is running in {server.path}."
    until = "until `hive-views metastore stop`" if found.persistent else "as long as it is in use"
    warning = (
        "\nEvery user of this machine who finds its port has the access of its owner." if found.for_everybody else ""
    )
    return (
        f"{found.uri} is running in {server.path} (process {found.pid}), {until}; its log is {found.log_path}{warning}"
    )
