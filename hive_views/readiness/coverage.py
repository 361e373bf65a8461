"""What one table holds of what one rule asks for.

The index is built in one pass over a listing, so that a million base partitions cost a million steps and not a million
for each candidate.
"""

from __future__ import annotations

import copy
import hashlib
import itertools
import math
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import itemgetter

from hive_views.base_tables.port import PartitionListing, PartitionValues
from hive_views.errors import InvalidInputError
from hive_views.hive.row import Column
from hive_views.readiness.conditions import Condition, Expected
from hive_views.readiness.matching.links import Candidate, Key, Link, Links, Proposal, Wanted
from hive_views.readiness.matching.values import text_of
from hive_views.readiness.reasons import missing_text
from hive_views.readiness.standing import Standing

MAX_EXPECTED = 1_000_000
"""Partitions of a table that one of the view may expect: a bit for each is kept for every partition of the view."""

_EXAMPLES = 3


@dataclass(frozen=True)
class Unnamed:
    """Partitions of a table that name no partition of the view: NULL, or no value of the view's column.

    Attributes:
        partitions: how many.
        examples: the names of the first.
    """

    partitions: int
    examples: tuple[str, ...]

    def __str__(self) -> str:
        names = ", ".join(self.examples) + (", ..." if self.partitions > len(self.examples) else "")
        return (
            f"{self.partitions:,} {'partition names' if self.partitions == 1 else 'partitions name'} no partition of "
            f"the view ({names})"
        )


