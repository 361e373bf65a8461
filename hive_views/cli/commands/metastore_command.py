"""The command ``metastore``: start, stop, status of the embedded one."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from hive_views.cli.shell.help import Group
from hive_views.cli.shell.invocation import Invocation, command
from hive_views.cli.shell.open_catalog import settings_of
from hive_views.cli.shell.output import emit
from hive_views.cli.shell.progress import waiting
from hive_views.messages.credentials import hide_credentials
from hive_views.metastore.embedded.local_metastore import LocalMetastore, LocalStatus
from hive_views.metastore.open import LOCAL, local_path


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
