"""The command ``demo``."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console

from hive_views.cli.shell.help import Command
from hive_views.examples.departures import run_demo


@click.command("demo", cls=Command)
@click.option(
    "--keep",
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep everything in this directory, to experiment with.",
)
def demo(keep: Path | None) -> None:
    """Run a demonstration on real data and an embedded metastore.

    Loads flights and weather with Spark, creates a view for Hive and Trino, publishes its partitions, replaces it,
    rolls it back, and loads it over REST with PyIceberg. Takes about two minutes, and removes everything at the end.
    Requires `pip install "hive_views[demo]"`.
    """
    run_demo(keep, Console())
