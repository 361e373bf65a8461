"""How the types of arguments are written in the tables of functions.

A signature has a word for each argument, of the letters of the types that it may have:

s  string, varchar          d  date               a  array
w  tinyint, smallint, int   t  timestamp          m  map
l  bigint                   b  boolean            r  struct
n  decimal                  y  binary             0  NULL as it is written
f  float, double            *  any of these
#  a number that is written there, of any sign    @  a date that is written there

``?`` behind a word: the argument may be missing; ``+``: there may be more of it. Signatures are separated by commas.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

_LETTERS = {
    "string": "s",
    "varchar": "s",
    "tinyint": "w",
    "smallint": "w",
    "int": "w",
    "bigint": "l",
    "decimal": "n",
    "float": "f",
    "double": "f",
    "date": "d",
    "timestamp": "t",
    "boolean": "b",
    "binary": "y",
    "array": "a",
    "map": "m",
    "struct": "r",
    "void": "0",
}
_ANYTHING = "".join(sorted(set(_LETTERS.values())))


def letter(kind: str) -> str:
    """The letter of a type; empty for one that has none."""
    return _LETTERS.get(kind, "")


@lru_cache(maxsize=1024)
def _words(signature: str) -> tuple[tuple[str, str], ...]:
    """The letters of each argument, and what follows them."""
    found = []
    for word in signature.split():
        mark = word[-1] if word[-1] in "?+" else ""
        letters = word.removesuffix(mark) if mark else word
        found.append((letters.replace("*", _ANYTHING), mark))
    return tuple(found)


def matches(signatures: str, letters: Sequence[str], written: Sequence[str]) -> bool:
    """Whether arguments of these types are those of one of the signatures; ``written``: ``#``, ``@``, or nothing."""
    return any(_is(_words(one), letters, written) for one in signatures.split(","))


def _is(words: Sequence[tuple[str, str]], letters: Sequence[str], written: Sequence[str]) -> bool:
    if words and words[-1][1] == "+":
        words = [*words, *[words[-1]] * (len(letters) - len(words))]
    if len(letters) > len(words) or any(not mark for _, mark in words[len(letters) :]):
        return False
    return all(
        (found != "" and found in allowed) or (mark != "" and mark in allowed)
        for found, mark, (allowed, _) in zip(letters, written, words, strict=False)
    )
