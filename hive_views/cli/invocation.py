"""What was typed before and around a command.

What lives here: the options common to all commands and their values. What must not: anything that takes time to import.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import click

from hive_views.errors import GIVE_THE_COLUMNS, HiveViewsError, SQLSyntaxError
from hive_views.sql.syntax_errors import excerpt

_Function = TypeVar("_Function", bound=Callable[..., Any])

_GIVE_THE_COLUMNS = "Give the columns with --column or --schema, or let Spark find them with --schema-from-spark."


@dataclass
class Invocation:
    """One call of the command.

    ``texts`` are the SQL texts it was given, with their files, by dialect; ``script`` is the file and text of
    statements.
    """

    catalog: str | None = None
    config: Path | None = None
    arguments: dict[str, str | None] = field(default_factory=dict)
    output: str = "text"
    verbose: bool = False
    texts: dict[str, tuple[str, str]] = field(default_factory=dict)
    script: tuple[str, str] | None = None
    # Where stderr is when the command is called, which is not where it was when this file was imported.
    log: logging.Handler = field(default_factory=logging.StreamHandler)

    def message_of(self, error: HiveViewsError) -> str:
        """The message of an error in the words of the command."""
        return str(error).replace(GIVE_THE_COLUMNS, _GIVE_THE_COLUMNS)

    def details_of(self, error: HiveViewsError) -> str:
        """What people want to see below the message of an error: the place in the text, or what was done before it."""
        done = [("added", error.added), ("dropped", error.dropped)]
        before = [f"Before that, {', '.join(names)} had been {verb}.\n" for verb, names in done if names]
        return self._pointer_to(error) + "".join(before)

    def _pointer_to(self, error: HiveViewsError) -> str:
        """The line of the text that an error is about, with a caret under the place; "" if that is not known."""
        if not isinstance(error, SQLSyntaxError) or error.line is None:
            return ""
        source = self.script or self.texts.get(error.dialect or "")
        if source is None:
            return ""
        file, text = source
        if error.line > text.count("\n") + 1:
            return ""
        return f"{file}:{error.line}:{error.column or 1}\n{excerpt(text, error)}\n"


def output_option(function: _Function) -> _Function:
    """``--output``, which may stand before or behind the command."""

    def remember(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
        if value is not None:
            ctx.ensure_object(Invocation).output = value

    return click.option(
        "--output",
        type=click.Choice(["text", "json"]),
        callback=remember,
        expose_value=False,
        help="For people (text, the default), or one JSON document.",
    )(function)


def command(name: str) -> Callable[[Callable[..., None]], click.Command]:
    """A command with the options that every command has."""

    def decorate(function: Callable[..., None]) -> click.Command:
        return click.command(name)(output_option(click.pass_obj(function)))

    return decorate


def dry_run_option(function: _Function) -> _Function:
    return click.option("--dry-run", is_flag=True, help="Only show what would be done; write nothing.")(function)
