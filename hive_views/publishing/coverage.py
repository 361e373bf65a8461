"""What one table holds of what one requirement asks for.

What lives here: the conditions on partition columns, and the index that answers for every candidate. What must not: how
requirements are combined (rules.py), reading tables (base_tables/).

The index is built in one pass over a listing, so that a million base partitions cost a million steps and not a million
for each candidate.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from hive_views.base_tables.port import PartitionListing
from hive_views.errors import InvalidInputError, InvalidPartitionError
from hive_views.hive.conversion import Value
from hive_views.hive.partition_values import normalise_value
from hive_views.hive.row import Column
from hive_views.publishing.matching import Reader, reader
from hive_views.publishing.reasons import told_as_missing

Candidate = tuple[str, ...]
"""A partition the view may have: one value for each partition column, as Hive spells it."""


@dataclass(frozen=True)
class ViewColumn:
    """The value that a candidate has in this partition column of the view."""

    name: str


@dataclass(frozen=True)
class Expected:
    """Values that must all be there."""

    values: tuple[object, ...]


Condition = ViewColumn | Expected


class Coverage:
    """How far the partitions of one table cover a requirement, for every candidate.

    Args:
        conditions: by partition column of the table, in lower case; columns without one may have any value.
        listing: the partitions of the table.
        keys: the partition columns of the view.

    Raises:
        InvalidInputError: a name is no partition column of the table or of the view, two columns cannot be compared,
            or an expected value is none of the column's type.
    """

    def __init__(self, conditions: Mapping[str, Condition], listing: PartitionListing, keys: Sequence[Column]) -> None:
        self._table = f"{listing.table} at snapshot {listing.snapshot.id}" if listing.snapshot else listing.table
        self._keys = tuple(keys)
        self._links: list[_Link] = []
        self._wanted: list[_Wanted] = []
        _refuse_unknown(conditions, listing)
        for position, base in enumerate(listing.keys):
            condition = conditions.get(base.name.lower())
            if isinstance(condition, ViewColumn):
                self._links.append(_link(listing.table, position, base, condition.name, self._keys))
            elif condition is not None:
                self._wanted.append(_wanted(listing.table, position, base, condition.values))
        self._complete = (1 << math.prod(len(wanted.texts) for wanted in self._wanted)) - 1
        # By the values of the linked columns: a bit for each combination of expected values, and a count of partitions.
        self._found: dict[tuple[Value | None, ...], int] = {}
        self._counts: dict[tuple[Value | None, ...], int] = {}
        self._index(listing)

    def _index(self, listing: PartitionListing) -> None:
        links = [(link.position, link.base_value) for link in self._links]
        wanted, stride = [], 1
        for one in reversed(self._wanted):
            wanted.append((one.position, one.ordinal, stride))
            stride *= len(one.texts)
        found, counts = self._found, self._counts
        for values in listing.values:
            bit = 0
            for position, ordinal_of, stride in wanted:
                ordinal = ordinal_of(values[position])
                if ordinal is None:
                    break
                bit += ordinal * stride
            else:
                key = tuple([value_of(values[position]) for position, value_of in links])
                # NULL, and what is no value of the compared type, equal nothing: not even each other.
                if None not in key:
                    found[key] = found.get(key, 0) | 1 << bit
                    counts[key] = counts.get(key, 0) + 1

    def candidates(self) -> Iterator[Candidate] | None:
        """The partitions of the view that the table's partitions name; None where they leave a column open.

        What no partition of the view can be (NULL, a number out of its column's range) is left out.
        """
        links_of = [
            [place for place, link in enumerate(self._links) if link.view_position == position]
            for position in range(len(self._keys))
        ]
        return self._spelled(links_of) if all(links_of) else None

    def _spelled(self, links_of: Sequence[Sequence[int]]) -> Iterator[Candidate]:
        spellers = [_speller(key) for key in self._keys]
        # Two columns linked to one of the view may spell its value in two ways, of which only one suits both.
        for places in itertools.product(*links_of):
            chosen = list(zip(places, spellers, strict=True))
            for key in self._found:
                texts = [spell(key[place]) for place, spell in chosen]
                candidate = tuple([text for text in texts if text is not None])
                # A decimal that the view's column would round is another value, and so another partition.
                if len(candidate) == len(texts) and self._key(candidate) == key:
                    yield candidate

    def missing(self, candidate: Candidate) -> str | None:
        """What the candidate waits for in this table, for people; None when all of it is there."""
        found = self._found.get(self._key(candidate), 0)
        if found == self._complete:
            return None
        told = {link.position: f"{link.base.name}={candidate[link.view_position]}" for link in self._links}
        told |= {one.position: f"{one.base.name}={one.texts[0]}" for one in self._wanted if len(one.texts) == 1}
        where = "/".join(text for _, text in sorted(told.items()))
        sets = [(one.base.name, one.texts) for one in self._wanted if len(one.texts) > 1]
        return f"{self._table}: {told_as_missing(where, sets, found)}"

    def count(self, candidate: Candidate) -> int:
        """How many partitions of the table the candidate stands on."""
        return self._counts.get(self._key(candidate), 0)

    def _key(self, candidate: Candidate) -> tuple[Value | None, ...]:
        return tuple([link.view_value(candidate[link.view_position]) for link in self._links])


_Made = TypeVar("_Made")


@dataclass(frozen=True)
class _Link:
    """A partition column of the table that must have the value of one of the view."""

    position: int
    base: Column
    base_value: Callable[[str | None], Value | None]
    view_position: int
    view_value: Callable[[str], Value | None]


@dataclass(frozen=True)
class _Wanted:
    """A partition column of the table, and the values that must be there, in their order."""

    position: int
    base: Column
    texts: tuple[str, ...]
    ordinal: Callable[[str | None], int | None]


def _link(table: str, position: int, base: Column, name: str, keys: Sequence[Column]) -> _Link:
    view_position = next((at for at, key in enumerate(keys) if key.name.lower() == name), None)
    if view_position is None:
        raise InvalidInputError(
            f"column({name!r}), asked of {table}.{base.name}, is no partition column of the view; "
            f"it has {_told(keys)}.",
            column=name,
        )
    key = keys[view_position]
    base_reader, view_reader = reader(base.type, key.type), reader(key.type, base.type)
    if base_reader is None or view_reader is None:
        raise InvalidInputError(
            f"Cannot compare {table}.{base.name} ({base.type}) with the view's {key.name} ({key.type}). "
            f"Leave the column out of requires(), or cast it in the view's query.",
            column=base.name,
        )
    return _Link(position, base, _of_text(base_reader), view_position, _of_text(view_reader))


def _wanted(table: str, position: int, base: Column, values: Sequence[object]) -> _Wanted:
    read: Reader | None = reader(base.type, base.type)
    if read is None:
        raise InvalidInputError(
            f"Cannot compare {table}.{base.name} ({base.type}) with anything; leave it out of requires().",
            column=base.name,
        )
    try:
        texts = {read(text): text for text in (normalise_value(one, base.type, key=base.name) for one in values)}
    except InvalidPartitionError as e:
        raise InvalidInputError(f"The requirement on {table} cannot be met. {e}", table=table, column=base.name) from e
    ordered: list[Value | None] = sorted(texts)  # type: ignore[type-var]  # values of one type, and none of them None
    ordinals = {value: ordinal for ordinal, value in enumerate(ordered)}
    return _Wanted(
        position, base, tuple(texts[value] for value in ordered), _of_text(lambda text: ordinals.get(read(text)))
    )


def _of_text(read: Callable[[str], _Made | None]) -> Callable[[str | None], _Made | None]:
    """A reading that takes NULL too and is done once for each text: a million partitions have few different ones."""
    return cache(lambda text: None if text is None else read(text))


def _speller(key: Column) -> Callable[[Value | None], str | None]:
    def spell(value: Value | None) -> str | None:
        try:
            return normalise_value(value, key.type, key=key.name)
        except InvalidPartitionError:
            return None

    return cache(spell)


def _refuse_unknown(conditions: Mapping[str, Condition], listing: PartitionListing) -> None:
    known = {column.name.lower() for column in listing.keys}
    for name in conditions:
        if name not in known:
            raise InvalidInputError(
                f"{listing.table} has no partition column {name!r}; it has {_told(listing.keys)}.",
                table=listing.table,
                column=name,
            )


def _told(columns: Sequence[Column]) -> str:
    return ", ".join(f"{column.name} ({column.type})" for column in columns) or "none"
