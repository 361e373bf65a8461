"""How ``--help`` is laid out.

What lives here: commands and groups whose help breaks lines at blanks only, so that names and paths stay whole. What
must not: what any help says.
"""

from __future__ import annotations

from collections.abc import Iterable

import click

# Looks like a hyphen and is none to the code that breaks lines.
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


class Command(click.Command):
    """A command."""

    context_class = _Context


class Group(click.Group):
    """A command that has commands."""

    context_class = _Context
