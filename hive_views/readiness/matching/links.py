"""How the columns of a base table and of the view name the same partition, in both directions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from hive_views.errors import InvalidInputError, InvalidPartitionError
from hive_views.hive.conversion import Value
from hive_views.hive.partition_values import normalise_value
from hive_views.hive.row import Column
from hive_views.readiness.conditions import Condition, Expected, Timestamp, ViewColumn
from hive_views.readiness.matching.timestamps import TimestampOfView, read_shown
from hive_views.readiness.matching.values import (
    is_text,
    position_of,
    reader,
    speller,
    text_of,
    what_it_has,
    whole_number,
)

Candidate = tuple[str, ...]
"""A partition the view may have: one value for each partition column, as Hive spells it."""

Key = tuple[Hashable, ...]
"""What a partition of the table and one of the view have in common: a value for each link."""

_Made = TypeVar("_Made")

Proposal = Callable[[Key], str | None]
"""The text that the view's partition has in a column, from what the table's has; None where it can have none."""


@dataclass(frozen=True)
class Link:
    """A partition column of the table that must have the same value as the view's partition.

    Attributes:
        base_value: from the table's text; None where it equals nothing.
        view_value: from the view's partition.
        described: the view's partition in the table's words, as in ``ds=20260821``.
        view_position, view_reader: where one column of the view has the value by itself, and how it is read.
        source: what the links have in common that have parts of one time; None for a value by itself.
        parts: those that this column has.
        is_in_part: the column has more parts, of which several values are expected.
    """

    position: int
    base_value: Callable[[str | None], Hashable | None]
    view_value: Callable[[Candidate], Hashable | None]
    described: Callable[[Candidate], str]
    view_position: int | None = None
    view_reader: Callable[[str], Hashable | None] | None = None
    source: TimestampOfView | None = None
    parts: tuple[str, ...] = ()
    is_in_part: bool = False


@dataclass(frozen=True)
class Wanted:
    """Values of a partition column of the table that must all be there, in their order.

    Attributes:
        ordinal: which of them a text of the table is; None: none.
        ordinals_of: which of them a user means by a value.
        origin: the table that the values come from.
    """

    position: int
    name: str
    texts: tuple[str, ...]
    ordinal: Callable[[str | None], int | None]
    ordinals_of: Callable[[object], tuple[int, ...]]
    origin: str | None = None


class Links:
    """All that one rule asks of the columns of one table.

    Raises:
        InvalidInputError: a name is not a partition column of the table or of the view, two columns cannot be compared,
            or an expected value does not have the type of its column.
    """

    def __init__(
        self, table: str, columns: Sequence[Column], conditions: dict[str, Condition], keys: Sequence[Column]
    ) -> None:
        refuse_unknown(table, columns, conditions)
        self.links: list[Link] = []
        self.wanted: list[Wanted] = []
        self._keys = tuple(keys)
        sources: dict[tuple[object, ...], TimestampOfView] = {}
        for position, base in enumerate(columns):
            condition = conditions.get(base.name.lower())
            if isinstance(condition, ViewColumn) and condition.pattern:
                condition = Timestamp(condition)
            if isinstance(condition, ViewColumn):
                self.links.append(_same_value(table, position, base, condition.name, self._keys))
            elif isinstance(condition, Timestamp):
                if condition.source not in sources:
                    sources[condition.source] = TimestampOfView(f"{table}.{base.name}", condition, self._keys)
                self._add_timestamp(table, position, base, condition, sources[condition.source])
            elif isinstance(condition, Expected):
                self.wanted.append(_expected(table, position, base, condition))

    def _add_timestamp(
        self, table: str, position: int, base: Column, condition: Timestamp, source: TimestampOfView
    ) -> None:
        asked_of = f"{table}.{base.name}"
        shown, read = read_shown(asked_of, base, condition)
        source.check_shown(asked_of, condition, shown)
        compared = tuple(part for part in shown if part not in condition.expected)
        parts_of = _of_text(read)

        def base_value(text: str | None) -> Hashable | None:
            parts = parts_of(text)
            return None if parts is None else tuple([parts[part] for part in compared])

        self.links.append(
            Link(
                position,
                cache(base_value),
                source.values_of(compared),
                source.description(base, condition),
                source=source,
                parts=compared,
                is_in_part=len(compared) < len(shown),
            )
        )
        for part, expected in condition.expected.items():
            ordinals = {number: ordinal for ordinal, number in enumerate(expected.values)}

            def ordinal(text: str | None, part: str = part, ordinals: dict[object, int] = ordinals) -> int | None:
                parts = parts_of(text)
                return None if parts is None else ordinals.get(parts[part])

            def ordinals_of(value: object, ordinal: Callable[[str | None], int | None] = ordinal) -> tuple[int, ...]:
                found = ordinal(text_of(value, table, base))
                return () if found is None else (found,)

            texts = tuple(str(number) for number in expected.values)
            self.wanted.append(Wanted(position, part, texts, cache(ordinal), ordinals_of))

    def proposals(self) -> list[list[Proposal]]:
        """For each column of the view what the table's partitions say of it; [] where they leave it open."""
        proposals: list[list[Proposal]] = [[] for _ in self._keys]
        for place, link in enumerate(self.links):
            if link.view_position is not None:
                proposals[link.view_position].append(_spelled_at(place, self._keys[link.view_position]))
        for source in {id(link.source): link.source for link in self.links if link.source}.values():
            given = [(place, link.parts) for place, link in enumerate(self.links) if link.source is source]
            for view_position, proposal in source.proposals(given):
                proposals[view_position].append(proposal)
        return proposals


