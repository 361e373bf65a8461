"""The command ``hive-views``: its list of commands, its global options, and how a call starts and ends.

``commands`` are imported when they are called, so that ``--help`` and completion are fast; ``shell`` is what they
share: arguments, opening a catalog, output, errors, exit codes. ``doctor`` checks metastore, storage and settings;
``spark_job`` is ``publish --file`` on a cluster.
"""

from __future__ import annotations

import errno
import gc
import importlib
import io
import logging
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any, NoReturn

import click

from hive_views.cli.shell.error_output import show_error
from hive_views.cli.shell.exit_codes import MEANINGS, ExitCode
from hive_views.cli.shell.help import Group, warn
from hive_views.cli.shell.invocation import Invocation, output_option
from hive_views.messages.legible import LegibleFormatter

_COMMANDS = {
    "list": ("list_command:list_views", "List views: all, or those that match a pattern."),
    "namespaces": ("namespace_commands:namespaces", "List or create namespaces (databases of the metastore)."),
    "show": ("reading_commands:show", "Show a view: columns, version, partitions, state of its row."),
    "sql": ("reading_commands:sql", "Print the SQL of a view, and nothing else."),
    "history": ("reading_commands:history", "List the versions of a view, and when each was current."),
    "diff": ("reading_commands:diff", "Compare two versions of a view."),
    "lineage": ("lineage_command:lineage", "Show where the columns of a view come from."),
    "uses": ("lineage_command:uses", "Find the views that use a table, a view, or a column of one."),
    "translate": ("translate_command:translate", "Translate a query between the dialects of Hive, Spark and Trino."),
    "create": ("writing_commands:create", "Create a view."),
    "replace": ("writing_commands:replace", "Replace the SQL of a view, in all its dialects."),
    "alter": ("writing_commands:alter", "Change the SQL in one dialect, properties, comment or location of a view."),
    "roll-back": ("version_commands:roll_back", "Roll a view back to an earlier version."),
    "tag": ("version_commands:tag", "Tag a version of a view, which keeps it from expiring."),
    "rename": ("naming_commands:rename", "Rename a view."),
    "drop": ("naming_commands:drop", "Drop a view, but keep its metadata files."),
    "register": ("naming_commands:register", "Create a view from an existing metadata file."),
    "repair": ("version_commands:repair", "Rewrite the metastore row of a view from its metadata file."),
    "execute": ("execute_command:execute", "Execute SQL statements: CREATE VIEW, ALTER VIEW, SHOW, ..."),
    "partitions": ("partition_commands:partitions", "List, add, drop or restore the partitions of a view."),
    "publish": ("publish_command:publish", "Publish the partitions of a view that are ready."),
    "revalidate": ("revalidate_command:revalidate", "Find published partitions whose base data has changed."),
    "status": ("status_command:status", "Show what each publication has published, what is waiting, and what is late."),
    "adopt": ("adoption_commands:adopt", "Convert plain views into managed views, in place."),
    "hand-back": ("adoption_commands:hand_back", "Convert managed views back into plain ones, but keep their files."),
    "check": ("check_command:check", "Find problems with views, and fix what can be fixed without loss."),
    "impact": ("impact_command:impact", "Show which views a change of a table or view would break, before it is made."),
    "export": ("project_export_command:export_views", "Write views as SQL files, one a view, to be kept in git."),
    "plan": ("plan_command:plan", "Show what would be done to make views what the files of a project say."),
    "apply": ("apply_command:apply", "Make views what the files of a project say, or undo a release."),
    "releases": ("releases_command:releases", "List the releases of a project, and what each did."),
    "graph": ("graph_command:graph", "Show what reads what, of a project or of views."),
    "validate": ("validate_command:validate", "Have Spark, Trino or Hive analyze the SQL of a project."),
    "copy": ("copy_command:copy", "Copy views with their history into another catalog, and verify the copies."),
    "move": ("copy_command:move", "Move views into another catalog: copy, verify, hand back."),
    "backup": ("backup_commands:backup", "Back up views to one archive."),
    "restore": ("backup_commands:restore", "Restore views from an archive."),
    "undrop": ("undrop_command:undrop", "Bring dropped views back, with history, tags and partitions."),
    "clean": ("clean_command:clean", "Delete old files that no view needs any more."),
    "report": ("report_command:report", "Write an HTML report on views: inventory, problems, recent changes."),
    "serve": ("serve_command:serve", "Serve views over the Iceberg REST catalog protocol."),
    "doctor": ("doctor_command:doctor", "Check the metastore, the storage and the settings."),
    "metastore": ("metastore_command:metastore", "Start, stop or inspect the embedded metastore."),
    "demo": ("demo_command:demo", "Run a demonstration on real data and an embedded metastore."),
}


# Accepted for one release, and not listed.
_FORMER_COMMANDS = {"release": "hand-back"}


