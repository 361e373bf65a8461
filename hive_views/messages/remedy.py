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
        view: the view that it is about, if several views can have the same remedy.
        in_shell_for_views: ``in_shell`` for several views, with ``{views}`` where the command takes their names.
    """

    in_python: str
    in_shell: str
    view: str | None = None
    in_shell_for_views: str | None = None

    @classmethod
    def alike(cls, text: str) -> Remedy:
        """One that is told alike in both."""
        return cls(in_python=text, in_shell=text)

    @classmethod
    def of_view(cls, view: str, *, in_python: str, in_shell: str, for_views: str | None = None) -> Remedy:
        """One that several views can have.

        Args:
            view: its name.
            in_python: in terms of Python.
            in_shell: in terms of the command, with ``{views}`` where the command takes the names of views.
            for_views: the same for several views, if it differs.
        """
        return cls(in_python, with_views(in_shell, [view]), view, for_views or in_shell)

    @classmethod
    def of_all(cls, remedies: Iterable[Remedy]) -> Remedy:
        """Several as one, a line each."""
        each = tuple(remedies)
        return cls("\n".join(one.in_python for one in each), "\n".join(one.in_shell for one in each))

    def shared_by(self, view: str) -> str:
        """``in_shell`` without what differs from view to view, which ``with_views`` puts in again.

        Args:
            view: the view that is shown with it. Where the remedy is about another one, it has to name that.
        """
        shared = self.in_shell_for_views
        return shared if shared and (_VIEWS in shared or self.view == view) else self.in_shell

    def __str__(self) -> str:
        return self.in_python


def with_views(shared: str, views: Iterable[str]) -> str:
    """A remedy of ``shared_by`` for these views."""
    return shared.replace(_VIEWS, " ".join(views))
