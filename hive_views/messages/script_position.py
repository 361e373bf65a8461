"""Where a script of statements failed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ScriptPosition:
    """Where a script of statements failed.

    Attributes:
        statement: its number, from 1.
        line: the line in which it begins, from 1.
        text: the statement.
        done: the results (``StatementResult``) of the statements before it.
    """

    statement: int
    line: int
    text: str
    done: Sequence[Any] = ()
