"""What engines say of the texts of a project, as values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

from hive_views.messages.counted import counted
from hive_views.project.directory.project_files import FileError
from hive_views.spec.identifiers import TableIdentifier

VALIDATION_FORMAT = 1
"""Of the JSON document of a validation, which names it: ``format-version``."""


class Verdict(Enum):
    """What came of one text."""

    VALID = "valid"
    INVALID = "invalid"
    NOT_VALIDATED = "not validated"


@dataclass(frozen=True)
class ValidatedText:
    """What an engine says of one text of a view.

    Attributes:
        view: its name.
        dialect: of the text.
        verdict: whether the engine accepts it.
        file: its path in the project, with ``/``.
        message: what the engine says of an invalid one, or why one was not validated; None for a valid one.
        line: in the file, from 1, where the engine says; else None.
        column: likewise.
        excerpt: the line with a caret below.
        differences: how the columns that the engine finds differ from those that the view gets, a sentence each.
    """

    view: TableIdentifier
    dialect: str
    verdict: Verdict
    file: str
    message: str | None = None
    line: int | None = None
    column: int | None = None
    excerpt: str | None = None
    differences: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """``file``, or ``file:line:column``."""
        return self.file if self.line is None else f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True)
class Validation:
    """What an engine says of the texts of a project.

    Attributes:
        engine: as people call it.
        texts: in the order in which views come after those that they read.
        errors: files that cannot be read, and views of which no plan can be made.
    """

    engine: str
    texts: tuple[ValidatedText, ...]
    errors: tuple[FileError, ...] = ()

    @property
    def invalid(self) -> tuple[ValidatedText, ...]:
        """The texts that the engine refuses."""
        return tuple(one for one in self.texts if one.verdict is Verdict.INVALID)

    def summary(self) -> str:
        """One line."""
        found = Counter(one.verdict for one in self.texts)
        parts = [f"{counted(found[Verdict.VALID], 'text')} valid", f"{found[Verdict.INVALID]:,} invalid"]
        if found[Verdict.NOT_VALIDATED]:
            parts.append(f"{found[Verdict.NOT_VALIDATED]:,} not validated")
        return f"{self.engine}: {', '.join(parts)}."

    def document(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "format-version": VALIDATION_FORMAT,
            "engine": self.engine,
            "texts": [
                {
                    "view": str(one.view),
                    "dialect": one.dialect,
                    "verdict": one.verdict.value,
                    "file": one.file,
                    "line": one.line,
                    "column": one.column,
                    "message": one.message,
                    "differences": list(one.differences),
                }
                for one in self.texts
            ],
            "errors": [one.document() for one in self.errors],
        }

    def lines(self) -> Iterator[str]:
        """As text: what is invalid, what differs, what was not validated, and the summary."""
        for error in self.errors:
            yield from str(error).splitlines()
        for one in self.invalid:
            yield f"{one.place}: {one.view}, {one.dialect}: {one.message}"
            yield from (f"    {line}" for line in (one.excerpt or "").splitlines())
        for one in self.texts:
            yield from (f"{one.file}: {one.view}, {one.dialect}: {difference}" for difference in one.differences)
        for one in self.texts:
            if one.verdict is Verdict.NOT_VALIDATED:
                yield f"{one.file}: {one.view}, {one.dialect}: not validated: {one.message}"
        yield self.summary()
