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

    @property
    def place(self) -> str:
        """Where it is, as ``sales/daily.sql:3:8``."""
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file

    @property
    def position(self) -> tuple[str, int, int]:
        """By which errors are sorted."""
        return self.file, self.line or 0, self.column or 0

    def document(self) -> dict[str, str | int | None]:
        """The error as JSON holds it."""
        return {"file": self.file, "line": self.line, "column": self.column, "message": self.message}

    def __str__(self) -> str:
        return f"{self.place}: {self.message}" + (f"\n{self.excerpt}" if self.excerpt else "")