class _Deferred(click.Command):
    """A command whose code is imported when it is called or asked for help."""

    def __init__(self, name: str, place: str, summary: str) -> None:
        super().__init__(name, short_help=summary)
        self._place = place

    def load(self) -> click.Command:
        module, _, function = self._place.partition(":")
        command = getattr(importlib.import_module(f"hive_views.cli.commands.{module}"), function)
        if not gc.isenabled():
            gc.freeze()
            gc.enable()
        assert isinstance(command, click.Command)
        return command

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        return self.load().make_context(info_name, args, parent, **extra)


class _Main(Group):
    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Accept former names too."""
        if args[0] in _FORMER_COMMANDS:
            now = _FORMER_COMMANDS[args[0]]
            warn(ctx, f"the command {args[0]} is deprecated. Use {now}.")
            args = [now, *args[1:]]
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """In the order of use, not alphabetically."""
        return list(self.commands)

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,  # noqa: ARG002 - this command always ends the process
        **extra: Any,
    ) -> NoReturn:
        """Run the command and exit with its exit code; tracebacks are only shown with ``--verbose``."""
        arguments = sys.argv[1:] if args is None else list(args)
        # The options are not parsed yet, and may be what is wrong.
        invocation = Invocation(output="json" if _asks_for_json(arguments) else "text")
        _configure_encodings()
        try:
            # Click returns the exit code of ``ctx.exit``.
            code = super().main(arguments, prog_name, complete_var, standalone_mode=False, obj=invocation, **extra)
            sys.stdout.flush()
        except Exception as error:  # noqa: BLE001 - every error is shown as a message
            if isinstance(error, OSError) and error.errno == errno.EPIPE:
                _discard_stdout()
                sys.exit(ExitCode.ERROR)
            code = show_error(error, invocation)
            if isinstance(error, OSError):
                _discard_stdout()
        sys.exit(code or ExitCode.DONE)


def _asks_for_json(arguments: Sequence[str]) -> bool:
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "--output=json" in options or ("--output", "json") in pairwise(options)


def _configure_encodings() -> None:
    """Escape what an output cannot encode, and reject undecodable input, whatever the locale."""
    for stream, errors in ((sys.stdin, "strict"), (sys.stdout, "backslashreplace"), (sys.stderr, "backslashreplace")):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=errors)


def _discard_stdout() -> None:
    """The rest cannot be written, and Python would try to flush it at exit."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complete_catalogs(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    complete = importlib.import_module("hive_views.cli.shell.completion").complete_catalogs
    found: list[str] = complete(ctx, parameter, incomplete)
    return found


_EXIT_CODES = "".join(f"\n    {code:>5}  {meaning}" for code, meaning in MEANINGS.items())


@click.group(
    cls=_Main,
    help=f"""Versioned, partition-aware SQL views in a Hive Metastore.

    The options below can also be set in the environment (HIVE_VIEWS_URI, HIVE_VIEWS_CATALOG, ...), in a catalog of
    hive-views.toml or ~/.config/hive-views/config.toml, or in hive-site.xml; `hive-views doctor` shows each value and
    its source. Results go to stdout, everything else to stderr. With --output json, an error is a JSON document too.

    \b
    Exit codes:{_EXIT_CODES}

    \b
    Shell completion for bash (for zsh and fish: zsh_source, fish_source):
        eval "$(_HIVE_VIEWS_COMPLETE=bash_source hive-views)"
    """,
    commands=[_Deferred(name, place, summary) for name, (place, summary) in _COMMANDS.items()],
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--catalog",
    metavar="NAME",
    shell_complete=_complete_catalogs,
    help="Catalog in the configuration file [default: its default catalog].",
)
@click.option(
    "--uri", help="Metastore: thrift://host:9083 (comma-separated if several), or local:///path for an embedded one."
)
@click.option("--warehouse", metavar="URI", help="Directory for new views [default: the directory of their namespace].")
@click.option(
    "--lock", type=click.Choice(["auto", "always", "never"]), help="Whether commits take the metastore's table lock."
)
@click.option("--config", type=click.Path(path_type=Path), help="Configuration file [default: hive-views.toml].")
@output_option
@click.option("-v", "--verbose", is_flag=True, help="Log every step, and show the traceback of an error.")
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
    invocation = ctx.ensure_object(Invocation)
    invocation.catalog, invocation.config, invocation.verbose = catalog, config, verbose
    invocation.arguments = {"uri": uri, "warehouse": warehouse, "lock": lock}
    logger = logging.getLogger("hive_views")
    logger.addHandler(invocation.log)
    logger.setLevel(logging.DEBUG if verbose else logging.WARNING)
    detail = "%(asctime)s %(levelname)s %(name)s: %(message)s" if verbose else "%(levelname)s: %(message)s"
    invocation.log.setFormatter(LegibleFormatter(detail))
    ctx.call_on_close(lambda: logger.removeHandler(invocation.log))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and exit with its exit code."""
    # Objects of modules live until the end; collecting garbage among them takes a third of the startup time.
    gc.disable()
    try:
        cli.main(args=arguments, prog_name="hive-views")
    finally:
        gc.enable()
