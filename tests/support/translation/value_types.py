"""The types of answers: the texts of Hive, Spark and Trino read into one form."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_NAMES = {
    "integer": "int",
    "real": "float",
    "varbinary": "binary",
    "unknown": "void",
    "long": "bigint",
    "short": "smallint",
    "byte": "tinyint",
    "row": "struct",
    "interval year to month": "interval_year_month",
    "interval day to second": "interval_day_time",
    "timestamp with local time zone": "timestamp with time zone",
    "timestamp_ltz": "timestamp with time zone",
}
_TOKEN = re.compile(r'\s*("(?:[^"]|"")*"|`(?:[^`]|``)*`|[^\s<>(),:"`]+|[<>(),:])')
_WORDS = ("with", "local", "time", "zone", "precision", "year", "day", "to", "month", "second", "without")


@dataclass(frozen=True)
class Type:
    """A type, in Hive's words where it has them.

    Attributes:
        name: ``int``, ``string``, ``varchar``, ``timestamp``, ``array``, ``map``, ``struct`` ...
        parameters: precision and scale, or a length; of ``varchar`` without one, none.
        parts: of an array, a map (key and value) or a struct.
        fields: the names of a struct's fields; of one without, ''.
    """

    name: str
    parameters: tuple[int, ...] = ()
    parts: tuple[Type, ...] = ()
    fields: tuple[str, ...] = ()


@lru_cache(maxsize=10_000)
def read_type(text: str) -> Type:
    """The type that an engine writes so.

    Raises:
        ValueError: it is no type.
    """
    tokens = _TOKEN.findall(text)
    found, rest = _type(tokens, 0)
    if rest != len(tokens):
        raise ValueError(f"no type: {text!r}")
    return found


def _type(tokens: list[str], at: int) -> tuple[Type, int]:
    words, parameters = [tokens[at].lower()], []
    at += 1
    nested = words[0] in ("array", "map", "row", "struct", "uniontype")
    if nested and at < len(tokens) and tokens[at] in "(<":
        return _nested(words[0], tokens, at + 1)
    while at < len(tokens):
        if tokens[at] == "(":
            end = tokens.index(")", at)
            parameters = [int(one) for one in tokens[at + 1 : end] if one != ","]
            at = end + 1
        elif tokens[at].lower() in _WORDS:
            words.append(tokens[at].lower())
            at += 1
        else:
            break
    name = " ".join(words).removesuffix(" precision").removesuffix(" without time zone")
    name = _NAMES.get(name, name)
    if name == "varchar" and not parameters:
        name = "string"
    return Type(name, tuple(parameters)), at


def _nested(name: str, tokens: list[str], at: int) -> tuple[Type, int]:
    parts, fields = [], []
    while tokens[at] not in (">", ")"):
        if tokens[at] == ",":
            at += 1
        field = ""
        if name == "struct":
            colon = tokens.index(":", at)
            field, at = " ".join(tokens[at:colon]), colon + 1
        elif name == "row" and (tokens[at].startswith('"') or tokens[at + 1].lower() not in (",", "(", ")", *_WORDS)):
            field, at = tokens[at], at + 1
        part, at = _type(tokens, at)
        parts.append(part)
        fields.append(field.strip('"`').lower())
    name = _NAMES.get(name, name)
    return Type(name, (), tuple(parts), tuple(fields) if name == "struct" else ()), at + 1


def same_types(one: Type, other: Type) -> bool:
    """Whether two engines mean the same by them.

    A text without a bound is one with any; the precision of timestamps, and the names of a struct's fields where one
    engine has none, are not compared.
    """
    if {one.name, other.name} <= {"string", "varchar"}:
        return not (one.parameters and other.parameters) or one.parameters == other.parameters
    if one.name != other.name or len(one.parts) != len(other.parts):
        return False
    if not one.name.startswith("timestamp") and one.parameters != other.parameters:
        return False
    if not all(not mine or not theirs or mine == theirs for mine, theirs in zip(one.fields, other.fields, strict=True)):
        return False
    return all(same_types(mine, theirs) for mine, theirs in zip(one.parts, other.parts, strict=True))
