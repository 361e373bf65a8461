"""What is wrong in a file of a project, with its place."""

from __future__ import annotations

from dataclasses import dataclass

from hive_views.messages.excerpt import excerpt_at, place_of


@dataclass(frozen=True)
class FileError:
    """What is wrong in a file.

    Attributes:
        file: its path in the project, with ``/``.
        line: from 1; None if it is about the file as a whole.
        column: from 1; None where line is.
        message: what is wrong, and the way out.
        excerpt: the line with a caret below; None where line is.
    """

    file: str
    line: int | None
    column: int | None
    message: str
    excerpt: str | None = None

    @classmethod
    def at(cls, file: str, text: str, offset: int, message: str) -> FileError:
        """The error at an offset of the text of a file, as its author sees it."""
        line, column = place_of(text, offset)
        return cls(file, line, column, message, excerpt_at(text, line, column))

    @classmethod
    def of_whole(cls, file: str, message: str) -> FileError:
        """An error about a file as a whole."""
        return cls(file, None, None, message)

    def __str__(self) -> str:
        place = f":{self.line}:{self.column}" if self.line else ""
        return f"{self.file}{place}: {self.message}" + (f"\n{self.excerpt}" if self.excerpt else "")
