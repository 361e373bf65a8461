"""When a partition of a view is ready: the rules a user writes, and how they compose.

What lives here: ``column``, ``requires``, ``all_of``, ``any_of``, ``when`` and what each says of candidates. What must
not: reading tables, declaring partitions, I/O (a user's own function may do what it likes).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hive_views.base_tables.detect import table_name
from hive_views.errors import InvalidInputError
from hive_views.hive.partition_values import typed_value
from hive_views.hive.row import Column
from hive_views.publishing.coverage import Candidate, Condition, Coverage, Expected, ViewColumn

Waiting = dict[Candidate, tuple[str, ...]]
"""Why, for each candidate that is not ready."""

_LISTS = (list, tuple, set, frozenset, range)


class Rule(ABC):
    """A condition for a partition of a view to be declared; rules compose with ``&`` and ``|``."""

    def __and__(self, other: Rule) -> Rule:
        return all_of(self, other)

    def __or__(self, other: Rule) -> Rule:
        return any_of(self, other)

    @abstractmethod
    def requirements(self) -> Iterator[Requirement]:
        """All requirements on tables inside this rule."""

    @abstractmethod
    def waiting(self, candidates: Sequence[Candidate], evidence: Evidence) -> Waiting:
        """Which of the candidates are not ready, and why; all others are."""


@dataclass(frozen=True, eq=False)
class Requirement(Rule):
    """Partitions that one table must have. Made by ``requires``."""

    table: str
    format: str | None
    conditions: Mapping[str, Condition]

    def requirements(self) -> Iterator[Requirement]:
        yield self

    def waiting(self, candidates: Sequence[Candidate], evidence: Evidence) -> Waiting:
        missing = evidence.coverages[self].missing
        return {candidate: (reason,) for candidate in candidates if (reason := missing(candidate))}


@dataclass(frozen=True, eq=False)
class AllOf(Rule):
    """Ready when each of the rules says so. Made by ``all_of``."""

    rules: tuple[Rule, ...]

    def requirements(self) -> Iterator[Requirement]:
        for rule in self.rules:
            yield from rule.requirements()

    def waiting(self, candidates: Sequence[Candidate], evidence: Evidence) -> Waiting:
        waiting: Waiting = {}
        # A function may be expensive; it is not asked about what waits anyway.
        for rule in sorted(self.rules, key=lambda rule: isinstance(rule, When)):
            asked = [one for one in candidates if one not in waiting] if isinstance(rule, When) else candidates
            for candidate, reasons in rule.waiting(asked, evidence).items():
                waiting[candidate] = (*waiting.get(candidate, ()), *reasons)
        return waiting


@dataclass(frozen=True, eq=False)
class AnyOf(Rule):
    """Ready when one of the rules says so. Made by ``any_of``."""

    rules: tuple[Rule, ...]

    def requirements(self) -> Iterator[Requirement]:
        for rule in self.rules:
            yield from rule.requirements()

    def waiting(self, candidates: Sequence[Candidate], evidence: Evidence) -> Waiting:
        waiting: Waiting = dict.fromkeys(candidates, ())
        for rule in self.rules:
            still = rule.waiting(list(waiting), evidence)
            waiting = {one: (*waiting[one], " and ".join(reasons)) for one, reasons in still.items()}
        return {candidate: (", or ".join(reasons),) for candidate, reasons in waiting.items()}


@dataclass(frozen=True, eq=False)
class When(Rule):
    """Ready when a function says so. Made by ``when``."""

    function: Callable[[Mapping[str, Any]], bool | str]
    reason: str

    def requirements(self) -> Iterator[Requirement]:
        yield from ()

    def waiting(self, candidates: Sequence[Candidate], evidence: Evidence) -> Waiting:
        waiting: Waiting = {}
        for candidate in candidates:
            answer = self.function(evidence.typed(candidate))
            if answer is None:
                raise InvalidInputError(
                    f"{_name_of(self.function)}, given to when(), returned None: it must return True, False, or why "
                    f"the partition waits."
                )
            if isinstance(answer, str) or not answer:
                waiting[candidate] = (answer or self.reason,)
        return waiting


@dataclass(frozen=True)
class Evidence:
    """What rules judge by: the view's partition columns, and what the tables hold of each requirement."""

    keys: tuple[Column, ...]
    coverages: Mapping[Requirement, Coverage] = field(default_factory=dict)

    def typed(self, candidate: Candidate) -> dict[str, Any]:
        """A candidate's values by partition column, as Python's values of the columns' types."""
        return {key.name: typed_value(text, key.type) for key, text in zip(self.keys, candidate, strict=True)}


