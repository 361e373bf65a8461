"""Other names for the tables of a rule, replaced where they stand in its text."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterator

from hive_views.errors import InvalidInputError

_TAKE_A_TABLE = frozenset(
    (
        *("requires", "has_at_least", "quiet_for", "marked_done", "committed_with", "watermark_passed"),
        "values_of",
    )
)
"""The functions of rules whose first argument is a table."""


def with_renamed_tables(rule: str, rename: Callable[[str], str]) -> str:
    """The text of a rule with other names of tables, and nothing else changed. InvalidInputError: the text is no
    expression.
    """
    # In brackets, as it is read, and in bytes, which Python counts.
    lines = f"({rule}\n)".encode().split(b"\n")
    starts = [sum(len(line) + 1 for line in lines[:number]) for number in range(len(lines))]
    text = b"\n".join(lines)
    for name in sorted(_tables_in(text), key=lambda one: (one.lineno, one.col_offset), reverse=True):
        new = rename(str(name.value))
        if new != name.value:
            start = starts[name.lineno - 1] + name.col_offset
            end = starts[(name.end_lineno or name.lineno) - 1] + (name.end_col_offset or 0)
            text = text[:start] + json.dumps(new).encode() + text[end:]
    return text[1:-2].decode()


def _tables_in(text: bytes) -> Iterator[ast.Constant]:
    try:
        nodes = list(ast.walk(ast.parse(text, mode="eval")))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise InvalidInputError(
            f"Cannot read the rule {text[1:-2].decode(errors='replace')[:80]!r}: {error}."
        ) from error
    for node in nodes:
        match node:
            case ast.Call(func=ast.Name(id=function), args=[ast.Constant(value=str()) as table, *_]):
                if function in _TAKE_A_TABLE:
                    yield table
