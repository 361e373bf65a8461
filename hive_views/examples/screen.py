"""What the demonstration looks like on a terminal, and in a pipe."""

from __future__ import annotations

import ast
import sys
import textwrap
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.padding import Padding
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from hive_views.messages.legible import legible

_INDENT = 4


def _block_at(file: str, line: int) -> str:
    """The body of the statement ``with`` that begins in a line of a file."""
    source = Path(file).read_text("utf-8")
    (block,) = (one for one in ast.walk(ast.parse(source)) if isinstance(one, ast.With) and one.lineno == line)
    lines = source.splitlines()[block.lineno : block.end_lineno]
    return textwrap.dedent("\n".join(lines))


class Screen:
    """Tells a story in numbered steps on a console."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._steps = 0
        self._at_gap = True

    def step(self, title: str) -> None:
        self._steps += 1
        heading = f"{self._steps}. {title}"
        self._gap()
        self._line(Text(heading, "bold cyan"))
        self._line(Text("-" * len(heading), "cyan"))

    def say(self, text: str) -> None:
        """A paragraph."""
        self._line(Text(legible(text)))

    def good(self, text: str) -> None:
        """What has turned out as it should."""
        self._line(Text(f"ok  {legible(text)}", "green"))

    def code(self, text: str, language: str) -> None:
        """Something a reader would type, or that a program has printed; never wrapped."""
        self._gap()
        highlighted = Syntax("", language, theme="ansi_dark", background_color="default").highlight(
            legible(text.strip("\n"))
        )
        for line in highlighted.split("\n"):
            self._console.print(Text(" " * _INDENT) + line if line else line, soft_wrap=True)
        self._at_gap = False
        self._gap()

    @contextmanager
    def shown_code(self) -> Iterator[None]:
        """Around what is shown as a reader would type it, and then runs: the block itself, as it stands in its file."""
        # Above this frame are those of the generator's and contextlib's.
        caller = sys._getframe(2)  # noqa: SLF001 - how a program reads its own lines
        self.code(_block_at(caller.f_code.co_filename, caller.f_lineno), "python")
        yield

    def table(self, headings: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        table = Table(box=None, pad_edge=False, header_style="bold")
        for heading in headings:
            table.add_column(heading, overflow="fold")
        for row in rows:
            # Text, because a string's [brackets] would be taken for markup.
            table.add_row(*(Text("" if value is None else legible(str(value))) for value in row))
        self._gap()
        self._console.print(Padding(table, (0, 0, 0, _INDENT), expand=False))
        self._at_gap = False
        self._gap()

    @contextmanager
    def working(self, what: str) -> Iterator[None]:
        """Around what takes long: a sign on a terminal, a line elsewhere, and in the end how long it took."""
        began = time.monotonic()
        if self._console.is_terminal:
            with self._console.status(f"{what} ..."):
                yield
        else:
            self._line(Text(f"{what} ..."))
            yield
        self._line(Text(f"{what}: {time.monotonic() - began:.1f} s", "dim"))

    def _line(self, text: Text) -> None:
        self._console.print(text)
        self._at_gap = False

    def _gap(self) -> None:
        """An empty line, if there is none yet."""
        if not self._at_gap:
            self._console.print()
        self._at_gap = True
