"""The global options of a call, and the options that all commands have."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
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


def output_option(function: _Function, others: Sequence[str] = ()) -> _Function:
    """``--output``, which may stand before or after the command; ``others`` are formats that one command has."""

    def remember(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
        if value is not None:
            ctx.ensure_object(Invocation).output = value

    return click.option(
        "--output",
        type=click.Choice(["text", "json", *others]),
        callback=remember,
        expose_value=False,
        help=f"Output format: text (the default), {'one JSON document, ' if others else 'or one JSON document'}"
        f"{' or '.join(others)}.",
    )(function)


def command(
    name: str, *, former: Mapping[str, str] | None = None, formats: Sequence[str] = ()
) -> Callable[[Callable[..., None]], click.Command]:
    """A command with the options that all commands have.

    Args:
        name: the word by which it is called.
        former: deprecated options by the current ones.
        formats: values of ``--output`` that only this command has.
    """

    def decorate(function: Callable[..., None]) -> click.Command:
        return click.command(name, cls=Command, former=former)(output_option(click.pass_obj(function), formats))

    return decorate


dry_run_option = click.option("--dry-run", is_flag=True, help="Show what would be done, without writing anything.")
