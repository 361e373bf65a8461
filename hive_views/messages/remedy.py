"""The way out of an error, for people who write Python and for people in a shell."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Remedy:
    """What the caller can do, where Python and the command have different words for it.

    Attributes:
        in_python: one or two sentences in the words of Python, which ``str`` gives.
        in_shell: the same in the words of the command.
    """

    in_python: str
    in_shell: str

    def __str__(self) -> str:
        return self.in_python
