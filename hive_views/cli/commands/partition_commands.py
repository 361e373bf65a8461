"""The command ``partitions``: list, add, drop, restore."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import click

from hive_views.cli.shell.arguments import read_pairs, read_spec, read_specs
from hive_views.cli.shell.completion import complete_views
from hive_views.cli.shell.help import Group
from hive_views.cli.shell.invocation import Invocation, command, dry_run_option
from hive_views.cli.shell.open_catalog import open_catalog, open_for_writing
from hive_views.cli.shell.output import ForPrograms, emit, table_of, time_of
from hive_views.cli.shell.progress import partition_progress
from hive_views.messages.counted import counted
from hive_views.persisted import ROWS

# Anybody may have written the parameter.
_COUNT = re.compile(r"[0-9]{1,19}")


@command("list")
@click.argument("name", shell_complete=complete_views)
@click.argument("matching", metavar="[PARTITION]", required=False)
@click.option("--long", is_flag=True, help="Show when each was declared, its rows and its parameters.")
def list_partitions(invocation: Invocation, name: str, matching: str | None, long: bool) -> None:
    """List the partitions of a view, one per line.

    PARTITION restricts the list to partitions with these values, for some or all partition columns: ds=2026-08-21. Row
    counts are those of the last hive_views.spark.analyze.
    """
    with open_catalog(invocation) as catalog:
        partitions = catalog.partitions(name)
        names = partitions.names(read_spec(matching) if matching else None)
        loaded = list(partitions.load(names)) if long else []
    if not long:
        emit(invocation, {"partitions": names}, *map(ForPrograms, names))
        return
    document = [
        {
            "name": name,
            "created_ms": partition.create_time_s * 1000,
            "rows": int(count) if _COUNT.fullmatch(count := partition.parameters.get(ROWS, "")) else None,
            "parameters": dict(partition.parameters),
        }
        for name, partition in loaded
    ]
    rows = [
        (
            name,
            time_of(partition.create_time_s * 1000),
            partition.parameters.get(ROWS, ""),
            "\n".join(f"{key} = {value}" for key, value in sorted(partition.parameters.items())),
        )
        for name, partition in loaded
    ]
    emit(
        invocation,
        {"partitions": document},
        table_of(("PARTITION", "DECLARED", "ROWS", "PARAMETERS"), rows),
    )


@command("add")
@click.argument("name", shell_complete=complete_views)
@click.argument("specs", metavar="PARTITION...", nargs=-1, required=True)
@click.option("--if-not-exists", is_flag=True, help="Skip partitions that are already declared.")
@click.option(
    "--parameter",
    "parameters",
    multiple=True,
    metavar="KEY=VALUE",
    callback=read_pairs,
    help="Parameter to store with each partition; repeatable.",
)
@dry_run_option
def add(
    invocation: Invocation,
    name: str,
    specs: Sequence[str],
    if_not_exists: bool,
    parameters: dict[str, str],
    dry_run: bool,
) -> None:
    """Declare partitions of a view.

    If PARTITION is -, partitions are read from stdin, one per line. They are added in batches of 500, each of which
    succeeds or fails as a whole.
    """
    wanted = read_specs(specs)
    with open_for_writing(invocation, name, dry_run=dry_run) as catalog:
        again = f"`hive-views partitions add {name} --if-not-exists ...` with the same partitions adds the rest."
        with partition_progress("Adding", "added", name, again=again) as progress:
            names = catalog.partitions(name).add(
                wanted, if_not_exists=if_not_exists, parameters=parameters, progress=progress
            )
    _report(invocation, name, "added", names, dry_run=dry_run)


@command("drop")
@click.argument("name", shell_complete=complete_views)
@click.argument("specs", metavar="PARTITION...", nargs=-1, required=True)
@click.option("--if-exists", is_flag=True, help="Skip partitions that are not declared.")
@dry_run_option
def drop(invocation: Invocation, name: str, specs: Sequence[str], if_exists: bool, dry_run: bool) -> None:
    """Drop partitions of a view.

    If PARTITION has values for only some of the partition columns, all partitions that match are dropped. If it is -,
    partitions are read from stdin, one per line.
    """
    wanted = read_specs(specs)
    with open_for_writing(invocation, name, dry_run=dry_run) as catalog:
        again = f"`hive-views partitions drop {name} --if-exists ...` with the same partitions drops the rest."
        with partition_progress("Dropping", "dropped", name, again=again) as progress:
            names = catalog.partitions(name).drop(wanted, if_exists=if_exists, progress=progress)
    _report(invocation, name, "dropped", names, dry_run=dry_run)


@command("restore")
@click.argument("name", shell_complete=complete_views)
@dry_run_option
def restore(invocation: Invocation, name: str, dry_run: bool) -> None:
    """Restore the partitions that a view has lost.

    When another engine drops or replaces the row of a view, the partitions are dropped too. They are restored from the
    journal next to the metadata files, without their parameters. Partitions that cannot be restored are listed with
    the reason.
    """
    with open_for_writing(invocation, name, dry_run=dry_run) as catalog:
        again = f"`hive-views partitions restore {name}` adds the rest."
        with partition_progress("Restoring", "added", name, again=again) as progress:
            restored = catalog.partitions(name).restore(progress=progress)
    for partition, reason in restored.left_out.items():
        click.echo(f"{partition} was left out: {reason}.", err=True)
    for partition in restored.uncertain:
        click.echo(
            f"{partition} may not have been declared before: adding it was started, but never completed.", err=True
        )
    doubts = {"uncertain": restored.uncertain, "left_out": dict(restored.left_out)}
    _report(invocation, name, "added", restored.added, dry_run=dry_run, **doubts)


@click.group("partitions", cls=Group, commands=[list_partitions, add, drop, restore])
def partitions() -> None:
    """List, add, drop or restore the partitions of a view.

    PARTITION is written as ds=2026-08-21,hr=7 or, as `list` prints it, ds=2026-08-21/hr=7. In values, write %2C for a
    comma, %2F for a slash and %25 for a percent sign.
    """


def _report(invocation: Invocation, view: str, done: str, names: Sequence[str], *, dry_run: bool, **more: Any) -> None:
    click.echo(f"{counted(len(names), 'partition')} of {view} {'would be ' if dry_run else ''}{done}.", err=True)
    emit(invocation, {done: list(names), **more, "dry_run": dry_run}, *map(ForPrograms, names))
