"""Which partitions of a view a run looks at."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from operator import itemgetter

from hive_views.errors import InvalidPartitionError
from hive_views.hive.conversion import Value
from hive_views.hive.limits import MAX_PARTITION_NAME, stored_length
from hive_views.hive.partition_names import parse_partition_name, partition_name
from hive_views.hive.partition_values import normalise_partial_spec, normalise_spec, typed_value
from hive_views.hive.row import Column
from hive_views.readiness.matching.links import Candidate
from hive_views.readiness.matching.values import is_text
from hive_views.views.partitions.view_partitions import Spec, ViewPartitions

_DIGIT, _DIGITS, _NO_DIGIT = re.compile("[0-9]"), re.compile("[0-9]+"), re.compile("[^0-9]")
_DIGITS_OF_A_DATE = 8


@dataclass(frozen=True)
class Scope:
    """The partitions of a view that a run considers; by default all that the base tables name.

    Attributes:
        candidates: the only ones, by values; None: those that the base tables name.
        since: values of some partition columns; earlier partitions are left out. Compared by type, as a whole, in the
            order of the columns.
        until: the same for later partitions. Both bounds are inclusive.
    """

    candidates: tuple[Spec, ...] | None = None
    since: Spec | None = None
    until: Spec | None = None

    @classmethod
    def of(cls, candidates: Iterable[Spec] | None, since: Spec | None, until: Spec | None) -> Scope:
        """The scope of a call's arguments; candidates that can be read only once are read here."""
        return cls(None if candidates is None else tuple(candidates), since, until)

    def overridden(self, given: Scope) -> Scope:
        """The scope of a run that is given another one: candidates take the place of bounds as well."""
        if given.candidates is not None:
            return given
        return Scope(self.candidates, given.since or self.since, given.until or self.until)

    def given(self, keys: Sequence[Column]) -> list[Candidate] | None:
        """The candidates as Hive spells them, each once; None if the base tables name them. InvalidPartitionError: one
        does not fit.
        """
        if self.candidates is None:
            return None
        return list(dict.fromkeys(normalise_spec(spec, keys) for spec in self.candidates))

    def bounds_text(self) -> str:
        """The bounds, for people."""
        bounds = {"since": self.since or {}, "until": self.until or {}}
        return ", ".join(
            f"{which} {'/'.join(f'{name}={value}' for name, value in bound.items())}"
            for which, bound in bounds.items()
            if bound
        )

    def written(self) -> dict[str, Spec]:
        """The values that a user has given, by what they are."""
        bounds = {"since": self.since or {}, "until": self.until or {}}
        return bounds | {f"partition {number}": one for number, one in enumerate(self.candidates or (), start=1)}

    def within_bounds(self, candidates: Iterable[Candidate], keys: Sequence[Column]) -> list[Candidate]:
        """The candidates within the bounds, ascending by the values of their types; InvalidPartitionError: a bound does
        not fit.
        """
        readers = [_typed(key) for key in keys]

        def typed(candidate: Sequence[str]) -> tuple[Value | None, ...]:
            return tuple([read(text) for read, text in zip(readers, candidate, strict=True)])

        given = list(candidates)
        # By columns: a million candidates have few different values in each, and numbers are compared faster.
        ranks = [0] * len(given)
        for position, read in enumerate(readers):
            ascending = sorted({one[position] for one in given}, key=read)  # type: ignore[arg-type]  # of one type
            rank_of = {text: rank for rank, text in enumerate(ascending)}
            ranks = [rank * len(rank_of) + rank_of[one[position]] for rank, one in zip(ranks, given, strict=True)]
        ordered = [candidate for _, candidate in sorted(zip(ranks, given, strict=True))]
        for bound, is_within in ((self.since, tuple.__ge__), (self.until, tuple.__le__)):
            if bound:
                texts = normalise_partial_spec(bound, keys)
                at = [position for position, key in enumerate(keys) if key.name.lower() in texts]
                limit = tuple(readers[position](texts[keys[position].name.lower()]) for position in at)
                ordered = [one for one in ordered if is_within(tuple([typed(one)[position] for position in at]), limit)]
        return ordered


def misspelt(written: Mapping[str, Spec], known: Iterable[Candidate], keys: Sequence[Column]) -> list[str]:
    """Why values in text columns look misspelt, as ``2026-8-1`` or ``20260801`` beside the known ``2026-08-22``.

    Args:
        written: values of some partition columns, by what they are.
        known: the partitions that there are.
        keys: the partition columns.

    Raises:
        InvalidPartitionError: a value does not fit its column.
    """
    flaws: list[str] = []
    if not any(written.values()):
        return flaws
    given = list(known)
    spellings = [_spellings({one[at] for one in given}) if is_text(key.type) else {} for at, key in enumerate(keys)]
    for name, spec in written.items():
        texts = normalise_partial_spec(spec, keys)
        for key, known_ones in zip(keys, spellings, strict=True):
            text = texts.get(key.name.lower())
            groups = [known_ones[one] for one in _likenesses(text) if one in known_ones] if text is not None else []
            if text is not None and groups and all(_DIGIT.sub("0", text) not in group for group in groups):
                nearest = min(min(group.values()) for group in groups)
                flaws.append(
                    f"{name} {key.name}={text!r} is compared as text, and no partition is spelled that way, as "
                    f"{nearest!r} is"
                )
    return flaws


def _likenesses(text: str) -> list[str | int]:
    """What texts that say the same in another spelling share: numbers in the same places, or, as dates, many digits."""
    digits = len(_NO_DIGIT.sub("", text))
    return [_DIGITS.sub("0", text), *([digits] if digits >= _DIGITS_OF_A_DATE else [])]


def _spellings(texts: Iterable[str]) -> dict[str | int, dict[str, str]]:
    """By likeness, the spellings that there are, each with the first text that is spelled so."""
    found: dict[str | int, dict[str, str]] = {}
    for text in sorted(texts):
        for likeness in _likenesses(text):
            found.setdefault(likeness, {}).setdefault(_DIGIT.sub("0", text), text)
    return found


EVERYTHING = Scope()


def named(candidates: Iterable[Candidate], keys: Sequence[Column]) -> dict[str, Candidate]:
    """The candidates by the names of their partitions, without those that cannot be named in a metastore."""
    given = list(candidates)
    columns = [map(_namer(key), map(itemgetter(at), given)) for at, key in enumerate(keys)]
    names: dict[str, Candidate] = {}
    for candidate, parts in zip(given, zip(*columns, strict=True), strict=True):
        # What is too long to be named is no partition of the view, whatever the base tables have.
        if None not in parts:
            name = "/".join(parts)
            if stored_length(name) <= MAX_PARTITION_NAME:
                names[name] = candidate
    return names


def values_of(partitions: ViewPartitions, names: Iterable[str]) -> Iterator[Candidate]:
    """The values of partitions of a view, without those whose values do not fit its columns, or are spelled
    differently; read as they are asked for.
    """
    columns = [key.name for key in partitions.keys]
    for name in names:
        with suppress(InvalidPartitionError):
            values = normalise_spec(parse_partition_name(name), partitions.keys)
            if partition_name(columns, values) == name:
                yield values


def _typed(key: Column) -> Callable[[str], Value | None]:
    return cache(lambda text: typed_value(text, key.type))


def _namer(key: Column) -> Callable[[str], str | None]:
    def name_of(text: str) -> str | None:
        try:
            return partition_name([key.name], [text])
        except InvalidPartitionError:
            return None

    return cache(name_of)