def refuse_unknown(table: str, columns: Sequence[Column], names: dict[str, Condition]) -> None:
    """
    Raises:
        InvalidInputError: a name is not a partition column of the table.
    """
    known = {column.name.lower() for column in columns}
    for name in names:
        if name not in known:
            raise InvalidInputError(
                f"{table} has no partition column {name!r}; {what_it_has(name, columns)}", table=table, columns=[name]
            )


def _same_value(table: str, position: int, base: Column, name: str, keys: Sequence[Column]) -> Link:
    view_position = position_of(name, keys, f"{table}.{base.name}")
    key = keys[view_position]
    base_reader, view_reader = reader(base.type, key.type), reader(key.type, base.type)
    if base_reader is None or view_reader is None:
        raise InvalidInputError(
            f"Cannot compare {table}.{base.name} ({base.type}) with the view's {key.name} ({key.type}). "
            f"Leave the column out of the rule, cast it in the view's query, or say how it is written: "
            f"column({name!r}).formatted('yyyyMMdd'), .parsed(...), .year, .hour.",
            columns=[base.name],
        )
    read = cache(view_reader)
    return Link(
        position,
        _of_text(base_reader),
        lambda candidate: read(candidate[view_position]),
        lambda candidate: f"{base.name}={candidate[view_position]}",
        view_position,
        read,
    )


def _expected(table: str, position: int, base: Column, expected: Expected) -> Wanted:
    by_number = (
        expected.type is None
        and is_text(base.type)
        and any(isinstance(one, int) and not isinstance(one, bool) for one in expected.values)
    )
    type_ = expected.type or ("bigint" if by_number else base.type)
    read, read_expected = reader(base.type, type_), reader(type_, base.type)
    if read is None or read_expected is None:
        raise InvalidInputError(
            f"Cannot compare {table}.{base.name} ({base.type}) with "
            f"{f'values of type {type_}' if expected.type else 'anything'}; leave it out of the rule.",
            table=table,
            columns=[base.name],
        )
    try:
        given = [normalise_value(one, type_, key=base.name) for one in expected.values] if not expected.type else []
    except InvalidPartitionError as e:
        raise InvalidInputError(
            f"The requirement on {table} cannot be met. {e}", table=table, columns=[base.name]
        ) from e
    texts: dict[Value, str] = {}
    for text in given or map(str, expected.values):
        value = read_expected(text)
        if value is None:
            raise InvalidInputError(
                f"The requirement on {table} cannot be met: {text!r} is no value of {base.name} ({base.type}).",
                table=table,
                columns=[base.name],
            )
        texts[value] = text
    ordered: list[Value] = sorted(texts)  # values of one type
    ordinals: dict[Value | None, int] = {value: ordinal for ordinal, value in enumerate(ordered)}

    def ordinals_of(value: object) -> tuple[int, ...]:
        if is_text(base.type) and isinstance(value, int) and not isinstance(value, bool):
            return tuple(ordinals[one] for one in ordered if one == value or whole_number(texts[one]) == value)
        found = ordinals.get(read(text_of(value, table, base)))
        return () if found is None else (found,)

    ordered_texts = tuple(texts[value] for value in ordered)
    ordinal = _of_text(lambda text: ordinals.get(read(text)))
    return Wanted(position, base.name, ordered_texts, ordinal, ordinals_of, expected.origin)


def _of_text(read: Callable[[str], _Made | None]) -> Callable[[str | None], _Made | None]:
    """A reading that takes NULL too and is done once for each text: a million partitions have few different ones."""
    return cache(lambda text: None if text is None else read(text))


def _spelled_at(place: int, key: Column) -> Proposal:
    spell = speller(key)
    return lambda values: spell(values[place])