class Coverage:
    """How far the partitions of one table cover a rule, for every candidate.

    Args:
        conditions: by partition column of the table, in lower case; columns without one may have any value.
        listing: the partitions of the table.
        keys: the partition columns of the view.
        known_empty: partitions that need not be there, by values of the columns that have conditions; a list stands for
            each of its values, a column left out for any value.
        asked_beside: what the rule asks beside that these are there.

    Raises:
        InvalidInputError: a name is not a partition column of the table or of the view, two columns cannot be compared,
            an expected value is none of the column's type, or a known-empty partition is none that is asked for.
    """

    def __init__(
        self,
        conditions: Mapping[str, Condition],
        listing: PartitionListing,
        keys: Sequence[Column],
        known_empty: Sequence[Mapping[str, Expected]] = (),
        asked_beside: str = "",
    ) -> None:
        self.table = f"{listing.table} at snapshot {listing.snapshot.id}" if listing.snapshot else listing.table
        self._listing = listing
        self._keys = tuple(keys)
        self._all_links = Links(listing.table, listing.keys, dict(conditions), self._keys)
        self._links, self._wanted = self._all_links.links, self._all_links.wanted
        self._asked = repr(
            (
                [key.name for key in listing.keys],
                sorted((name, one) for name, one in conditions.items() if not isinstance(one, Expected)),
                [(one.name, one.texts) for one in self._wanted],
                asked_beside,
            )
        )
        self._view_values = [link.view_value for link in self._links]
        self._known: dict[Candidate, Key] = {}
        self._questions: dict[int, str] = {}
        _refuse_too_many(listing.table, self._wanted)
        self._holes = _Holes(self._all_links, listing, known_empty)
        # Rows differ by the values of the linked columns, and by a bit for each combination of expected values.
        self._complete = (1 << math.prod(len(wanted.texts) for wanted in self._wanted)) - 1
        self._index()

    @property
    def differs_by_candidate(self) -> bool:
        """Whether candidates depend on different partitions; else each depends on all that the rule is about."""
        return bool(self._links)

    def over(self, values: Sequence[PartitionValues]) -> Coverage:
        """The same questions to other partitions of the table."""
        other = copy.copy(self)
        other.__dict__.pop("_numbers", None)
        other._listing = replace(self._listing, values=values, statistics=None)  # noqa: SLF001 - of the same class
        other._index()  # noqa: SLF001
        return other

    def candidates(self) -> Iterator[Candidate] | None:
        """The partitions of the view that the table's partitions name; None where they leave a column open.

        What no partition of the view can be (NULL, a number out of its column's range) is left out; ``unnamed`` reports
        it once these were all taken.
        """
        proposals = self._all_links.proposals()
        return self._spelled(proposals) if all(proposals) else None

    def unnamed(self) -> Unnamed | None:
        """The partitions that are asked for and name no candidate; None where there are none, or none could."""
        if not all(self._all_links.proposals()):
            return None
        named = set(self._known.values())
        number = self._asked_for - sum(self._counts[key] for key in named)
        if not number:
            return None
        columns = [key.name for key in self._listing.keys]
        bits = self._row_bits() if self._wanted else itertools.repeat(0)
        rows = zip(self._listing.values, self._row_keys(), bits)  # noqa: B905 - a repeat has no end
        others = (values for values, key, bit in rows if bit is not None and key not in named)
        examples = tuple(
            "/".join(f"{name}={'NULL' if text is None else text}" for name, text in zip(columns, values, strict=True))
            for values in itertools.islice(others, _EXAMPLES)
        )
        return Unnamed(number, examples)

    @cached_property
    def unknown_expectation(self) -> str | None:
        """Why it is unknown which partitions are expected, for people; None where it is known."""
        empty = next((one for one in self._wanted if not one.texts), None)
        if empty is None:
            return None
        return f"{empty.origin}: there is no value that says which {empty.name} of {self.table} to expect"

    def missing(self, candidate: Candidate) -> str | None:
        """What the candidate waits for in this table, for people; None when all of it is there."""
        if self.unknown_expectation:
            return self.unknown_expectation
        found = self._found_or_known_empty(self._key(candidate))
        if found == self._complete:
            return None
        sets = [(one.name, one.texts) for one in self._wanted if len(one.texts) > 1]
        return f"{self.table}: {missing_text(self.where(candidate), sets, found)}"

    def question(self, candidate: Candidate) -> str:
        """A short text for what is asked, and of which columns: other columns, values or known-empty partitions of this
        candidate are another question.
        """
        holes = self._holes.at(self._key(candidate)) if self._holes else 0
        if holes not in self._questions:
            self._questions[holes] = hashlib.sha256(f"{self._asked}{holes:x}".encode()).hexdigest()[:8]
        return self._questions[holes]

    def standing(self, candidate: Candidate) -> Standing:
        """The partitions that the candidate depends on by this rule."""
        key = self._key(candidate)
        if key not in self._standing:
            is_all = not self.unknown_expectation and self._found_or_known_empty(key) == self._complete
            self._standing[key] = Standing.on(self.partitions(candidate), is_all=is_all)
        return self._standing[key]

    def where(self, candidate: Candidate) -> str:
        """The candidate in the words of the table: ``region=eu/ds=2026-08-21``; "" for the whole table."""
        described = [(link.position, link.described(candidate)) for link in self._links]
        described += [(one.position, f"{one.name}={one.texts[0]}") for one in self._wanted if len(one.texts) == 1]
        return "/".join(dict.fromkeys(text for _, text in sorted(described)))

    def count(self, candidate: Candidate) -> int:
        """How many partitions of the table the candidate depends on."""
        return self._counts.get(self._key(candidate), 0)

    def partitions(self, candidate: Candidate) -> list[PartitionValues]:
        """The partitions of the table that the candidate depends on."""
        values = self._listing.values
        return [values[number] for number in self.numbers(candidate)]

    def numbers(self, candidate: Candidate) -> Sequence[int]:
        """Where in the listing the partitions are that the candidate depends on."""
        return self._numbers.get(self._key(candidate), ())

    def open_columns(self) -> list[tuple[int, str]]:
        """Position and name of the columns in which partitions differ that one candidate depends on."""
        linked = {link.position for link in self._links if not link.is_in_part}
        single = {one.position for one in self._wanted if len(one.texts) == 1}
        return [(at, key.name) for at, key in enumerate(self._listing.keys) if at not in linked | single]

    def _key(self, candidate: Candidate) -> Key:
        return self._known.get(candidate) or self._computed_key(candidate)

    def _computed_key(self, candidate: Candidate) -> Key:
        return tuple([view_value(candidate) for view_value in self._view_values])

    def _found_or_known_empty(self, key: Key) -> int:
        found = self._found_at(key)
        return found | self._holes.at(key) if found != self._complete and self._holes else found

    def _found_at(self, key: Key) -> int:
        return self._found.get(key, 0) if self._wanted else int(key in self._counts)

    def _index(self) -> None:
        self._standing: dict[Key, Standing] = {}
        self._counts: dict[Key, int] = {}
        self._found: dict[Key, int] = {}
        if self._wanted:
            found, counts = self._found, self._counts
            self._asked_for = 0
            for key, bit in zip(self._row_keys(), self._row_bits(), strict=True):
                self._asked_for += bit is not None
                if bit is not None and None not in key:
                    found[key] = found.get(key, 0) | 1 << bit
                    counts[key] = counts.get(key, 0) + 1
        else:
            self._asked_for = len(self._listing.values)
            # NULL, and what is no value of the compared type, equal nothing: not even each other.
            self._counts = {key: count for key, count in Counter(self._row_keys()).items() if None not in key}

    @cached_property
    def _numbers(self) -> Mapping[Key, Sequence[int]]:
        """Positions in the listing by the values of the linked columns; only some rules ask."""
        numbers: dict[Key, list[int]] = {}
        bits = self._row_bits() if self._wanted else itertools.repeat(0)
        for number, (key, bit) in enumerate(zip(self._row_keys(), bits)):  # noqa: B905 - a repeat has no end
            if bit is not None and None not in key:
                numbers.setdefault(key, []).append(number)
        return numbers

    def _row_keys(self) -> Iterator[Key]:
        columns = [map(link.base_value, self._texts(link.position)) for link in self._links]
        return zip(*columns, strict=True) if columns else itertools.repeat((), len(self._listing.values))

    def _row_bits(self) -> Iterator[int | None]:
        columns = [map(wanted.ordinal, self._texts(wanted.position)) for wanted in self._wanted]
        if len(columns) == 1:
            return columns[0]
        strides = _strides([len(wanted.texts) for wanted in self._wanted])
        return (
            None if None in ordinals else sum(map(int.__mul__, ordinals, strides))
            for ordinals in zip(*columns, strict=True)
        )

    def _texts(self, position: int) -> Iterator[str | None]:
        return map(itemgetter(position), self._listing.values)

    def _spelled(self, proposals: Sequence[Sequence[Proposal]]) -> Iterator[Candidate]:
        # Two columns linked to one of the view may spell its value in two ways, of which only one suits both.
        for chosen in itertools.product(*proposals):
            columns = [map(propose, self._counts) for propose in chosen]
            named = [pair for pair in zip(zip(*columns, strict=True), self._counts, strict=True) if None not in pair[0]]
            found = [self._column_values(link, [candidate for candidate, _ in named]) for link in self._links]
            for (candidate, key), values in zip(named, zip(*found, strict=True), strict=True):
                # A decimal that the view's column would round is another value, and so another partition.
                if values == key:
                    self._known[candidate] = key
                    yield candidate

    @staticmethod
    def _column_values(link: Link, candidates: Sequence[Candidate]) -> Iterator[Hashable | None]:
        if link.view_position is None or link.view_reader is None:
            return map(link.view_value, candidates)
        return map(link.view_reader, map(itemgetter(link.view_position), candidates))


