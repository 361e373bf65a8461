"""Partitions as a predicate on their columns, in a form that Spark prunes by.

Spark prunes where a column stands bare beside a constant of its own type; a cast would hide the column from the
metastore. So every constant is cast, and no column.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from itertools import groupby

from hive_views.hive.row import Column
from hive_views.sql.quoting import quote_identifier, quote_literal

Values = tuple[str, ...]
"""One text for each partition column, as Hive spells values of its type."""

NOTHING = "false"

_TEXTS = ("string", "char", "varchar")
_WHOLE_NUMBERS = ("tinyint", "smallint", "int", "bigint")
# Fewer neighbours are named one by one.
_SHORTEST_RANGE = 3
_EPOCH = date(1970, 1, 1)
# A metastore without direct SQL, or on Derby, fails on conditions of some 600 constants and more; Spark, which makes
# bounds of a list of more than 1,000, leaves several lists as they are.
_MOST_CONSTANTS = 200
_DIGIT = re.compile("[0-9]")


def predicate(keys: Sequence[Column], partitions: Iterable[Values]) -> str:
    """The condition that holds for exactly these partitions; ``false`` for none.

    Partitions that differ in one column only share a list of its values, and neighbouring whole numbers and dates a
    range, so that 10,000 hours of many days stay a short text.
    """
    wanted = set(partitions)
    condition = _condition(list(keys), wanted) or NOTHING
    return condition if condition.count("'") <= 2 * _MOST_CONSTANTS else _bounded(keys, wanted, condition)


def _bounded(keys: Sequence[Column], partitions: set[Values], condition: str) -> str:
    """The same condition, of which Spark passes only bounds to the metastore, to look at what is found by itself.

    Spark passes no ``<=>``, and a disjunction only as a whole; so one of the partitions is named with that once more.
    """
    first = min(partitions)
    kept_here = " AND ".join(
        f"{quote_identifier(key.name)} <=> {literal(text, key.type)}" for key, text in zip(keys, first, strict=True)
    )
    columns = zip(*partitions, strict=True)
    bounds = [bound for key, texts in zip(keys, columns, strict=True) if (bound := _bound(key, set(texts)))]
    return " AND ".join([*bounds, f"(({kept_here}) OR {condition})"])


def _bound(key: Column, texts: set[str]) -> str:
    """The range that a column's values are in; "" if a database may order them differently from Spark."""
    if key.type in _WHOLE_NUMBERS:
        low, high = str(min(map(int, texts))), str(max(map(int, texts)))
    elif key.type == "date" or (key.type == "string" and len({_DIGIT.sub("0", text) for text in texts}) == 1):
        low, high = min(texts), max(texts)
    else:
        return ""
    return f"{quote_identifier(key.name)} BETWEEN {literal(low, key.type)} AND {literal(high, key.type)}"


def predicate_of_spec(keys: Sequence[Column], spec: Mapping[str, str]) -> str:
    """The condition for the values of some partition columns."""
    return " AND ".join(_one_of(key, [spec[key.name]]) for key in keys if key.name in spec)


def literal(text: str, type_: str) -> str:
    """A constant of a Hive type, for Spark; char and varchar are strings in a query."""
    quoted = quote_literal(text)
    return quoted if type_.partition("(")[0] in _TEXTS else f"CAST({quoted} AS {type_})"


def _condition(keys: list[Column], partitions: set[Values]) -> str:
    first, *rest = keys
    if not rest:
        return _one_of(first, [values[0] for values in partitions]) if partitions else ""
    tails: dict[str, set[Values]] = {}
    for values in partitions:
        tails.setdefault(values[0], set()).add(values[1:])
    with_tail: dict[frozenset[Values], list[str]] = {}
    for text, tail in tails.items():
        with_tail.setdefault(frozenset(tail), []).append(text)
    branches = sorted(
        f"({_one_of(first, texts)} AND {_condition(rest, set(tail))})" for tail, texts in with_tail.items()
    )
    return f"({' OR '.join(branches)})" if branches else ""


def _one_of(key: Column, texts: list[str]) -> str:
    column = quote_identifier(key.name)
    ranges, alone = _ranges(key, sorted(texts))
    parts = [f"{column} BETWEEN {literal(low, key.type)} AND {literal(high, key.type)}" for low, high in ranges]
    if len(alone) == 1:
        parts.append(f"{column} = {literal(alone[0], key.type)}")
    elif alone:
        parts.append(f"{column} IN ({', '.join(literal(text, key.type) for text in alone)})")
    return parts[0] if len(parts) == 1 else f"({' OR '.join(parts)})"


def _ranges(key: Column, texts: list[str]) -> tuple[list[tuple[str, str]], list[str]]:
    """Runs of neighbours, as their first and last text, and what is in none."""
    if key.type in _WHOLE_NUMBERS:
        numbers = {int(text): text for text in texts}
    elif key.type == "date":
        numbers = {(date.fromisoformat(text) - _EPOCH).days: text for text in texts}
    else:
        return [], texts
    ranges, alone = [], []
    # In a run of neighbours, a number less its place is the same.
    for _, run in groupby(enumerate(sorted(numbers)), key=lambda placed: placed[1] - placed[0]):
        members = [numbers[number] for _, number in run]
        if len(members) < _SHORTEST_RANGE:
            alone += members
        else:
            ranges.append((members[0], members[-1]))
    return ranges, alone
