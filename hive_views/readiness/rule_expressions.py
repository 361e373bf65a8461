"""Rules and their values as Python expressions: writing them, and where one ends in a longer text."""

from __future__ import annotations

import ast
import json
import keyword
import operator
import re
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MethodType
from typing import Any

from hive_views.errors import InvalidInputError

MAX_TEXT = 1_000_000
"""Characters of the longest rule that is read."""

MAX_BITS = 10_000
"""Of whole numbers, which have fewer: Python writes none of more than 4,300 digits."""

_MOST_DIGITS = 4_300
"""Of a whole number that Python reads, by default."""

MAX_PATH = 1_000
"""Tokens that may precede one, not counting what is closed or before a comma: a bound for the nesting of the parts."""

_MAX_SHOWN = 300

_QUOTED = (
    r'"""(?:[^"\\]|\\.|"(?!""))*"""'
    r"|'''(?:[^'\\]|\\.|'(?!''))*'''"
    r'|"(?!"")(?:[^"\\\n]|\\.)*"'
    r"|'(?!'')(?:[^'\\\n]|\\.)*'"
)
_IN_PYTHON, _IN_SQL = (
    re.compile(
        rf"(?P<string>(?:\b[A-Za-z]{{1,2}})?(?:{_QUOTED}))|(?P<comment>(?:{comment})[^\n]*)"
        r"|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<word>\w+)|(?P<other>\S)",
        re.DOTALL,
    )
    for comment in ("#", "#|--")
)
_TAKE_A_TABLE = frozenset(
    (
        *("requires", "has_at_least", "quiet_for", "marked_done", "committed_with", "watermark_passed"),
        "values_of",
    )
)
"""The functions of rules whose first argument is a table."""

_CLOSING = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True)
class Flaw:
    """Why a text cannot be an expression, and where."""

    offset: int
    problem: str


def value_text(value: object) -> str:
    """A value as the Python expression that makes it; whole numbers in a row are a ``range``."""
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, datetime):
        return repr(value.replace(fold=0)).removeprefix("datetime.")
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{value_text(key)}: {value_text(one)}' for key, one in value.items())}}}"
    if isinstance(value, (list, tuple)):
        return _range_text(value) or f"[{', '.join(map(value_text, value))}]"
    return repr(value).removeprefix("datetime.")


def shown(value: object) -> str:
    """A rejected value, for an error: shortened, and named by its type if Python cannot write it (a number of more than
    4,300 digits).
    """
    try:
        text = repr(value)
    except (ValueError, RecursionError):
        return f"<{type(value).__name__}>"
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}..."


def call_text(name: str, /, *positional: object, **keywords: object) -> str:
    """The call of a function with these arguments; keywords that are None are left out."""
    given = [value_text(one) for one in positional]
    given += [f"{key}={value_text(one)}" for key, one in keywords.items() if one is not None]
    return f"{name}({', '.join(given)})"


def description_text(
    name: str, table: str, conditions: Mapping[str, object], options: Collection[str], /, **given: object
) -> str:
    """The call of a function whose keywords are conditions on columns, and ``options`` of its own; those given that are
    None are left out.
    """
    if all(_can_be_keyword(column) and column not in options for column in conditions):
        return call_text(name, table, **conditions, **given)
    return call_text(name, table, conditions, **given)


def function_name(function: Callable[..., Any]) -> str | None:
    """``package.module:function``; None if others cannot import it by a name.

    The name must lead to this very function among the modules that are already imported: a method of an object and a
    function that a decorator has wrapped bear the names of others.
    """
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str) or module == "__main__":
        return None
    try:
        named = operator.attrgetter(name)(sys.modules[module])
    except (KeyError, AttributeError):
        return None
    # A method of a class is another object each time that it is looked up.
    is_named = named is function or (isinstance(named, MethodType) and named == function)
    return f"{module}:{name}" if is_named else None


def end_of_expression(text: str, start: int) -> int:
    """Where an expression inside SQL ends: at a ``;`` in no string, bracket or comment, or at the end of the text."""
    depth = 0
    for token in _IN_SQL.finditer(text, start):
        depth += (token.lastgroup == "open") - (token.lastgroup == "close")
        if token[0] == ";" and depth <= 0:
            return token.start()
    return len(text)


def without_comments(text: str) -> str:
    """An expression inside SQL with its comments replaced by blanks: from ``--`` or ``#`` to the line's end."""
    return _IN_SQL.sub(lambda token: " " * len(token[0]) if token.lastgroup == "comment" else token[0], text)


def flaw_of(text: str) -> Flaw | None:
    """Why a text must not reach the parser of Python: brackets or strings that are not closed, or parts nested too
    deeply.
    """
    if len(text) > MAX_TEXT:
        return Flaw(0, f"it has {len(text):,} characters, and at most {MAX_TEXT:,} are read.")
    if all(token.lastgroup == "comment" for token in _IN_PYTHON.finditer(text)):
        return Flaw(0, "there is no rule.")
    unreadable = re.search("[\0\ud800-\udfff]", text)
    if unreadable:
        return Flaw(unreadable.start(), f"{unreadable[0]!a} cannot occur in a rule; write it as an escape sequence.")
    opened: list[tuple[str, int]] = []
    paths, path = [0], 0
    for token in _IN_PYTHON.finditer(text):
        found, at = token[0], token.start()
        paths[-1] += 1
        path += 1
        if path > MAX_PATH:
            return Flaw(at, "it is nested too deeply, or goes on for too long; write several rules.")
        if token.lastgroup == "open":
            opened.append((found, at))
            paths.append(0)
        elif token.lastgroup == "close":
            if not opened or _CLOSING[opened.pop()[0]] != found:
                return Flaw(at, f"there is no opening bracket for {found!r}.")
            path -= paths.pop()
        elif found == ",":
            path -= paths[-1]
            paths[-1] = 0
        elif found in ("'", '"'):
            return Flaw(at, "this string is not closed.")
        # Python's parser says of the inside of these what is wrong, but not where in the text.
        elif token.lastgroup == "string" and (problem := _problem_of_string(found)):
            return Flaw(at, problem)
        elif token.lastgroup == "word" and found.isdecimal() and len(found) > _MOST_DIGITS:
            return Flaw(at, "this number has too many digits.")
    return Flaw(opened[-1][1], f"{opened[-1][0]!r} is never closed.") if opened else None


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


def _problem_of_string(token: str) -> str | None:
    if "f" in token.partition(token[-1])[0].lower():
        return "an f-string cannot be part of a rule; write a plain string."
    if "\\" not in token:
        return None
    try:
        ast.parse(token, mode="eval")
    except (SyntaxError, ValueError) as error:
        return f"this text cannot be read: {getattr(error, 'msg', error)}."
    return None


def _range_text(values: Sequence[object]) -> str | None:
    if len(values) < 3 or not all(type(one) is int for one in values):
        return None
    first, last = values[0], values[-1]
    if list(values) != list(range(first, first + len(values))):  # type: ignore[call-overload, operator]
        return None
    return f"range({last + 1})" if first == 0 else f"range({first}, {last + 1})"  # type: ignore[operator]


def _quoted(text: str) -> str:
    # Double quotes, as a shell takes the text in single ones.
    return repr(text) if "'" in text or '"' in text else f'"{repr(text)[1:-1]}"'


def _can_be_keyword(name: str) -> bool:
    # Python brings other characters of names into one form.
    return name.isascii() and name.isidentifier() and not keyword.iskeyword(name) and not name.startswith("__")


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
