"""Partitions that a table must have."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from hive_views.base_tables.port import PartitionListing
from hive_views.errors import InvalidInputError
from hive_views.hive.row import Column
from hive_views.readiness.conditions import (
    ColumnCondition,
    Expected,
    ValuesOf,
    checked_format,
    checked_table,
    conditions_of,
    plain_values,
)
from hive_views.readiness.coverage import Coverage
from hive_views.readiness.matching.links import Candidate, refuse_unknown
from hive_views.readiness.observations import DetailRequest, Need, Observations, TableReference
from hive_views.readiness.rule_expressions import description_text, shown
from hive_views.readiness.rules.composition import Rule, SimpleRule, TableRule
from hive_views.readiness.rules.truth import HOLDS, Judged, Truth, fails, unknown

KnownEmpty = Sequence[Mapping[str, object]]
"""Partitions that will never come, as a user gives them."""

KnownEmptyValues = tuple[Mapping[str, Expected], ...]
"""Partitions that will never come, by column in lower case: any of these values."""


@dataclass(frozen=True, eq=False, repr=False)
class Requirement(TableRule):
    """Partitions that one table must have. Made by ``requires``."""

    table: str
    format: str | None
    conditions: Mapping[str, ColumnCondition]
    known_empty: KnownEmptyValues = ()

    def written(self) -> str:
        return self._described("requires")

    def _described(self, name: str, /, **options: object) -> str:
        """The call of a function that makes such a rule, with these options of its own; None: it is not given."""
        given = {**options, "known_empty": self.known_empty or None, "format": self.format}
        return description_text(name, self.table, self.conditions, given, **given)

    @property
    def needs(self) -> Need | None:
        return None

    def tables(self) -> Iterator[TableReference]:
        yield from super().tables()
        for condition in self.conditions.values():
            if isinstance(condition, ValuesOf):
                yield TableReference(condition.table, condition.format)

    def cover(self, listings: Mapping[str, PartitionListing], keys: Sequence[Column]) -> Coverage:
        """What the table holds of this, for each partition of the view. InvalidInputError: it does not fit the tables
        or the view.
        """
        return Coverage(self._resolved(listings), listings[self.table], keys, self.known_empty, self.asked_beside)

    @property
    def asked_beside(self) -> str:
        """What else makes it another question to the same partitions."""
        return ""

    def judge(self, observed: Observations) -> Callable[[Candidate], Judged]:
        coverage = observed.coverages[self]

        def judged(candidate: Candidate) -> Judged:
            if coverage.unknown_expectation:
                return unknown(coverage.unknown_expectation)
            reason = coverage.missing(candidate)
            return fails(reason) if reason else HOLDS

        return judged

    @property
    def is_of_partitions_alone(self) -> bool:
        """Whether it holds once the partitions are there that it asks for; else their contents or marks decide too."""
        return self.needs is None

    def request_loss_details(
        self, candidates: Sequence[Candidate], observed: Observations, request: DetailRequest
    ) -> None:
        """As ``request_details``, for ``fails_for_loss``."""

    def fails_for_loss(self, observed: Observations) -> Callable[[Candidate], bool]:
        """Tells whether a candidate that has lost partitions certainly has too few of them now.

        A missing mark or quiet time is another matter: partitions that came later may lack it.
        """
        there = Requirement.judge(self, observed)
        return lambda candidate: there(candidate).truth is Truth.NO

    def held(self, candidate: Candidate, observed: Observations) -> str:
        coverage = observed.coverages[self]
        where = coverage.where(candidate)
        return f"{coverage.table}: {f'all of {where} exists' if where else 'there are partitions'}"

    def _resolved(self, listings: Mapping[str, PartitionListing]) -> dict[str, ColumnCondition]:
        return {
            name: _values(condition, listings[condition.table]) if isinstance(condition, ValuesOf) else condition
            for name, condition in self.conditions.items()
        }


def requires(
    table: str,
    columns: Mapping[str, object] | None = None,
    /,
    *,
    known_empty: KnownEmpty = (),
    format: str | None = None,  # noqa: A002 - the word of the base tables
    **more_columns: object,
) -> Rule:
    """The table must have the partitions that are described by its partition columns.

    Each keyword is a partition column of the table: ``ds=column("ds")`` must have the value of the view's partition,
    ``region="eu"`` this value, and of ``hr=range(24)`` every one must be there. Columns that are not mentioned may have
    any value. Values are compared by type: an int 7 is the string ``'07'``, a date its ISO text; NULL is no value. For
    what is spelled or divided differently, see ``column`` and ``timestamp``; for what another table expects,
    ``values_of``.

    ``requires("db.table")`` alone: a table without partition columns exists, another has at least one partition. The
    table may be another view: ``requires("db.other_view", ds=column("ds"))``.

    Args:
        table: ``namespace.name``, or a location.
        columns: partition columns whose names cannot be keywords (``{"format": "csv"}``).
        known_empty: partitions that will never come, by values of the table's columns: ``[{"ds": "2013-01-01",
            "hr": 0}]``. A list stands for each of its values, a column left out for any value.
        format: the format that the table must have; by default it is found out from the table.
        more_columns: partition columns.

    Raises:
        InvalidInputError: the name of the table or the format is invalid, a column has no value, or an empty list of
            them. Whether the table has these columns is found out when it is read.
    """
    return described(
        Requirement, table, columns, more_columns, format, known_empty=checked_known_empty(table, known_empty)
    )


def may_hold(rule: Rule, observed: Observations) -> Callable[[Candidate], bool]:
    """Tells whether a rule may hold for a candidate, by the partitions that are listed: whatever else it asks for may
    hold.
    """
    there = {one: Requirement.judge(one, observed) for one in rule.requirements() if isinstance(one, Requirement)}

    def known(one: SimpleRule, candidate: Candidate) -> Truth:
        if not isinstance(one, Requirement):
            return Truth.UNKNOWN
        truth = there[one](candidate).truth
        return truth if truth is not Truth.YES or one.is_of_partitions_alone else Truth.UNKNOWN

    return lambda candidate: rule.truth(lambda one: known(one, candidate)) is not Truth.NO


def is_of_partitions_alone(rule: Rule) -> bool:
    """Whether which partitions the tables have decides alone: no statistics, marks, commits, functions or times."""
    asked: list[SimpleRule] = []

    def ask(one: SimpleRule) -> Truth:
        asked.append(one)
        return Truth.UNKNOWN

    rule.truth(ask)
    return all(isinstance(one, Requirement) and one.is_of_partitions_alone for one in asked)


_Made = TypeVar("_Made", bound=TableRule)


def described(
    make: Callable[..., _Made],
    table: str,
    columns: Mapping[str, object] | None,
    more_columns: Mapping[str, object],
    format_: str | None,
    **options: object,
) -> _Made:
    """A rule about the partitions of one table that its columns describe; raises as ``checked_table``,
    ``checked_format`` and ``conditions_of``.
    """
    name = checked_table(table)
    return make(name, checked_format(table, format_), conditions_of(table, columns, more_columns), **options)


def checked_known_empty(table: str, known_empty: object) -> KnownEmptyValues:
    """Known-empty partitions. InvalidInputError: it is no list of partitions, or has an invalid value."""
    if isinstance(known_empty, (list, tuple)) and all(
        isinstance(hole, Mapping) and hole and all(isinstance(name, str) for name in hole) for hole in known_empty
    ):
        return tuple(plain_values(table, "known_empty", hole) for hole in known_empty)
    raise InvalidInputError(
        f"Cannot read known_empty={shown(known_empty)} of {table}: give a list of partitions by column, as in "
        f"[{{'ds': '2013-01-01', 'hr': 0}}].",
        table=table,
    )


def _values(asked: ValuesOf, listing: PartitionListing) -> Expected:
    """The values that the other table has, of the column's type. InvalidInputError: it has no such column, or not one
    of ``only``.
    """
    refuse_unknown(listing.table, listing.keys, {asked.column: Expected(())})
    position = next(at for at, key in enumerate(listing.keys) if key.name.lower() == asked.column)
    kept = Coverage(dict(asked.only), listing, ())
    texts = dict.fromkeys(values[position] for values in kept.partitions(()))
    known = tuple(text for text in texts if text is not None)
    return Expected(known, listing.keys[position].type, kept.table)
