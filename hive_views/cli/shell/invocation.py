"""The global options of a call, and the options that all commands have."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import click

from hive_views.cli.shell.help import Command

_Function = TypeVar("_Function", bound=Callable[..., Any])


@dataclass
class Invocation:
    """One call of the command.

    ``texts`` are the files and SQL of ``--sql``, by dialect; ``script`` is the file and text of SQL statements.
    """

    catalog: str | None = None
    config: Path | None = None
    arguments: dict[str, str | None] = field(default_factory=dict)
    output: str = "text"
    verbose: bool = False
    texts: dict[str, tuple[str, str]] = field(default_factory=dict)
    script: tuple[str, str] | None = None
    # stderr at the time of the call, which may differ from that at import.
    log: logging.Handler = field(default_factory=logging.StreamHandler)


def output_option(function: _Function) -> _Function:
    """``--output``, which may stand before or after the command."""

    def remember(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
        if value is not None:
            ctx.ensure_object(Invocation).output = value

    return click.option(
        "--output",
        type=click.Choice(["text", "json"]),
        callback=remember,
        expose_value=False,
        help="Output format: text (the default), or one JSON document.",
    )(function)


def command(name: str, *, former: Mapping[str, str] | None = None) -> Callable[[Callable[..., None]], click.Command]:
    """A command with the options that all commands have; ``former`` maps deprecated options to current ones."""

    def decorate(function: Callable[..., None]) -> click.Command:
        return click.command(name, cls=Command, former=former)(output_option(click.pass_obj(function)))

    return decorate


dry_run_option = click.option("--dry-run", is_flag=True, help="Show what would be done, without writing anything.")
