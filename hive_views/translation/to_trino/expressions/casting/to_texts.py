"""Conversions to strings, varchar, char and binary."""

from __future__ import annotations

from dataclasses import replace

from hive_views.hive.types import HiveType
from hive_views.translation.to_trino.expressions.casting import conversion_reasons as reasons
from hive_views.translation.to_trino.expressions.casting.how_converted import TEXTS, WHOLE, Conversion, How, Rule
from hive_views.translation.to_trino.terms import Term

_STRING = HiveType("string")
_PLAIN_IN_SPARK = 6
"""Digits behind the point with which Spark writes every decimal without an exponent."""


def as_string(given: Conversion) -> Conversion:
    """The same of a text as a string: without the blanks of a char in Hive, and with them in Spark."""
    if given.of.name != "char":
        return given.through(given.term.sql, _STRING)
    text = f"CAST({given.term.sql} AS varchar)"
    # Trino's rtrim takes tabs and the ends of lines away as well.
    return given.through(f"trim(TRAILING ' ' FROM {text})" if given.is_hive else text, _STRING)


def _text_to_string(given: Conversion) -> Term:
    return replace(as_string(given).term, type="string")


def _plain(given: Conversion) -> Term:
    return Term(f"CAST({given.term.sql} AS varchar)", "string")


def _boolean(given: Conversion) -> Term:
    text = _plain(given)
    if given.is_hive and given.how is How.IMPLICIT:
        given.report(reasons.IMPLICIT_BOOLEAN)
    return Term(f"upper({text.sql})", "string") if given.is_hive else text


def _double(given: Conversion) -> Term:
    # Trino writes 1.0E-1; its format writes what Java does, but of NULL a text.
    return Term(f"IF({given.term.operand} IS NOT NULL, format('%s', {given.term.sql}))", "string")


def _decimal(given: Conversion) -> Term:
    _, scale = given.of.sizes
    if given.is_hive and scale:
        given.report(reasons.DECIMAL_TEXT)
    elif not given.is_hive and scale > _PLAIN_IN_SPARK:
        given.report(reasons.SMALL_DECIMAL_TEXT)
    return _plain(given)


def _timestamp(given: Conversion) -> Term:
    # It has three digits behind the second or more, of which the source writes none at the end that is 0.
    return Term(f"rtrim(rtrim(CAST({given.term.sql} AS varchar), '0'), '.')", "string")


def _binary(given: Conversion) -> Term:
    given.report(reasons.INVALID_BYTES)
    return Term(f"from_utf8({given.term.sql})", "string")


def _nested(given: Conversion) -> Term:
    raise given.refused(reasons.NESTED_TEXT)


_TO_STRING: dict[str, Rule] = {
    **dict.fromkeys(TEXTS[1:], _text_to_string),
    **dict.fromkeys((*WHOLE, "date"), _plain),
    "boolean": _boolean,
    "float": _double,
    "double": _double,
    "decimal": _decimal,
    "timestamp": _timestamp,
    "binary": _binary,
    **dict.fromkeys(("array", "map", "struct"), _nested),
}


def _with_length(given: Conversion) -> Term:
    """To a string first, of which the length is cut."""
    text = given.term if given.of.name == "string" else _TO_STRING[given.of.name](given)
    return given.through(text.sql, _STRING).cast


def _text_to_binary(given: Conversion) -> Term:
    # With the blanks of a char, in Hive as well.
    text = f"CAST({given.term.sql} AS varchar)" if given.of.name == "char" else given.term.sql
    return given.made(f"to_utf8({text})")


RULES: dict[tuple[str, str], Rule] = {
    **{(name, "string"): rule for name, rule in _TO_STRING.items()},
    **{(name, other): _with_length for name in ("string", *_TO_STRING) for other in TEXTS[1:]},
    **{(name, "binary"): _text_to_binary for name in TEXTS},
}
