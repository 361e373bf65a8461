"""The layout of ``--help``, and deprecated options."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import click

# Looks like a hyphen, but lines are not broken at it.
_UNBROKEN = "\N{NON-BREAKING HYPHEN}"


class _Formatter(click.HelpFormatter):
    def write_text(self, text: str) -> None:
        super().write_text(text.replace("-", _UNBROKEN))

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        unbroken = [(first, second.replace("-", _UNBROKEN)) for first, second in rows]
        super().write_dl(unbroken, col_max, col_spacing)

    def write(self, string: str) -> None:
        super().write(string.replace(_UNBROKEN, "-"))


class _Context(click.Context):
    formatter_class = _Formatter


def warn(ctx: click.Context, message: str) -> None:
    """Warn on stderr, unless the shell only asks for completions: it would show that on the line being typed."""
    if not ctx.resilient_parsing:
        click.echo(f"Warning: {message}", err=True)


class Option(click.Option):
    """An option with its heading in ``--help``; for commands with many options."""

    def __init__(self, *arguments: Any, heading: str, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.heading = heading


class Command(click.Command):
    """A command.

    Args:
        former: its options by their former names, which are accepted for one release with a warning on stderr, and
            are not in the help.
    """

    context_class = _Context

    def __init__(self, *arguments: Any, former: Mapping[str, str] | None = None, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self._former = former or {}

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        options = args.index("--") if "--" in args else len(args)
        current = [self._by_current_name(ctx, argument) for argument in args[:options]]
        return super().parse_args(ctx, [*current, *args[options:]])

    def _by_current_name(self, ctx: click.Context, argument: str) -> str:
        name, separator, value = argument.partition("=")
        if name not in self._former:
            return argument
        warn(ctx, f"{name} of {self.name} is deprecated. Use {self._former[name]}.")
        return f"{self._former[name]}{separator}{value}"

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options by heading, in order of first appearance; those without a heading come last."""
        rows: dict[str, list[tuple[str, str]]] = {}
        others: list[tuple[str, str]] = []
        for parameter in self.get_params(ctx):
            row = parameter.get_help_record(ctx)
            if row and isinstance(parameter, click.Option):
                (rows.setdefault(parameter.heading, []) if isinstance(parameter, Option) else others).append(row)
        for heading, records in [*rows.items(), ("Other options" if rows else "Options", others)]:
            with formatter.section(heading):
                formatter.write_dl(records)


class Group(click.Group):
    """A command that has subcommands."""

    context_class = _Context