class _Holes:
    """Partitions that need not be there: for each set of links they name, the bits by the values of these links."""

    def __init__(self, links: Links, listing: PartitionListing, holes: Sequence[Mapping[str, Expected]]) -> None:
        self._links, self._listing = links, listing
        self._sizes = [len(wanted.texts) for wanted in links.wanted]
        self._groups: dict[tuple[int, ...], dict[Key, int]] = {}
        for hole in holes:
            self._add(hole)
        if self._groups.get((), {}).get(()) == (1 << math.prod(self._sizes)) - 1:
            raise InvalidInputError(
                f"The known-empty partitions of {listing.table} are all that the rule asks for; leave the rule out.",
                table=listing.table,
            )

    def __bool__(self) -> bool:
        return bool(self._groups)

    def at(self, key: Key) -> int:
        """The bits of what need not be there for the partition of the view with this key."""
        bits = 0
        for places, by_values in self._groups.items():
            bits |= by_values.get(tuple([key[place] for place in places]), 0)
        return bits

    def _add(self, hole: Mapping[str, Expected]) -> None:
        columns = {column.name.lower(): position for position, column in enumerate(self._listing.keys)}
        linked = {link.position for link in self._links.links} | {wanted.position for wanted in self._links.wanted}
        choices: list[tuple[int, tuple[object, ...]]] = []
        for name, expected in hole.items():
            position = columns.get(name)
            if position not in linked or position is None:
                raise InvalidInputError(
                    f"known_empty of {self._listing.table} names {name!r}, which the rule asks nothing of; it has "
                    f"{', '.join(self._listing.keys[at].name for at in sorted(linked)) or 'no columns'}.",
                    table=self._listing.table,
                    columns=[name],
                )
            choices.append((position, expected.values))
        for values in itertools.product(*(values for _, values in choices)):
            self._add_one({position: value for (position, _), value in zip(choices, values, strict=True)})

    def _add_one(self, hole: Mapping[int, object]) -> None:
        places, values = [], []
        for place, link in enumerate(self._links.links):
            if link.position in hole:
                base = self._listing.keys[link.position]
                value = link.base_value(text_of(hole[link.position], self._listing.table, base))
                if value is None:
                    raise self._nothing_like(hole[link.position], base)
                places.append(place)
                values.append(value)
        ordinals: list[Sequence[int]] = []
        for wanted in self._links.wanted:
            chosen: Sequence[int] = range(len(wanted.texts))
            if wanted.position in hole:
                chosen = wanted.ordinals_of(hole[wanted.position])
                if not chosen and wanted.origin is not None:
                    return  # the table that says what to expect does not expect it any more
                if not chosen:
                    raise self._nothing_like(hole[wanted.position], self._listing.keys[wanted.position])
            ordinals.append(chosen)
        bits = 0
        strides = _strides(self._sizes)
        for combination in itertools.product(*ordinals):
            bits |= 1 << sum(ordinal * stride for ordinal, stride in zip(combination, strides, strict=True))
        group = self._groups.setdefault(tuple(places), {})
        key: tuple[Hashable, ...] = tuple(values)
        group[key] = group.get(key, 0) | bits

    def _nothing_like(self, value: object, base: Column) -> InvalidInputError:
        return InvalidInputError(
            f"known_empty of {self._listing.table} names {base.name}={value!r}, which the rule does not ask for.",
            table=self._listing.table,
            columns=[base.name],
        )


def _refuse_too_many(table: str, wanted: Sequence[Wanted]) -> None:
    expected = math.prod(len(one.texts) for one in wanted)
    if expected > MAX_EXPECTED:
        raise InvalidInputError(
            f"The rule expects {expected:,} combinations of {', '.join(one.name for one in wanted)} of {table} for "
            f"each partition of the view, and {MAX_EXPECTED:,} is the most that is compared.",
            table=table,
        )


def _strides(sizes: Sequence[int]) -> list[int]:
    """By how much a combination's number grows with each ordinal; the last one's varies fastest."""
    return [math.prod(sizes[at + 1 :]) for at in range(len(sizes))]
