"""The command ``hive-views``.

What lives here: the list of commands, the options common to all, logging, and how errors end the process. What must
not: the commands themselves, which are in the files named below and imported when they are called, so that ``--help``
and shell completion answer at once; and in none of them any logic of views.
"""

from __future__ import annotations

import importlib
import logging
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from hive_views.cli.invocation import Invocation, output_option
from hive_views.errors import (
    AlreadyExistsError,
    CommitFailedError,
    CommitStateUnknownError,
    HiveViewsError,
    NotFoundError,
    UnavailableError,
)
from hive_views.messages.legible import legible

EXIT_CODES: tuple[tuple[type[HiveViewsError], int], ...] = (
    (NotFoundError, 3),
    (CommitFailedError, 4),
    (AlreadyExistsError, 4),
    (CommitStateUnknownError, 5),
    (UnavailableError, 7),
    (HiveViewsError, 1),
)

_COMMANDS = {
    "list": ("reading_commands:list_views", "List the views of a namespace, or of all."),
    "show": ("reading_commands:show", "Show a view: columns, version, partitions, state of its row."),
    "sql": ("reading_commands:sql", "Print the text of a view, and nothing else."),
    "history": ("reading_commands:history", "List which version of a view was current when."),
    "diff": ("reading_commands:diff", "Compare two versions of a view."),
    "create": ("writing_commands:create", "Create a view."),
    "replace": ("writing_commands:replace", "Give a view new texts in all its dialects."),
    "alter": ("writing_commands:alter", "Change one text, properties, comment or location of a view."),
    "roll-back": ("writing_commands:roll_back", "Make an earlier version of a view current again."),
    "rename": ("naming_commands:rename", "Give a view another name."),
    "drop": ("naming_commands:drop", "Drop a view; its metadata files stay."),
    "register": ("naming_commands:register", "Make a view of an existing metadata file."),
    "repair": ("writing_commands:repair", "Write the metastore row of a view anew from its metadata file."),
    "partitions": ("partition_commands:partitions", "List, add, drop or restore the partitions of a view."),
    "publish": ("publish_command:publish", "Declare the partitions of a view that are ready."),
    "revalidate": ("revalidate_command:revalidate", "Find out what changed under published partitions."),
    "status": ("status_command:status", "Show how far the publications of a namespace are, or of all."),
    "execute": ("execute_command:execute", "Execute statements in SQL: CREATE VIEW, ALTER VIEW, SHOW, ..."),
    "doctor": ("server_commands:doctor", "Check metastore, storage and settings."),
    "metastore": ("server_commands:metastore", "Start, stop or look at the embedded metastore."),
    "demo": ("demo_command:demo", "See it all on real data, on an embedded metastore."),
}


class _Deferred(click.Command):
    """A command whose code is imported when it is called or asked for help."""

    def __init__(self, name: str, place: str, summary: str) -> None:
        super().__init__(name, short_help=summary)
        self._place = place

    def load(self) -> click.Command:
        module, _, function = self._place.partition(":")
        command = getattr(importlib.import_module(f"hive_views.cli.{module}"), function)
        assert isinstance(command, click.Command)
        return command

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        return self.load().make_context(info_name, args, parent, **extra)


class _LegibleLog(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return legible(super().format(record))


class _Main(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """In the order of use, not of the alphabet."""
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except HiveViewsError as error:
            invocation = ctx.ensure_object(Invocation)
            if invocation.verbose:
                click.echo(legible("".join(traceback.format_exception(error))), err=True, nl=False)
            click.echo(f"{click.style('Error:', fg='red')} {legible(invocation.message_of(error))}", err=True)
            click.echo(legible(invocation.details_of(error)), err=True, nl=False)
            ctx.exit(next(code for kind, code in EXIT_CODES if isinstance(error, kind)))


@click.group(
    cls=_Main,
    commands=[_Deferred(name, place, summary) for name, (place, summary) in _COMMANDS.items()],
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option("--catalog", metavar="NAME", help="Catalog of the configuration file [default: its default].")
@click.option(
    "--uri", help="Metastore: thrift://host:9083 (several with commas), or local:///path for an embedded one."
)
@click.option("--warehouse", metavar="URI", help="Directory for new views [default: that of their namespace].")
@click.option("--lock", type=click.Choice(["auto", "always", "never"]), help="Whether commits take the table's lock.")
@click.option("--config", type=click.Path(path_type=Path), help="Configuration file [default: hive-views.toml].")
@output_option
@click.option("-v", "--verbose", is_flag=True, help="Log what is done, and show where an error comes from.")
@click.version_option(package_name="hive_views", message="%(prog)s %(version)s")
@click.pass_context
def cli(
    ctx: click.Context,
    catalog: str | None,
    uri: str | None,
    warehouse: str | None,
    lock: str | None,
    config: Path | None,
    verbose: bool,
) -> None:
    """Versioned, partition-aware SQL views in a Hive Metastore.

    Options before the command also come from the environment (HIVE_VIEWS_URI, HIVE_VIEWS_CATALOG, ...), from a
    catalog in hive-views.toml or ~/.config/hive-views/config.toml, and from hive-site.xml; `hive-views doctor` tells
    which. Results go to stdout, all else to stderr.

    \b
    Exit codes: 0 done, 1 error, 2 usage, 3 not found, 4 conflict, 5 not known whether a change was applied,
    6 a check found something, 7 no connection or no access.

    \b
    Shell completion: eval "$(_HIVE_VIEWS_COMPLETE=bash_source hive-views)"   (zsh_source, fish_source)
    """  # noqa: D301 - click's mark for lines to keep
    invocation = ctx.ensure_object(Invocation)
    invocation.catalog, invocation.config, invocation.verbose = catalog, config, verbose
    invocation.arguments = {"uri": uri, "warehouse": warehouse, "lock": lock}
    logger = logging.getLogger("hive_views")
    logger.addHandler(invocation.log)
    logger.setLevel(logging.DEBUG if verbose else logging.WARNING)
    detail = "%(asctime)s %(levelname)s %(name)s: %(message)s" if verbose else "%(levelname)s: %(message)s"
    invocation.log.setFormatter(_LegibleLog(detail))
    ctx.call_on_close(lambda: logger.removeHandler(invocation.log))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and end the process with its exit code."""
    cli.main(args=arguments, prog_name="hive-views")