def column(name: str) -> ViewColumn:
    """In ``requires``: the value that the view's own partition has in this column."""
    if not isinstance(name, str) or not name:
        raise InvalidInputError(f"Cannot use {name!r} as a column: column() takes the name of a partition column.")
    return ViewColumn(name.lower())


def requires(
    table: str,
    columns: Mapping[str, object] | None = None,
    /,
    *,
    format: str | None = None,  # noqa: A002 - the word of the base tables
    **more_columns: object,
) -> Rule:
    """The table must have the partitions that are described by its partition columns.

    Each keyword is a partition column of the table: ``ds=column("ds")`` must have the value of the view's partition,
    ``region="eu"`` this value, and of ``hr=["00", "01"]`` every one must be there. Columns that are not mentioned may
    have any value. Values are compared by type: an int 7 is the string ``'07'``, a date its ISO text; NULL is nothing.

    ``requires("db.table")`` alone: a table without partition columns exists, another has at least one partition. The
    table may be another view: ``requires("db.other_view", ds=column("ds"))``.

    Args:
        table: ``namespace.name``.
        columns: partition columns whose names cannot be keywords (``{"format": "csv"}``).
        format: the format that the table must have; by default it is told from the table.
        more_columns: partition columns.

    Raises:
        InvalidInputError: the table's name is none, a column has no value, or an empty list of them. Whether the table
            has these columns is found out when it is read.
    """
    conditions: dict[str, Condition] = {}
    for name, value in {**(columns or {}), **more_columns}.items():
        if not isinstance(name, str) or name.lower() in conditions:
            raise InvalidInputError(f"Cannot require {name!r} of {table}: give each column once, by its name.")
        conditions[name.lower()] = value if isinstance(value, ViewColumn) else _expected(table, name, value)
    return Requirement(table_name(table), format, conditions)


def all_of(*rules: Rule) -> Rule:
    """Ready when all the rules say so. A function in ``when`` is asked only about what the others let pass."""
    return _combined("all_of", rules) or AllOf(rules)


def any_of(*rules: Rule) -> Rule:
    """Ready when one of the rules says so; they are asked in their order, each about what still waits."""
    return _combined("any_of", rules) or AnyOf(rules)


def when(function: Callable[[Mapping[str, Any]], bool | str], *, reason: str | None = None) -> Rule:
    """Ready when the function says so.

    Args:
        function: given the values of the view's partition by column, typed as the column (int, date, Decimal, str,
            ...); returns True, False, or why the partition waits. What it raises ends the run before anything is
            declared.
        reason: why a partition waits for which it returns False.
    """
    if not callable(function):
        raise InvalidInputError(f"when() takes a function of the partition's values, not {function!r}.")
    return When(function, reason or f"{_name_of(function)} says that it is not ready")


def _expected(table: str, name: str, value: object) -> Expected:
    values = tuple(value) if isinstance(value, _LISTS) else (value,)
    if not values or any(one is None or isinstance(one, (ViewColumn, *_LISTS)) for one in values):
        raise InvalidInputError(
            f"Cannot require {name}={value!r} of {table}: give column('...'), one value, or a list of at least one. "
            f"NULL is no value; leave the column out if any will do.",
            table=table,
            column=name,
        )
    return Expected(values)


def _combined(name: str, rules: tuple[Rule, ...]) -> Rule | None:
    """The rule itself if it is the only one.

    Raises:
        InvalidInputError: there is none, or something else among them.
    """
    if not rules or not all(isinstance(rule, Rule) for rule in rules):
        raise InvalidInputError(
            f"{name}() takes one or more rules, made with requires(), when(), all_of() or any_of(); not {rules!r}."
        )
    return rules[0] if len(rules) == 1 else None


def _name_of(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", None) or type(function).__name__
