"""The remedy of an error, in terms of Python and of the shell."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

_VIEWS = "{views}"


@dataclass(frozen=True)
class Remedy:
    """What the caller can do, if Python and the command have different terms for it.

    Attributes:
        in_python: one or two sentences in terms of Python; what ``str`` returns.
        in_shell: the same in terms of the command.
        view: the view that the command is for, if it takes several.
        for_views: ``in_shell`` with ``{views}`` where their names are; two remedies with the same one are one command.
    """

    in_python: str
    in_shell: str
    view: str | None = None
    for_views: str | None = None

    @classmethod
    def alike(cls, text: str) -> Remedy:
        """One that is told alike in both."""
        return cls(in_python=text, in_shell=text)

    @classmethod
    def of_view(cls, view: str, *, in_python: str, in_shell: str, for_views: str | None = None) -> Remedy:
        """One whose command takes several views.

        Args:
            view: its name.
            in_python: in terms of Python.
            in_shell: in terms of the command, with ``{views}`` where the name is.
            for_views: the same for several views, if it differs.
        """
        return cls(in_python, in_shell.replace(_VIEWS, view), view, for_views or in_shell)

    def together(self, views: Iterable[str]) -> str:
        """In terms of the command, for several views at once; for a remedy that takes no views, what it says anyway."""
        return self.in_shell if self.for_views is None else self.for_views.replace(_VIEWS, " ".join(views))

    def __str__(self) -> str:
        return self.in_python
