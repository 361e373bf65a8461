"""The remedy of an error, in terms of Python and of the shell."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Remedy:
    """What the caller can do, if Python and the command have different terms for it.

    Attributes:
        in_python: one or two sentences in terms of Python; what ``str`` returns.
        in_shell: the same in terms of the command.
    """

    in_python: str
    in_shell: str

    @classmethod
    def alike(cls, text: str) -> Remedy:
        """One that is told alike in both."""
        return cls(in_python=text, in_shell=text)

    def __str__(self) -> str:
        return self.in_python
