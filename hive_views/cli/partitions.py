"""The command ``partitions``: list, add, drop, restore.

What lives here: one call of the view's partitions each, and telling what it did. What must not: how it is done.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
from rich.console import Console

from hive_views.cli.arguments import read_pairs, read_spec, read_specs
from hive_views.cli.invocation import Invocation, command, dry_run_option
from hive_views.cli.output import emit, table_of, time_of
from hive_views.cli.session import open_catalog, open_for_writing
from hive_views.hive.row import Partition


@click.group("partitions")
def partitions() -> None:
    """List, add, drop or restore the partitions of a view.

    PARTITION is written ds=2026-08-21,hr=7 or, as `list` prints it, ds=2026-08-21/hr=7; in values, a comma, slash or
    percent sign is %2C, %2F, %25. PARTITION - stands for the lines of stdin. Values of some columns only stand for all
    partitions that have them, where partitions are listed or dropped.
    """


@partitions.command("list", cls=None)
@click.pass_context
def _placeholder(ctx: click.Context) -> None:
    """."""
