"""The error for a statement that cannot be read, and the line of text that shows where.

What lives here: its wording. What must not: deciding what is wrong.
"""

from __future__ import annotations

from hive_views.errors import SQLSyntaxError
from hive_views.messages.excerpt import excerpt_at
from hive_views.sql._parser import syntax_error

_SHOWN = 40


def refusal(sql: str, offset: int, problem: str, *, found: str, expected: str | None = None) -> SQLSyntaxError:
    """The error for a problem at an offset of a text of statements."""
    return syntax_error(sql, "hive", problem, offset, found=found, expected=expected, task="read this statement")


def shown(text: str) -> str:
    """A piece of the text as messages show it."""
    short = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
    return short if text[:1] in ("'", '"', "`") else f"'{short}'"


def excerpt(sql: str, error: SQLSyntaxError) -> str:
    """The line with the error and, below it, a caret; empty if the error has no place in the text."""
    return excerpt_at(sql, error.line, error.column or 1) if error.line else ""
