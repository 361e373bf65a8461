"""The commands of ``hive-views``, with those below them, for the tests that look at each."""

from __future__ import annotations

from collections.abc import Iterator

import click

from hive_views.cli import _Deferred, cli


def loaded(command: click.Command) -> click.Command:
    return command.load() if isinstance(command, _Deferred) else command


def all_commands(
    group: click.Group = cli, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Each command with the words that call it, as ``("partitions", "add")``."""
    for name, command in group.commands.items():
        real = loaded(command)
        yield (*path, name), real
        if isinstance(real, click.Group):
            yield from all_commands(real, (*path, name))
