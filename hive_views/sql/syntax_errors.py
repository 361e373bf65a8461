"""The error for a text that cannot be read, and the line of the text that shows where."""

from __future__ import annotations

from dataclasses import dataclass

from hive_views.errors import NoSuchTableError, SQLSyntaxError
from hive_views.messages.excerpt import excerpt_at
from hive_views.messages.remedy import Remedy

_SHOWN = 40


def syntax_error(
    sql: str,
    dialect: str,
    problem: str,
    offset: int | None = None,
    *,
    expected: str | None = None,
    found: str | None = None,
    task: str | None = None,
    remedy: Remedy | None = None,
) -> SQLSyntaxError:
    """The error for a problem at an offset; its message starts with line and column, both from 1."""
    line = column = None
    where = ""
    if offset is not None:
        line = sql.count("\n", 0, offset) + 1
        column = offset - sql.rfind("\n", 0, offset)
        where = f" at line {line}, column {column}"
    return SQLSyntaxError(
        f"Cannot {task or f'use this {dialect} SQL'}{where}: {problem}",
        line=line,
        column=column,
        found=found,
        expected=expected,
        dialect=dialect,
        problem=problem,
        offset=offset,
        remedy=remedy,
    )


@dataclass(frozen=True)
class SourceText:
    """A text in a dialect, which makes the errors about itself."""

    text: str
    dialect: str

    def error(
        self,
        problem: str,
        offset: int | None = None,
        *,
        expected: str | None = None,
        found: str | None = None,
        remedy: Remedy | None = None,
    ) -> SQLSyntaxError:
        """The error for a problem, at an offset if that is known."""
        return syntax_error(self.text, self.dialect, problem, offset, expected=expected, found=found, remedy=remedy)


def within(error: SQLSyntaxError, whole: str, start: int) -> SQLSyntaxError:
    """The error of a text that is part of another, which it starts at ``start``, with its place in the whole."""
    return syntax_error(
        whole,
        error.dialect or "hive",
        error.problem,
        start + (error.offset or 0),
        expected=error.expected,
        found=error.found,
        remedy=error.remedy,
    )


def statement_error(sql: str, offset: int, problem: str, *, found: str, expected: str | None = None) -> SQLSyntaxError:
    """The error for a problem at an offset of a statement or script."""
    return syntax_error(sql, "hive", problem, offset, found=found, expected=expected, task="read this statement")


def shown(text: str) -> str:
    """A part of the text as messages show it."""
    short = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
    return short if text[:1] in ("'", '"', "`") else f"'{short}'"


def excerpt(sql: str, error: SQLSyntaxError | NoSuchTableError) -> str:
    """The line with the error and, below it, a caret; empty if the error has no place in the text."""
    return excerpt_at(sql, error.line, error.column or 1) if error.line else ""
